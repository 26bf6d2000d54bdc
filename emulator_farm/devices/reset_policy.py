"""How clean a phone is made before an episode, and how far that goes where it fails."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

Level = Literal["home", "apps", "snapshot", "recycle"]
LEVELS: tuple[Level, ...] = ("home", "apps", "snapshot", "recycle")
"""From the cheapest to the dearest."""
Needs = Literal["home", "apps", "snapshot"]
"""What a task may ask for."""


class ResetPolicy(BaseModel):
    """What is done to a phone between two episodes."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    level: Literal["auto", "home", "apps", "snapshot", "recycle"] = "auto"
    """`auto` does what the task asks for, else `apps` on virtual phones and `home` on all others."""
    base: str | None = Field(default=None, pattern=r"^[\w.-]{1,64}$")
    """The snapshot that `snapshot` loads; one that the farm takes itself without it."""
    loads: int = Field(default=50, ge=1)
    """Snapshot loads after which a phone is recycled: emulators die of too many."""
    reboot: bool = False
    """Whether phones that are not virtual may be restarted."""

    def ladder(self, needs: Needs | None, *, virtual: bool) -> tuple[Level, ...]:
        """What to do, and what to do next where it fails.

        `auto` never wipes a phone that is not virtual unless the task or a flag asked for that.
        """
        if self.level != "auto":
            return (self.level,)
        first: Level = needs or ("apps" if virtual else "home")
        allowed = {
            "home": True,
            "apps": virtual,
            "snapshot": virtual or self.base is not None,
            "recycle": virtual or self.reboot,
        }
        return (first, *(level for level in LEVELS[LEVELS.index(first) + 1 :] if allowed[level]))

"""Which ways to a phone were found to be best, as a message: whoever opens the phone next need not measure again."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class Choice(BaseModel):
    """The ways to one phone in one of its lives."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    incarnation: str
    """The life of the phone that it was found in; in another one it means nothing."""
    capture: tuple[str, ...]
    """Ways to a frame, the best first, the one that every phone has last."""
    input: str
    """The way that gestures take where it can do them."""
    tree: str = "uiautomator"
    """The way to a UI tree."""
    latency_ms: dict[str, float] = {}
    """Median milliseconds, by way, where it was measured."""
    dropped: dict[str, str] = {}
    """Why a way is used no longer, by its name."""

    @property
    def told(self) -> str:
        """In one line what is used."""
        return f"frames by {self.capture[0]}, gestures by {self.input}, trees by {self.tree}"

"""What decides: a `Policy` turns an observation into one action.

Every policy answers in the wire models of `agent_server.schemas`, so that a model behind vLLM, the rule-based baseline
and the controls are interchangeable for everyone who calls `/act`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

from agent_server.geometry import Size
from agent_server.images import CheckedImage
from agent_server.schemas import ActResponse, HistoryTurn, ModelCard, Sampling


@dataclass(frozen=True)
class Observation:
    """One moment of an episode, checked, as a policy sees it.

    `image` is a complete PNG, JPEG or WebP; `size` is its extent in pixels after EXIF rotation and the space of every
    point in and out. `history` is oldest first.
    """

    goal: str
    image: bytes
    size: Size
    history: tuple[HistoryTurn, ...] = ()
    ui_tree: str | None = None
    app: str | None = None
    sampling: Sampling = field(default_factory=Sampling)
    session: str | None = None
    return_tokens: bool = False
    model: str | None = None
    history_images: tuple[CheckedImage | None, ...] = ()
    """What the turns of `history` saw, position by position; may be shorter. This, not `HistoryTurn.screenshot`, is
    what a policy looks at."""
    missing: frozenset[int] = frozenset()
    """Positions of turns whose screenshot was named by a digest that is not held here. A policy that would show one of
    them raises MissingScreenshots."""


class Policy(Protocol):
    """Anything that decides. Safe for many concurrent calls from one event loop."""

    def cards(self) -> list[ModelCard]:
        """What this policy serves, the default first; never empty, and needs no network."""
        ...

    async def act(self, observation: Observation) -> ActResponse:
        """Choose one action.

        Raises InvalidRequest for an observation that it cannot use and BackendError where the model server failed.
        Text that gives no action is an answer with a `parse_error`, not an exception.
        """
        ...

    async def ready(self) -> None:
        """Return when decisions can be made; raises BackendError with the reason when not."""
        ...

    async def aclose(self) -> None:
        """Release connections; no call may follow."""
        ...

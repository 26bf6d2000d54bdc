"""`POST /judge`: did this episode carry out its task?"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, field_validator

from agent_server.actions import Action
from agent_server.schemas.act import ParseError, Sampling
from agent_server.schemas.wire import GOAL_LIMIT, HISTORY_LIMIT, Answered, Text, Wire


class JudgeStep(Wire):
    """One step of the episode, as `/act` answered it, without its screenshot."""

    thought: Text | None = None
    summary: Text | None = None
    action: Action | None = None
    raw: Text | None = None
    """The model's own text; shown where it gave no action."""
    parse_error: ParseError | None = None


class JudgeRequest(Wire):
    """How well was this done?"""

    goal: Annotated[str, Field(min_length=1, max_length=GOAL_LIMIT)]
    steps: Annotated[list[JudgeStep], Field(max_length=HISTORY_LIMIT)] = Field(default_factory=list)
    """Oldest first."""
    frames: dict[Annotated[int, Field(ge=0, le=HISTORY_LIMIT)], str] = Field(default_factory=dict)
    """Base64 of screenshots by the index of the step that saw them; the number of steps stands for the screen after the
    last. In a multipart request they are file parts `frame[i]` instead."""
    select: Literal["all", "auto"] = "all"
    """all: every frame is shown, and too many are an error; auto: as many as the judge is shown are chosen."""
    answer: Text | None = None
    """What the agent finally answered, where the task asks for something."""
    criteria: Text | None = None
    """What must hold, beyond the goal itself."""
    threshold: float = Field(default=0.5, ge=0, le=1)
    """Scores from here on are a success."""
    model: str | None = None
    session: Annotated[str, Field(max_length=500)] | None = None
    sampling: Sampling = Sampling()
    """`n` is the number of votes."""

    @field_validator("goal")
    @classmethod
    def _not_blank(cls, goal: str) -> str:
        if not goal.strip():
            raise ValueError("the goal is blank")
        return goal


class Vote(Wire):
    """One reading of one reply of the judge. Without a score it is either refused or has a parse error."""

    score: float | None
    """0 to 1."""
    success: bool | None = None
    """Whether the score reaches the threshold."""
    reason: str | None = None
    raw: str = ""
    refused: bool = False
    """The judge declines, or says that it cannot tell."""
    parse_error: ParseError | None = None
    finish_reason: str | None = None


class Agreement(Wire):
    """How far the votes that have a score agree."""

    votes: int
    """How many they are."""
    majority: float
    """The share of them on the side of the threshold where most are: 0.5 to 1."""
    spread: float
    """The highest score less the lowest."""


class JudgeResponse(Answered):
    """The judgement; scores are 0 to 1."""

    status: Literal["scored", "refused", "unreadable"]
    """refused: every vote was; unreadable: no vote has a score and not all were refused."""
    score: float | None
    """The mean of the votes that have one; null, never 0, where none has."""
    success: bool | None
    """Whether the score reaches the threshold."""
    tied: bool = False
    """As many votes say success as say failure; the mean decided."""
    reason: str | None = None
    """Of the vote nearest to the score among those on its side."""
    scale: tuple[int, int]
    """What the judge was asked for; 0 and 1 of a score are its ends."""
    threshold: float
    agreement: Agreement | None = None
    """null where no vote has a score."""
    votes: list[Vote]
    frames: list[int]
    """Which frames the judge was shown."""

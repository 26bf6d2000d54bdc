"""Several votes on one episode as one judgement."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Literal

from agent_server.schemas import Agreement, Vote

_DIGITS = 6
"""Scores are rounded, so that the mean of equal scores is that score."""


@dataclass(frozen=True)
class Verdict:
    """What the votes say together. `score`, `success` and `agreement` are None unless some vote has a score."""

    status: Literal["scored", "refused", "unreadable"]
    score: float | None = None
    success: bool | None = None
    tied: bool = False
    reason: str | None = None
    agreement: Agreement | None = None


def tally(votes: Sequence[Vote], threshold: float) -> Verdict:
    """Count the votes; `threshold` is that which decided their `success`."""
    scores = [vote.score for vote in votes if vote.score is not None]
    if not scores:
        refused = all(vote.refused for vote in votes)
        reason = next((vote.reason for vote in votes if vote.refused), None)
        return Verdict("refused" if refused else "unreadable", reason=reason)
    score = round(fmean(scores), _DIGITS)
    success = score >= threshold
    ayes = sum(vote.success is True for vote in votes)
    agreement = Agreement(
        votes=len(scores),
        majority=max(ayes, len(scores) - ayes) / len(scores),
        spread=round(max(scores) - min(scores), _DIGITS),
    )
    return Verdict("scored", score, success, 2 * ayes == len(scores), _reason(votes, score, success), agreement)


def _reason(votes: Sequence[Vote], score: float, success: bool) -> str | None:
    """That of the vote nearest to the score among those on its side that give one."""
    reasons = [(abs(vote.score - score), vote.reason) for vote in votes if vote.score is not None
               and vote.success == success and vote.reason]  # fmt: skip
    return min(reasons, key=lambda entry: entry[0])[1] if reasons else None

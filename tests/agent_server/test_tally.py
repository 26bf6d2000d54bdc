"""Votes as one judgement."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_server.schemas import ParseError, Vote
from agent_server.tally import tally

REFUSED = Vote(score=None, refused=True, reason="cannot tell")
UNREADABLE = Vote(score=None, parse_error=ParseError(kind="malformed", message="x"))


def vote(score: float, threshold: float = 0.5, reason: str | None = None) -> Vote:
    return Vote(score=score, success=score >= threshold, reason=reason)


def test_the_mean_decides_and_agreement_is_told():
    verdict = tally([vote(0.9), vote(0.7), vote(0.2)], 0.5)
    assert (verdict.status, verdict.score, verdict.success, verdict.tied) == ("scored", 0.6, True, False)
    assert (verdict.agreement.votes, verdict.agreement.spread) == (3, 0.7)
    assert verdict.agreement.majority == pytest.approx(2 / 3)


def test_votes_without_a_score_do_not_count_as_zero():
    verdict = tally([vote(0.8), REFUSED, UNREADABLE], 0.5)
    assert (verdict.score, verdict.success) == (0.8, True)
    assert verdict.agreement.votes == 1


@pytest.mark.parametrize(
    ("votes", "status", "reason"),
    [
        ([REFUSED, REFUSED], "refused", "cannot tell"),
        ([UNREADABLE, REFUSED], "unreadable", "cannot tell"),
        ([UNREADABLE], "unreadable", None),
    ],
)
def test_no_readable_vote_is_no_score(votes, status, reason):
    verdict = tally(votes, 0.5)
    assert (verdict.status, verdict.reason) == (status, reason)
    assert (verdict.score, verdict.success, verdict.agreement) == (None, None, None)


def test_ties_are_stated_and_the_mean_decides_them():
    assert (tally([vote(1.0), vote(0.2)], 0.5).tied, tally([vote(1.0), vote(0.2)], 0.5).success) == (True, True)
    assert (tally([vote(0.6), vote(0.0)], 0.5).tied, tally([vote(0.6), vote(0.0)], 0.5).success) == (True, False)
    assert tally([vote(0.6)], 0.5).tied is False


def test_the_reason_is_that_of_the_nearest_vote_on_the_winning_side():
    verdict = tally([vote(0.1, reason="off"), vote(1.0, reason="all"), vote(0.7, reason="most")], 0.5)
    assert (verdict.score, verdict.reason) == (0.6, "most")
    assert tally([vote(0.1, reason="off"), vote(1.0)], 0.5).reason is None


def test_equal_votes_have_that_score():
    verdict = tally([vote(0.7, 0.7)] * 3, 0.7)
    assert (verdict.score, verdict.success, verdict.agreement.majority) == (0.7, True, 1.0)


@given(st.lists(st.integers(0, 10).map(lambda score: score / 10), min_size=1, max_size=9), st.integers(0, 10))
def test_the_score_lies_between_the_votes(scores, tenths):
    verdict = tally([vote(score, tenths / 10) for score in scores], tenths / 10)
    assert min(scores) - 1e-6 <= verdict.score <= max(scores) + 1e-6
    assert 0.5 <= verdict.agreement.majority <= 1
    assert verdict.success == (verdict.score >= tenths / 10)

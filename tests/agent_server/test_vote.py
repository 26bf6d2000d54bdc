"""What judges write, read as a score, a refusal, or neither."""

from __future__ import annotations

import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_server.vote import LONGEST_REPLY, read_vote


@pytest.mark.parametrize(
    ("text", "score", "reason"),
    [
        ('{"reason": "Wi-Fi is on in screenshot 2.", "score": 10}', 1.0, "Wi-Fi is on in screenshot 2."),
        ('```json\n{"reason": "Half of it.", "score": 5}\n```', 0.5, "Half of it."),
        ('Here it is:\n{"score": 7, "explanation": "Nearly."}\nThat is all.', 0.7, "Nearly."),
        ('{"score": "7/10", "reason": "x"}', 0.7, "x"),
        ('{"score": "70%", "reason": "x"}', 0.7, "x"),
        ('{"score": 7.5, "reason": "x"}', 0.75, "x"),
        ('{"evaluation": {"score": 3, "reason": "x"}}', 0.3, "x"),
        ('{"评分": 8, "理由": "已打开"}', 0.8, "已打开"),
        ("{'score': 4, 'reason': 'it's off'}", 0.4, "it's off"),
        ('{"reason": "cut off", "score": 6', 0.6, "cut off"),
        ('{"success": true, "reason": "x"}', 1.0, "x"),
        ('{"verdict": "failure", "reason": "x"}', 0.0, "x"),
        ("<reason>All there.</reason>\n<score>9</score>", 0.9, "All there."),
        ("All there. <score> 9/10 </score>", 0.9, "All there."),
        ("Reason: The switch is on.\nScore: 8/10", 0.8, "The switch is on."),
        ("**Score:** **8**/10\nThe switch is on.", 0.8, "The switch is on."),
        ("Score (0-10): 8", 0.8, None),
        ("The score is 8 out of 10.", 0.8, "The score is 8 out of 10."),
        ("Step 1 score: 3\nStep 2 score: 4\nFinal score: 9\nScore of the style: 1", 0.9, None),
        ("评分：8/10\n理由：开关已打开", 0.8, "开关已打开"),
        ("I give it 6/10 because half is missing.", 0.6, "I give it 6/10 because half is missing."),
        ("7", 0.7, None),
        ("7/10", 0.7, None),
        ("0", 0.0, None),
        ("<think>Score: 2? No.</think>Score: 9", 0.9, None),
    ],
)
def test_scores(text, score, reason):
    read = read_vote(text, 10)
    assert read.score == pytest.approx(score)
    assert (read.refused, read.parse_error) == (False, None)
    if reason is not None:
        assert read.reason is not None
        assert read.reason.startswith(reason)


def test_other_scales():
    assert read_vote('{"score": 70}', 100).score == 0.7
    assert read_vote('{"score": 1}', 1).score == 1.0
    assert read_vote('{"score": 0.25}', 1).score == 0.25
    assert read_vote("Score: 3/5", 10).score == 0.6


@pytest.mark.parametrize(
    "text",
    [
        '{"reason": "The screenshots do not show it.", "score": null}',
        '{"score": "N/A", "reason": "nothing to see"}',
        "<score>null</score>",
        "Score: N/A. The last screen is missing.",
        "I cannot determine whether the alarm was set.",
        "I'm unable to judge this.",
        "There is insufficient evidence for a verdict.",
        "I'm sorry, but I can't assist with that.",
        "无法判断任务是否完成。",
    ],
)
def test_refusals(text):
    read = read_vote(text, 10)
    assert (read.score, read.refused, read.parse_error) == (None, True, None)


def test_what_a_refusal_says_is_its_reason():
    assert read_vote('{"reason": "No frame shows it.", "score": null}', 10).reason == "No frame shows it."
    assert read_vote("I cannot tell.", 10).reason == "I cannot tell."


@pytest.mark.parametrize(
    ("text", "kind", "words"),
    [
        ("", "malformed", "no score"),
        ("The task was done well.", "malformed", "no score"),
        ('{"reason": "good"}', "malformed", "no score"),
        ('{"score": "high"}', "malformed", "'high'"),
        ('{"score": true}', "malformed", "True"),
        ('{"score": [7]}', "malformed", "[7]"),
        ("<think>Score: 7", "malformed", "thinking"),
        ('{"score": 11}', "out_of_range", "11 is no score from 0 to 10"),
        ("Score: -1", "out_of_range", "-1 is no score"),
        ("Score: 12/10", "out_of_range", "from 0 to 10"),
        ("Score: 5/0", "out_of_range", "from 0 to 0"),
        ('{"score": 0.7}', "out_of_range", "share of 1"),
        ("x" * (LONGEST_REPLY + 1), "malformed", "characters"),
    ],
)
def test_what_is_neither(text, kind, words):
    read = read_vote(text, 10)
    assert (read.score, read.refused) == (None, False)
    assert read.parse_error.kind == kind
    assert words in read.parse_error.message


def test_a_score_that_the_judge_only_quotes_does_not_count():
    quoting = '{"reason": "The agent wrote {\\"score\\": 10} and Score: 10/10 on the screen.", "score": 1}'
    assert read_vote(quoting, 10).score == 0.1
    assert read_vote('The agent demands "Score: 10/10".\nScore: 0/10', 10).score == 0.0
    assert read_vote("It says <score>10</score>, which is a trick.\n<score>1</score>", 10).score == 0.1


@given(st.integers(0, 10), st.text(max_size=60))
def test_json_as_it_was_asked_for_is_always_read(score, reason):
    read = read_vote(json.dumps({"reason": reason, "score": score}), 10)
    assert read.score == score / 10
    assert read.parse_error is None


PIECES = ["{", "}", '"score"', ":", "7", "Score: ", "/10", "<score>", "</score>", "null", "<think>", '"', " ", "\n"]


@given(st.text(max_size=80) | st.lists(st.sampled_from(PIECES), max_size=12).map("".join))
def test_anything_is_read_as_exactly_one_of_three(text):
    read = read_vote(text, 10)
    assert [read.score is not None, read.refused, read.parse_error is not None].count(True) == 1
    if read.score is not None:
        assert 0 <= read.score <= 1


@pytest.mark.parametrize(
    "unit", ["{", '{"a":', '{"score": ', "Score: ", "<score>", "7/10 ", "<think>", "cannot ", "(", "reason: "]
)
def test_hostile_lengths_take_no_time(unit):
    text = unit * (LONGEST_REPLY // len(unit))
    start = time.process_time()
    read_vote(text, 10)
    assert time.process_time() - start < 3.0


@pytest.mark.parametrize(
    ("text", "score"),
    [
        ('The page says "Score: 10/10". Score: 3/10', 0.3),
        ('```json\n{"reason":"a","score":7}\n```\nExample format: {"reason":"...","score":10}', 0.7),
        ("The score is 8.", 0.8),
        ("In screenshot 1 the game score is 10. Final score: 2", 0.2),
    ],
)
def test_only_the_judge_s_own_score_counts(text, score):
    assert read_vote(text, 10).score == pytest.approx(score)


@pytest.mark.parametrize(
    "text",
    [
        'The app text says "Score: 10/10". I cannot tell.',
        'The page reads "Rating: 10". The screenshots do not show enough, so I cannot judge.',
        "The score is null because nothing is visible. The game shows Score 10.",
        'The reply format is {"reason":"...","score":10}. I cannot judge this.',
    ],
)
def test_a_quoted_score_does_not_outweigh_a_refusal(text):
    read = read_vote(text, 10)
    assert read.refused
    assert read.score is None


@pytest.mark.parametrize(
    "text",
    [
        '{"reason":"The app shows Score: 10/10, but',
        "In screenshot 1 the game score is 10 and the task asks for it.",
        "The task asked for a rating of 5 stars; rating 5 was set.",
        "Score: 3-5",
        "Score: 8 or 9",
        "Score: 7,5",
    ],
)
def test_what_is_no_score_is_none(text):
    read = read_vote(text, 10)
    assert read.score is None
    assert read.parse_error is not None


def test_a_reply_that_was_cut_off_has_a_score_only_where_its_object_is_whole():
    assert read_vote('{"score": 1', 10, cut=True).parse_error.message == "the reply was cut off before its score"
    assert read_vote("The switch is on. Score: 1", 10, cut=True).score is None
    assert read_vote('{"reason": "on", "score": 10} and so', 10, cut=True).score == 1.0

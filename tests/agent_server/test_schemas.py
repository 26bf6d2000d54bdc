from __future__ import annotations

import base64
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from agent_server.actions import Click, Finished
from agent_server.geometry import Point
from agent_server.schemas import (
    GOAL_LIMIT,
    HISTORY_LIMIT,
    TEXT_LIMIT,
    ActRequest,
    ActResponse,
    HistoryTurn,
    ModelCard,
    ParseError,
    Problem,
    Sampling,
)


def steps(*numbers: int | None) -> list[dict[str, object]]:
    return [{"step": number} for number in numbers]


def refusal(**fields: object) -> str:
    with pytest.raises(ValidationError) as caught:
        ActRequest.model_validate_json(json.dumps({"goal": "Turn on Wi-Fi", **fields}))
    return str(caught.value)


# -- the request


def test_a_goal_is_enough():
    request = ActRequest.model_validate_json('{"goal": "Turn on Wi-Fi"}')
    assert request.history == []
    assert request.sampling == Sampling()
    assert request.sampling.n == 1
    assert request.return_tokens is False
    assert (request.screenshot, request.ui_tree, request.app, request.model, request.session) == (None,) * 5


def test_a_goal_is_required():
    with pytest.raises(ValidationError, match=r"goal\n  Field required"):
        ActRequest.model_validate_json("{}")


@pytest.mark.parametrize("goal", ["", " ", "\n\t ", "\u3000"])
def test_a_blank_goal_is_refused(goal):
    said = refusal(goal=goal)
    assert "the goal is blank" in said or "at least 1 character" in said


def test_a_goal_has_a_limit():
    assert len(ActRequest(goal="x" * GOAL_LIMIT).goal) == GOAL_LIMIT
    assert f"at most {GOAL_LIMIT} characters" in refusal(goal="x" * (GOAL_LIMIT + 1))


@pytest.mark.parametrize(
    "fields",
    [
        {"image_url": "http://127.0.0.1/x.png"},
        {"sampling": {"min_p": 0.5}},
        {"history": [{"thoughts": "x"}]},
        {"history": [{"action": {"type": "click", "point": [1, 2], "button": "left"}}]},
    ],
)
def test_unknown_fields_are_refused(fields):
    assert "Extra inputs are not permitted" in refusal(**fields)


# -- history


@pytest.mark.parametrize("numbers", [(), (0,), (0, 1, 2), (3, 7, 90), (None, None), (0, None, 1), (None, 4, None, 5)])
def test_history_in_order(numbers):
    request = ActRequest.model_validate({"goal": "x", "history": steps(*numbers)})
    assert tuple(turn.step for turn in request.history) == numbers


@pytest.mark.parametrize(
    ("numbers", "says"),
    [
        ((1, 0), "step 0 follows step 1; send it oldest first"),
        ((2, 2), "step 2 follows step 2"),
        ((0, 5, 3), "step 3 follows step 5"),
        ((5, None, 4), "step 4 follows step 5"),
    ],
)
def test_history_out_of_order(numbers, says):
    assert says in refusal(history=steps(*numbers))


@given(st.lists(st.integers(0, 10_000), max_size=12))
def test_exactly_the_increasing_histories_are_accepted(numbers):
    try:
        ActRequest.model_validate({"goal": "x", "history": steps(*numbers)})
        accepted = True
    except ValidationError:
        accepted = False
    assert accepted == (numbers == sorted(set(numbers)))


def test_history_has_limits():
    assert len(ActRequest(goal="x", history=[HistoryTurn()] * HISTORY_LIMIT).history) == HISTORY_LIMIT
    assert f"at most {HISTORY_LIMIT} items" in refusal(history=[{}] * (HISTORY_LIMIT + 1))
    assert f"at most {TEXT_LIMIT} characters" in refusal(history=[{"thought": "x" * (TEXT_LIMIT + 1)}])
    assert "greater than or equal to 0" in refusal(history=steps(-1))


def test_a_turn_may_have_a_parse_error_in_place_of_an_action():
    error = {"kind": "out_of_range", "message": "x"}
    turn = HistoryTurn.model_validate({"action": None, "raw": "Click(9999)", "parse_error": error})
    assert turn.parse_error == ParseError(kind="out_of_range", message="x")
    assert "malformed" in refusal(history=[{"parse_error": {"kind": "odd", "message": "x"}}])


# -- sampling


@pytest.mark.parametrize(
    "sampling",
    [
        {"temperature": 0}, {"temperature": 5}, {"top_p": 1}, {"top_p": 1e-9}, {"max_tokens": 1},
        {"max_tokens": 65_536}, {"seed": 0}, {"seed": 2**63 - 1}, {"n": 1}, {"n": 128},
        {"temperature": None, "top_p": None, "max_tokens": None, "seed": None},
    ],
)  # fmt: skip
def test_sampling_within_its_ranges(sampling):
    assert Sampling.model_validate(sampling).model_dump() == {**Sampling().model_dump(), **sampling}


@pytest.mark.parametrize(
    "sampling",
    [
        {"temperature": -0.1}, {"temperature": 5.1}, {"temperature": float("nan")}, {"top_p": 0}, {"top_p": 1.1},
        {"top_p": float("nan")}, {"max_tokens": 0}, {"max_tokens": 65_537}, {"seed": -1}, {"seed": 2**63}, {"n": 0},
        {"n": 129}, {"n": None},
    ],
)  # fmt: skip
def test_sampling_outside_of_them(sampling):
    with pytest.raises(ValidationError, match=rf"\n{next(iter(sampling))}\n"):
        Sampling.model_validate(sampling)


# -- round trips


def test_a_request_survives_json():
    picture = base64.b64encode(b"\x89PNG").decode()
    turn = HistoryTurn(step=3, thought="空", summary="s", action=Click(point=Point(1, 2)), raw="r", screenshot=picture)
    request = ActRequest(goal="g", screenshot=picture, history=[turn], app="a/.B", sampling=Sampling(seed=7, n=2))
    assert ActRequest.model_validate_json(request.model_dump_json()) == request


def test_a_response_survives_json():
    response = ActResponse(action=Finished(text="7:30"), thought="t", model="m", adapter="a", timing_ms={"total": 1.5})
    again = ActResponse.model_validate_json(response.model_dump_json())
    assert again == response
    assert again.samples == []
    assert again.usage.model_dump() == {"prompt_tokens": 0, "completion_tokens": 0, "cached_tokens": None}


def test_a_response_always_says_whether_there_is_an_action():
    with pytest.raises(ValidationError, match=r"action\n  Field required"):
        ActResponse.model_validate({"model": "m", "adapter": "a"})


def test_values_of_the_wire_cannot_be_changed():
    with pytest.raises(ValidationError, match="frozen"):
        Sampling().n = 3


def test_cards_keep_what_another_server_says_of_a_model():
    card = ModelCard.model_validate({"id": "m", "adapter": "a", "max_model_len": 16_192})
    assert card.model_dump()["max_model_len"] == 16_192


def test_a_problem_needs_no_type():
    assert Problem(title="Not Found", status=404, detail="x").type == "about:blank"

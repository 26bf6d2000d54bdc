"""Each rule: an episode on which it fires, and its nearest neighbours on which it does not."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from agent_server.actions import (
    Action,
    Answer,
    CallUser,
    Click,
    Drag,
    Finished,
    LongPress,
    Press,
    Scroll,
    Type,
    Wait,
)
from agent_server.geometry import Point
from agent_server.schemas import ParseError
from emulator_farm import rules
from emulator_farm.episode import Episode, Step
from emulator_farm.rule_settings import RuleSettings

Make = Callable[..., Episode]
DEFAULTS = RuleSettings()


def taps(*points: tuple[int, int]) -> list[Action]:
    return [Click(point=Point(*point)) for point in points]


@pytest.fixture
def on_new_pages(make_episode: Make, page: Any) -> Callable[..., Episode]:
    """Actions that each meet another page, so that only the rule in question has something to say."""

    def make(actions: list[Action | None], **fields: Any) -> Episode:
        return make_episode(
            pages=[page(title=f"Page {index}") for index in range(len(actions))], actions=actions, **fields
        )

    return make


@pytest.fixture
def with_steps(make_episode: Make) -> Callable[..., Episode]:
    """The default episode with some of its screens changed: {position: fields}."""

    def make(changes: dict[int, dict[str, Any]]) -> Episode:
        def changed(step: Step) -> Step:
            return replace(step, screen=replace(step.screen, **changes.get(step.index, {})))

        return replace(make_episode(), steps=tuple(map(changed, make_episode().steps)))

    return make


# no_terminal_action


@pytest.mark.parametrize("end", ["step_limit", "time_limit"])
def test_an_episode_that_a_limit_ended(on_new_pages: Make, end: str) -> None:
    episode = on_new_pages(taps((50, 120), (150, 120)), end=end, status="truncated", reward=0.0)
    found = rules.no_terminal_action(episode, DEFAULTS)
    assert found == rules.Finding("no_terminal_action", f"ended by {end} after 2 steps")


@pytest.mark.parametrize("last", [Finished(), Finished(status="infeasible"), Answer(text="42"), CallUser(text="help")])
def test_an_episode_that_the_agent_ended(on_new_pages: Make, last: Action) -> None:
    assert rules.no_terminal_action(on_new_pages([*taps((50, 120)), last]), DEFAULTS) is None


def test_an_episode_without_a_step_has_no_terminal_action(make_episode: Make) -> None:
    assert rules.no_terminal_action(make_episode(steps=[]), DEFAULTS) is not None


# short_abnormal


@pytest.mark.parametrize(
    ("count", "end", "reward", "fires"),
    [
        (2, "call_user", 0.0, True),
        (2, "infeasible", 0.0, True),
        (2, "infeasible", None, True),
        (2, "parse_errors", 0.0, True),
        (2, "infeasible", 1.0, False),  # it was right
        (3, "call_user", 0.0, False),  # not short
        (1, "finished", 0.0, False),  # a regular exit; the checker has its own rule
        (2, "answer", 0.0, False),
    ],
)
def test_short_with_an_abnormal_exit(
    on_new_pages: Make, count: int, end: str, reward: float | None, fires: bool
) -> None:
    episode = on_new_pages([*taps(*[(50, 120)] * (count - 1)), CallUser()], end=end, reward=reward, status="failure")
    found = rules.short_abnormal(episode, DEFAULTS)
    assert (found is not None) is fires
    if found is not None:
        assert found.detail == f"ended by {end} after {count} steps"


def test_what_is_short_is_a_setting(on_new_pages: Make) -> None:
    episode = on_new_pages([*taps((50, 120), (50, 120), (50, 120)), CallUser()], end="call_user", reward=0.0)
    assert rules.short_abnormal(episode, DEFAULTS) is None
    assert rules.short_abnormal(episode, RuleSettings(short_steps=5)) is not None


# repeated_action


def test_five_equal_actions_on_the_grid(on_new_pages: Make) -> None:
    same_cell = [(100, 150), (149, 199), (120, 180), (101, 151), (130, 160)]
    found = rules.repeated_action(on_new_pages([Press(key="home"), *taps(*same_cell), Finished()]), DEFAULTS)
    assert found == rules.Finding("repeated_action", "click 2,3, 5 times in a row from step 1", 2)


@pytest.mark.parametrize(
    "actions",
    [
        taps(*[(100, 150)] * 4),
        taps(*[(100, 150)] * 4, (150, 150)),  # the last lies in the next cell
        [*taps(*[(100, 150)] * 3), Press(key="back"), *taps(*[(100, 150)] * 3)],
        [Scroll(direction="down")] * 7,  # lists are long
        [Press(key="delete")] * 9,  # and so are texts
        [Type(text=letter) for letter in "abcde"],
        [LongPress(point=Point(100, 150)), *taps(*[(100, 150)] * 4)],
        [None] * 5,
    ],
)
def test_what_is_no_repetition(on_new_pages: Make, actions: list[Action | None]) -> None:
    assert rules.repeated_action(on_new_pages([*actions, Finished()]), DEFAULTS) is None


def test_repetition_settings(on_new_pages: Make) -> None:
    assert rules.repeated_action(on_new_pages([Press(key="back")] * 5), DEFAULTS) is not None
    assert rules.repeated_action(on_new_pages([Press(key="back")] * 5), RuleSettings(repeat_ignores=("press",))) is None
    scrolls = on_new_pages([Scroll(direction="down")] * 5)
    assert rules.repeated_action(scrolls, RuleSettings(repeat_ignores=())) is not None
    pair = on_new_pages(taps((100, 150), (190, 150)))
    assert rules.repeated_action(pair, RuleSettings(repeat_count=2)) is None
    assert rules.repeated_action(pair, RuleSettings(repeat_count=2, grid_px=100)) is not None


# cycle

A, B, C, D, E = (Click(point=Point(x, 150)) for x in (10, 60, 110, 160, 210))


@pytest.mark.parametrize(
    ("actions", "first_bad", "length"),
    [
        ([A, B] * 3, 2, 2),
        ([C, D, A, B, A, B, A, B], 4, 2),
        ([A, B, C] * 2, 3, 3),
        ([A, B, C, D] * 2, 4, 4),
        ([A, B, C, D, E] * 2, 5, 5),
        ([A, A, B] * 2, 3, 3),
        ([Scroll(direction="down"), Scroll(direction="up")] * 3, 2, 2),
        ([A, None] * 3, 2, 2),
    ],
)
def test_cycles_of_two_to_five(on_new_pages: Make, actions: list[Action | None], first_bad: int, length: int) -> None:
    found = rules.cycle(on_new_pages([*actions, Finished()]), DEFAULTS)
    assert found is not None
    assert found.step == first_bad
    assert found.detail.startswith(f"{length} actions over and over from step {first_bad - length}: ")


@pytest.mark.parametrize(
    "actions",
    [
        [A, B, A, B, A],  # two rounds and a half of two: five steps
        [A, B, C, A, B],
        [A, B, C, D, A, B, C],
        [A, B, C, D, E, A, B, C, D],
        [A] * 10,  # repetition has its own rule
        [A, B, C, D, E, Press(key="back")] * 2,  # six
        [A, B, A, C, A, D, A, E],
    ],
)
def test_what_is_no_cycle(on_new_pages: Make, actions: list[Action]) -> None:
    assert rules.cycle(on_new_pages([*actions, Finished()]), DEFAULTS) is None


def test_cycle_settings(on_new_pages: Make) -> None:
    assert rules.cycle(on_new_pages([A, B, A, B]), RuleSettings(cycle_steps=4)) is not None
    assert rules.cycle(on_new_pages([A, B, C] * 2), RuleSettings(cycle_longest=2)) is None


# no_change


def test_taps_that_change_nothing(make_episode: Make, page: Any) -> None:
    first, second = page(), page(title="Display")
    pages = [first, second, second, second, second, first]
    found = rules.no_change(make_episode(pages=pages, actions=[*taps(*[(9, 120)] * 5), Finished()]), DEFAULTS)
    assert found == rules.Finding("no_change", "3 actions changed nothing: steps 1, 2, 3", 1)


def test_the_clock_in_the_status_bar_is_no_change(make_episode: Make, page: Any) -> None:
    pages = [page(clock=f"09:4{minute}") for minute in range(4)]
    episode = make_episode(pages=pages[:3], actions=taps(*[(9, 120)] * 3), closing=pages[3])
    assert len({step.screen.sha256 for step in episode.steps}) == 4
    found = rules.no_change(episode, DEFAULTS)
    assert found is not None
    assert found.detail == "3 actions changed nothing: steps 0, 1, 2"
    assert rules.no_change(episode, RuleSettings(status_bar=0)) is None


def test_a_change_below_the_status_bar_without_a_tree_is_a_change(make_episode: Make, page: Any) -> None:
    pages = [page(title=f"Video {second}", has_tree=False) for second in range(4)]
    assert rules.no_change(make_episode(pages=pages, actions=taps(*[(9, 120)] * 4)), DEFAULTS) is None
    still = [page(has_tree=False, clock=f"09:4{minute}") for minute in range(4)]
    assert rules.no_change(make_episode(pages=still, actions=taps(*[(9, 120)] * 4)), DEFAULTS) is not None


@pytest.mark.parametrize("idle", [Wait(), Answer(text="5"), CallUser()])
def test_waiting_and_talking_need_not_change_the_screen(make_episode: Make, page: Any, idle: Action) -> None:
    assert rules.no_change(make_episode(pages=[page()] * 6, actions=[idle] * 6), DEFAULTS) is None


def test_unreadable_replies_are_no_dead_actions(make_episode: Make, page: Any) -> None:
    assert rules.no_change(make_episode(pages=[page()] * 6, actions=[None] * 6), DEFAULTS) is None


def test_two_dead_taps_are_forgiven(make_episode: Make, page: Any) -> None:
    episode = make_episode(pages=[page()] * 3, actions=[*taps((9, 120), (9, 120)), Finished()])
    assert rules.no_change(episode, DEFAULTS) is None
    assert rules.no_change(episode, RuleSettings(no_change_count=2)) is not None


def test_focus_that_only_the_tree_shows_is_a_change(with_steps: Make, make_episode: Make, page: Any) -> None:
    episode = make_episode(pages=[page()] * 4, actions=taps(*[(9, 120)] * 4))
    steps = [
        replace(step, screen=replace(step.screen, ui_tree=f"<hierarchy rotation='{step.index}'/>"))
        for step in episode.steps
    ]
    assert rules.no_change(replace(episode, steps=tuple(steps)), DEFAULTS) is None


def test_a_frame_that_cannot_be_decoded_counts_as_changed(make_episode: Make, page: Any) -> None:
    episode = make_episode(pages=[page()] * 4, actions=taps(*[(9, 120)] * 4))
    for damaged in (b"", b"\x89PNG\r\n\x1a\nrubbish", episode.steps[0].screen.image[:3000]):
        steps = [
            replace(step, screen=replace(step.screen, image=damaged, sha256=str(step.index))) for step in episode.steps
        ]
        assert rules.no_change(replace(episode, steps=tuple(steps)), DEFAULTS) is None


# parse_failure


def test_a_reply_that_could_not_be_read(on_new_pages: Make) -> None:
    found = rules.parse_failure(on_new_pages([A, None, B, None, Finished()]), DEFAULTS)
    assert found == rules.Finding("parse_failure", "2 unreadable replies, first: malformed: no action found", 1)
    assert rules.parse_failure(on_new_pages([A, None, B, Finished()]), RuleSettings(parse_failures=2)) is None
    assert rules.parse_failure(on_new_pages([A, B, Finished()]), DEFAULTS) is None


def test_a_reply_without_action_or_error_counts_too(on_new_pages: Make) -> None:
    episode = on_new_pages([A, None])
    decision = episode.steps[1].decision
    assert decision is not None
    assert decision.parse_error == ParseError(kind="malformed", message="no action found")
    bare = replace(episode.steps[1], decision=replace(decision, parse_error=None))
    found = rules.parse_failure(replace(episode, steps=(episode.steps[0], bare)), DEFAULTS)
    assert found == rules.Finding("parse_failure", "1 unreadable replies", 1)


# point_outside


def test_a_tap_on_the_background(on_new_pages: Make, page: Any) -> None:
    gap = page().gap
    found = rules.point_outside(on_new_pages([Click(point=page().row(0)), Click(point=gap), Finished()]), DEFAULTS)
    assert found == rules.Finding("point_outside", "1 taps on nothing, first at (180, 790)", 1)
    for action in (LongPress(point=gap), Drag(start=gap, end=page().row(0))):
        assert rules.point_outside(on_new_pages([action]), DEFAULTS) is not None
    assert rules.point_outside(on_new_pages([Click(point=gap)]), RuleSettings(points_outside=2)) is None


def test_taps_that_hit_something_or_need_not(on_new_pages: Make, page: Any) -> None:
    harmless: list[Action] = [
        *(Click(point=page().row(index)) for index in range(5)),
        Click(point=Point(5, 60)),  # the title, a label
        Scroll(direction="down", start=page().gap),
        Drag(start=page().row(0), end=page().gap),
        Press(key="back"),
        Finished(),
    ]
    assert rules.point_outside(on_new_pages(harmless), DEFAULTS) is None


def test_without_a_tree_of_this_app_nothing_is_outside(with_steps: Make, make_episode: Make, page: Any) -> None:
    episode = make_episode(pages=[page()] * 2, actions=[Click(point=page().gap), Finished()])
    assert rules.point_outside(episode, DEFAULTS) is not None
    for fields in (
        {"ui_tree": None},
        {"ui_tree": "<hierarchy><node"},
        {"flags": ("foreign_ui_tree",)},
        {"ui_tree": "<hierarchy rotation='0'/>"},
        {"ui_tree": "<hierarchy><node bounds='[0,0][360,700]'/></hierarchy>"},  # keyboards are in no dump
        {"ui_tree": "<hierarchy><node bounds='[0,0][360,800]'/></hierarchy>"},  # a game: one leaf draws all
    ):
        first = replace(episode.steps[0], screen=replace(episode.steps[0].screen, **fields))
        assert rules.point_outside(replace(episode, steps=(first, *episode.steps[1:])), DEFAULTS) is None


def test_a_gap_in_a_list_is_outside(make_episode: Make, page: Any) -> None:
    tree = (
        "<hierarchy><node class='android.widget.ListView' scrollable='true' focusable='true' bounds='[0,0][360,800]'>"
        "<node text='a' bounds='[0,0][360,50]'/></node></hierarchy>"
    )
    episode = make_episode(pages=[page()], actions=[Click(point=Point(100, 400))])
    step = replace(episode.steps[0], screen=replace(episode.steps[0].screen, ui_tree=tree))
    assert rules.point_outside(replace(episode, steps=(step,)), DEFAULTS) is not None


# frames


def test_black_frames(with_steps: Make) -> None:
    found = rules.black_frame(with_steps({2: {"flags": ("retaken", "black")}}), DEFAULTS)
    assert found == rules.Finding("black_frame", "the frame of step 2 is black", 2)
    assert rules.black_frame(with_steps({2: {"flags": ("retaken", "unstable")}}), DEFAULTS) is None


def test_missing_frames(with_steps: Make, make_episode: Make) -> None:
    found = rules.missing_frame(with_steps({1: {"image": b""}}), DEFAULTS)
    assert found == rules.Finding("missing_frame", "step 1 has no frame", 1)
    assert rules.missing_frame(make_episode(), DEFAULTS) is None
    assert rules.missing_frame(make_episode(steps=[]), DEFAULTS) is not None


@pytest.mark.parametrize(
    ("fields", "evidence"),
    [
        ({"app": "com.android.chrome"}, "the app in front went from com.android.settings to com.android.chrome"),
        ({"activity": ".Network"}, "the activity went from .Settings to .Network"),
    ],
)
def test_stale_frames(with_steps: Make, make_episode: Make, fields: dict[str, Any], evidence: str) -> None:
    first = make_episode().steps[0].screen
    same = {
        "image": first.image,
        "sha256": first.sha256,
        "app": first.app,
        "activity": first.activity,
        "ui_tree": first.ui_tree,
    }
    found = rules.stale_frame(with_steps({1: {**same, **fields}}), DEFAULTS)
    assert found == rules.Finding("stale_frame", f"step 1 has the picture of the one before, but {evidence}", 1)
    assert rules.stale_frame(with_steps({1: same}), DEFAULTS) is None


def test_a_frame_is_stale_when_visible_text_moved_on(with_steps: Make, make_episode: Make, page: Any) -> None:
    first = make_episode().steps[0].screen
    same = {"image": first.image, "sha256": first.sha256, "app": first.app, "activity": first.activity}

    def fires(tree: str | None) -> bool:
        return rules.stale_frame(with_steps({1: {**same, "ui_tree": tree}}), DEFAULTS) is not None

    assert fires(page(rows=("Network", "Internet")).tree())
    assert not fires(page().tree().replace("clickable='true'", "clickable='true' focused='true'"))
    assert not fires(
        page().tree().replace("</node></hierarchy>", "<node text='' bounds='[0,0][9,9]'/></node></hierarchy>")
    )
    assert not fires(
        page().tree().replace("</node></hierarchy>", "<node text='x' bounds='[0,900][9,999]'/></node></hierarchy>")
    )
    assert not fires("<hierarchy><node")
    assert not fires("<hierarchy rotation='0'/>")
    assert not fires(None)


def test_the_closing_frame_can_be_stale(make_episode: Make, page: Any) -> None:
    episode = make_episode(pages=[page()], actions=[A], closing=page(activity=".Other"))
    found = rules.stale_frame(episode, DEFAULTS)
    assert found is not None
    assert found.step == 1


# answer_missing


@pytest.mark.parametrize(
    ("last", "fires"),
    [
        (Answer(text="42"), False),
        (Finished(text="It is 42."), False),
        (Answer(text="  "), True),
        (Finished(), True),
        (CallUser(text="42?"), True),  # a call for help, not an answer
    ],
)
def test_questions_want_answers(on_new_pages: Make, last: Action, fires: bool) -> None:
    episode = on_new_pages([A, last], tags=("easy", "question"))
    assert (rules.answer_missing(episode, DEFAULTS) is not None) is fires
    assert rules.answer_missing(on_new_pages([A, last], tags=("easy",)), DEFAULTS) is None


def test_an_answer_before_the_end_counts(on_new_pages: Make) -> None:
    assert rules.answer_missing(on_new_pages([Answer(text="42"), Finished()], tags=("question",)), DEFAULTS) is None


# checker_failed


@pytest.mark.parametrize(
    ("reward", "status", "mark", "detail"),
    [
        (1.0, "success", 1.0, None),
        (0.0, "failure", 1.0, "reward 0: wifi_on is 1"),
        (0.99, "failure", 1.0, "reward 0.99: wifi_on is 1"),
        (0.5, "success", 0.5, None),
        (None, "success", 1.0, None),
        (None, "failure", 1.0, "no check, and the agent ended by finished"),
        (None, "truncated", 1.0, "no check, and the agent ended by finished"),
    ],
)
def test_the_checker_decides(
    make_episode: Make, reward: float | None, status: str, mark: float, detail: str | None
) -> None:
    found = rules.checker_failed(make_episode(reward=reward, status=status), RuleSettings(pass_mark=mark))
    assert (found and found.detail) == detail


def test_a_checker_without_words(make_episode: Make) -> None:
    found = rules.checker_failed(make_episode(reward=0.0, reason=""), DEFAULTS)
    assert found == rules.Finding("checker_failed", "reward 0")


def test_nothing_is_wrong_with_a_good_episode(make_episode: Make) -> None:
    assert [rule(make_episode(), DEFAULTS) for rule in rules.RULES.values()] == [None] * 12

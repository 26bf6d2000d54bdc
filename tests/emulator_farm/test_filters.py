from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agent_server.actions import Action, Click, Finished, Press, Type, action_from_json
from agent_server.geometry import Point, Size
from agent_server.schemas import ParseError
from emulator_farm.episode import Decision, Effect, Episode, Screen, Step
from emulator_farm.errors import CallerError
from emulator_farm.filters import RULE_NAMES, filter_run, findings, judge_all, judge_episode
from emulator_farm.rule_settings import RuleSettings
from emulator_farm.rules import RULES, cycle, repeated_action
from emulator_farm.store import Store

Make = Callable[..., Episode]
NOW = datetime(2026, 3, 1, tzinfo=UTC)
DEFAULTS = RuleSettings()


@pytest.fixture
def looping(make_episode: Make, page: Any) -> Callable[..., Episode]:
    """Four good steps, then the same tap six times, then the end."""

    def make(episode_id: str = "loop-1-r0k0", **fields: Any) -> Episode:
        actions: list[Action] = [Press(key="home"), Type(text="a"), Press(key="enter"), Press(key="back")]
        actions += [Click(point=Point(60, 120))] * 6 + [Finished()]
        pages = [page(title=f"Page {number}") for number in range(len(actions))]
        return make_episode(episode_id, pages, actions, **fields)

    return make


def test_a_good_episode_is_accepted(make_episode: Make) -> None:
    verdict = judge_episode(make_episode(), DEFAULTS, at=NOW)
    assert verdict.decision == "accepted"
    assert (verdict.reason, verdict.detail, verdict.reasons) == ("", "", [])
    assert (verdict.source, verdict.version, verdict.settings_digest) == ("rules", "1", DEFAULTS.digest)
    assert verdict.valid_steps == 4
    assert verdict.at == NOW


def test_the_first_reason_and_all_of_them_are_told(make_episode: Make) -> None:
    failed = make_episode(reward=0.0, status="failure", reason="still off")
    steps = list(failed.steps)
    steps[2] = replace(steps[2], screen=replace(steps[2].screen, flags=("black",)))
    verdict = judge_episode(replace(failed, steps=tuple(steps)), DEFAULTS)
    assert verdict.decision == "rejected"
    assert verdict.reason == "black_frame"
    assert verdict.reasons == ["black_frame", "checker_failed"]
    assert verdict.detail == "the frame of step 2 is black; reward 0: still off"
    assert verdict.valid_steps == 2


def test_a_loop_on_the_way_to_success_is_cut(looping: Make) -> None:
    verdict = judge_episode(looping(), DEFAULTS)
    assert (verdict.decision, verdict.reason, verdict.valid_steps) == ("cut", "repeated_action", 5)


@pytest.mark.parametrize(
    ("cut", "reward", "decision"),
    [
        ("passed", 1.0, "cut"),
        ("passed", 0.0, "rejected"),
        ("any", 0.0, "cut"),
        ("any", 1.0, "cut"),
        ("never", 1.0, "rejected"),
    ],
)
def test_when_to_cut_is_a_setting(looping: Make, cut: Any, reward: float, decision: str) -> None:
    verdict = judge_episode(looping(reward=reward), RuleSettings(cut=cut))
    assert (verdict.decision, verdict.valid_steps) == (decision, 5)


def test_a_prefix_can_be_too_short_to_keep(looping: Make) -> None:
    assert judge_episode(looping(), RuleSettings(cut_least_steps=6)).decision == "rejected"
    assert judge_episode(looping(), RuleSettings(cut_least_steps=5)).decision == "cut"


def test_a_bad_closing_frame_costs_no_step(make_episode: Make, page: Any) -> None:
    episode = make_episode(closing=page(title="After"))
    closing = replace(episode.steps[-1], screen=replace(episode.steps[-1].screen, flags=("black",)))
    verdict = judge_episode(replace(episode, steps=(*episode.steps[:-1], closing)), DEFAULTS)
    assert (verdict.decision, verdict.valid_steps) == ("cut", 4)


def test_rules_can_be_switched_off(looping: Make) -> None:
    assert judge_episode(looping(), RuleSettings(disabled=("repeated_action",))).decision == "accepted"


def test_of_duplicates_the_first_by_id_is_kept(tmp_path: Path, make_episode: Make) -> None:
    store = Store(tmp_path)
    for sample in (2, 0, 1):
        store.publish(make_episode(f"wifi_on-7-r0k{sample}"))
    store.publish(make_episode("other-7-r0k0", goal="Turn off Wi-Fi"))
    verdicts = {verdict.episode_id: verdict for verdict in filter_run(store, DEFAULTS)}
    assert verdicts["other-7-r0k0"].decision == "accepted"
    assert verdicts["wifi_on-7-r0k0"].decision == "accepted"
    for sample in (1, 2):
        verdict = verdicts[f"wifi_on-7-r0k{sample}"]
        assert (verdict.decision, verdict.reason) == ("rejected", "duplicate")
        assert verdict.detail == "same goal and actions as wifi_on-7-r0k0"
    again = filter_run(store, RuleSettings(disabled=("duplicate",)))
    assert {verdict.decision for verdict in again} == {"accepted"}


def test_what_is_rejected_anyway_makes_no_duplicate(make_episode: Make) -> None:
    bad, good = make_episode("wifi_on-7-r0k0", reward=0.0), make_episode("wifi_on-7-r0k1")
    assert [verdict.decision for verdict in judge_all([bad, good], DEFAULTS)] == ["rejected", "accepted"]


def test_a_cut_duplicate_is_rejected(looping: Make) -> None:
    first, second = judge_all([looping("loop-1-r0k0"), looping("loop-1-r0k1")], RuleSettings(cut="any"))
    assert (first.decision, second.decision) == ("cut", "rejected")
    assert second.reasons == ["repeated_action", "duplicate"]


def test_filtering_again_touches_no_episode_and_the_latest_counts(tmp_path: Path, looping: Make) -> None:
    store = Store(tmp_path)
    store.publish(looping())
    before = Path(store.path("loop-1-r0k0")).read_bytes()
    assert filter_run(store, DEFAULTS)[0].decision == "cut"
    filter_run(store, RuleSettings(repeat_count=7))
    (verdict,) = store.verdicts()["loop-1-r0k0"]
    assert verdict.decision == "accepted"
    assert len(list((tmp_path / "verdicts" / "rules").iterdir())) == 2
    assert Path(store.path("loop-1-r0k0")).read_bytes() == before


def test_an_empty_run_has_no_verdicts(tmp_path: Path) -> None:
    assert filter_run(Store(tmp_path), DEFAULTS) == []
    assert list(tmp_path.iterdir()) == []


def test_long_details_are_shortened(make_episode: Make) -> None:
    verdict = judge_episode(make_episode(reward=0.0, reason="x" * 5000), DEFAULTS)
    assert len(verdict.detail) == 300
    assert verdict.detail.endswith("…")


# settings


def test_settings_come_from_yaml(tmp_path: Path) -> None:
    path = tmp_path / "rules.yaml"
    path.write_text("repeat_count: 3\ndisabled: [duplicate, cycle]\ncut: any\n")
    loaded = RuleSettings.load(path)
    assert loaded == RuleSettings(repeat_count=3, disabled=("cycle", "duplicate"), cut="any")
    assert loaded.digest == RuleSettings(repeat_count=3, disabled=("duplicate", "cycle"), cut="any").digest
    assert len(loaded.digest) == 16
    assert loaded.digest != DEFAULTS.digest


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("repeat_cuont: 3\nshort_stepz: 1", r"unknown setting 'repeat_cuont'; known: disabled, .*short_stepz"),
        ("disabled: [loops]", r"disabled\.0: Input should be 'no_terminal_action'.*got 'loops'"),
        ("repeat_count: many", r"repeat_count: .*valid integer.*got 'many'"),
        ("repeat_count: 1", r"greater than or equal to 2 \(got 1\)"),
        ("", "expected a mapping of settings .* found nothing"),
        ("- 1", "found a list"),
        ("a: [", "is not YAML"),
        ("a: \udc80", "is not YAML"),
    ],
)
def test_bad_settings_are_refused(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "rules.yaml"
    path.write_bytes(text.encode(errors="surrogateescape"))
    with pytest.raises(CallerError, match=message) as caught:
        RuleSettings.load(path)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_missing_settings_are_refused(tmp_path: Path) -> None:
    with pytest.raises(CallerError, match=r"nowhere\.yaml: the filter settings cannot be read: No such file"):
        RuleSettings.load(tmp_path / "nowhere.yaml")


def test_every_rule_is_listed_once() -> None:
    assert [*RULES, "duplicate"] == list(RULE_NAMES)


# properties

POINTS = st.tuples(st.integers(0, 359), st.integers(0, 799))
ACTIONS = st.one_of(
    st.builds(lambda point: Click(point=Point(*point)), POINTS),
    st.sampled_from(
        [
            action_from_json(text)
            for text in (
                '{"type":"press","key":"back"}',
                '{"type":"scroll","direction":"down"}',
                '{"type":"scroll","direction":"up","start":[1,2],"end":[3,4]}',
                '{"type":"drag","start":[1,2],"end":[300,4]}',
                '{"type":"wait"}',
                '{"type":"answer","text":" "}',
                '{"type":"call_user"}',
                '{"type":"finished"}',
                '{"type":"open_app","app":"Clock"}',
            )
        ]
    ),
    st.builds(lambda text: Type(text=text), st.text(max_size=5)),
)
TREES = st.sampled_from(
    [
        None,
        "",
        "ERROR: null root node",
        "<hierarchy/>",
        "<hierarchy><node bounds='[0,0][360,800]'><node text='a' bounds='[9,9][1,1]'/></node></hierarchy>",
        "<hierarchy><node text='b' bounds='nonsense'/></hierarchy>",
        "<hierarchy><node",
    ]
)


@pytest.fixture(scope="session")
def pngs(page: Any, make_episode: Make) -> list[bytes]:
    whole = [
        make_episode(pages=[one], actions=[Finished()]).steps[0].screen.image for one in (page(), page(clock="9:42"))
    ]
    return [*whole, b"", b"\x89PNG\r\n\x1a\n", whole[0][:2000], b"hello"]


@settings(max_examples=150, deadline=None)
@given(data=st.data())
def test_filters_never_raise_and_prefixes_fit(data: st.DataObject, make_episode: Make, pngs: list[bytes]) -> None:
    def step(index: int) -> Step:
        png = data.draw(st.sampled_from(pngs))
        screen = Screen(
            image=png,
            sha256=data.draw(st.sampled_from([str(hash(png)), "other"])),
            size=data.draw(st.sampled_from([Size(360, 800), Size(800, 360), Size(1, 1)])),
            flags=data.draw(st.sampled_from([(), ("black",), ("foreign_ui_tree",)])),
            app=data.draw(st.sampled_from([None, "a", "b"])),
            activity=data.draw(st.sampled_from([None, ".A"])),
            ui_tree=data.draw(TREES),
        )
        action = data.draw(st.none() | ACTIONS)
        error = data.draw(st.sampled_from([None, ParseError(kind="malformed", message="?")]))
        decision = data.draw(st.sampled_from([Decision(action=action, parse_error=error), None]))
        return Step(index=index, screen=screen, started_at=NOW, decision=decision, effect=Effect("ok"))

    episode = make_episode(
        steps=[step(index) for index in range(data.draw(st.integers(0, 9)))],
        status=data.draw(st.sampled_from(["success", "failure", "truncated"])),
        end=data.draw(st.sampled_from(["finished", "infeasible", "step_limit", "call_user"])),
        reward=data.draw(st.sampled_from([None, 0.0, 0.5, 1.0])),
        tags=data.draw(st.sampled_from([(), ("question",)])),
    )
    chosen = RuleSettings(cut=data.draw(st.sampled_from(["never", "passed", "any"])), cut_least_steps=1)
    verdict = judge_episode(episode, chosen)
    assert 0 <= verdict.valid_steps <= len(episode.moves)
    assert (verdict.decision == "accepted") == (findings(episode, chosen) == [])
    if verdict.decision == "cut":
        assert verdict.valid_steps >= 1
        assert chosen.cut != "never"


def _brute_cycle(signs: Sequence[int], least: int, longest: int) -> bool:
    """Whether any stretch of the least length, cut out and looked at alone, repeats a pattern."""
    for length in range(2, longest + 1):
        width = max(2 * length, least)
        for start in range(len(signs) - width + 1):
            stretch = signs[start : start + width]
            pattern = stretch[:length]
            if len(set(pattern)) > 1 and all(sign == pattern[index % length] for index, sign in enumerate(stretch)):
                return True
    return False


@settings(max_examples=300, deadline=None)
@given(
    signs=st.one_of(
        st.lists(st.integers(0, 2), max_size=16),
        st.builds(
            lambda head, pattern, times, tail: head + pattern * times + tail,
            st.lists(st.integers(0, 3), max_size=4),
            st.lists(st.integers(0, 3), min_size=2, max_size=5),
            st.integers(1, 4),
            st.lists(st.integers(0, 3), max_size=4),
        ),
    )
)
def test_cycles_and_repetitions_are_found_where_they_are(
    signs: list[int], make_episode: Make, make_step: Callable[..., Step], page: Any
) -> None:
    one = page()
    steps = [make_step(index, one, Click(point=Point(50 * sign, 0))) for index, sign in enumerate(signs)]
    episode = make_episode(steps=steps)
    found = cycle(episode, DEFAULTS)
    assert (found is not None) == _brute_cycle(signs, DEFAULTS.cycle_steps, DEFAULTS.cycle_longest)
    if found is not None:
        assert found.step is not None
        assert not _brute_cycle(signs[: found.step], DEFAULTS.cycle_steps, DEFAULTS.cycle_longest)
    runs = any(len(set(signs[at : at + 5])) == 1 for at in range(len(signs) - 4))
    assert (repeated_action(episode, DEFAULTS) is not None) == runs


def test_an_episode_takes_less_than_a_tenth_of_a_second(make_episode: Make, page: Any) -> None:
    """Twenty full-size frames, all different, trees of 40 nodes; and two taps after which only the clock moved."""
    size = Size(1080, 2400)
    pages = [page(title=str(number), size=size, rows=tuple("abcdefgh" * 5)) for number in range(18)]
    pages += [replace(pages[-1], clock=clock) for clock in ("10:00", "10:01")]
    actions: list[Action] = [Click(point=Point(60 + 53 * number, 320)) for number in range(19)]
    episode = make_episode(pages=pages, actions=[*actions, Finished()])
    began = time.process_time()
    for _ in range(5):
        judge_episode(episode, DEFAULTS)
    assert (time.process_time() - began) / 5 < 0.1

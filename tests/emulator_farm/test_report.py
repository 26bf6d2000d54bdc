from __future__ import annotations

import io
import re
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from lxml import html
from rich.console import Console

from agent_server.actions import Click, Finished, Wait
from agent_server.geometry import Point
from emulator_farm.episode import Attempt, Episode, Timing
from emulator_farm.errors import CallerError
from emulator_farm.filters import RuleSettings, filter_run
from emulator_farm.rates import Rate
from emulator_farm.report import histogram, terminal_report, write_report
from emulator_farm.report_data import collect, planned
from emulator_farm.store import Store

Make = Callable[..., Episode]
NOW = datetime(2026, 3, 1, tzinfo=UTC)
EVIL = "<script>alert(1)</script>"


def attempt(episode_id: str, number: int, **fields: Any) -> Attempt:
    base = {"run": "r", "worker": "w", "started_at": NOW, "ended_at": NOW, "result": "published", "device": "phone-1"}
    return Attempt.model_validate({**base, "episode_id": episode_id, "number": number, **fields})


def manifest(tasks: list[str], samples: int, model: str = "baseline") -> dict[str, Any]:
    identity = {
        "tasks": dict.fromkeys(tasks, "digest"), "samples": samples, "seed": 7, "model": model, "adapter": "baseline",
        "weights": None, "prompt_digest": None, "sampling": {"temperature": 0.0}, "limits": {"max_steps": None},
    }  # fmt: skip
    return {"run": "abc123", "episodes": len(tasks) * samples, "source": "phone", "identity": identity}


@pytest.fixture
def run(tmp_path: Path, make_episode: Make, page: Any) -> Store:
    """Two tasks, three samples each: two passed, one failed, one looped to the limit, one hole, one never attempted."""
    store = Store(tmp_path / "run")
    store.create_run(manifest(["alarm", "wifi_on"], 3))
    store.publish(make_episode("wifi_on-7-r0k0"))
    store.publish(make_episode("wifi_on-7-r0k1", goal="Turn on Wi-Fi now"))
    store.publish(make_episode("wifi_on-7-r0k2", goal=EVIL, reward=0.0, status="failure", reason=EVIL))
    looping = [Click(point=Point(60, 120))] * 5 + [Wait()]
    pages = [page(title=f"Page {number}") for number in range(6)]
    store.publish(
        make_episode(
            "alarm-7-r0k0", pages, looping, end="step_limit", status="truncated", reward=0.0, goal="Set an alarm"
        )
    )
    for one in ("wifi_on-7-r0k0", "wifi_on-7-r0k1", "wifi_on-7-r0k2", "alarm-7-r0k0"):
        store.write_attempt(attempt(one, 1))
    for number in (1, 2):
        store.write_attempt(
            attempt("alarm-7-r0k1", number, result="infrastructure", cause="device_gone", detail=f"{EVIL} hung up")
        )
    store.write_attempt(attempt("alarm-7-r0k1", 3, result="lost"))
    return store


@pytest.fixture
def controls(tmp_path: Path, make_episode: Make) -> list[Store]:
    null, random = Store(tmp_path / "null"), Store(tmp_path / "random")
    null.publish(make_episode("wifi_on-7-r0k0", model="null", reward=0.0, status="failure"))
    random.publish(make_episode("wifi_on-7-r0k0", model="random"))
    random.publish(make_episode("wifi_on-7-r0k1", model="random", reward=0.0, status="failure"))
    return [null, random]


def test_a_run_is_counted(run: Store, controls: list[Store]) -> None:
    filter_run(run, RuleSettings())
    report = collect(run, controls)
    assert report.planned == 6
    assert report.attempted == ("alarm-7-r0k0", "alarm-7-r0k1", "wifi_on-7-r0k0", "wifi_on-7-r0k1", "wifi_on-7-r0k2")
    assert [one.id for one in report.episodes] == ["alarm-7-r0k0", "wifi_on-7-r0k0", "wifi_on-7-r0k1", "wifi_on-7-r0k2"]
    assert report.decisions == {
        "accepted": ("wifi_on-7-r0k0", "wifi_on-7-r0k1"),
        "cut": (),
        "rejected": ("alarm-7-r0k0", "wifi_on-7-r0k2"),
        "unjudged": (),
    }
    assert report.reasons == {"checker_failed": ("wifi_on-7-r0k2",), "no_terminal_action": ("alarm-7-r0k0",)}
    assert report.rate == Rate(2, 4)
    assert report.holes == ("alarm-7-r0k1", "alarm-7-r0k2")
    assert report.unnamed_holes == 0
    assert {cause: [one.number for one in found] for cause, found in report.causes.items()} == {
        "device_gone": [1, 2],
        "lost": [3],
    }


def test_tasks_stand_beside_the_controls(run: Store, controls: list[Store]) -> None:
    alarm, wifi = collect(run, controls).tasks
    assert (alarm.task, alarm.rate, alarm.failed) == ("alarm", Rate(0, 1), ("alarm-7-r0k0",))
    assert wifi.rate == Rate(2, 3)
    assert wifi.passed == ("wifi_on-7-r0k0", "wifi_on-7-r0k1")
    assert wifi.mean_steps == 4.0
    assert wifi.controls == {"null": Rate(0, 1), "random": Rate(1, 2)}
    assert alarm.controls == {"null": Rate(0, 0), "random": Rate(0, 0)}
    assert [(control.name, control.rate) for control in collect(run, controls).controls] == [
        ("null", Rate(0, 1)),
        ("random", Rate(1, 2)),
    ]


def test_controls_of_the_same_model_are_numbered(run: Store, controls: list[Store], tmp_path: Path) -> None:
    names = [control.name for control in collect(run, [controls[0], controls[0], Store(tmp_path / "empty")]).controls]
    assert names == ["null 1", "null 2", "empty run"]


def test_stages_are_timed_over_all_steps(tmp_path: Path, make_episode: Make) -> None:
    store = Store(tmp_path)
    steps = make_episode().steps
    times = [Timing(10, 100, 1, 5), Timing(20, 200, 2, 5), Timing(30, 300, 3, 5), Timing(40, None, None, 50)]
    store.publish(make_episode(steps=[replace(step, timing=time) for step, time in zip(steps, times, strict=True)]))
    stages = {stage.name: stage for stage in collect(store).stages}
    assert list(stages) == ["capture", "settle", "decide", "act", "step"]
    assert (stages["capture"].count, stages["capture"].median, stages["capture"].longest) == (4, 25.0, 40.0)
    assert (stages["decide"].count, stages["decide"].median, stages["decide"].p90) == (3, 200.0, 280.0)
    assert (stages["step"].count, stages["step"].longest, stages["step"].slowest_step) == (3, 338.0, 2)
    assert stages["step"].slowest == "wifi_on-7-r0k0"


def test_without_verdicts_everything_is_unjudged(run: Store) -> None:
    report = collect(run)
    assert len(report.decisions["unjudged"]) == 4
    assert report.reasons == {}


def test_a_bare_folder_of_episodes_has_a_report_too(tmp_path: Path, make_episode: Make) -> None:
    store = Store(tmp_path)
    store.publish(make_episode())
    report = write_report(store)
    assert (report.planned, report.holes, report.causes, report.rate) == (1, (), {}, Rate(1, 1))
    assert "No episode was judged." in (tmp_path / "report.html").read_text()


def test_an_empty_run_has_a_report_too(tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.create_run({"run": "abc", "episodes": 5})
    report = write_report(store)
    assert (report.planned, report.unnamed_holes, report.rate) == (5, 5, Rate(0, 0))
    text = (tmp_path / "report.html").read_text()
    assert "5 holes" in text
    assert "No timings." in text


def test_only_known_manifests_tell_ids() -> None:
    assert planned({}) == ()
    assert planned({"identity": {"tasks": {}}}) == ()
    assert planned(manifest(["b", "a"], 2)) == ("a-7-r0k0", "a-7-r0k1", "b-7-r0k0", "b-7-r0k1")


@pytest.mark.parametrize(
    ("digest", "origin", "said"),
    [
        ("d1g3st", "shipped", "d1g3st, shipped: not the vendor&#39;s"),
        ("d1g3st", "vendor: some 1.2", "d1g3st, vendor: some 1.2"),
        ("d1g3st", None, "d1g3st"),
        (None, "shipped", None),
    ],
)
def test_the_head_says_whose_prompt_it_was(
    tmp_path: Path, make_episode: Make, digest: str | None, origin: str | None, said: str | None
) -> None:
    store, asked = Store(tmp_path), manifest(["wifi_on"], 1)
    asked["identity"]["prompt_digest"] = digest
    store.create_run({**asked, "prompt_origin": origin})
    store.publish(make_episode("wifi_on-7-r0k0", prompt_digest=None))
    write_report(store)
    facts = re.findall(r">Prompt</\w+>\s*<\w+[^>]*>([^<]*)<", (tmp_path / "report.html").read_text())
    assert facts == ([said] if said else [])


def test_the_page_says_it_all_and_names_every_episode(run: Store, controls: list[Store]) -> None:
    filter_run(run, RuleSettings())
    write_report(run, controls=controls)
    text = (Path(run.uri) / "report.html").read_text()
    document = html.fromstring(text)
    words = " ".join(" ".join(document.itertext()).split())
    assert "4 of 6 episodes" in words
    assert "50 % success, 95 % interval 15 % to 85 %" in words
    assert "2 holes" in words
    assert "control random (1 of 2)" in words
    assert "device_gone 2" in words
    for id_ in [*run.episode_ids(), "alarm-7-r0k1", "alarm-7-r0k2"]:
        assert id_ in words
    rows = [[" ".join(cell.text_content().split()) for cell in row] for row in document.xpath("//table[1]/tr")]
    assert ["wifi_on", "2 / 3", "67 % [21–94]"] in [row[:3] for row in rows]


def test_nothing_that_a_model_or_phone_wrote_becomes_markup(run: Store) -> None:
    filter_run(run, RuleSettings())
    write_report(run)
    text = (Path(run.uri) / "report.html").read_text()
    assert "<script" not in text
    assert "&lt;script&gt;alert(1)&lt;/script&gt; hung up" in text
    assert not re.search(r"(?:src|href)=[\"'](?!data:|pages/)", text)


def test_samples_link_to_episode_pages_where_there_are_some(run: Store) -> None:
    filter_run(run, RuleSettings())
    write_report(run, samples=3, pages=2)
    pages = sorted((Path(run.uri) / "pages").iterdir())
    assert len(pages) == 2
    document = html.fromstring((Path(run.uri) / "report.html").read_text())
    assert len(document.xpath("//figure")) == 3
    assert set(document.xpath("//figure//a/@href")) == {f"pages/{page.name}" for page in pages}
    assert "rejected" in pages[0].read_text()


def test_samples_are_of_every_kind(run: Store) -> None:
    filter_run(run, RuleSettings())
    write_report(run, samples=2)
    document = html.fromstring((Path(run.uri) / "report.html").read_text())
    badges = [badge.text for badge in document.xpath("//figure//span[contains(@class, 'badge')]")]
    assert badges == ["accepted", "no terminal action"]


def test_a_report_can_go_elsewhere(run: Store, tmp_path: Path) -> None:
    write_report(run, tmp_path / "elsewhere.html", samples=0)
    assert not (Path(run.uri) / "report.html").exists()
    assert "Last frames" not in (tmp_path / "elsewhere.html").read_text()


def test_a_report_of_an_object_store_needs_a_place(make_episode: Make, tmp_path: Path) -> None:
    store = Store("memory://report-of-an-object-store")
    store.publish(make_episode())
    with pytest.raises(CallerError, match="say where the report shall be written"):
        write_report(store)
    assert write_report(store, tmp_path / "report.html").rate == Rate(1, 1)


def test_the_terminal_says_the_same(run: Store, controls: list[Store]) -> None:
    filter_run(run, RuleSettings())
    out = io.StringIO()
    Console(file=out, width=100).print(terminal_report(collect(run, controls)))
    text = out.getvalue()
    assert "4 of 6 planned" in text
    assert "50 % [15–85]  (2 of 4)" in text
    assert "2 accepted, 2 rejected" in text
    assert re.search(r"wifi_on\s*│\s*67 % \[21–94\]\s*│ 3 │\s*4\.0 │\s*0 % │\s*50 %", text)
    assert re.search(r"checker_failed\s*│\s*1", text)
    assert re.search(r"device_gone\s*│\s*2", text)
    assert "2 holes: alarm-7-r0k1, alarm-7-r0k2" in text


def test_what_else_changed_is_counted(make_episode: Make, tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.publish(make_episode("wifi_on-7-r0k0", clean=True, progress=1.0))
    store.publish(make_episode("wifi_on-7-r0k1", clean=False, undeclared=("+files/x: '1'",), progress=0.5))
    store.publish(make_episode("wifi_on-7-r0k2"))
    report = write_report(store, samples=0)
    assert (report.clean, report.tasks[0].clean, report.tasks[0].progress) == (Rate(1, 2), Rate(1, 2), 0.75)
    assert '>50 %</td><td class="n">75 %</td>' in (tmp_path / "report.html").read_text()
    out = io.StringIO()
    Console(file=out, width=100).print(terminal_report(report))
    assert "1 of 2 changed nothing undeclared" in out.getvalue()
    assert re.search(r"wifi_on\s*│.*│\s*50 % │\s*75 %", out.getvalue())


def test_the_terminal_can_be_told_of_nothing(tmp_path: Path) -> None:
    out = io.StringIO()
    Console(file=out, width=80).print(terminal_report(collect(Store(tmp_path))))
    assert "0 of 0 planned" in out.getvalue()
    assert "not run" in out.getvalue()


def test_steps_are_counted_into_bars(tmp_path: Path, make_episode: Make, page: Any) -> None:
    store = Store(tmp_path)
    for sample, count in enumerate((1, 4, 4, 50)):
        actions = [*[Click(point=Point(9, 9))] * (count - 1), Finished()]
        status = "success" if sample else "failure"
        store.publish(make_episode(f"a-1-r0k{sample}", [page()] * count, actions, status=status))
    bars = histogram(collect(store).episodes)
    assert len(bars) <= 20
    assert [(bar.low, bar.high, bar.total) for bar in bars if bar.total] == [(1, 3, 1), (4, 6, 2), (49, 51, 1)]
    assert bars[0].ids["failure"] == ("a-1-r0k0",)
    assert histogram([]) == []


def test_an_episode_without_a_decision_is_in_the_first_bar(tmp_path: Path, make_episode: Make, page: Any) -> None:
    store = Store(tmp_path)
    store.publish(make_episode(steps=[], closing=page()))
    (bar,) = histogram(collect(store).episodes)
    assert (bar.low, bar.total) == (0, 1)


def test_an_episode_without_a_frame_is_not_counted(tmp_path: Path, make_episode: Make) -> None:
    store = Store(tmp_path)
    store.publish(make_episode(steps=[]))
    assert collect(store).episodes == ()

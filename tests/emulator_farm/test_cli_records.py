"""The commands on a record: what they print, what they write, and what they refuse in one line."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow.parquet
import pytest

from agent_server.actions import Action, Click, Finished, Press
from agent_server.geometry import Point
from emulator_farm.episode import Episode
from emulator_farm.store import Store
from emulator_farm.verdicts import standing

Make = Callable[..., Episode]
GOOD, LOOPED, FAILED = "wifi_on-7-r0k0", "loop-7-r0k0", "wifi_on-7-r0k1"
COMMANDS = {
    "filter": (),
    "report": (),
    "show": (GOOD, "--out", "page.html"),
    "export": ("--out", "dataset"),
}
"""The commands on a record, and what each needs beside it."""
PHONE_COMMANDS = ("phone", "doctor", "prepare", "observe", "perform", "ui")


def loop() -> list[Action]:
    start: list[Action] = [Press(key="home"), Press(key="back"), Press(key="enter")]
    return [*start, *[Click(point=Point(60, 120))] * 6, Finished()]


@pytest.fixture
def record(tmp_path: Path, make_episode: Make, page: Any) -> Path:
    """A good episode, one that loops before it succeeds, one that fails. Not filtered."""
    store = Store(tmp_path / "run")
    store.create_run({"run": "abc123", "episodes": 3})
    store.publish(make_episode(GOOD))
    store.publish(make_episode(LOOPED, [page(title=f"Page {number}") for number in range(10)], loop()))
    store.publish(make_episode(FAILED, reward=0.0, status="failure", goal="Turn on Wi-Fi, again"))
    return tmp_path / "run"


@pytest.fixture
def filtered(record: Path, cli: Any) -> Path:
    assert cli("filter", record).code == 0
    return record


def decisions(record: Path) -> dict[str, str]:
    return {id_: standing(found).decision for id_, found in Store(record).verdicts().items()}


def tree(folder: Path) -> dict[str, bytes]:
    """Every file below a folder."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_filter_counts_and_touches_no_episode(record: Path, cli: Any) -> None:
    before = tree(record)
    said = cli("filter", record)
    assert (said.code, said.err) == (0, "")
    assert said.out.splitlines() == [
        "3 episodes: 1 accepted, 1 cut, 1 rejected",
        "       1 repeated_action",
        "       1 checker_failed",
    ]
    after = tree(record)
    assert after.items() >= before.items()
    assert [name.split("/")[:2] for name in after.keys() - before.keys()] == [["verdicts", "rules"]]
    assert decisions(record) == {GOOD: "accepted", LOOPED: "cut", FAILED: "rejected"}


def test_filter_again_with_other_rules(filtered: Path, tmp_path: Path, cli: Any) -> None:
    rules = tmp_path / "rules.yaml"
    rules.write_text("disabled: [checker_failed, cycle, no_change]\nrepeat_count: 7\n")
    said = cli("filter", filtered, "--rules", rules)
    assert said.out.splitlines() == ["3 episodes: 3 accepted"]
    assert set(decisions(filtered).values()) == {"accepted"}, "the latest verdict counts"
    assert len(list((filtered / "verdicts/rules").iterdir())) == 2, "and the earlier one is kept"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("repeat_count: 0\n", "repeat_count: Input should be greater than or equal to 2 (got 0)"),
        ("repeat: 3\n", "unknown setting 'repeat'; known: disabled, grid_px"),
        ("disabled: [nonsense]\n", "disabled.0: Input should be 'no_terminal_action'"),
        ("- a\n", "expected a mapping of settings"),
        ("", "found nothing"),
        ("a: [\n", "is not YAML"),
        (None, "cannot be read: No such file"),
    ],
)
def test_filter_refuses_rules(record: Path, tmp_path: Path, cli: Any, text: str | None, words: str) -> None:
    rules = tmp_path / "rules.yaml"
    if text is not None:
        rules.write_text(text)
    complaint = cli("filter", record, "--rules", rules).complaint(2)
    assert str(rules) in complaint
    assert words in complaint
    assert not (record / "verdicts").exists()


@pytest.mark.parametrize("command", COMMANDS)
def test_what_is_no_record(command: str, tmp_path: Path, cli: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").write_text("x")
    (tmp_path / "pictures").mkdir()
    (tmp_path / "pictures/cat.png").write_text("x")
    (tmp_path / "damaged").mkdir()
    (tmp_path / "damaged/run.json").write_text("{\n\n")
    (tmp_path / "list").mkdir()
    (tmp_path / "list/run.json").write_text("[]")
    before = tree(tmp_path)
    for place in ("absent", "file", "file/below", "pictures", "memory://nothing"):
        complaint = cli(command, place, *COMMANDS[command]).complaint(2)
        assert complaint == f"{place} holds no run: there is no run.json; give the --out of a harvest"
    assert cli(command, "ftpx://host", *COMMANDS[command]).complaint(2) == "ftpx://host: Protocol not known: ftpx"
    assert cli(command, "", *COMMANDS[command]).complaint(2).startswith("the place to keep results in is empty")
    for place in ("damaged", "list"):
        assert f"{place}/run.json is damaged" in cli(command, place, *COMMANDS[command]).complaint(1)
    assert tree(tmp_path) == before


@pytest.mark.parametrize("command", COMMANDS)
def test_a_damaged_episode_is_named(command: str, filtered: Path, cli: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(filtered.parent)
    file = filtered / f"episodes/{GOOD}.parquet"
    file.write_bytes(file.read_bytes()[:-40])
    complaint = cli(command, filtered, *COMMANDS[command]).complaint(1)
    assert f"{file} is damaged" in complaint
    assert {path.name for path in filtered.parent.iterdir()} == {"run"}, "nothing is left half-written"


def test_report_beside_controls(filtered: Path, tmp_path: Path, make_episode: Make, cli: Any) -> None:
    null = Store(tmp_path / "null")
    null.create_run({"run": "def456", "episodes": 1})
    null.publish(make_episode(GOOD, model="null", reward=0.0, status="failure"))
    said = cli("report", filtered, "--control", tmp_path / "null")
    assert (said.code, said.err) == (0, "")
    assert "Run abc123" in said.out
    assert "control null" in said.out
    assert "1 accepted, 1 cut, 1 rejected" in " ".join(said.out.split()).replace("rejected, 1 cut", "rejected")
    page = (filtered / "report.html").read_text()
    assert "null" in page
    assert "http" not in page.replace("http-equiv", "").replace("http://www.w3.org", ""), "self-contained"
    elsewhere = tmp_path / "a/b/page.html"
    assert cli("report", filtered, "--out", elsewhere).code == 0
    assert "<html" in elsewhere.read_text()


def test_reports_that_cannot_be(filtered: Path, tmp_path: Path, cli: Any) -> None:
    complaint = cli("report", filtered, "--control", tmp_path / "absent").complaint(2)
    assert complaint.startswith(f"{tmp_path}/absent holds no run")
    for out in (filtered / "run.json/page.html", "/proc/nothing/page.html"):
        assert f"{out} cannot be written" in cli("report", filtered, "--out", out).complaint(2)
    assert "report.html" not in tree(filtered)


def test_show_writes_a_page(filtered: Path, tmp_path: Path, cli: Any) -> None:
    out = tmp_path / "pages/one.html"
    said = cli("show", filtered, LOOPED, "--out", out)
    assert (said.code, said.out, said.err) == (0, f"{out}\n", "")
    page = out.read_text()
    assert "repeated_action" in page
    assert page.count("data:image/jpeg;base64,") == 10


def test_show_by_the_path_of_an_episode(
    filtered: Path, tmp_path: Path, cli: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(filtered)
    for place in (f"{filtered}/episodes", "episodes"):
        assert cli("show", f"{place}/{GOOD}.parquet", "--out", tmp_path / "page.html").code == 0
        assert GOOD in (tmp_path / "page.html").read_text()
        (tmp_path / "page.html").unlink()
    for words in ((GOOD,), (f"{filtered}/{GOOD}.parquet",), (filtered, GOOD, "more")):
        assert "names no episode; write DIR/episodes/ID.parquet" in cli("show", *words, "--out", "x").complaint(2)


def test_show_refuses(filtered: Path, tmp_path: Path, cli: Any) -> None:
    out = tmp_path / "page.html"
    complaint = cli("show", filtered, "nothing-7-r0k0", "--out", out).complaint(2)
    assert complaint == f"there is no episode 'nothing-7-r0k0' in {filtered}; it holds 3, for instance " + ", ".join(
        sorted([GOOD, LOOPED, FAILED])
    )
    assert "is no id" in cli("show", filtered, f"../episodes/{GOOD}", "--out", out).complaint(2)
    assert not out.exists()
    assert "cannot be written" in cli("show", filtered, GOOD, "--out", filtered / "run.json/x").complaint(2)
    assert "cannot be written" in cli("show", filtered, GOOD, "--out", filtered).complaint(2)


def test_export_parquet(filtered: Path, tmp_path: Path, cli: Any) -> None:
    said = cli("export", filtered, "--out", tmp_path / "dataset")
    assert (said.code, said.err) == (0, "")
    assert said.out.startswith(f"2 episodes (1 of them cut), 8 rows in {tmp_path}/dataset\n")
    assert "episodes left out: checker_failed 1" in said.out
    rows = sum(pyarrow.parquet.read_metadata(file).num_rows for file in (tmp_path / "dataset").rglob("*.parquet"))
    assert rows == 8


def test_export_llamafactory(filtered: Path, tmp_path: Path, cli: Any) -> None:
    out = tmp_path / "dataset"
    said = cli("export", filtered, "--format", "llamafactory", "--adapter", "ui-tars-1.5", "--out", out)
    assert said.code == 0, said.err
    assert "note: 2 episodes were played by 'baseline'" in said.out
    assert "7 rows" in said.out
    assert "steps skipped: no words for press enter in ui-tars-1.5 1" in said.out
    assert len((out / "train.jsonl").read_text().splitlines()) == 7
    assert "android_rollouts" in json.loads((out / "dataset_info.json").read_text())


def test_exports_that_are_refused(filtered: Path, tmp_path: Path, cli: Any) -> None:
    def refusal(*words: object, out: Path = tmp_path / "dataset") -> str:
        complaint: str = cli("export", filtered, "--out", out, *words).complaint(2)
        return complaint

    before = tree(tmp_path)
    llamafactory = ("--format", "llamafactory")
    assert "is not empty" in refusal(out=filtered)
    assert "is a file" in refusal(out=filtered / "run.json")
    assert "cannot be made" in refusal(out=filtered / "run.json" / "below")
    assert "cannot be made" in refusal(out=Path("/proc/nothing/below"))
    assert "choose --adapter: ui-venus-1.0" in refusal(*llamafactory)
    assert "unknown adapter 'gpt'; known: " in refusal(*llamafactory, "--adapter", "gpt")
    prompts = refusal(*llamafactory, "--adapter", "qwen3-vl", "--prompts", tmp_path / "absent")
    assert str(tmp_path / "absent") in prompts
    assert refusal("--adapter", "qwen3-vl") == "--adapter: only --format llamafactory writes prompts and replies"
    assert tree(tmp_path) == before
    assert {path.name for path in tmp_path.iterdir()} == {"run"}, "no unfinished folder is left"


def test_nothing_to_export(record: Path, tmp_path: Path, cli: Any) -> None:
    out = tmp_path / "dataset"
    complaint = cli("export", record, "--out", out).complaint(2)
    assert complaint.startswith(f"there is nothing to export in {record}: none of its 3 episodes has a verdict; run `")
    rules = tmp_path / "rules.yaml"
    rules.write_text("pass_mark: 1.0\ncut: never\nshort_steps: 9\nno_change_count: 1\nrepeat_count: 2\n")
    (record / f"episodes/{GOOD}.parquet").unlink()
    cli("filter", record, "--rules", rules)
    complaint = cli("export", record, "--out", out).complaint(2)
    assert f"there is nothing to export in {record}: of 2 episodes, " in complaint
    for file in (record / "episodes").iterdir():
        file.unlink()
    assert cli("export", record, "--out", out).complaint(2).endswith("it holds no episodes")
    assert not out.exists()


@pytest.mark.parametrize("command", [*COMMANDS, "harvest", "work", *PHONE_COMMANDS])
def test_every_command_explains_itself(command: str, cli: Any) -> None:
    said = cli(command, "--help")
    assert (said.code, said.err) == (0, "")
    assert f"Usage: emulator-farm {command}" in said.out
    wrong = cli(command, "--no-such-option")
    assert wrong.code == 2
    assert "--no-such-option" in wrong.err
    assert "Traceback" not in wrong.err


def test_the_summary_lists_every_command(cli: Any) -> None:
    said = cli("--help")
    for command in (*COMMANDS, "harvest", "work", *PHONE_COMMANDS):
        assert f" {command} " in said.out
    assert cli("nonsense").code == 2

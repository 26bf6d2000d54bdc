"""Fault files: what they hold, what is wrong with one, and when their faults come."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from emulator_farm.virtual.fault_plan import FaultFileError, FaultPlan, Rule, read_faults
from emulator_farm.virtual.faults import Faults, Latency

WHOLE = """\
seed: 7
latency: {capture: 0.5, link: 0.02}
faults:
  - {fault: screencap, value: truncated, after: 20, times: 3}
  - fault: window
    value: anr
    after: 4
    of: inputs
  - {fault: bandwidth, value: 100000, probability: 0.5, seconds: 2.5}
"""


@pytest.fixture
def written(tmp_path: Path) -> Callable[[str], Path]:
    def write(text: str) -> Path:
        path = tmp_path / "faults.yaml"
        path.write_text(text)
        return path

    return write


def test_a_file_says_which_when_and_how_long(written: Callable[[str], Path]) -> None:
    file = read_faults(written(WHOLE))
    assert file.seed == 7
    assert file.faults == (
        Rule(fault="screencap", value="truncated", after=20, times=3),
        Rule(fault="window", value="anr", after=4, of="inputs"),
        Rule(fault="bandwidth", value=100000, probability=0.5, seconds=2.5),
    )
    latency = Latency(dump_s=3)
    file.apply(latency)
    assert latency == Latency(capture_s=0.5, link_s=0.02, dump_s=3)


def test_an_empty_file_is_a_phone_in_order(written: Callable[[str], Path]) -> None:
    assert read_faults(written("# nothing yet\n")).faults == ()


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (("truncated", "torn"), "4: faults.0: screencap cannot be 'torn'; known: truncated, empty"),
        (("fault: window", "fault: weather"), "5: faults.1: unknown fault 'weather'; known: screencap"),
        (("after: 4", "after: -4"), "7: faults.1.after: Input should be greater than or equal to 0"),
        (("of: inputs", "of: steps"), "8: faults.1.of: Input should be 'commands'"),
        (("probability: 0.5", "probability: 5"), "9: faults.2.probability: Input should be less than or equal to 1"),
        (("value: 100000", "value: wide"), "9: faults.2: bandwidth needs a number, not 'wide'"),
        (("after: 4", "when: 4"), "7: faults.1.when: Extra inputs are not permitted"),
        (("capture: 0.5", "capture: soon"), "2: latency.capture: Input should be a valid number"),
        (("seed: 7", "seed: '7'"), "1: seed: Input should be a valid integer"),
        (("faults:\n", "faults: ]\n"), "while parsing"),
    ],
)
def test_what_is_wrong_is_named_with_line_and_field(
    written: Callable[[str], Path], change: tuple[str, str], says: str
) -> None:
    path = written(WHOLE.replace(*change))
    with pytest.raises(FaultFileError) as caught:
        read_faults(path)
    assert says in str(caught.value)
    assert str(path) in str(caught.value)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(FaultFileError, match=r"none\.yaml: No such file"):
        read_faults(tmp_path / "none.yaml")


def _came(plan: FaultPlan, operations: int) -> list[int]:
    """At which operations a rule came."""
    return [number for number in range(1, operations + 1) if plan.step("commands", Faults())]


def test_after_so_many_and_so_often() -> None:
    assert _came(FaultPlan([Rule(fault="shell", value="hang", after=2, times=3)], 0), 10) == [3, 4, 5]
    assert _came(FaultPlan([Rule(fault="shell", value="hang", times=0)], 0), 4) == [1, 2, 3, 4]
    assert _came(FaultPlan([Rule(fault="shell", value="hang", of="trees")], 0), 4) == []


def test_one_that_is_armed_already_waits() -> None:
    plan = FaultPlan([Rule(fault="shell", value="hang")], 0)
    assert plan.step("commands", Faults(shell="hang")) == []
    assert len(plan.step("commands", Faults())) == 1


def test_chance_is_repeatable_and_about_right() -> None:
    def plan(seed: int) -> FaultPlan:
        return FaultPlan([Rule(fault="shell", value="hang", times=0, probability=0.1)], seed)

    first = _came(plan(5), 1000)
    assert first == _came(plan(5), 1000) != _came(plan(6), 1000)
    assert 60 < len(first) < 140

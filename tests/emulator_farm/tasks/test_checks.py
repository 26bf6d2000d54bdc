"""Every check passes and fails where it should, and says why."""

from __future__ import annotations

from typing import Any

import pytest

from emulator_farm.devices.adb_server import AdbServer
from emulator_farm.devices.device import Device
from emulator_farm.devices.screen import Patience
from emulator_farm.episode import End
from emulator_farm.errors import DeviceError
from emulator_farm.tasks.checks import CheckResult, Evidence, evaluate
from emulator_farm.tasks.conditions import AllOf, Foreground, Infeasible, Screen, Setting
from emulator_farm.tasks.spec import TaskInstance
from emulator_farm.virtual.host import PhoneHost

TABLE = "content://settings/global"
FILE = "/sdcard/Download/check.txt"


def check(device: Device, data: dict[str, Any], answer: str | None = None, ended: End = "finished") -> CheckResult:
    task = TaskInstance.model_validate({"task": "t", "seed": 1, "goal": "g", "check": data})
    assert task.check is not None
    return evaluate(task.check, device, Evidence(answer, ended))


@pytest.mark.parametrize(
    ("fields", "passed", "wish"),
    [
        ({"equals": "40"}, True, "'40'"),
        ({"equals": 40}, True, "'40'"),
        ({"equals": "4"}, False, "'4'"),
        ({"matches": r"\d0"}, True, r"a match of '\\d0'"),
        ({"matches": r"\d"}, False, r"a match of '\\d'"),
        ({"at_least": 40}, True, "at least 40"),
        ({"at_least": 40.5}, False, "at least 40.5"),
        ({"at_most": 40}, True, "at most 40"),
        ({"at_least": 10, "at_most": 39}, False, "at least 10 and at most 39"),
    ],
)
def test_a_setting(device: Device, fields: dict[str, Any], passed: bool, wish: str) -> None:
    device.settings_put("system", "farm_level", "40")
    result = check(device, {"kind": "setting", "namespace": "system", "key": "farm_level", **fields})
    assert result == CheckResult(passed, f"setting system/farm_level: expected {wish}, found '40'")
    assert result.score == float(passed)


def test_a_setting_that_is_not_set_never_passes(device: Device) -> None:
    result = check(device, {"kind": "setting", "namespace": "system", "key": "farm_none", "matches": ".*"})
    assert result == CheckResult(False, "setting system/farm_none: expected a match of '.*', found that it is not set")


def test_a_setting_that_is_no_number_is_in_no_range(device: Device) -> None:
    device.settings_put("system", "farm_word", "high")
    assert not check(device, {"kind": "setting", "namespace": "system", "key": "farm_word", "at_most": 1e9}).passed


@pytest.mark.parametrize(
    ("fields", "passed"),
    [
        ({"has": {"name": "farm_tel"}}, True),
        ({"has": {"name": "farm_tel", "value": "(212) 555-0101"}}, True),
        ({"has": {"name": "farm_tel", "value": "212 555 0101"}}, False),
        ({"has": {"name": "farm_tel", "value": {"digits": "212 555 0101"}}}, True),
        ({"has": {"name": "farm_tel", "value": {"digits": "212555010"}}}, False),
        ({"has": {"name": "farm_tel", "value": {"matches": r"\(212\).*"}}}, True),
        ({"has": {"name": "farm_tel", "value": {"matches": r"\(212\)"}}}, False),
        ({"where": {"name": "farm_it's"}, "has": {"value": "a, b=c"}}, True),
        ({"where": {"name": "farm_it's"}, "count": 1}, True),
        ({"where": {"name": "farm_it's"}, "count": 0}, False),
        ({"where": {"name": "farm_nothing"}, "count": 0}, True),
        ({"has": {"name": {"matches": "farm_t.*"}}, "count": 1}, True),
        ({"has": {"name": {"matches": "farm_t.*"}}, "count": 2}, False),
        ({"projection": ["name", "value"], "has": {"name": "farm_tel"}}, True),
    ],
)
def test_content(device: Device, fields: dict[str, Any], passed: bool) -> None:
    device.settings_put("global", "farm_tel", "(212) 555-0101")
    device.settings_put("global", "farm_it's", "a, b=c")
    assert check(device, {"kind": "content", "uri": TABLE, **fields}).passed is passed


def test_content_says_what_it_found(device: Device) -> None:
    device.settings_put("global", "farm_tel", "1")
    data = {"kind": "content", "uri": TABLE, "where": {"name": "farm_tel"}, "has": {"value": "2"}}
    assert check(device, data).reason == (
        f"content {TABLE} where {{'name': 'farm_tel'}}: expected at least one row with {{'value': '2'}}, "
        "found 0 of 1: {'value': '1'}"
    )
    data = {"kind": "content", "uri": TABLE, "has": {"value": {"digits": "1"}, "name": {"matches": "x+"}}, "count": 2}
    reason = check(device, data).reason
    assert ": expected 2 rows with {'value': 'the digits 1', 'name': 'a match of x+'}, found 0 of " in reason
    assert len(reason) < 600


@pytest.mark.parametrize(
    ("fields", "passed", "reason"),
    [
        ({"exists": True}, True, "expected to exist, it does"),
        ({"exists": False}, False, "expected not to exist, it does"),
        ({"equals": " Buy milk\nand eggs"}, True, "expected a text equal to ' Buy milk\\nand eggs', found "),
        ({"equals": "Buy milk"}, False, "expected a text equal to 'Buy milk', found 'Buy milk\\nand eggs\\n'"),
        ({"contains": "and"}, True, "expected a text with 'and' in it"),
        ({"contains": "AND"}, False, "expected a text with 'AND' in it"),
        ({"matches": "m.lk$"}, False, "expected a text with a match of 'm.lk$'"),
        ({"matches": "(?m)m.lk$"}, True, "expected a text with a match of '(?m)m.lk$'"),
    ],
)
def test_a_file(device: Device, fields: dict[str, Any], passed: bool, reason: str) -> None:
    device.push(b"Buy milk\r\nand eggs\n", FILE)
    result = check(device, {"kind": "file", "path": FILE, **fields})
    assert result.passed is passed
    assert result.reason.startswith(f"file {FILE}: {reason}")


def test_a_file_that_is_not_there(device: Device) -> None:
    path = "/sdcard/Download/none.txt"
    assert check(device, {"kind": "file", "path": path, "exists": False}) == CheckResult(
        True, f"file {path}: expected not to exist, it does not"
    )
    assert check(device, {"kind": "file", "path": path, "contains": "x"}) == CheckResult(
        False, f"file {path}: does not exist"
    )


@pytest.mark.parametrize(
    ("fields", "passed"),
    [
        ({"package": "com.android.settings"}, True),
        ({"package": "com.android.contacts"}, False),
        ({"activity": "com.android.settings.Settings"}, True),
        ({"activity": "Settings"}, True),
        ({"activity": ".Settings"}, True),
        ({"activity": "ettings"}, False),
        ({"package": "com.android.settings", "activity": ".Other"}, False),
    ],
)
def test_the_foreground(device: Device, fields: dict[str, str], passed: bool) -> None:
    device.apps.open("com.android.settings")
    result = check(device, {"kind": "foreground", **fields})
    assert result.passed is passed
    assert result.reason.endswith(", found com.android.settings/com.android.settings.Settings")


@pytest.mark.parametrize(
    ("fields", "passed"),
    [
        ({"text": "network &  INTERNET"}, True),
        ({"text": "internet"}, True),
        ({"text": "intranet"}, False),
        ({"text": "intranet", "present": False}, True),
        ({"text": "internet", "present": False}, False),
        ({"id": "search_action_bar_title"}, True),
        ({"id": "com.android.settings:id/search_action_bar_title", "text": "search"}, True),
        ({"id": "search_action_bar_title", "text": "internet"}, False),
        ({"desc": "no such description"}, False),
    ],
)
def test_the_screen(device: Device, fields: dict[str, Any], passed: bool) -> None:
    device.force_stop("com.android.settings")
    device.apps.open("com.android.settings")
    assert check(device, {"kind": "screen", **fields}).passed is passed


def test_a_description_on_the_screen(device: Device) -> None:
    device.shell("am start -W -a android.settings.DISPLAY_SETTINGS")
    result = check(device, {"kind": "screen", "desc": "navigate up"})
    assert result == CheckResult(True, "screen: expected {'desc': 'navigate up'} on the screen, found 'Navigate up'")


@pytest.mark.parametrize(
    ("fields", "answer", "passed"),
    [
        ({"exact": "Ada Lovelace"}, " ada  LOVELACE. ", True),
        ({"exact": "Ada Lovelace"}, '"Ada Lovelace"', True),
        ({"exact": "Ada Lovelace"}, "It is Ada Lovelace", False),
        ({"exact": "Ada"}, None, False),
        ({"regex": r"\bada\b"}, "It is Ada.", True),
        ({"regex": r"\bada\b"}, "Adam", False),
        ({"regex": "555-?0101"}, "５５５０１０１", True),
        ({"number": 3}, "There are three of them.", True),
        ({"number": 3}, "3 or 4", False),
        ({"number": 3}, "none", False),
        ({"number": 1234.5}, "1,234.5", True),
        ({"number": 3.1, "tolerance": 0.1}, "3", True),
        ({"number": 3.2, "tolerance": 0.1}, "3", False),
        ({"fuzzy": "Ada Lovelace"}, "Lovelace Ada", True),
        ({"fuzzy": "Ada Lovelace"}, "Grace Hopper", False),
        ({"fuzzy": "Ada Lovelace", "threshold": 1.0}, "Ada Lovelase", False),
    ],
)
def test_an_answer(device: Device, fields: dict[str, Any], answer: str | None, passed: bool) -> None:
    assert check(device, {"kind": "answer", **fields}, answer).passed is passed


@pytest.mark.parametrize(
    ("fields", "answer", "reason"),
    [
        ({"exact": "7"}, "8", "answer: expected '7', found '8'"),
        ({"exact": "7"}, None, "answer: none was given"),
        ({"regex": "7"}, "8", "answer: expected a match of '7', found '8'"),
        ({"number": 7, "tolerance": 0.5}, "x" * 500, "answer: expected the number 7 ± 0.5 and no other, found 'xxx"),
        ({"fuzzy": "seven"}, "eight", "answer: expected something 85% like 'seven', found 'eight', which is "),
    ],
)
def test_an_answer_says_what_was_expected(
    device: Device, fields: dict[str, Any], answer: str | None, reason: str
) -> None:
    assert check(device, {"kind": "answer", **fields}, answer).reason.startswith(reason)


@pytest.mark.parametrize(
    ("ended", "passed"), [("infeasible", True), ("finished", False), ("answer", False), ("step_limit", False)]
)
def test_infeasible_is_passed_by_saying_so(device: Device, ended: End, passed: bool) -> None:
    result = check(device, {"kind": "infeasible"}, ended=ended)
    assert result == CheckResult(passed, f"expected the end to be 'infeasible', found '{ended}'")


YES: dict[str, Any] = {"kind": "answer", "exact": "yes"}
NO: dict[str, Any] = {"kind": "answer", "exact": "no"}


@pytest.mark.parametrize(
    ("data", "passed", "reason"),
    [
        ({"kind": "all", "checks": [YES, YES]}, True, "{yes}; {yes}"),
        ({"kind": "all", "checks": [YES, NO, NO]}, False, "{no}; {no}"),
        ({"kind": "any", "checks": [NO, YES]}, True, "{yes}"),
        ({"kind": "any", "checks": [NO, NO]}, False, "none of: {no} | {no}"),
        ({"kind": "not", "check": NO}, True, "not: {no}"),
        ({"kind": "not", "check": {"kind": "all", "checks": [YES]}}, False, "not: {yes}"),
    ],
)
def test_checks_are_combined(device: Device, data: dict[str, Any], passed: bool, reason: str) -> None:
    result = check(device, data, "yes")
    said = reason.format(yes="answer: expected 'yes', found 'yes'", no="answer: expected 'no', found 'yes'")
    assert result == CheckResult(passed, said)
    assert result.score in (0.0, 1.0)


# -- a phone that cannot be asked


def test_a_question_that_the_phone_cannot_answer_is_an_error(device: Device) -> None:
    with pytest.raises(DeviceError):
        check(device, {"kind": "content", "uri": "content://org.example/x", "count": 0})
    with pytest.raises(DeviceError):
        check(device, {"kind": "content", "uri": TABLE, "has": {"no_such_column": "x"}})


def test_a_phone_that_is_gone_is_an_error_not_a_no(adb_server: AdbServer) -> None:
    with PhoneHost(1) as host:
        adb_server.connect(host.addresses[0])
        device = Device(host.addresses[0], adb_server)
        assert device.settings_get("global", "wifi_on") is not None
    evidence = Evidence(None, "finished")
    for asking in (
        Setting(namespace="global", key="wifi_on", equals="1"),
        Foreground(package="com.android.settings"),
        Screen(text="x"),
    ):
        with pytest.raises(DeviceError):
            evaluate(AllOf(checks=(Infeasible(), asking)), device, evidence)
    adb_server.disconnect(device.serial)


def test_a_screen_without_a_tree_is_an_error_not_a_no(adb_server: AdbServer) -> None:
    with PhoneHost(1) as host:
        adb_server.connect(host.addresses[0])
        host.phones[0].faults.dump = "null_root"
        device = Device(host.addresses[0], adb_server, patience=Patience(tree_s=0.2))
        with pytest.raises(DeviceError, match="no UI tree to check") as caught:
            evaluate(Screen(text="x", present=False), device, Evidence(None, "finished"))
        assert caught.value.cause == "no_ui_tree"
        adb_server.disconnect(device.serial)

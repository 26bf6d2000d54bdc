"""Every transcript of the corpus that a tool on the phone wrote, read as its index says."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from emulator_farm.devices import replies
from emulator_farm.devices.dumpsys import Component, UnexpectedReply
from emulator_farm.devices.replies import UiDumpFailed

Transcript = Callable[[str], str]


def test_devices(transcript: Transcript) -> None:
    assert replies.device_list(transcript("adb_devices_l.txt")) == [
        ("HA0XYY05", "device"),
        ("172.16.10.20:5555", "offline"),
        ("emulator-5554", "unauthorized"),
    ]
    assert replies.device_list("127.0.0.1:40001\tdevice\n\n") == [("127.0.0.1:40001", "device")]


def test_properties(transcript: Transcript) -> None:
    properties = replies.properties(transcript("getprop_pixel7_short.txt"))
    assert properties["ro.build.version.sdk"] == "33"
    assert properties["ro.build.version.release"] == "13"
    assert properties["ro.product.model"] == "Pixel 7"
    assert properties["ro.product.cpu.abilist"].split(",") == ["arm64-v8a", "armeabi-v7a", "armeabi"]


def test_a_property_may_span_lines_and_be_empty() -> None:
    assert replies.properties("[a]: [one\ntwo]\n[b]: []\n") == {"a": "one\ntwo", "b": ""}


def test_a_missing_activity_is_not_started(transcript: Transcript) -> None:
    launch = replies.launch(transcript("am_start_error_type3.txt"))
    assert not launch.started
    assert "does not exist" in launch.detail


def test_bringing_to_front_is_a_start(transcript: Transcript) -> None:
    launch = replies.launch(transcript("am_start_brought_to_front.txt"))
    assert launch.started
    assert not launch.slow
    assert "brought to the front" in launch.detail


def test_a_slow_cold_start_is_a_start(transcript: Transcript) -> None:
    launch = replies.launch(transcript("am_start_W_timeout.txt"))
    assert launch.started
    assert launch.slow


@pytest.mark.parametrize(
    "text",
    [
        "Starting: Intent { act=x }\nError: Activity not started, unable to resolve Intent { act=x }\n",
        "Starting: Intent { cmp=a/.B }\njava.lang.SecurityException: Permission Denial: starting Intent\n",
    ],
)
def test_other_failures_to_start(text: str) -> None:
    assert not replies.launch(text).started


def test_monkey_without_an_activity(transcript: Transcript) -> None:
    assert not replies.monkey_started(transcript("monkey_none.txt"))
    assert replies.monkey_started("Events injected: 1\n## Network stats: elapsed time=18ms\n")


def test_the_full_form_of_resolve_activity(transcript: Transcript) -> None:
    component = replies.resolved_activity(transcript("resolve_activity_full.txt"))
    assert component == Component("air.com.distriqt.test", "air.com.distriqt.test.AIRAppEntry")


def test_the_brief_form_of_resolve_activity() -> None:
    text = (
        "priority=0 preferredOrder=0 match=0x108000 specificIndex=-1 isDefault=false\ncom.android.settings/.Settings\n"
    )
    assert replies.resolved_activity(text) == Component("com.android.settings", "com.android.settings.Settings")
    assert replies.resolved_activity("No activity found\n") is None


def test_launcher_activities(transcript: Transcript) -> None:
    found = replies.components(transcript("query_activities_brief.txt"))
    assert [str(component) for component in found] == [
        "com.example.alpha/com.example.alpha.MainActivity",
        "com.example.beta/com.example.beta.MainActivity",
    ]


def test_packages(transcript: Transcript) -> None:
    names = replies.packages(transcript("pm_list_packages.txt"))
    assert len(names) == 10
    assert names[0] == "com.android.chrome"
    assert replies.packages("package:/data/app/~~x==/base.apk=a.b\n") == ["a.b"]


def test_installs(transcript: Transcript) -> None:
    assert replies.install_failure(transcript("install_failure_downgrade.txt")) == "INSTALL_FAILED_VERSION_DOWNGRADE"
    assert replies.install_failure("Performing Streamed Install\nSuccess\n") is None


def test_keyboards(transcript: Transcript) -> None:
    listed = replies.ime_list(transcript("ime_list_s.txt"))
    assert listed == ["com.android.inputmethod.latin/.LatinIME", "com.volosyukivan/.WiFiInputMethod"]
    assert replies.ime_selected(transcript("ime_set_ok.txt"))
    assert not replies.ime_selected(transcript("ime_set_unknown.txt"))


def test_broadcasts() -> None:
    assert replies.broadcast_result('Broadcasting: Intent { }\nBroadcast completed: result=-1, data="success"\n') == -1
    assert replies.broadcast_result("Broadcasting: Intent { }\nBroadcast completed: result=0\n") == 0


def test_settings(transcript: Transcript) -> None:
    assert replies.settings_list(transcript("settings_list.txt")) == {"volume_ring": "5", "volume_system": "7"}
    assert replies.setting("null\n") is None
    assert replies.setting("\n") == ""
    assert replies.setting("two words \n") == "two words "


def test_contacts_though_every_row_is_number_0(transcript: Transcript) -> None:
    rows = replies.content_rows(transcript("content_query_contacts.txt"))
    assert [row["display_name"] for row in rows] == ["Jane Doe", "Chen"]
    assert [re.sub(r"\D", "", row["number"] or "") for row in rows] == ["123456789", "98765"]


@pytest.mark.parametrize("columns", [None, ["_id", "address", "body", "date"]])
def test_a_comma_in_a_message(transcript: Transcript, columns: list[str] | None) -> None:
    rows = replies.content_rows(transcript("content_query_sms_comma_in_body.txt"), columns)
    assert rows[0] == {"_id": "1", "address": "1111", "body": "Hi, friend", "date": "1700000000000"}
    assert len(rows) == 2


def test_no_rows(transcript: Transcript) -> None:
    assert replies.content_rows(transcript("content_query_none.txt")) == []


def test_lines_columns_and_nothing_inside_values() -> None:
    text = "Row: 0 _id=1, body=first\nsecond, x=3, data1=NULL\nRow: 1 _id=2, body=, data1=a=b\n"
    assert replies.content_rows(text, ["_id", "body", "data1"]) == [
        {"_id": "1", "body": "first\nsecond, x=3", "data1": None},
        {"_id": "2", "body": "", "data1": "a=b"},
    ]
    assert replies.content_rows(text) == replies.content_rows(text, ["_id", "body", "data1"])


@given(
    st.lists(st.tuples(st.integers(0, 99), st.text(st.characters(codec="utf-8", exclude_characters="=\n"))), min_size=1)
)
def test_any_text_in_a_column_survives(rows: list[tuple[int, str]]) -> None:
    text = "".join(f"Row: {n} _id={number}, body={body}, date=5\n" for n, (number, body) in enumerate(rows))
    expected = [{"_id": str(number), "body": None if body == "NULL" else body, "date": "5"} for number, body in rows]
    assert replies.content_rows(text, ["_id", "body", "date"]) == expected


def test_a_hierarchy_with_the_trailer_of_a_terminal(transcript: Transcript) -> None:
    xml = replies.ui_dump(transcript("uiautomator_dump_devtty.txt"))
    assert xml.endswith("</hierarchy>")
    assert xml.count("<node") == 12


def test_a_hierarchy_after_the_success_line(transcript: Transcript) -> None:
    success = transcript("uiautomator_dump_ok.txt")
    document = "<?xml version='1.0' encoding='UTF-8' standalone='yes' ?><hierarchy rotation=\"0\"><node /></hierarchy>"
    assert replies.ui_dump(f"{success}{document}") == document
    assert replies.ui_dump(f"UI hierarchy dumped to: /sdcard/x.xml\n{document}\n") == document


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("UI hierchary dumped to: /sdcard/window_dump.xml\n", "other"),
        ("ERROR: null root node returned by UiTestAutomationBridge.\n", "null_root"),
        ('<hierarchy rotation="0"><node ', "truncated"),
        ('<hierarchy rotation="0" />', "null_root"),
        ('<hierarchy rotation="0"></hierarchy>', "null_root"),
        ("", "other"),
    ],
)
def test_dumps_that_are_none(text: str, reason: str) -> None:
    with pytest.raises(UiDumpFailed) as caught:
        replies.ui_dump(text)
    assert caught.value.reason == reason


def test_a_moving_screen(transcript: Transcript) -> None:
    with pytest.raises(UiDumpFailed, match="could not get idle state") as caught:
        replies.ui_dump(transcript("uiautomator_dump_idle_error.txt"))
    assert caught.value.reason == "not_idle"


@pytest.mark.parametrize(
    "parser",
    [
        replies.launch,
        replies.resolved_activity,
        replies.install_failure,
        replies.broadcast_result,
        replies.content_rows,
    ],
)
def test_another_answer_is_an_error_that_quotes_it(parser: Callable[[str], object]) -> None:
    with pytest.raises(UnexpectedReply, match="service: activity"):
        parser("cmd: Can't find service: activity\n")


def test_rows_without_the_columns_asked_for() -> None:
    with pytest.raises(UnexpectedReply, match="_id"):
        replies.content_rows("Row: 0 name=x\n", ["_id"])
    with pytest.raises(UnexpectedReply, match="columns"):
        replies.content_rows("Row: 0 nothing here\n")

"""Setup steps on a virtual phone through a real adb server: each does what it says, and no text can break out."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from emulator_farm.devices.device import Device
from emulator_farm.errors import CommandFailed, NotReady
from emulator_farm.tasks.setup import prepare, selection, tear_down
from emulator_farm.tasks.spec import TaskInstance, TaskSpec
from emulator_farm.tasks.steps import (
    AddContact,
    Broadcast,
    ClearApp,
    DeleteFile,
    DeleteRows,
    DeleteSetting,
    GoHome,
    InsertRow,
    OpenApp,
    PutSetting,
    Shell,
    Step,
    StopApp,
    WriteFile,
)

SETTINGS = "com.android.settings"
TABLE = "content://settings/global"
NASTY = (
    "it's",
    '"; rm -rf /sdcard #',
    "$(reboot)",
    "`id`",
    "a\\",
    "%s",
    "--help",
    "x && exit 1",
    "ünïcödé 🙂",
    "a\nb",
    "*",
)

on_the_phone = settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
texts = st.text(st.characters(exclude_categories=["C"]), min_size=1, max_size=20) | st.text(
    "'\"\\$`;&|*?~#!{} -", min_size=1
)


def set_up(device: Device, *steps: Step) -> None:
    prepare(TaskInstance(task="t", seed=1, goal="g", setup=steps), device)


def front(device: Device) -> str:
    component = device.foreground().component
    return component.package if component else ""


def test_settings_are_written_and_removed(device: Device) -> None:
    set_up(device, PutSetting(namespace="secure", key="farm_a", value="1"))
    assert device.settings_get("secure", "farm_a") == "1"
    set_up(device, DeleteSetting(namespace="secure", key="farm_a"), DeleteSetting(namespace="secure", key="farm_a"))
    assert device.settings_get("secure", "farm_a") is None


def test_apps_are_opened_and_stopped(device: Device) -> None:
    set_up(device, OpenApp(app="Settings"))
    assert front(device) == SETTINGS
    set_up(device, OpenApp(app=SETTINGS), StopApp(package=SETTINGS))
    assert front(device) != SETTINGS
    set_up(device, OpenApp(app=SETTINGS), ClearApp(package=SETTINGS))
    assert front(device) != SETTINGS
    set_up(device, OpenApp(app=SETTINGS), GoHome())
    assert front(device) != SETTINGS


def test_an_episode_begins_at_the_home_screen(device: Device) -> None:
    device.apps.open(SETTINGS)
    set_up(device)
    assert "launcher" in front(device)


def test_rows_are_inserted_and_deleted(device: Device) -> None:
    row = {"name": "farm_row", "value": "it's, a=b"}
    set_up(device, InsertRow(uri=TABLE, values=row))
    assert device.settings_get("global", "farm_row") == "it's, a=b"
    set_up(device, InsertRow(uri=TABLE, values=row | {"name": "farm_other"}), DeleteRows(uri=TABLE, where=row))
    assert device.settings_get("global", "farm_row") is None
    assert device.settings_get("global", "farm_other") is not None


def test_files_are_written_and_deleted(device: Device) -> None:
    path = "/sdcard/Download/new folder/it's.txt"
    set_up(device, WriteFile(path=path, text="Grüße\n🙂\n"))
    assert device.file_read(path) == "Grüße\n🙂\n".encode()
    set_up(device, DeleteFile(path="/sdcard/Download/new folder"), DeleteFile(path="/sdcard/Download/new folder"))
    assert device.file_read(path) is None


def test_a_contact_is_stored_with_its_details(device: Device) -> None:
    set_up(
        device,
        DeleteRows(uri="content://com.android.contacts/raw_contacts"),
        AddContact(name="Ada O'Neil", phone="2125550101", email="ada@example.com"),
        AddContact(name="Ben"),
    )
    data = "content://com.android.contacts/data"
    rows = device.content_query(f"{data}/phones", ["display_name", "data1"])
    assert rows == [{"display_name": "Ada O'Neil", "data1": "2125550101"}]
    rows = device.content_query("content://com.android.contacts/contacts", ["display_name"])
    assert {row["display_name"] for row in rows} == {"Ada O'Neil", "Ben"}
    mail = device.content_query(data, ["data1"], "mimetype='vnd.android.cursor.item/email_v2'")
    assert mail == [{"data1": "ada@example.com"}]


def test_commands_run_and_broadcasts_are_sent(device: Device) -> None:
    set_up(device, Shell(argv=("settings", "put", "system", "farm_b", "a b")))
    assert device.settings_get("system", "farm_b") == "a b"
    set_up(device, Broadcast(action="org.example.PING", package="org.example", extras={"key": "it's"}))


def test_teardown_takes_its_own_steps_where_the_phone_is(device: Device) -> None:
    task = TaskInstance(
        task="t",
        seed=1,
        goal="g",
        setup=(OpenApp(app=SETTINGS),),
        teardown=(PutSetting(namespace="system", key="farm_c", value="1"),),
    )
    prepare(task, device)
    tear_down(task, device)
    assert front(device) == SETTINGS
    assert device.settings_get("system", "farm_c") == "1"


@pytest.mark.parametrize(
    ("step", "message"),
    [
        (ClearApp(package="org.example.absent"), "pm clear org.example.absent"),
        (Shell(argv=("false",)), "exit code 1"),
        (Shell(argv=("no_such_tool",)), "exit code 127"),
        (InsertRow(uri="content://org.example/x", values={"a": "b"}), "content insert"),
        (DeleteRows(uri=TABLE, where={"no_such_column": "b"}), "content delete"),
        (WriteFile(path="/system/app/x.txt", text="x"), "push /system/app/x.txt"),
    ],
)
def test_a_step_that_fails_is_a_failure_of_the_phone(device: Device, step: Step, message: str) -> None:
    with pytest.raises(CommandFailed, match=message):
        set_up(device, step)


def test_an_app_that_is_not_there_makes_the_phone_unfit(device: Device) -> None:
    with pytest.raises(NotReady, match="setup cannot open 'Flight Simulator': no app is called") as caught:
        set_up(device, OpenApp(app="Flight Simulator"))
    assert caught.value.cause == "not_ready_setup"


# -- nothing breaks out


@pytest.mark.parametrize("value", NASTY)
def test_nasty_parameters_stay_values(device: Device, value: str) -> None:
    spec = TaskSpec(
        name="t",
        goal="{value}",
        params={"value": {"kind": "choice", "of": [value]}},
        setup=(
            {"kind": "put_setting", "namespace": "system", "key": "farm_n", "value": "<{value}>"},
            {"kind": "shell", "argv": ["settings", "put", "global", "farm_n", "<{value}>"]},
            {"kind": "write_file", "path": "/sdcard/Download/n.txt", "text": "{value}"},
        ),
    )
    prepare(spec.instance(1), device)
    assert device.settings_get("system", "farm_n") == f"<{value}>"
    assert device.settings_get("global", "farm_n") == f"<{value}>"
    assert device.file_read("/sdcard/Download/n.txt") == value.encode()


@on_the_phone
@given(texts)
def test_any_text_is_one_word_to_the_shell(device: Device, text: str) -> None:
    set_up(device, Shell(argv=("settings", "put", "system", "farm_q", f"<{text}>")))
    assert device.settings_get("system", "farm_q") == f"<{text}>"


@on_the_phone
@given(texts)
def test_any_text_is_one_value_to_the_database(device: Device, text: str) -> None:
    row = {"name": "farm_sql", "value": f"<{text}>"}
    keep = {"name": "farm_keep", "value": "kept"}
    set_up(
        device, InsertRow(uri=TABLE, values=row), InsertRow(uri=TABLE, values=keep), DeleteRows(uri=TABLE, where=row)
    )
    assert device.settings_get("global", "farm_sql") is None
    assert device.settings_get("global", "farm_keep") == "kept"


@given(st.dictionaries(st.sampled_from("abc"), st.text(max_size=20), max_size=3))
def test_values_are_literals(where: dict[str, str]) -> None:
    sql = selection(where)
    if not where:
        assert sql is None
        return
    assert sql is not None
    assert literals(sql) == list(where.values())


def literals(sql: str) -> Sequence[str]:
    """The SQL string literals of a text, read as SQLite does."""
    found, rest = [], sql
    while "'" in rest:
        _, _, rest = rest.partition("'")
        text = ""
        while True:
            part, _, rest = rest.partition("'")
            text += part
            if not rest.startswith("'"):
                break
            text, rest = text + "'", rest[1:]
        found.append(text)
    return found

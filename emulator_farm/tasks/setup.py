"""Bringing a phone into the state that a task starts from, and cleaning up after it, all over ADB.

Every word that may hold a parameter reaches the phone quoted, and every value of a selection as an SQL literal.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import assert_never

from agent_server.actions import OpenApp as OpenAppAction
from emulator_farm.devices.device import Device
from emulator_farm.errors import CommandFailed, NotReady
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
from emulator_farm.tasks.task import TaskInstance

RAW_CONTACTS = "content://com.android.contacts/raw_contacts"
CONTACT_DATA = "content://com.android.contacts/data"
_ITEM = "vnd.android.cursor.item"
_MOBILE = 2


def prepare(task: TaskInstance, device: Device) -> None:
    """Show the home screen, then take the steps of the task's setup.

    Raises InfrastructureError; an app that is to be opened but is not there is a NotReady.
    """
    device.go_home()
    _run(task.setup, device)


def tear_down(task: TaskInstance, device: Device) -> None:
    """Take the steps of the task's teardown. Raises InfrastructureError."""
    _run(task.teardown, device)


def selection(where: Mapping[str, str]) -> str | None:
    """SQL for columns that equal texts, each a quoted literal; None for no columns."""
    equal = (f"{column}='{value.replace(chr(39), chr(39) * 2)}'" for column, value in where.items())
    return " AND ".join(equal) or None


def _run(steps: Iterable[Step], device: Device) -> None:
    for step in steps:
        _take(step, device)


def _take(step: Step, device: Device) -> None:
    match step:
        case PutSetting():
            device.settings_put(step.namespace, step.key, step.value)
        case DeleteSetting():
            device.settings_delete(step.namespace, step.key)
        case ClearApp():
            device.clear_app(step.package)
        case StopApp():
            device.force_stop(step.package)
        case OpenApp():
            _open(step.app, device)
        case AddContact():
            _add_contact(step, device)
        case InsertRow():
            device.content_insert(step.uri, step.values)
        case DeleteRows():
            device.content_delete(step.uri, selection(step.where))
        case WriteFile():
            device.push(step.text.encode(), step.path)
        case DeleteFile():
            device.shell(["rm", "-rf", step.path])
        case GoHome():
            device.go_home()
        case Broadcast():
            device.shell(_broadcast(step))
        case Shell():
            device.shell(step.argv)
        case _:
            assert_never(step)


def _open(app: str, device: Device) -> None:
    outcome = device.perform(OpenAppAction(app=app))
    if outcome.status != "ok":
        raise NotReady(f"setup cannot open {app!r}: {outcome.detail}", serial=device.serial, check="setup")


def _add_contact(contact: AddContact, device: Device) -> None:
    """A raw contact of no account, then its details, which point at it."""
    device.content_insert(RAW_CONTACTS, {"starred": 0})
    rows = device.content_query(RAW_CONTACTS, ["_id"], sort="_id DESC")
    if not rows or not rows[0]["_id"]:
        raise CommandFailed(
            serial=device.serial, command="content insert", exit_code=0, stderr="the new contact is not there"
        )
    owner: dict[str, str | int] = {"raw_contact_id": int(rows[0]["_id"])}
    device.content_insert(CONTACT_DATA, owner | {"mimetype": f"{_ITEM}/name", "data1": contact.name})
    if contact.phone is not None:
        phone: dict[str, str | int] = {"mimetype": f"{_ITEM}/phone_v2", "data1": contact.phone, "data2": _MOBILE}
        device.content_insert(CONTACT_DATA, owner | phone)
    if contact.email is not None:
        device.content_insert(CONTACT_DATA, owner | {"mimetype": f"{_ITEM}/email_v2", "data1": contact.email})


def _broadcast(step: Broadcast) -> list[str]:
    words = ["am", "broadcast", "-a", step.action]
    words += ["-p", step.package] if step.package else []
    for key, value in step.extras.items():
        words += ["--es", key, value]
    return words

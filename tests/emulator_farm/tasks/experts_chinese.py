"""Experts for the goals in Chinese."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from experts import enter_time, expert
from experts_apps import nodes

if TYPE_CHECKING:
    from person import Person


@expert(r"把屏幕自动关闭的时间设为(?P<number>\d+)(?P<unit>秒|分钟)")
def zh_screen_timeout(person: Person, number: str, unit: str) -> None:
    person.open("Settings")
    person.go("Display", "Screen timeout", f"{number} {'seconds' if unit == '秒' else 'minutes'}")
    person.finish()


@expert(r"在通讯录里新建联系人“(?P<name>.+)”，电话号码是(?P<phone>\d+)")
def zh_contact_add(person: Person, name: str, phone: str) -> None:
    person.open("Contacts")
    person.tap("Create contact")
    person.enter("First name", name)
    person.enter("Phone", phone)
    person.tap("Save")
    person.finish()


@expert("新建一条笔记，标题是“(?P<title>.+)”，内容是“(?P<text>.+)”")
def zh_note_create(person: Person, title: str, text: str) -> None:
    person.open("Notes")
    person.tap("New note")
    person.enter("Title", title)
    person.enter("Note", text)
    person.tap("Save")
    person.finish()


@expert("“(?P<name>.+)”发来的短信里，大门的密码是多少？只回答数字。")
def zh_door_code(person: Person, name: str, row: int | None = None) -> None:
    person.open("Messages")
    person.tap(name if row is None else nodes(person, "conversation_name")[row])
    (code,) = re.findall(r"密码\D+(\d+)", "\n".join(person.texts()))
    person.answer(code)


@expert(r"设置一个早上(?P<hour>\d+)点(?P<minute>\d+)分的闹钟")
def zh_alarm_set(person: Person, hour: str, minute: str) -> None:
    person.open("Clock")
    enter_time(person, hour, minute, "AM")
    person.finish()


@expert("删除联系人“(?P<name>.+)”")
def zh_contact_delete_missing(person: Person, name: str) -> None:
    person.open("Contacts")
    assert person.see(name) is None
    person.give_up()

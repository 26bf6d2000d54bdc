"""Moments as databases keep them (milliseconds since 1970) and as people read them."""

from datetime import UTC, datetime

from emulator_farm.virtual.system import System

LAST = 253_000_000_000_000
"""A moment in the year 9987."""


def millis(moment: datetime) -> int:
    """Milliseconds since 1970."""
    return round(moment.timestamp() * 1000)


def moment(milliseconds: int) -> datetime:
    """The phone's local time, which is UTC; what no calendar holds becomes its first or last moment."""
    return datetime.fromtimestamp(min(max(0, milliseconds), LAST) / 1000, UTC)


def day_text(system: System, milliseconds: int) -> str:
    """`Today`, `Yesterday`, `Tue, Dec 1`, with the year where it is another one."""
    when, today = moment(milliseconds), system.now()
    days = (today.date() - when.date()).days
    if 0 <= days <= 1:
        return ("Today", "Yesterday")[days]
    text = f"{when:%a}, {when:%b} {when.day}"
    return text if when.year == today.year else f"{text}, {when.year}"


def short_text(system: System, milliseconds: int) -> str:
    """The time for today, else the day: as lists show it."""
    when, today = moment(milliseconds), system.now()
    if when.date() == today.date():
        return time_text(system, milliseconds)
    text = f"{when:%b} {when.day}"
    return text if when.year == today.year else f"{text}, {when.year}"


def time_text(system: System, milliseconds: int) -> str:
    """The time of day as the user wants it written."""
    when = moment(milliseconds)
    return system.clock_text(when.hour, when.minute)

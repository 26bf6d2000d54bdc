"""Apps and their data made what they were: what `apps` does beyond `home`.

Third-party apps and all apps with an icon are wiped, and the stores behind contacts, calendar, messages and calls. Apps
that came since are removed, permissions are those that were found, files under /sdcard too; one that is gone cannot be
brought back.
"""

from __future__ import annotations

import re

from emulator_farm.devices.dumpsys import UnexpectedReply
from emulator_farm.devices.keyboard import IME
from emulator_farm.devices.replies import components, packages, resolved_activity
from emulator_farm.devices.reset_items import HOME, Item
from emulator_farm.devices.transport import Transport, shell_line
from emulator_farm.errors import NotReady

_THIRD = "pm list packages -3"
_ALL = "pm list packages"
_ICONS = "cmd package query-activities --brief -a android.intent.action.MAIN -c android.intent.category.LAUNCHER"
_STORES = ("com.android.providers.contacts", "com.android.providers.calendar")
_ROWS = ("content://sms", "content://call_log/calls")
_SHELL = "com.android.shell"
_MARK = ":farm-wiped:"
_WIPE_S = 300.0
_FILES = 'find /sdcard/ -type f ! -path "/sdcard/Android/*" -print0 | xargs -0 -r md5sum'
_FOLDERS = """find /sdcard/ -mindepth 1 -type d ! -path "/sdcard/Android*" | sed 's/^/folder  /'"""
_GRANTED = "dumpsys package | grep -E '^  Package .|granted=true, flags='"


def wipe(transport: Transport) -> None:
    """Stop the apps and clear their data. Raises NotReady (`reset_wipe`) with those that the phone did not clear."""
    asked = transport.shell(f"{_THIRD}; echo {_MARK}; {_ICONS}; echo {_MARK}; {HOME}; echo {_MARK}; {_ALL}").text
    third, icons, home, known = asked.split(f"{_MARK}\n")
    launcher = resolved_activity(home)
    kept = {IME.partition("/")[0], "" if launcher is None else launcher.package}
    apps = (set(packages(third)) | {component.package for component in components(icons)}) - kept
    stores = [store for store in _STORES if store in packages(known)]
    lines = [shell_line(["content", "delete", "--uri", uri]) for uri in _ROWS]
    lines += [f"echo {_MARK}"]
    for name in [*stores, *sorted(apps)]:
        lines += [f"echo {name} $({shell_line(['pm', 'clear', name])})"]
        lines += [f"cmd locale set-app-locales {name} --user 0"]
    completed = transport.shell("; ".join(lines), _WIPE_S)
    said = completed.text.partition(_MARK)[2]
    failed = [name for name in [*stores, *sorted(apps)] if not re.search(rf"^{re.escape(name)} .*Success", said, re.M)]
    if failed:
        raise NotReady(f"pm clear did not clear {', '.join(failed)}", serial=transport.serial, check="reset_wipe")


def _installed(text: str) -> str:
    return "\n".join(sorted(packages(text)))


def _uninstall(wanted: str, found: str) -> str:
    want, have = set(wanted.split()), set(found.split())
    lines = [shell_line(["pm", "uninstall", name]) for name in sorted(have - want)]
    return "; ".join([*lines, *(shell_line(["pm", "install-existing", name]) for name in sorted(want - have))])


def _granted(text: str) -> str:
    """`package permission`, one a line."""
    lines, package = [], ""
    for line in text.splitlines():
        if head := re.match(r"  Package \[([\w.]+)\]", line):
            package = head[1]
        elif entry := re.match(r"\s+([\w.]+): granted=true", line):
            lines.append(f"{package} {entry[1]}")
    if not package:
        raise UnexpectedReply("packages with their permissions", text)
    return "\n".join(sorted(set(lines)))


def _grant(wanted: str, found: str) -> str:
    want, have = set(wanted.splitlines()), set(found.splitlines())
    lines = [f"pm grant {entry}" for entry in sorted(want - have)]
    return "; ".join([*lines, *(f"pm revoke {entry}" for entry in sorted(have - want))])


def _listed(files: str, folders: str) -> str:
    return "\n".join(sorted([*files.splitlines(), *folders.splitlines()]))


def _remove(wanted: str, found: str) -> str:
    new = sorted(set(found.splitlines()) - set(wanted.splitlines()))
    return "; ".join(shell_line(["rm", "-rf", line.partition("  ")[2]]) for line in new)


def _posted(listed: str, third: str, icons: str) -> str:
    """Notifications of apps; the system has its own reasons to show some."""
    apps = {_SHELL, *packages(third), *(component.package for component in components(icons))}
    keys = [line.strip() for line in listed.splitlines() if line.count("|") >= 2]
    return "\n".join(sorted(key for key in keys if key.split("|")[1] in apps))


def _silence(wanted: str, found: str) -> str:
    new = set(found.splitlines()) - set(wanted.splitlines())
    return "; ".join(shell_line(["am", "force-stop", name]) for name in sorted({key.split("|")[1] for key in new}))


def _no_more(wanted: str, found: str) -> bool:
    return set(found.splitlines()) <= set(wanted.splitlines())


APPS = (
    Item("packages", (_ALL,), _installed, _uninstall),
    Item("permissions", (_GRANTED,), _granted, _grant),
    Item("files", (_FILES, _FOLDERS), _listed, _remove),
    Item("notifications", ("cmd notification list", _THIRD, _ICONS), _posted, _silence, fits=_no_more),
)
"""All of them as the phone was found."""

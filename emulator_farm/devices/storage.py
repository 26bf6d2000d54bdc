"""What a phone keeps: settings, rows of content providers, files. Read and written by shell commands.

Exit codes say little here: `settings put` of a value that does not stick and `content insert` into nothing both end
with 0, so that values are read back and words are read.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from emulator_farm.devices.replies import Row, content_rows, setting
from emulator_farm.devices.transport import Transport, shell_line
from emulator_farm.errors import DeviceError

Namespace = Literal["system", "secure", "global"]


class Storage:
    """The settings, providers and files of one phone. Methods raise DeviceError and what the transport raises."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def setting(self, namespace: Namespace, key: str) -> str | None:
        """A settings value, None where there is none."""
        return self._transport.read(setting, ["settings", "get", namespace, key])

    def put_setting(self, namespace: Namespace, key: str, value: str) -> None:
        """Write a settings value and read it back. Raises DeviceError (`without_effect`)."""
        write = shell_line(["settings", "put", namespace, key, value])
        found = self._transport.read(setting, f"{write} && {shell_line(['settings', 'get', namespace, key])}")
        if (found or "null") != (value or "null"):  # null is how the phone writes that there is none
            said = f"{namespace} {key} was set to {value!r} and is {found!r}"
            raise DeviceError(said, serial=self._transport.serial, cause="without_effect")

    def rows(self, uri: str, columns: Sequence[str], where: str | None, sort: str | None) -> list[Row]:
        """Rows of a content provider."""
        words = ["content", "query", "--uri", uri]
        words += ["--projection", ":".join(columns)] if columns else []
        words += _where(where)
        words += ["--sort", sort] if sort else []
        return self._transport.read(lambda text: content_rows(text, columns or None), words)

    def insert(self, uri: str, values: Mapping[str, str | int]) -> None:
        """Insert one row. Raises CommandFailed."""
        self._content(["content", "insert", "--uri", uri, *_bindings(values)])

    def update(self, uri: str, values: Mapping[str, str | int], where: str | None) -> None:
        """Change rows. Raises CommandFailed."""
        self._content(["content", "update", "--uri", uri, *_bindings(values), *_where(where)])

    def delete(self, uri: str, where: str | None) -> None:
        """Delete rows. Raises CommandFailed."""
        self._content(["content", "delete", "--uri", uri, *_where(where)])

    def file(self, path: str) -> bytes | None:
        """The content of a file, None where there is no such file. Raises CommandFailed where it may not be read."""
        completed = self._transport.shell(["cat", path])
        if completed.ok:
            return completed.stdout
        if "No such file" in completed.said:
            return None
        raise completed.failure(self._transport.serial)

    def _content(self, words: list[str]) -> None:
        completed = self._transport.run(words)
        if "Error while accessing provider" in completed.said or "[ERROR]" in completed.said:
            raise completed.failure(self._transport.serial)


def _bindings(values: Mapping[str, str | int]) -> list[str]:
    return [
        word
        for name, value in values.items()
        for word in ("--bind", f"{name}:{'i' if isinstance(value, int) else 's'}:{value}")
    ]


def _where(where: str | None) -> list[str]:
    return ["--where", where] if where else []

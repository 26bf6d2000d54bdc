"""Where an emulator's gRPC controller listens, and the token that it asks for.

A virtual phone tells by its properties. A real emulator on this host writes `pid_*.ini` into a folder `avd/running`;
with `-grpc PORT` the file names the port, with `-grpc-use-token` a token. Only the phone's own host is ever called.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

_LOCAL = ("127.0.0.1", "localhost")


@dataclass(frozen=True)
class Endpoint:
    """HOST:PORT of a controller; `token` is empty where none is asked for."""

    address: str
    token: str = field(default="", repr=False)


def endpoint_of(serial: str, properties: Mapping[str, str], folders: Iterable[Path] | None = None) -> Endpoint | None:
    """The controller of a phone, None where there is none that we could find.

    `properties` are the phone's; `folders` are searched for running emulators, by default where emulators write them.
    """
    told = properties.get("vphone.grpc", "").rpartition(":")[2]
    host, colon, port = serial.rpartition(":")
    if told.isdecimal() and colon:
        return Endpoint(f"{host}:{told}", properties.get("vphone.token", ""))
    if colon and host not in _LOCAL:
        return None
    key, value = ("port.adb", port) if colon else ("port.serial", serial.removeprefix("emulator-"))
    for facts in _running(_folders() if folders is None else folders):
        if value and facts.get(key) == value and facts.get("grpc.port", "").isdecimal():
            return Endpoint(f"127.0.0.1:{facts['grpc.port']}", facts.get("grpc.token", ""))
    return None


def _running(folders: Iterable[Path]) -> Iterable[dict[str, str]]:
    for folder in folders:
        for file in sorted(folder.glob("pid_*.ini")):
            try:
                lines = file.read_text(errors="replace").splitlines()
            except OSError:
                continue  # it ended meanwhile, or is another user's
            yield {name.strip(): value.strip() for name, _, value in (line.partition("=") for line in lines)}


def _folders() -> list[Path]:
    home = Path.home()
    roots = [
        Path(value) for value in (os.environ.get("XDG_RUNTIME_DIR"), os.environ.get("ANDROID_EMULATOR_HOME")) if value
    ]
    if sys.platform == "darwin":
        roots.append(home / "Library/Caches/TemporaryItems")
    elif sys.platform != "win32":
        roots.append(Path(f"/run/user/{os.getuid()}"))
    roots += [home / ".android", Path(tempfile.gettempdir()) / f"android-{os.environ.get('USER', '')}"]
    return [root / "avd/running" for root in dict.fromkeys(roots)]

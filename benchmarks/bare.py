"""The floor of what can be had from a phone: its services by plain sockets, nothing checked."""

from __future__ import annotations

import io
import socket
from typing import Any

from PIL import Image

from emulator_farm.devices.looks import DUMP

_RAW_HEADER = 16


class Bare:
    """Services of a phone by plain sockets."""

    def __init__(self, port: int, serial: str) -> None:
        self._port = port
        self._serial = serial

    def exchange(self, service: str) -> bytes:
        """What a service wrote until it ended."""
        with socket.create_connection(("127.0.0.1", self._port)) as connection:
            for request in (f"host:transport:{self._serial}", service):
                data = request.encode()
                connection.sendall(b"%04x" % len(data) + data)
                if connection.recv(4, socket.MSG_WAITALL) != b"OKAY":
                    raise ConnectionError(f"{service[:60]} was refused")
            parts = []
            while data := connection.recv(1 << 20):
                parts.append(data)
        return b"".join(parts)

    def png(self) -> bytes:
        """Tree and frame, the phone's own PNG."""
        self.exchange(f"shell,v2,raw:{DUMP}")
        return self.exchange("exec:screencap -p")

    def jpeg_of_pixels(self) -> bytes:
        """Tree and frame, a JPEG made here of the phone's pixels."""
        self.exchange(f"shell,v2,raw:{DUMP}")
        data = self.exchange("exec:screencap")
        size = int.from_bytes(data[:4], "little"), int.from_bytes(data[4:8], "little")
        pixels: Any = memoryview(data)[_RAW_HEADER:]
        return jpeg(Image.frombuffer("RGBX", size, pixels, "raw", "RGBX", 0, 1))

    def jpeg_of_png(self) -> bytes:
        """The same, made of the phone's PNG."""
        with Image.open(io.BytesIO(self.png())) as picture:
            return jpeg(picture)


def jpeg(picture: Image.Image) -> bytes:
    out = io.BytesIO()
    picture.save(out, "JPEG", quality=95, subsampling=0)
    return out.getvalue()

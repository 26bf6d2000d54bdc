"""The `sync:` service: stat, list, push and pull, versions 1 and 2.

Requests and answers are (four letters, little-endian length or first number, ...). An error of the device is a FAIL
with its text, and the end of the stream. The words are adbd's, compared with it by `make test-adbd`.
"""

import errno
import os
import re
import stat as st
import struct
from dataclasses import dataclass

from . import rootfs
from .files import FileStat
from .handset import Handset
from .phone import Phone
from .stream import Stream

CHUNK = 64 * 1024
MAX_DATA = 64 * 1024 * 1024
MAX_PATH = 1024
HEAD = struct.Struct("<4sI")
STAT_V1 = struct.Struct("<4sIII")
DENT_V1 = struct.Struct("<4sIIII")
STAT_V2 = struct.Struct("<4sIQQIIIIQqqq")
DENT_V2 = struct.Struct("<4sIQQIIIIQqqqI")
SEND_V2 = struct.Struct("<4sII")
RECV_V2 = struct.Struct("<4sI")
DEVICE = 0xFE01
BATCH = 512 * 1024
DRY_RUN = 0x80000000
"""Take a file and forget it: `adb push -n`."""
_NUMBER = re.compile(r"\s*([+-]?)(0[xX][0-9a-fA-F]+|0[0-7]*|[1-9][0-9]*)")


@dataclass(frozen=True)
class Upload:
    """What SEND announces: `mode` with type bits; a symbolic link carries its target as content."""

    path: str
    mode: int
    dry_run: bool = False


class SyncService:
    """Serves one `sync:` stream."""

    def __init__(self, handset: Handset) -> None:
        self._handset = handset

    async def __call__(self, stream: Stream) -> None:
        """Serve requests until QUIT, a failure or the end of the stream."""
        working = True
        while working:
            kind, length = HEAD.unpack(await stream.read_exactly(HEAD.size))
            if kind == b"QUIT":
                return
            if length > MAX_PATH:
                await _fail(stream, "path too long")
                return
            path = (await stream.read_exactly(length)).partition(b"\0")[0].decode("utf-8", "surrogateescape")
            match kind:
                case b"STAT":
                    await stream.write(await self._stat_v1(path))
                case b"STA2" | b"LST2":
                    await stream.write(await self._stat_v2(kind, path))
                case b"LIST" | b"LIS2":
                    await stream.write(await self._list(path, kind == b"LIS2"))
                case b"SEND":
                    working = await self._receive_v1(stream, path)
                case b"SND2":
                    _, mode, flags = SEND_V2.unpack(await stream.read_exactly(SEND_V2.size))
                    working = await self._receive(stream, Upload(path, mode, bool(flags & DRY_RUN)), flags & ~DRY_RUN)
                case b"RECV":
                    working = await self._send(stream, path, 0)
                case b"RCV2":
                    _, flags = RECV_V2.unpack(await stream.read_exactly(RECV_V2.size))
                    working = await self._send(stream, path, flags)
                case _:
                    await _fail(stream, f"unknown command {int.from_bytes(kind, 'little'):08x}")
                    return

    # -- stat and list

    def _look(self, phone: Phone, path: str, follow: bool) -> FileStat | OSError:
        try:
            absolute = _absolute(path)
            rootfs.check_read(phone.files, absolute, self._handset.uid)
            return phone.files.stat(absolute, follow)
        except OSError as error:
            return error

    async def _stat_v1(self, path: str) -> bytes:
        found = await self._handset.call(lambda phone: self._look(phone, path, follow=False))
        if isinstance(found, OSError):
            return STAT_V1.pack(b"STAT", 0, 0, 0)
        return STAT_V1.pack(b"STAT", found.mode, found.size & 0xFFFFFFFF, found.mtime & 0xFFFFFFFF)

    async def _stat_v2(self, kind: bytes, path: str) -> bytes:
        found = await self._handset.call(lambda phone: self._look(phone, path, follow=kind == b"STA2"))
        return STAT_V2.pack(kind, *_fields_v2(found))

    async def _list(self, path: str, v2: bool) -> bytes:
        def entries(phone: Phone) -> list[tuple[str, FileStat | OSError]]:
            try:
                absolute = _absolute(path)
                rootfs.check_list(phone.files, absolute, self._handset.uid)
                names = [".", "..", *phone.files.list(absolute)]
            except OSError:
                return []
            return [(name, self._look(phone, f"{absolute}/{name}", follow=False)) for name in names]

        parts = []
        for name, found in await self._handset.call(entries):
            encoded = name.encode("utf-8", "surrogateescape")
            if v2:
                parts.append(DENT_V2.pack(b"DNT2", *_fields_v2(found), len(encoded)) + encoded)
            elif not isinstance(found, OSError):
                size, mtime = found.size & 0xFFFFFFFF, found.mtime & 0xFFFFFFFF
                parts.append(DENT_V1.pack(b"DENT", found.mode, size, mtime, len(encoded)) + encoded)
        end = DENT_V2.pack(b"DONE", *[0] * 12) if v2 else DENT_V1.pack(b"DONE", 0, 0, 0, 0)
        return b"".join([*parts, end])

    # -- host to phone

    async def _receive_v1(self, stream: Stream, spec: str) -> bool:
        path, comma, mode = spec.rpartition(",")
        if not comma:
            await _fail(stream, "missing , in ID_SEND_V1")
            return False
        return await self._receive(stream, Upload(path, _number(mode)), 0)

    async def _receive(self, stream: Stream, upload: Upload, flags: int) -> bool:
        """Whether the file was taken. One that is refused is read to its end, which is when the host listens."""
        if flags:
            await _fail(stream, f"unknown flags: {flags}")
            return False
        problem = await self._handset.call(lambda phone: self._prepare(phone, upload))
        if problem:
            await _fail(stream, problem)
            await _drain(stream)
            return False
        parts: list[bytes] = []
        while True:
            kind, number = HEAD.unpack(await stream.read_exactly(HEAD.size))
            if kind == b"DONE":
                break
            if kind != b"DATA" or number > MAX_DATA:
                await _fail(stream, "oversize data message" if kind == b"DATA" else "invalid data message")
                return False
            parts.append(await stream.read_exactly(number))
        if not upload.dry_run:
            problem = await self._handset.call(lambda phone: self._store(phone, upload, b"".join(parts), number))
        if problem:
            await _fail(stream, problem)
        else:
            await stream.write(HEAD.pack(b"OKAY", 0))
        return not problem

    def _prepare(self, phone: Phone, upload: Upload) -> str:
        """Make the directories above and see whether the file can be written; "" or what to tell the host."""
        files, uid, remounted = phone.files, self._handset.uid, self._handset.remounted
        try:
            path = _absolute(upload.path)
            parent = path.rstrip("/").rpartition("/")[0] or "/"
            if not files.is_there(parent):
                rootfs.check_write(files, parent, uid, remounted, parents=True)
                files.mkdir(parent, parents=True)
        except FileExistsError:
            pass  # something on the way is a file, as creating it will tell
        except OSError as error:
            return f"secure_mkdirs failed: {error.strerror}"
        try:
            if self._replaces_link(phone, path, parent):
                return ""
            rootfs.check_write(files, path.rstrip("/") or "/", uid, remounted)
            if files.is_dir(path) or path.endswith("/"):
                raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), path)
        except OSError as error:
            return f"couldn't create file: {error.strerror}"
        return ""

    def _replaces_link(self, phone: Phone, path: str, parent: str) -> bool:
        """Whether a link stands there which will make way, wherever it leads."""
        found = self._look(phone, path, follow=False)
        if isinstance(found, OSError) or not st.S_ISLNK(found.mode):
            return False
        try:
            rootfs.check_write(
                phone.files, f"{parent}/{os.path.basename(path)}.new", self._handset.uid, self._handset.remounted
            )
        except OSError:
            return False
        return True

    def _store(self, phone: Phone, upload: Upload, data: bytes, mtime: int) -> str:
        path, files = _absolute(upload.path), phone.files
        try:
            if files.is_there(path) and (st.S_ISLNK(upload.mode) or st.S_ISLNK(files.stat(path, follow=False).mode)):
                files.remove(path)
            if st.S_ISLNK(upload.mode):
                files.symlink(data.rstrip(b"\0").decode("utf-8", "surrogateescape"), path)
                files.utime(path, mtime, follow=False)
            else:
                owner = upload.mode & 0o700
                files.write(path, data, upload.mode & 0o777 | owner >> 3 | owner >> 6, mtime)
        except OSError as error:
            return f"write failed: {error.strerror}"
        return ""

    # -- phone to host

    async def _send(self, stream: Stream, path: str, flags: int) -> bool:
        def read(phone: Phone) -> bytes:
            absolute = _absolute(path)
            rootfs.check_read(phone.files, absolute, self._handset.uid)
            return phone.files.read(absolute)

        if flags:
            await _fail(stream, f"unknown flags: {flags}")
            return False
        try:
            data = memoryview(await self._handset.call(read))
        except OSError as error:
            await _fail(stream, f"{'read' if error.errno == errno.EISDIR else 'open'} failed: {error.strerror}")
            return False
        batch: list[bytes | memoryview] = []
        for start in range(0, len(data), CHUNK):
            part = data[start : start + CHUNK]
            batch += [HEAD.pack(b"DATA", len(part)), part]
            if len(batch) * CHUNK // 2 >= BATCH:
                await stream.write(b"".join(batch))
                batch = []
        await stream.write(b"".join([*batch, HEAD.pack(b"DONE", 0)]))
        return True


def _number(text: str) -> int:
    """As strtoul reads it: decimal, octal or hexadecimal by its beginning, and 0 for what is no number."""
    found = _NUMBER.match(text)
    if found is None:
        return 0
    sign, digits = found.groups()
    octal = digits.startswith("0") and digits.isdecimal()
    return int(sign + digits, 8 if octal else 0) & 0xFFFFFFFF


def _absolute(path: str) -> str:
    if not path:
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)
    return path if path.startswith("/") else "/" + path


def _fields_v2(found: FileStat | OSError) -> tuple[int, ...]:
    if isinstance(found, OSError):
        return (found.errno or errno.EIO, *[0] * 10)
    owner = (found.mode, found.nlink, found.uid, found.gid)
    return (0, DEVICE, found.inode, *owner, found.size, found.mtime, found.mtime, found.mtime)


async def _fail(stream: Stream, message: str) -> None:
    encoded = message.encode("utf-8", "replace")
    await stream.write(HEAD.pack(b"FAIL", len(encoded)) + encoded)


async def _drain(stream: Stream) -> None:
    """Skip the data of a refused upload, up to its DONE."""
    while True:
        kind, number = HEAD.unpack(await stream.read_exactly(HEAD.size))
        if kind != b"DATA":
            return
        await stream.read_exactly(number)

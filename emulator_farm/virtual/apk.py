"""What an APK says of itself: the start of its binary AndroidManifest.xml, read without running anything."""

import io
import struct
import zipfile
import zlib
from dataclasses import dataclass

STRING_POOL = 0x0001
XML = 0x0003
START_ELEMENT = 0x0102
UTF8 = 0x100
TYPE_STRING, TYPE_INT_DEC, TYPE_INT_HEX, TYPE_BOOLEAN = 0x03, 0x10, 0x11, 0x12
NO_STRING = 0xFFFFFFFF
MAX_MANIFEST = 8 * 1024 * 1024


class BadApk(ValueError):
    """The bytes are no APK; the message is what the package manager says."""


@dataclass(frozen=True)
class ApkInfo:
    """`test_only` packages need `pm install -t`."""

    package: str
    version_code: int
    version_name: str
    test_only: bool


def read_apk(data: bytes) -> ApkInfo:
    """Read package name and version. Raises BadApk."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            entry = archive.getinfo("AndroidManifest.xml")
            if entry.file_size > MAX_MANIFEST:
                raise BadApk(f"AndroidManifest.xml of {entry.file_size} bytes")
            manifest = archive.read(entry)
    except (zipfile.BadZipFile, KeyError, OSError, zlib.error, NotImplementedError, EOFError) as error:
        raise BadApk(f"Failed to parse the APK: {error}") from None
    try:
        return _read_manifest(manifest)
    except (struct.error, IndexError, UnicodeDecodeError) as error:
        raise BadApk(f"Failed to parse AndroidManifest.xml: {error}") from None


def _read_manifest(data: bytes) -> ApkInfo:
    kind, header_size, _ = struct.unpack_from("<HHI", data)
    if kind != XML:
        raise BadApk("AndroidManifest.xml is not binary XML")
    strings: list[str] = []
    attributes: dict[str, dict[str, str | int]] = {}
    position = header_size
    while position + 8 <= len(data) and "application" not in attributes:
        kind, header_size, size = struct.unpack_from("<HHI", data, position)
        if size < 8:
            raise BadApk(f"chunk of {size} bytes in AndroidManifest.xml")
        if kind == STRING_POOL:
            strings = _strings(data, position)
        elif kind == START_ELEMENT:
            name, values = _element(data, position + header_size, strings)
            attributes.setdefault(name, values)
        position += size
    manifest = attributes.get("manifest", {})
    package = manifest.get("package")
    if not isinstance(package, str) or not package:
        raise BadApk("AndroidManifest.xml names no package")
    version_code = manifest.get("versionCode", 0)
    return ApkInfo(
        package,
        version_code if isinstance(version_code, int) else 0,
        str(manifest.get("versionName", "")),
        bool(attributes.get("application", {}).get("testOnly", 0)),
    )


def _strings(data: bytes, start: int) -> list[str]:
    _, header_size, _, count, _, flags, strings_start, _ = struct.unpack_from("<HHIIIIII", data, start)
    offsets = struct.unpack_from(f"<{count}I", data, start + header_size)
    return [_string(data, start + strings_start + offset, bool(flags & UTF8)) for offset in offsets]


def _string(data: bytes, position: int, utf8: bool) -> str:
    if utf8:
        _, position = _length(data, position, 1)
        length, position = _length(data, position, 1)
        return data[position : position + length].decode("utf-8", "replace")
    length, position = _length(data, position, 2)
    return data[position : position + 2 * length].decode("utf-16-le", "replace")


def _length(data: bytes, position: int, width: int) -> tuple[int, int]:
    """A length of one or two units of `width` bytes; the top bit of the first tells."""
    code, top = ("<B", 0x80) if width == 1 else ("<H", 0x8000)
    (first,) = struct.unpack_from(code, data, position)
    if not first & top:
        return first, position + width
    (second,) = struct.unpack_from(code, data, position + width)
    return (first & (top - 1)) << (8 * width) | second, position + 2 * width


def _element(data: bytes, start: int, strings: list[str]) -> tuple[str, dict[str, str | int]]:
    _, name, attribute_start, attribute_size, count = struct.unpack_from("<IIHHH", data, start)
    values: dict[str, str | int] = {}
    for index in range(count):
        at = start + attribute_start + index * attribute_size
        _, key, raw, _, _, kind, value = struct.unpack_from("<IIIHBBI", data, at)
        if kind == TYPE_STRING or raw != NO_STRING:
            values[strings[key]] = strings[value if kind == TYPE_STRING else raw]
        elif kind in (TYPE_INT_DEC, TYPE_INT_HEX, TYPE_BOOLEAN):
            values[strings[key]] = value
    return strings[name], values

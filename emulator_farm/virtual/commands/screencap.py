"""`screencap`: the screen as PNG or as raw pixels, with every way it goes wrong on real phones."""

import asyncio
import io
import posixpath
import struct

from PIL import Image

from emulator_farm.virtual.phone import Phone
from emulator_farm.virtual.shell.invocation import Invocation, ToolError

HEADER = struct.Struct("<IIII")
RGBA_8888 = 1
COLORSPACE_SRGB = 1
USAGE = """usage: screencap [-hp] [-d display-id] [FILENAME]
   -h: this message
   -p: save the file as a png.
   -d: specify the physical display ID to capture.
       see "dumpsys SurfaceFlinger --display-id" for valid display IDs.
If FILENAME ends with .png it will be saved as a png.
If FILENAME is not given, the results will be printed to stdout.
"""
DISPLAY_ID = 4619827259835644672
WARNING = (
    "[Warning] Multiple displays were found, but no display id was specified! Defaulting to the first display found, "
    "however this default is not guaranteed to be consistent across captures. A display id should be specified.\n"
    "A display ID can be specified with the [-d display-id] option.\n"
    'See "dumpsys SurfaceFlinger --display-id" for valid display IDs.\n'
)


async def screencap(run: Invocation) -> int:
    """Capture to a file or to standard output; waits the phone's capture latency first."""
    png, explicit_display, target = _options(run)
    if latency := run.handset.phone.latency.capture_s:
        await asyncio.sleep(latency)
    fault = run.handset.fault("screencap")
    if fault == "status":
        run.err("Status: -1\n")
        return 1
    if fault == "warning" and not explicit_display:
        run.out(WARNING)

    def capture(phone: Phone) -> bytes:
        handset = run.handset
        if fault == "stale" and (handset.last_png if png else handset.last_raw):
            return handset.last_png if png else handset.last_raw
        data = _capture(phone, png, fault)
        if png:
            handset.last_png = data
        else:
            handset.last_raw = data
        return data

    def save(phone: Phone) -> None:
        phone.files.write(run.writable(target), capture(phone))

    if target:
        try:
            await run.call(save)
        except OSError as error:
            raise ToolError(
                f"Error opening file: {posixpath.join(run.shell.cwd, target)} ({error.strerror})", prefix=""
            ) from None
    else:
        run.out(await run.call(capture))
    return 0


def _options(run: Invocation) -> tuple[bool, bool, str]:
    png = explicit_display = False
    args = list(run.args)
    while args and args[0].startswith("-") and args[0] != "-":
        option = args.pop(0)
        if option == "-p":
            png = True
        elif option == "-h":
            raise ToolError(USAGE.rstrip("\n"), prefix="")
        elif option in ("-d", "--display-id") and args:
            explicit_display = True
            if args.pop(0) not in (str(DISPLAY_ID), "0"):
                raise ToolError("Display Id is not valid.", prefix="")
        elif option in ("-a", "--hint-for-seamless"):
            continue
        else:
            raise ToolError(f"invalid option -- {option.lstrip('-')}\n{USAGE.rstrip(chr(10))}")
    if len(args) > 1:
        raise ToolError(USAGE.rstrip("\n"), prefix="")
    target = args[0] if args else ""
    return png or target.endswith(".png"), explicit_display, target


def _capture(phone: Phone, png: bool, fault: str) -> bytes:
    match fault:
        case "empty":
            return b""
        case "black" | "wrong_size":
            width, height = phone.screen_size
            image = (
                Image.new("RGB", (width, height))
                if fault == "black"
                else phone.frame().resize((width // 2, height // 2))
            )
            return _encode(image, png)
    data = phone.png() if png else _raw(phone.raw(), phone.screen_size)
    if fault == "truncated":
        return data[: len(data) * 2 // 3]
    if fault == "crlf":
        return data.replace(b"\n", b"\r\n")
    return data


def _raw(pixels: bytes, size: tuple[int, int]) -> bytes:
    return HEADER.pack(*size, RGBA_8888, COLORSPACE_SRGB) + pixels


def _encode(image: Image.Image, png: bool) -> bytes:
    if not png:
        return _raw(image.convert("RGBA").tobytes(), image.size)
    out = io.BytesIO()
    image.save(out, "PNG", compress_level=1)
    return out.getvalue()

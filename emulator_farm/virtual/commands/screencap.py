"""`screencap`: the screen as PNG or as raw pixels, with every way it goes wrong on real phones."""

import asyncio
import posixpath
import struct

from PIL import Image

from emulator_farm.virtual.phone import Phone
from emulator_farm.virtual.picture import encode_png
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
    several = run.handset.phone.faults.display == "two"
    if fault == "hang":
        await asyncio.Event().wait()
    if fault == "status":
        run.err("Status: -1\n")
        return 1
    if (fault == "warning" or several) and not explicit_display:
        run.out(WARNING)

    def capture(phone: Phone) -> list[bytes]:
        parts = _capture(phone, run.handset.last_frame if fault == "stale" else None, png, fault)
        if fault != "stale":
            run.handset.keep_frame(png=png)
        return parts

    def save(phone: Phone) -> None:
        phone.files.write(run.writable(target), b"".join(capture(phone)))

    if target:
        try:
            await run.call(save)
        except OSError as error:
            raise ToolError(
                f"Error opening file: {posixpath.join(run.shell.cwd, target)} ({error.strerror})", prefix=""
            ) from None
    else:
        for part in await run.call(capture):
            run.out(part)
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
            if args.pop(0) not in (str(DISPLAY_ID), "0"):  # the second display shows nothing worth a picture
                raise ToolError("Display Id is not valid.", prefix="")
        elif option in ("-a", "--hint-for-seamless"):
            continue
        else:
            raise ToolError(f"invalid option -- {option.lstrip('-')}\n{USAGE.rstrip(chr(10))}")
    if len(args) > 1:
        raise ToolError(USAGE.rstrip("\n"), prefix="")
    target = args[0] if args else ""
    return png or target.endswith(".png"), explicit_display, target


def _capture(phone: Phone, old: Image.Image | None, png: bool, fault: str) -> list[bytes]:
    """The output in pieces. `old` is an earlier frame to give instead of the present one."""
    width, height = phone.screen_size
    match fault:
        case "empty":
            return []
        case "black":
            parts = _encode(Image.new("RGB", (width, height)), png)
        case "wrong_size":
            parts = _encode(phone.frame().resize((width // 2, height // 2)), png)
        case "padded":
            side = max(width, height)
            square = Image.new("RGB", (side, side))
            square.paste(phone.frame())
            parts = _encode(square, png)
        case "stale" if old is not None:
            parts = _encode(old, png)
        case _:
            parts = [phone.png()] if png else [_header(width, height), phone.raw()]
    if fault == "truncated":
        data = b"".join(parts)
        return [data[: len(data) * 2 // 3]]
    return [part.replace(b"\n", b"\r\n") for part in parts] if fault == "crlf" else parts


def _header(width: int, height: int) -> bytes:
    return HEADER.pack(width, height, RGBA_8888, COLORSPACE_SRGB)


def _encode(image: Image.Image, png: bool) -> list[bytes]:
    return [encode_png(image)] if png else [_header(*image.size), image.convert("RGBA").tobytes()]

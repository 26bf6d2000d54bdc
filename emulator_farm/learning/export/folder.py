"""A folder that appears whole or not at all."""

from __future__ import annotations

import contextlib
import secrets
import shutil
from collections.abc import Iterator
from pathlib import Path

from emulator_farm.errors import CallerError


@contextlib.contextmanager
def new_folder(out: Path) -> Iterator[Path]:
    """A hidden folder beside `out` that becomes `out` at the end of the block, and vanishes where the block fails.

    Raises CallerError where `out` is a file, is not empty, or cannot be made.
    """
    if out.exists() and not out.is_dir():
        raise CallerError(f"{out} is a file; name a folder, it will be made")
    if out.is_dir() and any(out.iterdir()):
        raise CallerError(f"{out} is not empty; name a new folder, nothing is overwritten")
    unfinished = out.with_name(f".{out.name}.{secrets.token_hex(4)}.tmp")
    try:
        unfinished.mkdir(parents=True)
    except OSError as error:
        raise CallerError(f"{out} cannot be made: {error.strerror or error}") from error
    try:
        yield unfinished
        try:
            unfinished.replace(out)
        except OSError as error:
            raise CallerError(f"{out} cannot be put in place: {error.strerror or error}") from error
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)

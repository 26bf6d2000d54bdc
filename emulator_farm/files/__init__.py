"""Files that are written once and never changed, in a local folder or an object store.

Both forms promise the same: `create` makes a file appear under its name whole or not at all, and of any number of
writers racing for one name exactly one wins.
"""

from __future__ import annotations

from pathlib import Path

import fsspec

from emulator_farm.errors import CallerError
from emulator_farm.files.local import LocalFiles
from emulator_farm.files.objects import ObjectFiles
from emulator_farm.files.protocol import Files, FileTaken

__all__ = ["FileTaken", "Files", "LocalFiles", "ObjectFiles", "open_files"]

_EXTRAS = {"s3": "s3", "s3a": "s3", "gs": "gcs", "gcs": "gcs"}


def open_files(uri: str | Path) -> Files:
    """The files under a path or a URI such as `s3://bucket/prefix` or `memory://name`. Touches nothing.

    Raises CallerError for a scheme that is unknown or whose driver is not installed.
    """
    text = str(uri)
    scheme, separator, rest = text.partition("://")
    if not text.strip():
        raise CallerError("the place to keep results in is empty; give a folder or a URI")
    if isinstance(uri, Path) or not separator:
        return LocalFiles(Path(text))
    if scheme in ("file", "local"):
        return LocalFiles(Path(rest))
    try:
        filesystem, root = fsspec.core.url_to_fs(text)
    except ImportError as error:
        extra = _EXTRAS.get(scheme)
        hint = f"pip install 'android-rollout-farm[{extra}]'" if extra else str(error)
        raise CallerError(f"{text}: the driver for {scheme}:// is not installed; {hint}") from error
    except ValueError as error:
        raise CallerError(f"{text}: {error}") from error
    return ObjectFiles(filesystem, root, text)

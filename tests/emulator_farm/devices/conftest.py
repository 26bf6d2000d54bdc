"""The corpus of real device artifacts."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

_CORPUS = Path(os.environ.get("DEVICE_CORPUS", Path(__file__).parents[2] / "corpus"))


@pytest.fixture(scope="session")
def transcript() -> Callable[[str], str]:
    """What a real phone wrote, by file name."""
    return lambda name: (_CORPUS / "transcripts" / name).read_bytes().decode()


@pytest.fixture(scope="session")
def transcript_bytes() -> Callable[[str], bytes]:
    return lambda name: (_CORPUS / "transcripts" / name).read_bytes()


@pytest.fixture(scope="session")
def screenshot() -> Callable[[str], bytes]:
    """A real screenshot, by file name."""
    return lambda name: (_CORPUS / "screenshots" / name).read_bytes()

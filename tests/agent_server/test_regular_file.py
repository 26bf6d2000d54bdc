"""Files of others: what is none is refused at once, and holds nobody up."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

from agent_server.errors import InvalidRequest
from agent_server.json_file import read_object
from agent_server.launcher.checkpoint import read_checkpoint
from agent_server.processor import checkpoint_processor
from agent_server.prompts import PromptSet
from agent_server.regular_file import open_regular, read_regular
from agent_server.weights.folder import check_adapter, check_checkpoint, tensors


def pipe(path: Path) -> None:
    os.mkfifo(path)


def device(path: Path) -> None:
    path.symlink_to("/dev/zero")


EVERY = pytest.mark.parametrize(
    ("make", "kind"),
    [(pipe, "pipe"), (Path.mkdir, "directory"), (device, "device")],
    ids=["pipe", "directory", "device"],
)


@EVERY
def test_what_is_no_file(make, kind, tmp_path):
    path = tmp_path / "config.json"
    make(path)
    for read in (open_regular, read_regular, read_object, tensors):
        with pytest.raises(InvalidRequest, match=rf"config\.json is a {kind}; put a regular file there"):
            read(path)
    open_before = len(os.listdir("/proc/self/fd"))
    with pytest.raises(InvalidRequest):
        open_regular(path)
    assert len(os.listdir("/proc/self/fd")) == open_before


def test_a_socket_and_nothing(tmp_path):
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(tmp_path / "s"))
        with pytest.raises(InvalidRequest, match="cannot be read here"):
            read_regular(tmp_path / "s")
    with pytest.raises(InvalidRequest, match="cannot be read here: No such file"):
        read_regular(tmp_path / "none")


def test_a_file_by_whatever_name(tmp_path):
    (tmp_path / "a").write_bytes(b"x" * 100_000)
    (tmp_path / "b").symlink_to(tmp_path / "a")
    assert read_regular(tmp_path / "b") == b"x" * 100_000


@EVERY
def test_everything_that_a_request_or_a_start_reads(make, kind, tmp_path):
    names = {
        "preprocessor_config.json": checkpoint_processor,
        "config.json": lambda folder: read_checkpoint(str(folder)),
        "adapter_config.json": lambda folder: check_adapter(folder, vision=False),
        "ui-tars-1.5.jinja": PromptSet.load,
    }
    for name, read in names.items():
        folder = tmp_path / f"{name}.folder"
        folder.mkdir()
        make(folder / name)
        with pytest.raises(InvalidRequest, match=rf"is a {kind}; put a regular file there"):
            read(folder)


@EVERY
def test_the_checkpoint_that_is_served(make, kind, tmp_path, checkpoint_folder):
    served = tmp_path / "served"
    served.mkdir()
    make(served / "config.json")
    with pytest.raises(InvalidRequest, match=rf"is a {kind}"):
        check_checkpoint(checkpoint_folder("new", {"a": (2, 3)}), served)


@EVERY
def test_the_note_of_where_prompts_come_from(make, kind, tmp_path):
    (tmp_path / "ui-tars-1.5.jinja").write_text("{{ goal }}, in my own words")
    make(tmp_path / "ORIGIN.json")
    with pytest.raises(InvalidRequest, match=rf"ORIGIN\.json is a {kind}"):
        PromptSet.load(tmp_path)


def test_a_template_that_is_no_text(tmp_path):
    (tmp_path / "ui-tars-1.5.jinja").write_bytes(b"\xff\xfe{{ goal }}")
    with pytest.raises(InvalidRequest, match=r"ui-tars-1\.5\.jinja is not UTF-8 text"):
        PromptSet.load(tmp_path)

"""One contract for both forms of storage, and what only a local disk can go wrong with."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
import uuid
from pathlib import Path

import pytest

from emulator_farm.errors import CallerError, StoreError
from emulator_farm.files import Files, FileTaken, LocalFiles, ObjectFiles, open_files
from emulator_farm.files.local import link


@pytest.fixture(params=["local", "memory"])
def files(request: pytest.FixtureRequest, tmp_path: Path) -> Files:
    return open_files(tmp_path / "run" if request.param == "local" else f"memory://{uuid.uuid4().hex}/run")


def test_a_file_is_created_read_and_listed(files: Files) -> None:
    files.create("a/b/one.json", b"1")
    files.create("a/two.json", b"22")
    assert files.read("a/b/one.json") == b"1"
    with files.open("a/two.json") as file:
        file.seek(1)
        assert file.read() == b"2"
    assert files.names("a") == ["b", "two.json"]
    assert files.names("a/b") == ["one.json"]
    assert files.names("") == ["a"]
    assert files.exists("a/two.json")


def test_the_first_writer_wins(files: Files) -> None:
    files.create("x", b"first")
    with pytest.raises(FileTaken):
        files.create("x", b"second")
    assert files.read("x") == b"first"


def test_what_is_missing(files: Files) -> None:
    assert files.names("nowhere") == []
    assert not files.exists("nothing")
    with pytest.raises(FileNotFoundError):
        files.read("nothing")
    with pytest.raises(FileNotFoundError):
        files.open("nothing")


def test_an_empty_place_or_one_with_the_marker_can_be_claimed(files: Files) -> None:
    files.claim("run.json")
    files.create("run.json", b"{}")
    files.create("episodes/a", b"")
    files.claim("run.json")


def test_a_place_with_other_things_is_refused(files: Files) -> None:
    for name in ("holiday.jpg", "letter.txt", "music.ogg", "zip.zip"):
        files.create(name, b"")
    with pytest.raises(CallerError, match=r"holds something that is no run \(holiday.jpg, letter.txt, music.ogg, …\)"):
        files.claim("run.json")


def test_sweeping_an_empty_place(files: Files) -> None:
    assert files.sweep(0) == 0


def test_a_file_in_the_way_is_refused(tmp_path: Path) -> None:
    (tmp_path / "out").write_text("hello")
    with pytest.raises(CallerError, match="out is a file; name a folder"):
        open_files(tmp_path / "out").claim("run.json")
    with pytest.raises(StoreError, match="could not be written"):
        open_files(tmp_path / "out").create("episodes/a", b"")


@pytest.mark.parametrize("where", ["/proc/no-such-run", "/dev/null/run"])
def test_a_place_that_cannot_be_written_to_is_refused(where: str) -> None:
    with pytest.raises(CallerError, match="cannot be written to"):
        open_files(where).claim("run.json")


def test_claiming_leaves_nothing_behind(tmp_path: Path) -> None:
    open_files(tmp_path / "new" / "run").claim("run.json")
    assert list((tmp_path / "new" / "run").iterdir()) == []


def test_hidden_files_of_the_system_are_no_content(tmp_path: Path) -> None:
    (tmp_path / ".DS_Store").write_text("")
    files = open_files(tmp_path)
    files.claim("run.json")
    assert files.names("") == []


def test_a_folder_that_cannot_be_listed(tmp_path: Path) -> None:
    (tmp_path / "episodes").write_text("")
    with pytest.raises(StoreError, match="could not be listed: Not a directory"):
        open_files(tmp_path).names("episodes")
    with pytest.raises(StoreError, match="could not be read: Is a directory"):
        open_files(tmp_path.parent).read(tmp_path.name)


def test_a_full_disk_leaves_nothing_half_written(tmp_path: Path) -> None:
    """A process that may write no more than 4 KiB a file meets the same error as one on a full disk."""
    program = (
        "import resource, signal, sys\n"
        "from emulator_farm.files import open_files\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))\n"
        "open_files(sys.argv[1]).create('episodes/a.parquet', bytes(100_000))\n"
    )
    done = subprocess.run([sys.executable, "-c", program, str(tmp_path)], capture_output=True, text=True, check=False)
    assert "StoreError" in done.stderr
    assert "File too large" in done.stderr
    assert list((tmp_path / "episodes").iterdir()) == []


_RACER = """
import sys
from emulator_farm.files import FileTaken, open_files
files, content = open_files(sys.argv[1]), sys.argv[2].encode() * 2_000_000
print("ready", flush=True)
sys.stdin.readline()
try:
    files.create("episodes/same", content)
    print("won")
except FileTaken:
    print("lost")
"""


def test_of_eight_processes_racing_for_a_name_one_wins(tmp_path: Path) -> None:
    racers = {
        letter: subprocess.Popen(
            [sys.executable, "-c", _RACER, str(tmp_path), letter],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for letter in "abcdefgh"
    }
    for racer in racers.values():
        assert racer.stdout is not None
        assert racer.stdout.readline() == "ready\n"
    for racer in racers.values():
        assert racer.stdin is not None
        racer.stdin.write("go\n")
        racer.stdin.flush()
    outcomes = {letter: racer.communicate(timeout=60)[0].strip() for letter, racer in racers.items()}
    assert sorted(outcomes.values()) == ["lost"] * 7 + ["won"]
    winner = next(letter for letter, outcome in outcomes.items() if outcome == "won")
    assert (tmp_path / "episodes" / "same").read_bytes() == winner.encode() * 2_000_000
    assert [path.name for path in (tmp_path / "episodes").iterdir()] == ["same"]


_SLOW_WRITER = """
import sys
from emulator_farm.files import open_files
files = open_files(sys.argv[1])
for number in range(10_000):
    files.create(f"episodes/{number}", bytes([number % 256]) * 3_000_000)
"""


def test_a_writer_killed_in_the_middle_leaves_only_whole_files(tmp_path: Path) -> None:
    files = LocalFiles(tmp_path)
    for _ in range(3):
        writer = subprocess.Popen([sys.executable, "-c", _SLOW_WRITER, str(tmp_path / "run")])
        deadline = time.monotonic() + 30
        while not list(tmp_path.glob("run/episodes/.*.tmp")):
            assert writer.poll() is None
            assert time.monotonic() < deadline
        os.kill(writer.pid, signal.SIGKILL)
        writer.wait(10)
        for name in files.names("run/episodes"):
            assert files.read(f"run/episodes/{name}") == bytes([int(name) % 256]) * 3_000_000
        for path in tmp_path.glob("run/episodes/[0-9]*"):
            path.unlink()


def test_a_file_system_without_hard_links_is_told(tmp_path: Path) -> None:
    """A folder cannot be linked to either: the kernel gives the same answer."""
    with pytest.raises(StoreError, match="file system without hard links"):
        link(tmp_path, tmp_path / "name")
    with pytest.raises(FileNotFoundError):
        link(tmp_path / "nothing", tmp_path / "name")


def test_unfinished_files_are_invisible_and_swept_by_age(tmp_path: Path) -> None:
    files = LocalFiles(tmp_path)
    files.create("episodes/a", b"whole")
    old, young = (tmp_path / "episodes" / f".b.{name}.tmp" for name in ("old", "young"))
    old.write_bytes(b"ha")
    young.write_bytes(b"ha")
    os.utime(old, (time.time() - 7200,) * 2)
    assert files.names("episodes") == ["a"]
    assert files.sweep(3600) == 1
    assert not old.exists()
    assert young.exists()
    assert files.read("episodes/a") == b"whole"


def test_threads_racing_in_memory(tmp_path: Path) -> None:
    files = open_files(f"memory://{uuid.uuid4().hex}")
    won: list[int] = []

    def go(number: int) -> None:
        try:
            files.create("x", bytes([number]))
            won.append(number)
        except FileTaken:
            pass

    files.create("other", b"")
    threads = [threading.Thread(target=go, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert files.read("x")[0] in won


def test_file_uris_and_paths_are_local(tmp_path: Path) -> None:
    for uri in (tmp_path, str(tmp_path), f"file://{tmp_path}"):
        files = open_files(uri)
        assert isinstance(files, LocalFiles)
        assert files.root == tmp_path
    assert isinstance(open_files("memory://x"), ObjectFiles)


@pytest.mark.parametrize(
    ("uri", "message"),
    [
        ("", "is empty"),
        ("  ", "is empty"),
        ("nonsense://x/y", "nonsense://x/y: Protocol not known"),
        ("abfs://x/y", "driver for abfs:// is not installed"),
    ],
)
def test_places_that_cannot_be(uri: str, message: str) -> None:
    with pytest.raises(CallerError, match=message):
        open_files(uri)


class Refusing:
    """A file system as its driver is without network: every call fails in the vendor's own words."""

    protocol = ("s3", "s3a")

    class VendorError(Exception):
        pass

    def invalidate_cache(self) -> None:
        raise self.VendorError("Could not connect to the endpoint")

    def pipe_file(self, path: str, data: bytes, mode: str) -> None:
        raise self.VendorError("Could not connect to the endpoint")


def test_a_vendors_own_errors_become_ours() -> None:
    files = ObjectFiles(Refusing(), "bucket/run", "s3://bucket/run")
    with pytest.raises(StoreError, match="s3://bucket/run/a could not be written: Could not connect"):
        files.create("a", b"")
    with pytest.raises(StoreError, match="could not be looked up"):
        files.exists("a")
    with pytest.raises(CallerError, match="s3://bucket/run cannot be used"):
        files.claim("run.json")

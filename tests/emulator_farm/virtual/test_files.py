"""The file tree against the rules of POSIX, and against the real file system for random operations."""

import errno
import os
import stat
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from emulator_farm.virtual.files import FileTree


@pytest.fixture
def tree() -> FileTree:
    tree = FileTree(now=lambda: 1000.0)
    tree.mkdir("/data/local/tmp", parents=True)
    return tree


class TestContent:
    def test_write_read_append(self, tree: FileTree) -> None:
        tree.write("/data/a", b"one")
        tree.append("/data/a", b"two")
        tree.append("/data/new", b"x")
        assert tree.read("/data/a") == b"onetwo"
        assert tree.read("/data/new") == b"x"

    def test_stat_of_file_and_directory(self, tree: FileTree) -> None:
        tree.write("/data/a", b"12345", mode=0o640, mtime=77.9)
        found = tree.stat("/data/a")
        assert (stat.S_ISREG(found.mode), found.mode & 0o777, found.size, found.mtime) == (True, 0o640, 5, 77)
        assert stat.S_ISDIR(tree.stat("/data").mode)
        assert tree.stat("/data").nlink == 3

    def test_a_write_keeps_the_mode_unless_told(self, tree: FileTree) -> None:
        tree.write("/data/a", b"", mode=0o755)
        tree.write("/data/a", b"x")
        assert tree.stat("/data/a").mode & 0o777 == 0o755

    def test_new_nodes_belong_to_the_owner_of_their_directory(self, tree: FileTree) -> None:
        tree.chown("/data/local/tmp", 2000, 2000)
        tree.write("/data/local/tmp/a", b"")
        tree.mkdir("/data/local/tmp/d")
        assert tree.stat("/data/local/tmp/a").uid == tree.stat("/data/local/tmp/d").gid == 2000

    def test_capacity_is_a_limit_and_comes_back(self) -> None:
        tree = FileTree(capacity=10)
        tree.write("/a", b"12345678")
        with pytest.raises(OSError) as caught:
            tree.write("/b", b"123")
        assert caught.value.errno == errno.ENOSPC
        tree.write("/a", b"1")
        tree.write("/b", b"123456789")
        tree.remove("/b")
        assert tree.used == 1


class TestErrors:
    @pytest.mark.parametrize(
        ("call", "code"),
        [
            (lambda t: t.read("/nope"), errno.ENOENT),
            (lambda t: t.read("/nope/deep"), errno.ENOENT),
            (lambda t: t.read("/data"), errno.EISDIR),
            (lambda t: t.read("/data/f/x"), errno.ENOTDIR),
            (lambda t: t.read("/data/f/"), errno.ENOTDIR),
            (lambda t: t.write("/data", b""), errno.EISDIR),
            (lambda t: t.write("/nope/x", b""), errno.ENOENT),
            (lambda t: t.write("/data/new/", b""), errno.EISDIR),
            (lambda t: t.mkdir("/data"), errno.EEXIST),
            (lambda t: t.mkdir("/data/f", parents=True), errno.EEXIST),
            (lambda t: t.mkdir("/x/y"), errno.ENOENT),
            (lambda t: t.list("/data/f"), errno.ENOTDIR),
            (lambda t: t.remove("/nope"), errno.ENOENT),
            (lambda t: t.remove("/data"), errno.EISDIR),
            (lambda t: t.remove("/", recursive=True), errno.EBUSY),
            (lambda t: t.rmdir("/data"), errno.ENOTEMPTY),
            (lambda t: t.rmdir("/data/f"), errno.ENOTDIR),
            (lambda t: t.rename("/nope", "/x"), errno.ENOENT),
            (lambda t: t.rename("/data", "/data/local/in"), errno.EINVAL),
            (lambda t: t.rename("/data/f", "/data/local"), errno.EISDIR),
            (lambda t: t.rename("/data/local", "/data/f"), errno.ENOTDIR),
            (lambda t: t.rename("/empty", "/data/local"), errno.ENOTEMPTY),
            (lambda t: t.readlink("/data/f"), errno.EINVAL),
            (lambda t: t.symlink("x", "/data/f"), errno.EEXIST),
            (lambda t: t.stat("/" + "n" * 256), errno.ENAMETOOLONG),
            (lambda t: t.read("/loop"), errno.ELOOP),
        ],
    )
    def test_errno(self, tree: FileTree, call: Callable[[FileTree], object], code: int) -> None:
        tree.write("/data/f", b"")
        tree.mkdir("/empty")
        tree.symlink("/loop", "/loop")
        with pytest.raises(OSError) as caught:
            call(tree)
        assert caught.value.errno == code
        assert caught.value.filename is not None

    def test_a_relative_path_is_a_mistake_of_the_caller(self, tree: FileTree) -> None:
        with pytest.raises(ValueError, match="must be absolute"):
            tree.read("data")


class TestLinks:
    def test_links_are_followed_except_where_asked(self, tree: FileTree) -> None:
        tree.symlink("/data/local", "/short")
        tree.symlink("local/tmp", "/data/relative")
        tree.write("/short/tmp/a", b"x")
        assert tree.read("/data/relative/a") == b"x"
        assert stat.S_ISLNK(tree.stat("/short", follow=False).mode)
        assert tree.readlink("/short") == "/data/local"
        assert tree.resolve("/short/../local/tmp/./new") == "/data/local/tmp/new"

    def test_a_write_through_a_dangling_link_makes_the_target(self, tree: FileTree) -> None:
        tree.symlink("/data/target", "/link")
        tree.write("/link", b"x")
        assert tree.read("/data/target") == b"x"

    def test_removing_a_link_leaves_its_target(self, tree: FileTree) -> None:
        tree.symlink("/data", "/link")
        tree.remove("/link")
        assert tree.is_dir("/data")
        assert not tree.exists("/link")

    def test_walk_does_not_follow(self, tree: FileTree) -> None:
        tree.symlink("/data", "/data/local/self")
        assert list(tree.walk("/data")) == ["/data", "/data/local", "/data/local/self", "/data/local/tmp"]


def test_rename_replaces_a_file_and_counts_space(tree: FileTree) -> None:
    tree.write("/data/a", b"aaaa")
    tree.write("/data/b", b"bb")
    tree.rename("/data/a", "/data/b")
    assert tree.read("/data/b") == b"aaaa"
    assert not tree.exists("/data/a")
    assert tree.used == 4
    tree.rename("/data/b", "/data/b")
    assert tree.read("/data/b") == b"aaaa"


NAMES = st.sampled_from(["a", "b", "c"])
PATHS = st.lists(NAMES, min_size=1, max_size=3).map("/".join)
OPERATIONS = st.lists(
    st.one_of(
        st.tuples(st.just("write"), PATHS, st.binary(max_size=8)),
        st.tuples(st.just("mkdir"), PATHS, st.just("")),
        st.tuples(st.just("unlink"), PATHS, st.just("")),
        st.tuples(st.just("rmdir"), PATHS, st.just("")),
        st.tuples(st.just("rename"), PATHS, PATHS),
        st.tuples(st.just("symlink"), PATHS, PATHS),
    ),
    max_size=25,
)


def _do_real(root: Path, verb: str, path: str, extra: str | bytes) -> None:
    place = root / path
    match verb:
        case "write":
            assert isinstance(extra, bytes)
            place.write_bytes(extra)
        case "mkdir":
            place.mkdir()
        case "unlink":
            place.unlink()
        case "rmdir":
            place.rmdir()
        case "rename":
            os.rename(place, root / str(extra))
        case _:
            os.symlink(str(extra), place)


def _do_virtual(tree: FileTree, verb: str, path: str, extra: str | bytes) -> None:
    place = f"/{path}"
    match verb:
        case "write":
            assert isinstance(extra, bytes)
            tree.write(place, extra)
        case "mkdir":
            tree.mkdir(place)
        case "unlink":
            tree.remove(place)
        case "rmdir":
            tree.rmdir(place)
        case "rename":
            tree.rename(place, f"/{extra!s}")
        case _:
            tree.symlink(str(extra), place)


def _snapshot_real(root: Path) -> dict[str, object]:
    found: dict[str, object] = {}
    for path in sorted(root.rglob("*")):
        name = "/" + str(path.relative_to(root))
        if path.is_symlink():
            found[name] = os.readlink(path)
        else:
            found[name] = None if path.is_dir() else path.read_bytes()
    return found


def _snapshot_virtual(tree: FileTree) -> dict[str, object]:
    found: dict[str, object] = {}
    for path in list(tree.walk("/"))[1:]:
        mode = tree.stat(path, follow=False).mode
        if stat.S_ISLNK(mode):
            found[path] = tree.readlink(path)
        else:
            found[path] = None if stat.S_ISDIR(mode) else tree.read(path)
    return found


@given(operations=OPERATIONS)
@settings(max_examples=80, deadline=None)
def test_any_operations_end_as_on_the_real_file_system(operations: list[tuple[str, str, str | bytes]]) -> None:
    with tempfile.TemporaryDirectory() as directory:
        _compare(Path(directory), operations)


def _compare(root: Path, operations: list[tuple[str, str, str | bytes]]) -> None:
    tree = FileTree()
    for verb, path, extra in operations:
        outcomes = []
        for do, place in ((_do_real, root), (_do_virtual, tree)):
            try:
                do(place, verb, path, extra)
                outcomes.append(True)
            except OSError:
                outcomes.append(False)
        assert outcomes[0] == outcomes[1], (verb, path, extra)
    assert _snapshot_virtual(tree) == _snapshot_real(root)

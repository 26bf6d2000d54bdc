"""The phone's file tree: POSIX semantics in memory, nothing of the host.

Paths are absolute and resolved component by component, so `..`, trailing slashes, symbolic links and the errors of a
path that leads through a file behave as on a real kernel. Errors are the built-in `OSError` family with the errno and
the path, because that is what the shell tools print (`No such file or directory`).
"""

import errno
import os
import stat as st
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

MAX_LINKS = 40
MAX_NAME = 255
DEFAULT_CAPACITY = 512 * 1024 * 1024


class FileStat(NamedTuple):
    """What stat(2) tells: `mode` with the type bits, `size` in bytes, `mtime` in seconds since 1970, owner ids."""

    mode: int
    size: int
    mtime: int
    uid: int
    gid: int
    inode: int
    nlink: int = 1


@dataclass(slots=True)
class _Node:
    mode: int
    mtime: float
    uid: int
    gid: int
    inode: int
    data: bytes = b""
    target: str = ""
    children: dict[str, "_Node"] = field(default_factory=dict)

    @property
    def is_dir(self) -> bool:
        return st.S_ISDIR(self.mode)

    @property
    def is_link(self) -> bool:
        return st.S_ISLNK(self.mode)

    @property
    def size(self) -> int:
        if self.is_dir:
            return 4096
        return len(self.target.encode()) if self.is_link else len(self.data)


class _Place(NamedTuple):
    """Where a path leads: the node or None, its name, the directory that holds or would hold it, the path itself."""

    node: _Node | None
    name: str
    parent: _Node
    path: str


def _reversed_parts(path: str) -> list[str]:
    return [part for part in reversed(path.split("/")) if part and part != "."]


def _error(code: int, path: str) -> OSError:
    return OSError(code, os.strerror(code), path)


class FileTree:
    """A tree of directories, files and symbolic links. New nodes belong to the owner of their directory.

    `now` gives the time of modification in seconds since 1970; `capacity` is the number of content bytes the tree may
    hold before writes fail with ENOSPC.
    """

    def __init__(self, now: Callable[[], float] = time.time, capacity: int = DEFAULT_CAPACITY) -> None:
        self.now = now
        self.capacity = capacity
        self.used = 0
        self._inodes = 1
        self._root = _Node(st.S_IFDIR | 0o755, now(), 0, 0, 1)

    # -- looking up

    def _lookup(self, path: str, follow: bool = True) -> _Node:
        node = self._walk(path, follow).node
        if node is None:
            raise _error(errno.ENOENT, path)
        return node

    def _walk(self, path: str, follow: bool) -> _Place:
        if not path.startswith("/"):
            raise ValueError(f"path must be absolute, not {path!r}")
        links = 0
        rest = _reversed_parts(path)
        must_be_dir = path.endswith(("/", "/."))
        stack: list[tuple[str, _Node]] = [("", self._root)]
        while rest:
            name = rest.pop()
            here = stack[-1][1]
            if not here.is_dir:
                raise _error(errno.ENOTDIR, path)
            if name == "..":
                if len(stack) > 1:
                    stack.pop()
                continue
            if len(name.encode("utf-8", "surrogateescape")) > MAX_NAME:
                raise _error(errno.ENAMETOOLONG, path)
            child = here.children.get(name)
            if child is None:
                if rest:
                    raise _error(errno.ENOENT, path)
                return _Place(None, name, here, "/".join([*(part for part, _ in stack), name]))
            if child.is_link and (rest or follow or must_be_dir):
                links += 1
                if links > MAX_LINKS:
                    raise _error(errno.ELOOP, path)
                if child.target.startswith("/"):
                    del stack[1:]
                rest.extend(_reversed_parts(child.target))
                continue
            stack.append((name, child))
        name, node = stack[-1]
        if must_be_dir and not node.is_dir:
            raise _error(errno.ENOTDIR, path)
        return _Place(node, name, stack[max(0, len(stack) - 2)][1], "/".join(part for part, _ in stack) or "/")

    def resolve(self, path: str) -> str:
        """The path with every link followed and `.` and `..` gone. The last component need not exist."""
        return self._walk(path, follow=True).path

    def exists(self, path: str) -> bool:
        """Whether `path`, links followed, leads to something."""
        try:
            self._lookup(path)
        except OSError:
            return False
        return True

    def is_there(self, path: str) -> bool:
        """Whether `path` leads to something, a dangling link included."""
        try:
            self._lookup(path, follow=False)
        except OSError:
            return False
        return True

    def is_dir(self, path: str) -> bool:
        """Whether `path`, links followed, is a directory."""
        try:
            return self._lookup(path).is_dir
        except OSError:
            return False

    def stat(self, path: str, follow: bool = True) -> FileStat:
        """Stat a path; `follow=False` describes a link itself."""
        node = self._lookup(path, follow)
        nlink = 2 + sum(child.is_dir for child in node.children.values()) if node.is_dir else 1
        return FileStat(node.mode, node.size, int(node.mtime), node.uid, node.gid, node.inode, nlink)

    def list(self, path: str) -> "list[str]":
        """Sorted names in a directory, without `.` and `..`."""
        node = self._lookup(path)
        if not node.is_dir:
            raise _error(errno.ENOTDIR, path)
        return sorted(node.children)

    def walk(self, path: str) -> Iterator[str]:
        """Every path at and below `path`, parents first, links not followed."""
        node = self._lookup(path, follow=False)
        yield path
        if node.is_dir:
            base = path.rstrip("/")
            for name in sorted(node.children):
                yield from self.walk(f"{base}/{name}")

    def readlink(self, path: str) -> str:
        """The target of a symbolic link."""
        node = self._lookup(path, follow=False)
        if not node.is_link:
            raise _error(errno.EINVAL, path)
        return node.target

    # -- content

    def read(self, path: str) -> bytes:
        """The bytes of a file."""
        node = self._lookup(path)
        if node.is_dir:
            raise _error(errno.EISDIR, path)
        return node.data

    def write(self, path: str, data: bytes, mode: int | None = None, mtime: float | None = None) -> None:
        """Create or replace a file. `mode` holds permission bits; an existing file keeps its own when it is None."""
        node, name, parent, _ = self._walk(path, follow=True)
        if node is None:
            if path.endswith("/"):
                raise _error(errno.EISDIR, path)
            self._reserve(len(data), path)
            node = self._add(parent, name, st.S_IFREG | (0o644 if mode is None else mode & 0o7777))
        elif node.is_dir:
            raise _error(errno.EISDIR, path)
        else:
            self._reserve(len(data) - len(node.data), path)
            if mode is not None:
                node.mode = st.S_IFREG | (mode & 0o7777)
        node.data = bytes(data)
        node.mtime = self.now() if mtime is None else mtime

    def append(self, path: str, data: bytes) -> None:
        """Add bytes at the end of a file, creating it when absent."""
        self.write(path, (self.read(path) if self.exists(path) else b"") + data)

    def _reserve(self, growth: int, path: str) -> None:
        if growth > 0 and self.used + growth > self.capacity:
            raise _error(errno.ENOSPC, path)
        self.used += growth

    def _add(self, parent: _Node, name: str, mode: int) -> _Node:
        self._inodes += 1
        node = _Node(mode, self.now(), parent.uid, parent.gid, self._inodes)
        parent.children[name] = node
        parent.mtime = node.mtime
        return node

    # -- structure

    def mkdir(self, path: str, parents: bool = False, mode: int = 0o755) -> None:
        """Make a directory. With `parents` missing ones are made too and an existing directory is no error."""
        if parents:
            so_far = ""
            for part in path.split("/"):
                so_far += f"/{part}" if part else ""
                if so_far and not self.is_dir(so_far):
                    self.mkdir(so_far, mode=mode)
            return
        node, name, parent, _ = self._walk(path.rstrip("/") or "/", follow=False)
        if node is not None:
            raise _error(errno.EEXIST, path)
        self._add(parent, name, st.S_IFDIR | (mode & 0o7777))

    def symlink(self, target: str, path: str) -> None:
        """Make a symbolic link at `path`; `target` may be absolute, relative or dangling."""
        node, name, parent, _ = self._walk(path, follow=False)
        if node is not None:
            raise _error(errno.EEXIST, path)
        self._add(parent, name, st.S_IFLNK | 0o777).target = target

    def remove(self, path: str, recursive: bool = False) -> None:
        """Remove a file or a link; a directory only with `recursive` (EISDIR otherwise)."""
        node, name, parent, _ = self._walk(path, follow=False)
        if node is None:
            raise _error(errno.ENOENT, path)
        if node is self._root:
            raise _error(errno.EBUSY, path)
        if node.is_dir and not recursive:
            raise _error(errno.EISDIR, path)
        del parent.children[name]
        parent.mtime = self.now()
        self.used -= _content_bytes(node)

    def rmdir(self, path: str) -> None:
        """Remove an empty directory."""
        node = self._lookup(path, follow=False)
        if not node.is_dir:
            raise _error(errno.ENOTDIR, path)
        if node.children:
            raise _error(errno.ENOTEMPTY, path)
        self.remove(path, recursive=True)

    def rename(self, source: str, target: str) -> None:
        """Move `source` to the exact path `target`, replacing a file or an empty directory there."""
        node, name, parent, _ = self._walk(source, follow=False)
        if node is None:
            raise _error(errno.ENOENT, source)
        old, new_name, new_parent, _ = self._walk(target.rstrip("/"), follow=False)
        if old is node:
            return
        if new_parent is node or any(child is new_parent for child in _descendants(node)):
            raise _error(errno.EINVAL, target)
        if old is not None:
            if old.is_dir and not node.is_dir:
                raise _error(errno.EISDIR, target)
            if node.is_dir and not old.is_dir:
                raise _error(errno.ENOTDIR, target)
            if old.children:
                raise _error(errno.ENOTEMPTY, target)
            self.used -= _content_bytes(old)
        del parent.children[name]
        new_parent.children[new_name] = node
        parent.mtime = new_parent.mtime = self.now()

    def chmod(self, path: str, mode: int) -> None:
        """Set the permission bits."""
        node = self._lookup(path)
        node.mode = st.S_IFMT(node.mode) | (mode & 0o7777)

    def chown(self, path: str, uid: int, gid: int) -> None:
        """Set the owner; new children of a directory inherit it."""
        node = self._lookup(path)
        node.uid, node.gid = uid, gid

    def utime(self, path: str, mtime: float, follow: bool = True) -> None:
        """Set the time of modification, in seconds since 1970; of a link itself unless it is followed."""
        self._lookup(path, follow).mtime = mtime


def _descendants(node: _Node) -> Iterator[_Node]:
    for child in node.children.values():
        yield child
        yield from _descendants(child)


def _content_bytes(node: _Node) -> int:
    return len(node.data) + sum(len(child.data) for child in _descendants(node))

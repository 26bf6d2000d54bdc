"""`adb push` and `adb pull` by the real adb, and the sync protocol message by message."""

import os
import stat
import struct
from pathlib import Path
from typing import Any

import pytest

Wired = Any
STAT_V2 = struct.Struct("<4sIQQIIIIQqqq")


class Sync:
    """A raw `sync:` connection."""

    def __init__(self, wired: Wired) -> None:
        self.connection = wired.open("sync:")

    def request(self, kind: bytes, path: str, extra: bytes = b"") -> None:
        encoded = path.encode()
        self.connection.sendall(kind + struct.pack("<I", len(encoded)) + encoded + extra)

    def read(self, count: int) -> bytes:
        data = b""
        while len(data) < count:
            part = self.connection.recv(count - len(data))
            assert part, f"closed after {data!r}"
            data += part
        return data

    def failure(self) -> str:
        kind, length = struct.unpack("<4sI", self.read(8))
        assert kind == b"FAIL"
        return self.read(length).decode()

    def data(self, *parts: bytes, mtime: int = 5) -> None:
        for part in parts:
            self.connection.sendall(b"DATA" + struct.pack("<I", len(part)) + part)
        self.connection.sendall(b"DONE" + struct.pack("<I", mtime))

    def is_closed(self) -> bool:
        return self.connection.recv(1) == b""


@pytest.fixture
def sync(wired: Wired) -> Any:
    sync = Sync(wired)
    yield sync
    sync.connection.close()


class TestAdb:
    def test_a_large_file_goes_both_ways_unchanged(self, wired: Wired, tmp_path: Path) -> None:
        source, back = tmp_path / "big.bin", tmp_path / "back.bin"
        source.write_bytes(os.urandom(24 * 1024 * 1024 + 77))
        pushed = wired("push", str(source), "/data/local/tmp/big.bin")
        assert "1 file pushed" in pushed.out + pushed.err
        assert wired("pull", "/data/local/tmp/big.bin", str(back)).code == 0
        assert back.read_bytes() == source.read_bytes()
        assert wired.shell("stat -c %s /data/local/tmp/big.bin").out.strip() == str(source.stat().st_size)

    def test_a_folder_goes_both_ways_with_modes_and_times(self, wired: Wired, tmp_path: Path) -> None:
        """adbd gives group and others the owner's permissions."""
        source = tmp_path / "tree"
        (source / "deep" / "er").mkdir(parents=True)
        (source / "empty.txt").write_bytes(b"")
        (source / "deep" / "naïve name").write_bytes(b"x" * 70_000)
        (source / "deep" / "er" / "run.sh").write_bytes(b"echo\n")
        (source / "deep" / "er" / "run.sh").chmod(0o755)
        os.utime(source / "empty.txt", (1_600_000_000, 1_600_000_000))
        assert wired("push", str(source), "/sdcard/").code == 0
        assert wired.shell("find /sdcard/tree/ -type f | sort").out.splitlines() == [
            "/sdcard/tree/deep/er/run.sh",
            "/sdcard/tree/deep/naïve name",
            "/sdcard/tree/empty.txt",
        ]
        assert wired.shell("stat -c '%a %Y' /sdcard/tree/empty.txt").out == "666 1600000000\n"
        assert wired.shell("stat -c %a /sdcard/tree/deep/er/run.sh").out == "777\n"
        assert wired("pull", "-a", "/sdcard/tree", str(tmp_path / "back")).code == 0
        back = tmp_path / "back"
        assert (back / "deep" / "naïve name").read_bytes() == b"x" * 70_000
        assert int((back / "empty.txt").stat().st_mtime) == 1_600_000_000

    def test_a_symbolic_link_is_pushed_as_one(self, wired: Wired, tmp_path: Path) -> None:
        source = tmp_path / "links"
        source.mkdir()
        (source / "real").write_bytes(b"x")
        (source / "link").symlink_to("real")
        assert wired("push", str(source), "/data/local/tmp/").code == 0
        again = wired("push", str(source), "/data/local/tmp/")
        assert again.code == 0, again
        assert wired.shell("readlink /data/local/tmp/links/link; cat /data/local/tmp/links/link").out == "real\nx"

    @pytest.mark.parametrize(
        ("target", "message"),
        [
            ("/system/x", "couldn't create file: Read-only file system"),
            ("/data/data/com.x/y", "Permission denied"),
            ("/data/new/y", "secure_mkdirs failed: Permission denied"),
            ("/new/x", "secure_mkdirs failed: Read-only file system"),
        ],
    )
    def test_a_push_that_is_refused(self, wired: Wired, tmp_path: Path, target: str, message: str) -> None:
        (tmp_path / "f").write_bytes(b"x" * 200_000)
        result = wired("push", str(tmp_path / "f"), target)
        assert result.code == 1
        assert message in result.out + result.err
        assert wired.shell("echo alive").out == "alive\n"

    def test_a_pull_that_is_refused(self, wired: Wired, tmp_path: Path) -> None:
        missing = wired("pull", "/sdcard/nope", str(tmp_path / "f"))
        assert missing.code == 1
        assert "No such file or directory" in missing.err
        closed = wired("pull", "/data/data", str(tmp_path / "f"))
        assert closed.code == 1
        assert "Permission denied" in closed.err

    def test_root_may_pull_app_data(self, wired: Wired, tmp_path: Path) -> None:
        wired("root")
        wired("wait-for-device")
        assert wired.shell("echo secret > /data/data/x").code == 0
        assert wired("pull", "/data/data/x", str(tmp_path / "f")).code == 0
        assert (tmp_path / "f").read_text() == "secret\n"

    def test_adbutils_speaks_the_old_messages(self, wired: Wired, tmp_path: Path) -> None:
        sync = wired.device().sync
        assert sync.push(b"hello" * 20_000, "/sdcard/new/dir/a.txt") == 100_000
        assert sync.stat("/sdcard/new/dir/a.txt").size == 100_000
        assert sync.read_bytes("/sdcard/new/dir/a.txt") == b"hello" * 20_000
        assert not sync.exists("/sdcard/nope")
        assert [entry.path for entry in sync.list("/sdcard/new")] == [".", "..", "dir"]
        assert sync.list("/nope")[0:] == []
        (tmp_path / "out").mkdir()
        assert sync.pull_dir("/sdcard/new", tmp_path / "out") == 100_000


class TestMessages:
    def test_stat_version_one_does_not_follow_links(self, sync: Sync) -> None:
        sync.request(b"STAT", "/sdcard")
        kind, mode, _, _ = struct.unpack("<4sIII", sync.read(16))
        assert (kind, stat.S_ISLNK(mode)) == (b"STAT", True)
        sync.request(b"STAT", "/nope")
        assert sync.read(16) == b"STAT" + bytes(12)

    def test_stat_version_two(self, sync: Sync) -> None:
        for kind, is_link in ((b"STA2", False), (b"LST2", True)):
            sync.request(kind, "/sdcard")
            answer, error, _, _, mode, *_ = STAT_V2.unpack(sync.read(STAT_V2.size))
            assert (answer, error, stat.S_ISLNK(mode)) == (kind, 0, is_link)
        for path, code in (("/nope", 2), ("/data/data/x", 13), ("/proc/version/x", 20), ("", 2)):
            sync.request(b"STA2", path)
            assert STAT_V2.unpack(sync.read(STAT_V2.size))[1] == code

    def test_list_version_two(self, sync: Sync) -> None:
        sync.request(b"LIS2", "/storage")
        names = []
        while True:
            entry = struct.unpack("<4sIQQIIIIQqqqI", sync.read(76))
            if entry[0] == b"DONE":
                break
            names.append(sync.read(entry[-1]))
        assert names == [b".", b"..", b"emulated", b"self"]

    def test_send_and_receive_version_one(self, sync: Sync) -> None:
        sync.request(b"SEND", "/sdcard/with,comma,33261")
        sync.data(b"ab", b"cd", mtime=99)
        assert sync.read(8) == b"OKAY" + bytes(4)
        sync.request(b"STAT", "/sdcard/with,comma")
        assert struct.unpack("<4sIII", sync.read(16)) == (b"STAT", 0o100777, 4, 99)
        sync.request(b"RECV", "/sdcard/with,comma")
        assert sync.read(20) == b"DATA\4\0\0\0abcdDONE" + bytes(4)

    @pytest.mark.parametrize(
        ("kind", "rest"),
        [(b"SND2", struct.pack("<4sII", b"SND2", 0o100644, 1)), (b"RCV2", struct.pack("<4sI", b"RCV2", 1))],
    )
    def test_version_two_with_an_unknown_flag(self, sync: Sync, kind: bytes, rest: bytes) -> None:
        sync.request(kind, "/sdcard/x", rest)
        assert sync.failure() == "unknown flags: 1"
        assert sync.is_closed()

    def test_receive_version_two(self, sync: Sync) -> None:
        sync.request(b"RCV2", "/proc/version", struct.pack("<4sI", b"RCV2", 0))
        assert sync.read(4) == b"DATA"

    @pytest.mark.parametrize(
        ("mode", "permissions"),
        [("33188", 0o644), ("420", 0o644), ("0x1a4", 0o644), ("0644", 0o644), ("33188 ", 0o644), ("mode", 0), ("", 0)],
    )
    def test_a_mode_is_read_as_a_number_in_c(self, sync: Sync, mode: str, permissions: int) -> None:
        sync.request(b"SEND", f"/data/local/tmp/x,{mode}")
        sync.data(b"ab")
        assert sync.read(8) == b"OKAY" + bytes(4)
        sync.request(b"STAT", "/data/local/tmp/x")
        owner = permissions & 0o700
        assert struct.unpack("<4sIII", sync.read(16))[1] == 0o100000 | permissions | owner >> 3 | owner >> 6

    def test_a_link_is_replaced_wherever_it_leads(self, wired: Wired, sync: Sync) -> None:
        sync.request(b"SEND", "/data/local/tmp/link,41471")
        sync.data(b"/nosuch", mtime=99)
        assert sync.read(8) == b"OKAY" + bytes(4)
        sync.request(b"STAT", "/data/local/tmp/link")
        assert struct.unpack("<4sIII", sync.read(16)) == (b"STAT", 0o120777, 7, 99)
        sync.request(b"SEND", "/data/local/tmp/link,33188")
        sync.data(b"ab", mtime=98)
        assert sync.read(8) == b"OKAY" + bytes(4)
        sync.request(b"STAT", "/data/local/tmp/link")
        assert struct.unpack("<4sIII", sync.read(16)) == (b"STAT", 0o100666, 2, 98)

    @pytest.mark.parametrize(
        ("path", "message"),
        [
            ("/sdcard,33188", "couldn't create file: Is a directory"),
            ("/sdcard/new/,33188", "couldn't create file: Is a directory"),
            ("/proc/version/x,33188", "couldn't create file: Not a directory"),
            ("/system/new/x,33188", "secure_mkdirs failed: Read-only file system"),
        ],
    )
    def test_a_refused_upload_ends_the_stream(self, sync: Sync, path: str, message: str) -> None:
        sync.request(b"SEND", path)
        sync.data(b"x" * 1000, b"y")
        assert sync.failure() == message
        assert sync.is_closed()

    def test_an_upload_without_a_mode_ends_the_stream(self, sync: Sync) -> None:
        sync.request(b"SEND", "/sdcard/a/b")
        assert sync.failure() == "missing , in ID_SEND_V1"
        assert sync.is_closed()

    @pytest.mark.parametrize(
        ("path", "message"),
        [
            ("/nope", "open failed: No such file or directory"),
            ("/sdcard", "read failed: Is a directory"),
            ("", "open failed: No such file or directory"),
            ("/data/data/x", "open failed: Permission denied"),
        ],
    )
    def test_a_refused_download_ends_the_stream(self, sync: Sync, path: str, message: str) -> None:
        sync.request(b"RECV", path)
        assert sync.failure() == message
        assert sync.is_closed()

    def test_a_full_phone(self, wired: Wired, sync: Sync) -> None:
        wired.host.phones[0].files.capacity = wired.host.phones[0].files.used + 10
        sync.request(b"SEND", "/sdcard/x,33188")
        sync.data(b"12345678901")
        assert sync.failure() == "write failed: No space left on device"

    @pytest.mark.parametrize(
        ("chunk", "message"),
        [
            (b"DATA" + struct.pack("<I", 64 * 1024 * 1024 + 1), "oversize data message"),
            (b"JUNK" + bytes(4), "invalid data message"),
        ],
    )
    def test_a_broken_upload_says_so(self, sync: Sync, chunk: bytes, message: str) -> None:
        sync.request(b"SEND", "/sdcard/x,33188")
        sync.connection.sendall(chunk)
        assert sync.failure() == message

    def test_an_unreadable_request_ends_the_stream(self, wired: Wired, sync: Sync) -> None:
        sync.connection.sendall(b"STAT" + struct.pack("<I", 1025))
        assert sync.failure() == "path too long"
        assert sync.is_closed()
        other = Sync(wired)
        other.request(b"JUNK", "/x")
        assert other.failure() == "unknown command 4b4e554a"
        assert other.is_closed()
        other.connection.close()

    def test_quit_ends_the_stream(self, sync: Sync) -> None:
        sync.connection.sendall(b"QUIT" + bytes(4))
        assert sync.is_closed()

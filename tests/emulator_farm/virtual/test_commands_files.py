"""Tools that list, make, move and remove files."""

from collections.abc import Callable
from typing import Any

import pytest

Out = Callable[[str], str]
Sh = Any


@pytest.fixture
def tree(out: Out) -> Out:
    """Some files in /data/local/tmp, all of one time."""
    out("cd /data/local/tmp; mkdir -p d/e; printf 12345 > a; touch .h d/x d/e/y; ln -s a link")
    out("su 0 date @1600000000; cd /data/local/tmp; touch a .h d/x d/e/y; touch d d/e .")
    return lambda script: out(f"cd /data/local/tmp; {script}")


class TestLs:
    def test_names(self, tree: Out) -> None:
        assert tree("ls") == "a\nd\nlink\n"
        assert tree("ls -a") == ".\n..\n.h\na\nd\nlink\n"
        assert tree("ls -A1") == ".h\na\nd\nlink\n"
        assert tree("ls -d . d") == ".\nd\n"
        assert tree("ls -F; ls -p d") == "a\nd/\nlink\ne/\nx\n"
        assert tree("ls -r") == "link\nd\na\n"
        assert tree("ls -S | head -1; ls a link d") == "d\na\nlink\n\nd:\ne\nx\n"

    def test_recursive(self, tree: Out) -> None:
        assert tree("ls -R d") == "d:\ne\nx\n\nd/e:\ny\n"

    def test_long(self, tree: Out) -> None:
        lines = tree("ls -l").splitlines()
        assert lines[0] == "total 8"
        assert lines[1] == "-rw-r--r-- 1 shell shell    5 2020-09-13 12:26 a"
        assert lines[2] == "drwxr-xr-x 3 shell shell 4096 2020-09-13 12:26 d"
        assert lines[3].startswith("lrwxrwxrwx 1 shell shell")
        assert lines[3].endswith(" link -> a")
        assert tree("ls -ln a").startswith("-rw-r--r-- 1 2000 2000 5 ")
        assert tree("ls -lh a; ls -lhd d").split()[4::8] == ["5", "4.0K"]
        assert tree("ls -ld /sdcard").startswith("lrwxrwxrwx 1 root root 21 ")
        assert tree("ls -ld /sdcard/").startswith("drwxrws--- ")

    def test_by_time_and_inode(self, tree: Out) -> None:
        tree("su 0 date @1700000000 > /dev/null; touch z")
        assert tree("ls -t a z; ls -tr a z") == "z\na\na\nz\n"
        assert tree("ls -i a").split()[0].isdecimal()

    def test_what_cannot_be_listed(self, sh: Sh) -> None:
        result = sh("ls /nosuch /proc/version /data/app")
        assert result.code == 1
        assert result.out.startswith("/proc/version\n")
        assert result.err == "ls: /nosuch: No such file or directory\nls: /data/app: Permission denied\n"


class TestChanging:
    def test_mkdir(self, sh: Sh, out: Out) -> None:
        out("mkdir /sdcard/a /sdcard/b; mkdir -p /sdcard/c/d/e /sdcard/c")
        assert out("ls -d /sdcard/c/d/e") == "/sdcard/c/d/e\n"
        assert sh("mkdir /sdcard/a").err == "mkdir: /sdcard/a: File exists\n"
        assert sh("mkdir /sdcard/x/y").err == "mkdir: /sdcard/x/y: No such file or directory\n"
        assert sh("mkdir").code == 1
        assert sh("mkdir /system/x").err == "mkdir: /system/x: Read-only file system\n"

    def test_rm(self, sh: Sh, out: Out) -> None:
        out("mkdir -p /sdcard/d/e; touch /sdcard/f /sdcard/d/g")
        assert sh("rm /sdcard/d").err == "rm: /sdcard/d: Is a directory\n"
        assert sh("rmdir /sdcard/d").err == "rmdir: /sdcard/d: Directory not empty\n"
        out("rm /sdcard/f; rm -rf /sdcard/d /sdcard/nosuch; rm -f; mkdir /sdcard/e; rmdir /sdcard/e")
        assert out("ls /sdcard/ | grep -c '^[def]$' || true") == "0\n"
        assert sh("rm /sdcard/f").err == "rm: /sdcard/f: No such file or directory\n"
        assert sh("rm").code == 1
        assert sh("rm /system/build.prop").err == "rm: /system/build.prop: Read-only file system\n"
        assert sh("rm -rf /data/data").err == "rm: /data/data: Permission denied\n"

    def test_mv(self, sh: Sh, out: Out) -> None:
        out("cd /sdcard; echo a > a; echo b > b; mkdir d; mv a c; mv b c d; mv d e")
        assert out("cat /sdcard/e/b /sdcard/e/c") == "b\na\n"
        out("cd /sdcard/e; mv -n b c; mv b c")
        assert out("ls /sdcard/e; cat /sdcard/e/c") == "c\nb\n"
        assert sh("mv /nosuch /sdcard/x").code == 1
        assert sh("mv a").code == 1
        assert sh("mv a b /sdcard/nodir").err == "mv: '/sdcard/nodir' not directory\n"

    def test_cp(self, sh: Sh, out: Out) -> None:
        out("cd /sdcard; echo a > a; mkdir -p d/e; echo x > d/e/x; chmod 600 a; cp a b; cp -r d copy; cp a d/e/x d")
        assert out("cd /sdcard; cat b copy/e/x d/a d/x; stat -c %a b") == "a\nx\na\nx\n600\n"
        out("su 0 date @1600000000 > /dev/null; touch /sdcard/a; su 0 date @1700000000 > /dev/null")
        out("cd /sdcard; cp -p a keep; cp a new")
        assert out("cd /sdcard; stat -c %Y keep new").split()[0] == "1600000000"
        assert "try -r" in sh("cp /sdcard/d /sdcard/z").err
        assert "is inside" in sh("cp -r /sdcard/d /sdcard/d/e").err
        assert sh("cp /data/data/x /sdcard").err == "cp: /data/data/x: Permission denied\n"

    def test_touch_chmod_chown_ln(self, sh: Sh, out: Out) -> None:
        out("cd /sdcard; touch t; touch -c no; chmod 640 t; chmod u+x,g-r,o+rw t; ln -s t l; ln -sf t l")
        assert out("cd /sdcard; stat -c %a t; readlink l; readlink -f l; realpath l; ls no 2>/dev/null || true") == (
            "706\nt\n/storage/emulated/0/t\n/storage/emulated/0/t\n"
        )
        assert sh("chmod zz /sdcard/t").err == "chmod: bad mode 'zz'\n"
        assert sh("chmod 1").code == 1
        assert sh("chown root /sdcard/t").err == "chown: /sdcard/t: Operation not permitted\n"
        out("su 0 chown shell:1015 /sdcard/t; su 0 chown root /sdcard/l")
        assert out("stat -c '%U %G' /sdcard/t") == "root root\n"
        assert "hard link" in sh("ln /sdcard/t /sdcard/u").err
        assert sh("ln -s a").code == 1
        assert sh("ln -s t /sdcard/l").err.endswith("File exists\n")
        assert sh("readlink /sdcard/t").code == 1
        assert sh("readlink").code == 1
        assert sh("realpath /nosuch/x").err.startswith("realpath: /nosuch/x: No such file")


class TestLooking:
    def test_stat(self, tree: Out, sh: Sh) -> None:
        assert tree("stat -c '%n %s %a %A %F %u %g %h %Y %%' a") == (
            "a 5 644 -rw-r--r-- regular file 2000 2000 1 1600000000 %\n"
        )
        assert tree("stat -c %F . link; stat -L -c %F link; stat -c %F .h") == (
            "directory\nsymbolic link\nregular file\nregular empty file\n"
        )
        text = tree("stat a")
        assert "  File: a\n  Size: 5\t Blocks: 8" in text
        assert "Access: (0644/-rw-r--r--)\tUid: ( 2000/   shell)" in text
        assert "Modify: 2020-09-13 12:26:40.000000000 +0000" in text
        assert sh("stat /nosuch").err == "stat: /nosuch: No such file or directory\n"

    def test_find(self, tree: Out, sh: Sh) -> None:
        assert tree("find d") == "d\nd/e\nd/e/y\nd/x\n"
        assert tree("find . -maxdepth 1 -type f; find . -mindepth 3") == "./.h\n./a\n./d/e/y\n"
        assert tree("find d -iname X; find . -path './d/*' -type f") == "d/x\n./d/e/y\n./d/x\n"
        assert tree("find . ! -type d -name 'x'; find d -type f -print0 | tr '\\0' ,") == "./d/x\nd/e/y,d/x,"
        assert tree("find a -printf '%p %s\\n'") == "a 5\n"
        tree("find d -type f -delete")
        assert tree("find d") == "d\nd/e\n"
        assert sh("find /nosuch").err == "find: '/nosuch': No such file or directory\n"
        assert sh("find / -nosuch").err == "find: bad arg '-nosuch'\n"
        assert sh("find /sdcard/ -maxdepth 0").out == "/sdcard/\n"

    def test_space(self, tree: Out, sh: Sh) -> None:
        assert tree("df -h").splitlines()[0].split()[:4] == ["Filesystem", "Size", "Used", "Avail"]
        assert "/storage/emulated" in tree("df")
        assert tree("du -s a; du -h a") == "1\ta\n5\ta\n"

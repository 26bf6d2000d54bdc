"""The clock, users, processes, the log."""

import re
from collections.abc import Callable
from typing import Any

import pytest

Out = Callable[[str], str]
Sh = Any


class TestDate:
    @pytest.mark.parametrize(
        ("given", "epoch"),
        [
            ("@1700000000", 1700000000),
            ("101515342023.00", 1697384040),
            ("1015153423", 1697384040),
            ("101515342023.07", 1697384047),
            ("-s '2023-10-15 15:34:00'", 1697384040),
            ("-s 2023-10-15T15:34:00Z", 1697384040),
            ("-s 2023-10-15", 1697328000),
        ],
    )
    def test_root_sets_it(self, out: Out, given: str, epoch: int) -> None:
        out(f"su 0 date {given}")
        assert 0 <= int(out("date +%s")) - epoch <= 3

    def test_the_shell_may_not(self, sh: Sh) -> None:
        result = sh("date @1")
        assert (result.code, result.err) == (1, "date: cannot set date: Operation not permitted\n")

    def test_formats(self, out: Out) -> None:
        assert out("date -u -d @1697384047 '+%Y-%m-%d %H:%M:%S %j %a %b %p %y %e|%k|%l|%F %T|%D %R|%s %N%%'") == (
            "2023-10-15 15:34:07 288 Sun Oct PM 23 15|15| 3|2023-10-15 15:34:07|10/15/23 15:34|1697384047 000000000%\n"
        )
        assert (
            out("date -d @1696118400 '+%-d %_d %-H %0d %Z %z %n%t%P %c'")
            == "1  1 0 01 UTC +0000 \n\tam Sun Oct  1 00:00:00 2023\n"
        )
        assert re.fullmatch(r"\w{3} \w{3} [ \d]\d \d\d:\d\d:\d\d UTC \d{4}\n", out("date"))

    def test_time_zone(self, out: Out) -> None:
        assert out("setprop persist.sys.timezone Asia/Tokyo; date -d @0 '+%H:%M %Z'") == "09:00 JST\n"
        assert out("TZ=UTC date -d @0 +%H; setprop persist.sys.timezone No/Where; date -d @0 +%H") == "00\n00\n"

    def test_time_of_a_file(self, out: Out) -> None:
        assert out("su 0 date @1700000000 > /dev/null; touch /sdcard/x; date -r /sdcard/x +%Y-%m") == "2023-11\n"

    @pytest.mark.parametrize(
        ("script", "error"),
        [
            ("date -d", "date: Missing argument to -d"),
            ("date tomorrow", "date: bad date 'tomorrow'"),
            ("date 13321200", "date: bad date '13321200'"),
            ("date -Q", "date: Unknown option 'Q'"),
        ],
    )
    def test_mistakes(self, sh: Sh, script: str, error: str) -> None:
        result = sh(script)
        assert result.code == 1
        assert result.err.startswith(error)

    def test_the_phone_shows_the_time_that_was_set(self, out: Out) -> None:
        out("su 0 date @1697384040 > /dev/null")
        assert "-10-15 15:34" in "2023" + out("date '+-%m-%d %H:%M'")
        assert "nowRTC=16973840" in out("dumpsys alarm")


class TestUsers:
    def test_who(self, out: Out) -> None:
        assert out("id").startswith("uid=2000(shell) gid=2000(shell) groups=2000(shell),1004(input),")
        assert out("id -u; id -un; whoami; su 0 id").startswith(
            "2000\nshell\nshell\nuid=0(root) gid=0(root) groups=0(root) "
        )

    def test_kernel(self, out: Out) -> None:
        assert out("uname; uname -m; uname -sr") == "Linux\nx86_64\nLinux 6.1.23-android14-4\n"
        assert "Toybox" in out("uname -a")
        assert out("getenforce; sync") == "Enforcing\n"


class TestProcesses:
    def test_ps(self, sh: Sh, out: Out) -> None:
        sh("am start -n com.android.settings/.Settings")
        lines = out("ps -A").splitlines()
        assert lines[0].split() == ["USER", "PID", "PPID", "VSZ", "RSS", "WCHAN", "ADDR", "S", "NAME"]
        row = next(line.split() for line in lines if line.endswith("com.android.settings"))
        assert row[0].startswith("u0_a")
        assert out("pidof com.android.settings") == f"{row[1]}\n"
        assert out("ps -A -o PID,NAME | grep settings").split() == [row[1], "com.android.settings"]
        assert len(out(f"ps {row[1]}").splitlines()) == 2
        assert out("pgrep -l settings; pgrep -f system_server").split() == [row[1], "com.android.settings", "520"]
        assert sh("ps -o FROB").err == "ps: bad -o FROB\n"

    def test_absent_ones(self, sh: Sh) -> None:
        assert sh("pidof nosuch").code == 1
        assert sh("pgrep nosuch").code == 1
        assert sh("kill").code == 1
        assert sh("kill 99999").err == "kill: 99999: No such process\n"
        assert sh("killall nosuch").err == "killall: bad pid 'nosuch'\n"
        assert sh("kill -9 1").err == "kill: 1: Operation not permitted\n"

    def test_killing_by_name(self, sh: Sh) -> None:
        sh("am start -n com.android.settings/.Settings; su 0 pkill -f com.android.settings")
        assert sh("pidof com.android.settings").code == 1


class TestLog:
    def test_lines_and_limits(self, out: Out) -> None:
        assert out("logcat -d") == "--------- beginning of main\n"
        out("log -t Test one; log -p w -t Test two words; log -t Other three")
        lines = out("logcat -d").splitlines()
        assert re.fullmatch(r"\d\d-\d\d \d\d:\d\d:\d\d\.\d{3}  1000  1000 I Test: one", lines[1])
        assert lines[2].endswith(" W Test: two words")
        assert len(out("logcat -d -t 1").splitlines()) == 2
        assert out("logcat -d -s Test:V | grep -c Test; logcat -d Other:I '*:S' | grep -c three") == "2\n1\n"
        assert out("logcat -c; logcat -d | wc -l") == "1\n"

    def test_starts_are_logged(self, sh: Sh, out: Out) -> None:
        sh("am start -n com.android.settings/.Settings")
        assert "ActivityTaskManager: START u0 {flg=0x10000000 cmp=com.android.settings/.Settings}" in out("logcat -d")


def test_what_this_phone_has_not(sh: Sh, out: Out) -> None:
    assert "no video encoder" in sh("screenrecord /sdcard/x.mp4").err
    assert "Mem:" in out("free")
    assert " up 0 min," in out("uptime")
    assert "inet addr:10.0.2.16" in out("ifconfig wlan0")
    assert "inet 10.0.2.16/24" in out("ip addr show dev wlan0")
    assert "virtual phone" in out("cat /proc/version")
    assert sh("run-as com.android.settings ls").code == 127

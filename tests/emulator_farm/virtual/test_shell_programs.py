"""What scripts are made of: arithmetic, conditions, loops, functions, here-documents, and pipes that flow."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

Sh = Callable[..., Any]
Out = Callable[[str], str]


class TestArithmetic:
    @pytest.mark.parametrize(
        ("expression", "value"),
        [
            ("1+2*3", 7),
            ("(1+2)*3", 9),
            ("7/2", 3),
            ("-7/2", -3),
            ("-7%3", -1),
            ("1<<31", -(2**31)),
            ("2147483647+1", -(2**31)),
            ("0x1f|32", 63),
            ("2#101", 5),
            ("1<2&&3>=3", 1),
            ("!5||0", 0),
            ("1?2:3", 2),
            ("~0", -1),
            ("0&&1/0", 0),
            ("", 0),
        ],
    )
    def test_values(self, out: Out, expression: str, value: int) -> None:
        assert out(f"echo $(({expression}))") == f"{value}\n"

    def test_variables(self, out: Out) -> None:
        assert out("x=5; echo $((x++ + ++x)) $x $((y+1)) $(($x*2)) $((x+=3))") == "12 7 1 14 10\n"

    def test_the_command_form(self, out: Out) -> None:
        assert out("i=0; ((i+=5)); ((i==5)) && echo yes; let i=i*2; echo $i") == "yes\n10\n"

    @pytest.mark.parametrize(
        ("expression", "problem"),
        [("1/0", "1/0: zero divisor"), ("1+", "1+: unexpected end"), ("1 2", "unexpected '2'")],
    )
    def test_nonsense_ends_the_script(self, sh: Sh, expression: str, problem: str) -> None:
        result = sh(f"echo $(({expression})); echo after")
        assert (result.code, result.out) == (1, "")
        assert problem in result.err

    @given(st.integers(-(2**31), 2**31 - 1), st.integers(-(2**31), 2**31 - 1), st.sampled_from("+-*&|^"))
    @settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
    def test_it_wraps_at_32_bits(self, out: Out, a: int, b: int, sign: str) -> None:
        exact = {"+": a + b, "-": a - b, "*": a * b, "&": a & b, "|": a | b, "^": a ^ b}[sign]
        assert out(f"a={a}; b={b}; echo $((a {sign} b))") == f"{(exact + 2**31) % 2**32 - 2**31}\n"


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ("if false; then echo a; elif true; then echo b; else echo c; fi", "b\n"),
        ("if false; then echo a; fi; echo $?", "0\n"),
        ("i=0; while [ $i -lt 3 ]; do echo $i; i=$((i+1)); done", "0\n1\n2\n"),
        ("i=3; until [ $i = 0 ]; do i=$((i-1)); done; echo $i", "0\n"),
        ("for i in 1 2 3; do [ $i = 2 ] && continue; echo $i; done", "1\n3\n"),
        ("for i in 1 2; do for j in 1 2; do [ $j = 2 ] && break 2; echo $i$j; done; done", "11\n"),
        ("set -- a 'b c'; for x; do echo $x; done; shift; echo $# $1", "a\nb c\n1 b c\n"),
        ("for x in; do echo never; done; echo end", "end\n"),
        ("case abc in x|a*) echo one;; *) echo two;; esac", "one\n"),
        ("case 'a*' in 'a*') echo quoted; esac", "quoted\n"),
        ("case b in (a) echo a;; (b) ;; esac; echo $?", "0\n"),
        ("f() { local x=3; echo $1 $x; return 4; }; x=1; f hi; echo $? $x", "hi 3\n4 1\n"),
        ("function g { echo $#; }; g 1 2; g", "2\n0\n"),
        ("[[ -d /sdcard && abc == a* ]] && echo yes; [[ abc != a* || 2 -gt 10 ]] || echo no", "yes\nno\n"),
        ("x='a b'; [[ $x == 'a b' ]] && [[ abc =~ ^a.c$ ]] && echo yes", "yes\n"),
        ("cat << EOF\n$((1+1)) $HOME \\$x\nEOF\necho after", "2 / $x\nafter\n"),
        ("cat << 'EOF' | tr a-z A-Z\n$HOME\nEOF", "$HOME\n"),
        ("cat <<-END\n\t\tdeep\n\tEND", "deep\n"),
        ("while read a b; do echo $b-$a; done << E\n1 2\n3 4 5\nE", "2-1\n4 5-3\n"),
        ("echo 'a:b:c' | { IFS=: read x y; echo $y $x; }", "b:c a\n"),
        ("printf 'a\\nb' | while read x; do echo $x; done", "a\n"),
        ("if true; then echo a; fi > /sdcard/f; cat /sdcard/f", "a\n"),
        ("x=/a/b.txt; echo ${x%.txt} ${x##*/} ${x%/*} ${x#/} ${x/b/c} ${x:1:2}", "/a/b b.txt /a a/b.txt /a/c.txt a/\n"),
        ("unset x; echo ${x:=5} $x", "5 5\n"),
        ("x=1; x+=2; echo $x; x= echo empty", "12\nempty\n"),
        ("eval 'echo $((3*3))'; type cd ls", "9\ncd is a shell builtin\nls is /system/bin/ls\n"),
        ("echo 'y=7' > /sdcard/s; . /sdcard/s; echo $y", "7\n"),
        ("echo a &> /sdcard/f; cat /sdcard/f", "a\n"),
    ],
)  # fmt: skip
def test_programs(out: Out, script: str, expected: str) -> None:
    assert out(script) == expected


def test_set_e_stops_at_an_error_that_nobody_asked_about(sh: Sh) -> None:
    assert (sh("set -e; false; echo after").code, sh("set -e; false; echo after").out) == (1, "")
    asked = sh("set -e; false || true; ! true; if false; then :; fi; while false; do :; done; false | true; echo on")
    assert (asked.code, asked.out) == (0, "on\n")


def test_a_missing_value_can_be_an_error(sh: Sh) -> None:
    result = sh("echo ${x?no x}; echo after")
    assert (result.code, result.out, result.err) == (1, "", "/system/bin/sh: x: no x\n")


class TestPipes:
    def test_what_is_printed_comes_through_at_once(self, out: Out) -> None:
        assert "healthd" in out("logcat | grep -m 1 healthd")
        assert "healthd" in out("logcat | sed s/x/y/ | cut -c 1-200 | tr a-z a-z | grep -m 1 healthd")

    def test_a_writer_ends_with_its_reader(self, out: Out) -> None:
        assert out("yes | head -n 2") == "y\ny\n"
        assert out("while true; do echo x; done | head -n 1") == "x\n"
        assert out("cat /dev/zero | head -c 5 | od -A n -t x1") == " 00 00 00 00 00\n"
        assert out("yes no | grep -q no && echo found") == "found\n"

    def test_the_status_is_that_of_the_last(self, sh: Sh) -> None:
        assert sh("false | true").code == 0
        assert sh("true | false").code == 1

    def test_a_large_file_passes(self, out: Out) -> None:
        assert out("dd if=/dev/zero bs=1M count=3 status=none | cat | wc -c") == f"{3 * 1024 * 1024}\n"


class TestProcesses:
    def test_a_background_job_can_be_killed_and_waited_for(self, out: Out) -> None:
        assert out("sleep 1000 & kill $!; wait $!; echo $?") == "143\n"
        assert out("sleep 1000 & ps -A | grep -c sleep; kill %1 2>/dev/null; kill -9 $!") == "1\n"

    def test_a_signal_that_only_asks(self, sh: Sh) -> None:
        assert sh("sleep 1000 & kill -0 $! && kill $!").code == 0
        assert "No such process" in sh("kill -0 99999").err


class TestBytes:
    @pytest.mark.parametrize(
        ("script", "expected"),
        [
            ("printf 'ab\\n' | od -c", "0000000   a   b  \\n\n0000003\n"),
            ("printf 'abc' | od -A x -t x1", "000000 61 62 63\n000003\n"),
            ("printf 'ab' | od -x", "0000000 6261\n0000002\n"),
            ("head -c 40 /dev/zero | od -v -A d -t u1 | tail -n 1", "0000040\n"),
            (
                "head -c 64 /dev/zero | od",
                "0000000 000000 000000 000000 000000 000000 000000 000000 000000\n*\n0000100\n",
            ),
            ("printf 'hello' | xxd", "00000000: 6865 6c6c 6f                             hello\n"),
            ("printf 'hi' | xxd -p | xxd -r -p", "hi"),
            ("seq 3 | tac; echo abc | rev", "3\n2\n1\ncba\n"),
            ("dd if=/dev/zero of=/sdcard/z bs=1k count=3 status=none; stat -c %s /sdcard/z", "3072\n"),
            ("truncate -s 5 /sdcard/t; wc -c < /sdcard/t", "5\n"),
        ],
    )
    def test_tools(self, out: Out, script: str, expected: str) -> None:
        assert out(script) == expected

    def test_random_bytes_differ(self, out: Out) -> None:
        assert len(set(out("for i in 1 2 3; do head -c 8 /dev/urandom | xxd -p; done").split())) == 3

    def test_a_disk_can_be_filled(self, sh: Sh) -> None:
        sh.phone.files.capacity = sh.phone.files.used + 100_000  # type: ignore[attr-defined]
        assert "No space left on device" in sh("dd if=/dev/zero of=/sdcard/fill bs=1M").err
        assert "No space left on device" in sh("cat /dev/zero > /sdcard/fill").err

    def test_times_of_files(self, out: Out) -> None:
        script = "touch -d '2023-01-02 03:04:05' a; touch -t 202203040506.07 b; touch -r a c; stat -c %Y a b c"
        assert out(f"cd /sdcard; {script}") == "1672628645\n1646370367\n1672628645\n"


def test_kill_of_the_shell_itself(wired: Any) -> None:
    assert wired.shell("echo before; kill $$; sleep 1000; echo after").code == 143
    assert wired.shell("kill -9 $$; sleep 1000").code == 137
    assert wired.shell("echo well").out == "well\n"


def test_small_questions(out: Out) -> None:
    assert out("nproc; hostname; logname") == "4\nlocalhost\nshell\n"
    assert out("f=$(mktemp); echo a > $f; cat $f; d=$(mktemp -d -p /sdcard x.XXXX); ls -d $d | wc -l") == "a\n1\n"
    assert out("mktemp") != out("mktemp")

"""Text tools, each against what toybox prints."""

from collections.abc import Callable
from typing import Any

import pytest

Out = Callable[[str], str]
Sh = Any


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        (
            "echo -n a; echo -e 'b\\tc\\n'; echo -ne 'x\\c ignored'; echo -E 'a\\n'; echo -nope",
            "ab\tc\n\nxa\\n\n-nope\n",
        ),
        ("echo -e '\\x41\\0101\\e\\q\\\\'", "AA\x1b\\q\\\n"),
        ("printf '%s-%5d|%-4s|%x %o %c%%\\n' a 42 b 255 8 xyz", "a-   42|b   |ff 10 x%\n"),
        ("printf '%s\\n' a b c", "a\nb\nc\n"),
        ("printf '%d %i %u\\n' 0x10 010 -1", "16 8 18446744073709551615\n"),
        ("printf '%.2f %e\\n' 3.14159 1000", "3.14 1.000000e+03\n"),
        ("printf '%*d|%s\\n' 4 7", "   7|\n"),
        ("printf '%b' 'a\\tb\\n'; printf 'no newline'", "a\tb\nno newline"),
        ('printf "%d\\n" "\'A"', "65\n"),
        ("printf '\\303\\251\\n'", "é\n"),
        ("printf '%b|never' 'x\\cy'", "x"),
        ("printf '%999999999d' 5 | head -c 5; printf '%*d|' 999999999 5", "%99995|"),
    ],
)
def test_printing(out: Out, script: str, expected: str) -> None:
    assert out(script) == expected


@pytest.mark.parametrize(
    ("condition", "status"),
    [
        ("-n a", 0), ("-z ''", 0), ("a", 0), ("''", 1), ("", 1), ("a = a", 0), ("a != a", 1), ("a == b", 1),
        ("1 -eq 1", 0), ("2 -gt 10", 1), ("-1 -lt 0", 0), ("3 -ge 3", 0), ("3 -le 2", 1), ("3 -ne 2", 0),
        ("a '<' b", 0), ("! a = b", 0), ("-d /sdcard", 0), ("-f /sdcard", 1), ("-f /proc/version", 0),
        ("-e /nosuch", 1), ("-s /proc/version", 0), ("-r /data/data/x", 1), ("-w /sdcard", 0), ("-w /system", 1),
        ("-L /sdcard", 0), ("-h /sdcard/", 1), ("-x /sdcard", 0), ("a = a -a b = b", 0), ("a = b -o b = b", 0),
        ("a = a -a b = c", 1), ("'(' a = b ')' -o x", 0), ("-n", 0), ("!", 0), ("1 -eq x", 2), ("a b", 2), ("( a", 2),
        ("a = b c", 2), ("! ! a", 0),
    ],
)  # fmt: skip
def test_conditions(sh: Sh, condition: str, status: int) -> None:
    quoted = condition.replace("( a", "'(' a")
    assert sh(f"test {quoted}").code == status
    assert sh(f"[ {quoted} ]").code == status


def test_a_bracket_needs_its_end(sh: Sh) -> None:
    result = sh("[ a = a")
    assert (result.code, result.err) == (2, "/system/bin/sh: [: missing ]\n")


LINES = "printf 'b 2\\na 10\\nc 1\\na 10\\n'"


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ("printf 'a\\nb' | cat - /dev/null", "a\nb"),
        ("seq 20 | head -n 2; seq 3 | head -1; seq 3 | head -c 3", "1\n2\n1\n1\n2"),
        ("seq 3 | head -n -1; seq 20 | tail -n 2; seq 3 | tail -n +2; seq 3 | tail -2; seq 3 | tail -c 2",
         "1\n2\n19\n20\n2\n3\n2\n3\n3\n"),
        ("seq 12 | head | wc -l", "10\n"),
        ("printf 'one two\\nthree\\n' | wc; printf 'é' | wc -c; printf 'é' | wc -m",
         "       2       3      14\n2\n1\n"),
        (f"{LINES} | sort; {LINES} | sort -u | wc -l; {LINES} | sort -r | head -1", "a 10\na 10\nb 2\nc 1\n3\nc 1\n"),
        (f"{LINES} | sort -k2 -n; {LINES} | sort -t ' ' -k2,2n | tail -1", "c 1\nb 2\na 10\na 10\na 10\n"),
        ("printf '10\\n9\\n-1.5x\\nz\\n' | sort -n; printf 'B\\na\\n' | sort -f", "-1.5x\nz\n9\n10\na\nB\n"),
        (f"{LINES} | sort | uniq -c; {LINES} | sort | uniq -d; {LINES} | sort | uniq -u",
         "      2 a 10\n      1 b 2\n      1 c 1\na 10\nb 2\nc 1\n"),
        ("printf 'A\\na\\nb\\n' | uniq -i", "A\nb\n"),
        ("printf 'a:b:c\\nnone\\n' | cut -d: -f2; printf 'a:b:c\\nnone\\n' | cut -s -d : -f 1,3-", "b\nnone\na:c\n"),
        ("echo abcdef | cut -c 2-3,5; echo abcdef | cut -b -2", "bce\nab\n"),
        ("echo hello | tr a-y b-z; echo aabbc | tr -s ab; echo a1b2 | tr -d 0-9; echo a1b2 | tr -cd 0-9",
         "ifmmp\nabc\nab\n12"),
        ("echo Hello | tr '[:lower:]' '[:upper:]'; echo 'a b' | tr ' ' '\\n'; echo abc | tr -c 'b\\n' x",
         "HELLO\na\nb\nxbx\n"),
        ("echo abc | base64; echo YWJjCg== | base64 -d; seq 9 | base64 -w 0 | wc -l; seq 30 | base64 | head -1 | wc -c",
         "YWJjCg==\nabc\n1\n77\n"),
        ("printf abc | md5sum; printf abc | sha256sum -b; printf abc | sha1sum",
         "900150983cd24fb0d6963f7d28e17f72  -\nba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad\n"
         "a9993e364706816aba3e25717850c26c9cd0d89d  -\n"),
        ("seq 2 5; seq 1 3 9; seq 3 -1 1", "2\n3\n4\n5\n1\n4\n7\n3\n2\n1\n"),
        ("basename /a/b.txt .txt; basename /; dirname /a/b /x c", "b\n/\n/a\n/\n.\n"),
        ("expr 2 + 3; expr 7 / 2; expr 7 % 4; expr 2 '*' 3; expr length abc; expr 2 '<' 3", "5\n3\n3\n6\n3\n1\n"),
        ("echo x | tee /sdcard/t1 /sdcard/t2; echo y | tee -a /sdcard/t1 > /dev/null; cat /sdcard/t1", "x\nx\ny\n"),
        ("seq 5 | xargs echo; seq 3 | xargs -n 2 echo; printf 'a\\0b' | xargs -0 printf '%s,'",
         "1 2 3 4 5\n1 2\n3\na,b,"),
        ("printf 'a b\\nc\\n' | xargs -I X echo '[X]'; printf '' | xargs -r echo no", "[a b]\n[c]\n"),
    ],
)  # fmt: skip
def test_filters(out: Out, script: str, expected: str) -> None:
    assert out(script) == expected


FRUIT = "printf 'Apple pie\\nbanana\\ncherry (red)\\napple\\n'"


@pytest.mark.parametrize(
    ("options", "expected", "status"),
    [
        ("apple", "apple\n", 0),
        ("-i apple", "Apple pie\napple\n", 0),
        ("-v a", "Apple pie\ncherry (red)\n", 0),
        ("-c a", "2\n", 0),
        ("-n ^a", "4:apple\n", 0),
        ("-o 'an*'", "an\nan\na\na\n", 0),
        ("-on a", "2:a\n2:a\n2:a\n4:a\n", 0),
        ("-q banana", "", 0),
        ("-q nothing", "", 1),
        ("nothing", "", 1),
        ("-F '(red)'", "cherry (red)\n", 0),
        ("'(red)'", "cherry (red)\n", 0),
        ("-E '(ban|che)'", "banana\ncherry (red)\n", 0),
        ("'ban\\|che'", "banana\ncherry (red)\n", 0),
        ("-w app", "", 1),
        ("-w pie", "Apple pie\n", 0),
        ("-x banana", "banana\n", 0),
        ("-e banana", "banana\n", 0),
        ("'[[:upper:]]'", "Apple pie\n", 0),
        ("-m 1 -i apple", "Apple pie\n", 0),
        ("-A1 banana", "banana\ncherry (red)\n", 0),
        ("-B 1 banana", "Apple pie\nbanana\n", 0),
        ("-nC1 cherry", "2-banana\n3:cherry (red)\n4-apple\n", 0),
        ("-A0 -E 'Apple|^apple'", "Apple pie\napple\n", 0),
        ("-B1 -E 'Apple|^apple'", "Apple pie\n--\ncherry (red)\napple\n", 0),
        ("'\\<pie\\>'", "Apple pie\n", 0),
        ("'*'", "", 1),
        ("'['", "", 2),
        ("-l a", "(standard input)\n", 0),
        ("-L a", "", 0),
    ],
)
def test_grep(sh: Sh, options: str, expected: str, status: int) -> None:
    result = sh(f"{FRUIT} | grep {options}")
    assert (result.code, result.out) == (status, expected)


def test_grep_in_files(sh: Sh, out: Out) -> None:
    out("mkdir /sdcard/g; echo one > /sdcard/g/a; echo two > /sdcard/g/b; echo -n one > /sdcard/c")
    assert out("grep one /sdcard/g/a") == "one\n"
    assert out("cd /sdcard; grep one g/a c") == "g/a:one\nc:one\n"
    assert out("cd /sdcard; grep -h one g/a c; grep -H one c") == "one\none\nc:one\n"
    assert out("cd /sdcard; grep -r o g; grep -rl two g; fgrep one c; egrep 'o|x' c") == (
        "g/a:one\ng/b:two\ng/b\none\none\n"
    )
    missing = sh("grep x /nosuch")
    assert (missing.code, missing.err) == (2, "grep: /nosuch: No such file or directory\n")
    assert sh("grep").err == "grep: no REGEX\n"


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ("s/a/X/", "X1ab\nb2\n"), ("s/a/X/g", "X1Xb\nb2\n"), ("s/a/X/2", "a1Xb\nb2\n"), ("s/A/x/I", "x1ab\nb2\n"),
        ("s|a|/|", "/1ab\nb2\n"), ("s/\\(a\\)\\([0-9]\\)/\\2\\1/", "1aab\nb2\n"), ("s/[0-9]/<&>/", "a<1>ab\nb<2>\n"),
        ("s/a/\\n/;s/b/c/", "\n1ac\nc2\n"), ("2d", "a1ab\n"), ("/b2/d", "a1ab\n"), ("1,2d", ""), ("$d", "a1ab\n"),
        ("1s/a/x/", "x1ab\nb2\n"), ("2,$s/b/x/", "a1ab\nx2\n"), ("s/^/> /", "> a1ab\n> b2\n"),
    ],
)  # fmt: skip
def test_sed(out: Out, script: str, expected: str) -> None:
    assert out(f"printf 'a1ab\\nb2\\n' | sed '{script}'") == expected


def test_sed_options(sh: Sh, out: Out) -> None:
    assert (
        out("seq 5 | sed -n 2p; seq 5 | sed -n '2,3p'; seq 5 | sed -n '/4/p'; seq 5 | sed -n '$p'") == "2\n2\n3\n4\n5\n"
    )
    assert out("echo ab | sed -E 's/(a)(b)/\\2\\1/'; echo ab | sed -n 's/a/x/p'; echo a.b | sed -e 's/\\./,/'") == (
        "ba\nxb\na,b\n"
    )
    for script in ("y/a/b/", "s/a", "'s/[/x/'", ""):
        assert sh(f"echo a | sed {script}").code != 0
    assert out("echo ab > /sdcard/x; sed -i s/a/b/ /sdcard/x; cat /sdcard/x; seq 9 | sed 2q") == "bb\n1\n2\n"


@pytest.mark.parametrize(
    ("script", "error"),
    [
        ("head -n x", "head: not integer: x"),
        ("cut x", "cut: no selections"),
        ("cut -f x", "cut: bad range 'x'"),
        ("tr", 'tr: Needs 1 argument (see "tr --help")'),
        ("echo '!!!' | base64 -d", "base64: bad input"),
        ("seq x", "seq: bad number 'x'"),
        ("seq", 'seq: Needs 1 argument (see "seq --help")'),
        ("seq 1 99999999", "seq: too many numbers"),
        ("expr 1 + x", "expr: non-integer argument"),
        ("expr 1 / 0", "expr: division by zero"),
        ("expr 1", "expr: syntax error"),
        ("basename", 'basename: Needs 1 argument (see "basename --help")'),
        ("dirname", 'dirname: Needs 1 argument (see "dirname --help")'),
        ("printf", 'printf: Needs 1 argument (see "printf --help")'),
        ("printf '%d' x > /dev/null", "printf: x: not integer"),
        ("cat /nosuch", "cat: /nosuch: No such file or directory"),
        ("cat /sdcard", "cat: /sdcard: Is a directory"),
        ("wc --lines", "wc: Unknown option 'lines' (see \"wc --help\")"),
        ("sort -Z", "sort: Unknown option 'Z' (see \"sort --help\")"),
        ("head -n", 'head: Missing argument to -n (see "head --help")'),
        ("sleep", 'sleep: Needs 1 argument (see "sleep --help")'),
        ("sleep x", "sleep: bad number 'x'"),
        ("timeout 1", 'timeout: Needs 2 arguments (see "timeout --help")'),
        ("timeout x true", "timeout: bad number 'x'"),
        ("env -Q", "env: Unknown option 'Q'"),
        ("su nobody-such true", "su: invalid uid/gid 'nobody-such'"),
        ("cd /nosuch", "/system/bin/sh: cd: /nosuch: No such file or directory"),
        ("cd /proc/version", "/system/bin/sh: cd: /proc/version: Not a directory"),
        ("cd /data/data", "/system/bin/sh: cd: /data/data: Permission denied"),
        ("exit x", "/system/bin/sh: exit: x: bad number"),
        ("sh -c", "/system/bin/sh: -c requires an argument"),
        ("xargs -Q", "xargs: Unknown option 'Q' (see \"xargs --help\")"),
    ],
)
def test_mistakes_are_named(sh: Sh, script: str, error: str) -> None:
    result = sh(script)
    assert result.code != 0
    assert result.err == error + "\n"


def test_several_files(out: Out) -> None:
    out("echo 1 > /sdcard/a; echo 2 > /sdcard/b")
    assert out("cd /sdcard; head a b") == "==> a <==\n1\n\n==> b <==\n2\n"
    assert out("cd /sdcard; wc -l a b") == "1 a\n1 b\n2 total\n"
    assert out("cd /sdcard; md5sum a | cut -c 33-") == "  a\n"


def test_commands_about_commands(sh: Sh, out: Out) -> None:
    assert out("which ls; command -v cd; command -v input; command echo x; type_=1") == (
        "/system/bin/ls\ncd\n/system/bin/input\nx\n"
    )
    assert sh("which nosuch").code == 1
    assert sh("command -v nosuch").code == 1
    assert (
        out("toybox echo t; nohup echo n; env -i A=1 env; env -u HOME env | grep -c HOME= || true") == "t\nn\nA=1\n0\n"
    )
    assert (
        out("su 0 id -u; su root whoami; su shell id -u; su -c 'id -u'; su 1000 id -un") == "0\nroot\n2000\n0\nsystem\n"
    )
    assert sh("su", stdin=b"id -u\n").out == "0\n"

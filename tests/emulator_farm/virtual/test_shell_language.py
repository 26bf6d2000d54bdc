"""The shell's language: quoting, expansion, pipes, redirections, status, and what it refuses."""

import shlex
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

Sh = Callable[..., Any]
Out = Callable[[str], str]


class TestQuoting:
    @pytest.mark.parametrize(
        ("script", "expected"),
        [
            ("echo a  b", "a b\n"),
            ("echo 'a  b'", "a  b\n"),
            ('echo "a  b"', "a  b\n"),
            (r"echo a\ \ b", "a  b\n"),
            (r'echo "\$HOME \`x\` \" \\ \n"', '$HOME `x` " \\ \\n\n'),
            ("echo '$HOME' '\\'", "$HOME \\\n"),
            ("echo a'b'\"c\"d", "abcd\n"),
            ("echo '' \"\" x", "  x\n"),
            ("echo a#b # comment", "a#b\n"),
            ("# only a comment", ""),
            ("echo one\\\ntwo", "onetwo\n"),
            ("echo $ $1x", "$ x\n"),
            ("echo 'two\nlines'", "two\nlines\n"),
            ("echo *", "acct apex bin cache config d data dev etc mnt odm oem proc product sdcard storage sys system "
             "system_ext vendor\n"),
            ("echo '*' \\* \"*\"", "* * *\n"),
            ("echo 你好 😀", "你好 😀\n"),
        ],
    )  # fmt: skip
    def test_words(self, out: Out, script: str, expected: str) -> None:
        assert out(script) == expected

    @given(text=st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=60))
    @settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
    def test_any_text_quoted_comes_back(self, out: Out, text: str) -> None:
        assert out(f"printf '%s|' {shlex.quote(text)} end") == f"{text}|end|"
        assert out(f"echo -E {shlex.quote('x' + text)}") == f"x{text}\n"

    def test_bytes_that_are_no_utf8_come_back(self, out: Out) -> None:
        text = b"caf\xe9 \xff".decode("utf-8", "surrogateescape")
        assert out(f"echo '{text}'") == f"{text}\n"


class TestExpansion:
    @pytest.mark.parametrize(
        ("script", "expected"),
        [
            ("x=1; echo $x ${x}2 \"$x\" '$x'", "1 12 1 $x\n"),
            ("x='a b'; printf '[%s]' $x \"$x\"", "[a][b][a b]"),
            ('echo [$nothing] "[$nothing]" $nothing end', "[] [] end\n"),
            ("echo ${x:-default} ${x-d}; x=; echo ${x:-e} [${x-f}] ${x:+set} ${x+set}", "default d\ne [] set\n"),
            ("x=hello; echo ${#x}", "5\n"),
            ("false; echo $?; echo $?", "1\n0\n"),
            ("echo $(echo 'a  b') \"$(echo 'a  b')\"", "a b a  b\n"),
            ("echo `echo \\`echo deep\\``", "deep\n"),
            ("echo $(printf 'x\\n\\n')y", "xy\n"),
            ("x=$(echo 1)$(echo 2); echo $x", "12\n"),
            ("x=$(false); echo $?", "1\n"),
            ("x=$(exit 3); echo $? after", "3 after\n"),
            ("sh -c 'echo $0 $1 $# \"$@\"' name 'a b' c", "name a b 2 a b c\n"),
            ("sh -c 'printf \"<%s>\" \"$@\"' n 'a b' c", "<a b><c>"),
            ("sh -c 'printf \"<%s>\" $@ $*' n 'a b'", "<a><b><a><b>"),
            ("A=1 env | grep ^A=", "A=1\n"),
            ("A=1; env | grep -c ^A=; export A; env | grep ^A=", "0\nA=1\n"),
            ("export B=x; sh -c 'echo $B'; unset B; echo [$B]", "x\n[]\n"),
            ("cd /sdcard; echo $PWD $OLDPWD; cd -; pwd", "/sdcard /\n/\n"),
        ],
    )
    def test_values(self, sh: Sh, script: str, expected: str) -> None:
        assert sh(script).out == expected

    def test_globs(self, out: Out) -> None:
        out("cd /data/local/tmp; touch a1 a2 b1 .hidden; mkdir d; touch d/x 'sp ace' '[odd]'")
        assert out("cd /data/local/tmp; echo a*") == "a1 a2\n"
        assert out("cd /data/local/tmp; echo ?1 [!a]1 [ab]2 .h*") == "a1 b1 b1 a2 .hidden\n"
        assert out("cd /data/local/tmp; echo */x z* 'a'*") == "d/x z* a1 a2\n"
        assert out("echo /data/local/tmp/[d]/") == "/data/local/tmp/d/\n"
        assert out('cd /data/local/tmp; for_glob=a*; echo $for_glob "$for_glob"') == "a1 a2 a*\n"
        assert out("cd /data/local/tmp; echo \\[*") == "[odd]\n"
        assert out("cd /data/local/tmp; printf '%s;' s*") == "sp ace;"

    def test_a_glob_shows_nothing_that_may_not_be_listed(self, out: Out) -> None:
        assert out("echo /data/data/* /data/local/*") == "/data/data/* /data/local/*\n"


class TestControl:
    @pytest.mark.parametrize(
        ("script", "code", "expected"),
        [
            ("true && echo a || echo b", 0, "a\n"),
            ("false && echo a || echo b", 0, "b\n"),
            ("false && echo a; echo c", 0, "c\n"),
            ("! true", 1, ""),
            ("! false; echo $?", 0, "0\n"),
            ("exit 7; echo no", 7, ""),
            ("exit 300", 44, ""),
            ("(exit 3); echo $?", 0, "3\n"),
            ("(cd /sdcard; x=1; pwd); pwd; echo [$x]", 0, "/sdcard\n/\n[]\n"),
            ("{ echo a; echo b; } | wc -l", 0, "2\n"),
            ("{ x=1; }; echo $x", 0, "1\n"),
            ("echo a | cat | cat", 0, "a\n"),
            ("false | true", 0, ""),
            ("true | false", 1, ""),
            ("exit 3 | true; echo $?", 0, "0\n"),
            ("echo one\necho two", 0, "one\ntwo\n"),
            ("echo a &&\n echo b |\n cat", 0, "a\nb\n"),
            ("sleep 0.05 && echo late & echo early; wait; echo end", 0, "early\nlate\nend\n"),
            ("(exit 5) & echo $?", 0, "0\n"),
            ("echo x &", 0, "x\n"),
            ("exec echo gone; echo no", 0, "gone\n"),
            ("timeout 0.05 sleep 5; echo $?", 0, "124\n"),
            (":", 0, ""),
            ("", 0, ""),
            (" ; ", 1, ""),
        ],
    )
    def test_status_and_output(self, sh: Sh, script: str, code: int, expected: str) -> None:
        result = sh(script)
        assert (result.code, result.out) == (code, expected)

    @pytest.mark.parametrize(
        ("script", "error"),
        [
            ("echo a; done", "syntax error: unexpected 'done'"),
            ("echo 'open", "no closing quote"),
            ('echo "open', "no closing quote"),
            ("echo `open", "no closing quote"),
            ("echo $(open", "syntax error: unexpected EOF"),
            ("(echo", "syntax error: unexpected EOF"),
            ("()", "syntax error: unexpected ')'"),
            ("echo a)", "syntax error: unexpected ')'"),
            ("a && && b", "syntax error: unexpected '&&'"),
            ("| a", "syntax error: unexpected '|'"),
            ("a |", "syntax error: unexpected EOF"),
            ("a ;; b", "syntax error: unexpected ';;'"),
            ("cat << EOF\na", "here document 'EOF' unclosed"),
            ("echo >", "syntax error: unexpected EOF"),
            ("echo $((1+1)", "syntax error: unexpected EOF"),
            ("if true; then echo", "syntax error: unexpected EOF"),
            ("for; do a; done", "syntax error: unexpected ';'"),
            ("while true; done", "syntax error: unexpected 'done'"),
            ("case x in a) b", "syntax error: unexpected EOF"),
            ("f() echo a", "syntax error: unexpected EOF"),
            ("echo ${x!}", "${x!}: bad substitution"),
            ("echo ${x:-a", "${x:-a: bad substitution"),
            ("& a", "syntax error: unexpected '&'"),
        ],
    )
    def test_what_is_no_script_is_refused_before_anything_runs(self, sh: Sh, script: str, error: str) -> None:
        result = sh("echo ran\n" + script)
        assert (result.code, result.out) == (1, "")
        assert result.err == f"/system/bin/sh: {error}\n"

    @pytest.mark.parametrize("script", ["$(" * 5000, "(" * 5000, "{ " * 5000, "`echo \\`" * 40, "${x:-" * 5000])
    def test_absurd_nesting_is_refused(self, sh: Sh, script: str) -> None:
        assert sh(f"echo {script}" if script[0] in "$`" else script).code == 1

    @given(st.text(alphabet="ab $(){}`'\"\\|&;<>#!*?[]=\n1.-/", max_size=30))
    @settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
    def test_any_script_ends_with_a_status(self, sh: Sh, script: str) -> None:
        assert 0 <= sh(script).code <= 255


class TestCommands:
    def test_an_unknown_command(self, sh: Sh) -> None:
        result = sh("nosuch -x; echo $?")
        assert result.out == "127\n"
        assert result.err == "/system/bin/sh: nosuch: inaccessible or not found\n"

    def test_an_unknown_path(self, sh: Sh) -> None:
        result = sh("/data/local/tmp/tool")
        assert result.code == 127
        assert "/data/local/tmp/tool: inaccessible or not found" in result.err

    def test_full_paths_of_tools(self, out: Out) -> None:
        assert out("/system/bin/echo hi; /bin/echo ho") == "hi\nho\n"

    def test_scripts_are_files(self, sh: Sh, out: Out) -> None:
        out("printf 'echo $0 $1\\nexit 4\\n' > /data/local/tmp/s")
        refused = sh("/data/local/tmp/s")
        assert refused.code == 126
        assert refused.err.endswith("can't execute: Permission denied\n")
        result = sh("chmod +x /data/local/tmp/s; /data/local/tmp/s arg; echo $?; sh /data/local/tmp/s other")
        assert result.out.splitlines()[1] == "4"
        assert "other" in result.out
        assert result.code == 4
        assert sh("sh /nosuch").code == 127

    def test_a_directory_is_no_command(self, sh: Sh) -> None:
        assert sh("/sdcard/").err.endswith("can't execute: Is a directory\n")

    def test_recursion_ends(self, sh: Sh) -> None:
        sh("echo 'sh /data/local/tmp/r' > /data/local/tmp/r")
        assert "recursion too deep" in sh("sh /data/local/tmp/r").err

    def test_standard_input(self, sh: Sh) -> None:
        assert sh("cat; cat", stdin=b"in").out == "in"
        assert sh("sh", stdin=b"echo from stdin\nexit 2\n").code == 2
        assert sh("read_nothing=1; wc -c", stdin=b"12345").out == "5\n"


class TestRedirection:
    def test_files(self, out: Out) -> None:
        out("cd /data/local/tmp; echo one > f; echo two >> f; cat < f > g; echo 3 >| f")
        assert out("cat /data/local/tmp/g /data/local/tmp/f") == "one\ntwo\n3\n"

    def test_the_file_exists_and_is_empty_before_the_command_runs(self, sh: Sh) -> None:
        result = sh("cd /data/local/tmp; echo old > f; cat f > f; wc -c < f; > empty; ls empty")
        assert result.out == "0\nempty\n"

    def test_error_stream(self, sh: Sh) -> None:
        assert sh("ls /nosuch 2>/dev/null").err == ""
        both = sh("ls /nosuch 2>&1")
        assert (both.out, both.err) == ("ls: /nosuch: No such file or directory\n", "")
        assert sh("echo x >&2").err == "x\n"
        assert sh("echo x 1>&2 2>/dev/null").err == "x\n"
        swapped = sh("ls /nosuch > /data/local/tmp/log 2>&1; cat /data/local/tmp/log")
        assert "No such file" in swapped.out
        assert sh("{ echo a; echo b >&2; } 2>/dev/null").out == "a\n"
        assert sh("(echo a; nosuch) 2>&1 | wc -l").out == "2\n"

    def test_devices(self, sh: Sh) -> None:
        assert sh("echo a > /dev/null; echo b > /dev/stdout; echo c > /dev/stderr").err == "c\n"
        assert sh("cat < /dev/null; cat < /dev/stdin", stdin=b"in").out == "in"
        assert sh("cat <&0", stdin=b"in").out == "in"
        assert sh("cat <&-; echo gone >&-", stdin=b"in").out == ""

    @pytest.mark.parametrize(
        ("script", "error"),
        [
            ("echo > /system/x", "can't create /system/x: Read-only file system"),
            ("echo > /data/x", "can't create /data/x: Permission denied"),
            ("echo > /nosuch/x", "can't create /nosuch/x: No such file or directory"),
            ("echo > /sdcard", "can't create /sdcard: Is a directory"),
            ("cat < /nosuch", "can't open /nosuch: No such file or directory"),
            ("cat < /data/data/x", "can't open /data/data/x: Permission denied"),
            ("echo >&9", "illegal file descriptor name: 9"),
        ],
    )
    def test_what_cannot_be_opened(self, sh: Sh, script: str, error: str) -> None:
        result = sh(script + "; echo $?")
        assert (result.out, result.err) == ("1\n", f"/system/bin/sh: {error}\n")

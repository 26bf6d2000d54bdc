from __future__ import annotations

import io
import os
import pty

from agent_server.launcher.console import Console


def test_without_a_terminal_everything_is_a_line():
    out = io.StringIO()
    console = Console(out)
    console.line("log")
    console.status("starting")
    console.status("")
    assert out.getvalue() == "log\nstarting\n"


def test_on_a_terminal_the_status_stays_below_the_log():
    ours, theirs = pty.openpty()
    with open(theirs, "w") as stream:
        console = Console(stream)
        assert console.terminal
        console.status("starting, 1 s")
        console.line("log")
        console.status("starting, 2 s")
        console.status("")
        console.line("end")
        written = ""
        while not written.endswith("end\r\n"):  # a terminal hands out what it has, in pieces as it likes
            written += os.read(ours, 4096).decode()
    os.close(ours)
    clear = "\r\x1b[2K"
    assert written == f"starting, 1 s{clear}log\r\nstarting, 1 s{clear}starting, 2 s{clear}end\r\n"

"""The commands for one phone, against phones that `emulator-farm phone` serves, through a real adb server."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from lxml import etree
from PIL import Image

from emulator_farm.devices.adb_server import AdbServer
from emulator_farm.devices.device import Device

CORPUS = Path(__file__).parents[1] / "corpus"
HIERARCHIES = sorted((CORPUS / "hierarchies").iterdir())
FARM = [sys.executable, "-m", "emulator_farm"]
NOTHING_THERE = "127.0.0.1:9"


@contextmanager
def serving(*words: object, lines: int, stop: int = signal.SIGINT) -> Iterator[list[str]]:
    """`emulator-farm phone` in a process of its own, ended by a signal; the addresses that it prints."""
    process = subprocess.Popen(
        [*FARM, "phone", *map(str, words)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    try:
        yield [process.stdout.readline().strip() for _ in range(lines)]
    finally:
        process.send_signal(stop)
        rest, errors = process.communicate(timeout=20)
    assert (process.returncode, rest, errors) == (0, "", "")


@pytest.fixture(scope="module")
def phones() -> Iterator[list[str]]:
    """Two virtual phones."""
    with serving("--count", 2, "--size", "720x1600", "--density", 280, lines=2) as addresses:
        yield addresses


@pytest.fixture
def phone(phones: list[str]) -> str:
    return phones[0]


@pytest.fixture(scope="module")
def adb() -> Iterator[AdbServer]:
    """An adb server that is there already, for `--adb-port`."""
    with AdbServer.launch() as server:
        yield server


@pytest.fixture
def farm(left_running: Callable[[str], list[str]]) -> Iterator[Callable[..., subprocess.CompletedProcess[str]]]:
    """Run a command as a process; whatever it starts must end with it."""
    mark = uuid.uuid4().hex

    def run(*words: object, stdin: str = "", **environment: str) -> subprocess.CompletedProcess[str]:
        argv = [*FARM, *map(str, words)]
        surroundings = os.environ | {"STARTED_BY_TEST": mark, "COLUMNS": "120"} | environment
        return subprocess.run(
            argv, env=surroundings, input=stdin, capture_output=True, encoding="utf-8", timeout=60, check=False
        )

    yield run
    assert left_running(mark) == []


def test_the_doctor_on_a_new_phone(farm: Any, phone: str) -> None:
    done = farm("doctor", phone)
    assert (done.returncode, done.stderr) == (0, ""), done.stdout
    states = [line.split("│")[2].strip() for line in done.stdout.splitlines() if line.startswith("│") and "│ " in line]
    assert [state for state in states if state] == [
        *["ok"] * 7,
        *["not set"] * 2,  # keyboard and animations, which the farm sets
        *["ok"] * 3,  # the ways to frames, gestures and trees
    ]
    assert "720x1600" in done.stdout


def test_the_doctor_on_a_broken_phone(cli: Any, adb: AdbServer, phones: list[str]) -> None:
    adb.connect(phones[1])
    with Device(phones[1], adb) as device:
        device.shell("setprop sys.boot_completed 0")
        said = cli("doctor", phones[1], "--adb-port", adb.address.port)
        device.shell("setprop sys.boot_completed 1")
    assert (said.code, said.err) == (1, "")
    (line,) = [line for line in said.out.splitlines() if "FAILED" in line]
    assert "boot" in line
    assert "still starting" in line


def test_a_prepared_phone_lacks_nothing(cli: Any, adb: AdbServer, phones: list[str]) -> None:
    port = ("--adb-port", adb.address.port)
    assert cli("prepare", phones[1], *port) == (0, "", "")
    said = cli("doctor", phones[1], *port)
    assert (said.code, said.err) == (0, "")
    assert "not set" not in said.out
    assert "FAILED" not in said.out
    assert "com.github.uiautomator/.AdbKeyboard" in said.out


def test_preparing_wipes_only_where_that_is_said(cli: Any, adb: AdbServer, phones: list[str]) -> None:
    port = ("--adb-port", adb.address.port)
    with Device(phones[1], adb) as device:
        device.content_insert("content://sms/inbox", {"address": "5550100", "body": "still here"})
        device.shell("am start -n com.android.settings/.Settings; vphone fault window anr")
        assert cli("doctor", phones[1], *port).code == 1
        assert cli("prepare", phones[1], *port) == (0, "", "")
        assert cli("doctor", phones[1], *port).code == 0
        assert device.content_query("content://sms", ["body"], "body='still here'")
        assert cli("prepare", phones[1], "--reset", "apps", *port) == (0, "", "")
        assert not device.content_query("content://sms", ["body"], "body='still here'")


def test_observe_keeps_what_was_seen(farm: Any, phone: str, tmp_path: Path) -> None:
    out = tmp_path / "a/b"
    done = farm("observe", phone, "--out", out)
    assert (done.returncode, done.stderr) == (0, "")
    facts = json.loads(done.stdout)
    assert (facts["serial"], facts["size"], facts["app"]) == (phone, [720, 1600], "com.android.launcher3")
    assert json.loads((out / "observation.json").read_text()) == facts
    with Image.open(out / "frame.png") as frame:
        assert frame.size == (720, 1600)
    assert etree.parse(out / "ui.xml").getroot().tag == "hierarchy"


def test_perform_from_standard_input(farm: Any, phone: str) -> None:
    done = farm("perform", phone, "-", stdin='{"type": "open_app", "app": "Settings"}\n')
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)["status"] == "ok"


@pytest.mark.parametrize(
    ("action", "status"),
    [
        ({"type": "click", "point": [719, 1599]}, "ok"),
        ({"type": "long_press", "point": [300, 300], "duration_ms": 1}, "ok"),
        ({"type": "double_click", "point": [300, 300]}, "ok"),
        ({"type": "drag", "start": [300, 900], "end": [300, 500]}, "ok"),
        ({"type": "scroll", "direction": "down"}, "ok"),
        ({"type": "press", "key": "home"}, "ok"),
        ({"type": "type", "text": "naïve 漢字 'quoted' $(id)"}, "rejected"),
        ({"type": "open_app", "app": "Nonesuch"}, "rejected"),
        ({"type": "wait", "seconds": 0}, "ok"),
        ({"type": "answer", "text": "4"}, "none"),
        ({"type": "call_user"}, "none"),
        ({"type": "finished"}, "none"),
    ],
)
def test_perform_says_what_became_of_it(
    cli: Any, adb: AdbServer, phone: str, action: dict[str, Any], status: str
) -> None:
    said = cli("perform", phone, json.dumps(action), "--adb-port", adb.address.port)
    assert (said.code, said.err) == (int(status == "rejected"), "")
    outcome = json.loads(said.out)
    assert outcome["status"] == status
    assert outcome.keys() == {"status", "detail", "command"}
    assert bool(outcome["detail"]) == (status != "ok" or action["type"] == "wait")


@pytest.mark.parametrize(
    ("action", "words"),
    [
        ('{"type": "fly"}', "does not match any of the expected tags: 'click', 'double_click'"),
        ('{"type": ', "Invalid JSON: EOF"),
        ("", "Invalid JSON"),
        ("null", "should be an object"),
        ('{"point": [1, 2]}', "Unable to extract tag"),
        ('{"type": "click"}', "click.point: Field required"),
        ('{"type": "click", "point": ["a", 1]}', "click.point.0: Input should be a valid integer"),
        ('{"type": "press", "key": "boss"}', "press.key: Input should be 'back', 'home'"),
        ('{"type": "press", "key": "home", "hard": true}', "press.hard: Extra inputs are not permitted"),
        ('{"type": "wait", "seconds": 1e999}', "wait.seconds"),
        ('{"type": "type", "text": "\udcff"}', "Invalid JSON: invalid unicode code point"),
        ("[" * 100_000, "Invalid JSON: recursion limit exceeded"),
    ],
)
def test_what_is_no_action(cli: Any, action: str, words: str) -> None:
    complaint = cli("perform", NOTHING_THERE, action).complaint(2)
    assert " is no action: " in complaint
    assert words in complaint
    assert len(complaint) < 600


@pytest.mark.parametrize("point", [[720, 0], [0, 1600], [-1, 5]])
def test_a_point_off_the_screen(cli: Any, adb: AdbServer, phone: str, point: list[int]) -> None:
    action = json.dumps({"type": "click", "point": point})
    complaint = cli("perform", phone, action, "--adb-port", adb.address.port).complaint(2)
    assert complaint == f"the point ({point[0]}, {point[1]}) is outside the screen of 720x1600"


@pytest.mark.parametrize(
    ("command", "more"),
    [
        ("doctor", []),
        ("prepare", []),
        ("observe", ["--out", "look"]),
        ("perform", ['{"type": "press", "key": "home"}']),
    ],
)
def test_an_absent_phone(
    cli: Any, adb: AdbServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str, more: Sequence[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    words = (command, NOTHING_THERE, *more)
    refused = f"{NOTHING_THERE}: cannot connect: failed to connect to '{NOTHING_THERE}': Connection refused"
    assert cli(*words, "--adb-port", adb.address.port).complaint(1) == refused
    assert cli(*words, "--adb-port", 9).complaint(1) == "no adb server at 127.0.0.1:9: Connection refused"
    assert cli(command, " ", *more).complaint(2).startswith("the phone has no name")
    assert list(tmp_path.iterdir()) == []


def test_an_absent_phone_and_an_adb_server_of_our_own(cli: Any) -> None:
    assert "Connection refused" in cli("doctor", NOTHING_THERE).complaint(1)
    assert "bad port number" in cli("doctor", "127.0.0.1:99999").complaint(1)


def test_a_folder_that_cannot_be_written_to(cli: Any, adb: AdbServer, phone: str, tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("kept")
    for out, why in ((file, "File exists"), (file / "below", "Not a directory"), (Path("/proc/nothing"), "No such")):
        complaint = cli("observe", phone, "--out", out, "--adb-port", adb.address.port).complaint(2)
        assert complaint.startswith(f"cannot write to {out}: {why}")
    assert file.read_text() == "kept"


@pytest.mark.parametrize("port", ["0", "65536", "adb"])
def test_a_bad_adb_port(cli: Any, port: str) -> None:
    said = cli("doctor", NOTHING_THERE, "--adb-port", port)
    assert said.code == 2
    assert "--adb-port" in said.err


@pytest.mark.parametrize("file", HIERARCHIES, ids=lambda file: file.stem)
def test_every_hierarchy_is_listed(cli: Any, file: Path) -> None:
    said = cli("ui", file)
    assert (said.code, said.err) == (0, "")
    nodes = [node for node in etree.parse(file).iter() if node.get("bounds")]
    first, *listed = said.out.splitlines()
    assert f"{len(nodes)} nodes" in first
    assert len(listed) == len(nodes) > 5
    for line, node in zip(listed, nodes, strict=True):
        assert node.get("bounds") in line
        assert repr(node.get("text")) in line or not node.get("text")
    as_json = [json.loads(line) for line in cli("ui", file, "--json").out.splitlines()]
    assert [row["text"] for row in as_json] == [node.get("text") for node in nodes]
    assert [row["resource_id"] for row in as_json] == [node.get("resource-id", "") for node in nodes]
    depths = [sum(1 for above in node.iterancestors() if above.get("bounds")) for node in nodes]
    assert [row["depth"] - as_json[0]["depth"] for row in as_json] == depths
    assert [row["enabled"] for row in as_json] == [node.get("enabled") == "true" for node in nodes]


def test_texts_that_the_terminal_has_no_letters_for(farm: Any) -> None:
    file = CORPUS / "hierarchies/systemui_quick_settings_cjk.xml"
    done = farm("ui", file, PYTHONIOENCODING="ascii")
    assert (done.returncode, done.stderr) == (0, "")
    assert "\\u" in done.stdout


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (None, "cannot read {file}: No such file or directory"),
        (b"", "{file}: "),
        (b"ERROR: could not get idle state.\n", "could not get idle state"),
        (b"\x89PNG\r\n\x1a\n\x1b[31m\0\0", "{file}: "),
        (b"<hierarchy rotation='0'><node bounds='[0,0][1", "{file}: "),
        (b"<html><body/></html>", "{file}: "),
    ],
)
def test_what_is_no_hierarchy(cli: Any, tmp_path: Path, content: bytes | None, words: str) -> None:
    file = tmp_path / "ui.xml"
    if content is not None:
        file.write_bytes(content)
    complaint = cli("ui", file).complaint(2)
    assert words.format(file=file) in complaint
    assert complaint.isprintable(), "what a file holds cannot steer the terminal"


def test_a_folder_is_no_hierarchy(cli: Any, tmp_path: Path) -> None:
    assert cli("ui", tmp_path).complaint(2) == f"cannot read {tmp_path}: Is a directory"


def test_phones_on_ports_of_their_own(cli: Any, adb: AdbServer) -> None:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
        taken = cli("phone", "--port", port).complaint(2)
    assert taken.startswith("the virtual phones cannot be served: ")
    assert "address already in use" in taken
    with serving("--port", port, "--size", "320x640", lines=1, stop=signal.SIGTERM) as (address,):
        assert address == f"127.0.0.1:{port}"
        adb.connect(address)
        with Device(address, adb) as device:
            assert device.display().size == (320, 640)


def test_more_phones_than_one_process_serves() -> None:
    with serving("--count", 5, "--size", "320x640", lines=5) as addresses:
        assert len(set(addresses)) == 5
        for address in addresses:
            host, port = address.split(":")
            socket.create_connection((host, int(port)), 5).close()


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--size", "big"], "--size: 'big' is not a size; write WIDTHxHEIGHT"),
        (["--size", "0x640"], "both sides must be at least 1 pixel"),
        (["--size", "99999x99999"], "at most 10000 pixels on a side"),
        (["--port", "65530", "--count", "10"], "leaves no room for 10 phones"),
        (["--port", "65534", "--count", "2", "--emulator"], "leaves no room for 2 phones"),
        (["--input-latency", "inf"], "a latency must be a number of seconds"),
    ],
)
def test_phones_that_cannot_be(cli: Any, words: list[str], says: str) -> None:
    assert says in cli("phone", *words).complaint(2)


def test_a_fault_file_that_cannot_be_used(cli: Any, tmp_path: Path) -> None:
    path = tmp_path / "faults.yaml"
    path.write_text("faults:\n  - {fault: screencap, value: torn}\n")
    assert f"{path}:2: faults.0: screencap cannot be 'torn'; known:" in cli("phone", "--faults", path).complaint(2)


@pytest.mark.parametrize("words", [["--count", "0"], ["--port", "70000"], ["--density", "1"], ["--dump-latency", "-1"]])
def test_numbers_out_of_range(cli: Any, words: list[str]) -> None:
    said = cli("phone", *words)
    assert said.code == 2
    assert words[0] in said.err
    assert "Traceback" not in said.err


def test_the_command_line_starts_quickly() -> None:
    heavy = ["pyarrow", "redis", "rq", "fastapi", "httpx", "PIL", "adbutils", "uiautomator2", "lxml", "jinja2"]
    code = f"import sys, emulator_farm.cli; print([name for name in {heavy} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]", "imported before any command needs it"

"""`harvest` and `work` where what they are given is wrong or broken: one line, an exit code, nothing left behind."""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import socket
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
import redis

from agent_server.actions import Finished, Wait
from agent_server.schemas import ActResponse, ModelCard, ModelList
from emulator_farm.board import Board
from emulator_farm.devices.pool import Pool
from emulator_farm.embedded import EmbeddedValkey
from emulator_farm.store import Store
from emulator_farm.virtual.host import PhoneHost

NOTHING_THERE = "127.0.0.1:9"
GOAL = '{"name": "go", "goal": "Go home"}\n'
WHO = {"model": "m", "adapter": "script", "weights": "w1", "prompt_digest": "p1"}
FIRST = ActResponse(action=Wait(seconds=0.05), raw="wait", **WHO).model_dump_json().encode()
DONE = ActResponse(action=Finished(), raw="done", **WHO).model_dump_json().encode()
MODELS = ModelList(data=[ModelCard(id="m", adapter="script", weights="w1", prompt_digest="p1")])


class Handler(BaseHTTPRequestHandler):
    """Answers as the server's `trouble` says for a path, or else like a policy that waits once and is done."""

    server: Policy

    def do_GET(self) -> None:
        trouble = self.server.trouble.get(self.path, "")
        if trouble:
            TROUBLES[trouble](self)
        else:
            self.reply(MODELS.model_dump_json().encode() if self.path == "/v1/models" else b"{}")

    def do_POST(self) -> None:
        """An episode's trouble is named by its goal and begins at its second step."""
        body = self.rfile.read(int(self.headers["content-length"]))
        goal = re.search(rb'"goal":"([^"]*)"', body)
        assert goal is not None
        self.server.asked.append(goal[1].decode())
        self.server.on_ask()
        if b'"history":[]' in body:
            self.reply(FIRST)
        else:
            TROUBLES.get("" if self.server.cured else goal[1].decode(), lambda handler: handler.reply(DONE))(self)

    def reply(self, body: bytes, status: int = 200, kind: str = "application/json", promised: int = 0) -> None:
        """`promised` bytes more than there are."""
        self.send_response(status)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(body) + promised))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Nothing on standard error."""


TROUBLES: dict[str, Callable[[Handler], object]] = {
    "500": lambda handler: handler.reply(b'{"detail": "the model\\ncrashed"}', 500),
    "401": lambda handler: handler.reply(b'{"detail": "no token"}', 401),
    "404": lambda handler: handler.reply(b"<h1>Not Found</h1>", 404),
    "html": lambda handler: handler.reply(b"<html>\n<h1>It works!</h1>\x1b[31m</html>", kind="text/html"),
    "no models": lambda handler: handler.reply(b'{"object": "list", "data": []}'),
    "empty": lambda handler: handler.reply(b""),
    "slow": lambda handler: handler.server.closing.wait(30),
    "cut": lambda handler: handler.reply(FIRST[:20], promised=900),
    "hung up": lambda handler: None,
}


class Policy(ThreadingHTTPServer):
    """A policy server that fails as told."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.trouble: dict[str, str] = {}
        self.cured = False
        self.asked: list[str] = []
        self.on_ask: Callable[[], object] = lambda: None
        self.closing = threading.Event()
        self.url = f"http://127.0.0.1:{self.server_port}"

    def handle_error(self, *_: object) -> None:
        """Clients that hang up are what is tested."""


@pytest.fixture(scope="module")
def server() -> Iterator[Policy]:
    with Policy() as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.05,))
        thread.start()
        yield server
        server.closing.set()
        server.shutdown()
        thread.join()


@pytest.fixture
def policy(server: Policy) -> Policy:
    server.trouble.clear()
    server.cured = False
    server.asked.clear()
    server.on_ask = lambda: None
    return server


@pytest.fixture(scope="module")
def phone() -> Iterator[str]:
    """A virtual phone for runs that play."""
    with PhoneHost(1) as host:
        yield host.addresses[0]


@pytest.fixture
def tasks(tmp_path: Path) -> Path:
    file = tmp_path / "tasks.jsonl"
    file.write_text(GOAL)
    return file


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path / "run"


@pytest.fixture
def harvest(cli: Any, policy: Policy, tasks: Path, out: Path) -> Callable[..., Any]:
    """Run `harvest` with what is needed and further words; later words win."""

    def run(*words: object, tasks: object = tasks, out: object = out) -> Any:
        return cli("harvest", tasks, "--out", out, "--policy", policy.url, "--policy-timeout", 1, *words)

    return run


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [
        ("tasks.yaml", None, "{file}: no such file"),
        ("tasks.yaml", "", "{file}: the file is empty"),
        ("tasks.yaml", "# none\n", "{file}: the file is empty"),
        ("tasks.yaml", "tasks: []\n", "there is no task in it"),
        ("tasks.yaml", "tasks:\n  - name: a\n   goal: b\n", "{file}:3: is not valid YAML"),
        ("tasks.yaml", "tasks: 3\n", "{file}:1: tasks: must be a list"),
        ("tasks.yaml", "- name: a\n", "{file}:1: a.goal: "),
        ("tasks.yaml", "- name: a\n  goal: g\n  check:\n    colour: red\n", "{file}:4: a.check"),
        ("tasks.yaml", "- {name: a, goal: g}\n- {name: a, goal: h}\n", "{file}:2: a.name: the task on line 1"),
        ("tasks.yaml", "- name: a\n  goal: Call {who}\n", "{file}:2: a.goal: "),
        ("tasks.yaml", "- name: a\n  goal: g\n  max_steps: 0\n", "{file}:3: a.max_steps: "),
        ("tasks.jsonl", '{"goal": "a"}\n{"goal": \n', "{file}:2: is not a JSON object"),
        ("tasks.jsonl", "[1]\n", "{file}:1: "),
        ("tasks.txt", "x", "{file}: a task file must end in .yaml, .yml, .json or .jsonl, not in '.txt'"),
        ("tasks.yaml", b"\xff\xfe\0", "{file}:1: is not UTF-8 text"),
        ("phon", None, "no built-in suite has this name; did you mean 'phone'?"),
    ],
)
def test_task_files(
    harvest: Any, tmp_path: Path, out: Path, monkeypatch: pytest.MonkeyPatch, name: str, text: str | bytes, says: str
) -> None:
    monkeypatch.chdir(tmp_path)
    file = tmp_path / name
    if text is not None:
        file.write_bytes(text if isinstance(text, bytes) else text.encode())
    source = file if file.suffix else name
    assert says.format(file=file) in harvest(tasks=source).complaint(2)
    assert not out.exists()


def test_a_folder_is_no_task_file(harvest: Any, tmp_path: Path) -> None:
    assert "this is a folder" in harvest(tasks=tmp_path).complaint(2)


def test_each_problem_of_a_task_file_has_its_line(harvest: Any, tmp_path: Path) -> None:
    file = tmp_path / "tasks.yaml"
    file.write_text("- name: a\n- name: b\n  goal: g\n  max_steps: x\n")
    said = harvest(tasks=file)
    assert said.code == 2
    assert [line.split(": ")[:3] for line in said.err.splitlines()] == [
        ["error", f"{file}:1", "a.goal"],
        ["error", f"{file}:4", "b.max_steps"],
    ]


@pytest.mark.parametrize(
    ("flag", "value", "says"),
    [
        ("--devices", "virtual:0", "write virtual:N with N from 1 to 64"),
        ("--devices", "virtual:65", "write virtual:N with N from 1 to 64"),
        ("--devices", "virtual:many", "write virtual:N with N from 1 to 64"),
        ("--devices", "usb", "write virtual:N or adb:SERIAL,SERIAL"),
        ("--devices", "", "write virtual:N or adb:SERIAL,SERIAL"),
        ("--devices", "adb: ,", "name the phones"),
        ("--samples", 0, "--samples 0: input should be greater than or equal to 1"),
        ("--samples", 10_001, "--samples 10001: input should be less than or equal to 10000"),
        ("--seed", -1, "--seed -1: "),
        ("--seed", 2**31, "--seed 2147483648: "),
        ("--policy-timeout", 0, "--policy-timeout 0.0: input should be greater than 0"),
        ("--policy-timeout", "inf", "--policy-timeout inf: "),
        ("--policy-timeout", "nan", "--policy-timeout nan: "),
        ("--temperature", 5.5, "--temperature 5.5: input should be less than or equal to 5"),
        ("--temperature", "nan", "--temperature nan: "),
        ("--top-p", 0, "--top-p 0.0: "),
        ("--max-tokens", 0, "--max-tokens 0: "),
        ("--top-k", -2, "--top-k -2: "),
        ("--repetition-penalty", 0, "--repetition-penalty 0.0: "),
        ("--max-steps", 0, "--max-steps 0: "),
        ("--episode-timeout", 0, "--episode-timeout 0.0: "),
        ("--episode-timeout", "inf", "--episode-timeout inf: "),
        ("--patience", -1, "--patience -1.0: "),
        ("--policy", "ftp://x", "--policy: 'ftp://x' is not the URL of a policy server"),
        ("--policy", "127.0.0.1:8100", "--policy: "),
        ("--policy", "http://", "--policy: "),
        ("--policy", "http://host:many", "--policy: "),
        ("--policy", "http://a..b", "--policy: "),
        ("--policy", "", "--policy: "),
        ("--model", "gpt-9", "does not serve 'gpt-9'; it serves m"),
        ("--redis", "http://127.0.0.1", "--redis 'http://127.0.0.1': "),
        ("--redis", "redis://127.0.0.1:many", "--redis 'redis://127.0.0.1:many': "),
        ("--redis", "redis://a..b", "--redis 'redis://a..b': "),
        ("--redis", "redis://127.0.0.1:9?colour=red", "--redis "),
        ("--out", "nope://bucket", "nope://bucket: "),
        ("--out", "", "the place to keep results in is empty"),
        ("--rules", "/nowhere/rules.yaml", "/nowhere/rules.yaml: the filter settings cannot be read: No such file"),
        ("--log-dir", "/proc/nothing/logs", "cannot write logs to /proc/nothing/logs: No such file or directory"),
        ("--policy-token-file", "/nowhere/token", "cannot read the token file /nowhere/token: No such file"),
    ],
)
def test_flags(harvest: Any, out: Path, flag: str, value: object, says: str) -> None:
    assert says in harvest(flag, value).complaint(2)
    assert not out.exists()


def test_a_policy_that_gives_no_tokens(harvest: Any, policy: Policy, out: Path) -> None:
    complaint = harvest("--tokens").complaint(2)
    assert complaint == f"--tokens: m at {policy.url} answers without token ids and log-probabilities"
    assert not out.exists()


def test_all_bad_numbers_at_once(harvest: Any) -> None:
    complaint = harvest("--samples", 0, "--top-p", 2).complaint(2)
    assert re.fullmatch(r"--samples 0: [^;]*; --top-p 2\.0: [^;]*", complaint)


@pytest.mark.parametrize("words", [["--samples", "two"], ["--patience", "long"], ["--devices"]])
def test_usage(harvest: Any, out: Path, words: list[str]) -> None:
    said = harvest(*words)
    assert said.code == 2
    assert words[0] in said.err
    assert "Traceback" not in said.err
    assert not out.exists()


@pytest.mark.parametrize(
    ("content", "says"),
    [(b"# nothing\n", "holds no token"), (b"\xff\xfe", "is not text"), ("tökén".encode(), "only ASCII will do")],
)
def test_token_files(harvest: Any, tmp_path: Path, out: Path, content: bytes, says: str) -> None:
    file = tmp_path / "token"
    file.write_bytes(content)
    assert says in harvest("--policy-token-file", file).complaint(2)
    assert not out.exists()


def test_a_folder_that_cannot_be_made(harvest: Any, tasks: Path) -> None:
    assert harvest(out=tasks).complaint(2) == f"{tasks} is a file; name a folder, it will be made"
    below = tasks / "run"
    assert harvest(out=below).complaint(2) == f"{below} cannot be written to: Not a directory"
    complaint = harvest(out="/proc/nothing/run").complaint(2)
    assert complaint == "/proc/nothing/run cannot be written to: No such file or directory"
    assert tasks.read_text() == GOAL


def test_a_folder_that_holds_something_else(harvest: Any, out: Path) -> None:
    out.mkdir()
    (out / "thesis.tex").write_text("x")
    complaint = harvest().complaint(2)
    assert complaint == f"{out} holds something that is no run (thesis.tex); name a new or an empty folder"
    assert [path.name for path in out.iterdir()] == ["thesis.tex"]


def test_a_folder_that_holds_another_run(harvest: Any, out: Path, tasks: Path) -> None:
    assert harvest("--devices", f"adb:{NOTHING_THERE}").code == 1, "no phone, but the run is there now"
    before = (out / "run.json").read_bytes()
    complaint = harvest("--samples", 2, "--temperature", 0.5).complaint(2)
    assert complaint == f"{out} holds another run: samples: was 1, is 2; sampling.temperature: was None, is 0.5"
    tasks.write_text('{"name": "go", "goal": "Go back"}\n')
    assert harvest().complaint(2) == f"{out} holds another run: other tasks: go"
    assert (out / "run.json").read_bytes() == before
    (out / "run.json").write_bytes(before.replace(b'"seed"', b'"sod"'))
    complaint = harvest().complaint(2)
    assert complaint.startswith(f"{out}/run.json was not written by this version: identity.seed: Field required")
    (out / "run.json").write_bytes(before[:50])
    assert f"{out}/run.json is damaged" in harvest().complaint(1)


@pytest.mark.parametrize(
    ("trouble", "code", "says"),
    [
        ("500", 1, "cannot be used: {url}/v1/models answered 500: the model crashed"),
        ("401", 2, "refuses: {url}/v1/models answered 401: no token; see --policy-token-file"),
        ("404", 2, "refuses: {url}/v1/models answered 404: <h1>Not Found</h1>"),
        ("html", 1, "is not a policy server's: <html> <h1>It works!</h1>"),
        ("empty", 1, "is not a policy server's: an empty body"),
        ("no models", 2, "serves no model"),
        ("slow", 1, "cannot be used: no answer from {url}/v1/models within 1 s"),
        ("cut", 1, "cannot be used: the connection to {url}/v1/models broke"),
        ("hung up", 1, "cannot be used: the connection to {url}/v1/models broke"),
    ],
)
def test_a_policy_server_in_trouble(
    harvest: Any, policy: Policy, out: Path, trouble: str, code: int, says: str
) -> None:
    policy.trouble["/v1/models"] = trouble
    complaint = harvest().complaint(code)
    assert complaint.startswith("the policy server at ") or trouble == "no models"
    assert says.format(url=policy.url) in complaint
    assert complaint.isprintable()
    assert not out.exists()


def test_a_policy_server_that_is_not_there(harvest: Any, out: Path) -> None:
    url = f"http://{NOTHING_THERE}"
    complaint = harvest("--policy", url).complaint(1)
    assert complaint.startswith(f"the policy server at {url} cannot be used: cannot connect to {url}/v1/models")
    assert not out.exists()


@pytest.fixture
def odd_redis() -> Iterator[Callable[..., str]]:
    """A Valkey of this test's own after some commands; gives its URL."""
    with EmbeddedValkey() as server:

        def configured(*commands: str) -> str:
            with redis.Redis.from_url(server.url) as client:
                for command in commands:
                    client.execute_command(*command.split())
            return server.url

        yield configured


@contextmanager
def silence() -> Iterator[str]:
    """An address that takes connections and never says anything."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        yield f"127.0.0.1:{listener.getsockname()[1]}"


def test_no_redis(harvest: Any, policy: Policy, out: Path, odd_redis: Any) -> None:
    complaint = harvest("--redis", f"redis://user:secret@{NOTHING_THERE}/0").complaint(1)
    assert complaint.startswith(f"Redis at redis://…@{NOTHING_THERE}/0 does not answer: ")
    assert "secret" not in complaint
    assert "does not answer" in harvest("--redis", policy.url.replace("http:", "redis:")).complaint(1)
    assert "does not answer" in harvest("--redis", "unix:///nowhere/valkey.sock").complaint(1)
    with silence() as address:
        complaint = harvest("--redis", f"redis://{address}").complaint(1)
        assert complaint.startswith(f"Redis at redis://{address} does not answer: Timeout")
    assert "authenticate" in harvest("--redis", odd_redis("CONFIG SET requirepass p")).complaint(1)
    assert not out.exists()


def test_a_redis_that_refuses_to_write(harvest: Any, odd_redis: Any, phone: str) -> None:
    said = harvest("--redis", odd_redis("REPLICAOF 127.0.0.1 9"), "--devices", f"adb:{phone}")
    assert said.code == 1
    first, *_, last = said.err.splitlines()
    assert first.endswith(": 1 episodes, 0 there, 1 to play")
    assert last.startswith("error: Redis failed: ")
    assert "read only replica" in last
    assert "Traceback" not in said.err


def test_no_phone(harvest: Any, out: Path) -> None:
    said = harvest("--devices", f"adb:{NOTHING_THERE},nosuchhost:5555")
    assert said.code == 1
    assert said.out == ""
    assert [line for line in said.err.splitlines() if not re.match("run |starting ", line)] == [
        f"error: no phone is fit to play on: {NOTHING_THERE}: cannot connect: failed to connect to '{NOTHING_THERE}': "
        "Connection refused; nosuchhost:5555: cannot connect: failed to resolve host: 'nosuchhost': "
        "Name or service not known"
    ]
    assert Store(out).episode_ids() == set()
    assert Store(out).attempts() == []


def test_trouble_in_the_middle_of_episodes_and_the_same_command_again(
    harvest: Any, policy: Policy, tasks: Path, out: Path, valkey: EmbeddedValkey, phone: str
) -> None:
    troubles = ("500", "html", "slow", "cut")
    tasks.write_text("".join(json.dumps({"name": f"t_{one}", "goal": one}) + "\n" for one in (*troubles, "fine")))
    words = ("--redis", valkey.url, "--devices", f"adb:{phone}")
    said = harvest(*words)
    assert said.code == 1
    lines = said.err.splitlines()
    holes = dict(line.removeprefix("hole: ").split(" ", 1) for line in lines if line.startswith("hole: "))
    url = f"{policy.url}/act"
    assert holes == {
        "t_500-0-r0k0": f"(policy_unavailable: no decision for step 1: {url} answered 500: the model crashed)",
        "t_html-0-r0k0": holes["t_html-0-r0k0"],
        "t_slow-0-r0k0": f"(policy_unavailable: no decision for step 1: no answer from {url} within 1 s)",
        "t_cut-0-r0k0": holes["t_cut-0-r0k0"],
    }
    assert "is not a policy server's: <html> <h1>It works!</h1>" in holes["t_html-0-r0k0"]
    assert f"the connection to {url} broke: " in holes["t_cut-0-r0k0"]
    assert lines[-1] == "4 episodes are missing; the same command plays what is missing"
    assert not [line for line in lines if line.startswith("error: ") or "Traceback" in line]
    store = Store(out)
    assert store.episode_ids() == {"t_fine-0-r0k0"}
    assert Counter(attempt.result for attempt in store.attempts()) == {"infrastructure": 12, "published": 1}
    policy.cured = True
    policy.asked.clear()
    again = harvest(*words)
    assert again.code == 0, again.err
    assert sorted(policy.asked) == sorted([*troubles] * 2), "two steps for each that was missing, none for the other"
    assert len(store.episode_ids()) == 5
    assert "5 episodes, 1 there, 4 to play" in again.err
    assert harvest("--redis", f"redis://{NOTHING_THERE}").code == 0, "a whole run needs nothing more"


def test_the_only_phone_vanishes_in_the_middle_of_an_episode(
    harvest: Any, policy: Policy, tasks: Path, out: Path, valkey: EmbeddedValkey
) -> None:
    with PhoneHost(1) as host:
        policy.on_ask = host.close
        address = host.addresses[0]
        said = harvest("--redis", valkey.url, "--devices", f"adb:{address}", "--patience", 1)
    assert (said.code, said.out) == (1, "")
    error, hole, last = said.err.splitlines()[-3:]
    assert error.startswith(f"error: no phone is fit to play on for more than 1 s: {address}: cannot connect: ")
    assert (hole, last) == ("hole: go-0-r0k0", "1 episode is missing; the same command plays what is missing")
    (attempt, *_) = Store(out).attempts()
    assert (attempt.result, attempt.device) == ("infrastructure", address)
    assert attempt.cause is not None
    assert attempt.cause.startswith("device")
    assert Store(out).episode_ids() == set()


@pytest.fixture
def joined(cli: Any, harvest: Any, out: Path, valkey: EmbeddedValkey, connection: redis.Redis) -> Callable[..., Any]:
    """Run `work` on a run that is there, but that nobody coordinates, with further words; later words win."""
    assert harvest("--devices", f"adb:{NOTHING_THERE}").code == 1

    def run(*words: object) -> Any:
        return cli("work", "--redis", valkey.url, "--out", out, "--until-idle", *words)

    return run


def test_what_work_refuses(joined: Any, tmp_path: Path, tasks: Path, connection: redis.Redis) -> None:
    for words, says in {
        ("--devices", "usb"): "write virtual:N or adb:",
        ("--out", tmp_path): f"{tmp_path} holds no run; start one there with `harvest`",
        ("--out", tasks): f"{tasks} holds no run; start one there with `harvest`",
        ("--redis", "ftp://x"): "--redis 'ftp://x': ",
        ("--policy-token-file", "/nowhere/token"): "cannot read the token file /nowhere/token",
        ("--log-dir", tasks): f"cannot write logs to {tasks}: File exists; see --log-dir",
    }.items():
        assert says in joined(*words).complaint(2)
    assert joined("--patience", -1).code == 2
    connection.set("farm:run:other:order", '{"from": "the future"}')
    assert joined().complaint(2) == "run other is coordinated by another version of this program"


def test_work_on_another_run(
    joined: Any, harvest: Any, out: Path, connection: redis.Redis, tmp_path: Path, tasks: Path
) -> None:
    run = json.loads((out / "run.json").read_text())["run"]
    order = {
        "run": "beef", "policy_url": "http://x", "policy_timeout_s": 1, "model": None, "adapter": "script",
        "sampling": {}, "limits": {},
    }  # fmt: skip
    connection.set("farm:run:beef:order", json.dumps(order))
    assert joined().complaint(2) == f"{out} holds run {run}, but Redis coordinates beef"


def test_work_without_redis_or_phone(joined: Any) -> None:
    assert "does not answer" in joined("--redis", f"redis://{NOTHING_THERE}").complaint(1)
    assert joined("--devices", f"adb:{NOTHING_THERE}").complaint(1).startswith("no phone is fit to play on: ")


def test_work_until_idle(joined: Any, out: Path, phone: str, connection: redis.Redis) -> None:
    run = json.loads((out / "run.json").read_text())["run"]
    said = joined("--devices", f"adb:{phone},{NOTHING_THERE}")
    assert (said.code, said.out) == (0, "")
    first, second = said.err.splitlines()
    assert first == f"working for run {run} with 1 of 2 phones; Ctrl-C stops"
    assert second.startswith(f"not fit yet: {NOTHING_THERE}: cannot connect")
    assert Board(connection, run).order() is None
    assert connection.keys("farm:host:*") == []


def in_the_background(*stages: Callable[[], object]) -> threading.Thread:
    """Do these one after the other while a command runs in this thread."""
    thread = threading.Thread(target=lambda: [stage() for stage in stages], daemon=True)
    thread.start()
    return thread


def test_work_waits_for_redis(cli: Any, harvest: Any, out: Path, phone: str) -> None:
    assert harvest("--devices", f"adb:{NOTHING_THERE}").code == 1

    with EmbeddedValkey() as server, redis.Redis.from_url(server.url) as client:

        def lent() -> None:
            pool = Pool(client, f"{os.uname().nodename}-{os.getpid()}")
            deadline = time.monotonic() + 20
            while time.monotonic() < deadline:
                with contextlib.suppress(redis.RedisError):
                    if pool.ready() == {phone}:
                        return
                threading.Event().wait(0.05)
            raise TimeoutError("the phone is not offered")

        def killed() -> None:
            os.kill(server.pid, signal.SIGKILL)
            threading.Event().wait(0.8)  # away for a while
            assert not server.alive()

        words = ("work", "--redis", server.url, "--out", out, "--devices", f"adb:{phone}")
        stages = in_the_background(lent, killed, server.start, lent, lambda: os.kill(os.getpid(), signal.SIGTERM))
        said = cli(*words)
        stages.join()
        assert (said.code, said.out) == (0, ""), said.err
        assert len(said.err.splitlines()) == 1, "it says that it works, and then goes on by itself"
        stages = in_the_background(lent, killed)
        said = cli(*words, "--patience", 0.5)
        stages.join()
    assert (said.code, said.out) == (1, "")
    _, complaint = said.err.splitlines()
    assert complaint.startswith("error: Redis does not answer for more than 0.5 s: ")

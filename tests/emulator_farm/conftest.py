"""Episodes made by code: a small phone with a status bar, a title and rows, drawn and described alike."""

from __future__ import annotations

import contextlib
import hashlib
import io
import threading
import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple
from xml.sax.saxutils import quoteattr

import pytest
from PIL import Image, ImageDraw

from agent_server.actions import Action, Click, Finished
from agent_server.geometry import Point, Size
from agent_server.schemas import ParseError
from emulator_farm.cli import main
from emulator_farm.episode import Decision, Effect, Episode, Header, Screen, Step, Timing

ROWS = ("Network", "Display", "Sound", "Battery", "About")
SMALL = Size(360, 800)
STARTED = datetime(2026, 3, 1, 9, 41, tzinfo=UTC)


@dataclass(frozen=True)
class Page:
    """What the phone shows. Rows are tall; the lower part of the screen is empty background."""

    title: str = "Settings"
    rows: tuple[str, ...] = ROWS
    clock: str = "09:41"
    app: str = "com.android.settings"
    activity: str = ".Settings"
    size: Size = SMALL
    has_tree: bool = True

    def row(self, index: int) -> Point:
        """The middle of a row."""
        return Point(self.size.width // 2, self._top(index) + self._height // 2)

    @property
    def gap(self) -> Point:
        """A place without any element."""
        return Point(self.size.width // 2, self.size.height - 10)

    @property
    def _height(self) -> int:
        return self.size.height // 12

    def _top(self, index: int) -> int:
        return self.size.height // 8 + index * self._height

    def tree(self) -> str:
        width, height = self.size
        package = f"package={quoteattr(self.app)}"
        nodes = [
            f"<node index='0' text={quoteattr(self.title)} class='android.widget.TextView' {package} "
            f"bounds='[0,{height // 20}][{width},{height // 8}]'/>"
        ]
        nodes += [
            f"<node index='{index + 1}' text={quoteattr(row)} class='android.widget.TextView' {package} "
            f"clickable='true' enabled='true' bounds='[0,{self._top(index)}][{width},{self._top(index + 1)}]'/>"
            for index, row in enumerate(self.rows)
        ]
        return (
            f"<hierarchy rotation='0'><node index='0' text='' class='android.widget.FrameLayout' {package} "
            f"bounds='[0,0][{width},{height}]'>{''.join(nodes)}</node></hierarchy>"
        )


@cache
def draw(page: Page) -> bytes:
    """The page as PNG."""
    width, height = page.size
    image = Image.new("RGB", page.size, "white")
    pen = ImageDraw.Draw(image)
    pen.text((8, 4), page.clock, fill="black")
    pen.text((12, height // 16), page.title, fill="navy")
    for index, row in enumerate(page.rows):
        pen.rectangle((0, page._top(index), width - 1, page._top(index + 1) - 2), fill=(236, 239, 244))
        pen.text((12, page._top(index) + page._height // 3), row, fill="black")
    buffer = io.BytesIO()
    image.save(buffer, "PNG", compress_level=1)
    return buffer.getvalue()


@cache
def screen(page: Page) -> Screen:
    """The page as captured."""
    png = draw(page)
    return Screen(
        image=png,
        sha256=hashlib.sha256(png).hexdigest(),
        size=page.size,
        app=page.app,
        activity=page.activity,
        ui_tree=page.tree() if page.has_tree else None,
    )


def make_step(index: int, page: Page, action: Action | None, *, error: str | None = None) -> Step:
    """One decided step; an action of None is a reply that could not be read."""
    failed = action is None
    decision = Decision(
        action=action,
        thought=f"I look at {page.title}.",
        summary=f"step {index}",
        raw="gibberish" if failed else f"Thought: {page.title}\nAction: {action}",
        parse_error=ParseError(kind="malformed", message=error or "no action found") if failed else None,
        finish_reason="stop",
    )
    touches = not failed and action.type not in ("finished", "answer", "call_user")
    return Step(
        index=index,
        screen=screen(page),
        started_at=STARTED + timedelta(seconds=2 * index),
        decision=decision,
        effect=Effect("ok", "", f"input {action.type}") if touches else Effect("none", "nothing to do"),
        timing=Timing(capture_ms=40.0 + index, decide_ms=300.0, act_ms=25.0, settle_ms=120.0),
    )


Make = Callable[..., Episode]


def make_episode(
    episode_id: str = "wifi_on-7-r0k0",
    pages: Sequence[Page] | None = None,
    actions: Sequence[Action | None] | None = None,
    *,
    closing: Page | None = None,
    steps: Sequence[Step] | None = None,
    **fields: Any,
) -> Episode:
    """An episode of `actions` played on `pages`; by default three taps that open a page each, then success."""
    if steps is None:
        if pages is None:
            titles = ("Settings", "Network", "Wi-Fi", "Wi-Fi on")
            pages = [Page(title=title, activity=f".{title.replace(' ', '')}") for title in titles]
        if actions is None:
            actions = [*(Click(point=page.row(index % 5)) for index, page in enumerate(pages[:-1])), Finished()]
        steps = [
            make_step(index, page, action) for index, (page, action) in enumerate(zip(pages, actions, strict=True))
        ]
    if closing is not None:
        last = Step(index=len(steps), screen=screen(closing), started_at=STARTED, timing=Timing(capture_ms=40.0))
        steps = [*steps, last]
    names = set(Header.__dataclass_fields__)
    task, seed, tail = episode_id.rsplit("-", 2)
    round_, sample = tail.removeprefix("r").split("k")
    header = Header(
        episode_id=episode_id,
        run="run-1",
        group_id=f"{task}-{seed}",
        task=task,
        seed=int(seed),
        round=int(round_),
        sample=int(sample),
        goal="Turn on Wi-Fi",
        device="127.0.0.1:40001",
        incarnation="a1",
        model="baseline",
        adapter="baseline",
        tags=("easy",),
    )
    header = replace(header, **{name: value for name, value in fields.items() if name in names})
    outcome: dict[str, Any] = {"status": "success", "end": "finished", "reward": 1.0, "reason": "wifi_on is 1"}
    outcome |= {name: value for name, value in fields.items() if name not in names}
    return Episode(header=header, steps=tuple(steps), **outcome)


@pytest.fixture(scope="session", name="make_episode")
def make_episode_fixture() -> Make:
    return make_episode


@pytest.fixture(scope="session", name="make_step")
def make_step_fixture() -> Callable[..., Step]:
    return make_step


@pytest.fixture(scope="session", name="page")
def page_fixture() -> type[Page]:
    """The page class, to build screens from."""
    return Page


class Said(NamedTuple):
    """How a command ended."""

    code: int
    out: str
    err: str

    def complaint(self, code: int) -> str:
        """The one line on standard error that a command ending with `code` leaves, without its `error: `."""
        (line,) = self.err.splitlines() or ["nothing"]
        assert (self.code, self.out) == (code, ""), self
        assert line.startswith("error: "), self
        return line.removeprefix("error: ")


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Said]]:
    """Run the command line `emulator-farm` in this process, on a terminal wide enough for every table.

    Whatever the commands start must have ended when the test ends.
    """
    monkeypatch.setenv("COLUMNS", "200")
    mark = uuid.uuid4().hex
    monkeypatch.setenv("STARTED_BY_TEST", mark)

    def run(*words: object) -> Said:
        capsys.readouterr()
        with pytest.raises(SystemExit) as ended:
            main([str(word) for word in words])
        assert ended.value.code is None or isinstance(ended.value.code, int)
        return Said(ended.value.code or 0, *capsys.readouterr())

    yield run
    assert left_running(mark) == []


def left_running(mark: str, patience_s: float = 5.0) -> list[str]:
    """Command lines of the processes that still have `mark` in their environment when patience is over."""
    deadline = time.monotonic() + patience_s
    while (found := list(_marked(mark.encode()))) and time.monotonic() < deadline:
        threading.Event().wait(0.05)
    return found


def _marked(mark: bytes) -> Iterator[str]:
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if mark in (folder / "environ").read_bytes():
                yield (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode()


@pytest.fixture(name="left_running")
def left_running_fixture() -> Callable[..., list[str]]:
    return left_running

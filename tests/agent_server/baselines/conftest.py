"""A small phone made of rows, for playing whole episodes without any of the apps that the package ships.

It knows one imaginary app, "Garden", built from Android's customary widgets: a list, a form, a detail page with an
overflow menu, a confirmation, switches, options, a slider and a digit pad.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from xml.sax.saxutils import quoteattr

import pytest

from agent_server.actions import Action, Answer, Click, Drag, Finished, LongPress, OpenApp, Press, Scroll, Type, Wait
from agent_server.baselines import ExplorerPolicy
from agent_server.geometry import Box, Point, Size
from agent_server.policy import Observation
from agent_server.schemas import HistoryTurn

SIZE = Size(1080, 2400)
ROW = 150
HOME = "com.example.launcher"
GARDEN = "org.example.garden"


@dataclass
class Widget:
    """One row. `do` runs when it is tapped."""

    text: str = ""
    kind: str = "TextView"
    do: Callable[[], None] | None = None
    sub: str = ""
    desc: str = ""
    hint: str = ""
    rid: str = ""
    checked: bool | None = None
    selected: bool = False
    focused: bool = False
    hold: Callable[[], None] | None = None


@dataclass
class Page:
    title: str
    widgets: list[Widget]
    scrolls: bool = False
    dialog: bool = False


def node(cls: str, box: Box, **flags: object) -> str:
    values = {
        "index": 0, "text": "", "resource-id": "", "class": f"android.widget.{cls}", "package": GARDEN, "content-desc": "",
        "checkable": False, "checked": False, "clickable": False, "enabled": True, "focusable": False, "focused": False,
        "scrollable": False, "long-clickable": False, "password": False, "selected": False,
    }  # fmt: skip
    values.update({name.replace("_", "-"): value for name, value in flags.items()})
    bounds = f"[{box.left},{box.top}][{box.right},{box.bottom}]"
    written = " ".join(f"{k}={quoteattr(str(v).lower() if isinstance(v, bool) else str(v))}" for k, v in values.items())
    return f'<node {written} bounds="{bounds}"'


class ToyPhone:
    """Plays actions on pages that are functions of its state."""

    def __init__(self) -> None:
        self.stack: list[Callable[[], Page]] = []
        self.offset = 0
        self.focus: str | None = None
        self.texts: dict[str, str] = {}
        self.plants = ["Rose", "Fern", *(f"Seedling {n}" for n in range(1, 14)), "Walnut"]
        self.heights = {"Rose": "+44 20 7946 0958", "Walnut": "+44 20 7946 0111"}
        self.reminders, self.frost = False, True
        self.units = "Metric"
        self.moisture = 40
        self.pad = ""
        self.running: str | None = None

    # pages

    def home(self) -> Page:
        return Page(
            "", [Widget("Radio", do=lambda: self.open(self.radio)), Widget("Garden", do=lambda: self.open(self.garden))]
        )

    def radio(self) -> Page:
        return Page("Radio", [Widget("Stations"), Widget("Nothing is playing")])

    def garden(self) -> Page:
        rows = [Widget(name, "Row", do=lambda name=name: self.open(lambda: self.plant(name))) for name in self.plants]
        bar = [
            Widget(kind="ImageButton", desc="Preferences", do=lambda: self.open(self.preferences)),
            Widget(kind="ImageButton", desc="Sprinkler", do=lambda: self.open(self.sprinkler)),
            Widget(kind="ImageButton", desc="Add plant", do=lambda: self.open(self.form)),
        ]
        return Page("Garden", [*bar, *rows], scrolls=True)

    def plant(self, name: str) -> Page:
        def gone() -> None:
            self.plants.remove(name)
            del self.stack[-2:]

        def ask() -> Page:
            return Page(
                f"Delete {name}?",
                [Widget("Cancel", "Button", do=self.back), Widget("Delete", "Button", do=gone)],
                dialog=True,
            )

        def menu() -> Page:
            return Page(
                "", [Widget("Share", "Row"), Widget("Delete", "Row", do=lambda: self.replace(ask))], dialog=True
            )

        more = Widget(kind="ImageButton", desc="More options", do=lambda: self.open(menu))
        number = Widget("Phone number of the nursery", "Row", sub=self.heights.get(name, "unknown"))
        return Page(name, [more, number])

    def form(self) -> Page:
        def keep() -> None:
            self.plants.append(self.texts.get("name", ""))
            self.heights[self.texts.get("name", "")] = self.texts.get("phone", "")
            self.texts = {}
            self.back()

        return Page("New plant", [
            self.text_field("name", hint="Name"), self.text_field("phone", hint="Phone"),
            Widget("Cancel", "Button", do=self.back), Widget("Save", "Button", do=keep),
        ])  # fmt: skip

    def preferences(self) -> Page:
        def flip(name: str) -> Callable[[], None]:
            return lambda: setattr(self, name, not getattr(self, name))

        return Page("Preferences", [
            Widget("Watering reminders", "SwitchRow", do=flip("reminders"), checked=self.reminders),
            Widget("Frost alerts", "SwitchRow", do=flip("frost"), checked=self.frost),
            Widget("Measurement units", "Row", sub=self.units, do=lambda: self.open(self.choose_units)),
            Widget("Soil moisture", "SeekBar", rid="moisture_slider"),
        ])  # fmt: skip

    def choose_units(self) -> Page:
        def choose(name: str) -> Callable[[], None]:
            def chosen() -> None:
                self.units = name
                self.back()

            return chosen

        return Page("Measurement units", [
            Widget(name, "RadioButton", do=choose(name), checked=self.units == name) for name in ("Metric", "Imperial", "Old French")
        ], dialog=True)  # fmt: skip

    def sprinkler(self) -> Page:
        def press(digit: str) -> Callable[[], None]:
            return lambda: setattr(self, "pad", self.pad + digit)

        if self.running is not None:
            return Page(
                "Sprinkler",
                [
                    Widget(f"running {self.running}"),
                    Widget("Stop", "Button", do=lambda: setattr(self, "running", None)),
                ],
            )
        digits = [Widget(str(n), "Button", do=press(str(n))) for n in range(10)]
        go = Widget(kind="ImageButton", desc="Start", do=lambda: setattr(self, "running", self.pad))
        return Page("Sprinkler", [Widget(self.pad.rjust(6, "0")), *digits, go])

    def text_field(self, key: str, hint: str) -> Widget:
        return Widget(self.texts.get(key, ""), "EditText", hint=hint, rid=key, focused=self.focus == key,
                      do=lambda: setattr(self, "focus", key))  # fmt: skip

    # movement

    @property
    def page(self) -> Page:
        return self.stack[-1]() if self.stack else self.home()

    def open(self, page: Callable[[], Page]) -> None:
        self.stack.append(page)
        self.offset, self.focus = 0, None

    def replace(self, page: Callable[[], Page]) -> None:
        self.stack[-1] = page

    def back(self) -> None:
        if self.stack:
            self.stack.pop()
        self.offset, self.focus = 0, None

    # device

    def rows(self) -> list[tuple[Widget, Box]]:
        top = 1500 if self.page.dialog else 400
        placed = [
            (w, Box(0, top + i * ROW - self.offset, 1080, top + (i + 1) * ROW - self.offset))
            for i, w in enumerate(self.page.widgets)
        ]
        limit = 2400
        return [
            (w, Box(b.left, max(b.top, top), b.right, min(b.bottom, limit)))
            for w, b in placed
            if b.bottom > top and b.top < limit
        ]

    def xml(self) -> str:
        page = self.page
        package = HOME if not self.stack else GARDEN
        whole = Box(0, 1300 if page.dialog else 0, 1080, 2400)
        out = [node("FrameLayout", whole, package=package) + ">"]
        if page.title:
            out.append(
                node("TextView", Box(40, whole.top + 100, 800, whole.top + 200), text=page.title, package=package)
                + "/>"
            )
        out.append(
            node("ListView", Box(0, whole.top + 200, 1080, 2400), scrollable=page.scrolls, package=package) + ">"
        )
        out += [self.widget(widget, box, package) for widget, box in self.rows()]
        return f'<hierarchy rotation="0">{"".join(out)}</node></node></hierarchy>'

    def widget(self, w: Widget, box: Box, package: str) -> str:
        tap = w.do is not None
        match w.kind:
            case "Row" | "SwitchRow":
                inside = node("TextView", box, text=w.text, package=package) + "/>"
                if w.sub:
                    inside += node("TextView", box, text=w.sub, package=package) + "/>"
                if w.kind == "SwitchRow":
                    inside += (
                        node(
                            "Switch",
                            Box(900, box.top, 1040, box.bottom),
                            checkable=True,
                            checked=w.checked,
                            package=package,
                        )
                        + "/>"
                    )
                return node("LinearLayout", box, clickable=tap, package=package) + f">{inside}</node>"
            case "SeekBar":
                label = node("TextView", Box(0, box.top, 1080, box.top + 20), text=w.text, package=package) + "/>"
                return (
                    label
                    + node(
                        "SeekBar",
                        Box(0, box.top + 20, 1080, box.bottom),
                        text=str(self.moisture),
                        resource_id=f"x:id/{w.rid}",
                        package=package,
                    )
                    + "/>"
                )
            case _:
                return node(w.kind, box, text=w.text or w.hint, hint=w.hint, content_desc=w.desc, clickable=tap, focused=w.focused, selected=w.selected,
                            checkable=w.checked is not None, checked=bool(w.checked), resource_id=f"x:id/{w.rid}" if w.rid else "", package=package) + "/>"  # fmt: skip

    def perform(self, action: Action) -> None:
        match action:
            case Click() | LongPress():
                self.tap(action.point)
            case Drag():
                self.slide(action.end)
            case Type():
                if self.focus is not None:
                    self.texts[self.focus] = self.texts.get(self.focus, "") + action.text
            case Scroll():
                if self.page.scrolls:
                    limit = max(0, len(self.page.widgets) * ROW - 2000)
                    self.offset = min(max(0, self.offset + (1000 if action.direction == "down" else -1000)), limit)
            case Press(key="back"):
                self.back()
            case Press(key="home"):
                self.stack.clear()
            case OpenApp():
                if action.app == "Garden":
                    self.stack.clear()
                    self.open(self.garden)
            case Press() | Wait() | Answer() | Finished():
                pass
            case _:
                raise AssertionError(f"the toy phone does not know {action}")

    def tap(self, point: Point) -> None:
        for widget, box in self.rows():
            if box.contains(point):
                if widget.kind == "SeekBar":
                    self.slide(point)
                elif widget.do is not None:
                    widget.do()
                return

    def slide(self, point: Point) -> None:
        self.moisture = min(100, max(0, round((point.x - 100) / 8.8)))


@dataclass
class Episode:
    phone: ToyPhone
    turns: list[HistoryTurn] = field(default_factory=list)

    @property
    def actions(self) -> list[Action]:
        return [turn.action for turn in self.turns if turn.action is not None]

    @property
    def last(self) -> Action:
        return self.actions[-1]


@pytest.fixture
def toy() -> ToyPhone:
    return ToyPhone()


@pytest.fixture
def play(toy: ToyPhone) -> Callable[..., Episode]:
    """Play a goal with the explorer until it finishes, at most `limit` steps, seeing the last `window` turns."""

    def run(goal: str, *, limit: int = 40, window: int = 1000) -> Episode:
        episode = Episode(toy)
        policy = ExplorerPolicy()
        for step in range(limit):
            observation = Observation(goal, b"", SIZE, tuple(episode.turns[-window:]), ui_tree=toy.xml())
            reply = asyncio.run(policy.act(observation))
            assert reply.action is not None
            episode.turns.append(
                HistoryTurn(step=step, thought=reply.thought, summary=reply.summary, action=reply.action, raw=reply.raw)
            )
            if isinstance(reply.action, Finished):
                return episode
            toy.perform(reply.action)
        return episode

    return run

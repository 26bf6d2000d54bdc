"""A small phone made of rows, for playing whole episodes without any of the apps that the package ships.

It knows one imaginary app, "Garden", built from Android's customary widgets: a list, a form, detail pages with an
overflow menu, confirmations, switches, options, a slider, a digit pad, time pickers and a text page.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from xml.sax.saxutils import quoteattr

from agent_server.actions import Action, Answer, Click, Drag, Finished, LongPress, OpenApp, Press, Scroll, Type, Wait
from agent_server.geometry import Box, Point, Size

SIZE = Size(1080, 2400)
ROW = 150
HOME = "com.example.launcher"
GARDEN = "org.example.garden"
_OFF = ("checkable", "checked", "clickable", "focusable", "focused", "scrollable", "long-clickable", "password")


@dataclass
class Widget:
    """One row, or with `parts` several side by side. `do` runs when it is tapped."""

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
    parts: tuple[Widget, ...] = ()


@dataclass
class Page:
    """What is on the screen. `rows` scroll below `bar`, which stays."""

    title: str
    rows: list[Widget]
    bar: tuple[Widget, ...] = ()
    scrolls: bool = False
    dialog: bool = False


def node(cls: str, box: Box, package: str, inside: str = "", **flags: object) -> str:
    """One element of a hierarchy; underscores in names of flags become hyphens."""
    values: dict[str, object] = {"index": 0, "text": "", "resource-id": "", "class": f"android.widget.{cls}"}
    values |= {"package": package, "content-desc": "", "enabled": True, "selected": False, **dict.fromkeys(_OFF, False)}
    values |= {name.replace("_", "-"): value for name, value in flags.items()}
    bounds = f"[{box.left},{box.top}][{box.right},{box.bottom}]"
    written = " ".join(f"{k}={quoteattr(str(v).lower() if isinstance(v, bool) else str(v))}" for k, v in values.items())
    return f'<node {written} bounds="{bounds}">{inside}</node>'


class ToyPhone:
    """Plays actions on pages that are functions of its state."""

    def __init__(self) -> None:
        self.stack: list[Callable[[], Page]] = []
        self.offset = 0
        self.focus = ""
        self.texts: dict[str, str] = {}
        self.plants = ["Rose", "Fern", *(f"Seedling {n}" for n in range(1, 14)), "Walnut"]
        self.numbers = {"Rose": "+44 20 7946 0958", "Walnut": "+44 20 7946 0111"}
        self.starred: set[str] = set()
        self.reminders, self.frost, self.quiet = False, True, False
        self.units = "Metric"
        self.moisture = 40
        self.size = 3
        self.pad = ""
        self.running: str | None = None
        self.times = {"6:30 AM": True, "8:00 PM": False}
        self.open_time = ""
        self.labels: dict[str, str] = {}
        self.face = False
        """Pick times on a clock face instead of in fields."""
        self.journal = "North bed 17\nSouth bed 23"

    # pages

    def home(self) -> Page:
        radio = Widget("Radio", do=lambda: self.open(lambda: Page("Radio", [Widget("Nothing is playing")])))
        return Page("", [radio, Widget("Garden", do=lambda: self.open(self.garden))])

    def garden(self) -> Page:
        rows = [Widget(name, "Row", do=partial(self.open, partial(self.plant, name))) for name in self.plants]
        pages = {"Preferences": self.preferences, "Sprinkler": self.sprinkler, "Watering times": self.watering}
        pages |= {"Journal": self.diary, "Add plant": self.form}
        bar = tuple(Widget(kind="ImageButton", desc=name, do=partial(self.open, page)) for name, page in pages.items())
        return Page("Garden", rows, bar, scrolls=True)

    def plant(self, name: str) -> Page:
        def gone() -> None:
            self.plants.remove(name)
            del self.stack[-2:]

        def ask() -> Page:
            answers = [Widget("Cancel", "Button", do=self.back), Widget("Delete", "Button", do=gone)]
            return Page(f"Delete {name}?", answers, dialog=True)

        def menu() -> Page:
            return Page(
                "", [Widget("Share", "Row"), Widget("Delete", "Row", do=lambda: self.replace(ask))], dialog=True
            )

        def edit() -> None:
            self.texts = {"name": name, "phone": self.numbers.get(name, "")}
            self.open(partial(self.form, name))

        bar = (
            Widget(kind="ImageButton", desc="Edit plant", do=edit),
            Widget(kind="ImageButton", desc="Add to favourites", do=lambda: self.starred.add(name)),
            Widget(kind="ImageButton", desc="More options", do=lambda: self.open(menu)),
        )
        return Page(name, [Widget("Phone number of the nursery", "Row", sub=self.numbers.get(name, "unknown"))], bar)

    def form(self, old: str = "") -> Page:
        def keep() -> None:
            name = self.texts.get("name", "")
            self.plants = [plant for plant in self.plants if plant != old] + [name]
            self.numbers[name] = self.texts.get("phone", "")
            self.texts = {}
            del self.stack[1:]

        rows = [self.field("name", "Name"), self.field("phone", "Phone")]
        buttons = [Widget("Cancel", "Button", do=self.back), Widget("Save", "Button", do=keep)]
        return Page("Edit plant" if old else "New plant", [*rows, *buttons])

    def preferences(self) -> Page:
        def flip(name: str) -> Callable[[], None]:
            return lambda: setattr(self, name, not getattr(self, name))

        return Page("Preferences", [
            Widget("Watering reminders", "SwitchRow", do=flip("reminders"), checked=self.reminders),
            Widget("Frost alerts", "SwitchRow", do=flip("frost"), checked=self.frost),
            Widget("Measurement units", "Row", sub=self.units, do=lambda: self.open(self.choose_units)),
            Widget("Soil moisture", "SeekBar", rid="moisture_slider"),
            Widget("Quiet hours", "Row", do=lambda: self.open(self.quiet_hours)),
            Widget("Label size", "Row", do=lambda: self.open(self.label_size)),
        ])  # fmt: skip

    def quiet_hours(self) -> Page:
        def switch() -> None:
            self.quiet = not self.quiet

        return Page("Quiet hours", [Widget("Turn off now" if self.quiet else "Turn on now", "Button", do=switch)])

    def label_size(self) -> Page:
        def change(by: int) -> Callable[[], None]:
            return lambda: setattr(self, "size", self.size + by)

        smaller = Widget(kind="ImageButton", desc="Make smaller", do=change(-1))
        larger = Widget(kind="ImageButton", desc="Make larger", do=change(1))
        return Page("Label size", [Widget(f"Size {self.size}"), smaller, larger])

    def choose_units(self) -> Page:
        def choose(name: str) -> None:
            self.units = name
            self.back()

        names = ("Metric", "Imperial", "Old French")
        rows = [Widget(name, "RadioButton", do=partial(choose, name), checked=self.units == name) for name in names]
        return Page("Measurement units", rows, dialog=True)

    def sprinkler(self) -> Page:
        def press(digit: str) -> None:
            self.pad += digit

        def run(pad: str | None) -> Callable[[], None]:
            return lambda: setattr(self, "running", pad)

        if self.running is not None:
            return Page("Sprinkler", [Widget(f"running {self.running}"), Widget("Stop", "Button", do=run(None))])
        digits = [Widget(str(n), "Button", do=partial(press, str(n))) for n in range(10)]
        start = Widget(kind="ImageButton", desc="Start", do=run(self.pad))
        return Page("Sprinkler", [Widget(self.pad.rjust(6, "0")), *digits, start])

    def watering(self) -> Page:
        def flip(time: str) -> None:
            self.times[time] = not self.times[time]

        def unfold(time: str) -> None:
            self.open_time = time

        def drop(time: str) -> None:
            del self.times[time]

        rows = []
        for time, on in self.times.items():
            parts = (
                Widget(time),
                Widget(kind="ImageButton", desc="Expand", do=partial(unfold, time)),
                Widget(kind="Switch", desc="Watering", checked=on, do=partial(flip, time)),
            )
            if self.open_time == time:
                label = Widget(self.labels.get(time) or "Add label", do=lambda: self.open(self.label_form))
                parts = (*parts, label, Widget("Delete", "Button", do=partial(drop, time)))
            rows.append(Widget(parts=parts))
        add = Widget(kind="ImageButton", desc="Add watering time", do=self.pick)
        return Page("Watering times", rows, (add,), scrolls=True)

    def label_form(self) -> Page:
        def keep() -> None:
            self.labels[self.open_time] = self.texts.pop("label", "")
            self.back()

        return Page("Label", [self.field("label", "Label"), Widget("OK", "Button", do=keep)], dialog=True)

    def pick(self) -> None:
        self.texts = {"hour": "6", "minute": "00", "half": "AM", "shown": "hour"}
        self.open(self.picker)

    def picker(self) -> Page:
        def say(key: str, value: str) -> Callable[[], None]:
            return lambda: self.texts.update({key: value})

        def keep() -> None:
            time = f"{self.texts['hour']}:{self.texts['minute']} {self.texts['half']}"
            self.times[time] = True
            self.open_time, self.texts = time, {}
            self.back()

        def half(name: str) -> Widget:
            return Widget(name, "RadioButton", checked=self.texts["half"] == name, do=say("half", name))

        halves = [half("AM"), half("PM")]
        done = [*halves, Widget("Cancel", "Button", do=self.back), Widget("OK", "Button", do=keep)]
        if not self.face:
            return Page("Pick a time", [self.field("hour", ""), self.field("minute", ""), *done], dialog=True)

        def mark(number: int) -> None:
            hours = self.texts["shown"] == "hour"
            self.texts |= {"hour": str(number), "shown": "minute"} if hours else {"minute": f"{number:02d}"}

        def keyboard() -> None:
            self.face = False

        numbers = range(1, 13) if self.texts["shown"] == "hour" else range(0, 60, 5)
        unit = "o'clock" if self.texts["shown"] == "hour" else "minutes"
        marks = tuple(Widget(kind="Button", desc=f"{n} {unit}", do=partial(mark, n)) for n in numbers)
        switch = Widget(kind="ImageButton", desc="Switch to text input", do=keyboard)
        return Page("Pick a time", [Widget(parts=marks[:6]), Widget(parts=marks[6:]), switch, *done], dialog=True)

    def diary(self) -> Page:
        def keep() -> None:
            self.journal = self.texts.pop("body", self.journal)
            self.back()

        self.texts.setdefault("body", self.journal)
        return Page("Journal", [self.field("body", "Text")], (Widget(kind="ImageButton", desc="Save", do=keep),))

    def field(self, key: str, hint: str) -> Widget:
        def focus() -> None:
            self.focus = key
            if key in ("hour", "minute"):
                self.texts[f"{key}!"] = "select"

        return Widget(self.texts.get(key, ""), "EditText", hint=hint, rid=key, focused=self.focus == key, do=focus)

    # movement

    @property
    def page(self) -> Page:
        return self.stack[-1]() if self.stack else self.home()

    def open(self, page: Callable[[], Page]) -> None:
        self.stack.append(page)
        self.offset, self.focus = 0, ""

    def replace(self, page: Callable[[], Page]) -> None:
        self.stack[-1] = page

    def back(self) -> None:
        del self.stack[-1:]
        self.offset, self.focus = 0, ""

    # drawing

    def placed(self, page: Page) -> list[tuple[Widget, Box]]:
        """Every widget of a page with its visible box, rows and the parts of rows alike."""
        top = 1300 if page.dialog else 250
        found: list[tuple[Widget, Box]] = []
        width = 1080 // max(len(page.bar), 1)
        for at, widget in enumerate(page.bar):
            found.append((widget, Box(at * width, top, (at + 1) * width, top + ROW)))
        top += ROW if page.bar else 0
        for at, row in enumerate(page.rows):
            box = Box(0, max(top, top + at * ROW - self.offset), 1080, min(2400, top + (at + 1) * ROW - self.offset))
            if box.height <= 0:
                continue
            found.append((row, box))
            width = 1080 // max(len(row.parts), 1)
            for n, part in enumerate(row.parts):
                found.append((part, Box(n * width, box.top, (n + 1) * width, box.bottom)))
        return found

    def xml(self) -> str:
        page, package = self.page, GARDEN if self.stack else HOME
        whole = Box(0, 1100 if page.dialog else 0, 1080, 2400)
        title = Box(40, whole.top + 50, 800, whole.top + 150)
        boxes = {id(widget): box for widget, box in self.placed(page)}
        heading = node("TextView", title, package, text=page.title) if page.title else ""
        bar = "".join(self.drawn(w, boxes, package) for w in page.bar if id(w) in boxes)
        rows = "".join(self.drawn(w, boxes, package) for w in page.rows if id(w) in boxes)
        region = Box(0, whole.top + 200 + (ROW if page.bar else 0), 1080, 2400)
        listed = node("ListView", region, package, rows, scrollable=page.scrolls)
        tree = node("FrameLayout", whole, package, heading + bar + listed)
        return f'<hierarchy rotation="0">{tree}</hierarchy>'

    def drawn(self, w: Widget, boxes: dict[int, Box], package: str) -> str:
        box, tap = boxes[id(w)], w.do is not None
        if w.parts:
            return node("LinearLayout", box, package, "".join(self.drawn(part, boxes, package) for part in w.parts))
        match w.kind:
            case "Row" | "SwitchRow":
                inside = node("TextView", box, package, text=w.text)
                inside += node("TextView", box, package, text=w.sub) if w.sub else ""
                if w.kind == "SwitchRow":
                    switch = Box(900, box.top, 1040, box.bottom)
                    inside += node("Switch", switch, package, checkable=True, checked=bool(w.checked))
                return node("LinearLayout", box, package, inside, clickable=tap)
            case "SeekBar":
                label = node("TextView", box._replace(bottom=box.top + 20), package, text=w.text)
                bar = box._replace(top=box.top + 20)
                return label + node("SeekBar", bar, package, text=str(self.moisture), resource_id=f"x:id/{w.rid}")
            case _:
                flags = {"focused": w.focused, "selected": w.selected, "checked": bool(w.checked), "clickable": tap}
                names = {"resource_id": f"x:id/{w.rid}" if w.rid else "", "content_desc": w.desc, "hint": w.hint}
                return node(
                    w.kind, box, package, text=w.text or w.hint, checkable=w.checked is not None, **flags, **names
                )

    # device

    def perform(self, action: Action) -> None:
        """What the device would do."""
        match action:
            case Click() | LongPress():
                self.tap(action.point)
            case Drag():
                self.slide(action.end)
            case Type():
                self.type(action.text)
            case Scroll():
                if self.page.scrolls:
                    limit = max(0, len(self.page.rows) * ROW - 2000)
                    self.offset = min(max(0, self.offset + (1000 if action.direction == "down" else -1000)), limit)
            case Press(key="back"):
                self.back()
            case Press(key="home"):
                self.stack.clear()
            case Press(key="delete"):
                self.texts[self.focus] = self.texts.get(self.focus, "")[:-1]
            case OpenApp():
                if action.app == "Garden":
                    self.stack.clear()
                    self.open(self.garden)
            case Press() | Wait() | Answer() | Finished():
                pass
            case _:
                raise AssertionError(f"the toy phone does not know {action}")

    def type(self, text: str) -> None:
        if not self.focus:
            return
        selected = self.texts.pop(f"{self.focus}!", None) is not None
        self.texts[self.focus] = ("" if selected else self.texts.get(self.focus, "")) + text

    def tap(self, point: Point) -> None:
        for widget, box in reversed(self.placed(self.page)):
            if box.contains(point):
                if widget.kind == "SeekBar":
                    self.slide(point)
                elif widget.do is not None:
                    widget.do()
                return

    def slide(self, point: Point) -> None:
        self.moisture = min(100, max(0, round((point.x - 60) / 9.6)))

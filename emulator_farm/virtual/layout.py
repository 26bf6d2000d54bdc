"""From widgets to boxes: one pass that measures, one that places. All results are whole device pixels."""

from collections.abc import Callable
from dataclasses import replace

from .boxes import Box, Rect, ViewState
from .fonts import Typeface, scaled, typeface
from .text_flow import Line, flow, line_of, single
from .widgets import (
    FILL,
    WRAP,
    Check,
    Column,
    Disc,
    Icon,
    Photo,
    Radio,
    Row,
    Scroll,
    Slider,
    Space,
    Stack,
    Switch,
    Text,
    TextField,
    Thumbnail,
    Widget,
)

_SHARES = {"start": 0.0, "center": 0.5, "end": 1.0}
_INTRINSIC = {Switch: (52, 32), Check: (48, 48), Slider: (160, 48)}
"""Natural size in dp of the widgets that have one."""
RADIO_MARK = 48
REVEAL_MARGIN = 16


class Layout:
    """Measures and places trees for one density, font scale, window state and direction of reading."""

    def __init__(self, density: int, font_scale: float, state: ViewState, rtl: bool = False) -> None:
        self.scale = density / 160
        self.font_scale = font_scale
        self.state = state
        self.rtl = rtl

    def px(self, dp: float) -> int:
        """Pixels of a length in dp."""
        return round(dp * self.scale)

    def face(self, widget: Text | TextField | Radio) -> Typeface:
        """The typeface of a text widget."""
        weight = "regular" if isinstance(widget, Radio) else widget.weight
        factor = 1.0 if isinstance(widget, Text) and widget.fixed else scaled(widget.size, self.font_scale)
        return typeface(weight, max(1, round(widget.size * self.scale * factor)))

    def fit(self, widget: Widget, rect: Rect) -> Box:
        """Lay a tree out so that it fills `rect` exactly."""

        def make() -> Box:
            box = self._measure(replace(widget, w=FILL, h=FILL), rect.width, rect.height)
            self._put(box, rect.left, rect.top, rect)
            return self._turned(box, rect)

        return self._revealed(make)

    def place(self, widget: Widget, area: Rect, anchor: tuple[float, float] = (0.5, 0.5)) -> Box:
        """Lay a tree out at its own size, placed inside `area` by `anchor`."""

        def make() -> Box:
            box = self._measure(widget, area.width, area.height)
            left = area.left + round((area.width - box.w) * anchor[0])
            top = area.top + round((area.height - box.h) * anchor[1])
            self._put(box, left, top, area)
            return self._turned(box, area)

        return self._revealed(make)

    def _revealed(self, make: Callable[[], Box]) -> Box:
        """A tree, made again where a viewport had to move to show the caret."""
        box = make()
        if self.state.reveal:
            self.state.reveal = False
            if self._reveal(box):
                return make()
        return box

    # -- measuring

    def _measure(self, widget: Widget, max_w: int, max_h: int | None, w: int = -1, h: int = -1) -> Box:
        """`max_h` None = unbounded; `w`, `h` force the outer size where not negative."""
        pads = [self.px(side) for side in widget.pad]
        outer_w = w if w >= 0 else self._outer(widget.w, max_w)
        outer_h = h if h >= 0 else self._outer(widget.h, max_h)
        room_w = max(0, (max_w if outer_w is None else outer_w) - pads[0] - pads[2])
        limit_h = max_h if outer_h is None else outer_h
        room_h = None if limit_h is None else max(0, limit_h - pads[1] - pads[3])
        box = self._content(widget, room_w, room_h)
        content_w, content_h = box.w, box.h
        box.w = content_w + pads[0] + pads[2] if outer_w is None else outer_w
        box.h = max(content_h + pads[1] + pads[3], self.px(widget.min_h)) if outer_h is None else outer_h
        box.inner = Rect(pads[0], pads[1], box.w - pads[2], box.h - pads[3])
        self._arrange(box)
        return box

    def _outer(self, size: float, available: int | None) -> int | None:
        if size == WRAP:
            return None
        return available if size == FILL else self.px(size)

    def _content(self, widget: Widget, w: int, h: int | None) -> Box:
        match widget:
            case Column() | Row():
                return self._linear(widget, w, h)
            case Stack():
                children = [self._measure(child, w, h) for child in widget.children]
                return Box(
                    widget, max((c.w for c in children), default=0), max((c.h for c in children), default=0), children
                )
            case Scroll():
                return self._viewport(widget, w, h)
            case Text():
                return self._text(widget, w)
            case TextField():
                return self._field(widget, w)
            case Radio():
                mark = self.px(RADIO_MARK)
                face = self.face(widget)
                line = single(widget.text, face, w - mark)
                return Box(widget, mark + round(line.width), mark, lines=[line] if widget.text else [], face=face)
            case Icon() | Disc():
                return Box(widget, self.px(widget.size), self.px(widget.size))
            case Switch() | Check() | Slider():
                wide, tall = _INTRINSIC[type(widget)]
                return Box(widget, min(self.px(wide), w), self.px(tall))
            case Space() | Thumbnail() | Photo():
                return Box(widget, 0, 0)
            case _:
                raise TypeError(f"no layout for {type(widget).__name__}")

    def _linear(self, widget: Column | Row, w: int, h: int | None) -> Box:
        down = isinstance(widget, Column)
        count = len(widget.children)
        gaps = self.px(widget.gap) * max(0, count - 1)
        total = h if down else w
        left = None if total is None else max(0, total - gaps)
        boxes: dict[int, Box] = {}
        shares: dict[int, float] = {}
        # A viewport takes at most what the others leave, so it is measured after them.
        order = sorted(range(count), key=lambda index: isinstance(widget.children[index], Scroll))
        for index in order:
            child = widget.children[index]
            share = child.grow or (1.0 if (child.h if down else child.w) == FILL else 0.0)
            if share and left is not None:
                shares[index] = share
                continue
            boxes[index] = self._measure(child, w, left) if down else self._measure(child, left or 0, h)
            if left is not None:
                left = max(0, left - (boxes[index].h if down else boxes[index].w))
        weight = sum(shares.values())
        for index, share in shares.items():
            part = round((left or 0) * share / weight)
            left, weight = (left or 0) - part, weight - share
            child = widget.children[index]
            boxes[index] = self._measure(child, w, part, h=part) if down else self._measure(child, part, h, w=part)
        children = [boxes[index] for index in range(count)]
        along = gaps + sum(c.h if down else c.w for c in children)
        across = max((c.w if down else c.h for c in children), default=0)
        return Box(widget, across, along, children) if down else Box(widget, along, across, children)

    def _viewport(self, widget: Scroll, w: int, h: int | None) -> Box:
        if widget.axis == "y":
            child = self._measure(widget.child, w, None)
            return Box(widget, child.w, child.h if h is None else min(child.h, h), [child])
        child = self._measure(widget.child, 1 << 20, h)
        return Box(widget, min(child.w, w), child.h, [child])

    def _text(self, widget: Text, w: int) -> Box:
        face = self.face(widget)
        if widget.max_lines == 1 and "\n" not in widget.text:
            lines = [single(widget.text, face, w)]
        else:
            lines = flow(widget.text, face, w, widget.max_lines)
        width = min(w, round(max(line.width for line in lines) + 0.5))
        return Box(widget, width, face.line_height * len(lines), lines=lines, face=face)

    def _field(self, widget: TextField, w: int) -> Box:
        face = self.face(widget)
        shown = "•" * len(widget.value) if widget.password else widget.value
        source = shown or widget.hint
        if widget.multiline:
            lines = flow(source, face, w)
        else:
            flat = source.replace("\n", " ")
            lines = [Line(0, len(flat), flat, face.width(flat))] if shown else [single(flat, face, w)]
        count = max(len(lines), widget.min_lines if widget.multiline else 1)
        shift = 0
        if shown and not widget.multiline:
            _, caret = self.state.caret(widget.state_key, len(shown))
            focused = self.state.focus == widget.state_key
            shift = max(0, round(face.width(lines[0].shown[:caret])) - w + 2) if focused else 0
        return Box(widget, w, face.line_height * count, lines=lines, face=face, shift=shift)

    # -- arranging children inside the content area

    def _arrange(self, box: Box) -> None:
        inner, widget = box.inner, box.widget
        match widget:
            case Column() | Row():
                self._line_up(box, widget, inner)
            case Stack():
                for child in box.children:
                    child.x = inner.left + round((inner.width - child.w) * child.widget.anchor[0])
                    child.y = inner.top + round((inner.height - child.h) * child.widget.anchor[1])
            case Scroll():
                self._scroll(box, widget, inner)

    def _line_up(self, box: Box, widget: Column | Row, inner: Rect) -> None:
        down = isinstance(widget, Column)
        gap = self.px(widget.gap)
        used = sum(c.h if down else c.w for c in box.children) + gap * max(0, len(box.children) - 1)
        free = (inner.height if down else inner.width) - used
        position = (inner.top if down else inner.left) + round(max(0, free) * _SHARES[widget.justify])
        share = _SHARES[widget.align]
        for child in box.children:
            if down:
                child.x, child.y = inner.left + round((inner.width - child.w) * share), position
                position += child.h + gap
            else:
                child.x, child.y = position, inner.top + round((inner.height - child.h) * share)
                position += child.w + gap

    def _scroll(self, box: Box, widget: Scroll, inner: Rect) -> None:
        child, key = box.children[0], widget.state_key
        down = widget.axis == "y"
        box.scroll_range = max(0, child.h - inner.height if down else child.w - inner.width)
        offset = min(max(0, self.state.scroll.get(key, 0)), box.scroll_range)
        if key in self.state.scroll:
            self.state.scroll[key] = offset
        child.x = inner.left - (0 if down else offset)
        child.y = inner.top - (offset if down else 0)

    # -- placing

    def _put(self, box: Box, left: int, top: int, clip: Rect) -> None:
        box.x, box.y = left, top
        box.inner = Rect(*(a + b for a, b in zip(box.inner, (left, top, left, top), strict=True)))
        box.visible = box.rect.clip(clip)
        inside = box.inner.clip(box.visible) if isinstance(box.widget, Scroll) else box.visible
        for child in box.children:
            self._put(child, left + child.x, top + child.y, inside)

    def _turned(self, root: Box, area: Rect) -> Box:
        """Left and right exchanged, where that is how screens are read: the same layout seen in a mirror."""
        if self.rtl:
            self._turn(root, area.left + area.right)
        return root

    def _turn(self, box: Box, ends: int, shift: int | None = None) -> None:
        """Mirror a box between two edges that sum up to `ends`, or, inside of what is not mirrored, `shift` it."""
        before = box.x
        if shift is None:
            box.rtl = True
            box.x = ends - box.x - box.w
            box.inner = box.inner._replace(left=ends - box.inner.right, right=ends - box.inner.left)
            box.visible = box.visible._replace(left=ends - box.visible.right, right=ends - box.visible.left)
            if isinstance(box.widget, Row) and box.widget.ltr:
                shift = box.x - before
        else:
            box.x += shift
            box.inner = box.inner._replace(left=box.inner.left + shift, right=box.inner.right + shift)
            box.visible = box.visible._replace(left=box.visible.left + shift, right=box.visible.right + shift)
        for child in box.children:
            self._turn(child, ends, shift)

    def _reveal(self, root: Box) -> bool:
        """Move viewports so that the focused field's caret line is in sight; True where one moved."""
        path = _path_to(root, self.state.focus)
        if not path:
            return False
        target = self.caret_rect(path[-1])
        margin = self.px(REVEAL_MARGIN)
        for box in reversed(path[:-1]):
            if not (isinstance(box.widget, Scroll) and box.widget.axis == "y" and box.scroll_range):
                continue
            key = box.widget.state_key
            before = self.state.scroll.get(key, 0)
            over = max(0, target.bottom + margin - box.inner.bottom)
            under = max(0, box.inner.top - (target.top - margin))
            after = min(max(0, before + (over or -under)), box.scroll_range)
            self.state.scroll[key] = after
            return after != before
        return False

    def caret_rect(self, box: Box) -> Rect:
        """Where a field's caret is, whether drawn or not."""
        assert box.face is not None
        widget = box.widget
        length = len(widget.value) if isinstance(widget, TextField) else 0
        _, caret = self.state.caret(widget.state_key, length)
        if not length:
            x, y = round(aligned(box, box.lines[0]._replace(width=0))) - self.px(2) * box.rtl, text_top(box)
            return Rect(x, y, x + self.px(2), y + box.face.line_height)
        number = line_of(box.lines, caret)
        line = box.lines[number]
        x = round(aligned(box, line) + box.face.caret(line.shown, caret - line.start)) - box.shift
        y = text_top(box) + number * box.face.line_height
        return Rect(x, y, x + self.px(2), y + box.face.line_height)


def aligned(box: Box, line: Line) -> float:
    """Left end of a line inside its box, pixels."""
    widget = box.widget
    align = widget.align if isinstance(widget, Text | TextField) else "start"
    share = 1 - _SHARES[align] if box.rtl else _SHARES[align]
    return box.inner.left + max(0.0, box.inner.width - line.width) * share


def text_top(box: Box) -> int:
    """Top of a box's first line: centred, but a multi-line field starts at its top."""
    if box.face is None or (isinstance(box.widget, TextField) and box.widget.multiline):
        return box.inner.top
    return box.inner.top + (box.inner.height - box.face.line_height * len(box.lines)) // 2


def _path_to(box: Box, key: str) -> list[Box]:
    if key and isinstance(box.widget, TextField) and box.widget.state_key == key:
        return [box]
    for child in box.children:
        path = _path_to(child, key)
        if path:
            return [box, *path]
    return []

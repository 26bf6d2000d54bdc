"""From boxes to pixels. Every primitive is clipped to the visible part of its box, so a viewport cuts exactly."""

from dataclasses import dataclass

from PIL import Image

from .boxes import Box, Rect
from .display import BASELINE
from .fonts import MASKS, Weight, corner_mask, icon_mask, typeface
from .layout import Layout, aligned, text_top
from .photos import photo
from .theme import SCRIM_ALPHA, Color, Theme
from .widgets import Check, Disc, Icon, Paint, Photo, Radio, Slider, Switch, Text, TextField, Thumbnail

SCRIM = [round(value * (1 - SCRIM_ALPHA)) for value in range(256)] * 3


@dataclass(eq=False)
class Painter:
    """Draws windows of one layout onto an RGB picture."""

    image: Image.Image
    layout: Layout
    theme: Theme

    # -- primitives

    def fill(self, rect: Rect, color: Paint, clip: Rect) -> None:
        """A plain rectangle."""
        part = rect.clip(clip)
        if not part.empty:
            self.image.paste(self.theme.color(color), part[:])

    def stamp(self, mask: Image.Image, x: int, y: int, color: Paint, clip: Rect) -> None:
        """One colour through a mask whose top left pixel is at (x, y)."""
        whole = Rect(x, y, x + mask.width, y + mask.height)
        part = whole.clip(clip)
        if part.empty:
            return
        if part != whole:
            mask = mask.crop((part.left - x, part.top - y, part.right - x, part.bottom - y))
        self.image.paste(self.theme.color(color), part[:], mask)

    def rounded(self, rect: Rect, radius: int, color: Paint, clip: Rect) -> None:
        """A rectangle with smooth round corners."""
        r = min(radius, rect.width // 2, rect.height // 2)
        if r <= 0:
            self.fill(rect, color, clip)
            return
        self.fill(Rect(rect.left, rect.top + r, rect.right, rect.bottom - r), color, clip)
        self.fill(Rect(rect.left + r, rect.top, rect.right - r, rect.top + r), color, clip)
        self.fill(Rect(rect.left + r, rect.bottom - r, rect.right - r, rect.bottom), color, clip)
        for right in (False, True):
            for bottom in (False, True):
                x = rect.right - r if right else rect.left
                y = rect.bottom - r if bottom else rect.top
                self.stamp(_turned_corner(r, right, bottom), x, y, color, clip)

    def text(self, x: float, y: int, shown: str, size: int, weight: Weight, color: Paint, clip: Rect) -> None:
        """One line whose top left is at (x, y)."""
        if shown.strip():
            face = typeface(weight, size)
            self.stamp(face.mask(shown), round(x) - 1, y, color, clip)

    # -- boxes

    def paint(self, box: Box) -> None:
        """Draw a box and everything in it."""
        if box.visible.empty:
            return
        widget = box.widget
        if widget.bg is not None:
            self._background(box, widget.bg)
        match widget:
            case Text():
                self._lines(box, widget.color)
            case TextField():
                self._field(box, widget)
            case Icon():
                size = self.layout.px(widget.size)
                mask = icon_mask(widget.name, size, widget.filled, widget.mirrored != (box.rtl and _points(widget)))
                self.stamp(mask, *self._centered(box, size), widget.color, box.visible)
            case Disc():
                self._disc(box, widget)
            case Switch():
                self._switch(box, widget)
            case Check():
                name, filled = ("check_box", True) if widget.checked else ("check_box_outline_blank", False)
                self._mark(box, name, filled, widget.enabled, widget.checked)
            case Radio():
                self._radio(box, widget)
            case Slider():
                self._slider(box, widget)
            case Thumbnail():
                self._thumbnail(box, widget)
            case Photo():
                self._photo(box, widget)
            case _:
                for child in box.children:
                    self.paint(child)

    def _background(self, box: Box, color: Paint) -> None:
        radius = self.layout.px(box.widget.radius)
        if box.widget.border is not None:
            line = max(1, self.layout.px(1))
            self.rounded(box.rect, radius, box.widget.border, box.visible)
            rect = Rect(box.x + line, box.y + line, box.x + box.w - line, box.y + box.h - line)
            self.rounded(rect, radius - line, color, box.visible)
        else:
            self.rounded(box.rect, radius, color, box.visible)

    def _centered(self, box: Box, size: int) -> tuple[int, int]:
        return box.inner.left + (box.inner.width - size) // 2, box.inner.top + (box.inner.height - size) // 2

    def _lines(self, box: Box, color: Paint) -> None:
        face = box.face
        assert face is not None
        y = text_top(box)
        for line in box.lines:
            if y < box.visible.bottom and y + face.line_height > box.visible.top:
                x = aligned(box, line) - box.shift
                self.text(x, y, line.shown, face.size, face.weight, color, box.visible)
            y += face.line_height

    def _field(self, box: Box, widget: TextField) -> None:
        state = self.layout.state
        focused = state.focus == widget.state_key and widget.enabled
        if focused and widget.value:
            self._selection(box, widget)
        color: Paint = widget.ink if widget.enabled else "disabled"
        if widget.value or widget.draw_hint:
            self._lines(box, color if widget.value else "on_surface_variant")
        if focused:
            self.fill(self.layout.caret_rect(box), "primary", box.visible)

    def _selection(self, box: Box, widget: TextField) -> None:
        face = box.face
        assert face is not None
        anchor, caret = self.layout.state.caret(widget.state_key, len(widget.value))
        first, last = min(anchor, caret), max(anchor, caret)
        y = text_top(box)
        for line in box.lines:
            start, end = max(first, line.start), min(last, line.end)
            if start < end:
                x = aligned(box, line) - box.shift
                for left, right in _joined(face.spans(line.shown)[start - line.start : end - line.start]):
                    part = Rect(round(x + left), y, round(x + right), y + face.line_height)
                    self.fill(part, "primary_container", box.visible)
            y += face.line_height

    def _disc(self, box: Box, widget: Disc) -> None:
        size = self.layout.px(widget.size)
        x, y = self._centered(box, size)
        self.rounded(Rect(x, y, x + size, y + size), size // 2, widget.color, box.visible)
        if widget.icon:
            inside = round(size * 0.56)
            corner = self._centered(box, inside)
            self.stamp(icon_mask(widget.icon, inside, True), *corner, widget.ink, box.visible)
        elif widget.letter:
            face = typeface("regular", max(1, round(size * 0.5)))
            left = x + (size - face.width(widget.letter)) / 2
            top = y + (size - face.line_height) // 2
            self.text(left, top, widget.letter, face.size, "regular", widget.ink, box.visible)

    def _switch(self, box: Box, widget: Switch) -> None:
        wide, tall = self.layout.px(52), self.layout.px(32)
        x, y = box.inner.left + (box.inner.width - wide) // 2, box.inner.top + (box.inner.height - tall) // 2
        track = Rect(x, y, x + wide, y + tall)
        on = widget.checked
        if on:
            self.rounded(track, tall // 2, "primary" if widget.enabled else "outline_variant", box.visible)
        else:
            line = self.layout.px(2)
            self.rounded(track, tall // 2, "outline" if widget.enabled else "outline_variant", box.visible)
            inside = Rect(x + line, y + line, x + wide - line, y + tall - line)
            self.rounded(inside, tall // 2 - line, "surface", box.visible)
        size = self.layout.px(24 if on else 16)
        centre = x + wide - tall // 2 if on != box.rtl else x + tall // 2
        thumb = Rect(
            centre - size // 2, y + (tall - size) // 2, centre - size // 2 + size, y + (tall - size) // 2 + size
        )
        self.rounded(thumb, size // 2, "on_primary" if on else "outline", box.visible)

    def _mark(self, box: Box, name: str, filled: bool, enabled: bool, checked: bool) -> None:
        size = self.layout.px(24)
        color: Paint = "disabled" if not enabled else "primary" if checked else "on_surface_variant"
        self.stamp(icon_mask(name, size, filled), *self._centered(box, size), color, box.visible)

    def _radio(self, box: Box, widget: Radio) -> None:
        size, mark = self.layout.px(24), self.layout.px(48)
        name = "radio_button_checked" if widget.checked else "radio_button_unchecked"
        edge = (mark - size) // 2
        color: Paint = "primary" if widget.checked else "on_surface_variant"
        y = box.inner.top + (box.inner.height - size) // 2
        left = box.inner.right - mark if box.rtl else box.inner.left
        self.stamp(icon_mask(name, size, False), left + edge, y, color, box.visible)
        if box.face and box.lines:
            top = box.inner.top + (box.inner.height - box.face.line_height) // 2
            line = box.lines[0]
            start = left - line.width if box.rtl else left + mark
            self.text(start, top, line.shown, box.face.size, "regular", "on_surface", box.visible)

    def _slider(self, box: Box, widget: Slider) -> None:
        left, right = slider_track(box, self.layout)
        share = (widget.value - widget.low) / max(1, widget.high - widget.low)
        thick, size = self.layout.px(4), self.layout.px(20)
        middle = box.inner.top + box.inner.height // 2
        share = min(1.0, max(0.0, share))
        at = left + round((right - left) * (1 - share if box.rtl else share))
        self.rounded(
            Rect(left, middle - thick // 2, right, middle - thick // 2 + thick),
            thick // 2,
            "outline_variant",
            box.visible,
        )
        color: Paint = "primary" if widget.enabled else "disabled"
        start, end = (at, right) if box.rtl else (left, at)
        self.rounded(Rect(start, middle - thick // 2, end, middle - thick // 2 + thick), thick // 2, color, box.visible)
        thumb = Rect(at - size // 2, middle - size // 2, at - size // 2 + size, middle - size // 2 + size)
        self.rounded(thumb, size // 2, color, box.visible)

    def _photo(self, box: Box, widget: Photo) -> None:
        image = photo(widget.data, box.inner.width, box.inner.height, widget.cover)
        left = box.inner.left + (box.inner.width - image.width) // 2
        top = box.inner.top + (box.inner.height - image.height) // 2
        part = Rect(left, top, left + image.width, top + image.height).clip(box.visible)
        if not part.empty:
            shown = image.crop((part.left - left, part.top - top, part.right - left, part.bottom - top))
            self.image.paste(shown, part[:])

    def _thumbnail(self, box: Box, widget: Thumbnail) -> None:
        if widget.window is None:
            return
        window = widget.window()
        root, inner = window.root, box.inner
        full = Image.new("RGB", (root.w, root.h), self.theme.color(window.backdrop))
        layout = Layout(round(self.layout.scale * BASELINE), self.layout.font_scale, window.state, self.layout.rtl)
        Painter(full, layout, self.theme).paint(root)
        small = full.resize((inner.width, max(1, root.h * inner.width // root.w)), reducing_gap=2.0)
        part = inner.clip(box.visible).clip(Rect(inner.left, inner.top, inner.right, inner.top + small.height))
        if not part.empty:
            shift = Rect(*(a - b for a, b in zip(part, (inner.left, inner.top) * 2, strict=True)))
            self.image.paste(small.crop(shift), (part.left, part.top))

    def wallpaper(self, rect: Rect) -> None:
        """The home screen's gradient."""
        stops = _WALLPAPER[self.theme.dark]
        top, last = rect.top, _mix(stops, 0.0)
        for y in range(rect.top + 1, rect.bottom):
            color = _mix(stops, (y - rect.top) / rect.height)
            if color != last:
                self.image.paste(last, (rect.left, top, rect.right, y))
                top, last = y, color
        self.image.paste(last, (rect.left, top, rect.right, rect.bottom))


def _points(icon: Icon) -> bool:
    """Whether it shows a direction of reading, and so turns round with it."""
    sideways = ("arrow_", "chevron_", "keyboard_arrow_left", "keyboard_arrow_right", "send", "article")
    return icon.mirrored or icon.name.startswith(sideways)


def _joined(spans: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """Neighbours become one: what is selected of a line in two directions may be in several places."""
    joined: list[tuple[float, float]] = []
    for left, right in sorted(spans):
        if joined and left <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(right, joined[-1][1]))
        else:
            joined.append((left, right))
    return joined


def slider_track(box: Box, layout: Layout) -> tuple[int, int]:
    """Left and right end of a slider's track, pixels."""
    edge = layout.px(10)
    return box.inner.left + edge, box.inner.right - edge


_WALLPAPER: dict[bool, tuple[Color, ...]] = {
    False: ((120, 172, 214), (92, 132, 190), (58, 84, 142), (30, 44, 84)),
    True: ((28, 40, 66), (22, 30, 52), (16, 22, 38), (8, 12, 22)),
}


def _mix(stops: tuple[Color, ...], share: float) -> Color:
    place = share * (len(stops) - 1)
    index = min(int(place), len(stops) - 2)
    part = place - index
    a, b = stops[index], stops[index + 1]
    return (
        round(a[0] + (b[0] - a[0]) * part),
        round(a[1] + (b[1] - a[1]) * part),
        round(a[2] + (b[2] - a[2]) * part),
    )


def _turned_corner(radius: int, right: bool, bottom: bool) -> Image.Image:
    def make() -> Image.Image:
        mask = corner_mask(radius)
        if right:
            mask = mask.transpose(Image.Transpose.FLIP_LEFT_RIGHT)
        return mask.transpose(Image.Transpose.FLIP_TOP_BOTTOM) if bottom else mask

    return MASKS.get(("corner", radius, right, bottom), make)

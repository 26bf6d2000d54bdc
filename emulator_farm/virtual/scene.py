"""Everything that is on the screen at one moment: windows from back to front, laid out once for picture and UI tree."""

from dataclasses import dataclass
from typing import NamedTuple

from PIL import Image

from .boxes import Box, Rect, ViewState, Window
from .dates import language
from .keyboard import HEIGHT, LANDSCAPE_HEIGHT, Keyboard
from .layout import Layout
from .notification_card import notification_card
from .render import SCRIM, Painter
from .screen import Screen
from .system import System
from .system_bars import (
    BUTTONS_SIZE,
    PILL_SIZE,
    STATUS_HEIGHT,
    NavigationActions,
    gestural,
    navigation_bar,
    status_bar,
    toast,
)
from .text_toolbar import TextActions, place_toolbar, text_toolbar
from .theme import THEMES
from .translation import catalogue, right_to_left
from .widgets import Paint, TextField

SYSTEM_UI = "com.android.systemui"
ACTION_ICONS = {
    "none": "keyboard_return",
    "go": "arrow_forward",
    "search": "search",
    "send": "send",
    "next": "keyboard_arrow_right",
    "done": "check",
}


@dataclass(eq=False)
class Scene:
    """The windows and which of them is active (has the input focus)."""

    windows: list[Window]
    active: Window
    app: Window
    keyboard: Window | None
    dim: bool
    area: Rect
    """The whole screen."""
    navigation: Rect
    """Where the navigation bar is."""
    backdrop: Paint
    """What fills the screen behind the app, under the bars too."""
    bar_backdrop: Paint | None
    """What lies under the navigation bar, where it differs."""
    density: int
    font_scale: float
    dark: bool
    rtl: bool

    def draw(self) -> Image.Image:
        """The picture, RGB."""
        theme = THEMES[self.dark]
        image = Image.new("RGB", (self.area.width, self.area.height), theme.color(self.backdrop))
        behind = Painter(image, self.layout(self.app), theme)
        if self.backdrop == "wallpaper":
            behind.wallpaper(self.area)
        if self.bar_backdrop is not None:
            behind.fill(self.navigation, self.bar_backdrop, self.area)
        for window in self.windows:
            if window.kind == "dialog" and self.dim:
                image = image.point(SCRIM)
            painter = Painter(image, self.layout(window), theme)
            if window is self.keyboard:
                painter.fill(self.navigation, "keyboard", self.area)
            painter.paint(window.root)
        return image

    def focused_field(self) -> Box | None:
        """The field that has the input focus, None where there is none."""
        return focused_field(self.active)

    @property
    def typing(self) -> bool:
        """Whether an input method serves a field now."""
        return self.active.state.keyboard and self.focused_field() is not None

    def layout(self, window: Window) -> Layout:
        """The layout that a window was made with."""
        return Layout(self.density, self.font_scale, window.state, self.rtl)


def focused_field(window: Window) -> Box | None:
    """The box of the window's focused field."""
    if not window.state.focus:
        return None
    for box in window.root.walk():
        if isinstance(box.widget, TextField) and box.widget.state_key == window.state.focus and box.widget.enabled:
            return box
    return None


class Frame(NamedTuple):
    """How the screen is divided between system bars, app and keyboard."""

    area: Rect
    status: Rect
    navigation: Rect
    content: Rect
    keys: Rect
    """Where the keyboard goes, inside `content`."""
    side: bool
    """True where the buttons are along the right side."""

    @classmethod
    def of(cls, system: System) -> "Frame":
        """The division for the display as it is now."""
        width, height = system.display.size
        px = Layout(system.display.density, 1.0, ViewState()).px
        side = width > height and not gestural(system)
        bar = px(PILL_SIZE if gestural(system) else BUTTONS_SIZE)
        status = Rect(0, 0, width, min(height, px(STATUS_HEIGHT)))
        navigation = Rect(width - bar, 0, width, height) if side else Rect(0, height - bar, width, height)
        content = Rect(0, status.bottom, navigation.left if side else width, height if side else navigation.top)
        tall = px(HEIGHT if height >= width else LANDSCAPE_HEIGHT)
        keys = Rect(content.left, max(content.top, content.bottom - tall), content.right, content.bottom)
        return cls(Rect(0, 0, width, height), status, navigation, content, keys, side)

    def under(self, screen: Screen) -> "Frame":
        """The division where this screen is in front: its content takes the place of the bars that it covers."""
        if screen.covers == "all":
            return self._replace(content=self.area)
        return self._replace(content=self.content._replace(top=0)) if screen.covers == "status" else self


class Stage:
    """Composes scenes for one phone."""

    def __init__(
        self, system: System, keyboard: Keyboard, navigation: NavigationActions, text_actions: TextActions
    ) -> None:
        self._system = system
        self._text_actions = text_actions
        self._keyboard = keyboard
        self._navigation = navigation
        self._bar_state = ViewState()

    def compose(self, screen: Screen) -> Scene:
        """Lay everything out."""
        system = self._system
        font_scale, density = system.font_scale, system.display.density
        locale = system.locale_of(screen.package)
        words, rtl = catalogue(language(locale)), right_to_left(locale)
        bars = Layout(density, 1.0, self._bar_state, right_to_left(system.locale))
        frame = Frame.of(system).under(screen)
        area, content, keys = frame.area, frame.content, frame.keys
        probe = Layout(density, 1.0, self._bar_state)
        popup = screen.popup
        state = popup.view if popup else screen.view
        windows: list[Window] = []
        typing = bool(state.focus) and state.keyboard and system.ime.draws_keys
        room = Rect(content.left, content.top, content.right, keys.top) if typing else content

        app = app_window(screen, system, room if not popup else content)
        windows.append(app)
        active = app
        if popup is not None:
            tree = words.widget(popup.build()) if words else popup.build()
            root = Layout(density, font_scale, popup.view, rtl).place(tree, room, popup.anchor)
            owner = "android" if popup.window else screen.front.package if popup.component else screen.package
            active = Window(root, owner, popup.view, "dialog")
            windows.append(active)
        field = focused_field(active)
        if state.focus and field is None:
            state.blur()
            if typing:
                return self.compose(screen)
        keyboard = None
        if typing and field is not None and isinstance(field.widget, TextField):
            icon = ACTION_ICONS["none" if field.widget.multiline else field.widget.action]
            tree = self._keyboard.build(field.widget.numeric, icon, language(system.locale))
            keyboard = Window(probe.fit(tree, keys), "com.android.inputmethod.latin", self._bar_state, "keyboard")
            windows.append(keyboard)
        else:
            self._keyboard.reset()
        if state.toolbar and field is not None and isinstance(field.widget, TextField):
            offered = text_toolbar(field.widget, state, self._text_actions)
            if offered is not None:
                tree = words.widget(offered) if words else offered
                root = place_toolbar(tree, field, Layout(density, 1.0, state), content)
                windows.append(Window(root, active.package, self._bar_state, "toolbar"))
        if system.toast_now:
            message = toast(words.text(system.toast_now) if words else system.toast_now)
            windows.append(Window(probe.place(message, content, (0.5, 0.86)), "", self._bar_state, "toast"))
        white = screen.on_wallpaper
        if not screen.covers:
            tree = status_bar(system, white)
            windows.append(Window(bars.fit(tree, frame.status), SYSTEM_UI, self._bar_state, "status"))
        if screen.covers != "all":
            tree = navigation_bar(system, self._navigation, white, frame.side)
            windows.append(Window(bars.fit(tree, frame.navigation), SYSTEM_UI, self._bar_state, "navigation"))
        if system.banner is not None and system.settings.get("global", "heads_up_notifications_enabled") != "0":
            card = notification_card(system, system.banner, system.hide_banner, lambda direction: False)
            windows.append(Window(probe.place(card, content, (0.5, 0)), SYSTEM_UI, self._bar_state, "banner"))
        dim = popup is not None and popup.dim
        behind = screen.backdrop, screen.bar_backdrop
        return Scene(
            windows, active, app, keyboard, dim, area, frame.navigation, *behind, density, font_scale, system.dark, rtl
        )


def app_window(screen: Screen, system: System, room: Rect | None = None, at_origin: bool = False) -> Window:
    """A screen's own window, laid out in `room` (default: what the system bars leave), at (0, 0) on demand."""
    locale = system.locale_of(screen.package)
    words = catalogue(language(locale))
    layout = Layout(system.display.density, system.font_scale, screen.view, right_to_left(locale))
    place = room or Frame.of(system).under(screen).content
    if at_origin:
        place = Rect(0, 0, place.width, place.height)
    root = layout.fit(words.widget(screen.build()) if words else screen.build(), place)
    return Window(root, screen.package, screen.view, "app", screen.backdrop, decor=not screen.covers)

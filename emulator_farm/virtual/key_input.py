"""Hardware and navigation keys, as `input keyevent` sends them."""

from . import keycodes as k
from .apps.dialer import in_call
from .editing import Editor
from .intents import Intent
from .system import System
from .tasks import Tasks

VOLUME_STEPS = 15
CARET_KEYS = {
    k.DPAD_LEFT: "left",
    k.DPAD_RIGHT: "right",
    k.DPAD_UP: "up",
    k.DPAD_DOWN: "down",
    k.MOVE_HOME: "home",
    k.MOVE_END: "end",
}
SHORTCUTS = {k.KEY_A: "all", k.KEY_C: "copy", k.KEY_X: "cut", k.KEY_V: "paste"}


class Keys:
    """Gives each key its effect."""

    def __init__(self, system: System, tasks: Tasks, editor: Editor) -> None:
        self._system = system
        self._tasks = tasks
        self._editor = editor
        self.screen_on = True

    def press(self, keycode: int, meta: tuple[int, ...] = ()) -> None:
        """One press; `meta` holds the keycodes of modifiers that are down. Keys without a meaning here do nothing."""
        if keycode in (k.CALL, k.ENDCALL):
            self._call(keycode)
        elif keycode in (k.POWER, k.WAKEUP, k.SLEEP):
            lit = keycode == k.WAKEUP or (keycode == k.POWER and not self.screen_on)
            if self.screen_on and not lit:
                self._system.ui.sleep()
            self.screen_on = lit
            self._system.changed()
        elif self.screen_on:
            self._awake(keycode, meta)

    def _awake(self, keycode: int, meta: tuple[int, ...]) -> None:
        ui, settings = self._system.ui, self._system.settings
        match keycode:
            case k.HOME:
                ui.home()
            case k.BACK | k.ESCAPE:
                self.back()
            case k.APP_SWITCH:
                ui.overview()
            case k.VOLUME_UP | k.VOLUME_DOWN:
                step = 1 if keycode == k.VOLUME_UP else -1
                level = settings.get_int("system", "volume_music_speaker") + step
                settings.put("system", "volume_music_speaker", str(min(max(0, level), VOLUME_STEPS)))
            case k.VOLUME_MUTE:
                settings.put("system", "volume_music_speaker", "0")
            case k.SETTINGS:
                self._tasks.start(Intent("android.settings.SETTINGS"))
            case k.MENU if ui.locked:
                ui.dismiss_lock()
            case k.NOTIFICATION:
                ui.collapse() if ui.expanded else ui.expand()
            case _:
                self._edit(keycode, meta)

    def _call(self, keycode: int) -> None:
        call = in_call.current(self._system)
        if call is not None:
            call.answer() if keycode == k.CALL else call.hang_up()
            self._system.changed()

    def back(self) -> None:
        """Back: the keyboard first, then popup, screen, task."""
        screen = self._system.ui.front
        state = screen.popup.view if screen.popup else screen.view
        if self._system.ime.shown and self._system.ime.draws_keys:
            state.keyboard = False
            self._system.changed()
        else:
            self._system.ui.back()

    def _edit(self, keycode: int, meta: tuple[int, ...]) -> None:
        editor = self._editor
        shift = k.SHIFT_LEFT in meta or k.SHIFT_RIGHT in meta
        if k.CTRL_LEFT in meta or k.CTRL_RIGHT in meta:
            self._shortcut(keycode)
            return
        match keycode:
            case k.ENTER | k.NUMPAD_ENTER:
                editor.enter()
            case k.DEL:
                editor.delete()
            case k.FORWARD_DEL:
                editor.delete(forward=True)
            case k.TAB:
                editor.next_field()
            case k.CUT | k.COPY:
                editor.copy(cut=keycode == k.CUT)
            case k.PASTE:
                editor.paste()
            case _ if keycode in CARET_KEYS:
                editor.move(CARET_KEYS[keycode], select=shift)
            case _:
                char = k.character(keycode, shift)
                if char is not None:
                    editor.insert(char)

    def _shortcut(self, keycode: int) -> None:
        match SHORTCUTS.get(keycode):
            case "all":
                self._editor.select_all()
            case "copy":
                self._editor.copy()
            case "cut":
                self._editor.copy(cut=True)
            case "paste":
                self._editor.paste()

"""Every action of the vocabulary, done once on apps that every phone has, its effect looked for."""

from __future__ import annotations

import time
from functools import partial

from agent_server.actions import (
    Action,
    Answer,
    CallUser,
    Click,
    Direction,
    DoubleClick,
    Drag,
    Finished,
    Key,
    LongPress,
    OpenApp,
    Press,
    Scroll,
    Type,
    Wait,
)
from agent_server.geometry import Point
from agent_server.ui_tree import UiTree
from emulator_farm.certify.fields import LINES, ONE_LINE, middle, open_field, start_of, written
from emulator_farm.certify.probe import Failed, NotApplicable, Probe, field_of, look, require
from emulator_farm.devices.deadline import Deadline
from emulator_farm.devices.device import Device
from emulator_farm.devices.observation import Observation

_SETTINGS = "com.android.settings"
_WORD = "certify"
_VOLUME_S = 3.0


def _do(device: Device, action: Action) -> None:
    outcome = device.perform(action)
    require(outcome.status == "ok", f"{outcome.status}: {outcome.detail}")


def _settings(device: Device) -> tuple[Observation, UiTree]:
    device.force_stop(_SETTINGS)
    _do(device, OpenApp(app=_SETTINGS))
    observation, tree = look(device)
    require(observation.app == _SETTINGS, f"{observation.app} is in front")
    return observation, tree


def _open_app(device: Device) -> str:
    device.go_home()
    return f"{_settings(device)[0].activity} is in front"


def _click(device: Device) -> str:
    before, tree = _settings(device)
    size = before.size
    rows = [node for node in tree if node.clickable and middle(node).inside(size)]
    require(bool(rows), "nothing on the first page of Settings can be clicked")
    _do(device, Click(point=middle(rows[-1])))
    after = look(device)[0]
    require(after.ui_tree != before.ui_tree, f"nothing changed by a tap at {tuple(middle(rows[-1]))}")
    return f"{before.activity}, then {after.activity}"


def _press_back(device: Device) -> str:
    before, _ = _settings(device)
    _do(device, Press(key="back"))
    after = look(device)[0]
    require(after.app != before.app, f"{after.app} is still in front")
    return f"{before.app}, then {after.app}"


def _press_home(device: Device) -> str:
    before, _ = _settings(device)
    _do(device, Press(key="home"))
    after = look(device)[0]
    require(after.app != before.app, f"{after.app} is still in front")
    return f"{after.app} is in front"


def _press_recents(device: Device) -> str:
    before, _ = _settings(device)
    _do(device, Press(key="recents"))
    after = look(device)[0]
    changed = (after.ui_tree, after.window) != (before.ui_tree, before.window)
    require(changed, "the screen shows what it showed before")
    device.go_home()
    return f"{after.window}"


def _scroll(device: Device, there: Direction, back: Direction) -> str:
    _, first = _settings(device)
    if not any(node.scrollable for node in first):
        raise NotApplicable("the first page of Settings does not scroll here")
    _do(device, Scroll(direction=there))
    second = look(device)[1]
    _do(device, Scroll(direction=back))
    third = look(device)[1]
    down, up = _moved(first, second), _moved(second, third)
    require(down < 0, f"after scrolling {there} what is shown has moved by {down} pixels")
    require(up > 0, f"after scrolling {back} what is shown has moved by {up} pixels")
    return f"content moved by {down} pixels, then by {up}"


def _moved(before: UiTree, after: UiTree) -> int:
    """By how many pixels labelled nodes moved down, by their median; 0 where nothing is in both."""
    tops = {node.text: node.bounds[1] for node in before if node.text}
    moves = sorted(node.bounds[1] - tops[node.text] for node in after if node.text in tops and node.text)
    if not moves:
        raise Failed("the two screens have nothing in common")
    moving = [move for move in moves if move]
    return moving[len(moving) // 2] if moving else 0


def _drag(device: Device) -> str:
    """From the status bar down, which opens the shade."""
    before, _ = _settings(device)
    size = before.size
    _do(device, Drag(start=Point(size.width // 2, 1), end=Point(size.width // 2, size.height * 3 // 4)))
    after = look(device)[0]
    device.transport.shell("cmd statusbar collapse")
    require(after.ui_tree != before.ui_tree, "nothing changed")
    return f"{after.window or 'no window'} has the focus"


def _select_and_replace(device: Device, kind: type[DoubleClick] | type[LongPress]) -> str:
    """The gesture selects the word, and what is typed takes its place."""
    with open_field(device, ONE_LINE):
        _do(device, Type(text=_WORD))
        found = field_of(look(device)[1])
        if found is None:
            raise Failed("the field is gone")
        _do(device, kind(point=start_of(found)))
        device.observe()
        _do(device, Type(text="x"))
        text = written(device)
    require(text == "x", f"the field holds {text!r}")
    return f"{_WORD!r} was selected and replaced"


def _type(device: Device) -> str:
    with open_field(device, ONE_LINE):
        _do(device, Type(text=_WORD))
        text = written(device)
    require(text == _WORD, f"the field holds {text!r}")
    return f"the field holds {text!r}"


def _press_delete(device: Device) -> str:
    with open_field(device, ONE_LINE):
        _do(device, Type(text=_WORD))
        _do(device, Press(key="delete"))
        text = written(device)
    require(text == _WORD[:-1], f"the field holds {text!r}")
    return f"the field holds {text!r}"


def _press_enter(device: Device) -> str:
    with open_field(device, LINES):
        _do(device, Type(text="a"))
        _do(device, Press(key="enter"))
        _do(device, Type(text="b"))
        text = written(device)
    require(text == "a\nb", f"the field holds {text!r}")
    return "a new line between two letters"


def _press_power(device: Device) -> str:
    device.go_home()
    try:
        _do(device, Press(key="power"))
        asleep = not device.screen.awake()
    finally:
        device.prepare()
    require(asleep, "the screen stays on")
    require(device.screen.awake(), "the screen does not come on again")
    return "the screen went off, and on again"


def _taken(device: Device, key: Key) -> str:
    """Keys that do what the app in front makes of them."""
    _settings(device)
    _do(device, Press(key=key))
    device.observe()
    return "taken; what it does is up to the app in front"


def _volume(device: Device) -> str:
    """One step and back, so that the volume stays; which stream it is of is up to the phone."""
    device.go_home()
    first: Key
    second: Key
    before = _volumes(device)
    first, second = ("volume_up", "volume_down") if "=0" in before else ("volume_down", "volume_up")
    _do(device, Press(key=first))
    turned = _changes(device, before)
    _do(device, Press(key=second))
    require(turned, f"{first} changed none of {before or 'no volume'}")
    require(_changes(device, _volumes(device), to=before), f"volumes are {_volumes(device)}, and were {before}")
    return f"{first} and {second} were heard"


def _changes(device: Device, current: str, to: str | None = None) -> bool:
    """Whether the volumes become others, or those named, in time: phones write them down a little later."""
    deadline = Deadline(_VOLUME_S)
    while (_volumes(device) == current) if to is None else (_volumes(device) != to):
        if deadline.passed:
            return False
        deadline.pause(0.1)
    return True


def _volumes(device: Device) -> str:
    lines = device.shell("settings list system").text.splitlines()
    return " ".join(line for line in lines if line.startswith("volume_"))


def _wait(device: Device) -> str:
    began = time.monotonic()
    _do(device, Wait(seconds=0.5))
    took = time.monotonic() - began
    require(took >= 0.5, f"{took:.2f} s passed")
    return f"{took:.2f} s passed"


def _untouched(device: Device) -> str:
    for action in (Answer(text="42"), CallUser(text="help"), Finished()):
        outcome = device.perform(action)
        require(outcome.status == "none" and outcome.command is None, f"{action.type} gave {outcome}")
    return "nothing was sent"


def _no_such_app(device: Device) -> str:
    outcome = device.perform(OpenApp(app="zzz.no.such.app.zzz"))
    require(outcome.status == "rejected", f"{outcome.status}: {outcome.detail}")
    return outcome.detail


ACTIONS = (
    Probe("actions.open_app", "Settings is in front", _open_app),
    Probe("actions.open_app_unknown", "an app that is not there is rejected", _no_such_app),
    Probe("actions.click", "a tap on a row of Settings opens something", _click),
    Probe("actions.double_click", "a word in a field is selected", partial(_select_and_replace, kind=DoubleClick)),
    Probe("actions.long_press", "a word in a field is selected", partial(_select_and_replace, kind=LongPress)),
    Probe("actions.drag", "a drag from the top edge opens the shade", _drag),
    Probe("actions.scroll", "the view goes down and up again", partial(_scroll, there="down", back="up")),
    Probe("actions.type", f"the field holds {_WORD!r}", _type),
    Probe("actions.press_back", "another app is in front", _press_back),
    Probe("actions.press_home", "another app is in front", _press_home),
    Probe("actions.press_recents", "the screen shows something else", _press_recents),
    Probe("actions.press_enter", "a new line in a field of several lines", _press_enter),
    Probe("actions.press_delete", "the last letter of a field is gone", _press_delete),
    Probe("actions.press_menu", "the key is taken", partial(_taken, key="menu")),
    Probe("actions.press_tab", "the key is taken", partial(_taken, key="tab")),
    Probe("actions.press_escape", "the key is taken", partial(_taken, key="escape")),
    Probe("actions.press_power", "the screen goes off and on again", _press_power),
    Probe("actions.press_volume", "a volume changes and changes back", _volume),
    Probe("actions.wait", "half a second passes", _wait),
    Probe("actions.without_phone", "answer, call_user and finished send nothing", _untouched),
)

"""Every transcript of the corpus that `wm` and `dumpsys` wrote, read as its index says."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from agent_server.geometry import Size
from emulator_farm.devices import dumpsys
from emulator_farm.devices.dumpsys import Component, Display, UnexpectedReply

Transcript = Callable[[str], str]


def test_an_overridden_size_wins(transcript: Transcript) -> None:
    assert dumpsys.wm_size(transcript("wm_size_override.txt")) == Size(1080, 1920)


def test_a_physical_size(transcript: Transcript) -> None:
    assert dumpsys.wm_size(transcript("wm_size_physical.txt")) == Size(1080, 2400)


def test_density(transcript: Transcript) -> None:
    assert dumpsys.wm_density(transcript("wm_density.txt")) == 420
    assert dumpsys.wm_density("Physical density: 420\nOverride density: 320\n") == 320


def test_the_main_display_is_number_0_though_listed_second(transcript: Transcript) -> None:
    display = dumpsys.main_display(transcript("dumpsys_window_displays_two_displays.txt"))
    assert display == Display(Size(1080, 2400), rotation=0, density=320)


@pytest.mark.parametrize(
    ("line", "rotation"),
    [
        ("mRotation=1 mDeferredRotationPauseCount=0", 1),
        ("mCurrentRotation=ROTATION_270", 3),
        ("mRotation=ROTATION_180", 2),
        ("DisplayFrames w=2400 h=1080 r=1", 1),
        ("mUserRotation=ROTATION_90", 0),
        ("", 0),
    ],
)
def test_rotation_in_the_words_of_each_android(line: str, rotation: int) -> None:
    text = f"  Display: mDisplayId=0\n    init=1080x2400 420dpi cur=2400x1080 app=2274x1080\n    {line}\n"
    assert dumpsys.main_display(text) == Display(Size(2400, 1080), rotation, 420)


def test_the_viewport_of_a_cut_off_dump(transcript: Transcript) -> None:
    display = dumpsys.viewport(transcript("dumpsys_display_android12.txt"))
    assert display == Display(Size(1440, 2960), rotation=0, density=560)


def test_ids_of_physical_displays_keep_all_their_bits(transcript: Transcript) -> None:
    ids = dumpsys.physical_display_ids(transcript("surfaceflinger_display_ids_foldable.txt"))
    assert ids == [4630946219955703955, 4630946219955703956]


@pytest.mark.parametrize(
    ("name", "package", "activity"),
    [
        (
            "focus_window_emulator_paused_suffix.txt",
            "com.dtmilano.android.sampleui",
            "com.dtmilano.android.sampleui.MainActivity",
        ),
        ("focus_multi_display.txt", "eu.niko.smart.universal", "crc648a3abc16689e594e.MainActivity"),
        ("focus_nulls_then_window.txt", "com.YostarJP.BlueArchive", "com.yostarjp.bluearchive.MxUnityPlayerActivity"),
    ],
)
def test_the_app_in_front(transcript: Transcript, name: str, package: str, activity: str) -> None:
    assert dumpsys.focus(transcript(name)).component == Component(package, activity)


def test_nothing_in_front_is_none_and_not_an_error(transcript: Transcript) -> None:
    assert dumpsys.focus(transcript("focus_null.txt")) == dumpsys.Focus(None, None)


def test_below_a_window_of_the_system_the_app_is_still_in_front() -> None:
    text = (
        "  mCurrentFocus=Window{5d1f3c9 u0 NotificationShade}\n"
        "  mFocusedApp=ActivityRecord{14d88c3 u0 com.android.settings/.Settings t12}\n"
    )
    focus = dumpsys.focus(text)
    assert focus.component == Component("com.android.settings", "com.android.settings.Settings")
    assert focus.window == "NotificationShade"


def test_of_two_displays_the_main_one_counts() -> None:
    text = (
        "  Display: mDisplayId=2\n    mCurrentFocus=Window{1 u0 cover.app/.Cover}\n"
        "  Display: mDisplayId=0\n    mCurrentFocus=Window{2 u0 main.app/.Main}\n"
    )
    assert dumpsys.focus(text).component == Component("main.app", "main.app.Main")


def test_a_focus_printed_outside_the_displays_is_found() -> None:
    text = (
        "  Display: mDisplayId=0\n    cur=1x1\n  Display: mDisplayId=7\n  mCurrentFocus=Window{2 u0 main.app/.Main}\n"
    )
    assert dumpsys.focus(text).component == Component("main.app", "main.app.Main")


def test_the_keyboard(transcript: Transcript) -> None:
    assert dumpsys.keyboard_shown(transcript("input_method_shown.txt"))
    assert not dumpsys.keyboard_shown(transcript("input_method_hidden.txt"))


def test_power(transcript: Transcript) -> None:
    """`mWakefulnessChanging=false` is another field."""
    text = transcript("dumpsys_power_awake.txt")
    assert dumpsys.wakefulness(text) == "Awake"
    assert dumpsys.wakefulness("  mWakefulnessChanging=true\n  mWakefulness=Dozing\n") == "Dozing"
    assert dumpsys.battery_level(text) == 81


def test_the_battery(transcript: Transcript) -> None:
    assert dumpsys.battery_level(transcript("dumpsys_battery.txt")) == 87


@pytest.mark.parametrize(
    "parser",
    [
        dumpsys.wm_size,
        dumpsys.wm_density,
        dumpsys.main_display,
        dumpsys.viewport,
        dumpsys.focus,
        dumpsys.keyboard_shown,
        dumpsys.wakefulness,
        dumpsys.battery_level,
    ],
)
@pytest.mark.parametrize("text", ["", "Can't find service: window\n"])
def test_another_answer_is_an_error_that_quotes_it(parser: Callable[[str], object], text: str) -> None:
    with pytest.raises(UnexpectedReply, match=text.strip() or "nothing"):
        parser(text)


def test_components_are_written_out_in_full() -> None:
    assert Component.parse("a.b/.C") == Component("a.b", "a.b.C")
    assert str(Component.parse("a.b/c.D$E")) == "a.b/c.D$E"
    for text in ("a.b", "a.b/c d", "a/b/c", ""):
        with pytest.raises(UnexpectedReply):
            Component.parse(text)

"""What a system shows over an app that hangs or crashed."""

from __future__ import annotations

from typing import Any

import pytest

from emulator_farm.virtual.mishaps import Mishaps
from emulator_farm.virtual.screen import App

BACK = 4


@pytest.mark.parametrize(("value", "title"), [("anr", "isn't responding"), ("crash", "keeps stopping")])
def test_it_stays_until_a_button_is_pressed(hand: Any, value: str, title: str) -> None:
    hand.open("com.android.settings")
    Mishaps().change(hand.phone, "window", value)
    asked = [text for text in hand.texts() if title in text]
    assert len(asked) == 1
    hand.key(BACK)
    hand.phone.tap(540, 200)
    assert hand.see(text=asked[0])
    hand.tap(text="Close app")
    assert not hand.see(text=asked[0])


def test_an_app_with_an_icon_that_cannot_be_drawn_is_refused() -> None:
    with pytest.raises(ValueError, match=r"Hearts: there is no icon 'favorit'; did you mean favorite"):
        App("org.example.hearts", "Hearts", "favorit", (200, 30, 60), ())

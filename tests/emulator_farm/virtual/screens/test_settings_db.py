"""Settings: three namespaces of text, and the keyboards that live in two of them."""

import pytest

from emulator_farm.virtual.defaults import ADB_IME, LATIN_IME
from emulator_farm.virtual.ime import InputMethods, UnknownInputMethod
from emulator_farm.virtual.settings_db import SettingsDb


def test_put_get_delete() -> None:
    changes: list[tuple[str, str]] = []
    settings = SettingsDb(lambda namespace, key: changes.append((namespace, key)))
    changes.clear()
    assert settings.get("system", "nothing_here") is None
    settings.put("system", "nothing_here", "7")
    settings.put("system", "nothing_here", "7")
    assert settings.get("system", "nothing_here") == "7"
    assert settings.get_int("system", "nothing_here") == 7
    assert changes == [("system", "nothing_here")]
    assert settings.delete("system", "nothing_here") == 1
    assert settings.delete("system", "nothing_here") == 0


def test_numbers_that_are_none() -> None:
    settings = SettingsDb()
    settings.put("global", "odd", "a lot")
    assert settings.get_int("global", "odd", 3) == 3
    assert settings.get_int("global", "missing", 4) == 4


def test_items_are_sorted_and_reset_restores() -> None:
    settings = SettingsDb()
    before = settings.items("secure")
    assert before == sorted(before)
    settings.put("secure", "zzz", "1")
    settings.delete("secure", "android_id")
    settings.reset()
    assert settings.items("secure") == before


@pytest.mark.parametrize("call", ["get", "delete"])
def test_unknown_namespace_names_the_known_ones(call: str) -> None:
    with pytest.raises(ValueError, match="'systm', expected one of system, secure, global"):
        getattr(SettingsDb(), call)("systm", "x")


def test_keyboards() -> None:
    ime = InputMethods(SettingsDb())
    assert ime.enabled == [LATIN_IME, ADB_IME]
    assert ime.current == LATIN_IME
    assert ime.draws_keys
    assert not ime.shown
    assert not ime.enable(ADB_IME)
    ime.set(ADB_IME)
    assert not ime.draws_keys
    assert ime.disable(ADB_IME)
    assert not ime.disable(ADB_IME)
    assert ime.current == LATIN_IME
    with pytest.raises(UnknownInputMethod, match="AdbKeyboard"):
        ime.set(ADB_IME)
    assert ime.enable(ADB_IME)
    ime.set(ADB_IME)
    ime.reset()
    assert (ime.current, ime.enabled) == (LATIN_IME, [LATIN_IME, ADB_IME])
    with pytest.raises(UnknownInputMethod, match=r"unknown input method 'a/\.B'"):
        ime.enable("a/.B")


def test_last_keyboard_gone() -> None:
    ime = InputMethods(SettingsDb())
    ime.disable(ADB_IME)
    ime.disable(LATIN_IME)
    assert (ime.enabled, ime.current) == ([], "")

"""Home page and drawer."""

import pytest

LAUNCHER = "com.android.launcher3"


def all_labels(hand) -> list[str]:
    """What the drawer lists: every app but the launcher itself, by label."""
    apps = hand.phone.system.apps.values()
    return sorted((app.label for app in apps if app.package != LAUNCHER), key=str.lower)


def test_dock_opens_apps(hand) -> None:
    for label, package in (("Contacts", "com.android.contacts"), ("Clock", "com.android.deskclock")):
        hand.phone.go_home()
        hand.tap(desc=label)
        assert hand.phone.foreground().package == package


def test_drawer_by_swipe_and_by_handle(hand) -> None:
    hand.phone.swipe(540, 1500, 540, 600)
    labels = [node.text for node in hand.find_all(id="icon")]
    assert labels == all_labels(hand)
    assert {"Clock", "Contacts", "Notes", "Settings"} < set(labels)
    hand.key(4)
    assert not hand.see(id="apps_list_view")
    hand.tap(desc="Apps list")
    assert hand.see(id="apps_list_view")
    hand.phone.swipe(540, 900, 540, 1800)
    assert not hand.see(id="apps_list_view")
    hand.phone.swipe(540, 900, 900, 920)
    hand.phone.swipe(540, 600, 540, 1500)
    assert not hand.see(id="apps_list_view")


def test_searching_apps(hand) -> None:
    hand.tap(desc="Search")
    hand.phone.text("no")
    assert [node.text for node in hand.find_all(id="icon")] == ["Notes"]
    hand.tap(desc="Clear")
    assert len(hand.find_all(id="icon")) == len(all_labels(hand))
    hand.phone.text("zzz")
    assert hand.see(text='No apps found matching "zzz"')
    hand.key(66)
    assert hand.phone.foreground().package == LAUNCHER
    hand.phone.clear_text()
    hand.phone.text("sett\n")
    assert hand.phone.foreground().package == "com.android.settings"
    hand.key(3)
    assert not hand.see(id="apps_list_view")


def test_app_info_from_an_icon(hand) -> None:
    hand.hold(desc="Clock")
    hand.tap(text="App info")
    assert hand.phone.foreground().package == "com.android.settings"
    assert hand.find(id="entity_header_title").text == "Clock"


def test_installed_apps_appear_on_the_home_page(hand) -> None:
    from emulator_farm.virtual.intents import Component
    from emulator_farm.virtual.packages import Activity, Package

    assert not hand.see(text="Tool")
    own = Component("org.example.tool", "org.example.tool.Main")
    hand.phone.packages._installed["org.example.tool"] = Package(
        "org.example.tool", "Tool", system=False, activities=(Activity(own, launcher=True),)
    )
    hand.phone.invalidate()
    hand.tap(text="Tool")
    assert hand.phone.foreground() == own
    hand.key(187)
    assert hand.see(desc="Dismiss Tool")


@pytest.mark.parametrize("size", [(1080, 2400, 420), (2400, 1080, 420), (480, 800, 240), (720, 1280, 320)])
@pytest.mark.parametrize("scale", ["1.0", "2.0"])
def test_no_icon_of_the_home_page_is_cut(make_hand, size: tuple[int, int, int], scale: str) -> None:
    hand = make_hand(*size)
    hand.phone.settings.put("system", "font_scale", scale)
    icons = hand.find_all(id="icon")
    dock = hand.find(id="hotseat").bounds[1]
    heights = {node.bounds[3] - node.bounds[1] for node in icons if node.bounds[1] < dock}
    assert len(heights) == 1

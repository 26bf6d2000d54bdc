"""The package manager's records and component names."""

import pytest

from emulator_farm.virtual.defaults import ADB_IME, LATIN_IME
from emulator_farm.virtual.intents import Component
from emulator_farm.virtual.packages import PackageNotFound
from emulator_farm.virtual.phone import Phone


@pytest.mark.parametrize(
    ("text", "activity", "short"),
    [
        ("com.a/.B", "com.a.B", "com.a/.B"),
        ("com.a/com.a.b.C", "com.a.b.C", "com.a/.b.C"),
        ("com.a/org.b.C", "org.b.C", "com.a/org.b.C"),
    ],
)
def test_component_names(text: str, activity: str, short: str) -> None:
    component = Component.parse(text)
    assert (component.activity, component.short) == (activity, short)
    assert Component.parse(str(component)) == component


@pytest.mark.parametrize("text", ["", "com.a", "/.B", "com.a/"])
def test_bad_component_names(text: str) -> None:
    with pytest.raises(ValueError, match="not a component name"):
        Component.parse(text)


def test_shipped_apps_can_be_launched() -> None:
    packages = Phone().packages
    names = [package.name for package in packages.list()]
    assert names == sorted(names)
    for name in ("com.android.settings", "com.android.contacts", "com.android.deskclock", "org.virtual.notes"):
        launcher = packages.launcher(name)
        assert launcher is not None
        assert launcher.package == name
    assert packages.get("com.android.settings").system
    assert packages.launcher("com.no.such.app") is None


def test_the_system_has_packages_without_screens() -> None:
    phone = Phone()
    assert phone.packages.launcher("com.android.systemui") is None
    assert phone.ime.installed == [LATIN_IME, ADB_IME]
    phone.uninstall("com.github.uiautomator")
    assert phone.ime.installed == [LATIN_IME]
    phone.packages.install("com.github.uiautomator", "/data/app/u/base.apk")
    assert phone.ime.installed == [LATIN_IME, ADB_IME]


def test_install_update_uninstall() -> None:
    packages = Phone().packages
    package = packages.install("org.example.tool", "/data/app/tool/base.apk", "2.0", 20)
    assert not package.system
    assert (package.label, package.version_name, package.version_code) == ("Tool", "2.0", 20)
    packages.grant("org.example.tool", "android.permission.CAMERA")
    updated = packages.install("org.example.tool", "/data/app/tool2/base.apk", "3.0", 30)
    assert updated.uid == package.uid
    assert updated.permissions == {"android.permission.CAMERA"}
    packages.revoke("org.example.tool", "android.permission.CAMERA")
    assert packages.get("org.example.tool").permissions == frozenset()
    packages.uninstall("org.example.tool")
    assert packages.find("org.example.tool") is None
    for call in (packages.uninstall, packages.get):
        with pytest.raises(PackageNotFound, match=r"'org\.example\.tool' is not installed"):
            call("org.example.tool")
    with pytest.raises(PackageNotFound):
        packages.grant("org.example.tool", "x")


def test_reset_keeps_only_what_ships() -> None:
    packages = Phone().packages
    shipped = packages.list()
    packages.install("org.example.tool", "/data/app/tool/base.apk")
    packages.uninstall("com.android.contacts")
    packages.reset()
    assert packages.list() == shipped

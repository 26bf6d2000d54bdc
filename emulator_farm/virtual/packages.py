"""What is installed: packages, their activities, launcher components and granted permissions."""

from dataclasses import dataclass, field, replace

from .intents import Component


@dataclass(frozen=True)
class Activity:
    """One declared activity and the intents that it answers to."""

    component: Component
    actions: tuple[str, ...] = ()
    data_prefixes: tuple[str, ...] = ()
    """URI prefixes or MIME types accepted beside an action; empty = any."""
    launcher: bool = False


@dataclass(frozen=True)
class Package:
    """One installed package."""

    name: str
    label: str
    version_name: str = "14"
    version_code: int = 34
    system: bool = True
    apk_path: str = ""
    """Path of the APK on the phone, as `pm path` prints it."""
    uid: int = 10000
    activities: tuple[Activity, ...] = ()
    permissions: frozenset[str] = field(default_factory=frozenset)
    """Permissions now granted."""
    requested: tuple[str, ...] = ()
    """Runtime permissions that its manifest names."""
    once: frozenset[str] = field(default_factory=frozenset)
    """Granted permissions that end when the app is stopped."""
    refused: tuple[str, ...] = ()
    """Permissions that the user refused, one entry for each time."""

    @property
    def launcher(self) -> Component | None:
        """The activity with the LAUNCHER category, or None."""
        return next((activity.component for activity in self.activities if activity.launcher), None)


_SYSTEM = (
    ("android", "Android System", "/system/framework/framework-res.apk"),
    ("com.android.inputmethod.latin", "Android Keyboard (AOSP)", "/product/app/LatinIME/LatinIME.apk"),
    (
        "com.android.permissioncontroller",
        "Permission controller",
        "/apex/com.android.permission/priv-app/Permission.apk",
    ),
    ("com.android.providers.calendar", "Calendar Storage", "/system/priv-app/CalendarProvider/CalendarProvider.apk"),
    ("com.android.providers.contacts", "Contacts Storage", "/system/priv-app/ContactsProvider/ContactsProvider.apk"),
    ("com.android.providers.media", "Media Storage", "/apex/com.android.mediaprovider/priv-app/MediaProvider.apk"),
    ("com.android.providers.settings", "Settings Storage", "/system/priv-app/SettingsProvider/SettingsProvider.apk"),
    (
        "com.android.providers.telephony",
        "Phone and Messaging Storage",
        "/system/priv-app/TelephonyProvider/TelephonyProvider.apk",
    ),
    ("com.android.shell", "Shell", "/system/priv-app/Shell/Shell.apk"),
    ("com.android.systemui", "System UI", "/system_ext/priv-app/SystemUI/SystemUI.apk"),
)
SERVICES = (
    *(Package(name, label, apk_path=path, uid=10100 + index) for index, (name, label, path) in enumerate(_SYSTEM)),
    Package(
        "com.github.uiautomator",
        "uiautomator",
        "2.4.0",
        2400,
        False,
        "/data/app/com.github.uiautomator/base.apk",
        10190,
    ),
)
"""Packages without a screen: parts of the system, and uiautomator2's own with its keyboard."""


class PackageNotFound(LookupError):
    """No such package is installed."""

    def __init__(self, name: str) -> None:
        super().__init__(f"package {name!r} is not installed")
        self.name = name


class Packages:
    """The package manager's records, in the order of installation."""

    def __init__(self, shipped: tuple[Package, ...]) -> None:
        self._shipped = shipped
        self._installed: dict[str, Package] = {}
        self.reset()

    def reset(self) -> None:
        """Only what ships with the phone."""
        self._installed = {package.name: package for package in self._shipped}

    def list(self) -> "list[Package]":
        """All installed packages, sorted by name."""
        return sorted(self._installed.values(), key=lambda package: package.name)

    def find(self, name: str) -> Package | None:
        """The package, or None where it is not installed."""
        return self._installed.get(name)

    def get(self, name: str) -> Package:
        """The package; raises PackageNotFound."""
        package = self.find(name)
        if package is None:
            raise PackageNotFound(name)
        return package

    def install(self, name: str, apk_path: str, version_name: str = "1.0", version_code: int = 1) -> Package:
        """Record a user package (an update keeps activities and permissions); gives the new record."""
        old = self.find(name)
        package = Package(
            name=name,
            label=old.label if old else name.rsplit(".", 1)[-1].capitalize(),
            version_name=version_name,
            version_code=version_code,
            system=old.system if old else False,
            apk_path=apk_path,
            uid=old.uid if old else 10200 + len(self._installed),
            activities=old.activities if old else (),
            permissions=old.permissions if old else frozenset(),
            requested=old.requested if old else (),
        )
        self._installed[name] = package
        return package

    def uninstall(self, name: str) -> None:
        """Remove a package; raises PackageNotFound."""
        self.get(name)
        del self._installed[name]

    def grant(self, name: str, permission: str, once: bool = False) -> None:
        """Grant a permission, `once` until the app is stopped; raises PackageNotFound."""
        package = self.get(name)
        temporary = package.once | {permission} if once else package.once - {permission}
        refused = tuple(other for other in package.refused if other != permission)
        granted = package.permissions | {permission}
        self._installed[name] = replace(package, permissions=granted, once=temporary, refused=refused)

    def revoke(self, name: str, permission: str) -> None:
        """Take a permission away; raises PackageNotFound."""
        package = self.get(name)
        self._installed[name] = replace(
            package, permissions=package.permissions - {permission}, once=package.once - {permission}
        )

    def refuse(self, name: str, permission: str) -> None:
        """The user said no; raises PackageNotFound."""
        package = self.get(name)
        self._installed[name] = replace(package, refused=(*package.refused, permission))

    def refusals(self, name: str, permission: str) -> int:
        """How often the user said no since it was last granted; raises PackageNotFound."""
        return self.get(name).refused.count(permission)

    def end_once(self, name: str) -> None:
        """The app was stopped: what it was granted for one time is gone."""
        package = self.find(name)
        if package is not None and package.once:
            self._installed[name] = replace(package, permissions=package.permissions - package.once, once=frozenset())

    def forget_answers(self, name: str) -> None:
        """Its data were cleared: it has to ask for everything again; raises PackageNotFound."""
        shipped = next((each.permissions for each in self._shipped if each.name == name), frozenset())
        self._installed[name] = replace(self.get(name), permissions=shipped, once=frozenset(), refused=())

    def launcher(self, name: str) -> Component | None:
        """The launcher activity of a package; None where it has none or is not installed."""
        package = self.find(name)
        return package.launcher if package else None

    def activities(self) -> tuple[Activity, ...]:
        """Every activity of every package."""
        return tuple(activity for package in self.list() for activity in package.activities)

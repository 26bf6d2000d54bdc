"""The permissions of one app: what it may do, and a way to change it."""

from collections.abc import Sequence

from emulator_farm.virtual.apps.settings.page import Page, note, plain
from emulator_farm.virtual.dialogs import choice
from emulator_farm.virtual.material import section
from emulator_farm.virtual.permission_dialog import permission_label
from emulator_farm.virtual.widgets import Widget


class AppPermissions(Page):
    """Allowed and not allowed; the package comes as the extra `package`."""

    title = "App permissions"

    def rows(self) -> Sequence[Widget]:
        """One row for each permission that the app asks for or holds."""
        package = self.system.packages.find(self.intent.extras.get("package", ""))
        if package is None:
            return ()
        known = sorted({*package.requested, *package.permissions}, key=permission_label)
        allowed = [name for name in known if name in package.permissions]
        refused = [name for name in known if name not in package.permissions]
        rows: list[Widget] = [section("Allowed"), *(self._row(name, True) for name in allowed)]
        if not allowed:
            rows.append(note("No permissions allowed"))
        rows += [section("Not allowed"), *(self._row(name, False) for name in refused)]
        if not refused:
            rows.append(note("No permissions denied"))
        return rows

    def _row(self, permission: str, allowed: bool) -> Widget:
        name = self.intent.extras["package"]

        def choose(index: int) -> None:
            self.dismiss()
            if index == 0:
                self.system.packages.grant(name, permission)
            else:
                self.system.packages.revoke(name, permission)

        def ask() -> None:
            title = permission_label(permission)
            self.show(choice(title, ("Allow", "Don’t allow"), int(not allowed), choose, self.dismiss))

        return plain(permission_label(permission), on_tap=ask)

"""Below System: keyboards, and going back to how things were."""

from collections.abc import Sequence

from emulator_farm.virtual.apps.settings.page import Page, plain
from emulator_farm.virtual.apps.settings.wireless import CONNECTED
from emulator_farm.virtual.dialogs import confirm
from emulator_farm.virtual.material import section
from emulator_farm.virtual.widgets import Widget


class Keyboards(Page):
    """Ways to type."""

    title = "Keyboard"

    def rows(self) -> Sequence[Widget]:
        """On the screen, on the desk, while typing."""
        return (
            section("Keyboards"),
            plain("On-screen keyboard", "Android Keyboard (AOSP)", icon="keyboard"),
            self.link("Physical keyboard", PhysicalKeyboard, "Not connected", "keyboard"),
            section("Input assistance"),
            self.toggle("Spell checker", "secure/spell_checker_enabled"),
            self.choose(
                "Pointer speed", "system/pointer_speed", (("Normal", "0"), ("Slow", "-4"), ("Fast", "4")),
            ),
        )  # fmt: skip


class PhysicalKeyboard(Page):
    """Keys that can be touched."""

    title = "Physical keyboard"

    def rows(self) -> Sequence[Widget]:
        """Switch."""
        return (
            self.toggle(
                "Use on-screen keyboard", "secure/show_ime_with_hard_keyboard",
                "Keep it on screen while physical keyboard is active",
            ),
        )  # fmt: skip


class ResetOptions(Page):
    """What can be put back."""

    title = "Reset options"

    def rows(self) -> Sequence[Widget]:
        """Network settings."""
        return (plain("Reset Wi-Fi, mobile & Bluetooth", on_tap=self._ask, icon="restart_alt"),)

    def _ask(self) -> None:
        text = "This will reset all network settings, including those of Wi-Fi, mobile data and Bluetooth."
        self.show(confirm(text, "Reset settings", self._reset, self.dismiss, title="Reset network settings?"))

    def _reset(self) -> None:
        self.dismiss()
        system = self.system
        system.set_airplane(False)
        for key in ("wifi_on", "bluetooth_on", "mobile_data"):
            system.set_flag("global", key, True)
        for key in ("private_dns_mode", "restrict_background_data", CONNECTED):
            system.settings.delete("global", key)
        system.set_flag("global", "data_roaming", False)
        system.toast("Network settings have been reset")

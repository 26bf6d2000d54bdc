"""Connected devices: Bluetooth and its neighbours."""

from collections.abc import Sequence

from emulator_farm.virtual.apps.settings.page import Page, note, plain
from emulator_farm.virtual.dialogs import TextPrompt
from emulator_farm.virtual.material import main_switch, section
from emulator_farm.virtual.widgets import Widget


class Connected(Page):
    """Devices and how they connect."""

    title = "Connected devices"

    def rows(self) -> Sequence[Widget]:
        """Pairing and preferences."""
        on = self.system.flag("global", "bluetooth_on")
        return (
            plain("Pair new device", "" if on else "Bluetooth will turn on to pair", icon="add"),
            self.link("Connection preferences", Preferences, "Bluetooth, NFC", "devices_other"),
        )


class Preferences(Page):
    """Radios for devices."""

    title = "Connection preferences"

    def rows(self) -> Sequence[Widget]:
        """Bluetooth, NFC and the rest."""
        on = self.system.flag("global", "bluetooth_on")
        return (
            self.link("Bluetooth", Bluetooth, "On" if on else "Off", "bluetooth"),
            self.toggle(
                "NFC", "global/nfc_on", "Allow data exchange when the phone touches another device", icon="nfc"
            ),
            plain("Cast", icon="cast"),
            plain("Printing", "1 print service on", icon="print"),
        )


class Bluetooth(Page):
    """The Bluetooth switch."""

    title = "Bluetooth"

    def rows(self) -> Sequence[Widget]:
        """Switch, and the phone's name while it is on."""
        on = self.system.flag("global", "bluetooth_on")
        rows: list[Widget] = [main_switch("Use Bluetooth", on, self._switch)]
        if on:
            name = self.system.settings.get("secure", "bluetooth_name") or ""
            rows += [
                plain("Device name", name, on_tap=self._rename),
                section("Saved devices"),
                plain("Kitchen Speaker", icon="headphones"),
                note("When Bluetooth is on, your device can communicate with nearby Bluetooth devices."),
            ]
        else:
            rows.append(note("When Bluetooth is turned on, your device can communicate with other nearby devices."))
        return rows

    def _switch(self, on: bool) -> None:
        self.system.set_flag("global", "bluetooth_on", on)

    def _rename(self) -> None:
        name = self.system.settings.get("secure", "bluetooth_name") or ""
        self.show(TextPrompt("Rename this device", name, self._named, self.dismiss).popup())

    def _named(self, name: str) -> None:
        self.system.settings.put("secure", "bluetooth_name", name)
        self.dismiss()

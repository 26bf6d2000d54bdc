"""Below Internet and Network: one Wi-Fi network, preferences of Wi-Fi, the hotspot, mobile network."""

from collections.abc import Sequence

from emulator_farm.virtual.apps.settings.page import Page, note, plain
from emulator_farm.virtual.dialogs import TextPrompt
from emulator_farm.virtual.material import main_switch, switch_item
from emulator_farm.virtual.widgets import Widget

CONNECTED = "wifi_connected_ssid"
"""Our own key in `global`: the network that Wi-Fi uses when it is on."""
HOTSPOT, HOTSPOT_NAME, HOTSPOT_PASSWORD = "wifi_ap_on", "wifi_ap_ssid", "wifi_ap_passphrase"
"""Our own keys in `global`; Android keeps the hotspot's in a file of the Wi-Fi service."""
PASSWORD_LENGTH = 8
METERED = (("Detect automatically", "0"), ("Treat as metered", "1"), ("Treat as unmetered", "2"))
MACS = (("Use randomized MAC", "1"), ("Use device MAC", "0"))
NETWORK_TYPES = (("LTE", "9"), ("3G", "0"), ("2G", "1"), ("5G", "26"))


class WifiNetwork(Page):
    """The network that Wi-Fi uses, named by the extra `ssid`."""

    title = "Network details"

    def rows(self) -> Sequence[Widget]:
        """What it is, and how it may be used."""
        ssid = self.intent.extras["ssid"]
        return (
            plain(ssid, "Connected", icon="wifi"),
            plain("Signal strength", "Excellent"),
            plain("Security", "WPA2-Personal"),
            self.choose("Network usage", f"global/wifi_metered_{ssid.replace(' ', '_')}", METERED),
            self.choose("Privacy", "global/wifi_mac_randomization", MACS),
            plain("IP address", "10.0.2.16"),
        )


class NetworkPreferences(Page):
    """What Wi-Fi does by itself."""

    title = "Network preferences"

    def rows(self) -> Sequence[Widget]:
        """Switches."""
        return (
            self.toggle(
                "Turn on Wi-Fi automatically", "global/wifi_wakeup_enabled", "Near high-quality saved networks"
            ),
            self.toggle("Notify for public networks", "global/wifi_networks_available_notification_on"),
            plain("Install certificates"),
            plain("Wi-Fi Direct"),
        )


class Hotspot(Page):
    """The phone as an access point."""

    title = "Wi-Fi hotspot"

    def rows(self) -> Sequence[Widget]:
        """Switch, name, password."""
        on = self.system.flag("global", HOTSPOT)
        get = self.system.settings.get
        return (
            main_switch("Use Wi-Fi hotspot", on, lambda now: self.system.set_flag("global", HOTSPOT, now)),
            plain("Hotspot name", get("global", HOTSPOT_NAME) or "VirtualPhone", self._ask_name),
            plain("Security", "WPA2-Personal"),
            plain("Hotspot password", get("global", HOTSPOT_PASSWORD) or "cedar-41-lake", self._ask_password),
            self.toggle(
                "Turn off hotspot automatically", "global/soft_ap_timeout_enabled", "If no devices are connected"
            ),
        )

    def _ask_name(self) -> None:
        name = self.system.settings.get("global", HOTSPOT_NAME) or "VirtualPhone"
        self.show(TextPrompt("Hotspot name", name, self._name, self.dismiss).popup())

    def _name(self, name: str) -> None:
        self.system.settings.put("global", HOTSPOT_NAME, name)
        self.dismiss()

    def _ask_password(self) -> None:
        password = self.system.settings.get("global", HOTSPOT_PASSWORD) or "cedar-41-lake"
        self.show(TextPrompt("Hotspot password", password, self._password, self.dismiss).popup())

    def _password(self, password: str) -> None:
        if len(password) < PASSWORD_LENGTH:
            self.system.toast(f"Password must have at least {PASSWORD_LENGTH} characters")
            return
        self.system.settings.put("global", HOTSPOT_PASSWORD, password)
        self.dismiss()


class Tethering(Page):
    """Ways to share the connection."""

    title = "Hotspot & tethering"

    def rows(self) -> Sequence[Widget]:
        """The hotspot, and what is not there."""
        on = self.system.flag("global", HOTSPOT)
        return (
            self.link("Wi-Fi hotspot", Hotspot, "On" if on else "Off", "wifi_tethering"),
            switch_item("Bluetooth tethering", False, lambda now: None, enabled=False),
            note("Use hotspot and tethering to provide internet to other devices through your mobile data connection."),
        )


class MobileNetwork(Page):
    """The SIM's network."""

    title = "Mobile network"

    def rows(self) -> Sequence[Widget]:
        """Switches and the network type."""
        return (
            self.toggle("Mobile data", "global/mobile_data", "Access data using mobile network"),
            self.toggle("Roaming", "global/data_roaming", "Connect to data services when roaming"),
            self.choose("Preferred network type", "global/preferred_network_mode", NETWORK_TYPES),
            self.toggle("Wi-Fi calling", "global/wfc_ims_enabled"),
        )

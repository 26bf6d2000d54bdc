"""Network & internet: Wi-Fi, mobile data, airplane mode."""

from collections.abc import Sequence

from emulator_farm.virtual.apps.settings.page import Page, note, plain
from emulator_farm.virtual.apps.settings.wireless import (
    CONNECTED,
    HOTSPOT,
    MobileNetwork,
    NetworkPreferences,
    Tethering,
    WifiNetwork,
)
from emulator_farm.virtual.material import divider, icon_button, list_item, switch_item
from emulator_farm.virtual.widgets import Icon, Widget

NETWORKS = (("AndroidWifi", False), ("Corner Cafe", True), ("Library Guest", False), ("Maple Street 12", True))
"""Name, and whether it asks for a password."""
CARRIER = "T-Virtual"


class Network(Page):
    """Everything that connects."""

    title = "Network & internet"

    def rows(self) -> Sequence[Widget]:
        """Links and the airplane switch."""
        hotspot = self.system.flag("global", HOTSPOT)
        return (
            self.link("Internet", Internet, self._summary(), "wifi"),
            plain("Calls & SMS", "Unavailable" if self.system.airplane else CARRIER, icon="call"),
            self.link("SIMs", Sims, "Unavailable" if self.system.airplane else CARRIER, "sim_card"),
            switch_item("Airplane mode", self.system.airplane, self.system.set_airplane, icon="airplanemode_active"),
            self.link("Hotspot & tethering", Tethering, "On" if hotspot else "Off", "wifi_tethering"),
            self.toggle("Data Saver", "global/restrict_background_data", icon="data_usage"),
            plain("VPN", "None", icon="vpn_key"),
            self.choose("Private DNS", "global/private_dns_mode", (("Automatic", "opportunistic"), ("Off", "off"))),
        )

    def _summary(self) -> str:
        if self.system.flag("global", "wifi_on"):
            return self.system.settings.get("global", CONNECTED) or NETWORKS[0][0]
        if self.system.airplane or not self.system.flag("global", "mobile_data"):
            return "Not connected"
        return CARRIER


class Internet(Page):
    """The Wi-Fi switch and the networks in reach."""

    title = "Internet"

    def rows(self) -> Sequence[Widget]:
        """Mobile network, the switch, networks while it is on."""
        on = self.system.flag("global", "wifi_on")
        rows: list[Widget] = []
        if not self.system.airplane:
            data = self.system.flag("global", "mobile_data")
            state = "Mobile data is off" if not data else "Connected / LTE" if not on else "LTE"
            rows += [list_item(CARRIER, state, "signal_cellular_4_bar"), divider()]
        rows.append(self.toggle("Wi-Fi", "global/wifi_on"))
        if on:
            rows += [self._network(name, secured) for name, secured in NETWORKS]
            rows.append(plain("Add network", icon="add"))
        rows += [
            self.link("Network preferences", NetworkPreferences, "Wi-Fi turns back on automatically"),
            plain("Saved networks", "1 network"),
            plain("Non-carrier data usage", "0 B used", enabled=False),
        ]
        if not on:
            rows.append(
                note(
                    "To improve device experience, apps and services can still scan for Wi-Fi networks at any time, "
                    "even when Wi-Fi is off. You can change this in Wi-Fi scanning settings."
                )
            )
        return rows

    def _network(self, name: str, secured: bool) -> Widget:
        current = self.system.settings.get("global", CONNECTED) or NETWORKS[0][0]
        end: Widget | None = Icon(name="lock", size=20) if secured else None
        if name == current:
            end = icon_button(
                "settings", "Network details", lambda: self.open(WifiNetwork, ssid=name), "settings_button"
            )
        return list_item(
            name, "Connected" if name == current else "", "wifi", trailing=end,
            on_tap=lambda: self.system.settings.put("global", CONNECTED, name),
        )  # fmt: skip


class Sims(Page):
    """The SIM card and mobile data."""

    title = "SIMs"

    def rows(self) -> Sequence[Widget]:
        """Carrier and switches."""
        return (
            self.link(CARRIER, MobileNetwork, "Active / Default for calls and SMS", "sim_card"),
            self.toggle("Mobile data", "global/mobile_data", "Access data using mobile network"),
            self.toggle("Roaming", "global/data_roaming", "Connect to data services when roaming"),
        )

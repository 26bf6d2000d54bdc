"""Settings: pages bound to the phone's real setting keys, so `settings put` and a tap mean the same."""

from emulator_farm.virtual.apps.settings.about import About, Developer, Languages
from emulator_farm.virtual.apps.settings.app_info import AllApps, AppInfo
from emulator_farm.virtual.apps.settings.connected import Bluetooth
from emulator_farm.virtual.apps.settings.date_time import DateTime
from emulator_farm.virtual.apps.settings.display import Display
from emulator_farm.virtual.apps.settings.more import Accessibility, Battery, Location, Notifications, Privacy, Security
from emulator_farm.virtual.apps.settings.more import Storage as StoragePage
from emulator_farm.virtual.apps.settings.network import Internet, Network
from emulator_farm.virtual.apps.settings.root import Root, Search
from emulator_farm.virtual.apps.settings.sound import DoNotDisturb, Sound
from emulator_farm.virtual.apps.settings.stored import SettingsProvider
from emulator_farm.virtual.screen import App, Entry

_SETTINGS = "android.settings."


def _page(name: str, screen: type, *actions: str, data: tuple[str, ...] = ()) -> Entry:
    return Entry(f".Settings${name}Activity", screen, tuple(_SETTINGS + action for action in actions), data)


APP = App(
    package="com.android.settings",
    label="Settings",
    icon="settings",
    color=(95, 99, 104),
    apk="/system_ext/priv-app/Settings/Settings.apk",
    providers=(SettingsProvider,),
    entries=(
        Entry(".Settings", Root, (_SETTINGS + "SETTINGS",), launcher=True),
        Entry(".search.SearchActivity", Search, (_SETTINGS + "APP_SEARCH_SETTINGS",)),
        _page("WifiSettings", Internet, "WIFI_SETTINGS", "panel.action.INTERNET_CONNECTIVITY"),
        _page("NetworkDashboard", Network, "WIRELESS_SETTINGS", "AIRPLANE_MODE_SETTINGS", "NETWORK_OPERATOR_SETTINGS"),
        _page("BluetoothSettings", Bluetooth, "BLUETOOTH_SETTINGS"),
        _page("DisplaySettings", Display, "DISPLAY_SETTINGS"),
        _page("SoundSettings", Sound, "SOUND_SETTINGS"),
        _page("ZenModeSettings", DoNotDisturb, "ZEN_MODE_SETTINGS"),
        _page("DateTimeSettings", DateTime, "DATE_SETTINGS"),
        _page("LanguageAndInputSettings", Languages, "LOCALE_SETTINGS"),
        _page("MyDeviceInfo", About, "DEVICE_INFO_SETTINGS"),
        _page("DevelopmentSettingsDashboard", Developer, "APPLICATION_DEVELOPMENT_SETTINGS"),
        _page("ManageApplications", AllApps, "APPLICATION_SETTINGS", "MANAGE_APPLICATIONS_SETTINGS"),
        _page("AppDetails", AppInfo, "APPLICATION_DETAILS_SETTINGS", data=("package:",)),
        _page("LocationSettings", Location, "LOCATION_SOURCE_SETTINGS"),
        _page("AccessibilitySettings", Accessibility, "ACCESSIBILITY_SETTINGS"),
        _page("SecuritySettings", Security, "SECURITY_SETTINGS"),
        _page("PrivacyDashboard", Privacy, "PRIVACY_SETTINGS"),
        _page("StorageDashboard", StoragePage, "INTERNAL_STORAGE_SETTINGS"),
        _page("PowerUsageSummary", Battery, "BATTERY_SAVER_SETTINGS"),
        _page("ConfigureNotificationSettings", Notifications, "NOTIFICATION_SETTINGS"),
    ),
)

"""Rebuild the fonts in this folder from the published ones. Needed only to change the set of characters or icons.

Run in a virtualenv with `fonttools` and `brotli`:

    npm pack @expo-google-fonts/roboto@0.4.3 material-symbols@0.47.5   # unpack both
    python build.py ROBOTO_PACKAGE_DIR SYMBOLS_PACKAGE_DIR

Roboto is subset to Latin, Greek, Cyrillic, punctuation, currency and arrows; layout features are dropped because the
phone draws with Pillow's basic layout. Material Symbols becomes two static fonts, outlined and filled.
"""

import shutil
import sys
from pathlib import Path

from fontTools.subset import Options, Subsetter
from fontTools.ttLib import TTFont
from fontTools.varLib.instancer import instantiateVariableFont

HERE = Path(__file__).parent
WEIGHTS = {"regular": "400Regular", "medium": "500Medium", "bold": "700Bold"}
UNICODES = [
    *range(0x20, 0x7F),
    *range(0xA0, 0x180),
    0x192,
    *range(0x218, 0x21C),
    *range(0x2C6, 0x2DE),
    *range(0x370, 0x400),
    *range(0x400, 0x530),
    *range(0x1E80, 0x1E86),
    *range(0x1EA0, 0x1EFA),
    *range(0x2000, 0x2070),
    *range(0x2070, 0x2090),
    *range(0x20A0, 0x20C0),
    *range(0x2100, 0x2150),
    *range(0x2150, 0x2190),
    *range(0x2190, 0x2200),
    *range(0x2200, 0x2270),
    *range(0x25A0, 0x2600),
    0x2713,
    0xFFFD,
]
ICONS = """
accessibility_new account_circle add airplanemode_active alarm alarm_add alarm_off android apps arrow_back arrow_downward
arrow_drop_down arrow_forward arrow_upward article assistant backspace backup battery_5_bar battery_alert
battery_charging_full battery_full battery_saver block bluetooth bluetooth_connected brightness_6 bug_report build
cake calculate calendar_month calendar_today call camera cancel cast chat check check_box check_box_outline_blank
check_circle chevron_left chevron_right circle clear_all close code contacts contrast dark_mode data_usage delete
description desktop_windows mobile_code devices devices_other dialpad directions_car display_settings
do_not_disturb_on download drag_handle edit emergency encrypted error event expand_less expand_more
face favorite file_copy filter_alt fingerprint flag flashlight_on flight folder font_download format_size fullscreen
g_translate globe grid_view group handshake headphones help history home hourglass_bottom hourglass_empty image info
mobile_ticket interests inventory_2 key keyboard keyboard_arrow_down keyboard_arrow_left keyboard_arrow_right
keyboard_arrow_up keyboard_backspace keyboard_capslock keyboard_hide keyboard_return label language open_in_new light_mode link
list location_off place lock lock_open login logout mail manage_accounts map medical_services memory menu mic
 more_horiz more_vert mouse movie music_note network_cell network_wifi nfc  note_add notes
notifications notifications_active notifications_off palette pause person person_add mobile_2 photo_camera
photo_library pin play_arrow power_settings_new print priority_high privacy_tip public push_pin qr_code_scanner
question_mark radio_button_checked radio_button_unchecked refresh remove replay report restart_alt
save schedule  mobile_rotate screenshot sd_card search security send sensors settings
settings_accessibility settings_applications share shield shopping_cart signal_cellular_4_bar signal_cellular_off
signal_wifi_4_bar signal_wifi_off sim_card skip_next mobile smart_display snooze sort space_bar star stop storage
store support sync  mobile_arrow_down tab tag text_fields theaters thumb_up timer timer_off title today toggle_on touch_app
translate tune undo update usb verified_user mobile_vibrate videocam view_agenda view_list visibility visibility_off
volume_down volume_mute volume_off volume_up vpn_key wallpaper warning watch wb_sunny wifi wifi_find wifi_off
wifi_tethering work zoom_in shift adb accessibility hearing mood sentiment_satisfied
nature_people bedtime
""".split()


def subset(font: TTFont, unicodes: list[int]) -> None:
    """Keep only these code points, no layout features."""
    options = Options()
    options.layout_features = []
    options.name_IDs = [0, 1, 2, 4, 5, 6, 13, 14]
    options.notdef_outline = True
    options.drop_tables += ["GSUB", "GPOS", "GDEF", "STAT"]
    subsetter = Subsetter(options)
    subsetter.populate(unicodes=unicodes)
    subsetter.subset(font)


def build_roboto(source: Path) -> None:
    """Three weights of Roboto and their licence."""
    for weight, folder in WEIGHTS.items():
        font = TTFont(source / folder / f"Roboto_{folder}.ttf")
        subset(font, UNICODES)
        font.save(HERE / f"roboto_{weight}.ttf")
    shutil.copyfile(source / "LICENSE_FONT", HERE / "LICENSE-Roboto.txt")


def build_symbols(source: Path) -> None:
    """Outlined and filled icons, the table of their code points, and the licence."""
    points: dict[str, int] = {}
    for face, fill in (("outlined", 0), ("filled", 1)):
        font = TTFont(source / "material-symbols-outlined.woff2")
        by_name = {glyph: point for point, glyph in sorted(font.getBestCmap().items(), reverse=True)}
        unknown = [name for name in ICONS if name not in by_name]
        if unknown:
            raise SystemExit(f"not in the font: {' '.join(unknown)}")
        points = {name: by_name[name] for name in ICONS}
        font = instantiateVariableFont(font, {"FILL": fill, "wght": 400, "GRAD": 0, "opsz": 24})
        font.flavor = None
        subset(font, list(points.values()))
        font.save(HERE / f"symbols_{face}.ttf")
    lines = [f"{name} {point:x}\n" for name, point in sorted(points.items())]
    (HERE / "symbols.txt").write_text("".join(lines), encoding="ascii")
    shutil.copyfile(source / "LICENSE", HERE / "LICENSE-MaterialSymbols.txt")


if __name__ == "__main__":
    build_roboto(Path(sys.argv[1]))
    build_symbols(Path(sys.argv[2]))

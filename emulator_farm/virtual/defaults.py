"""Factory state of a phone: settings and system properties of a plain Android 14 emulator."""

LAUNCHER = "com.android.launcher3"
LATIN_IME = "com.android.inputmethod.latin/.LatinIME"
ADB_IME = "com.github.uiautomator/.AdbKeyboard"
ADBKEYBOARD_IME = "com.android.adbkeyboard/.AdbIME"
"""Not shipped: there where its APK was installed."""

FACTORY_SETTINGS: dict[str, dict[str, str]] = {
    "system": {
        "accelerometer_rotation": "0",
        "alarm_alert": "content://media/internal/audio/media/12",
        "dim_screen": "1",
        "dtmf_tone": "1",
        "font_scale": "1.0",
        "haptic_feedback_enabled": "1",
        "notification_sound": "content://media/internal/audio/media/31",
        "pointer_location": "0",
        "ringtone": "content://media/internal/audio/media/47",
        "screen_brightness": "102",
        "screen_brightness_mode": "0",
        "screen_off_timeout": "60000",
        "show_touches": "0",
        "sound_effects_enabled": "1",
        "time_12_24": "12",
        "user_rotation": "0",
        "vibrate_on": "1",
        "vibrate_when_ringing": "0",
        "volume_alarm": "6",
        "volume_music_speaker": "5",
        "volume_notification": "5",
        "volume_ring": "5",
        "volume_system": "7",
        "volume_voice": "4",
    },
    "secure": {
        "accessibility_enabled": "0",
        "android_id": "9f3c2a7be41d0586",
        "bluetooth_name": "Virtual Phone",
        "default_input_method": LATIN_IME,
        "enabled_input_methods": f"{LATIN_IME}:{ADB_IME}",
        "location_mode": "3",
        "lockscreen.disabled": "1",
        "navigation_mode": "0",
        "screensaver_enabled": "1",
        "show_ime_with_hard_keyboard": "1",
        "stylus_handwriting_enabled": "0",
        "ui_night_mode": "1",
        "user_setup_complete": "1",
    },
    "global": {
        "adb_enabled": "1",
        "airplane_mode_on": "0",
        "airplane_mode_radios": "cell,bluetooth,wifi,nfc,wimax",
        "animator_duration_scale": "1.0",
        "auto_time": "1",
        "auto_time_zone": "1",
        "bluetooth_on": "1",
        "data_roaming": "0",
        "development_settings_enabled": "0",
        "device_name": "Virtual Phone",
        "device_provisioned": "1",
        "low_power": "0",
        "mobile_data": "1",
        "mode_ringer": "2",
        "stay_on_while_plugged_in": "0",
        "transition_animation_scale": "1.0",
        "wifi_on": "1",
        "wifi_sleep_policy": "2",
        "window_animation_scale": "1.0",
        "zen_mode": "0",
    },
}

MODEL = "Virtual Phone"
BUILD_NUMBER = "UP1A.231105.003"


def factory_props(serial: str, density: int) -> dict[str, str]:
    """System properties of a phone with this serial and panel density, as `getprop` lists them."""
    fingerprint = f"virtual/virtual_phone/virtual:14/{BUILD_NUMBER}/1:userdebug/test-keys"
    return {
        "dev.bootcomplete": "1",
        "init.svc.bootanim": "stopped",
        "persist.sys.locale": "en-US",
        "persist.sys.timezone": "UTC",
        "ro.boot.qemu": "1",
        "ro.build.characteristics": "emulator",
        "ro.build.display.id": BUILD_NUMBER,
        "ro.build.fingerprint": fingerprint,
        "ro.build.id": BUILD_NUMBER,
        "ro.build.tags": "test-keys",
        "ro.build.type": "userdebug",
        "ro.build.version.release": "14",
        "ro.build.version.sdk": "34",
        "ro.build.version.security_patch": "2023-11-05",
        "ro.debuggable": "1",
        "ro.hardware": "virtual",
        "ro.product.brand": "Virtual",
        "ro.product.cpu.abi": "x86_64",
        "ro.product.cpu.abilist": "x86_64,arm64-v8a",
        "ro.product.device": "virtual",
        "ro.product.locale": "en-US",
        "ro.product.manufacturer": "Virtual",
        "ro.product.model": MODEL,
        "ro.product.name": "virtual_phone",
        "ro.secure": "1",
        "ro.serialno": serial,
        "ro.sf.lcd_density": str(density),
        "sys.boot_completed": "1",
    }

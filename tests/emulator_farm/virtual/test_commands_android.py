"""The tools of Android itself, against their real wording."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Out = Callable[[str], str]
Sh = Any

SETTINGS = "com.android.settings/.Settings"
LAUNCHER = "-a android.intent.action.MAIN -c android.intent.category.LAUNCHER"


@pytest.fixture
def corpus() -> Callable[[str], str]:
    """What a real phone wrote, by file name."""
    folder = Path(__file__).parents[2] / "corpus" / "transcripts"
    return lambda name: (folder / name).read_text()


class TestWm:
    def test_size(self, out: Out, corpus: Callable[[str], str]) -> None:
        assert out("wm size") == corpus("wm_size_physical.txt").strip() + "\n"
        assert out("wm size 1080x1920; wm size").strip() == corpus("wm_size_override.txt").strip()
        assert out("screencap | head -c 8 | base64") == "OAQAAIAHAAA=\n"
        assert out("wm size reset; wm size") == "Physical size: 1080x2400\n"
        assert out("wm size 200dpx400dp; wm size -d 0; wm size 1080x2400; wm size") == (
            "Physical size: 1080x2400\nOverride size: 525x1050\nPhysical size: 1080x2400\n"
        )

    def test_density(self, out: Out, corpus: Callable[[str], str]) -> None:
        assert out("wm density").strip() == corpus("wm_density.txt").strip()
        assert out("wm density 320; wm density; wm density reset; wm density") == (
            "Physical density: 420\nOverride density: 320\nPhysical density: 420\n"
        )
        assert out("wm density 420; wm density") == "Physical density: 420\n"

    def test_rotation(self, out: Out) -> None:
        assert out("wm user-rotation; wm user-rotation lock 1; wm user-rotation") == "lock 0\nlock 1\n"
        assert "orientation=1" in out("dumpsys display")
        assert out("screencap | head -c 8 | base64") == "YAkAADgEAAA=\n"
        assert out("wm user-rotation free; wm user-rotation; settings get system accelerometer_rotation") == "free\n1\n"

    @pytest.mark.parametrize(
        ("script", "error"),
        [
            ("wm size big", "Error: bad size 'big'"),
            ("wm size 0x0", "Error: bad size '0x0'"),
            ("wm size 99999x1", "Error: bad size '99999x1'"),
            ("wm density x", "Error: bad number 'x'"),
            ("wm density 71", "Error: density must be >= 72"),
            ("wm size -d 3", "Error: unknown display 3"),
            ("wm nosuch", "Unknown command: nosuch"),
            (
                "wm user-rotation lock 7",
                "Error: argument needs to be either 'free' or 'lock' and 0-3, not 'lock 7'",
            ),
        ],
    )
    def test_mistakes(self, sh: Sh, script: str, error: str) -> None:
        result = sh(script)
        assert (result.code, result.out + result.err) == (255, error + "\n")

    def test_usage(self, sh: Sh) -> None:
        assert sh("wm").code == 255
        assert "density [reset|DENSITY]" in sh("wm help").out
        assert sh("wm dismiss-keyguard; cmd window size").out == "Physical size: 1080x2400\n"


class TestAmStart:
    def test_the_forms_of_a_start(self, sh: Sh) -> None:
        cold = sh(f"am start -W -n {SETTINGS}")
        assert re.fullmatch(
            r"Starting: Intent \{ cmp=com\.android\.settings/\.Settings \}\nStatus: ok\nLaunchState: COLD\n"
            r"Activity: com\.android\.settings/\.Settings\nTotalTime: \d+\nWaitTime: \d+\nComplete\n",
            cold.out,
        )
        assert cold.code == 0
        again = sh(f"am start -n {SETTINGS}")
        assert again.out == "Starting: Intent { cmp=com.android.settings/.Settings }\n"
        assert again.err.startswith("Warning: Activity not started, ")
        hot = sh(f"input keyevent HOME; am start -W -n {SETTINGS}")
        assert "LaunchState: HOT" in hot.out

    def test_brought_to_front_reads_as_on_a_real_phone(self, sh: Sh, corpus: Callable[[str], str]) -> None:
        sh(f"am start -n {SETTINGS}; input keyevent 3")
        result = sh(f"am start -n {SETTINGS} 2>&1")
        assert result.out.splitlines()[1] == corpus("am_start_brought_to_front.txt").splitlines()[1]

    def test_a_missing_activity_reads_as_on_a_real_phone(self, sh: Sh, corpus: Callable[[str], str]) -> None:
        result = sh(f"am start {LAUNCHER} -n com.android.launcher3/.ToggleWeightWatcher 2>&1")
        assert result.out.strip() == corpus("am_start_error_type3.txt").strip()
        assert result.code == 0

    def test_an_intent_nobody_answers(self, sh: Sh) -> None:
        result = sh("am start -a android.intent.action.VIEW -d sip:5551234")
        assert result.out == "Starting: Intent { act=android.intent.action.VIEW dat=sip:xxxxxxx }\n"
        assert result.err.startswith("Error: Activity not started, unable to resolve Intent { act=")

    @pytest.mark.parametrize(
        ("arguments", "shown"),
        [
            (f"{LAUNCHER} -n {SETTINGS}",
             "act=android.intent.action.MAIN cat=[android.intent.category.LAUNCHER] "
             "cmp=com.android.settings/.Settings"),
            ("-a X -t text/plain -p com.x -f 0x10000000", "act=X typ=text/plain flg=0x10000000 pkg=com.x"),
            ("-a X --es a b --ei n 5 --ez t true --el l 1 --ef f 1.5 --esn z", "act=X (has extras)"),
            ("-a X --eia n 1,2 --esa s a,b", "act=X (has extras)"),
            ("-a X --activity-clear-top --activity-single-top", "act=X flg=0x24000000"),
            ("-a X -d http://h.example/path?q", "act=X dat=http://h.example/..."),
            ("https://h.example", "act=android.intent.action.VIEW dat=https://h.example"),
            ("mailto:a@b.c", "act=android.intent.action.VIEW dat=mailto:x@x.x"),
            ("com.android.settings",
             "act=android.intent.action.MAIN cat=[android.intent.category.LAUNCHER] pkg=com.android.settings"),
            (SETTINGS, "act=android.intent.action.MAIN cat=[android.intent.category.LAUNCHER] "
             "cmp=com.android.settings/.Settings"),
            ("--user 0 -D --display 0 -n a.b/c.D", "cmp=a.b/c.D"),
        ],
    )  # fmt: skip
    def test_how_an_intent_is_shown(self, sh: Sh, arguments: str, shown: str) -> None:
        assert sh(f"am start {arguments}").out == f"Starting: Intent {{ {shown} }}\n"

    @pytest.mark.parametrize(
        ("script", "error"),
        [
            ("am start", "No intent supplied"),
            ("am start -n nonsense", "Bad component name: nonsense"),
            ("am start -n", 'Argument expected after "-n"'),
            ("am start -a X --ei n five", 'NumberFormatException: For input string: "five"'),
            ("am start -a X --ez b maybe", "Invalid boolean value: maybe"),
            ("am start -a X --frob", "Error: Unknown option: --frob"),
            ("am nosuch", "Unknown command: nosuch"),
            ("am force-stop", 'Argument expected after "force-stop"'),
            ("am instrument", 'Argument expected after "instrument"'),
            ("am stack move-task", "Error: unknown command for stack; only 'list' and 'remove' are there"),
            ("am stack remove", 'Argument expected after "remove"'),
            ("am stack remove x", 'For input string: "x"'),
        ],
    )
    def test_mistakes(self, sh: Sh, script: str, error: str) -> None:
        result = sh(script)
        assert result.code == 255
        assert error in result.out + result.err

    def test_stopping_first(self, sh: Sh) -> None:
        sh(f"am start -n {SETTINGS}")
        result = sh(f"am start -S -W -n {SETTINGS}")
        assert result.out.startswith("Stopping: com.android.settings\nStarting: ")
        assert "LaunchState: COLD" in result.out

    def test_force_stop_and_kill_all(self, sh: Sh, out: Out) -> None:
        sh(f"am start -n {SETTINGS}")
        assert out("pidof com.android.settings").strip().isdecimal()
        out("am force-stop --user 0 com.android.settings")
        assert sh("pidof com.android.settings").code == 1
        sh(f"am start -n {SETTINGS}; input keyevent 3; am kill-all")
        assert sh("pidof com.android.settings").code == 1
        sh(f"am start -n {SETTINGS}; kill $(su 0 pidof com.android.settings)")
        assert sh("pidof com.android.settings").code == 0
        out("su 0 kill $(pidof com.android.settings)")
        assert sh("pidof com.android.settings").code == 1


class TestAmRest:
    def test_broadcast(self, out: Out) -> None:
        assert out("am broadcast -a NOBODY.CARES --es k v") == (
            "Broadcasting: Intent { act=NOBODY.CARES flg=0x400000 (has extras) }\nBroadcast completed: result=0\n"
        )

    def test_services_and_instrumentation_are_not_there(self, sh: Sh) -> None:
        service = sh("am startservice -n com.x/.Y")
        assert service.out == "Starting service: Intent { cmp=com.x/.Y }\n"
        assert service.err == "Error: Not found; no service started.\n"
        assert "was not running" in sh("am stopservice -n com.x/.Y").err
        result = sh("am instrument -w -r -e debug false com.x.test/androidx.test.Runner")
        assert result.code == 1
        assert "INSTRUMENTATION_STATUS_CODE: -1" in result.out
        assert "INSTRUMENTATION_FAILED: com.x.test/androidx.test.Runner" in result.err

    def test_configuration(self, out: Out) -> None:
        config = out("am get-config")
        assert config.startswith("config: mcc310-mnc260-en-rUS-ldltr-sw411dp-w411dp-h914dp-")
        assert "-port-notnight-420dpi-" in config
        assert "-land-night-" in out("cmd uimode night yes > /dev/null; wm user-rotation lock 1; am get-config")
        assert out("am get-current-user; am wait-for-broadcast-idle; am send-trim-memory x y") == (
            "0\nAll broadcast queues are idle!\n"
        )

    def test_stack_list(self, sh: Sh, out: Out) -> None:
        sh(f"am start -n {SETTINGS}")
        text = out("am stack list")
        assert re.search(r"taskId=\d+: com\.android\.settings/\S+ bounds=.* visible=true", text)
        assert text.count("RootTask id=") == 2

    def test_usage(self, sh: Sh) -> None:
        assert sh("am").code == 255
        assert "start-activity" in sh("am help").out


class TestMonkey:
    def test_opens_an_app(self, sh: Sh, out: Out) -> None:
        text = out("monkey -p com.android.settings -c android.intent.category.LAUNCHER 1")
        assert text.startswith("  bash arg: -p\n  bash arg: com.android.settings\n")
        assert "Events injected: 1\n## Network stats: elapsed time=" in text
        assert "com.android.settings" in out("dumpsys window | grep mCurrentFocus")

    def test_an_absent_app_reads_as_on_a_real_phone(self, sh: Sh, corpus: Callable[[str], str]) -> None:
        result = sh("monkey -p com.no.such 1")
        assert result.code == 252
        assert result.out.splitlines()[-1] == corpus("monkey_none.txt").strip()

    def test_many_events_by_seed(self, sh: Sh) -> None:
        result = sh("monkey -p com.android.settings -s 5 --throttle 1 --pct-touch 100 -v 6")
        assert (result.code, "Events injected: 6" in result.out) == (0, True)

    @pytest.mark.parametrize("script", ["monkey", "monkey -p", "monkey -p x many", "monkey -s x 1"])
    def test_mistakes(self, sh: Sh, script: str) -> None:
        result = sh(script)
        assert (result.code, result.err.startswith("** Error: ")) == (255, True)


class TestSettings:
    def test_values(self, out: Out) -> None:
        assert out("settings get system nosuch") == "null\n"
        assert out("settings put system my_key 'a b'; settings get SYSTEM my_key") == "a b\n"
        assert out("settings list system | grep my_key") == "my_key=a b\n"
        assert out("settings delete system my_key; settings delete system my_key") == "Deleted 1 rows\nDeleted 0 rows\n"
        assert out("settings --user 0 put secure k v; settings get --user current secure k") == "v\n"
        assert out("cmd settings get global airplane_mode_on; settings reset secure trusted_defaults") == "0\n"
        assert out("settings put global a b tag default; settings get global a") == "b\n"

    @pytest.mark.parametrize(
        ("script", "error"),
        [
            ("settings get nowhere k", "Invalid namespace 'nowhere'"),
            ("settings get system", "Bad arguments"),
            ("settings put system k", "Bad arguments"),
            ("settings list", "Missing namespace"),
            ("settings nosuch system", "Unknown command: nosuch"),
            ("settings --user 10 get system k", "Error: this phone has no user 10"),
            ("settings reset system nosuch.package", "Invalid reset mode or unknown package 'nosuch.package'"),
        ],
    )
    def test_mistakes(self, sh: Sh, script: str, error: str) -> None:
        result = sh(script)
        assert (result.code, result.out + result.err) == (255, error + "\n")

    def test_usage(self, sh: Sh) -> None:
        assert sh("settings").code == 255
        assert "NAMESPACE is one of" in sh("settings help").out


class TestContent:
    def test_no_rows_read_as_on_a_real_phone(self, out: Out, corpus: Callable[[str], str]) -> None:
        text = out("content query --uri content://settings/system --where \"name='nosuch'\"")
        assert text.strip() == corpus("content_query_none.txt").strip()

    def test_rows(self, out: Out) -> None:
        out(
            "content insert --uri content://com.android.contacts/raw_contacts "
            "--bind account_type:s:t --bind starred:i:1"
        )
        rows = out(
            "content query --uri content://com.android.contacts/raw_contacts "
            "--projection _id:account_type:starred --where \"account_type='t'\" --sort '_id DESC'"
        )
        assert re.fullmatch(r"Row: 0 _id=\d+, account_type=t, starred=1\n", rows)

    def test_update_and_delete(self, out: Out) -> None:
        uri = "content://settings/system"
        out(f"content insert --uri {uri} --bind name:s:my_key --bind value:s:'a, b=c'")
        query = f"content query --uri {uri} --user 0 --projection name:value --where \"name='my_key'\""
        assert out(query) == "Row: 0 name=my_key, value=a, b=c\n"
        out(f"content update --uri {uri} --bind value:i:7 --where \"name='my_key'\"")
        assert out(query) == "Row: 0 name=my_key, value=7\n"
        out(f"content delete --uri {uri} --where \"name='my_key'\"")
        assert out(query) == "No result found.\n"

    def test_what_the_provider_refuses(self, sh: Sh) -> None:
        result = sh("content query --uri content://no.such/x")
        assert (result.code, result.out) == (0, "")
        assert result.err == (
            "Error while accessing provider:no.such\n"
            "java.lang.IllegalStateException: Could not find provider: no.such\n"
        )
        bad = sh("content query --uri content://settings/system --where 'nonsense ('")
        assert bad.err.startswith("Error while accessing provider:settings\njava.lang.IllegalArgumentException: ")

    @pytest.mark.parametrize(
        ("arguments", "error"),
        [
            ("", "Unsupported operation: null"),
            ("frob", "Unsupported operation: frob"),
            ("query", "Content provider URI not specified"),
            ("insert --uri content://x", "Bindings not specified"),
            ("query --uri", "No value for argument: --uri"),
            ("query --frob", "Unsupported argument: --frob"),
            ("insert --uri content://x --bind a", "Binding not well formed: a"),
            ("insert --uri content://x --bind a:q:1", "Unsupported type: q"),
            ("insert --uri content://x --bind a:i:x", 'For input string: "x"'),
        ],
    )
    def test_mistakes(self, sh: Sh, arguments: str, error: str) -> None:
        result = sh(f"content {arguments}")
        assert result.code == 0
        assert f"[ERROR] {error}" in result.err


class TestIme:
    ADB = "com.github.uiautomator/.AdbKeyboard"

    def test_lists(self, out: Out) -> None:
        assert out("ime list -s -a") == f"com.android.inputmethod.latin/.LatinIME\n{self.ADB}\n"
        assert out(f"ime disable {self.ADB}; ime list -s") == (
            f"Input method {self.ADB}: now disabled for user #0\ncom.android.inputmethod.latin/.LatinIME\n"
        )
        assert f"mId={self.ADB} " in out("ime list -a")

    def test_switching(self, sh: Sh, out: Out, corpus: Callable[[str], str]) -> None:
        assert out(f"ime enable {self.ADB}; ime set {self.ADB}; settings get secure default_input_method") == (
            f"Input method {self.ADB}: already enabled for user #0\n"
            f"Input method {self.ADB} selected for user #0\n{self.ADB}\n"
        )
        long_name = "com.android.inputmethod.latin/com.android.inputmethod.latin.LatinIME"
        assert out(f"ime set {long_name}").startswith("Input method com.android.inputmethod.latin/.LatinIME selected")
        unknown = sh("ime set com.android.adbkeyboard/.AdbIME")
        assert unknown.err.strip() == corpus("ime_set_unknown.txt").strip()
        assert "cannot be enabled" in sh("ime enable x/.Y").err
        assert "cannot be disabled" in sh("ime disable x/.Y").err
        assert "cannot be selected" in sh(f"ime disable {self.ADB}; ime set {self.ADB}").err

    def test_reset_and_usage(self, sh: Sh, out: Out) -> None:
        text = out(f"ime set {self.ADB} > /dev/null; ime --user 0 reset")
        assert "Newly selected IME: com.android.inputmethod.latin/.LatinIME" in text
        assert out("cmd input_method list -s | head -1") == "com.android.inputmethod.latin/.LatinIME\n"
        assert sh("ime").code == 255
        assert "list [-a] [-s]" in sh("ime help").out
        assert sh("ime set").err.startswith("Error: Argument expected")
        assert sh("ime frob").out == "Unknown command: frob\n"


class TestRadios:
    @pytest.mark.parametrize(
        ("off", "on", "key"),
        [
            ("svc wifi disable", "svc wifi enable", "wifi_on"),
            ("cmd wifi set-wifi-enabled disabled", "cmd wifi set-wifi-enabled enabled", "wifi_on"),
            ("svc data disable", "svc data enable", "mobile_data"),
            ("svc bluetooth disable", "svc bluetooth enable", "bluetooth_on"),
            ("cmd bluetooth_manager disable", "cmd bluetooth_manager enable", "bluetooth_on"),
            ("cmd connectivity airplane-mode disable", "cmd connectivity airplane-mode enable", "airplane_mode_on"),
        ],
    )
    def test_switches_are_settings(self, out: Out, off: str, on: str, key: str) -> None:
        assert out(f"{off}; settings get global {key}; {on}; settings get global {key}") == "0\n1\n"

    def test_states(self, sh: Sh, out: Out) -> None:
        assert out("cmd connectivity airplane-mode") == "disabled\n"
        assert out("cmd wifi status").startswith("Wifi is enabled\n")
        assert out("dumpsys wifi | head -1; svc wifi disable; dumpsys wifi | head -1") == (
            "Wi-Fi is enabled\nWi-Fi is disabled\n"
        )
        assert "connected" not in out("cmd wifi status")
        assert out("cmd bluetooth_manager wait-for-state:STATE_ON") == "wait-for-state: STATE_ON succeeded\n"
        assert sh("cmd bluetooth_manager wait-for-state:STATE_OFF").code == 1
        assert "state: ON" in out("dumpsys bluetooth_manager")

    def test_svc_power_and_the_rest(self, sh: Sh, out: Out) -> None:
        assert out("svc power stayon true; settings get global stay_on_while_plugged_in") == "7\n"
        assert out("svc power stayon false; settings get global stay_on_while_plugged_in") == "0\n"
        assert out("svc usb getFunctions; svc usb setFunctions mtp; svc nfc enable") == "adb\n"
        assert sh("svc wifi sideways").code == 1
        assert sh("svc help").code == 0
        assert "cannot be switched off" in sh("svc power shutdown").err


class TestCmd:
    def test_night_mode(self, out: Out) -> None:
        assert out("cmd uimode night; cmd uimode night yes; cmd uimode night; cmd uimode night auto") == (
            "Night mode: no\nNight mode: yes\nNight mode: yes\nNight mode: auto\n"
        )

    def test_quiet_ones(self, out: Out) -> None:
        assert out("cmd statusbar expand-notifications; cmd statusbar collapse; cmd appops set x y allow") == ""
        assert out(
            "cmd notification list; cmd locale set-app-locales x --locales de; cmd locale get-app-locales x"
        ) == ("Locales for x for user 0 are [de]\n")
        assert out("cmd battery set level 20; dumpsys battery | grep level; cmd battery reset") == "  level: 20\n"

    @pytest.mark.parametrize(
        ("script", "code", "error"),
        [
            ("cmd", 20, "cmd: No service specified"),
            ("cmd nosuch x", 20, "cmd: Can't find service: nosuch"),
            ("cmd connectivity frob", 255, "Unknown command: frob"),
            ("cmd wifi frob", 255, "Unknown command: frob"),
            ("cmd uimode", 255, "Unknown command: null"),
            ("cmd statusbar frob", 255, "Unknown command: frob"),
            ("cmd bluetooth_manager frob", 255, "Unknown command: frob"),
            ("cmd notification frob", 255, "Unknown command: frob"),
            ("cmd locale frob", 255, "Unknown command: frob"),
            ("cmd clipboard get", 255, "No shell command implementation."),
        ],
    )
    def test_mistakes(self, sh: Sh, script: str, code: int, error: str) -> None:
        result = sh(script)
        assert result.code == code
        assert (result.out + result.err).startswith(error)

    def test_the_list(self, out: Out) -> None:
        assert "  package\n" in out("cmd -l")


class TestProperties:
    def test_get_and_set(self, sh: Sh, out: Out, corpus: Callable[[str], str]) -> None:
        line = re.compile(r"\[[^\]]+\]: \[[^\]]*\]")
        assert line.fullmatch(corpus("getprop_pixel7_short.txt").splitlines()[0])
        assert all(line.fullmatch(text) for text in out("getprop").splitlines())
        assert out("getprop nosuch; getprop nosuch fallback; getprop sys.boot_completed") == "\nfallback\n1\n"
        assert out("setprop debug.x 1; getprop debug.x; setprop ro.new a; getprop ro.new") == "1\na\n"
        assert "Failed to set property 'ro.serialno'" in sh("setprop ro.serialno x").err
        assert "too long" in sh(f"setprop debug.x {'a' * 92}").err
        assert sh("setprop debug.x").code == 1
        assert sh("setprop a b c").err == "setprop: Max 2 arguments\n"


class TestLeftovers:
    def test_a_task_is_taken_out_of_the_recent_ones(self, sh: Sh) -> None:
        sh("am start -n com.android.settings/.Settings; input keyevent 3")
        listed = sh("dumpsys activity recents").out
        number = re.search(r"#(\d+) type=standard A=10050:com.android.settings", listed)
        assert number
        assert "type=home A=10050:com.android.launcher3" in listed
        assert sh(f"am stack remove {number[1]}; am stack remove 4711").code == 0
        assert "com.android.settings" not in sh("dumpsys activity recents").out
        assert sh("pidof com.android.settings").code == 0

    def test_the_call_keys(self, sh: Sh) -> None:
        state = "dumpsys telephony.registry | grep mCallState"
        sh("vphone fault window call")
        assert "mCallState=1" in sh(state).out
        sh("input keyevent 5")
        assert "mCallState=2" in sh(state).out
        sh("input keyevent 6")
        assert "mCallState=0" in sh(state).out
        sh("input keyevent 6; input keyevent 5")
        assert sh("dumpsys power | grep mWakefulness=").out.strip() == "mWakefulness=Awake"

    def test_automatic_time_brings_the_time_of_the_network_back(self, sh: Sh) -> None:
        before = int(sh("date +%s").out)
        sh("vphone fault clock ahead; settings put global auto_time 0")
        assert int(sh("date +%s").out) - before > 86_400
        sh("settings put global auto_time 1")
        assert abs(int(sh("date +%s").out) - before) < 120
        sh("vphone fault clear")
        assert abs(int(sh("date +%s").out) - before) < 120

    def test_the_configuration_tells_the_language_that_was_set(self, sh: Sh) -> None:
        sh("settings put system system_locales ar-EG; settings put secure ui_night_mode 2")
        config = sh("am get-config").out
        assert "-ar-rEG-ldrtl-" in config
        assert "-night-" in config

"""`dumpsys`: the sections that automation tools read, with their real wording."""

import time
from collections.abc import Callable

from emulator_farm.virtual.apps.dialer import in_call
from emulator_farm.virtual.phone import Phone
from emulator_farm.virtual.shell.invocation import Invocation, Tool, on_phone

from . import dumpsys_window, notification
from .dumpsys_package import describe_package
from .screencap import DISPLAY_ID

Dump = Callable[[Invocation, Phone, list[str]], str]


@on_phone
def dumpsys(run: Invocation) -> int:
    """Print one service's state, or the list of services with -l; without arguments all of them."""
    args = list(run.args)
    while args[:1] in (["-t"], ["-T"], ["--priority"]):
        del args[:2]
    if args[:1] == ["-l"]:
        run.line("Currently running services:")
        for name in sorted(SERVICES):
            run.line(f"  {name}")
        return 0
    if not args:
        for name in sorted(SERVICES):
            run.line("-" * 79)
            run.line(f"DUMP OF SERVICE {name}:")
            run.out(SERVICES[name](run, run.phone, []))
        return 0
    service = SERVICES.get(args[0])
    if service is None:
        run.err(f"Can't find service: {args[0]}\n")
        return 0
    run.out(service(run, run.phone, args[1:]))
    return 0


def _input_method(run: Invocation, phone: Phone, args: list[str]) -> str:
    shown = str(phone.ime.shown).lower()
    lines = [
        "Current Input Method Manager state:",
        "  Input Methods: mMethodMapUpdateCount=1",
        *(f"  InputMethod #{index}:\n    mId={name}" for index, name in enumerate(phone.ime.installed)),
        f"  mCurMethodId={phone.ime.current}",
        f"  mCurId={phone.ime.current} mHaveConnection=true mBoundToMethod=true mVisibleBound={shown}",
        f"  mCurFocusedWindowSoftInputMode=STATE_UNSPECIFIED|ADJUST_RESIZE mInputShown={shown} mSystemReady=true",
        f"  mShowRequested={shown} mShowExplicitlyRequested=false mShowForced=false mInputShown={shown}",
        f"  mInteractive={str(phone.screen_on).lower()}",
        "Input method client state:",
        f"  mIsInputViewShown={shown}",
    ]
    return "\n".join(lines) + "\n"


def _power(run: Invocation, phone: Phone, args: list[str]) -> str:
    awake = phone.screen_on
    stay_on = phone.settings.get_int("global", "stay_on_while_plugged_in") != 0
    lines = [
        "POWER MANAGER (dumpsys power)",
        "",
        "Power Manager State:",
        "  mDirty=0x0",
        f"  mWakefulness={'Awake' if awake else 'Asleep'}",
        "  mWakefulnessChanging=false",
        f"  mIsPowered={str(phone.charging).lower()}",
        f"  mPlugType={int(phone.charging)}",
        f"  mBatteryLevel={phone.battery_level}",
        f"  mStayOn={str(stay_on and phone.charging).lower()}",
        "  mBootCompleted=true",
        "  mSystemReady=true",
        f"  mHoldingWakeLockSuspendBlocker={str(awake).lower()}",
        f"  mHoldingDisplaySuspendBlocker={str(awake).lower()}",
        "",
        f"Display Power: state={'ON' if awake else 'OFF'}",
    ]
    return "\n".join(lines) + "\n"


def _battery(run: Invocation, phone: Phone, args: list[str]) -> str:
    if args and args[0] not in ("-a", "--checkin"):
        battery_command(run, phone, args)
        return ""
    fields = {
        "AC powered": str(phone.charging).lower(),
        "USB powered": "false",
        "Wireless powered": "false",
        "Dock powered": "false",
        "Max charging current": "0",
        "Max charging voltage": "0",
        "Charge counter": str(phone.battery_level * 30000),
        "status": "2" if phone.charging and phone.battery_level < 100 else "5" if phone.charging else "3",
        "health": "2",
        "present": "true",
        "level": str(phone.battery_level),
        "scale": "100",
        "voltage": "5000",
        "temperature": "250",
        "technology": "Li-ion",
    }
    return "Current Battery Service state:\n" + "".join(f"  {key}: {value}\n" for key, value in fields.items())


def battery_command(run: Invocation, phone: Phone, args: list[str]) -> int:
    """`set level N`, `set ac|usb 0|1`, `unplug`, `reset`."""
    match args:
        case ["set", "level", level] if level.isdecimal():
            phone.battery_level = min(100, int(level))
        case ["set", "ac" | "usb" | "wireless", state] if state in ("0", "1"):
            phone.charging = state == "1"
        case ["unplug"]:
            phone.charging = False
        case ["reset", *_]:
            phone.battery_level, phone.charging = 100, True
        case _:
            run.err(f"Unknown command: {' '.join(args)}\n")
            return 255
    phone.invalidate()
    return 0


def _package(run: Invocation, phone: Phone, args: list[str]) -> str:
    names = [arg for arg in args if not arg.startswith("-")]
    if names:
        return describe_package(phone, names[0])
    return "".join(describe_package(phone, package.name) for package in phone.packages.list())


def _wifi(run: Invocation, phone: Phone, args: list[str]) -> str:
    on = phone.settings.get("global", "wifi_on") == "1"
    state = "COMPLETED" if on else "DISCONNECTED"
    ssid = '"AndroidWifi"' if on else "<unknown ssid>"
    return (
        f"Wi-Fi is {'enabled' if on else 'disabled'}\nVerbose logging is off\n"
        f"mWifiInfo SSID: {ssid}, BSSID: 00:13:10:85:fe:01, MAC: 02:15:b2:00:00:00, Supplicant state: {state}\n"
    )


def _bluetooth(run: Invocation, phone: Phone, args: list[str]) -> str:
    on = phone.settings.get("global", "bluetooth_on") == "1"
    name = phone.settings.get("secure", "bluetooth_name") or ""
    return f"Bluetooth Status\n  enabled: {str(on).lower()}\n  state: {'ON' if on else 'OFF'}\n  name: {name}\n"


def _surface_flinger(run: Invocation, phone: Phone, args: list[str]) -> str:
    if args[:1] == ["--display-id"]:
        lines = [f'Display {DISPLAY_ID} (HWC display 0): port=0 pnpId=GGL displayName="EMU_display_0"']
        if phone.faults.display == "two":
            lines.append(f'Display {DISPLAY_ID + 1} (HWC display 1): port=1 pnpId=GGL displayName="EMU_display_1"')
        return "\n".join(lines) + "\n"
    width, height = phone.screen_size
    return f"Display {DISPLAY_ID} (active) HWC layers:\n  resolution={width}x{height}\n"


def _input(run: Invocation, phone: Phone, args: list[str]) -> str:
    width, height = phone.screen_size
    now = time.monotonic()
    recent = [
        f"    {event}(deviceId=-1, displayId={0 if event == 'MotionEvent' else -1}), "
        f"policyFlags=0x6b000000, age={int((now - at) * 1000)}ms\n"
        for event, at in phone.recent_input
    ]
    queue = f"  RecentQueue: length={len(recent)}\n{''.join(recent)}" if recent else "  RecentQueue: <empty>\n"
    return (
        "Input Manager State:\n"
        f"  Viewport INTERNAL: displayId=0, uniqueId=local:{DISPLAY_ID}, port=0, orientation={phone.rotation}, "
        f"logicalFrame=[0, 0, {width}, {height}], deviceSize=[{phone.width}, {phone.height}], isActive=[1]\n"
        f"    SurfaceWidth: {width}px\n    SurfaceHeight: {height}px\n    SurfaceOrientation: {phone.rotation}\n"
        "\nInput Dispatcher State:\n  DispatchEnabled: true\n  DispatchFrozen: false\n  FocusedDisplayId: 0\n"
        f"  PendingEvent: <none>\n  InboundQueue: <empty>\n{queue}"
    )


def _alarm(run: Invocation, phone: Phone, args: list[str]) -> str:
    now = phone.clock.now()
    stamp = now.strftime("%Y-%m-%d %H:%M:%S.") + f"{now.microsecond // 1000:03d}"
    return f"Current Alarm Manager state:\n  nowRTC={int(now.timestamp() * 1000)}={stamp}\n"


def _settings(run: Invocation, phone: Phone, args: list[str]) -> str:
    out = []
    for namespace in ("global", "secure", "system"):
        out.append(f"{namespace.upper()} SETTINGS (user 0)\n")
        out += [
            f"_id:{index} name:{key} pkg:android value:{value}\n"
            for index, (key, value) in enumerate(phone.settings.items(namespace), 1)
        ]
    return "".join(out)


def _telephony(run: Invocation, phone: Phone, args: list[str]) -> str:
    call = in_call.current(phone.system)
    number = call.number if call is not None and call.incoming else ""
    lines = ["last known state:", "  Phone Id=0", f"    mCallState={in_call.call_state(phone.system)}"]
    return "\n".join([*lines, "    mRingingCallState=0", f"    mCallIncomingNumber={number}"]) + "\n"


def _empty(run: Invocation, phone: Phone, args: list[str]) -> str:
    return ""


SERVICES: dict[str, Dump] = {
    "SurfaceFlinger": _surface_flinger, "activity": dumpsys_window.activity, "alarm": _alarm, "battery": _battery,
    "bluetooth_manager": _bluetooth, "clipboard": _empty, "connectivity": _empty, "display": dumpsys_window.display,
    "input": _input, "input_method": _input_method, "notification": notification.dump, "package": _package,
    "power": _power, "settings": _settings, "statusbar": _empty, "telephony.registry": _telephony, "wifi": _wifi,
    "window": dumpsys_window.window,
}  # fmt: skip
TOOLS: dict[str, Tool] = {"dumpsys": dumpsys}

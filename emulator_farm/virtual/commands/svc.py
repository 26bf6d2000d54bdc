"""`svc`: radios and power."""

from emulator_farm.virtual.shell.invocation import Invocation, ToolError

STAY_ON = {"true": "7", "false": "0", "ac": "1", "usb": "2", "wireless": "4", "dock": "8"}
USAGE = """Available commands:
    help     Show information about the subcommands
    power    Control the power manager
    data     Control mobile data connectivity
    wifi     Control the Wi-Fi manager
    usb      Control Usb state
    nfc      Control NFC functions
    bluetooth Control Bluetooth functions
"""


async def svc(run: Invocation) -> int:
    """Run one subcommand."""
    match run.args:
        case ["wifi" | "data" | "bluetooth" | "nfc" as radio, "enable" | "disable" as verb]:
            await switch_radio(run, radio, verb == "enable")
        case ["power", "stayon", mode] if mode in STAY_ON:
            await run.call(lambda phone: phone.settings.put("global", "stay_on_while_plugged_in", STAY_ON[mode]))
        case ["power", "reboot", *_]:
            await run.handset.reboot()
        case ["power", "shutdown"]:
            raise ToolError("this phone cannot be switched off by itself; stop its host", prefix="svc: ")
        case ["usb", "getFunctions"]:
            run.line("adb")
        case ["usb", *_]:
            pass
        case _:
            run.err(USAGE)
            return 0 if run.args[:1] == ["help"] else 1
    return 0


async def switch_radio(run: Invocation, radio: str, on: bool) -> None:
    """Turn `wifi`, `data`, `bluetooth` or `nfc` on or off."""
    match radio:
        case "wifi":
            await run.call(lambda phone: phone.set_wifi(on))
        case "data":
            await run.call(lambda phone: phone.set_mobile_data(on))
        case "bluetooth":
            await run.call(lambda phone: phone.set_bluetooth(on))

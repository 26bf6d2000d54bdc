"""`cmd SERVICE ...`: the services that automation talks to."""

from collections.abc import Awaitable, Callable

from emulator_farm.virtual.phone import Phone
from emulator_farm.virtual.shell.invocation import Invocation, Tool, ToolError

from .am import am
from .arguments import unknown_command
from .ime import ime
from .input import input_tool
from .locksettings import locksettings
from .notification import notification
from .pm import pm
from .settings import settings
from .svc import switch_radio
from .wm import wm

NO_SERVICE = 20


async def cmd(run: Invocation) -> int:
    """Run a service's own command."""
    if not run.args:
        raise ToolError("No service specified; use -l to list all running services. Use -w to start and wait.", 20)
    if run.args[0] == "-l":
        run.line("Currently running services:")
        for name in sorted(SERVICES):
            run.line(f"  {name}")
        return 0
    name, *args = run.args
    service = SERVICES.get(name)
    if service is None:
        raise ToolError(f"Can't find service: {name}", NO_SERVICE)
    run.args = args
    return await service(run)


def _unknown(run: Invocation) -> ToolError:
    return unknown_command(run.args[0] if run.args else "null")


async def connectivity(run: Invocation) -> int:
    """Airplane mode."""
    match run.args:
        case ["airplane-mode"]:
            on = await run.call(lambda phone: phone.settings.get("global", "airplane_mode_on") == "1")
            run.line("enabled" if on else "disabled")
        case ["airplane-mode", "enable" | "disable" as verb]:
            await run.call(lambda phone: phone.set_airplane(verb == "enable"))
        case _:
            raise _unknown(run)
    return 0


async def bluetooth_manager(run: Invocation) -> int:
    """Bluetooth on and off."""
    match run.args:
        case ["enable" | "disable" as verb]:
            await switch_radio(run, "bluetooth", verb == "enable")
        case [verb] if verb.startswith("wait-for-state:STATE_"):
            on = await run.call(lambda phone: phone.settings.get("global", "bluetooth_on") == "1")
            if on != (verb == "wait-for-state:STATE_ON"):
                run.line(f"{verb.replace(':', ': ')} failed")
                return 1
            run.line(f"{verb.replace(':', ': ')} succeeded")
        case _:
            raise _unknown(run)
    return 0


async def wifi(run: Invocation) -> int:
    """Wi-Fi on, off and its state."""
    match run.args:
        case ["set-wifi-enabled", "enabled" | "disabled" as state]:
            await switch_radio(run, "wifi", state == "enabled")
        case ["status"]:
            on = await run.call(lambda phone: phone.settings.get("global", "wifi_on") == "1")
            run.line(f"Wifi is {'enabled' if on else 'disabled'}\nWifi scanning is only available when wifi is enabled")
            if on:
                run.line('==== Primary ClientModeManager instance ====\nWifi is connected to "AndroidWifi"')
        case _:
            raise _unknown(run)
    return 0


async def uimode(run: Invocation) -> int:
    """Dark theme."""
    match run.args:
        case ["night"]:
            value = await run.call(lambda phone: phone.settings.get("secure", "ui_night_mode"))
            run.line(f"Night mode: {'yes' if value == '2' else 'auto' if value == '0' else 'no'}")
        case ["night", "yes" | "no" | "auto" as mode]:
            value = {"yes": "2", "no": "1", "auto": "0"}[mode]
            await run.call(lambda phone: phone.settings.put("secure", "ui_night_mode", value))
            run.line(f"Night mode: {mode}")
        case _:
            raise _unknown(run)
    return 0


async def statusbar(run: Invocation) -> int:
    """The notification shade."""
    match run.args[:1]:
        case ["expand-notifications"]:
            await run.call(lambda phone: phone.ui.expand())
        case ["expand-settings"]:
            await run.call(lambda phone: phone.ui.expand("settings"))
        case ["collapse"]:
            await run.call(lambda phone: phone.ui.collapse())
        case ["disable-for-setup"] | ["send-disable-flag"]:
            pass
        case _:
            raise _unknown(run)
    return 0


async def battery(run: Invocation) -> int:
    """Pretend another state of the battery, as `dumpsys battery` does."""
    from .dumpsys import battery_command

    return await run.call(lambda phone: battery_command(run, phone, run.args))


async def clipboard(run: Invocation) -> int:
    """A real phone has no shell command for the clipboard."""
    raise ToolError("No shell command implementation.", code=255, prefix="")


async def locale(run: Invocation) -> int:
    """The language of a single app."""
    match run.args:
        case ["get-app-locales", package, *_]:
            chosen = await run.call(lambda phone: phone.system.app_locales.get(package, ""))
            run.line(f"Locales for {package} for user 0 are [{chosen}]")
        case ["set-app-locales", package, *options]:
            where = options.index("--locales") + 1 if "--locales" in options else len(options)
            tags = options[where] if where < len(options) else ""

            def choose(phone: Phone) -> None:
                phone.system.app_locales[package] = tags.partition(",")[0]
                phone.invalidate()

            await run.call(choose)
        case _:
            raise _unknown(run)
    return 0


async def quiet(run: Invocation) -> int:
    """Accepted without effect."""
    return 0


SERVICES: dict[str, Callable[[Invocation], Awaitable[int]]] = {
    "activity": am, "appops": quiet, "battery": battery, "bluetooth_manager": bluetooth_manager,
    "clipboard": clipboard, "connectivity": connectivity, "device_config": quiet, "input": input_tool,
    "input_method": ime, "locale": locale, "lock_settings": locksettings, "notification": notification,
    "package": pm, "settings": settings, "statusbar": statusbar, "uimode": uimode, "wifi": wifi, "window": wm,
}  # fmt: skip
TOOLS: dict[str, Tool] = {"cmd": cmd}

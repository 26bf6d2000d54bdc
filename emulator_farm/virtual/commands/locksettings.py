"""`locksettings`: whether the screen locks, and with which PIN."""

from emulator_farm.virtual.screen_lock import MIN_DIGITS
from emulator_farm.virtual.shell.invocation import Invocation, ToolError, on_phone

USAGE = """lockSettings service commands:

NOTE: when lock screen is set, all commands require the --old <CREDENTIAL> argument.

help
  Prints this help text.
get-disabled [--user USER_ID]
  Prints true if the lock screen is completely disabled, i.e. set to None.
set-disabled [--user USER_ID] <true|false>
  Sets whether the lock screen is disabled.
verify [--old <CREDENTIAL>] [--user USER_ID]
  Verifies the lock credentials.
clear [--old <CREDENTIAL>] [--user USER_ID]
  Clears the lock credentials.
set-pin [--old <CREDENTIAL>] [--user USER_ID] <PIN>
  Sets the lock screen as PIN.
"""


@on_phone
def locksettings(run: Invocation) -> int:
    """Run one subcommand."""
    lock = run.phone.ui.lock
    verb, old, rest = _parse(run.args)
    if verb not in ("get-disabled", "set-disabled", "verify", "clear", "set-pin"):
        run.out(USAGE)
        return 0 if verb in ("", "help") else 255
    if verb == "get-disabled":
        run.line(str(not lock.enabled).lower())
        return 0
    if not lock.verify(old):
        missing = f"Old password '{old}' didn't match" if old else "Old password not provided but required"
        raise ToolError(missing, code=255, prefix="", on_stdout=True)
    match verb, rest:
        case "set-disabled", ["true" | "false" as value]:
            lock.set_disabled(value == "true")
            run.line(f"Lock screen disabled set to {value}")
        case "verify", _:
            run.line("Lock credential verified successfully")
        case "clear", _:
            lock.clear_pin()
            run.line("Lock credential cleared")
        case "set-pin", [pin] if pin.isdecimal() and len(pin) >= MIN_DIGITS:
            lock.set_pin(pin)
            run.line(f"Pin set to '{pin}'")
        case "set-pin", [pin]:
            raise ToolError(f"New pin '{pin}' doesn't satisfy admin policies", 255, "", on_stdout=True)
        case _:
            run.out(USAGE)
            return 255
    return 0


def _parse(args: list[str]) -> tuple[str, str, list[str]]:
    verb, *words = args or [""]
    old, rest = "", []
    while words:
        word = words.pop(0)
        if word == "--old":
            old = words.pop(0) if words else ""
        elif word == "--user":
            del words[:1]
        else:
            rest.append(word)
    return verb, old, rest

"""`settings`: the three namespaces of Android settings."""

from emulator_farm.virtual.settings_db import NAMESPACES
from emulator_farm.virtual.shell.invocation import Invocation, ToolError, on_phone

from .arguments import unknown_command

USAGE = """Settings provider (settings) commands:
  help
      Print this help text.
  get [--user <USER_ID> | current] NAMESPACE KEY
      Retrieve the current value of KEY.
  put [--user <USER_ID> | current] NAMESPACE KEY VALUE [TAG] [default]
      Change the contents of KEY to VALUE.
  delete [--user <USER_ID> | current] NAMESPACE KEY
      Delete the entry for KEY.
  reset [--user <USER_ID> | current] NAMESPACE {PACKAGE_NAME | RESET_MODE}
      Reset the global/secure table for a package with mode.
  list [--user <USER_ID> | current] NAMESPACE
      Print all defined keys.
      NAMESPACE is one of {system, secure, global}, case-insensitive
"""
RESET_MODES = ("untrusted_defaults", "untrusted_clear", "trusted_defaults")


@on_phone
def settings(run: Invocation) -> int:
    """Run one subcommand."""
    args = _without_user(run.args)
    if not args or args[0] in ("help", "-h"):
        run.out(USAGE)
        return 0 if args else 255
    verb, *rest = args
    counts = {"get": (2,), "put": (3, 4, 5), "delete": (2,), "reset": (2, 3), "list": (1,)}
    if verb not in counts:
        raise unknown_command(verb)
    if len(rest) not in counts[verb]:
        raise ToolError("Bad arguments" if len(rest) else "Missing namespace", code=255, prefix="")
    namespace, *rest = rest
    namespace = namespace.lower()
    if namespace not in NAMESPACES:
        raise ToolError(f"Invalid namespace '{namespace}'", code=255, prefix="")
    database = run.phone.settings
    match verb:
        case "get":
            value = database.get(namespace, rest[0])
            run.line("null" if value is None else value)
        case "put" if rest[0] == "system_locales" and run.handset.fault("locale"):
            pass
        case "put":
            database.put(namespace, rest[0], rest[1])
        case "delete":
            run.line(f"Deleted {database.delete(namespace, rest[0])} rows")
        case "list":
            for key, value in database.items(namespace):
                run.line(f"{key}={value}")
        case _:
            if rest[0] not in RESET_MODES and run.phone.packages.find(rest[0]) is None:
                raise ToolError(f"Invalid reset mode or unknown package '{rest[0]}'", code=255, prefix="")
    return 0


def _without_user(args: list[str]) -> list[str]:
    for index, arg in enumerate(args):
        if arg == "--user" and index + 1 < len(args):
            if args[index + 1] not in ("0", "current"):
                raise ToolError(f"Error: this phone has no user {args[index + 1]}", code=255, prefix="")
            return args[:index] + args[index + 2 :]
    return args

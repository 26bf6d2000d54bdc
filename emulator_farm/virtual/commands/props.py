"""`getprop` and `setprop`."""

from emulator_farm.virtual.shell.invocation import Invocation, ToolError, on_phone

MAX_VALUE = 92


@on_phone
def getprop(run: Invocation) -> int:
    """All properties, or one with an optional default."""
    args = [arg for arg in run.args if arg not in ("-T", "-Z")]
    props = run.phone.props | run.handset.endpoints
    if args:
        run.line(props.get(args[0]) or (args[1] if len(args) > 1 else ""))
        return 0
    for name, value in sorted(props.items()):
        run.line(f"[{name}]: [{value}]")
    return 0


@on_phone
def setprop(run: Invocation) -> int:
    """Set one property; `ro.` ones can be set once only."""
    if len(run.args) != 2:
        raise ToolError('Need 2 arguments (see "setprop --help")' if len(run.args) < 2 else "Max 2 arguments")
    name, value = run.args
    if len(value.encode("utf-8", "surrogateescape")) >= MAX_VALUE and not name.startswith("ro."):
        raise ToolError(f"Value '{value}' too long; try '{value[:91]}'")
    if not name or (name.startswith("ro.") and name in run.phone.props):
        raise ToolError(f"Failed to set property '{name}' to '{value}'.\nSee dmesg for error reason.", prefix="")
    if name != "persist.sys.locale" or not run.handset.fault("locale"):
        run.phone.props[name] = value
        run.phone.invalidate()
    return 0

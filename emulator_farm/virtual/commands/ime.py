"""`ime` (and `cmd input_method`): installed, enabled and current keyboards."""

from emulator_farm.virtual.ime import InputMethods, UnknownInputMethod
from emulator_farm.virtual.shell.invocation import Invocation, ToolError, on_phone

from .arguments import unknown_command

USAGE = """ime <command>:
  list [-a] [-s]
    prints all enabled input methods.
      -a: see all input methods
      -s: only a single summary line of each
  enable [--user <USER_ID>] <ID>
    allows the given input method ID to be used.
  disable [--user <USER_ID>] <ID>
    disallows the given input method ID to be used.
  set [--user <USER_ID>] <ID>
    switches to the given input method ID.
  reset [--user <USER_ID>]
    reset currently selected/enabled IMEs to the default ones as if
    the device is initially booted with the current locale.
"""


@on_phone
def ime(run: Invocation) -> int:
    """Run one subcommand."""
    args = list(run.args)
    if "--user" in args[:-1]:
        index = args.index("--user")
        del args[index : index + 2]
    methods = run.phone.ime
    match args:
        case ["list", *options]:
            _list(run, methods, options)
            return 0
        case ["enable" | "disable" | "set" as verb, name]:
            return _change(run, methods, verb, _full_name(methods, name))
        case ["reset"]:
            methods.reset()
            run.line("Reset current and enabled IMEs for user #0")
            run.line(f"  Newly selected IME: {methods.current}")
            run.line("  Newly enabled IMEs:")
            for name in methods.enabled:
                run.line(f"    {name}")
            return 0
        case ["enable" | "disable" | "set"]:
            raise ToolError(f'Error: Argument expected after "{args[0]}"', code=255, prefix="")
        case [] | ["help" | "-h"]:
            run.out(USAGE)
            return 0 if args else 255
        case _:
            raise unknown_command(args[0])


def _full_name(methods: InputMethods, name: str) -> str:
    """The listed form of an id: `pkg/pkg.Cls` means `pkg/.Cls`."""
    package, _, cls = name.partition("/")
    if cls.startswith(package + "."):
        short = f"{package}/{cls[len(package) :]}"
        return short if short in methods.installed else name
    return name


def _list(run: Invocation, methods: InputMethods, options: list[str]) -> None:
    for name in methods.installed if "-a" in options else methods.enabled:
        if "-s" in options:
            run.line(name)
            continue
        package, _, cls = name.partition("/")
        cls = package + cls if cls.startswith(".") else cls
        run.line(f"{name}:")
        run.line(f"  mId={name} mSettingsActivityName=null mIsVrOnly=false mSupportsSwitchingToNextInputMethod=false")
        run.line(f"  mIsDefaultResId=0x0 packageName={package} name={cls}")


def _change(run: Invocation, methods: InputMethods, verb: str, name: str) -> int:
    try:
        match verb:
            case "enable":
                changed = methods.enable(name)
            case "disable":
                changed = methods.disable(name)
            case _:
                if run.phone.faults.ime != "stuck" or name not in methods.enabled:
                    methods.set(name)
                run.line(f"Input method {name} selected for user #0")
                return 0
    except UnknownInputMethod:
        done = {"enable": "enabled", "disable": "disabled", "set": "selected"}[verb]
        run.err(f"Unknown input method {name} cannot be {done} for user #0\n")
        return 255 if verb == "set" else 0
    run.line(f"Input method {name}: {'now' if changed else 'already'} {verb}d for user #0")
    return 0

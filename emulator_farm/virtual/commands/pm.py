"""`pm` (and `cmd package`): what is installed, and which activity answers to an intent."""

from emulator_farm.virtual.packages import Activity, PackageNotFound
from emulator_farm.virtual.shell.invocation import Invocation, ToolError, on_phone

from .arguments import Words, java_error, unknown_command
from .dumpsys_package import describe_package
from .install import install, parse_flags, session_command
from .intent_args import IntentBuilder

USAGE = """Package manager (package) commands:
  help
    Print this help text.
  path [--user USER_ID] PACKAGE
  list packages [-f] [-d] [-e] [-s] [-3] [-i] [-l] [-u] [-U] [--show-versioncode] [--user USER_ID] [FILTER]
  list features|users|libraries|permissions
  resolve-activity [--brief] [--components] [--user USER_ID] INTENT
  query-activities [--brief] [--components] [--user USER_ID] INTENT
  install [-rtdgR] [-S BYTES] [PATH]
  install-create|install-write|install-commit|install-abandon
  uninstall [-k] [--user USER_ID] PACKAGE
  clear [--user USER_ID] PACKAGE
  grant|revoke [--user USER_ID] PACKAGE PERMISSION
  dump PACKAGE
"""
FEATURES = (
    "android.hardware.bluetooth", "android.hardware.screen.portrait", "android.hardware.screen.landscape",
    "android.hardware.touchscreen", "android.hardware.touchscreen.multitouch", "android.hardware.wifi",
    "android.software.input_methods", "android.software.home_screen",
)  # fmt: skip
SILENT = frozenset(
    ["trim-caches", "reset-permissions", "compile", "bg-dexopt-job", "set-installer", "disable-verifier"]
)


async def pm(run: Invocation) -> int:
    """Run one subcommand."""
    if not run.args or run.args[0] in ("help", "-h"):
        run.out(USAGE)
        return 0 if run.args else 255
    verb, *args = run.args
    match verb:
        case "install":
            return await install(run, args)
        case "install-create" | "install-write" | "install-commit" | "install-abandon":
            return await session_command(run, run.handset.install_sessions, verb, args)
        case _:
            return await on_phone(_run)(run)


def _run(run: Invocation) -> int:
    verb, *args = run.args
    flags, _, operands = parse_flags(args, frozenset({"--user"}))
    match verb:
        case "list":
            return _list(run, flags, operands)
        case "path":
            return _path(run, operands)
        case "clear" | "uninstall":
            return _remove(run, verb, operands)
        case "grant" | "revoke":
            return _permission(run, verb, operands)
        case "resolve-activity" | "query-activities":
            return _activities(run, verb, args)
        case "dump":
            run.out(describe_package(run.phone, _name(verb, operands)))
            return 0
        case "enable" | "disable" | "disable-user" | "default-state" | "hide" | "unhide" | "suspend" | "unsuspend":
            raise _enable(verb, _name(verb, operands))
        case "has-feature":
            known = _name(verb, operands) in FEATURES
            run.line(str(known).lower())
            return int(not known)
        case "get-install-location":
            run.line("0[auto]")
            return 0
        case "get-max-users":
            run.line("4")
            return 0
        case _ if verb in SILENT:
            run.line("Success")
            return 0
        case _:
            raise unknown_command(verb)


def _name(verb: str, operands: list[str]) -> str:
    if not operands:
        raise java_error(verb, f'java.lang.IllegalArgumentException: Argument expected after "{verb}"')
    return operands[0]


def _list(run: Invocation, flags: set[str], operands: list[str]) -> int:
    match operands:
        case ["package" | "packages", *filters]:
            _list_packages(run, flags, filters[0] if filters else "")
        case ["features"]:
            for feature in FEATURES:
                run.line(f"feature:{feature}")
        case ["users"]:
            run.line("Users:\n\tUserInfo{0:Owner:4c13} running")
        case ["libraries"]:
            run.line("library:android.ext.shared")
        case ["permissions" | "permission-groups" | "instrumentation", *_]:
            pass
        case _:
            raise ToolError(f"Error: unknown list type '{operands[0] if operands else ''}'", code=255, prefix="")
    return 0


def _list_packages(run: Invocation, flags: set[str], text: str) -> None:
    for package in run.phone.packages.list():
        if text not in package.name or ("-3" in flags and package.system) or ("-s" in flags and not package.system):
            continue
        if "-d" in flags:
            continue
        line = f"package:{package.apk_path}={package.name}" if "-f" in flags else f"package:{package.name}"
        if "--show-versioncode" in flags:
            line += f" versionCode:{package.version_code}"
        if "-i" in flags:
            line += "  installer=null"
        run.line(line + (f" uid:{package.uid}" if "-U" in flags else ""))


def _path(run: Invocation, operands: list[str]) -> int:
    package = run.phone.packages.find(_name("path", operands))
    if package is None:
        return 1
    run.line(f"package:{package.apk_path}")
    return 0


def _remove(run: Invocation, verb: str, operands: list[str]) -> int:
    name = _name(verb, operands)
    if verb == "clear":
        done = run.phone.clear_data(name)
        run.line("Success" if done else "Failed")
        return int(not done)
    package = run.phone.packages.find(name)
    if package is None or (package.system and "--user" not in run.args):
        run.line(f"Failure [{'DELETE_FAILED_INTERNAL_ERROR' if package else 'not installed for 0'}]")
        return 1
    run.phone.uninstall(name)
    if package.apk_path.startswith("/data/app/"):
        directory = package.apk_path.rsplit("/", 1)[0]
        if run.files.exists(directory):
            run.files.remove(directory, recursive=True)
    run.line("Success")
    return 0


def _permission(run: Invocation, verb: str, operands: list[str]) -> int:
    if len(operands) < 2:
        raise ToolError("Error: no permission specified" if operands else "Error: no package specified", 255, "")
    name, permission = operands[:2]
    if "." not in permission:
        raise java_error(verb, f"java.lang.IllegalArgumentException: Unknown permission: {permission}")
    try:
        if verb == "grant":
            run.phone.packages.grant(name, permission)
        else:
            run.phone.packages.revoke(name, permission)
    except PackageNotFound:
        raise java_error(verb, f"java.lang.IllegalArgumentException: Unknown package: {name}") from None
    return 0


def _enable(verb: str, name: str) -> ToolError:
    """This phone cannot switch packages off; the words are those of a build that does not let the shell do it."""
    return java_error(verb, f"java.lang.SecurityException: Shell cannot change component state for {name} to 2")


# -- intents


def _activities(run: Invocation, verb: str, args: list[str]) -> int:
    words = Words(verb, args)
    builder = IntentBuilder()
    brief = False
    while words:
        word = words.required()
        if word in ("--brief", "--components"):
            brief = brief or word == "--brief"
        elif word in ("--user", "--query-flags"):
            words.required()
        elif not word.startswith("-"):
            builder.take_target(word, verb)
        elif not builder.take(word, words):
            raise ToolError(f"Error: Unknown option: {word}", code=255, prefix="")
    found = run.phone.resolve(builder.build())
    if not found:
        run.line("No activity found" if verb == "resolve-activity" else "No activities found")
        return 0
    if verb == "resolve-activity":
        if "--components" in args:
            run.line(found[0].component.short)
        else:
            _print_resolved(run, found[0], brief, "")
        return 0
    if "--components" in args:
        for activity in found:
            run.line(activity.component.short)
        return 0
    run.line(f"{len(found)} activities found:")
    for index, activity in enumerate(found):
        run.line(f"  Activity #{index}:")
        _print_resolved(run, activity, brief, "    ")
    return 0


def _print_resolved(run: Invocation, activity: Activity, brief: bool, indent: str) -> None:
    run.line(f"{indent}priority=0 preferredOrder=0 match=0x108000 specificIndex=-1 isDefault=true")
    if brief:
        run.line(indent + activity.component.short)
        return
    name, package = activity.component.activity, activity.component.package
    record = run.phone.packages.find(package)
    lines = [
        "ActivityInfo:",
        f"  name={name}",
        f"  packageName={package}",
        "  enabled=true exported=true directBootAware=false",
        f"  taskAffinity={package} targetActivity=null persistableMode=PERSIST_ROOT_ONLY",
        "  launchMode=0 flags=0x0 privateFlags=0x0 theme=0x0",
        "  ApplicationInfo:",
        f"    packageName={package}",
        f"    processName={package}",
        f"    uid={record.uid if record else 0} flags=0x0 privateFlags=0x0 theme=0x0",
        f"    sourceDir={record.apk_path if record else ''}",
        f"    enabled=true minSdkVersion=24 targetSdkVersion=34 versionCode={record.version_code if record else 0}",
    ]
    for line in lines:
        run.line(indent + line)

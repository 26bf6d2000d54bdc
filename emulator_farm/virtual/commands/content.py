"""`content`: rows of content providers."""

from collections.abc import Callable

from emulator_farm.virtual.phone import Phone, ProviderError, UnknownProvider, Value
from emulator_farm.virtual.shell.invocation import Invocation, ToolError, on_phone

USAGE = """usage: adb shell content [subcommand] [options]

usage: adb shell content insert --uri <URI> [--user <USER_ID>] --bind <BINDING> [--bind <BINDING>...]
usage: adb shell content update --uri <URI> [--user <USER_ID>] [--where <WHERE>] --bind <BINDING>...
usage: adb shell content delete --uri <URI> [--user <USER_ID>] [--where <WHERE>]
usage: adb shell content query --uri <URI> [--user <USER_ID>] [--projection <PROJECTION>] [--where <WHERE>] [--sort <SORT_ORDER>]
  <BINDING> binds a typed value to a column and is formatted:
  <COLUMN_NAME>:<TYPE>:<COLUMN_VALUE> where TYPE is one of b - boolean, s - string, i - integer, l - long, f - float, d - double
"""  # noqa: E501
VALUED = ("--uri", "--user", "--projection", "--where", "--sort", "--bind", "--extra", "--method", "--arg")


class BadArguments(ToolError):
    """The command line makes no sense; usage goes before the message and, as on Android, the status is 0."""

    def __init__(self, message: str) -> None:
        super().__init__(f"{USAGE}\n[ERROR] {message}", code=0, prefix="")


@on_phone
def content(run: Invocation) -> int:
    """Run query, insert, update or delete."""
    if not run.args:
        raise BadArguments("Unsupported operation: null")
    verb, *rest = run.args
    if verb not in ("query", "insert", "update", "delete"):
        raise BadArguments(f"Unsupported operation: {verb}")
    options, values = _options(rest)
    uri = options.get("--uri")
    if uri is None:
        raise BadArguments("Content provider URI not specified. Did you specify --uri argument?")
    if verb in ("insert", "update") and not values:
        raise BadArguments("Bindings not specified. Did you specify --bind argument(s)?")
    provider = uri.removeprefix("content://").partition("/")[0]
    try:
        _execute(run, run.phone, verb, uri, options, values)
    except UnknownProvider:
        message = f"java.lang.IllegalStateException: Could not find provider: {provider}"
        raise ToolError(f"Error while accessing provider:{provider}\n{message}", code=0, prefix="") from None
    except ProviderError as error:
        message = f"java.lang.IllegalArgumentException: {error}"
        raise ToolError(f"Error while accessing provider:{provider}\n{message}", code=0, prefix="") from None
    return 0


def _execute(
    run: Invocation, phone: Phone, verb: str, uri: str, options: dict[str, str], values: dict[str, Value]
) -> None:
    where = options.get("--where")
    match verb:
        case "insert":
            phone.insert(uri, values)
        case "update":
            phone.update(uri, values, where)
        case "delete":
            phone.delete(uri, where)
        case _:
            projection = options["--projection"].split(":") if "--projection" in options else None
            rows = phone.query(uri, projection, where, options.get("--sort"))
            if not rows:
                run.line("No result found.")
            for number, row in enumerate(rows):
                run.line(f"Row: {number} " + ", ".join(f"{name}={_show(value)}" for name, value in row.items()))


def _show(value: Value) -> str:
    return "NULL" if value is None else str(value)


def _options(args: list[str]) -> tuple[dict[str, str], dict[str, Value]]:
    options: dict[str, str] = {}
    values: dict[str, Value] = {}
    rest = list(args)
    while rest:
        word = rest.pop(0)
        if word not in VALUED:
            raise BadArguments(f"Unsupported argument: {word}")
        if not rest:
            raise BadArguments(f"No value for argument: {word}")
        value = rest.pop(0)
        if word == "--bind":
            name, bound = _binding(value)
            values[name] = bound
        else:
            options[word] = value
    return options, values


PARSERS: dict[str, Callable[[str], Value]] = {
    "s": str,
    "i": int,
    "l": int,
    "f": float,
    "d": float,
    "b": lambda text: int(text.lower() == "true"),
    "n": lambda text: None,
}


def _binding(text: str) -> tuple[str, Value]:
    name, colon, rest = text.partition(":")
    kind, second, value = rest.partition(":")
    if not name or not colon or (not second and kind != "n"):
        raise BadArguments("Binding not well formed: " + text)
    if kind not in PARSERS:
        raise BadArguments(f"Unsupported type: {kind}")
    try:
        return name, PARSERS[kind](value)
    except ValueError:
        raise BadArguments(f'For input string: "{value}"') from None

"""Single-letter options as toybox reads them."""

from emulator_farm.virtual.shell.invocation import Invocation, ToolError


class Options(set[str]):
    """The letters that were given; `values` holds those that take an argument."""

    def __init__(self) -> None:
        super().__init__()
        self.values: dict[str, str] = {}


def parse_options(
    run: Invocation, flags: str, with_value: str = "", stop_at_operand: bool = False
) -> tuple[Options, list[str]]:
    """Split the arguments into options and operands; `--` ends the options, `-` is an operand.

    Raises ToolError for a letter that is in neither `flags` nor `with_value`.
    """
    options = Options()
    operands: list[str] = []
    rest = list(run.args)
    while rest:
        arg = rest.pop(0)
        if arg == "--" or (stop_at_operand and operands):
            return options, operands + ([] if arg == "--" else [arg]) + rest
        if not arg.startswith("-") or arg == "-":
            operands.append(arg)
            continue
        if arg.startswith("--"):
            raise ToolError(f"Unknown option '{arg[2:]}' (see \"{run.name} --help\")")
        letters = arg[1:]
        while letters:
            letter, letters = letters[0], letters[1:]
            if letter in with_value:
                if not letters and not rest:
                    raise ToolError(f'Missing argument to -{letter} (see "{run.name} --help")')
                value = letters or rest.pop(0)
                given = letter in options.values and letter == "e"  # a pattern or script more
                options.values[letter] = f"{options.values[letter]}\n{value}" if given else value
                letters = ""
            elif letter not in flags:
                raise ToolError(f"Unknown option '{letter}' (see \"{run.name} --help\")")
            options.add(letter)
    return options, operands

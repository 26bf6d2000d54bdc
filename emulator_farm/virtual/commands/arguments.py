"""Arguments as the commands of Android's system server read them, and the exceptions that end them."""

from emulator_farm.virtual.shell.invocation import ToolError


def java_error(command: str, exception: str) -> ToolError:
    """What a command of the system server prints where an exception ends it; exit status 255."""
    text = (
        f"\nException occurred while executing '{command}':\n{exception}\n"
        "\tat com.android.modules.utils.BasicShellCommandHandler.exec(BasicShellCommandHandler.java:97)"
    )
    return ToolError(text, code=255, prefix="")


def unknown_command(name: str) -> ToolError:
    """What the system server says to a subcommand that it does not know, on standard output."""
    return ToolError(f"Unknown command: {name}", code=255, prefix="", on_stdout=True)


class Words:
    """The words after a command's name, taken one by one."""

    def __init__(self, command: str, args: list[str]) -> None:
        self.command = command
        self._rest = args[::-1]
        self._last = command

    def __bool__(self) -> bool:
        return bool(self._rest)

    def peek(self) -> str:
        """The next word without taking it, "" at the end."""
        return self._rest[-1] if self._rest else ""

    def optional(self) -> str:
        """The next word, "" at the end."""
        if not self._rest:
            return ""
        self._last = self._rest.pop()
        return self._last

    def required(self) -> str:
        """The next word; raises the system's exception where there is none."""
        if not self._rest:
            raise java_error(
                self.command, f'java.lang.IllegalArgumentException: Argument expected after "{self._last}"'
            )
        return self.optional()

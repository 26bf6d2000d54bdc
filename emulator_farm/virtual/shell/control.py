"""Runs compound commands: conditions, loops, `case`, `[[` and functions."""

import re
from typing import TYPE_CHECKING, assert_never

from .arithmetic import calculate
from .expansion import pattern_regex
from .pipes import Streams
from .redirection import ShellError
from .syntax import Calculation, Case, Compound, Condition, For, Function, If, Loop, Script, Word

if TYPE_CHECKING:
    from .interpreter import Shell


class LoopExit(Exception):
    """`break` and `continue`: leaves so many loops, and goes on with the last of them or not."""

    def __init__(self, levels: int, goes_on: bool) -> None:
        super().__init__(levels)
        self.levels = levels
        self.goes_on = goes_on


class FunctionReturn(Exception):
    """`return`: leaves the function."""

    def __init__(self, status: int) -> None:
        super().__init__(status)
        self.status = status


async def run_compound(shell: "Shell", command: Compound, streams: Streams) -> int:
    """Run it in `shell`; the exit status."""
    match command:
        case If():
            return await _run_if(shell, command, streams)
        case Loop():
            return await _run_loop(shell, command, streams)
        case For():
            return await _run_for(shell, command, streams)
        case Case():
            return await _run_case(shell, command, streams)
        case Condition():
            return int(not await _Test(shell, command).either())
        case Calculation():
            return int(calculate(await shell.expander.text(command.word), shell.scope) == 0)
        case Function():
            shell.functions[command.name] = command.body
            return 0
        case _:
            assert_never(command)


async def _run_if(shell: "Shell", command: If, streams: Streams) -> int:
    for condition, body in command.branches:
        if await shell.test(condition, streams) == 0:
            return await shell.run(body, streams)
    return await shell.run(command.otherwise, streams) if command.otherwise else 0


async def _run_loop(shell: "Shell", command: Loop, streams: Streams) -> int:
    status = 0
    while (await shell.test(command.condition, streams) == 0) != command.until:
        ended, status = await _once(shell, command.body, streams, status)
        if ended:
            break
        await shell.breathe()
    return status


async def _run_for(shell: "Shell", command: For, streams: Streams) -> int:
    values = list(shell.arguments) if command.words is None else await shell.words(command.words)
    status = 0
    for value in values:
        shell.scope.set(command.name, value)
        ended, status = await _once(shell, command.body, streams, status)
        if ended:
            break
    return status


async def _once(shell: "Shell", body: Script, streams: Streams, status: int) -> tuple[bool, int]:
    """One round of a loop: whether the loop is over, and its status."""
    try:
        return False, await shell.run(body, streams)
    except LoopExit as leaving:
        if leaving.levels > 1:
            raise LoopExit(leaving.levels - 1, leaving.goes_on) from None
        return not leaving.goes_on, 0


async def _run_case(shell: "Shell", command: Case, streams: Streams) -> int:
    subject = await shell.expander.text(command.subject)
    for patterns, body in command.clauses:
        for pattern in patterns:
            if await _matches(shell, subject, pattern):
                return await shell.run(body, streams) if body else 0
    return 0


async def _matches(shell: "Shell", text: str, pattern: Word) -> bool:
    return pattern_regex(await shell.expander.pattern(pattern)).fullmatch(text) is not None


class _Test:
    """Evaluates what stands between `[[` and `]]`."""

    def __init__(self, shell: "Shell", condition: Condition) -> None:
        self._shell = shell
        self._items = list(condition.items)

    async def either(self) -> bool:
        value = await self.both()
        while self._take("||"):
            value = await self.both() or value
        if self._items and self._items[0] != ")":
            raise ShellError("syntax error: unexpected ']]'")
        return value

    def _take(self, operator: str) -> bool:
        if self._items[:1] == [operator]:
            del self._items[0]
            return True
        return False

    async def both(self) -> bool:
        value = await self.single()
        while self._take("&&"):
            value = await self.single() and value
        return value

    async def single(self) -> bool:
        if self._take("("):
            value = await self.either()
            if not self._take(")"):
                raise ShellError("syntax error: missing ) in [[")
            return value
        first = await self._text()
        if first == "!" and self._items:
            return not await self.single()
        if len(first) == 2 and first[0] == "-" and self._is_word():
            return await self._shell.condition([first, await self._text()])
        if not self._items or self._items[0] in ("&&", "||", ")"):
            return first != ""
        operator = self._items[0]
        name = self._items.pop(0) if isinstance(operator, str) else await self._text()
        match name:
            case "=" | "==" | "!=":
                return await _matches(self._shell, first, self._word()) == (name != "!=")
            case "=~":
                return re.search(await self._text(), first) is not None
            case _:
                return await self._shell.condition([first, str(name), await self._text()])

    def _is_word(self) -> bool:
        return bool(self._items) and not isinstance(self._items[0], str)

    def _word(self) -> Word:
        item = self._items.pop(0) if self._items else "]]"
        if isinstance(item, str):
            raise ShellError(f"syntax error: unexpected '{item}'")
        return item

    async def _text(self) -> str:
        return await self._shell.expander.text(self._word())

"""The flags after `--`, which go to vLLM as they are and replace ours of the same name."""

from __future__ import annotations

from collections.abc import Sequence

from agent_server.errors import InvalidRequest

_SHORT = {"-tp": "tensor-parallel-size", "-pp": "pipeline-parallel-size", "-dp": "data-parallel-size"}


class Passed:
    """`name in passed` asks for a flag by its long name without dashes in front, however it was written.

    vLLM reads `--max_model_len 1`, `--max-model-len=1`, `--limit-mm-per-prompt.image 1` and `--no-enable-lora` too.
    """

    def __init__(self, tokens: Sequence[str]) -> None:
        """Raises InvalidRequest where the first is no flag."""
        if tokens and not tokens[0].startswith("-"):
            raise InvalidRequest(f"unexpected argument {tokens[0]!r}; only flags for vLLM are taken, after --")
        self.tokens = tuple(tokens)
        self._values: dict[str, str | None] = {}
        for index, token in enumerate(tokens):
            if token.startswith("--") or token in _SHORT:
                written, equals, value = token.partition("=")
                following = tokens[index + 1] if index + 1 < len(tokens) else ""
                taken = value if equals else following
                self._values[_name(written)] = taken if taken and (equals or not taken.startswith("-")) else None

    def __contains__(self, name: str) -> bool:
        return name in self._values

    def value(self, name: str) -> str | None:
        """What was given for a flag; None where it was not given, or without a value."""
        return self._values.get(name)

    def number(self, name: str) -> int | None:
        """The same as a whole number. Raises InvalidRequest."""
        value = self.value(name)
        if value is None:
            return None
        if not value.isdecimal():
            raise InvalidRequest(f"--{name} {value} after -- is not a whole number")
        return int(value)


def _name(written: str) -> str:
    name = _SHORT.get(written) or written.removeprefix("--").split(".")[0].replace("_", "-")
    return name.removeprefix("no-")

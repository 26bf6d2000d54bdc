"""Faults that come by themselves: a file says which, when, how often and for how long; a phone steps through it.

    seed: 7
    latency: {capture: 0.5, link: 0.02}
    faults:
      - {fault: screencap, value: truncated, after: 20, times: 3}
      - {fault: window, value: anr, after: 4, of: inputs}
      - {fault: link, value: drop, probability: 0.01, times: 0}

What happens follows from the file, the number of the phone and the operations on it alone, so a run can be repeated.
"""

import random
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Literal, Self

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from .faults import NUMBERS, WORDS, Faults, Latency

Operation = Literal["commands", "frames", "trees", "inputs"]
Seconds = Annotated[float, Field(ge=0, lt=3600, allow_inf_nan=False)]
_PLANNED = (*WORDS, *(name for name in NUMBERS if name != "count"))


class FaultFileError(ValueError):
    """A fault file that cannot be used: names the file, and the line and field where one is to blame."""


class Rule(BaseModel):
    """One fault of a file."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    fault: str
    value: str | int
    after: int = Field(default=0, ge=0)
    """How many operations go well before."""
    of: Operation = "commands"
    """Operations of this kind count: anything asked of ADB, screenshots, UI dumps, inputs."""
    times: int = Field(default=1, ge=0)
    """How often it comes; 0 = again and again."""
    probability: float = Field(default=1.0, gt=0, le=1)
    """Of coming at any one operation."""
    seconds: Seconds | None = None
    """How long it stays each time; without, until it fired once, or for good where it is a state of the phone."""

    @model_validator(mode="after")
    def _known(self) -> Self:
        if self.fault not in _PLANNED:
            raise ValueError(f"unknown fault {self.fault!r}; known: {', '.join(_PLANNED)}")
        words = WORDS.get(self.fault)
        if words is not None and self.value not in words:
            raise ValueError(f"{self.fault} cannot be {self.value!r}; known: {', '.join(words)}")
        if words is None and (not isinstance(self.value, int) or self.value < 0):
            raise ValueError(f"{self.fault} needs a number, not {self.value!r}")
        return self


class Latencies(BaseModel):
    """Seconds that kinds of operations take longer."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    capture: Seconds = 0.0
    input: Seconds = 0.0
    dump: Seconds = 0.0
    launch: Seconds = 0.0
    grpc: Seconds = 0.0
    u2: Seconds = 0.0
    link: Seconds = 0.0
    boot: Seconds = 0.0


class FaultFile(BaseModel):
    """What a fault file holds."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    seed: Annotated[int, Field(strict=True)] = 0
    latency: Latencies = Latencies()
    faults: tuple[Rule, ...] = ()

    def apply(self, latency: Latency) -> None:
        """Slow a phone down as the file says; what it does not name stays."""
        for name in self.latency.model_fields_set:
            setattr(latency, f"{name}_s", getattr(self.latency, name))


class FaultPlan:
    """The rules of one phone, and how far it is in them."""

    def __init__(self, rules: Sequence[Rule], seed: int) -> None:
        self._rules = [*rules]
        self._random = [random.Random(f"{seed}/{index}") for index in range(len(rules))]
        self._seen = [0] * len(rules)
        self._came = [0] * len(rules)

    def step(self, operation: Operation, faults: Faults) -> list[Rule]:
        """An operation begins: the rules that come now. One whose fault is armed already waits."""
        coming: list[Rule] = []
        for index, rule in enumerate(self._rules):
            if rule.of != operation:
                continue
            self._seen[index] += 1
            over = rule.times and self._came[index] >= rule.times
            if over or self._seen[index] <= rule.after or getattr(faults, rule.fault):
                continue
            if self._random[index].random() < rule.probability:
                self._came[index] += 1
                coming.append(rule)
        return coming


def read_faults(path: Path) -> FaultFile:
    """Read a fault file. Raises FaultFileError."""
    try:
        text = path.read_text()
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        raise FaultFileError(f"{path}: {reason}") from None
    try:
        tree = yaml.compose(text, yaml.SafeLoader)
        data = yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise FaultFileError(f"{path}: {' '.join(str(error).split())}") from None
    try:
        return FaultFile.model_validate({} if data is None else data)
    except ValidationError as error:
        problems = [
            f"{path}:{_line(tree, problem['loc'])}: {'.'.join(map(str, problem['loc'])) or 'file'}: "
            + problem["msg"].removeprefix("Value error, ")
            for problem in error.errors()
        ]
        raise FaultFileError("\n".join(problems)) from None


def _line(node: yaml.Node | None, place: tuple[int | str, ...]) -> int:
    """The line of a value, or of the nearest one around it that the file has."""
    line = 1 if node is None else node.start_mark.line + 1
    for step in place:
        if isinstance(node, yaml.MappingNode):
            found = [(key, value) for key, value in node.value if key.value == str(step)]
            if not found:
                break
            line, node = found[0][0].start_mark.line + 1, found[0][1]
        elif isinstance(node, yaml.SequenceNode) and isinstance(step, int) and step < len(node.value):
            node = node.value[step]
            line = node.start_mark.line + 1
    return line

"""What the rule filters are set to: a frozen value with a digest, read from a YAML file."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Literal, get_args

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from emulator_farm.errors import CallerError

RuleName = Literal[
    "no_terminal_action",
    "short_abnormal",
    "repeated_action",
    "cycle",
    "no_change",
    "parse_failure",
    "point_outside",
    "black_frame",
    "missing_frame",
    "stale_frame",
    "answer_missing",
    "checker_failed",
    "duplicate",
]
"""Every rule, in the order in which they are reported."""

RULE_NAMES: tuple[RuleName, ...] = get_args(RuleName)


class RuleSettings(BaseModel):
    """Thresholds of the rules, which of them are on, and when a bad episode is cut instead of rejected."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    disabled: tuple[RuleName, ...] = ()
    """Rules that are off."""
    grid_px: int = Field(default=50, ge=1)
    """Points in the same cell of a grid of this many pixels count as the same."""
    short_steps: int = Field(default=3, ge=1)
    """`short_abnormal`: an episode of fewer decisions than this is short."""
    repeat_count: int = Field(default=5, ge=2)
    """`repeated_action`: this many equal actions in a row."""
    repeat_ignores: tuple[str, ...] = ("scroll", "press delete", "press volume_up", "press volume_down")
    """`repeated_action`: types of action and keys that may be repeated, since one is rarely enough."""
    cycle_steps: int = Field(default=6, ge=4)
    """`cycle`: a pattern must fill at least this many steps, and be played at least twice."""
    cycle_longest: int = Field(default=5, ge=2)
    """`cycle`: the longest pattern looked for; the shortest is 2."""
    no_change_count: int = Field(default=3, ge=1)
    """`no_change`: this many actions without effect, anywhere in the episode."""
    status_bar: float = Field(default=0.04, ge=0, le=0.5)
    """`no_change`: part of the height at the top where changes (the clock) do not count."""
    parse_failures: int = Field(default=1, ge=1)
    """`parse_failure`: this many replies that could not be read."""
    points_outside: int = Field(default=1, ge=1)
    """`point_outside`: this many taps on nothing."""
    pass_mark: float = Field(default=1.0, ge=0, le=1)
    """`checker_failed`: the least reward that passes."""
    cut: Literal["never", "passed", "any"] = "passed"
    """When the steps before the first bad one are kept: never; where the episode as a whole passed, so that the prefix
    lies on a way to the goal; or in any case."""
    cut_least_steps: int = Field(default=3, ge=1)
    """A shorter prefix is not worth keeping."""

    @field_validator("disabled")
    @classmethod
    def _in_order(cls, disabled: tuple[RuleName, ...]) -> tuple[RuleName, ...]:
        return tuple(name for name in RULE_NAMES if name in disabled)

    @property
    def digest(self) -> str:
        """16 hex digits, the same for the same settings."""
        return hashlib.sha256(self.model_dump_json().encode()).hexdigest()[:16]

    def is_on(self, rule: RuleName) -> bool:
        return rule not in self.disabled

    @classmethod
    def load(cls, path: Path) -> RuleSettings:
        """Read a YAML mapping of settings; the rest have their defaults. Raises CallerError naming every fault."""
        try:
            data = yaml.safe_load(path.read_text("utf-8"))
        except OSError as error:
            raise CallerError(f"{path}: the filter settings cannot be read: {error.strerror}") from error
        except (yaml.YAMLError, UnicodeDecodeError) as error:
            raise CallerError(f"{path} is not YAML: {' '.join(str(error).split())}") from error
        if not isinstance(data, dict):
            found = "nothing" if data is None else f"a {type(data).__name__}"
            raise CallerError(f"{path}: expected a mapping of settings (for instance `repeat_count: 5`), found {found}")
        try:
            return cls.model_validate(data)
        except ValidationError as error:
            raise CallerError(f"{path}: {'; '.join(map(_fault, error.errors()))}") from error


def _fault(error: object) -> str:
    assert isinstance(error, dict)
    name = ".".join(str(part) for part in error["loc"])
    if error["type"] == "extra_forbidden":
        return f"unknown setting {name!r}; known: {', '.join(RuleSettings.model_fields)}"
    return f"{name}: {error['msg']} (got {error['input']!r})"

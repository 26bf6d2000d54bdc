"""What a person picks a model by: scores, memory, grammar, and what is known to be wrong with the vendors' scripts.

The facts that no adapter needs stand in `catalogue.toml`, the others come from the adapters' declarations.
`docs/models.md` is this as a table, and `agent-server adapters` prints it.
"""

from __future__ import annotations

import functools
import tomllib
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from pydantic import BaseModel, ConfigDict

from agent_server.adapters import ADAPTERS, Absolute, Relative, Space
from agent_server.vendor_prompts.recipes import RECIPES

_BYTES_PER_PARAMETER = 2
"""Of bfloat16, in which all of these are published."""

HEADS = (
    "adapter", "base", "AndroidWorld", "writes", "coordinates", "images", "history", "answer in", "weights (GB)",
    "prompt", "beware",
)  # fmt: skip


class Entry(BaseModel):
    """One family and version."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    base: str
    """The model that it was trained from."""
    sizes: dict[str, float]
    """Parameters in billions, vision tower included, by the name of the size; empty where any model will do."""
    writes: str
    """A click in its grammar."""
    androidworld: str
    """Published success on AndroidWorld in percent with its source, and what others measured."""
    beware: str = "-"
    """What the vendor's published scripts get wrong, and where this service differs."""

    @property
    def memory(self) -> str:
        """GB that the weights take, by size."""
        return ", ".join(f"{name} {billions * _BYTES_PER_PARAMETER:.0f}" for name, billions in self.sizes.items())


@functools.cache
def catalogue() -> Mapping[str, Entry]:
    """The entry of every adapter by its name."""
    entries = tomllib.loads(Path(__file__).with_name("catalogue.toml").read_text("utf-8"))
    return MappingProxyType({name: Entry.model_validate(entry) for name, entry in entries.items()})


def rows() -> list[tuple[str, ...]]:
    """The cells of every family under `HEADS`, in the order of the adapters."""
    return [_row(name) for name in ADAPTERS]


def _row(name: str) -> tuple[str, ...]:
    declared, entry = ADAPTERS[name].declaration, catalogue()[name]
    told = {None: "all", 0: "none"}.get(declared.history_limit, f"last {declared.history_limit}")
    by_size = [f"{size.upper()}: {_said(space)}" for size, space in declared.space_by_model]
    return (
        name,
        entry.base,
        entry.androidworld,
        entry.writes,
        "; ".join([_said(declared.space), *by_size]),
        str(declared.images),
        f"{declared.history}, {told}",
        declared.answer_in or "-",
        entry.memory or "-",
        _prompt(name) if entry.sizes else "shipped",
        entry.beware,
    )


def _prompt(adapter: str) -> str:
    """Whose prompt comes with it, and what fetches the vendor's."""
    for recipe in RECIPES.values():
        if any(template.name in (adapter, f"{adapter}.system") for template in recipe.templates):
            return f"shipped, not the vendor's: `agent-server prompts fetch {recipe.name}`"
    return "shipped, not the vendor's"


def _said(space: Space) -> str:
    match space:
        case Absolute(factor, low, high):
            return f"pixels, /{factor}, {low}..{high}"
        case Relative(divisor, longest_side):
            return f"0..{divisor:g}" + (f", longest side {longest_side}" if longest_side else "")

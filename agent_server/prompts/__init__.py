"""The prompt templates, one file each, and the set of them that a server uses.

What a template may use depends on what it asks (`variables_of`). An adapter's for actions: `goal`, `steps` (one string
per told earlier step), `first_step` (the number of the first of them, counting from 0), `app`, `language`, `width` and
`height` (the extent of the model's coordinates: the size of the image as it sees it, or 1000 or 999). For grounding,
`<adapter>.ground.jinja`: `element`, `language`, `width` and `height`. The judge's, `judge.<part>.jinja`: see
`agent_server.judge`. A template is data that an operator may replace, so it runs in jinja's sandbox and an undefined
name is an error.
"""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

import jinja2
import jinja2.meta
from jinja2.sandbox import ImmutableSandboxedEnvironment

from agent_server.errors import InvalidRequest
from agent_server.prompts.origin import CUSTOM_ORIGIN, SHIPPED_ORIGIN, origins_of
from agent_server.regular_file import read_regular

_TEMPLATE_ERRORS = (jinja2.TemplateError, ArithmeticError, AttributeError, LookupError, TypeError, ValueError)
"""What rendering can raise: a template computes, so its mistakes are Python's too."""
SHIPPED = Path(__file__).parent
_ACT = {
    "goal": "goal", "steps": ["step"], "first_step": 0, "app": "app", "language": "English", "width": 1, "height": 1,
}  # fmt: skip
_GROUND = {"element": "element", "language": "English", "width": 1, "height": 1}
_JUDGE = {
    "goal": "goal",
    "steps": [{"number": 1, "thought": "thought", "action": "action", "summary": "summary", "raw": ""}],
    "frames": [{"number": 1, "step": 0}],
    "frame": {"number": 1, "step": 0},
    "last": 1,
    "answer": "answer",
    "criteria": "criteria",
    "best": 10,
    "language": "English",
}
VARIABLES = frozenset(_ACT)
"""What the templates of an adapter's `messages` may use."""
JUDGE = "judge"
GROUND_SUFFIX = ".ground"


def variables_of(name: str) -> Mapping[str, object]:
    """What the template called `name` may use, each with a value of its kind."""
    if name.startswith(f"{JUDGE}."):
        return _JUDGE
    return _GROUND if name.endswith(GROUND_SUFFIX) else _ACT


@dataclass(frozen=True)
class PromptSet:
    """Templates by name; `<adapter>.jinja`, or `<adapter>.<part>.jinja` where an adapter has several."""

    sources: Mapping[str, str]
    """Name (the file name without `.jinja`) to text."""
    origins: Mapping[str, str] = field(default_factory=dict)
    """Where those come from that are not the shipped ones: see `agent_server.prompts.origin`."""

    @classmethod
    def load(cls, folder: Path | None = None) -> Self:
        """The shipped templates, those of the same name in `folder` in their place.

        Raises InvalidRequest for a folder that is missing, holds a template that nothing uses, or one that does not
        render.
        """
        sources = _read(SHIPPED)
        origins: dict[str, str] = {}
        if folder is not None:
            if not folder.is_dir():
                raise InvalidRequest(f"the prompt folder {folder} does not exist")
            replaced = _read(folder)
            unknown = sorted(set(replaced) - set(sources))
            if unknown or not replaced:
                found = f"{unknown[0]}.jinja, which nothing uses" if unknown else "no .jinja file"
                names = ", ".join(f"{name}.jinja" for name in sorted(sources))
                raise InvalidRequest(f"{folder} holds {found}; templates are called {names}")
            other = {name: text for name, text in replaced.items() if text != sources[name]}
            origins = origins_of(folder, other)
            sources |= other
        prompts = cls(sources, origins)
        for name in sources:
            prompts._check(name)
        return prompts

    def render(self, name: str, **values: object) -> str:
        """Fill in one template. Raises InvalidRequest where it fails on these values."""
        try:
            return _compiled(self.sources[name]).render(values).strip()
        except _TEMPLATE_ERRORS as error:
            raise InvalidRequest(f"the prompt template {name}.jinja fails: {error}", status=500) from error

    def digest(self, adapter: str) -> str:
        """16 hex digits that change when any of the templates does that `names` gives."""
        digest = hashlib.sha256()
        for name in self.names(adapter):
            digest.update(f"{name}\0{self.sources[name]}\0".encode())
        return digest.hexdigest()[:16]

    def origin(self, adapter: str) -> str:
        """Whose prompt it is: "shipped" (written here, not the vendor's), "custom", or "vendor: NAME VERSION".

        Where some of its templates are the vendor's and the others shipped, it counts as the vendor's.
        """
        found = {self.origins[name] for name in self.names(adapter) if name in self.origins}
        return found.pop() if len(found) == 1 else CUSTOM_ORIGIN if found else SHIPPED_ORIGIN

    def names(self, adapter: str) -> list[str]:
        """The templates that an adapter's messages are made of; `judge` and `<adapter>.ground` have their own."""
        mine = [name for name in self.sources if name == adapter or name.startswith(f"{adapter}.")]
        return sorted(name for name in mine if name == adapter or not name.endswith(GROUND_SUFFIX))

    def _check(self, name: str) -> None:
        try:
            unknown = jinja2.meta.find_undeclared_variables(_ENVIRONMENT.parse(self.sources[name]))
            unknown -= variables_of(name).keys() | _ENVIRONMENT.globals.keys()
        except jinja2.TemplateSyntaxError as error:
            raise InvalidRequest(f"the prompt template {name}.jinja, line {error.lineno}: {error.message}") from error
        if unknown:
            known = ", ".join(sorted(variables_of(name)))
            raise InvalidRequest(f"the prompt template {name}.jinja uses {sorted(unknown)[0]!r}; it may use {known}")
        self.render(name, **variables_of(name))


def write_shipped(folder: Path) -> list[Path]:
    """Write the shipped templates into `folder` as a starting point; returns the files.

    Raises FileExistsError rather than overwrite a file.
    """
    folder.mkdir(parents=True, exist_ok=True)
    sources = _read(SHIPPED)
    for name in sources:
        if (folder / f"{name}.jinja").exists():
            raise FileExistsError(f"{folder / f'{name}.jinja'} exists; give an empty folder")
    written = []
    for name, text in sorted(sources.items()):
        path = folder / f"{name}.jinja"
        path.write_text(text, encoding="utf-8")
        written.append(path)
    return written


@functools.lru_cache(maxsize=256)
def _compiled(source: str) -> jinja2.Template:
    """Compiling takes milliseconds, rendering a tenth of one, and every decision renders."""
    return _ENVIRONMENT.from_string(source)


def _read(folder: Path) -> dict[str, str]:
    return {path.name.removesuffix(".jinja"): _text(path) for path in sorted(folder.glob("*.jinja"))}


def _text(path: Path) -> str:
    try:
        return read_regular(path).decode().replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        raise InvalidRequest(
            f"{path} is not UTF-8 text: byte {error.start} is {error.object[error.start]:#04x}"
        ) from error


_ENVIRONMENT = ImmutableSandboxedEnvironment(
    undefined=jinja2.StrictUndefined, autoescape=False, trim_blocks=True, lstrip_blocks=True
)

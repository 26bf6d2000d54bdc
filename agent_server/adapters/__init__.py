"""One adapter per version of a model family.

To add a family: write one file with a subclass of `Adapter`, its templates in `agent_server/prompts/`, and one line in
`_ALL`. Families import neither each other nor anything of the server but actions, geometry, schemas, prompts, errors.
"""

from __future__ import annotations

from agent_server.adapters.adapter import (
    Absolute,
    Adapter,
    Constraint,
    Declaration,
    ModelFrame,
    Parsed,
    Processor,
    Relative,
    Space,
)
from agent_server.adapters.agentcpm import AgentCpmGui
from agent_server.adapters.autoglm import AutoGlmPhone
from agent_server.adapters.gelab import GelabZero
from agent_server.adapters.grounding import Grounder, Grounding, Place
from agent_server.adapters.gui_owl import GuiOwl10, GuiOwl15
from agent_server.adapters.mai_ui import MaiUi
from agent_server.adapters.openai import OpenAiJson, OpenAiTools
from agent_server.adapters.prompt import CURRENT, ImagePart, Message, PromptInput, TextPart, Turn
from agent_server.adapters.qwen_vl import Qwen3Vl, Qwen25Vl
from agent_server.adapters.ui_tars import UiTars10, UiTars15
from agent_server.adapters.ui_venus import UiVenus10, UiVenus15
from agent_server.adapters.ui_venus_ground import UiVenusGround10, UiVenusGround15
from agent_server.errors import UnknownName
from agent_server.prompts import PromptSet, write_shipped

_ALL: tuple[Adapter, ...] = (
    UiVenus10(),
    UiVenus15(),
    UiTars10(),
    UiTars15(),
    Qwen25Vl(),
    Qwen3Vl(),
    MaiUi(),
    GuiOwl10(),
    GuiOwl15(),
    AutoGlmPhone(),
    AgentCpmGui(),
    GelabZero(),
    UiVenusGround10(),
    UiVenusGround15(),
    OpenAiTools(),
    OpenAiJson(),
)

ADAPTERS: dict[str, Adapter] = {adapter.name: adapter for adapter in _ALL}
"""Every adapter by name. Where two recognise a model's name, the earlier one is meant."""


def adapter_named(name: str) -> Adapter:
    """The adapter called `name`. Raises UnknownName, which lists them."""
    try:
        return ADAPTERS[name]
    except KeyError:
        raise UnknownName("adapter", name, ADAPTERS) from None


def adapter_for_model(model: str, flag: str = "--adapter") -> Adapter:
    """The adapter for a model by its name or path, for instance "inclusionAI/UI-Venus-Navi-7B".

    The last component of a path is looked at first, then the whole. Raises UnknownName, which lists the adapters and
    names the `flag` that chooses one.
    """
    for name in (model.rstrip("/").rpartition("/")[2], model):
        for adapter in ADAPTERS.values():
            if adapter.matches(name):
                return adapter
    raise UnknownName(f"model (no adapter knows it by name; choose one with {flag})", model, ADAPTERS)


__all__ = [
    "ADAPTERS",
    "CURRENT",
    "Absolute",
    "Adapter",
    "Constraint",
    "Declaration",
    "Grounder",
    "Grounding",
    "ImagePart",
    "Message",
    "ModelFrame",
    "Parsed",
    "Place",
    "Processor",
    "PromptInput",
    "PromptSet",
    "Relative",
    "Space",
    "TextPart",
    "Turn",
    "adapter_for_model",
    "adapter_named",
    "write_shipped",
]

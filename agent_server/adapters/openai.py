"""Any strong vision model through an OpenAI-compatible server: by tool calls, or by a JSON schema in place of them.

The tools are the actions of `agent_server.actions`, one function each; the schema is their union. Points count to 1000
over width and height, which the prompt says. What the model thinks is an argument of every call, because servers that
force a call leave no place beside it. Earlier steps are told in lines of the one user message.
"""

from __future__ import annotations

import json
import re
from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass

from agent_server.actions import ACTION_TYPES, Action, Answer, CallUser, Scroll, finger_to_view
from agent_server.adapters.action_schema import REPLY, TOOLS, UNITS
from agent_server.adapters.adapter import Declaration, Relative
from agent_server.adapters.any_syntax import ACTION_LINE, CALL_LINE, OBJECT_LINE, bare_reader, reader
from agent_server.adapters.arguments import TEXT, Arguments
from agent_server.adapters.box_grounder import BoxGrounder
from agent_server.adapters.ending import ended
from agent_server.adapters.history import map_of, one_line, progress
from agent_server.adapters.phone_verbs import VERBS, phone_action
from agent_server.adapters.prompt import Message, PromptInput, Turn
from agent_server.adapters.reply import Call, Reply, Value
from agent_server.adapters.thoughts import Outline, marker, outline, thinking, without_special_tokens
from agent_server.adapters.tool_call import resolved, write_tool_call
from agent_server.geometry import CoordinateMap, Point
from agent_server.prompts import GROUND_SUFFIX, PromptSet

_ASKS = {"calluser", "askuser"}
_ENDS = {"finished", "finish", "terminate", "done"}
_TYPES = frozenset(ACTION_TYPES)
_VERBS = VERBS | _ASKS | _ENDS | {"answer"}
_MARKED = marker(r"<tool_call>", r"(?=<function[=\s])", OBJECT_LINE)
_UNMARKED = marker(ACTION_LINE, CALL_LINE)
_AMID = marker(r"(?=\{\s{0,20}[\"'“])")
_REMARKS = re.compile(r"</?(?:answer|tool_call|action)>|```\w{0,10}", re.IGNORECASE)
_THOUGHTS = ("thought", "thoughts", "thinking", "reasoning", "rationale")


@dataclass(frozen=True)
class OpenAi(BoxGrounder):
    """What both ways of asking share; either reads the replies of the other."""

    held = True

    def split(self, text: str) -> Reply:
        found = (
            _calls_only(outline(text, _MARKED, reader(_VERBS, _TYPES)))
            or _calls_only(outline(text, _UNMARKED, bare_reader(_VERBS, _TYPES)))
            or _calls_only(outline(text, _AMID, bare_reader(_VERBS, _TYPES)))
        )
        if found is None:
            said = thinking(text) or without_special_tokens(text)
            return Reply(said, problem="the reply calls no tool and holds no JSON that names an action")
        calls = tuple(map(_plain, found.calls))
        parts = (_REMARKS.sub("", found.before).strip(), _thought(calls[0]))
        return Reply("\n".join(filter(None, parts)), "", calls)

    def act(self, reply: Reply, map: CoordinateMap) -> Action:
        arguments = Arguments(reply.calls[0], map)
        match arguments.verb:
            case "answer":
                return Answer(text=arguments.text(*TEXT))
            case verb if verb in _ASKS:
                return CallUser(text=arguments.optional_text(*TEXT) or "")
            case verb if verb in _ENDS:
                return ended(arguments, default="success")
            case _:
                return phone_action(arguments)

    def render(self, action: Action, map: CoordinateMap, thought: str | None = None, summary: str | None = None) -> str:
        """The summary has no place and is dropped. A scroll with a path goes by it, whatever its direction says."""
        said: dict[str, Value] = {"thought": thought.strip()} if thought and thought.strip() else {}
        return self._reply(said, action.type, _arguments(action, map))

    @abstractmethod
    def _reply(self, said: dict[str, Value], kind: str, arguments: dict[str, Value]) -> str: ...

    def _step(self, turn: Turn, prompt: PromptInput) -> str:
        """An earlier step on one line: what it thought and did, or what it wrote and why that did nothing."""
        if turn.action is None:
            said = one_line(without_special_tokens(turn.raw or turn.thought or turn.summary or "nothing"))
            return f"{said} [not carried out: {one_line(turn.parse_error.message)}]" if turn.parse_error else said
        call = json.dumps(_arguments(turn.action, map_of(self, turn, prompt)), ensure_ascii=False)
        why = one_line(turn.thought or turn.summary or "")
        return f"{why} -> {turn.action.type} {call}" if why else f"{turn.action.type} {call}"

    @property
    def ground_template(self) -> str:
        """One for tools and for schemas alike: where an element is needs neither."""
        return f"openai{GROUND_SUFFIX}"

    def messages(self, prompt: PromptInput, templates: PromptSet) -> list[Message]:
        return progress(self, prompt, templates, self._step)


OPENAI = Declaration(
    name="openai",
    description="any vision model behind an OpenAI-compatible server with tool calling",
    model_patterns=(
        r"^(?:openai/)?gpt-[45]", r"^(?:anthropic/)?claude-", r"^(?:google/)?gemini-", r"glm-4(?:[._]\d+)?v",
        r"intern-?vl", r"kimi-(?:vl|k2[._]5)",
    ),
    space=Relative(UNITS),
    images=1,
    history="text",
    history_detail="thought and action of every earlier step, on one line each",
    message_order="system; user: text, image",
    sampling={},
    scroll="view-direction",
    ends=("finished", "call_user"),
    answer_in="answer",
)  # fmt: skip


@dataclass(frozen=True)
class OpenAiTools(OpenAi):
    """One call is forced, of a strict tool: what a server makes of that is an action."""

    declaration: Declaration = OPENAI

    def request_fields(self, prompt: PromptInput) -> Mapping[str, object]:
        return {"tools": TOOLS, "tool_choice": "required", "parallel_tool_calls": False}

    def _reply(self, said: dict[str, Value], kind: str, arguments: dict[str, Value]) -> str:
        return write_tool_call(said | arguments, kind)


OPENAI_JSON = Declaration(
    name="openai-json",
    description="any vision model behind an OpenAI-compatible server that can hold replies to a JSON schema",
    model_patterns=(),
    space=OPENAI.space,
    images=OPENAI.images,
    history=OPENAI.history,
    history_detail=OPENAI.history_detail,
    message_order=OPENAI.message_order,
    sampling=OPENAI.sampling,
    scroll=OPENAI.scroll,
    ends=OPENAI.ends,
    answer_in=OPENAI.answer_in,
)


@dataclass(frozen=True)
class OpenAiJson(OpenAi):
    """The reply is one object: thought and action."""

    declaration: Declaration = OPENAI_JSON

    def request_fields(self, prompt: PromptInput) -> Mapping[str, object]:
        schema = {"name": "step", "strict": True, "schema": REPLY}
        return {"response_format": {"type": "json_schema", "json_schema": schema}}

    def _reply(self, said: dict[str, Value], kind: str, arguments: dict[str, Value]) -> str:
        return json.dumps({**said, "action": {"type": kind, **arguments}}, ensure_ascii=False)


def _calls_only(found: Outline | None) -> Outline | None:
    return found if found and found.calls else None


def _plain(call: Call) -> Call:
    """A call under the tool's own name: servers and models put namespaces before it and numbers behind it."""
    call = resolved(call)
    name = call.name.rpartition(".")[2].partition(":")[0]
    return Call(name, call.arguments, call.positional, call.source) if name else call


def _thought(call: Call) -> str:
    """What the model says in the arguments of its call about why."""
    said = next((call.arguments[name] for name in _THOUGHTS if call.arguments.get(name)), "")
    return said.strip() if isinstance(said, str) else ""


def _arguments(action: Action, map: CoordinateMap) -> dict[str, Value]:
    """The fields of an action that are not null, points in the model's units."""
    fields: dict[str, Value] = {}
    for name, value in action:
        if isinstance(value, Point):
            fields[name] = [round(part) for part in map.to_model(value)]
        elif name != "type" and value is not None:
            fields[name] = value
    if isinstance(action, Scroll) and action.start is not None and action.end is not None:
        fields |= _path(action.start, action.end, map)
        if fields["start"] == fields["end"]:
            fields.pop("end")
    return fields


def _path(start: Point, end: Point, map: CoordinateMap) -> dict[str, Value]:
    """The direction of a path as it will be read; none where start and end are the same place then."""
    said = [map.to_device(*map.to_model(point)) for point in (start, end)]
    return {} if said[0] == said[1] else {"direction": finger_to_view(*said)}

"""Telling what a model thinks from what it asks for.

Thinking stands in tags; some models leave one of them out, write two blocks, or try calls out inside. A call counts
only where it stands outside of thinking. Of a block that is never closed, calls count if nothing but closing remarks
follows them: there the model forgot the tag; a call in the midst of open thoughts is a thought.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from agent_server.adapters.literal import Scanner
from agent_server.adapters.reply import Call

_THINK = r"</?(?:think|thinking|thinkt|thought|seed:think|grounding_think)\b[^<>]{0,20}>"
_THINK_TAG = re.compile(_THINK, re.IGNORECASE)
_CLOSING_REMARKS = re.compile(
    r"(?:\s|</?(?:action|answer|tool_call|seed:tool_call|function|think|thinking)>|<\|\w{1,20}\|>|\[EOS\]|`"
    r"|<conclusion>[^<]*+(?:</conclusion>)?|[)）\]}'\";])*+",
    re.IGNORECASE,
)
_TAGS = re.compile(
    r"<(?=/?(?:think|thinking|thinkt|thought|seed:think|grounding_think|action|conclusion|answer|tool_call|"
    r"seed:tool_call|function|parameter)\b|\|)",
    re.IGNORECASE,
)
_DECORATION = re.compile(r"\A[\s*]++")
_SPECIAL = re.compile(r"<\|(?:im_start\|>assistant\n|(?:im_start|im_end|endoftext|begin_of_box|end_of_box)\|>)|\[EOS\]")


@dataclass(frozen=True)
class Outline:
    """A reply in parts."""

    before: str
    """What stands before the first call, without the tags of thinking."""
    calls: tuple[Call, ...]
    after: str
    """What follows the calls that stand with the first one."""


@dataclass(frozen=True)
class _Run:
    """Calls that stand together; positions are those of their marker and of what follows them."""

    start: int
    end: int
    calls: list[Call]


def marker(*patterns: str) -> re.Pattern[str]:
    """A pattern for `outline` from alternatives for what introduces calls."""
    return re.compile(rf"(?P<think>{_THINK})|{'|'.join(patterns)}", re.IGNORECASE | re.MULTILINE)


def outline(text: str, markers: re.Pattern[str], read: Callable[[Scanner], list[Call]]) -> Outline | None:
    """Find the calls outside of thinking; None where no marker stands there.

    `read` takes calls from behind a marker and leaves the scanner behind them.
    """
    scanner = Scanner(text)
    runs: list[_Run] = []
    before_stray: list[_Run] = []
    while match := markers.search(text, scanner.pos):
        scanner.pos = match.end()
        if not match["think"]:
            runs.append(_run(scanner, match.start(), read))
        elif match["think"].startswith("</"):
            trailing = bool(runs) and only_remarks(text, runs[-1].end, match.start())
            before_stray, runs = (runs if trailing else []), []
        else:
            tag = _THINK_TAG.search(text, match.end())
            if tag and tag.group().startswith("</"):
                scanner.pos = tag.end()
            else:
                runs += _runs_of_open_block(scanner, markers, read, tag.start() if tag else len(text))
    runs = runs or before_stray
    if not runs:
        return None
    first = next((run for run in runs if run.calls), runs[0])
    calls = tuple(call for run in runs for call in run.calls)
    return Outline(_plain(text[: first.start]), calls, text[first.end :])


def thinking(text: str) -> str:
    """What stands between tags of thinking in a reply that holds no call, the last of them possibly left open."""
    start = _THINK_TAG.search(text)
    if start is None:
        return ""
    ends = [tag.start() for tag in _THINK_TAG.finditer(text, start.end()) if tag.group().startswith("</")]
    return _plain(text[start.end() : ends[-1] if ends else len(text)])


def thinks_on(text: str) -> bool:
    """Whether the last block of thinking is never closed."""
    tags = [tag.group() for tag in _THINK_TAG.finditer(text)]
    return bool(tags) and not tags[-1].startswith("</")


def without_thinking(text: str) -> str:
    """What is said outside of thinking: a block that is closed is left out, one that stays open is taken as said."""
    ends = [tag.end() for tag in _THINK_TAG.finditer(text) if tag.group().startswith("</")]
    return _plain(text[ends[-1] :] if ends else text)


def _plain(text: str) -> str:
    """Text without tags of thinking and chat tokens."""
    return _SPECIAL.sub("", _THINK_TAG.sub("\n", text)).strip()


def sections(text: str, heads: re.Pattern[str]) -> dict[str, str]:
    """The parts of a text by the head before each (group 1, lower case; the first of a name counts).

    What stands before the first head goes by the empty name.
    """
    found = list(heads.finditer(text))
    ends = [head.start() for head in found] + [len(text)]
    parts = {"": text[: ends[0]].strip()}
    for head, end in zip(found, ends[1:], strict=True):
        parts.setdefault(head[1].lower(), text[head.end() : end].strip())
    return parts


def only_remarks(text: str, start: int, end: int | None = None) -> bool:
    """Whether nothing between two positions asks for or says anything: closing tags, conclusions, stray tokens."""
    end = len(text) if end is None else end
    match = _CLOSING_REMARKS.match(text, start, end)
    return match is not None and match.end() >= end


def defused(text: str, heads: re.Pattern[str] | None = None) -> str:
    """`text` fit to be quoted as a thought: no tag of any grammar in it.

    For grammars of headed lines, `heads` are those: no line begins like one, and neither fences nor asterisks are left
    where a reader would take them for its decoration.
    """
    text = _TAGS.sub("‹", text).replace("[EOS]", "‹EOS›")
    if heads:
        text = _DECORATION.sub("", text.replace("```", "'''"))
        text = heads.sub(lambda head: head.group().replace(":", "…").replace("：", "…"), text)
    return text.strip()


def without_special_tokens(text: str) -> str:
    """Text of an earlier reply without tokens that would end a chat turn."""
    return _SPECIAL.sub("", text).strip()


def _run(scanner: Scanner, start: int, read: Callable[[Scanner], list[Call]]) -> _Run:
    calls = read(scanner)
    scanner.pos = max(scanner.pos, start + 1)
    return _Run(start, scanner.pos, calls)


def _runs_of_open_block(
    scanner: Scanner, markers: re.Pattern[str], read: Callable[[Scanner], list[Call]], limit: int
) -> list[_Run]:
    """The runs at the end of a block that no tag closes before `limit`."""
    runs: list[_Run] = []
    while (match := markers.search(scanner.text, scanner.pos, limit)) and not match["think"]:
        scanner.pos = match.end()
        runs.append(_run(scanner, match.start(), read))
    end = max(scanner.pos, limit)
    kept = len(runs)
    for index in reversed(range(len(runs))):
        following = runs[index + 1].start if index + 1 < len(runs) else end
        if not only_remarks(scanner.text, runs[index].end, following):
            break
        kept = index
    scanner.pos = end
    return runs[kept:]

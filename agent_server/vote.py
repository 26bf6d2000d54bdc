"""What a judge says: a score with a reason, a refusal, or neither.

Judges are asked for one JSON object and write much else: `<score>` tags, "Score: 7/10", a bare number. The last score
outside of thinking counts, one that says it is final before others. Nothing becomes a score that is not one: a reply
without one is a refusal where it says so, else a parse error.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from agent_server.adapters.literal import Scanner
from agent_server.adapters.reply import Unreadable, Value, well_formed
from agent_server.adapters.thoughts import thinks_on, without_thinking
from agent_server.schemas import ParseError

LONGEST_REPLY = 60_000
"""In characters; a verdict has a few hundred."""
_OBJECTS = 50
_DEPTH = 3
_SCORES = ("score", "final_score", "overall_score", "rating", "评分", "得分", "分数")
_REASONS = ("reason", "reasoning", "explanation", "rationale", "justification", "analysis", "理由", "原因")
_FLAGS = ("success", "verdict", "passed", "completed")
_YES, _NO = {"true", "yes", "success", "successful", "pass", "passed"}, {"false", "no", "failure", "failed", "fail"}
_N = r"[-+]?[0-9]{1,6}(?:\.[0-9]{1,6})?"
_SCORE = rf"(?P<score>{_N})(?:[\s*_`\]]{{0,4}}(?:/|／|out of|of)[\s*_`]{{0,4}}(?P<whole>{_N})|\s{{0,2}}(?P<percent>%))?"
_WRITTEN = re.compile(rf"[\s*_`\[(]*+{_SCORE}[\s*_`.)\]]*+")
_TAG = re.compile(r"<score>([^<]{0,60})(?:</score>|$)", re.IGNORECASE)
_REASON_TAG = re.compile(r"<(reason|reasoning|explanation)>([^<]*+)", re.IGNORECASE)
_LINE = re.compile(
    r"(?P<final>(?:final|overall|total|最终|总)[\s*_]{0,3})?(?:\bscore\b|\brating\b|评分|得分|分数|打分)"
    r"(?:[\s*_`\"']{0,4}[(（\[][^()（）\[\]\n]{0,20}[)）\]])?[\s*_`\"')]{0,8}"
    r"(?:(?P<sign>[=:：])|is|of|为|是)?[\s*_`\"'(\[]{0,8}"
    rf"(?:{_SCORE}|(?P<none>null|none|n/?a|unknown)\b)",
    re.IGNORECASE,
)
_QUOTED = re.compile(r"\"[^\"\n]{0,300}\"|“[^”\n]{0,300}”|「[^」\n]{0,300}」|『[^』\n]{0,300}』")
_RANGE = re.compile(rf"\s{{0,2}}(?:[-–—~～]|或|到|至|,(?=\d)|(?:or|to)\b)\s{{0,2}}{_N}", re.IGNORECASE)
_OPENING = re.compile(
    r"(?:^|[\n.!。！])[\s*_#>`-]{0,8}(?:(?:so|thus|therefore|hence),?\s)?(?:(?:the|my)\s)?$", re.IGNORECASE
)
"""What may stand between the start of a sentence and the word for the score where no sign follows it."""
_OBJECT = re.compile(r"\{[^{}]{0,2000}\}")
_PLACEHOLDER = {"...", "…", "<reason>", "‹reason›"}
_REASON_LINE = re.compile(r"(?:\breason(?:ing)?\b|\bexplanation\b|理由|原因)[\s*_]{0,3}[:：][\s*_]{0,3}", re.IGNORECASE)
_REFUSAL = re.compile(
    r"\b(?:cannot|can['’]t|can not|could not|couldn['’]t|unable to|not able to|impossible to|not possible to)\s"
    r"(?:\w{1,14}\s){0,2}(?:judge|tell|determine|assess|evaluate|score|rate|say|verify|decide|conclude|assist|help)\b"
    r"|\b(?:insufficient|not enough|too little)\s(?:information|evidence|detail|context)"
    r"|无法(?:判断|确定|评估|评分|打分|得出|回答)|不能(?:判断|确定|评估|评分)|(?:信息|证据|依据)不足",
    re.IGNORECASE,
)


class _OutOfScale(ValueError):
    """A number that is no score on the scale."""


@dataclass(frozen=True)
class VoteReading:
    """Exactly one of `score`, `refused` and `parse_error` says something."""

    score: float | None = None
    """0 to 1."""
    reason: str | None = None
    refused: bool = False
    parse_error: ParseError | None = None


@dataclass(frozen=True)
class _Said:
    """A score as it was written, None where it is the word for none."""

    score: float | None
    out_of: float | None
    reason: str


def read_vote(text: str, best: int, *, cut: bool = False) -> VoteReading:
    """Read one reply of a judge that was asked for a score from 0 to `best`. Never raises.

    `cut` says that the reply ended because its tokens were used up: only an object or a tag that is whole counts then.
    """
    if len(text) > LONGEST_REPLY:
        return _malformed(f"the reply has {len(text)} characters; at most {LONGEST_REPLY} are read")
    text = well_formed(text)
    if thinks_on(text):
        return _malformed("the reply ends before its thinking does")
    reply = without_thinking(text)
    try:
        said = _in_json(reply, cut) or _in_tags(reply)
        if said is None and (cut or reply.rfind("{") > reply.rfind("}")):
            return _malformed("the reply was cut off before its score")
        said = said or _in_lines(reply) or _alone(_own(reply), best)
        if said is None:
            return _without_score(reply)
        reason = said.reason.strip() or None
        if said.score is None:
            return VoteReading(reason=reason, refused=True)
        return VoteReading(_share(said, best), reason)
    except Unreadable as refusal:
        return _malformed(str(refusal))
    except _OutOfScale as refusal:
        return VoteReading(parse_error=ParseError(kind="out_of_range", message=str(refusal)))


def _without_score(reply: str) -> VoteReading:
    if _REFUSAL.search(reply):
        return VoteReading(reason=reply.strip(), refused=True)
    return _malformed("the reply holds no score, and does not say that there can be none")


def _malformed(message: str) -> VoteReading:
    return VoteReading(parse_error=ParseError(kind="malformed", message=message))


def _share(said: _Said, best: int) -> float:
    """The score as a share of what it is out of."""
    assert said.score is not None
    whole = said.out_of if said.out_of is not None else float(best)
    if said.out_of is None and best > 1 and 0 < said.score < 1:
        raise _OutOfScale(f"{said.score:g} looks like a share of 1; the scale goes from 0 to {best}")
    if whole <= 0 or not 0 <= said.score <= whole:
        raise _OutOfScale(f"{said.score:g} is no score from 0 to {whole:g}")
    return said.score / whole


def _in_json(reply: str, cut: bool) -> _Said | None:
    """The last object that has a score; JSON as it should be goes before what only resembles it."""
    for objects in (_strict_objects(reply), () if cut else _loose_objects(reply)):
        found = [said for entry in objects if (said := _of_object(entry, 0))]
        if found:
            return found[-1]
    return None


def _strict_objects(reply: str) -> Iterator[Mapping[str, Value]]:
    decoder, at = json.JSONDecoder(strict=False), reply.find("{")
    for _ in range(_OBJECTS):
        if at < 0:
            return
        try:
            entry, end = decoder.raw_decode(reply, at)
        except (ValueError, RecursionError):
            end = at + 1
        else:
            yield entry
        at = reply.find("{", end)


def _loose_objects(reply: str) -> Iterator[Mapping[str, Value]]:
    scanner = Scanner(reply)
    for _ in range(_OBJECTS):
        scanner.pos = reply.find("{", scanner.pos)
        if scanner.pos < 0:
            return
        yield scanner.mapping()


def _of_object(entry: Mapping[str, Value], depth: int) -> _Said | None:
    named = {str(key).strip().lower(): value for key, value in entry.items()}
    reason = next((named[key] for key in _REASONS if isinstance(named.get(key), str)), "")
    if str(reason).strip().lower() in _PLACEHOLDER:
        return None  # the format, told again
    for key in _SCORES:
        if key in named:
            score, out_of = _number(named[key])
            return _Said(score, out_of, str(reason))
    for key in _FLAGS:
        word = str(named.get(key)).strip().lower()
        if word in _YES | _NO:
            return _Said(float(word in _YES), 1.0, str(reason))
    nested = [value for value in entry.values() if isinstance(value, dict)] if depth < _DEPTH else []
    return next((said for value in nested if (said := _of_object(value, depth + 1))), None)


def _number(value: Value) -> tuple[float | None, float | None]:
    """A score in a field, and what it says it is out of; a score that says "none" is None. Raises Unreadable."""
    match value:
        case None:
            return None, None
        case int() | float() if not isinstance(value, bool):
            return float(value), None
        case str():
            if value.strip().lower() in ("", "null", "none", "n/a", "na", "unknown"):
                return None, None
            if written := _WRITTEN.fullmatch(value):
                return _numbers(written[1], written[2], written[3])
    raise Unreadable(f"the score is {str(value)[:60]!r}, which is no number")


def _numbers(score: str, out_of: str | None, percent: str | None) -> tuple[float, float | None]:
    return float(score), 100.0 if percent else float(out_of) if out_of else None


def _in_tags(reply: str) -> _Said | None:
    tags = _TAG.findall(reply)
    if not tags:
        return None
    reasons = _REASON_TAG.findall(reply)
    score, out_of = _number(tags[-1])
    return _Said(score, out_of, reasons[-1][1] if reasons else _REASON_TAG.sub("", _TAG.sub("", reply)))


def _in_lines(reply: str) -> _Said | None:
    """The last "Score: 7/10", or the last that is called final; the reason is headed so, or all other lines."""
    lines = [line for line in _LINE.finditer(_own(reply)) if _is_verdict(line)]
    if not lines:
        return None
    finals = [line for line in lines if line["final"]]
    line = (finals or lines)[-1]
    start, end = reply.rfind("\n", 0, line.start()) + 1, reply.find("\n", line.end())
    rest = f"{reply[:start]}{reply[end:] if end >= 0 else ''}".strip()
    head = _REASON_LINE.search(rest or reply)
    reason = (rest or reply)[head.end() :] if head else rest or (reply if reply.strip() != line.group() else "")
    if line["none"]:
        return _Said(None, None, reason)
    if _RANGE.match(reply, line.end()):
        raise Unreadable(f"the score is a range or a list: {reply[line.start() : line.end() + 10]!r}")
    score, out_of = _numbers(line["score"], line["whole"], line["percent"])
    return _Said(score, out_of, reason)


def _own(reply: str) -> str:
    """The judge's own words, at their places: no quotation that names a score, and no example of the format."""
    return _OBJECT.sub(_masked, _QUOTED.sub(_masked, reply))


def _masked(quotation: re.Match[str]) -> str:
    """A quotation that names a score, out of sight: it is the screen's or the agent's, not the judge's."""
    return " " * len(quotation[0]) if _LINE.search(quotation[0]) else quotation[0]


def _is_verdict(line: re.Match[str]) -> bool:
    """Whether a line gives a score, rather than mentions one in a sentence."""
    if line["final"] or line["sign"] or line["whole"] or line["percent"] or line["none"]:
        return True
    return _OPENING.search(line.string, 0, line.start()) is not None


def _alone(reply: str, best: int) -> _Said | None:
    """A reply that is a number, or that names one number out of `best`."""
    if alone := _WRITTEN.fullmatch(reply):
        return _Said(*_numbers(alone[1], alone[2], alone[3]), "")
    fractions = re.findall(rf"(?<![\w./-])({_N})\s?/\s?{best}(?![\w./-])", reply)
    return _Said(float(fractions[-1]), float(best), reply) if fractions else None

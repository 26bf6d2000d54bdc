"""A goal in words, read into parts that rules can work through.

The reading is shallow on purpose: clauses, their verb, literal values, names, and the words that remain. What it cannot
read stays in `terms`, so that the screen decides what matches.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal, TypeAlias

from agent_server.baselines import vocabulary as v
from agent_server.baselines.clauses import Intent, extreme_of, intent_of, state_of, steps_of, terms_of
from agent_server.baselines.values import Value, ValueKind, mask, read_values, unmask
from agent_server.baselines.words import content, words

_LENGTH = 2_000

Table: TypeAlias = dict[str, tuple[str, ValueKind]]

_CAPITAL = r"[A-Z][\w&+’'-]*"
_RUN = rf"{_CAPITAL}(?:\s+(?:&\s+)?{_CAPITAL}){{0,3}}"
_THE = r"(?i:the\s+|my\s+|your\s+)?"
_END = r"(?=\s+(?:app|and|then|to)\b|\s*[,.;:?!]|\s*$)"
_SENTENCE = re.compile(r"(?:(?<=[?])|[.;!]+)(?=\s|$)\s*|\n+\s*")
_JOINT = re.compile(r",?\s+(?:and then|and|then)\s+|,\s+", re.I)
_CALLED_APP = re.compile(rf"\b(?:the|your|my)?\s*({_RUN}|[^\W\d_]+)\s+app(?:lication)?\b")
_OPENED = re.compile(rf"\b(?i:open|launch|start|go to|navigate to|use|using|visit)\s+{_THE}({_RUN}){_END}")
_IN_APP = (
    re.compile(rf"\b(?i:in|inside|within)\s+{_THE}({_RUN})"),
    re.compile(rf"\b(?i:from)\s+{_THE}({_RUN}){_END}"),
    re.compile(rf"\b(?i:in|inside|within)\s+{_THE}([^\W\d_]+)(?=\s*[,.;:?!]|\s*$)"),
)
_MENTIONS: tuple[tuple[re.Pattern[str], Literal["called", "opened", "likely"]], ...] = (
    (_CALLED_APP, "called"),
    *((pattern, "likely") for pattern in _IN_APP),
    (_OPENED, "opened"),
)
_OWNED = re.compile(
    rf"\b(?:of|for|from|with|to|named|called|(?:the|my)\s+[a-z]+)\s+(?:the\s+)?({_RUN})|({_RUN})(?=[’']s\b)"
)
_NAME_RUN = re.compile(rf"(?<!^)(?<![.!?]\s)\b({_RUN})")
_APPENDING = re.compile(
    r"\b(?:append|at the (?:end|bottom)|(?:add|insert)\s+(?:a|an|the|another)\s+(?:line|row|item|word|sentence))\b",
    re.I,
)
_SET_TO = re.compile(r"\b(?:to|as)\s+(?:the\s+)?([^,.;]+?)(?=\s+(?:in|on|using|from|for|with)\b|\s*[,.;]|\s*$)", re.I)
_REPLYING = v.bag("answer reply respond report give return tell")
_NAMING_WORDS = frozenset(stem for word in ("titled", "labelled", "labeled", "entitled") for stem in words(word))
_NAME_KEYS = (("name",), ("title",), ("label",))


@dataclass(frozen=True)
class App:
    """An app that the goal speaks of, and how: "the X app", "open X", or only "in X"."""

    name: str
    said: Literal["called", "opened", "likely"]

    @property
    def sure(self) -> bool:
        return self.said != "likely"


@dataclass(frozen=True)
class Part:
    """One thing to do. All word tuples hold stems."""

    intent: Intent
    text: str
    terms: tuple[str, ...] = ()
    """Content words without values, names and the app: where to go."""
    values: tuple[Value, ...] = ()
    """What to type, choose or set."""
    targets: tuple[str, ...] = ()
    """Texts of things that exist already: whom to open, what to delete."""
    state: bool | None = None
    """For toggles: wanted on or off."""
    extreme: Literal["highest", "lowest"] | None = None
    steps: int = 0
    """For changes by comparison ("two steps larger"): how far, and in which direction."""
    appends: bool = False
    """What is to be entered goes behind what is there already."""
    app: App | None = None
    """Where to do it, as far as the goal says."""

    @property
    def names(self) -> tuple[str, ...]:
        """All words that lead there: terms and those of the targets."""
        return _unique(*self.terms, *(stem for target in self.targets for stem in words(target)))

    def value(self, *kinds: ValueKind) -> Value | None:
        """The first value of one of these kinds."""
        return next((value for value in self.values if value.kind in kinds), None)


@dataclass(frozen=True)
class Goal:
    """`parts` in the order in which they are to be done; never empty."""

    text: str
    parts: tuple[Part, ...]


@lru_cache(maxsize=256)
def read_goal(text: str) -> Goal:
    """Read a goal, its first 2,000 characters. Never fails: a goal that says nothing has one part without terms."""
    masked, table = mask(text[:_LENGTH])
    apps = _apps(masked, table)
    app = apps[0] if apps else None
    parts: list[Part] = []
    for clause in _clauses(masked):
        app = next((other for other in apps if other.name in unmask(clause, table)), app)
        part = replace(_part(clause, table, apps), app=app)
        if _says_something(part) or part.intent in ("set", "create", "other"):
            parts = _join(parts, part)
    told = [single for part in parts if _says_something(part) for single in _singles(part)]
    return Goal(text, tuple(told) or (Part("open" if app else "other", text, app=app),))


def _clauses(masked: str) -> list[str]:
    """Sentences, cut again where a joint is followed by a verb."""
    clauses: list[str] = []
    for sentence in _SENTENCE.split(masked):
        start = 0
        for joint in _JOINT.finditer(sentence):
            if _first_word(sentence[joint.end() :]) in v.VERBS | v.ASK_WORDS:
                clauses.append(sentence[start : joint.start()])
                start = joint.end()
        clauses.append(sentence[start:])
    return [clause.strip() for clause in clauses if clause.strip()]


def _first_word(text: str) -> str:
    match = re.match(r"[^\W\d_]+", text)
    return match.group().lower() if match else ""


def _apps(masked: str, table: Table) -> tuple[App, ...]:
    """Apps by how the goal speaks of them: "the X app", "in X", "open X"; the last only where it stands alone."""
    found: dict[str, App] = {}
    for pattern, said in _MENTIONS:
        if said == "opened" and found:
            break
        for match in pattern.finditer(masked):
            name = unmask(match.group(1), table).strip()
            if words(name) and not set(words(name)) <= v.STOPWORDS | v.VERBS:
                found.setdefault(name, App(name, said))
                if said == "opened":
                    break
    return tuple(sorted(found.values(), key=lambda app: not app.sure))


def _part(clause: str, table: Table, apps: tuple[App, ...]) -> Part:
    bare = re.sub(r"[\ue000-\uf8ff]", " ", clause)
    intent = intent_of(bare, clause)
    values = read_values(clause, table)
    targets = _targets(clause, table, apps, intent)
    extreme = extreme_of(set(words(bare)))
    part = Part(
        intent,
        unmask(clause, table),
        terms_of(bare, intent, (app.name for app in apps)),
        tuple(values),
        targets,
        None,
        extreme,
    )
    if intent == "toggle":
        state = state_of(bare)
        part = replace(part, state=True if state is None and "toggle" not in words(bare) else state)
    elif intent == "set":
        part = replace(part, steps=steps_of(bare))
    return _without_names(_sorted_values(part))


def _targets(clause: str, table: Table, apps: tuple[App, ...], intent: Intent) -> tuple[str, ...]:
    """Names in a clause: quoted texts, times and, where things of the phone are not meant, capitalised runs."""
    named = intent not in ("toggle", "set", "start")
    single = intent in ("delete", "edit", "other")
    names = {app.name for app in apps}
    found = [table[mark][0] for mark in clause if mark in table and table[mark][1] in ("text", "time")]
    runs = [match.group(1) or match.group(2) for match in _OWNED.finditer(clause)] if named else []
    runs += [match.group(1) for match in _NAME_RUN.finditer(clause) if named and (single or " " in match.group(1))]
    for run in (re.sub(r"[’']s$", "", run) for run in runs):
        if run not in names and run.lower() not in v.STOPWORDS:
            found.append(run)
    return tuple(dict.fromkeys(found))


def _sorted_values(part: Part) -> Part:
    """Decide which literals are to be entered and which name what is there already."""
    there = tuple(value.text for value in part.values if value.exists)
    part = replace(
        part,
        values=tuple(value for value in part.values if not value.exists),
        targets=_unique(*there, *part.targets),
        appends=part.intent == "create" and bool(there) and _APPENDING.search(part.text) is not None,
    )
    match part.intent:
        case "delete" | "ask" | "open" | "toggle":
            named = tuple(value.text for value in part.values if value.kind != "duration")
            spoken = (stem for value in part.values if value.kind == "duration" for stem in words(value.text))
            terms = _unique(*part.terms, *spoken)
            return replace(part, values=(), terms=terms, targets=_unique(*named, *part.targets))
        case "edit" | "set":
            old, new = (part.values[:1], part.values[1:]) if len(part.values) > 1 else ((), part.values)
            if part.intent == "set":
                old, new = (), part.values
            targets = _unique(*(value.text for value in old), *part.targets)
            taken = {stem for target in targets for stem in words(target)}
            new = tuple(replace(value, key=()) if set(value.key) <= taken else value for value in new)
            if not new and not part.extreme and (said := _SET_TO.search(part.text)):
                new = (Value(said.group(1).strip(), "name"),)
            return replace(part, values=new, targets=targets)
        case "create":
            named_already = any(value.typed and value.key in _NAME_KEYS for value in part.values)
            known = {*there, *(value.text for value in part.values)}
            runs = tuple(target for target in part.targets if target not in known)
            if runs and not named_already and not any(value.kind == "text" for value in part.values):
                return replace(part, values=(Value(runs[0], "name", ("name",), typed=True), *part.values))
            return part
        case _:
            return part


def _without_names(part: Part) -> Part:
    """Keep targets apart from values, and both apart from terms."""
    fresh = [set(words(value.text)) for value in part.values]
    targets = tuple(name for name in part.targets if not any(set(words(name)) <= known for known in fresh))
    literal = {stem for name in (*targets, *(value.text for value in part.values)) for stem in words(name)}
    if part.intent == "create":
        literal |= {stem for value in part.values for stem in value.key} | _NAMING_WORDS
    return replace(part, targets=targets, terms=tuple(stem for stem in part.terms if stem not in literal))


def _unique(*texts: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(texts))


def _join(parts: list[Part], part: Part) -> list[Part]:
    """Append a part, or melt it into the one before where it only goes on."""
    if not parts:
        return [part]
    last = parts[-1]
    if part.intent == "ask" and last.intent == "ask" and _first_word(part.text) in _REPLYING:
        return [*parts[:-1], replace(last, text=f"{last.text} {part.text}")]
    if last.intent == "find" and last.targets and not part.targets:
        return [*parts[:-1], replace(part, targets=last.targets)]
    if _first_word(part.text) in v.FILL_VERBS and _goes_on(last, part):
        return [*parts[:-1], _merged(last, part)]
    return [*parts, part]


def _goes_on(last: Part, part: Part) -> bool:
    """Whether a clause adds to the one before: "and label it …", "and save it"."""
    if part.intent not in ("set", "create", "other", "start", "edit") or last.intent in ("ask", "toggle"):
        return False
    refers = re.search(r"\b(?:it|its|them)\b", part.text) is not None
    return refers or not part.terms or _first_word(part.text) in ("type", "enter", "write", "with", "input", "fill")


def _merged(first: Part, second: Part) -> Part:
    terms = first.terms if first.intent == "create" else _unique(*first.terms, *second.terms)
    return replace(
        first,
        text=f"{first.text} and {second.text}",
        terms=terms,
        values=(*first.values, *second.values),
        extreme=first.extreme or second.extreme,
    )


def _says_something(part: Part) -> bool:
    return bool(part.terms or part.targets or part.values)


def _singles(part: Part) -> list[Part]:
    """A toggle of several things as one part each; every other part as it is."""
    pieces = re.split(r",?\s+and\s+|,\s+", part.text) if part.intent == "toggle" else []
    split: list[Part] = []
    for piece in pieces:
        terms = tuple(stem for stem in content(piece) if stem in part.terms)
        if not terms:
            return [part]
        state = state_of(piece)
        split.append(replace(part, text=piece, terms=terms, state=part.state if state is None else state))
    return split or [part]

"""LLaMA-Factory's sharegpt format: `train.jsonl`, `images/`, `dataset_info.json`, and the arguments that go with them.

One row is one step: the prompt that the model would get, with its history, and the reply to learn. The format wants a
strict alternation of user and assistant, and knows an image by the tag `<image>` in the text. So:

- messages of one role that follow each other are joined by the chat template's own turn markers, which tokenizes to
  exactly the separate turns;
- the tag is broken up where it is part of somebody's text;
- images are written as the model is sent them, resized where its coordinates are pixels of the resized image.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from agent_server.actions import Action, Finished, Press
from agent_server.adapters import ADAPTERS, PromptSet, adapter_named
from agent_server.errors import Inexpressible, InvalidImage, InvalidRequest
from agent_server.errors import UnknownName as UnknownAdapter
from agent_server.geometry import GeometryError
from agent_server.images import EncodedImage, known_image, prepared
from emulator_farm.episode import Episode, Step
from emulator_farm.errors import CallerError
from emulator_farm.learning.export.card import data_card
from emulator_farm.learning.export.conversation import Grammar, Utterance, prompt, reply
from emulator_farm.learning.export.folder import new_folder
from emulator_farm.learning.export.selection import Chosen, ExportSummary, Selection, select, write_manifest
from emulator_farm.store import Store

DATASET = "android_rollouts"
_IMAGE = "<image>"
_TAGS = (_IMAGE, "<video>", "<audio>")
"""What the format takes for a picture, a film or a sound wherever it stands."""
_JOINT = "<|im_end|>\n<|im_start|>{role}\n"
"""The end of one turn and the start of the next in the chat template that all model families here have (ChatML)."""
_TEMPLATES = {
    "ui-venus-1.0": "qwen2_vl", "ui-venus-1.5": "qwen3_vl_nothink", "ui-tars-1.0": "qwen2_vl",
    "ui-tars-1.5": "qwen2_vl", "qwen2.5-vl": "qwen2_vl", "qwen3-vl": "qwen3_vl_nothink",
}  # fmt: skip
"""LLaMA-Factory's name for the chat template of each adapter's models."""
_ABOUT = """\
LLaMA-Factory's sharegpt format, one row a step. `arguments.yaml` holds the arguments that the rows need: without
`image_max_pixels` larger images are shrunk and coordinates no longer fit, and without `mask_history` earlier replies
are learned once for every later step.
"""


def export_llamafactory(
    store: Store,
    out: Path,
    *,
    adapter: str | None = None,
    model: str | None = None,
    prompts: Path | None = None,
    language: str = "English",
) -> ExportSummary:
    """Write the kept steps of a run to `out`, a folder that must not exist or be empty.

    `adapter` names the grammar; without it, the one that played the episodes. `model` matters for families whose pixel
    limits differ by size. `prompts` is a folder of templates in place of the shipped ones, as for the server.

    Raises CallerError for an `out` that cannot be used, where nothing is kept, or where the grammar is not clear;
    StoreError for a damaged record.
    """
    selection = select(store)
    origins = [_origin(store, one.id) for one in selection.chosen]
    grammar = _grammar(origins, adapter, model, prompts, language)
    with new_folder(out) as folder:
        file = (folder / "train.jsonl").open("w", encoding="utf-8")
        with file, ThreadPoolExecutor(os.cpu_count()) as threads:
            rows = _Rows(folder, grammar, threads)
            for one in selection.chosen:
                for row in rows.of(store.read(one.id), one):
                    file.write(json.dumps(row, ensure_ascii=False) + "\n")
        if not rows.count:
            raise CallerError(f"no step of {store.uri} can be written in the grammar of {grammar.adapter.name}")
        summary = _summary(out, selection, rows, _notes(origins, grammar))
        _write_files(folder, store, summary, rows)
        write_manifest(folder, store, selection, summary, adapter=grammar.adapter.name, model=grammar.model)
    return summary


@dataclass(frozen=True)
class _Origin:
    """Who played an episode."""

    adapter: str
    model: str
    prompt_digest: str | None


@dataclass
class _Rows:
    """Turns episodes into rows and writes the images that they name."""

    folder: Path
    grammar: Grammar
    threads: ThreadPoolExecutor
    """For the images; scaling and coding them takes most of an export's time."""
    count: int = 0
    largest: int = 0
    """Pixels of the largest image written."""
    skipped: Counter[str] = field(default_factory=Counter)
    _pictures: dict[int, Future[EncodedImage]] = field(default_factory=dict)

    def of(self, episode: Episode, chosen: Chosen) -> Iterator[dict[str, Any]]:
        """The rows of an episode; steps that cannot be written are counted by reason."""
        steps = episode.moves[: chosen.steps]
        self._pictures = {step.index: self.threads.submit(self._prepared, step) for step in steps}
        for position in range(len(steps)):
            try:
                row = self._row(episode, position)
            except _Unwritable as reason:
                self.skipped[str(reason)] += 1
            else:
                self.count += 1
                yield row

    def _row(self, episode: Episode, position: int) -> dict[str, Any]:
        target = self._target(episode.moves, position)
        try:
            utterances = prompt(episode, position, self.grammar)
        except InvalidRequest as error:
            raise CallerError(str(error)) from error
        moves = episode.moves
        shown = [part.step for one in utterances for part in one.parts if part.step is not None]
        images = [self._picture(episode.id, moves[at]) for at in shown]
        messages = [*_alternating(utterances), {"role": "assistant", "content": target}]
        return {"id": f"{episode.id}/{moves[position].index}", "messages": messages, "images": images}

    def _target(self, moves: Sequence[Step], position: int) -> str:
        decision = moves[position].decision
        action = decision.action if decision else None
        if action is None:
            raise _Unwritable("unreadable reply")
        try:
            target = reply(moves, position, self.grammar)
        except Inexpressible:
            raise _Unwritable(f"no words for {_kind(action)} in {self.grammar.adapter.name}") from None
        except GeometryError:
            raise _Unwritable("screen of a shape that the model refuses") from None
        if target is None:
            raise _Unwritable(f"{action.type} is said with the answer in {self.grammar.adapter.name}")
        if any(tag in target for tag in _TAGS):
            raise _Unwritable("the reply holds a tag that the format takes for an image")
        return target

    def _prepared(self, step: Step) -> EncodedImage:
        """A step's screenshot as the model sees it. Raises InvalidImage or GeometryError."""
        image = known_image(step.screen.image)
        return prepared(image, self.grammar.adapter.frame(image.size, self.grammar.model).resized)

    def _picture(self, episode_id: str, step: Step) -> str:
        """Write the screenshot of a step, if that was not done yet; returns its name relative to the data set."""
        try:
            encoded = self._pictures[step.index].result()
        except (InvalidImage, GeometryError):
            raise _Unwritable("a frame that does not decode") from None
        name = f"images/{episode_id}/{step.index:03}.{encoded.media_type.rpartition('/')[2]}"
        path = self.folder / name
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(encoded.data)
            self.largest = max(self.largest, known_image(encoded.data).size.pixels)
        return name


class _Unwritable(Exception):
    """A step that cannot become a row; the text is the reason that it is counted under."""


def _alternating(utterances: list[Utterance]) -> list[dict[str, str]]:
    """The messages with those of one role that follow each other made one."""
    messages: list[dict[str, str]] = []
    for one in utterances:
        content = "".join(_IMAGE if part.step is not None else _inert(part.text) for part in one.parts)
        if messages and messages[-1]["role"] == one.role:
            messages[-1]["content"] += _JOINT.format(role=one.role) + content
        else:
            messages.append({"role": one.role, "content": content})
    return messages


def _inert(text: str) -> str:
    """Text in which nothing is taken for an image."""
    for tag in _TAGS:
        text = text.replace(tag, f"< {tag[1:]}")
    return text


def _origin(store: Store, episode_id: str) -> _Origin:
    row = store.table(episode_id, ["adapter", "model", "prompt_digest"]).slice(0, 1).to_pylist()[0]
    return _Origin(row["adapter"], row["model"], row["prompt_digest"])


def _grammar(
    origins: list[_Origin], adapter: str | None, model: str | None, prompts: Path | None, language: str
) -> Grammar:
    players = sorted({origin.adapter for origin in origins})
    if adapter is None:
        if len(players) > 1 or players[0] not in ADAPTERS:
            who = "several policies" if len(players) > 1 else f"{players[0]!r}, which has no model's grammar"
            listed = f" ({', '.join(players)})" if len(players) > 1 else ""
            raise CallerError(f"the episodes were played by {who}{listed}; choose --adapter: {', '.join(ADAPTERS)}")
        adapter = players[0]
    models = {origin.model for origin in origins if origin.adapter == adapter}
    try:
        return Grammar(
            adapter=adapter_named(adapter),
            prompts=PromptSet.load(prompts),
            model=model if model is not None else models.pop() if len(models) == 1 else "",
            language=language,
        )
    except (UnknownAdapter, InvalidRequest) as error:
        raise CallerError(str(error)) from error


def _notes(origins: list[_Origin], grammar: Grammar) -> tuple[str, ...]:
    name, digest = grammar.adapter.name, grammar.prompts.digest(grammar.adapter.name)
    notes = []
    strangers = Counter(origin.adapter for origin in origins if origin.adapter != name)
    for adapter, count in sorted(strangers.items()):
        notes.append(f"{count} episodes were played by {adapter!r}; their steps are told in the words of {name}.")
    others = Counter(str(one.prompt_digest) for one in origins if one.adapter == name and one.prompt_digest != digest)
    for found, count in sorted(others.items()):
        notes.append(f"{count} episodes were played with prompt {found}; these rows use prompt {digest}.")
    return tuple(notes)


def _summary(out: Path, selection: Selection, rows: _Rows, notes: tuple[str, ...]) -> ExportSummary:
    return ExportSummary(
        out=out,
        format="llamafactory",
        episodes=len(selection.chosen),
        cut=sum(one.steps is not None for one in selection.chosen),
        rows=rows.count,
        left_out=selection.left_out,
        skipped=dict(rows.skipped),
        notes=notes,
    )


def _write_files(folder: Path, store: Store, summary: ExportSummary, rows: _Rows) -> None:
    """Everything beside rows and images: what LLaMA-Factory and people read first."""
    info = {
        DATASET: {
            "file_name": "train.jsonl",
            "formatting": "sharegpt",
            "columns": {"messages": "messages", "images": "images"},
            "tags": {
                "role_tag": "role", "content_tag": "content", "user_tag": "user", "assistant_tag": "assistant",
                "system_tag": "system",
            },
        }
    }  # fmt: skip
    (folder / "dataset_info.json").write_text(json.dumps(info, indent=2) + "\n", "utf-8")
    arguments = yaml.safe_dump(_arguments(summary.out, rows), sort_keys=False)
    (folder / "arguments.yaml").write_text(f"# What these rows need of your training arguments.\n{arguments}", "utf-8")
    (folder / "README.md").write_text(data_card(summary, store) + _ABOUT, "utf-8")


def _arguments(out: Path, rows: _Rows) -> dict[str, Any]:
    template = _TEMPLATES.get(rows.grammar.adapter.name)
    return {
        "dataset_dir": str(out),
        "dataset": DATASET,
        **({"template": template} if template else {}),
        "image_max_pixels": rows.largest,
        "mask_history": True,
    }


def _kind(action: Action) -> str:
    """What of an action a grammar may lack: its type, and for some what sets them apart."""
    match action:
        case Press(key=key):
            return f"press {key}"
        case Finished(status=status):
            return f"finished {status}"
        case _:
            return action.type

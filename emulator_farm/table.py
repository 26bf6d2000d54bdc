"""One episode is one table, one row a frame.

Rows are the steps in order and, where the phone changed after the last action, a closing frame without an action
(`is_last` marks the final row). Columns and types are explicit, so that tables of any two episodes concatenate, and
carry `huggingface` metadata, so that `datasets` shows `screenshot` as an image. Screens are PNG as captured or JPEG of
quality 95, as the end of their `path` says; UI trees are zstd-compressed UTF-8 XML. `reward` is per row: 0 but on the
last, where it is the checker's; null throughout where the task has no check. Durations are milliseconds of a monotonic
clock, `started_at` is wall clock in UTC.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from agent_server.actions import action_from_json, action_to_json
from agent_server.geometry import Size
from agent_server.schemas import ParseError, Tokens
from emulator_farm.episode import Decision, Effect, Episode, Header, Screen, Step, Timing

SCHEMA_VERSION = 3

_JPEG_SIGNATURE = b"\xff\xd8\xff"
_IMAGE = pa.struct([("bytes", pa.binary()), ("path", pa.string())])

_COLUMNS: tuple[tuple[str, pa.DataType], ...] = (
    ("schema_version", pa.int16()),
    ("episode_id", pa.string()),
    ("run", pa.string()),
    ("round", pa.int32()),
    ("group_id", pa.string()),
    ("sample", pa.int32()),
    ("task", pa.string()),
    ("seed", pa.int64()),
    ("tags", pa.list_(pa.string())),
    ("goal", pa.string()),
    ("step", pa.int32()),
    ("started_at", pa.timestamp("us", tz="UTC")),
    ("screenshot", _IMAGE),
    ("screenshot_sha256", pa.string()),
    ("width", pa.int32()),
    ("height", pa.int32()),
    ("rotation", pa.int8()),
    ("frame_flags", pa.list_(pa.string())),
    ("app", pa.string()),
    ("activity", pa.string()),
    ("ui_tree", pa.binary()),
    ("device", pa.string()),
    ("incarnation", pa.string()),
    ("attempt", pa.int32()),
    ("model", pa.string()),
    ("adapter", pa.string()),
    ("weights", pa.string()),
    ("weights_policy", pa.string()),
    ("prompt_digest", pa.string()),
    ("sampling", pa.string()),
    ("thought", pa.string()),
    ("summary", pa.string()),
    ("action", pa.string()),
    ("raw", pa.string()),
    ("parse_error", pa.string()),
    ("extra_actions", pa.int32()),
    ("finish_reason", pa.string()),
    ("prompt_token_ids", pa.list_(pa.int32())),
    ("response_token_ids", pa.list_(pa.int32())),
    ("response_logprobs", pa.list_(pa.float32())),
    ("logprobs_mode", pa.string()),
    ("image_grid", pa.list_(pa.list_(pa.int32()))),
    ("cached_tokens", pa.int32()),
    ("command", pa.string()),
    ("outcome", pa.string()),
    ("outcome_detail", pa.string()),
    ("t_capture_ms", pa.float32()),
    ("t_decide_ms", pa.float32()),
    ("t_act_ms", pa.float32()),
    ("t_settle_ms", pa.float32()),
    ("reward", pa.float32()),
    ("status", pa.string()),
    ("end", pa.string()),
    ("reason", pa.string()),
    ("clean", pa.bool_()),
    ("undeclared", pa.list_(pa.string())),
    ("progress", pa.float64()),
    ("terminated", pa.bool_()),
    ("truncated", pa.bool_()),
    ("is_last", pa.bool_()),
)


def _feature(kind: pa.DataType) -> dict[str, Any]:
    if kind == _IMAGE:
        return {"_type": "Image"}
    if pa.types.is_list(kind):
        return {"feature": _feature(kind.value_type), "_type": "List"}
    if pa.types.is_timestamp(kind):
        return {"dtype": "timestamp[us, tz=UTC]", "_type": "Value"}
    names = {"float": "float32", "double": "float64"}
    return {"dtype": names.get(str(kind), str(kind)), "_type": "Value"}


def _schema() -> pa.Schema:
    features = {name: _feature(kind) for name, kind in _COLUMNS}
    metadata = {"huggingface": json.dumps({"info": {"features": features}})}
    return pa.schema([pa.field(name, kind) for name, kind in _COLUMNS], metadata=metadata)


SCHEMA = _schema()
"""The one Arrow schema of episode files and of the shards they are merged into."""

_READABLE = (1, 2, SCHEMA_VERSION)
_SINCE_2 = frozenset({"weights_policy", "logprobs_mode", "image_grid", "cached_tokens"})
_SINCE_3 = frozenset({"clean", "undeclared", "progress"})


def brought_up(table: pa.Table, names: Sequence[str] = SCHEMA.names) -> pa.Table:
    """These columns of a table of any readable version as they are in `SCHEMA`, so that tables of two concatenate.

    What an older version lacks is null. A column that is missing for another reason stays missing.
    """
    for name in (_SINCE_2 | _SINCE_3).intersection(names).difference(table.column_names):
        table = table.append_column(name, pa.nulls(table.num_rows, SCHEMA.field(name).type))
    found = [name for name in names if name in table.column_names]
    return table.select(found).cast(pa.schema([SCHEMA.field(name) for name in found], SCHEMA.metadata))


def to_table(episode: Episode) -> pa.Table:
    """The episode as an Arrow table in `SCHEMA`, one row per frame."""
    rows = [_row(episode, position) for position in range(len(episode.steps))]
    columns = [pa.array([row[name] for row in rows], kind) for name, kind in _COLUMNS]
    return pa.Table.from_arrays(columns, schema=SCHEMA)


def from_table(table: pa.Table) -> Episode:
    """Read back what `to_table` wrote, `brought_up` where it is of an older version.

    Raises ValueError for an unknown version or more than one episode.
    """
    rows = table.to_pylist()
    if not rows:
        raise ValueError("the table has no rows, so it holds no episode")
    versions = {row["schema_version"] for row in rows}
    if not versions <= set(_READABLE):
        readable = ", ".join(map(str, _READABLE))
        raise ValueError(f"schema version {sorted(versions)} found; this build reads {readable}")
    ids = {row["episode_id"] for row in rows}
    if len(ids) > 1:
        raise ValueError(f"one episode expected, {len(ids)} found: {', '.join(sorted(ids)[:5])}")
    rows.sort(key=lambda row: row["step"])
    last = rows[-1]
    return Episode(
        header=_header(last),
        steps=tuple(_step(row) for row in rows),
        status=last["status"],
        end=last["end"],
        reward=last["reward"],
        reason=last["reason"] or "",
        clean=last.get("clean"),
        undeclared=tuple(last.get("undeclared") or ()),
        progress=last.get("progress"),
    )


def _row(episode: Episode, position: int) -> dict[str, Any]:
    header, step = episode.header, episode.steps[position]
    last = position == len(episode.steps) - 1
    return {
        "schema_version": SCHEMA_VERSION,
        "episode_id": header.episode_id,
        "run": header.run,
        "round": header.round,
        "group_id": header.group_id,
        "sample": header.sample,
        "task": header.task,
        "seed": header.seed,
        "tags": list(header.tags),
        "goal": header.goal,
        "attempt": header.attempt,
        "device": header.device,
        "incarnation": header.incarnation,
        "model": header.model,
        "adapter": header.adapter,
        "prompt_digest": header.prompt_digest,
        "sampling": json.dumps(header.sampling, sort_keys=True),
        "step": step.index,
        "started_at": step.started_at,
        **_screen_columns(episode.id, step),
        **_decision_columns(step),
        "t_capture_ms": step.timing.capture_ms,
        "t_decide_ms": step.timing.decide_ms,
        "t_act_ms": step.timing.act_ms,
        "t_settle_ms": step.timing.settle_ms,
        "reward": None if episode.reward is None else (episode.reward if last else 0.0),
        "status": episode.status,
        "end": episode.end,
        "reason": episode.reason,
        "clean": episode.clean,
        "undeclared": None if episode.clean is None else list(episode.undeclared),
        "progress": episode.progress,
        "terminated": last and episode.status != "truncated",
        "truncated": last and episode.status == "truncated",
        "is_last": last,
    }


def _screen_columns(episode_id: str, step: Step) -> dict[str, Any]:
    screen = step.screen
    tree = None if screen.ui_tree is None else pa.compress(screen.ui_tree.encode(), codec="zstd", asbytes=True)
    suffix = "jpg" if screen.image.startswith(_JPEG_SIGNATURE) else "png"
    return {
        "screenshot": {"bytes": screen.image, "path": f"{episode_id}-{step.index:03d}.{suffix}"},
        "screenshot_sha256": screen.sha256,
        "width": screen.size.width,
        "height": screen.size.height,
        "rotation": screen.rotation,
        "frame_flags": list(screen.flags),
        "app": screen.app,
        "activity": screen.activity,
        "ui_tree": tree,
    }


def _decision_columns(step: Step) -> dict[str, Any]:
    decision, effect = step.decision, step.effect
    tokens = decision.tokens if decision else None
    error = decision.parse_error if decision else None
    return {
        "thought": decision and decision.thought,
        "summary": decision and decision.summary,
        "action": action_to_json(decision.action) if decision and decision.action else None,
        "raw": decision and decision.raw,
        "parse_error": error.model_dump_json() if error else None,
        "extra_actions": decision and decision.extra_actions,
        "finish_reason": decision and decision.finish_reason,
        "prompt_token_ids": tokens and tokens.prompt_ids,
        "response_token_ids": tokens and tokens.response_ids,
        "response_logprobs": tokens and tokens.logprobs,
        "logprobs_mode": tokens and tokens.logprobs_mode,
        "image_grid": tokens and tokens.image_grid,
        "cached_tokens": decision and decision.cached_tokens,
        "weights": decision and decision.weights,
        "weights_policy": decision and decision.weights_policy,
        "command": effect and effect.command,
        "outcome": effect and effect.status,
        "outcome_detail": effect and effect.detail,
    }


_PLAIN = (
    "episode_id", "run", "round", "group_id", "task", "seed", "sample", "goal", "attempt", "device", "incarnation",
    "model", "adapter", "prompt_digest",
)  # fmt: skip


def _header(row: dict[str, Any]) -> Header:
    return Header(
        **{name: row[name] for name in _PLAIN},
        sampling=json.loads(row["sampling"] or "{}"),
        tags=tuple(row["tags"] or ()),
    )


def _step(row: dict[str, Any]) -> Step:
    tree = row["ui_tree"]
    screen = Screen(
        image=row["screenshot"]["bytes"],
        sha256=row["screenshot_sha256"],
        size=Size(row["width"], row["height"]),
        rotation=row["rotation"],
        flags=tuple(row["frame_flags"] or ()),
        app=row["app"],
        activity=row["activity"],
        ui_tree=None if tree is None else _decompress(tree),
    )
    return Step(
        index=row["step"],
        screen=screen,
        started_at=row["started_at"],
        decision=_decision(row),
        effect=None if row["outcome"] is None else Effect(row["outcome"], row["outcome_detail"] or "", row["command"]),
        timing=Timing(*(row[f"t_{stage}_ms"] for stage in ("capture", "decide", "act", "settle"))),
    )


def _decision(row: dict[str, Any]) -> Decision | None:
    if row["raw"] is None:
        return None
    return Decision(
        action=action_from_json(row["action"]) if row["action"] else None,
        thought=row["thought"],
        summary=row["summary"],
        raw=row["raw"],
        parse_error=ParseError.model_validate_json(row["parse_error"]) if row["parse_error"] else None,
        extra_actions=row["extra_actions"] or 0,
        finish_reason=row["finish_reason"],
        tokens=_tokens(row),
        cached_tokens=row["cached_tokens"],
        weights=row["weights"],
        weights_policy=row["weights_policy"],
    )


def _tokens(row: dict[str, Any]) -> Tokens | None:
    tokens = Tokens(
        prompt_ids=row["prompt_token_ids"],
        response_ids=row["response_token_ids"],
        logprobs=row["response_logprobs"],
        logprobs_mode=row["logprobs_mode"],
        image_grid=row["image_grid"],
    )
    return None if tokens == Tokens() else tokens


def _decompress(data: bytes) -> str:
    with pa.input_stream(pa.py_buffer(data), compression="zstd") as stream:
        return bytes(stream.read()).decode()

from __future__ import annotations

import io
import json
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import datasets
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from agent_server.actions import Click, Finished
from agent_server.geometry import Point
from agent_server.schemas import ParseError, Tokens
from emulator_farm.episode import Decision, Effect, Episode, Step, Timing
from emulator_farm.parquet import WRITER_OPTIONS, decode, encode
from emulator_farm.table import SCHEMA, SCHEMA_VERSION, brought_up, from_table, to_table

Make = Callable[..., Episode]


def written(episode: Episode) -> Episode:
    return from_table(decode(io.BytesIO(encode(to_table(episode)))))


def with_decision(step: Step, **fields: Any) -> Step:
    assert step.decision is not None
    return replace(step, decision=replace(step.decision, **fields))


def test_an_episode_survives_the_file(make_episode: Make, page: Any) -> None:
    episode = make_episode(
        closing=page(title="After"),
        prompt_digest="d1",
        sampling={"temperature": 0.0, "top_p": 0.9},
        tags=("easy", "question"),
        round=2,
        attempt=3,
    )
    assert written(episode) == episode


def test_the_odd_parts_survive_too(make_episode: Make) -> None:
    first, second, third, last = make_episode().steps
    error = ParseError(kind="out_of_range", message="x is 1200")
    tokens = Tokens(
        prompt_ids=[1, 2], response_ids=[3], logprobs=[-0.5], logprobs_mode="raw", image_grid=[(1, 4, 6), (1, 2, 2)]
    )
    sampled = {"cached_tokens": 0, "weights": "step-1", "weights_policy": "pinned"}
    steps = [
        with_decision(first, action=None, parse_error=error, raw="", thought=None, summary=None, extra_actions=2),
        with_decision(second, tokens=tokens, raw="it's “odd” 🎉\n", finish_reason=None, **sampled),
        replace(
            third,
            screen=replace(third.screen, flags=("black", "retaken"), app=None, activity=None, ui_tree=None, rotation=3),
            effect=Effect("rejected", "no such app", None),
            timing=Timing(),
        ),
        last,
    ]
    episode = make_episode(
        steps=steps, reward=None, end="parse_errors", status="failure", reason="", clean=False,
        undeclared=("+files/sdcard/x: '1'", "~settings/global/wifi_on: '1' to '0'"), progress=1 / 3,
    )  # fmt: skip
    assert written(episode) == episode


def test_rows_name_the_weights_they_were_sampled_from(make_episode: Make, page: Any) -> None:
    first, second, third, last = make_episode().steps
    told = [with_decision(first, weights="w1"), second, with_decision(third, weights="w2")]
    episode = make_episode(steps=[*told, with_decision(last, weights="w1")], closing=page())
    assert to_table(episode)["weights"].to_pylist() == ["w1", None, "w2", "w1", None]
    assert episode.weights == ("w1", "w2")
    assert written(episode).weights == ("w1", "w2")


@settings(max_examples=40, deadline=None)
@given(
    raw=st.text(st.characters(exclude_categories=["Cs"]), max_size=40),
    thought=st.none() | st.text(st.characters(exclude_categories=["Cs"]), max_size=40),
    x=st.integers(0, 359),
    reward=st.sampled_from([None, 0.0, 0.5, 1.0]),
)
def test_any_text_survives(make_episode: Make, raw: str, thought: str | None, x: int, reward: float | None) -> None:
    (step, *_) = make_episode().steps
    step = with_decision(step, raw=raw, thought=thought, action=Click(point=Point(x, 3)))
    episode = make_episode(steps=[step], goal=raw, reward=reward)
    assert from_table(to_table(episode)) == episode


def test_rows_are_frames_and_the_last_one_is_marked(make_episode: Make, page: Any) -> None:
    table = to_table(make_episode(closing=page(title="After"))).to_pydict()
    assert table["step"] == [0, 1, 2, 3, 4]
    assert table["is_last"] == [False] * 4 + [True]
    assert table["terminated"] == [False] * 4 + [True]
    assert table["truncated"] == [False] * 5
    assert table["reward"] == [0.0] * 4 + [1.0]
    assert table["action"][4] is None
    assert json.loads(table["action"][0]) == {"type": "click", "point": [180, 133]}
    assert table["screenshot"][2]["path"] == "wifi_on-7-r0k0-002.png"


def test_a_truncated_episode_says_so(make_episode: Make) -> None:
    table = to_table(make_episode(status="truncated", end="step_limit", reward=None)).to_pydict()
    assert table["truncated"] == [False] * 3 + [True]
    assert table["terminated"] == [False] * 4
    assert table["reward"] == [None] * 4


def test_any_two_episodes_concatenate(make_episode: Make) -> None:
    poor = make_episode(steps=make_episode(pages=[], actions=[]).steps)
    rich = make_episode("other-1-r0k0", sampling={"n": 1})
    merged = pa.concat_tables([to_table(rich), to_table(poor)])
    assert merged.schema.equals(SCHEMA, check_metadata=True)


def test_other_tables_are_refused(make_episode: Make) -> None:
    table = to_table(make_episode())
    with pytest.raises(ValueError, match="no rows"):
        from_table(table.slice(0, 0))
    with pytest.raises(ValueError, match="one episode expected, 2 found: other-1-r0k0, wifi_on-7-r0k0"):
        from_table(pa.concat_tables([table, to_table(make_episode("other-1-r0k0"))]))
    at = SCHEMA.get_field_index("schema_version")
    newer = table.set_column(at, SCHEMA.field(at), pa.array([SCHEMA_VERSION + 1] * 4, pa.int16()))
    with pytest.raises(ValueError, match=r"schema version \[4\] found; this build reads 1, 2, 3"):
        from_table(newer)


@pytest.fixture
def version_1() -> Path:
    """An episode as version 1 wrote it: two steps, the first with tokens, and a closing frame."""
    return Path(__file__).parent / "version-1.parquet"


def test_version_1_is_read_with_what_it_lacks_null(version_1: Path) -> None:
    with version_1.open("rb") as file:
        table = decode(file)
        subset = decode(file, ["step", "image_grid"])
    episode = from_table(table)
    assert [step.decision and step.decision.weights for step in episode.steps] == ["abc123", "abc123", None]
    assert episode.moves[0].decision is not None
    assert episode.moves[0].decision.tokens == Tokens(prompt_ids=[1, 2], response_ids=[3], logprobs=[-0.5])
    assert episode.moves[0].decision.weights_policy is None
    assert subset.to_pydict() == {"step": [0, 1, 2], "image_grid": [None] * 3}
    assert from_table(to_table(episode)) == episode, "written again it is of this version and says the same"


def test_episodes_of_both_versions_concatenate(version_1: Path, make_episode: Make) -> None:
    with version_1.open("rb") as file:
        older = decode(file)
    newer = decode(io.BytesIO(encode(to_table(make_episode("other-1-r0k0")))))
    merged = pa.concat_tables([older, newer])
    assert merged.schema.equals(SCHEMA, check_metadata=True)
    assert merged["schema_version"].to_pylist() == [1] * 3 + [SCHEMA_VERSION] * 4


def test_a_column_that_is_missing_for_another_reason_stays_missing(make_episode: Make) -> None:
    table = to_table(make_episode()).drop_columns(["goal"])
    assert "goal" not in brought_up(table).column_names
    with pytest.raises(KeyError, match="goal"):
        from_table(brought_up(table))


def test_rows_may_come_in_any_order(make_episode: Make) -> None:
    episode = make_episode()
    assert from_table(to_table(episode).take([2, 0, 3, 1])) == episode


def test_datasets_sees_pictures(tmp_path: Any, make_episode: Make) -> None:
    episode = make_episode()
    (tmp_path / "a.parquet").write_bytes(encode(to_table(episode)))
    loaded = datasets.load_dataset("parquet", data_files=str(tmp_path / "a.parquet"), cache_dir=str(tmp_path / "cache"))
    row = loaded["train"][1]
    assert isinstance(row["screenshot"], Image.Image)
    assert row["screenshot"].size == (360, 800)
    assert row["goal"] == "Turn on Wi-Fi"
    assert row["started_at"] == datetime(2026, 3, 1, 9, 41, 2, tzinfo=UTC)
    assert list(loaded["train"].features) == SCHEMA.names


def test_pictures_are_stored_as_they_are(make_episode: Make) -> None:
    """Compressing PNG again would cost time for nothing; the rest is small and is compressed."""
    with pq.ParquetFile(io.BytesIO(encode(to_table(make_episode())))) as file:
        group = file.metadata.row_group(0)
        columns = {group.column(index).path_in_schema: group.column(index) for index in range(group.num_columns)}
    assert columns["screenshot.bytes"].compression == "UNCOMPRESSED"
    assert columns["ui_tree"].compression == "UNCOMPRESSED"
    assert not columns["screenshot.bytes"].is_stats_set
    assert columns["raw"].compression == "ZSTD"
    assert columns["step"].is_stats_set
    assert set(WRITER_OPTIONS["compression"]) == set(columns)


def test_moves_are_the_steps_with_a_decision(make_episode: Make, page: Any) -> None:
    episode = make_episode(closing=page())
    assert len(episode.steps) == 5
    assert [step.index for step in episode.moves] == [0, 1, 2, 3]
    assert episode.moves[-1].decision == Decision(
        action=Finished(),
        thought="I look at Wi-Fi on.",
        summary="step 3",
        raw="Thought: Wi-Fi on\nAction: type='finished' status='success' text=''",
        finish_reason="stop",
    )

"""Where episodes, attempts and verdicts live: a local folder or an object store.

    run.json                                what run this is, written first
    episodes/<episode_id>.parquet           an outcome, written once, first writer wins
    attempts/<episode_id>/<number>.json     each try at it, infrastructure failures included
    verdicts/<source>/<ulid>.parquet        a batch of what a filter or judge says
    verdicts/human/<episode_id>/<ulid>.json what a person says

Nothing here is ever changed or deleted, so any number of processes may read and write at the same time without locks.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
from pydantic import ValidationError

from emulator_farm.episode import Attempt, Episode, Verdict
from emulator_farm.errors import AlreadyPublished, CallerError, StoreError
from emulator_farm.files import Files, FileTaken, open_files
from emulator_farm.files.local import LocalFiles
from emulator_farm.parquet import decode, encode
from emulator_farm.table import from_table, to_table
from emulator_farm.ulid import new_ulid
from emulator_farm.verdicts import Filed, current, decode_verdicts, encode_verdicts

RUN = "run.json"
UNFINISHED_AGE_S = 3600.0
"""Files that a writer left unfinished longer ago than this belong to nobody any more."""

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,199}")


class Store:
    """One run's record. Opening touches nothing; the methods raise StoreError where the storage fails."""

    def __init__(self, uri: str | Path) -> None:
        """`uri` is a folder or an fsspec URI; raises CallerError for a scheme without a driver."""
        self._files: Files = open_files(uri)

    @property
    def uri(self) -> str:
        return self._files.uri

    def claim(self) -> None:
        """Make sure that this place can hold a run: empty, or holding one already, and writable.

        Raises CallerError before anything is written. Also removes what long-dead writers left unfinished.
        """
        self._files.claim(RUN)
        self._files.sweep(UNFINISHED_AGE_S)

    def create_run(self, manifest: dict[str, Any]) -> None:
        """Write `run.json`. Raises CallerError like `claim` and AlreadyPublished where there is one."""
        self.claim()
        self._create(RUN, json.dumps(manifest, indent=2, sort_keys=True).encode(), "the run")

    def run(self) -> dict[str, Any] | None:
        """The manifest given to `create_run`, None where there is no run here."""
        try:
            data = json.loads(self._files.read(RUN))
        except FileNotFoundError:
            return None
        except ValueError as error:
            raise StoreError(f"{self.uri}/{RUN} is damaged: {error}") from error
        if not isinstance(data, dict):
            raise StoreError(f"{self.uri}/{RUN} is damaged: it holds a {type(data).__name__}")
        return data

    def publish(self, episode: Episode) -> None:
        """Write an episode, whole or not at all. Raises AlreadyPublished where another writer was first."""
        self._create(_episode_file(episode.id), encode(to_table(episode)), f"episode {episode.id}")

    def has(self, episode_id: str) -> bool:
        return self._files.exists(_episode_file(episode_id))

    def episode_ids(self) -> set[str]:
        return {name.removesuffix(".parquet") for name in self._files.names("episodes") if name.endswith(".parquet")}

    def read(self, episode_id: str) -> Episode:
        """One episode. Raises CallerError where there is none of that id, StoreError where its file is damaged."""
        table = self.table(episode_id)
        try:
            return from_table(table)
        except (ValueError, KeyError, OSError) as error:
            raise StoreError(f"{self.path(episode_id)} is damaged: {error}") from error

    def table(self, episode_id: str, columns: Sequence[str] | None = None) -> pa.Table:
        """An episode's rows, or some columns of them without reading the others. Raises like `read`."""
        try:
            with self._files.open(_episode_file(episode_id)) as file:
                found = decode(file, columns)
        except FileNotFoundError:
            raise CallerError(f"there is no episode {episode_id!r} in {self.uri}{self._examples()}") from None
        except (pa.ArrowException, OSError) as error:  # pyarrow raises OSError for pages it cannot decompress
            raise StoreError(f"{self.path(episode_id)} is damaged: {error}") from error
        missing = [name for name in columns or () if name not in found.column_names]
        if missing:
            raise StoreError(f"{self.path(episode_id)} is damaged: it has no column {', '.join(missing)}")
        return found

    def episodes(self) -> Iterator[Episode]:
        """Every episode, by id."""
        return map(self.read, sorted(self.episode_ids()))

    def path(self, episode_id: str) -> str:
        """Path or URI of an episode's file, whether it exists or not."""
        name = _episode_file(episode_id)
        return str(self._files.path(name)) if isinstance(self._files, LocalFiles) else f"{self.uri}/{name}"

    def write_attempt(self, attempt: Attempt) -> None:
        """Note a try. Raises AlreadyPublished where its number is taken."""
        name = f"attempts/{_checked(attempt.episode_id)}/{attempt.number}.json"
        self._create(name, attempt.model_dump_json().encode(), f"attempt {attempt.number} at {attempt.episode_id}")

    def attempts(self, episode_id: str | None = None) -> list[Attempt]:
        """The tries at one episode, or at all, by id and number."""
        ids = self._files.names("attempts") if episode_id is None else [_checked(episode_id)]
        found = [
            self._attempt(f"attempts/{one}/{name}") for one in ids for name in self._files.names(f"attempts/{one}")
        ]
        return sorted(found, key=lambda attempt: (attempt.episode_id, attempt.number))

    def next_attempt(self, episode_id: str) -> int:
        """One more than the highest number noted."""
        names = self._files.names(f"attempts/{_checked(episode_id)}")
        return max((int(stem) for name in names if (stem := name.removesuffix(".json")).isdecimal()), default=0) + 1

    def write_verdicts(self, source: str, verdicts: Sequence[Verdict]) -> list[str]:
        """Add verdicts of one source: one file for all, or one for each of a person's. Returns their ULIDs.

        Raises ValueError for verdicts of another source. An empty batch is not written.
        """
        strangers = {verdict.source for verdict in verdicts} - {source}
        if strangers:
            raise ValueError(f"a batch of {source!r} holds verdicts of {', '.join(sorted(strangers))}")
        ulids = [new_ulid() for _ in (verdicts if source == "human" else verdicts[:1])]
        if source == "human":
            for ulid, verdict in zip(ulids, verdicts, strict=True):
                name = f"verdicts/human/{_checked(verdict.episode_id)}/{ulid}.json"
                self._create(name, verdict.model_dump_json().encode(), f"verdict {ulid}")
        elif ulids:
            name = f"verdicts/{_checked(source)}/{ulids[0]}.parquet"
            self._create(name, encode_verdicts(verdicts), f"batch {ulids[0]}")
        return ulids

    def verdicts(self, source: str | None = None) -> dict[str, list[Verdict]]:
        """Per episode, the verdicts that count, strongest first (`emulator_farm.verdicts.standing` takes that one)."""
        sources = self._files.names("verdicts") if source is None else [_checked(source)]
        return current(filed for one in sources for filed in self._filed(one))

    def _filed(self, source: str) -> Iterator[Filed]:
        folder = f"verdicts/{source}"
        for name in self._files.names(folder):
            if source == "human":
                for inner in self._files.names(f"{folder}/{name}"):
                    yield from self._batch(f"{folder}/{name}/{inner}")
            elif name.endswith(".parquet"):
                yield from self._batch(f"{folder}/{name}")

    def _batch(self, name: str) -> list[Filed]:
        data = self._files.read(name)
        try:
            verdicts = [Verdict.model_validate_json(data)] if name.endswith(".json") else decode_verdicts(data)
        except (pa.ArrowException, OSError, ValidationError) as error:
            raise StoreError(f"{self.uri}/{name} is damaged: {error}") from error
        ulid = name.rpartition("/")[2].partition(".")[0]
        return [Filed(ulid, verdict) for verdict in verdicts]

    def _attempt(self, name: str) -> Attempt:
        try:
            return Attempt.model_validate_json(self._files.read(name))
        except ValidationError as error:
            raise StoreError(f"{self.uri}/{name} is damaged: {error}") from error

    def _create(self, name: str, data: bytes, what: str) -> None:
        try:
            self._files.create(name, data)
        except FileTaken:
            raise AlreadyPublished(what, self.uri) from None

    def _examples(self) -> str:
        ids = sorted(self.episode_ids())
        if not ids:
            return ", which holds no episodes"
        return f"; it holds {len(ids)}, for instance {', '.join(ids[:3])}"


def _episode_file(episode_id: str) -> str:
    return f"episodes/{_checked(episode_id)}.parquet"


def _checked(name: str) -> str:
    """A name that is safe as a file name. Raises CallerError."""
    if not _NAME.fullmatch(name):
        raise CallerError(f"{name!r} is no id: letters, digits, '_', '-' and '.' only, at most 200")
    return name

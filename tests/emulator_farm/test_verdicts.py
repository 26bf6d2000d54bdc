from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from emulator_farm.episode import Verdict
from emulator_farm.ulid import new_ulid
from emulator_farm.verdicts import Filed, current, decode_verdicts, encode_verdicts, standing, strength

NOW = datetime(2026, 3, 1, tzinfo=UTC)


def verdict(source: str, later: int = 0, who: str = "", **fields: object) -> Verdict:
    base = {"episode_id": "a-1-r0k0", "version": "1", "settings_digest": "", "decision": "accepted", "valid_steps": 1}
    return Verdict.model_validate(
        {**base, "source": source, "who": who, "at": NOW + timedelta(minutes=later), **fields}
    )


def test_a_batch_survives_the_file() -> None:
    batch = [
        verdict("rules", reasons=["cycle"], reason="cycle", detail="über", decision="cut"),
        verdict("rules", episode_id="b-1-r0k0", retracts="01ARZ3NDEKTSV4RRFFQ69G5FAV", who="ann"),
    ]
    assert decode_verdicts(encode_verdicts(batch)) == batch


def test_the_latest_of_each_source_and_reviewer_counts() -> None:
    old, new = verdict("rules"), verdict("rules", 1, decision="rejected")
    ann, bob = verdict("human", 5, "ann"), verdict("human", 2, "bob")
    counted = current([Filed("2", new), Filed("1", old), Filed("3", ann), Filed("4", bob)])
    assert counted == {"a-1-r0k0": [ann, bob, new]}
    assert standing(counted["a-1-r0k0"]) == ann


def test_of_the_same_time_the_later_file_counts() -> None:
    first, second = verdict("rules"), verdict("rules", decision="rejected")
    assert current([Filed("02", second), Filed("01", first)]) == {"a-1-r0k0": [second]}


def test_a_retracted_verdict_gives_way_to_the_one_before() -> None:
    first = verdict("human", 0, "ann", decision="rejected")
    mistake = verdict("human", 1, "ann", decision="accepted")
    retraction = verdict("human", 2, "bob", decision="rejected", retracts="02")
    other = verdict("human", 1, "ann", episode_id="b-1-r0k0")
    counted = current([Filed("01", first), Filed("02", mistake), Filed("03", retraction), Filed("02", other)])
    assert counted == {"a-1-r0k0": [retraction, first], "b-1-r0k0": [other]}


@pytest.mark.parametrize("weaker", ["checker", "judge", "rules", "stranger"])
def test_precedence(weaker: str) -> None:
    assert strength("human") < strength(weaker)
    assert strength("checker") <= strength("checker") < strength("judge") < strength("rules") < strength("stranger")


def test_nothing_stands_without_a_verdict() -> None:
    assert standing([]) is None


def test_ulids_sort_by_time() -> None:
    before = int(datetime.now(UTC).timestamp() * 1000)
    names = [new_ulid() for _ in range(100)]
    assert len(set(names)) == 100
    assert {len(name) for name in names} == {26}
    alphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
    stamps = [sum(alphabet.index(letter) * 32 ** (9 - at) for at, letter in enumerate(name[:10])) for name in names]
    assert stamps == sorted(stamps)
    assert before <= stamps[0] < before + 60_000

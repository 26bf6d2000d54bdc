"""Rule filters: an episode in, a verdict out.

A verdict is a record of its own, so filtering touches no episode and can be run again with other settings; the latest
verdict counts. `accepted`: no rule fired. `cut`: the steps before the first bad one are good. `rejected`: the rest.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import assert_never

from emulator_farm.episode import Episode, Verdict
from emulator_farm.rule_settings import RULE_NAMES, RuleName, RuleSettings
from emulator_farm.rules import RULES, Finding
from emulator_farm.signatures import episode_key
from emulator_farm.store import Store

__all__ = [
    "RULE_NAMES",
    "SOURCE",
    "VERSION",
    "Finding",
    "RuleName",
    "RuleSettings",
    "filter_run",
    "findings",
    "judge_all",
    "judge_episode",
]

SOURCE = "rules"
VERSION = "1"
"""Changes when a rule comes to mean something else."""


def findings(episode: Episode, settings: RuleSettings) -> list[Finding]:
    """What every rule that is on says of an episode, in the order of `RULE_NAMES`."""
    found = (rule(episode, settings) for name, rule in RULES.items() if settings.is_on(name))
    return [finding for finding in found if finding is not None]


def judge_episode(episode: Episode, settings: RuleSettings, *, at: datetime | None = None) -> Verdict:
    """The verdict of the rules on one episode, looked at alone."""
    return _verdict(episode, findings(episode, settings), settings, at or datetime.now(UTC))


def judge_all(episodes: Iterable[Episode], settings: RuleSettings, *, at: datetime | None = None) -> list[Verdict]:
    """The verdicts on several episodes, in their order; a later one that repeats an earlier kept one is a duplicate."""
    at = at or datetime.now(UTC)
    kept: dict[str, str] = {}
    verdicts = []
    for episode in episodes:
        found = findings(episode, settings)
        verdict = _verdict(episode, found, settings, at)
        if verdict.decision != "rejected" and settings.is_on("duplicate"):
            original = kept.setdefault(episode_key(episode, settings.grid_px), episode.id)
            if original != episode.id:
                found.append(Finding("duplicate", f"same goal and actions as {original}"))
                verdict = _verdict(episode, found, settings, at)
        verdicts.append(verdict)
    return verdicts


def filter_run(store: Store, settings: RuleSettings) -> list[Verdict]:
    """Judge every episode of a run, by id, and file the verdicts as one batch. Raises StoreError."""
    verdicts = judge_all(store.episodes(), settings)
    store.write_verdicts(SOURCE, verdicts)
    return verdicts


def _verdict(episode: Episode, found: list[Finding], settings: RuleSettings, at: datetime) -> Verdict:
    moves = len(episode.moves)
    bad = min((finding.step for finding in found if finding.step is not None), default=moves)
    valid = min(bad, moves)
    return Verdict(
        episode_id=episode.id,
        source=SOURCE,
        version=VERSION,
        settings_digest=settings.digest,
        decision="accepted" if not found else "cut" if _can_be_cut(found, valid, settings) else "rejected",
        reason=found[0].reason if found else "",
        detail="; ".join(_short(finding.detail) for finding in found),
        reasons=[finding.reason for finding in found],
        valid_steps=valid,
        at=at,
    )


def _short(text: str, limit: int = 300) -> str:
    return text if len(text) <= limit else f"{text[: limit - 1]}…"


def _can_be_cut(found: list[Finding], valid: int, settings: RuleSettings) -> bool:
    """Whether the steps before the first bad one may be kept."""
    whole = [finding.reason for finding in found if finding.step is None]
    if len(whole) == len(found) or valid < settings.cut_least_steps or "duplicate" in whole:
        return False
    match settings.cut:
        case "never":
            return False
        case "passed":
            return not whole
        case "any":
            return True
        case _:
            assert_never(settings.cut)

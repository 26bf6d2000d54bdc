"""Which screens of an episode a judge sees when it cannot see all."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from agent_server.actions import OpenApp, Press, Scroll, Wait
from agent_server.schemas import JudgeStep

_WAYS = ("back", "home", "recents")


def key_frames(frames: Collection[int], steps: Sequence[JudgeStep], most: int) -> list[int]:
    """At most `most` of the frames, oldest first; a frame is the index of the step that saw it.

    The last comes first, then the very first, then the screens right after an action that changes more than what is
    looked at, then the others, each newest first.
    """
    newest_first = sorted(frames, reverse=True)
    results = [frame for frame in newest_first if 0 < frame <= len(steps) and _matters(steps[frame - 1])]
    ranked = dict.fromkeys([newest_first[0], newest_first[-1], *results, *newest_first])
    return sorted(list(ranked)[:most])


def _matters(step: JudgeStep) -> bool:
    """Whether a step did more than look around: scrolls, waits, ways back and opened apps do not."""
    match step.action:
        case None | Scroll() | Wait() | OpenApp():
            return False
        case Press(key=key):
            return key not in _WAYS
        case _:
            return True

"""`agent-server judge`: the outcome of one episode from files, by a model of its own or by a running server."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated

import typer

from agent_server.cli.files import parsed, read_file, read_token
from agent_server.cli.judge_flags import with_judge_flags
from agent_server.cli.policy_flags import with_policy_flags
from agent_server.client import PolicyClient
from agent_server.config import JudgeConfig, PolicyConfig
from agent_server.errors import InvalidRequest
from agent_server.images import ImageLimits
from agent_server.judge_request import case_of
from agent_server.loader import load_judge, load_policy
from agent_server.multipart import Part
from agent_server.schemas import JudgeRequest, JudgeResponse, JudgeStep, Sampling

_NUMBERED = re.compile(r"(\d{1,4})=(.+)", re.DOTALL)


@with_policy_flags
@with_judge_flags
def judge(
    chosen: PolicyConfig,
    aside: JudgeConfig,
    goal: Annotated[str, typer.Option(help="What was to be done.")],
    frames: Annotated[
        list[str], typer.Option(help="Screenshots, the last one last; 3=FILE says that step 3 (from 0) saw it.")
    ],
    more_frames: Annotated[list[str] | None, typer.Argument(metavar="[FRAME]...", help="More of them.")] = None,
    steps: Annotated[Path | None, typer.Option(help="JSON array of steps: thought, action, summary.")] = None,
    answer: Annotated[str | None, typer.Option(help="What the agent answered.")] = None,
    criteria: Annotated[Path | None, typer.Option(help="Text file: what must hold beyond the goal.")] = None,
    threshold: Annotated[float, typer.Option(help="Scores from here on are a success.", min=0, max=1)] = 0.5,
    select: Annotated[bool, typer.Option("--select-frames", help="Leave frames out where there are too many.")] = False,
    sampling: Annotated[str, typer.Option(help='JSON; "n" is the number of votes.')] = "{}",
    url: Annotated[str | None, typer.Option(help="Ask this running server in place of a model of our own.")] = None,
    token_file: Annotated[Path | None, typer.Option(help="File with the token for --url.")] = None,
) -> None:
    """Score a whole episode by its outcome, and print the judgement as JSON."""
    told = [] if steps is None else parsed(list[JudgeStep], read_file(steps), str(steps))
    request = JudgeRequest(
        goal=goal,
        steps=told,
        answer=answer,
        criteria=None if criteria is None else read_file(criteria).decode("utf-8", "replace"),
        threshold=threshold,
        select="auto" if select else "all",
        model=(aside.model or chosen.model) if url else None,
        sampling=parsed(Sampling, sampling, "--sampling"),
    )
    pictures = {index: read_file(path) for index, path in numbered([*frames, *(more_frames or [])], len(told)).items()}
    if url:
        judgement = _ask(url, token_file, request, pictures)
    else:
        judgement = asyncio.run(_judge(chosen, aside, request, pictures))
    print(judgement.model_dump_json(indent=2))


def numbered(frames: Sequence[str], steps: int) -> dict[int, Path]:
    """Files by the index of the step that saw them; those without a number are the last screens of the episode.

    Raises InvalidRequest where a number comes twice, or some have one and some have none.
    """
    matches = [_NUMBERED.fullmatch(frame) for frame in frames]
    if not any(matches):
        first = max(steps + 1 - len(frames), 0)
        return {first + index: Path(frame) for index, frame in enumerate(frames)}
    found: dict[int, Path] = {}
    for frame, match in zip(frames, matches, strict=True):
        if match is None or int(match[1]) in found:
            raise InvalidRequest(f"--frames {frame}: write NUMBER=FILE for all frames, each number once, or for none")
        found[int(match[1])] = Path(match[2])
    return found


async def _judge(
    chosen: PolicyConfig, aside: JudgeConfig, request: JudgeRequest, pictures: Mapping[int, bytes]
) -> JudgeResponse:
    model = load_judge(chosen, aside, None if aside.model else load_policy(chosen))
    if model is None:
        raise InvalidRequest("give the judge with --judge-model and --judge-backend, or with --model and --backend")
    parts = {f"frame[{index}]": Part("frame", "", picture) for index, picture in pictures.items()}
    try:
        return await model.judge(case_of(request, parts, ImageLimits()))
    finally:
        await model.aclose()


def _ask(url: str, token_file: Path | None, request: JudgeRequest, pictures: Mapping[int, bytes]) -> JudgeResponse:
    try:
        client = PolicyClient(url, token=read_token(token_file))
    except ValueError as error:
        raise InvalidRequest(str(error)) from error
    with client:
        return client.judge(request, pictures)

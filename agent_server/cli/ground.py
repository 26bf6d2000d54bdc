"""`agent-server ground`: where one element is on a screenshot, by a model of its own or by a running server."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Annotated

import typer

from agent_server.actions import Click
from agent_server.annotate import annotated
from agent_server.cli.files import parsed, read_file, read_token, write_file
from agent_server.cli.ground_flags import with_ground_flags
from agent_server.cli.policy_flags import with_policy_flags
from agent_server.client import PolicyClient
from agent_server.config import GroundConfig, PolicyConfig
from agent_server.errors import InvalidRequest
from agent_server.ground import grounding_families
from agent_server.ground_request import ground_question_of
from agent_server.images import ImageLimits, check_image
from agent_server.loader import load_grounding, load_policy
from agent_server.multipart import Part
from agent_server.schemas import GroundRequest, GroundResponse, Sampling


@with_policy_flags
@with_ground_flags
def ground(
    chosen: PolicyConfig,
    aside: GroundConfig,
    element: Annotated[str, typer.Option(help="What is to be found.")],
    screenshot: Annotated[Path, typer.Option(help="PNG, JPEG or WebP.")],
    session: Annotated[str | None, typer.Option(help="Same session, same backend.")] = None,
    sampling: Annotated[str, typer.Option(help='JSON, for instance {"temperature": 0.7, "n": 4}.')] = "{}",
    url: Annotated[str | None, typer.Option(help="Ask this running server in place of a model of our own.")] = None,
    token_file: Annotated[Path | None, typer.Option(help="File with the token for --url.")] = None,
    annotate: Annotated[Path | None, typer.Option(help="Write the screenshot with the point drawn on it.")] = None,
) -> None:
    """Say where a described element is on a screenshot, and print the answer as JSON."""
    image = read_file(screenshot)
    request = GroundRequest(
        element=element,
        model=(aside.model or chosen.model) if url else None,
        session=session,
        sampling=parsed(Sampling, sampling, "--sampling"),
    )
    if url:
        answer = _ask(url, token_file, request, image)
    else:
        answer = asyncio.run(_locate(chosen, aside, request, image))
    if annotate:
        click = None if answer.point is None else Click(point=answer.point)
        said = answer.parse_error.message if answer.parse_error else "not present"
        write_file(annotate, annotated(check_image(image), click, said))
    print(answer.model_dump_json(indent=2))


async def _locate(chosen: PolicyConfig, aside: GroundConfig, request: GroundRequest, image: bytes) -> GroundResponse:
    model = load_grounding(chosen, aside, None if aside.model else load_policy(chosen))
    if model is None:
        who = chosen.model or chosen.policy
        families = ", ".join(grounding_families())
        raise InvalidRequest(f"{who} does not say where elements are; families that do: {families}")
    try:
        return await model.ground(
            ground_question_of(request, {"screenshot": Part("screenshot", "", image)}, ImageLimits())
        )
    finally:
        await model.aclose()


def _ask(url: str, token_file: Path | None, request: GroundRequest, image: bytes) -> GroundResponse:
    try:
        client = PolicyClient(url, token=read_token(token_file))
    except ValueError as error:
        raise InvalidRequest(str(error)) from error
    with client:
        return client.ground(
            request.element, image, model=request.model, session=request.session, sampling=request.sampling
        )

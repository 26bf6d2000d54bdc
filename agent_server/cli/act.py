"""`agent-server act`: one decision from files, by a policy of its own or by a running server."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Annotated

import typer

from agent_server.act_request import observation_of
from agent_server.annotate import annotated
from agent_server.cli.files import parsed, read_file, read_token, write_file
from agent_server.cli.policy_flags import with_policy_flags
from agent_server.client import PolicyClient
from agent_server.config import PolicyConfig
from agent_server.errors import InvalidRequest
from agent_server.images import ImageLimits, check_image
from agent_server.loader import load_policy
from agent_server.multipart import Part
from agent_server.schemas import ActRequest, ActResponse, HistoryTurn, Sampling


@with_policy_flags
def act(
    chosen: PolicyConfig,
    goal: Annotated[str, typer.Option(help="What is to be done.")],
    screenshot: Annotated[Path, typer.Option(help="PNG, JPEG or WebP.")],
    ui_tree: Annotated[Path | None, typer.Option(help="UI hierarchy (uiautomator XML) of the same moment.")] = None,
    history: Annotated[Path | None, typer.Option(help="JSON array of earlier turns, oldest first.")] = None,
    app: Annotated[str | None, typer.Option(help="Foreground package or component.")] = None,
    session: Annotated[str | None, typer.Option(help="Same session, same backend.")] = None,
    sampling: Annotated[str, typer.Option(help='JSON, for instance {"temperature": 0.7, "n": 4}.')] = "{}",
    return_tokens: Annotated[bool, typer.Option(help="Ask for token ids and log-probabilities.")] = False,
    url: Annotated[str | None, typer.Option(help="Ask this running server in place of a policy of our own.")] = None,
    token_file: Annotated[Path | None, typer.Option(help="File with the token for --url.")] = None,
    annotate: Annotated[Path | None, typer.Option(help="Write the screenshot with the action drawn on it.")] = None,
) -> None:
    """Choose one action for a screenshot and print the answer as JSON."""
    image = read_file(screenshot)
    request = ActRequest(
        goal=goal,
        history=_history(history),
        ui_tree=read_file(ui_tree).decode("utf-8", "replace") if ui_tree else None,
        app=app,
        model=chosen.model if url else None,
        session=session,
        sampling=parsed(Sampling, sampling, "--sampling"),
        return_tokens=return_tokens,
    )
    if url:
        answer = _ask(url, token_file, request, image)
    else:
        answer = asyncio.run(_decide(chosen, request, image))
    if annotate:
        said = answer.parse_error.message if answer.parse_error else "no action"
        write_file(annotate, annotated(check_image(image), answer.action, said))
    print(answer.model_dump_json(indent=2))


async def _decide(chosen: PolicyConfig, request: ActRequest, image: bytes) -> ActResponse:
    policy = load_policy(chosen)
    try:
        observation = observation_of(request, {"screenshot": Part("screenshot", "", image)}, ImageLimits())
        return await policy.act(observation)
    finally:
        await policy.aclose()


def _ask(url: str, token_file: Path | None, request: ActRequest, image: bytes) -> ActResponse:
    try:
        client = PolicyClient(url, token=read_token(token_file))
    except ValueError as error:
        raise InvalidRequest(str(error)) from error
    with client:
        return client.act(
            request.goal,
            image,
            request.history,
            ui_tree=request.ui_tree,
            app=request.app,
            model=request.model,
            session=request.session,
            sampling=request.sampling,
            return_tokens=request.return_tokens,
        )


def _history(path: Path | None) -> list[HistoryTurn]:
    return [] if path is None else parsed(list[HistoryTurn], read_file(path), str(path))

"""How replies are drawn: what is usual for a model, and what a caller wants otherwise."""

from __future__ import annotations

from collections.abc import Mapping

from agent_server.errors import InvalidRequest
from agent_server.schemas import Sampling


def drawn(usual: Mapping[str, float | int], asked: Sampling, whose: str) -> dict[str, object]:
    """The fields of a request that say how to sample; `whose` names whom the usual ones belong to.

    Raises InvalidRequest for samples that cannot differ. Model servers refuse those too, in words that do not say where
    the temperature came from.
    """
    sampling = {**usual, **asked.model_dump(exclude_none=True, exclude={"constrained"})}
    if asked.n > 1 and sampling.get("temperature") == 0:
        source = "that is asked for" if asked.temperature == 0 else f"that {whose} has by default"
        raise InvalidRequest(
            f"{asked.n} samples at temperature 0, {source}, are {asked.n} times the same; set a temperature above 0"
        )
    return sampling

"""How replies are drawn: the family's defaults, and what a caller wants otherwise."""

from __future__ import annotations

from agent_server.adapters import Adapter
from agent_server.errors import InvalidRequest
from agent_server.schemas import Sampling


def drawn(adapter: Adapter, asked: Sampling) -> dict[str, object]:
    """The fields of a request that say how to sample. Raises InvalidRequest for samples that cannot differ.

    Model servers refuse those too, in words that do not say where the temperature came from.
    """
    sampling = {**adapter.declaration.sampling, **asked.model_dump(exclude_none=True, exclude={"constrained"})}
    if asked.n > 1 and sampling.get("temperature") == 0:
        whose = "that is asked for" if asked.temperature == 0 else f"that {adapter.name} has by default"
        raise InvalidRequest(
            f"{asked.n} samples at temperature 0, {whose}, are {asked.n} times the same; set a temperature above 0"
        )
    return sampling

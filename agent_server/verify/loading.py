"""From settings to what is examined."""

from __future__ import annotations

from agent_server.backend import Watch, base_url
from agent_server.config import GroundConfig, PolicyConfig
from agent_server.errors import InvalidRequest
from agent_server.loader import load_policy
from agent_server.model_policy import ModelPolicy


def examinees(
    config: PolicyConfig, ground: GroundConfig | None = None, watch: Watch | None = None
) -> dict[str, ModelPolicy]:
    """For each backend URL a policy that asks it alone; those of a grounding model of its own too.

    Raises InvalidRequest for settings without a model server.
    """
    settings = [config] if config.model else []
    if ground is not None and ground.model is not None:
        own = {"policy": None, "min_pixels": None, "max_pixels": None, **ground.model_dump()}
        settings.append(config.model_copy(update=own))
    found = {}
    for one in settings:
        for url in one.backends:
            policy = load_policy(one.model_copy(update={"backends": (url,)}), watch)
            assert isinstance(policy, ModelPolicy), "there is a model"
            found[base_url(url)] = policy
    if not found:
        raise InvalidRequest("there is no model server to verify; give --model NAME and --backend URL")
    return found

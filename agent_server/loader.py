"""Where a policy is put together from its settings; nothing else knows all the parts."""

from __future__ import annotations

from agent_server.adapters import Adapter, PromptSet, adapter_for_model, adapter_named
from agent_server.backend import BackendTimeouts, ChatBackend, Watch
from agent_server.baselines import BASELINES
from agent_server.config import PolicyConfig
from agent_server.errors import InvalidRequest, UnknownName
from agent_server.images import Encoding
from agent_server.model_policy import ModelPolicy
from agent_server.policy import Policy
from agent_server.processor import fitted
from agent_server.tokens import read_tokens


def load_policy(config: PolicyConfig, watch: Watch | None = None) -> Policy:
    """The policy that the settings describe; `watch` knows which of its backends are up, where somebody does.

    Raises InvalidRequest for settings that make none.
    """
    if config.policy is not None:
        if config.model is not None:
            raise InvalidRequest("give either --policy or --model, not both")
        if config.policy not in BASELINES:
            raise UnknownName("policy", config.policy, BASELINES)
        return BASELINES[config.policy]()
    if config.model is None:
        raise InvalidRequest(f"give --policy ({', '.join(sorted(BASELINES))}) or --model NAME with --backend URL")
    if not config.backends:
        raise InvalidRequest(f"the model {config.model!r} needs --backend URL, for instance http://127.0.0.1:8000/v1")
    return ModelPolicy(
        config.model,
        load_adapter(config),
        _backend(config, config.served_name or config.model, watch),
        PromptSet.load(config.prompts),
        encoding=Encoding(config.image_format, config.jpeg_quality),
        language=config.language,
        constrained=config.constrained,
        logprobs_mode=config.logprobs_mode,
    )


def load_adapter(config: PolicyConfig) -> Adapter:
    """The adapter by name, or by the model's name.

    Its pixel limits are those of the flags, else those of the checkpoint where the model is a folder, else its own.
    """
    model = config.model or ""
    adapter = adapter_named(config.adapter) if config.adapter else adapter_for_model(model)
    adapter = fitted(adapter, model, config.min_pixels, config.max_pixels)
    return adapter if config.history is None else adapter.with_history(config.history)


def _backend(config: PolicyConfig, served_name: str, watch: Watch | None) -> ChatBackend:
    timeouts = BackendTimeouts(
        connect_s=config.connect_timeout_s, total_s=config.backend_timeout_s, cool_down_s=config.cool_down_s
    )
    try:
        return ChatBackend(config.backends, served_name, token=_token(config), timeouts=timeouts, watch=watch)
    except ValueError as error:
        raise InvalidRequest(str(error)) from error


def _token(config: PolicyConfig) -> str | None:
    path = config.backend_token_file
    if path is None:
        return None
    try:
        tokens = read_tokens(path)
    except OSError as error:
        raise InvalidRequest(f"the backend token file {path} cannot be read: {error.strerror}") from error
    if not tokens:
        raise InvalidRequest(f"the backend token file {path} holds no token")
    return tokens[0].decode()

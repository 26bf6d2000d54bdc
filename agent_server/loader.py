"""Where a policy is put together from its settings; nothing else knows all the parts."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from agent_server.adapters import Adapter, Grounder, PromptSet, adapter_for_model, adapter_named
from agent_server.backend import BackendTimeouts, ChatBackend, Watch
from agent_server.baselines import BASELINES
from agent_server.config import GroundConfig, JudgeConfig, PolicyConfig, WeightsConfig
from agent_server.errors import InvalidRequest, UnknownName
from agent_server.ground import GroundingModel, grounder_of, grounding_families
from agent_server.images import Encoding
from agent_server.judge import Judge
from agent_server.model_policy import ModelPolicy
from agent_server.policy import Policy
from agent_server.prepared_images import PreparedImages
from agent_server.processor import fitted
from agent_server.tokens import read_tokens
from agent_server.weights.change import WeightChanges
from agent_server.weights.choice import Weights

_FRAMES = 8
"""How many images a judge of its own is shown, where nothing else is said."""


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


def load_grounding(
    config: PolicyConfig, ground: GroundConfig, policy: Policy | None, watch: Watch | None = None
) -> GroundingModel | None:
    """What answers where elements are: a model of its own, else the policy's where its family can, else None.

    Raises InvalidRequest for settings that make none.
    """
    if ground.model is None:
        _no_backend_alone(ground.backends, "--ground-backend", "--ground-model")
        if not isinstance(policy, ModelPolicy):
            return None
        own = _grounder(ground.adapter, policy.model) if ground.adapter else grounder_of(policy.adapter)
        if own is None:
            return None
        parts = (policy.backend, policy.prompts, policy.images)
        return GroundingModel(policy.model, own, *parts, language=config.language, constrained=config.constrained)
    _backend_too(ground.model, ground.backends, "--ground-backend")
    return GroundingModel(
        ground.model,
        _grounder(ground.adapter, ground.model),
        _client(config, ground.backends, ground.served_name or ground.model, ground.backend_token_file, watch),
        PromptSet.load(config.prompts),
        PreparedImages(Encoding(config.image_format, config.jpeg_quality)),
        language=config.language,
        constrained=config.constrained,
    )


def _grounder(name: str | None, model: str) -> Grounder:
    adapter = adapter_named(name) if name else adapter_for_model(model, "--ground-adapter")
    grounder = grounder_of(adapter)
    if grounder is None:
        families = ", ".join(grounding_families())
        raise InvalidRequest(f"{adapter.name} does not say where elements are; families that do: {families}")
    return fitted(grounder, model)


def load_judge(config: PolicyConfig, judge: JudgeConfig, policy: Policy | None) -> Judge | None:
    """What judges episodes: a model of its own, else the policy's, else None. Raises InvalidRequest."""
    if judge.model is not None:
        _backend_too(judge.model, judge.backends, "--judge-backend")
        model, own_frames, prompts = judge.model, _FRAMES, PromptSet.load(config.prompts)
        backend = _client(config, judge.backends, judge.served_name or judge.model, judge.backend_token_file)
        images = PreparedImages(Encoding(config.image_format, config.jpeg_quality))
    else:
        _no_backend_alone(judge.backends, "--judge-backend", "--judge-model")
        if not isinstance(policy, ModelPolicy):
            return None
        model, own_frames, prompts = policy.model, policy.adapter.declaration.images, policy.prompts
        backend, images = policy.backend, policy.images
    return Judge(
        model,
        backend,
        prompts,
        images,
        most_frames=judge.frames or own_frames,
        best=judge.scale,
        max_pixels=judge.frame_pixels,
        language=config.language,
        constrained=config.constrained,
    )


def load_weights(config: WeightsConfig, policy: Policy) -> WeightChanges:
    """What changes the weights of a policy's model. Raises InvalidRequest for a policy that has none."""
    if not isinstance(policy, ModelPolicy):
        raise InvalidRequest("--admin-token-file lets weights be changed, and this policy has none; give --model")
    return WeightChanges(Weights(policy.backend, config))


def _backend_too(model: str, backends: Sequence[str], flag: str) -> None:
    if not backends:
        raise InvalidRequest(f"the model {model!r} needs {flag} URL, for instance http://127.0.0.1:8000/v1")


def _no_backend_alone(backends: Sequence[str], flag: str, needed: str) -> None:
    if backends:
        raise InvalidRequest(f"{flag} needs {needed} NAME, which says what is served there")


def _backend(config: PolicyConfig, served_name: str, watch: Watch | None) -> ChatBackend:
    return _client(config, config.backends, served_name, config.backend_token_file, watch)


def _client(
    config: PolicyConfig, urls: Sequence[str], served_name: str, token_file: Path | None, watch: Watch | None = None
) -> ChatBackend:
    timeouts = BackendTimeouts(
        connect_s=config.connect_timeout_s, total_s=config.backend_timeout_s, cool_down_s=config.cool_down_s
    )
    try:
        return ChatBackend(urls, served_name, token=_token(token_file), timeouts=timeouts, watch=watch)
    except ValueError as error:
        raise InvalidRequest(str(error)) from error


def _token(path: Path | None) -> str | None:
    if path is None:
        return None
    try:
        tokens = read_tokens(path)
    except OSError as error:
        raise InvalidRequest(f"the backend token file {path} cannot be read: {error.strerror}") from error
    if not tokens:
        raise InvalidRequest(f"the backend token file {path} holds no token")
    return tokens[0].decode()

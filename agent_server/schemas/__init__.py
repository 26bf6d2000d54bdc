"""Wire models of the policy server."""

from agent_server.schemas.act import (
    ActRequest,
    ActResponse,
    HistoryTurn,
    ParseError,
    Sample,
    Sampling,
    Tokens,
)
from agent_server.schemas.ground import GroundRequest, GroundResponse, GroundSample
from agent_server.schemas.judge import Agreement, JudgeRequest, JudgeResponse, JudgeStep, Vote
from agent_server.schemas.models import ModelCard, ModelList
from agent_server.schemas.problem import MISSING_SCREENSHOTS, Problem
from agent_server.schemas.wire import (
    GOAL_LIMIT,
    HISTORY_LIMIT,
    TEXT_LIMIT,
    LogprobsMode,
    Sha256,
    Text,
    Usage,
    WeightsPolicy,
    Wire,
)

__all__ = [
    "GOAL_LIMIT",
    "HISTORY_LIMIT",
    "MISSING_SCREENSHOTS",
    "TEXT_LIMIT",
    "ActRequest",
    "ActResponse",
    "Agreement",
    "GroundRequest",
    "GroundResponse",
    "GroundSample",
    "HistoryTurn",
    "JudgeRequest",
    "JudgeResponse",
    "JudgeStep",
    "LogprobsMode",
    "ModelCard",
    "ModelList",
    "ParseError",
    "Problem",
    "Sample",
    "Sampling",
    "Sha256",
    "Text",
    "Tokens",
    "Usage",
    "Vote",
    "WeightsPolicy",
    "Wire",
]

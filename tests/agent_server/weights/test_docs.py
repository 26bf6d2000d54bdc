"""docs/weights.md names every field of the interface that changes weights."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from agent_server.schemas.weights import LoadWeights, RevisionState, WeightsLoaded, WeightsLoading, WeightsState

TEXT = (Path(__file__).parents[3] / "docs" / "weights.md").read_text()


@pytest.mark.parametrize("model", [LoadWeights, RevisionState, WeightsLoaded, WeightsLoading, WeightsState])
def test_fields(model):
    missing = [name for name in model.model_fields if not re.search(rf"\b{name}\b", TEXT)]
    assert missing == []

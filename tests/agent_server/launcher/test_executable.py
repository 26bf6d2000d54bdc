from __future__ import annotations

import pytest

from agent_server.errors import InvalidRequest
from agent_server.launcher.executable import find_vllm


def test_the_named_one(stand_in):
    assert find_vllm(stand_in.executable) == stand_in.executable


def test_one_that_cannot_run(tmp_path):
    (tmp_path / "vllm").write_text("")
    for path in (tmp_path / "vllm", tmp_path, tmp_path / "none"):
        with pytest.raises(InvalidRequest, match="is not an executable file"):
            find_vllm(path)


def test_on_the_path(stand_in, monkeypatch):
    monkeypatch.setenv("PATH", str(stand_in.executable.parent))
    assert find_vllm() == stand_in.executable


def test_nowhere(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(InvalidRequest, match=r"pip install 'android-rollout-farm\[vllm\]'.*--vllm PATH.*--backend URL"):
        find_vllm()

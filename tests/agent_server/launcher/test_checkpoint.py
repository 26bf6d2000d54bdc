from __future__ import annotations

import json

import pytest

from agent_server.errors import InvalidRequest
from agent_server.launcher.checkpoint import Checkpoint, read_checkpoint


@pytest.mark.parametrize(
    ("config", "facts"),
    [
        ({"max_position_embeddings": 128000, "num_attention_heads": 28}, Checkpoint(128000, 28)),
        ({"text_config": {"max_position_embeddings": 9, "num_attention_heads": 4}}, Checkpoint(9, 4)),
        ({"max_position_embeddings": 5, "text_config": {"num_attention_heads": 4}}, Checkpoint(5, 4)),
        ({"max_position_embeddings": None, "num_attention_heads": "many"}, Checkpoint()),
    ],
)
def test_newer_and_older_layouts(tmp_path, config, facts):
    (tmp_path / "config.json").write_text(json.dumps(config))
    assert read_checkpoint(str(tmp_path)) == facts


def test_a_name_in_a_hub_tells_nothing():
    assert read_checkpoint("inclusionAI/UI-Venus-Navi-7B") == Checkpoint()


@pytest.mark.parametrize("path", ["/no/such/folder", "./no-such-folder", "~/ckpt-that-is-not-there"])
def test_a_path_without_a_folder(path):
    with pytest.raises(InvalidRequest, match="there is no folder"):
        read_checkpoint(path)


@pytest.mark.parametrize(("content", "words"), [(None, "cannot be read"), ("{", "is not JSON"), ("[]", "JSON object")])
def test_a_folder_that_is_no_checkpoint(tmp_path, content, words):
    if content is not None:
        (tmp_path / "config.json").write_text(content)
    with pytest.raises(InvalidRequest, match=words):
        read_checkpoint(str(tmp_path))

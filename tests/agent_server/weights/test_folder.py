from __future__ import annotations

import json
import struct

import pytest

from agent_server.errors import InvalidRequest
from agent_server.weights.folder import check_adapter, check_checkpoint, tensors


def test_an_adapter_of_the_language_model(adapter_folder):
    check_adapter(adapter_folder("a", "base_model.model.model.language_model.layers.0.self_attn.q_proj"), vision=False)


@pytest.mark.parametrize(
    "module",
    [
        "base_model.model.model.visual.blocks.0.attn.qkv",
        "base_model.model.vision_tower.layers.1.fc",
        "base.vpm.encoder.q",
    ],
)
def test_an_adapter_of_the_vision_tower_must_be_wanted(adapter_folder, module):
    folder = adapter_folder("a", "layers.0.q_proj", module)
    with pytest.raises(InvalidRequest, match=r"changes the vision tower.*enable-tower-connector-lora"):
        check_adapter(folder, vision=False)
    check_adapter(folder, vision=True)


@pytest.mark.parametrize("rank", [0, -1, "8", None, 1.5])
def test_a_rank_that_is_none(adapter_folder, rank):
    with pytest.raises(InvalidRequest, match="the rank r is"):
        check_adapter(adapter_folder("a", rank=rank), vision=False)


def test_what_is_not_there(tmp_path, adapter_folder):
    with pytest.raises(InvalidRequest, match=r"nowhere/adapter_config\.json cannot be read here: No such file"):
        check_adapter(tmp_path / "nowhere", vision=False)
    folder = adapter_folder("a")
    (folder / "adapter_model.safetensors").unlink()
    with pytest.raises(InvalidRequest, match=r"adapter_model\.safetensors cannot be read here"):
        check_adapter(folder, vision=False)
    (folder / "adapter_config.json").write_text("[1]")
    with pytest.raises(InvalidRequest, match="is not a JSON object"):
        check_adapter(folder, vision=False)
    (folder / "adapter_config.json").write_text("{")
    with pytest.raises(InvalidRequest, match="is not JSON"):
        check_adapter(folder, vision=False)


def test_a_checkpoint_of_the_shape_that_is_served(checkpoint_folder):
    served = checkpoint_folder("served", {"a": (2, 3), "b": (4,), "c": (4,)})
    check_checkpoint(checkpoint_folder("renamed", {"x.a": (2, 3), "x.b": (4,), "x.c": (4,), "head": (9, 9)}), served)
    check_checkpoint(checkpoint_folder("other", {"a": (7, 7)}), None)
    with pytest.raises(InvalidRequest, match=r"does not fit.*1 tensors have no counterpart.*1 of them of \[4\]"):
        check_checkpoint(checkpoint_folder("one less", {"a": (2, 3), "b": (4,)}), served)
    with pytest.raises(InvalidRequest, match=r"3 tensors have no counterpart"):
        check_checkpoint(checkpoint_folder("larger", {"a": (3, 2), "b": (5,), "c": (5,)}), served)
    with pytest.raises(InvalidRequest, match="has model_type 'llama', what is served has 'qwen2_5_vl'"):
        check_checkpoint(checkpoint_folder("llama", model_type="llama"), served)


def test_shards_count_together(checkpoint_folder):
    served = checkpoint_folder("served", {"a": (2, 3), "b": (4,)})
    sharded = checkpoint_folder("sharded", {"a": (2, 3)})
    (sharded / "model.safetensors").rename(sharded / "model-1.safetensors")
    other = checkpoint_folder("other", {"b": (4,)}) / "model.safetensors"
    other.rename(sharded / "model-2.safetensors")
    check_checkpoint(sharded, served)


def test_a_served_folder_that_is_not_here_is_not_compared(tmp_path, checkpoint_folder):
    check_checkpoint(checkpoint_folder("new"), tmp_path / "Qwen" / "Qwen2.5-VL-7B")


def test_a_folder_without_weights(checkpoint_folder):
    folder = checkpoint_folder("a")
    (folder / "model.safetensors").unlink()
    with pytest.raises(InvalidRequest, match=r"holds no \*\.safetensors"):
        check_checkpoint(folder, None)


def test_tensors(adapter_folder):
    path = adapter_folder("a", "q") / "adapter_model.safetensors"
    assert tensors(path) == {"q.lora_A.weight": (8, 16), "q.lora_B.weight": (8, 16)}


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "is not a safetensors file"),
        (b"\x01", "is not a safetensors file"),
        (struct.pack("<Q", 2**40), "its head would have"),
        (struct.pack("<Q", 4) + b"nope", "is not a safetensors file"),
        (struct.pack("<Q", 2) + b"[]", "is not a safetensors file"),
        (struct.pack("<Q", 12) + b'{"a": {"b":1', "is not a safetensors file"),
    ],
)
def test_what_is_no_safetensors_file(tmp_path, content, said):
    path = tmp_path / "x.safetensors"
    path.write_bytes(content)
    with pytest.raises(InvalidRequest, match=said):
        tensors(path)


def test_a_file_that_is_still_being_copied(checkpoint_folder):
    path = checkpoint_folder("a") / "model.safetensors"
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(InvalidRequest, match="is cut off"):
        tensors(path)


def test_metadata_is_no_tensor(tmp_path):
    head = json.dumps({"__metadata__": {"format": "pt"}}).encode()
    path = tmp_path / "x.safetensors"
    path.write_bytes(struct.pack("<Q", len(head)) + head)
    assert tensors(path) == {}

"""Lines as vLLM 0.32 and transformers 5 write them."""

from __future__ import annotations

import pytest

from agent_server.launcher.causes import cause_of

LINES = {
    "port": "OSError: [Errno 98] error while attempting to bind on address ('127.0.0.1', 8000): address already in use",
    "--max-model-len N": "ValueError: To serve at least one request with the model's max seq len (38912), 2.0 GiB KV "
    "cache is needed, which is larger than the available KV cache memory (1.0 GiB).",
    "nvidia-smi": "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.",
    "not enough memory": "ValueError: Free memory on device (10.0/79.2 GiB) on startup is less than desired GPU memory "
    "utilization (0.92, 72.8 GiB).",
    "smaller --tensor-parallel-size": "ValueError: Total number of attention heads (28) must be divisible by tensor "
    "parallel size (8).",
    "shorter context": "ValueError: User-specified max_model_len (38912) is greater than the derived max_model_len "
    "(max_position_embeddings=32768.0 or model_max_length=None in model's config.json).",
    "too old": "ValueError: Model architectures ['NewForCausalLM'] are not supported for now.",
    "neither a folder": "OSError: me/none is not a local folder and is not a valid model identifier listed on the hub",
    "--dry-run": "vllm: error: unrecognized arguments: --nonsense",
}


@pytest.mark.parametrize(("words", "line"), LINES.items())
def test_known_causes(words, line):
    cause = cause_of(["INFO loading", line, "Traceback"])
    assert cause is not None
    assert words in cause.hint


def test_unknown_causes():
    assert cause_of(["INFO loading", "Segmentation fault"]) is None
    assert cause_of([]) is None


def test_what_may_pass_is_tried_again():
    assert not cause_of([LINES["port"]]).lasting
    assert not cause_of([LINES["nvidia-smi"]]).lasting
    assert cause_of([LINES["too old"]]).lasting

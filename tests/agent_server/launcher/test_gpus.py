from __future__ import annotations

import pytest

from agent_server.errors import InvalidRequest
from agent_server.launcher.gpus import parallel_size, split, visible_gpus

SMI = """#!/bin/sh
echo "GPU 0: NVIDIA A100-SXM4-80GB (UUID: GPU-aa)"
echo "  MIG 1g.10gb     Device  0: (UUID: MIG-bb)"
echo "GPU 1: NVIDIA A100-SXM4-80GB (UUID: GPU-cc)"
exit {code}
"""


@pytest.fixture
def with_smi(tmp_path):
    """An environment in which nvidia-smi ends with the given code."""

    def make(code: int) -> dict[str, str]:
        program = tmp_path / "nvidia-smi"
        program.write_text(SMI.format(code=code))
        program.chmod(0o755)
        return {"PATH": str(tmp_path)}

    return make


@pytest.mark.parametrize(
    ("named", "gpus"),
    [
        ("0,1", ("0", "1")),
        (" 3 , 5 ", ("3", "5")),
        ("GPU-aa,GPU-bb", ("GPU-aa", "GPU-bb")),
        ("", ()),
        ("-1", ()),
        ("0,-1,2", ("0",)),
    ],
)
def test_the_variable_is_what_counts(named, gpus, with_smi):
    assert visible_gpus(with_smi(0) | {"CUDA_VISIBLE_DEVICES": named}) == gpus


def test_else_nvidia_smi_is_asked(with_smi):
    assert visible_gpus(with_smi(0)) == ("0", "1")
    assert visible_gpus(with_smi(9)) == ()


def test_without_either_there_are_none(tmp_path):
    assert visible_gpus({"PATH": str(tmp_path)}) == ()


def test_shares_are_equal_and_in_order():
    assert split(("0", "1", "2", "3", "4"), 2) == [("0", "1"), ("2", "3")]
    assert split((), 3) == [(), (), ()]
    with pytest.raises(InvalidRequest, match="3 replicas need a GPU each, and 2 can be seen"):
        split(("0", "1"), 3)


@pytest.mark.parametrize(
    ("gpus", "heads", "size"),
    [(1, 28, 1), (2, 28, 2), (8, 28, 4), (8, 64, 8), (8, None, 8), (6, None, 4), (3, 64, 2), (4, 7, 1)],
)
def test_heads_are_divided_evenly(gpus, heads, size):
    assert parallel_size(gpus, heads) == size

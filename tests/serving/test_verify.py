"""The self-check against a real vLLM with the real image processor."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from pathlib import Path

import pytest

from agent_server.adapters import ADAPTERS, Absolute, Processor
from agent_server.config import PolicyConfig
from agent_server.geometry import Size
from agent_server.processor import grid, processor_size
from agent_server.verify.examination import examine
from agent_server.verify.loading import examinees
from agent_server.verify.report import Report

SCREENS = (Size(1080, 2400), Size(720, 1280), Size(2400, 1080), Size(1, 1), Size(1440, 3200), Size(37, 411))


ROOM = 3_072
"""Tokens of the longest prompt of the server for all families; an image of 4000 takes it 10 s."""


def absolute_families() -> list[tuple[str, str, Absolute]]:
    """(adapter, model, space) of everything that counts in pixels, versions of one family apart."""
    found = []
    for name, adapter in ADAPTERS.items():
        if isinstance(adapter.declaration.space, Absolute):
            found.append((name, "7b", adapter.declaration.space))
            found += [(name, model, space) for model, space in adapter.declaration.space_by_model]
    return found


def examined(server, adapter: str, **settings: object) -> Report:
    """What `agent-server verify` finds of a server through an adapter."""
    settings = {"model": "7b", "served_name": server.name, **settings}
    config = PolicyConfig(backends=(server.url,), adapter=adapter, **settings)

    async def main() -> Report:
        (policy,) = examinees(config).values()
        try:
            return await examine(policy)
        finally:
            await policy.aclose()

    return asyncio.run(main())


def test_the_limits_of_the_checkpoints_folder_pass(served):
    report = examined(served, "qwen2.5-vl", model=str(served.checkpoint))
    assert report.ok, report
    assert [(probe.sent, probe.expected, probe.counted) for probe in report.probes] == [
        (Size(504, 1148), 738, 738),
        (Size(560, 1008), 720, 720),
        (Size(1148, 504), 738, 738),
        (Size(56, 56), 4, 4),
        (Size(616, 924), 726, 726),
    ]
    assert report.max_model_len == 8192
    assert (report.logprobs, report.logprobs_mode, report.token_ids) == (True, "raw", True)
    assert report.structured_outputs
    assert report.notes == ()


def test_limits_that_the_checkpoint_does_not_have_are_refused_with_the_numbers_and_the_flags(served):
    """UI-Venus 7B resizes to between 830000 and 937664 pixels; this checkpoint sees at most 602112."""
    report = examined(served, "ui-venus-1.0")
    assert not report.ok
    assert [(probe.sent, probe.expected, probe.counted, probe.seen) for probe in report.probes[:2]] == [
        (Size(644, 1428), 1173, 738, Size(504, 1148)),
        (Size(728, 1288), 1196, 720, Size(560, 1008)),
    ]
    (fault,) = report.faults
    assert "1173 tokens, and 738 come in, as at 504x1148" in fault.message
    assert fault.fix == (
        "give --min-pixels 3136 --max-pixels 602112 to agent-server, or start vLLM with --mm-processor-kwargs "
        """'{"min_pixels": 830000, "max_pixels": 937664}'"""
    )
    assert examined(served, "ui-venus-1.0", min_pixels=3136, max_pixels=602_112).ok


def test_the_command_and_the_server_refuse_too(served):
    flags = ["--model", "UI-Venus-Navi-7B", "--backend", served.url, "--served-name", served.name]
    done = {
        command: subprocess.run(
            [sys.executable, "-m", "agent_server", command, *flags, *extra], capture_output=True, text=True, timeout=300
        )
        for command, extra in (("verify", ["--json"]), ("serve", ["--port", "0"]))
    }
    assert done["verify"].returncode == 1
    (fault,) = json.loads(done["verify"].stdout)["findings"]
    assert done["serve"].returncode == 2
    assert "listening on" not in done["serve"].stdout
    assert done["serve"].stderr.splitlines()[-1].endswith(f"{fault['message']}; {fault['fix']}")


def test_five_images_and_a_context_too_short_for_five_large_ones(served):
    report = examined(served, "ui-tars-1.5", model=str(served.checkpoint))
    assert report.ok, report
    assert (report.images, report.images_accepted) == (5, True)
    short = examined(served, "ui-tars-1.5", min_pixels=3136, max_pixels=602_112, served_name="other")
    assert [str(fault) for fault in short.faults] == [
        "it does not serve 'other'; give --served-name tiny to agent-server"
    ]


def test_ui_venus_7b_passes_with_its_own_narrow_limits(model_server, checkpoint, vllm_processes):
    before = {pid for pid, _ in vllm_processes()}
    own = checkpoint(min_pixels=830_000, max_pixels=937_664)
    server = model_server(own, "--max-model-len", "4096", "--dtype", "float32")
    assert before.isdisjoint(pid for pid, _ in vllm_processes())  # of the server that had to make room
    report = examined(server, "ui-venus-1.0", model="UI-Venus-Navi-7B")
    assert report.ok, report
    assert [(probe.sent, probe.counted) for probe in report.probes] == [
        (Size(644, 1428), 1173),
        (Size(728, 1288), 1196),
        (Size(1428, 644), 1173),
        (Size(924, 924), 1089),
        (Size(784, 1176), 1176),
    ]


@pytest.fixture
def wide(model_server, checkpoint):
    """A server with the limits of Qwen2.5-VL and UI-Venus 72B, which are as wide as any: what the families send within
    their own must arrive as it is. For four images, and with the other kind of log-probabilities. In float32, which is
    what a CPU is fast at."""
    flags = ("--limit-mm-per-prompt", '{"image": 4, "video": 0}', "--logprobs-mode", "processed_logprobs")
    return model_server(
        checkpoint(min_pixels=3_136, max_pixels=12_845_056),
        *("--max-model-len", str(ROOM), "--skip-mm-profiling", "--dtype", "float32", *flags),
    )


@pytest.mark.parametrize(
    ("adapter", "model"),
    [
        (adapter, model)
        for adapter, model, space in absolute_families()
        if adapter != "ui-tars-1.5" and space.min_pixels < 0.9 * ROOM * space.factor**2
    ],
)
def test_every_family_that_counts_in_pixels_passes(wide, adapter, model):
    """Screens for which there is no room are sent smaller, and UI-Venus-Ground 72B, which makes all of them larger, is
    left out; the processors of all are compared at full size below."""
    report = examined(wide, adapter, model=model)
    assert report.ok, report
    assert [probe.counted for probe in report.probes] == [probe.expected for probe in report.probes]
    assert min(probe.expected for probe in report.probes if "phone" in probe.name) > 1000
    assert report.logprobs_mode == "processed"


def test_too_few_images(wide):
    report = examined(wide, "ui-tars-1.5")
    assert [probe.counted for probe in report.probes] == [probe.expected for probe in report.probes]
    assert report.images_accepted is False
    (fault,) = report.faults
    assert fault.fix == """start vLLM with --limit-mm-per-prompt '{"image": 5}'"""
    assert ["--max-model-len" in note.fix for note in report.notes] == [True]


def test_the_processors_themselves_make_what_is_predicted_of_every_screen(vllm, checkpoint):
    """With the limits of every family, at full size: as an adapter sends them, and as a phone has them."""
    expected, asked = {}, {}
    for *_, space in absolute_families():
        processor = Processor(space.factor // 2, 2, space.min_pixels, space.max_pixels)
        folder = str(checkpoint(min_pixels=space.min_pixels, max_pixels=space.max_pixels))
        sizes = [*SCREENS, *(processor_size(processor, size) for size in SCREENS)]
        asked[folder] = sizes
        expected[folder] = [list(grid(processor, size)) for size in sizes]
    script = [vllm.with_name("python"), Path(__file__).with_name("count_patches.py")]
    done = subprocess.run(script, input=json.dumps(asked), capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr[-4000:]
    assert json.loads(done.stdout) == expected

from __future__ import annotations

import asyncio
import re
from dataclasses import replace

import orjson
import pytest

from agent_server.adapters import ADAPTERS, Absolute, Processor, adapter_named
from agent_server.config import PolicyConfig
from agent_server.errors import BackendReply, BackendUnreachable
from agent_server.geometry import Size
from agent_server.scripted import RecordedRequest, ScriptedReply, TokenCount
from agent_server.verify.examination import examine
from agent_server.verify.loading import examinees

TINY = Processor(14, 2, 3_136, 602_112)
QWEN_3 = Processor(16, 2, 65_536, 16_777_216)


def without_ids(counts: TokenCount):
    """A script of a server that counts and returns no token ids, as older ones do."""

    def script(body: dict[str, object]) -> ScriptedReply:
        usage = {"prompt_tokens": len(counts.ids(RecordedRequest({}, body))), "completion_tokens": 1}
        answer = {"choices": [{"index": 0, "message": {"content": "x"}}], "usage": usage}
        return ScriptedReply(body=orjson.dumps(answer))

    return script


@pytest.mark.parametrize("name", ADAPTERS)
def test_every_family_passes_before_the_processor_that_it_expects(examined, name):
    report = examined(name)
    assert report.ok, report
    assert [probe.counted for probe in report.probes] == [
        probe.expected if probe.expected is not None else probe.counted for probe in report.probes
    ]
    assert report.images_accepted is True
    assert (report.logprobs, report.logprobs_mode, report.token_ids, report.structured_outputs) == (
        True, "raw", True, True,
    )  # fmt: skip


def test_what_is_sent_and_counted(examined):
    report = examined("ui-venus-1.0", max_model_len=9_000)
    assert [(probe.name, probe.screen, probe.sent, probe.expected, probe.seen) for probe in report.probes] == [
        ("phone", Size(1080, 2400), Size(644, 1428), 1173, Size(644, 1428)),
        ("small phone", Size(720, 1280), Size(728, 1288), 1196, Size(728, 1288)),
        ("turned phone", Size(2400, 1080), Size(1428, 644), 1173, Size(1428, 644)),
        ("smallest", Size(1, 1), Size(924, 924), 1089, Size(924, 924)),
        ("huge", Size(4000, 6000), Size(784, 1176), 1176, Size(784, 1176)),
    ]
    assert report.max_model_len == 9_000
    assert report.needed_len is not None
    assert 1173 + 2048 < report.needed_len < 4_000
    assert report.findings == ()
    assert str(report) == f"{report.url} is verified: 5 of 5 images took the tokens predicted"


@pytest.mark.parametrize(
    ("name", "there", "fix"),
    [
        ("qwen2.5-vl", TINY, "give --max-pixels 602112 to agent-server"),
        ("ui-venus-1.0", TINY, "give --min-pixels 3136 --max-pixels 602112 to agent-server"),
        ("ui-tars-1.5", Processor(14, 2, 3_136, 1_003_520), "give --max-pixels 1003520 to agent-server"),
        ("qwen2.5-vl", Processor(14, 2, 200_704, 12_845_056), "give --min-pixels 200704 to agent-server"),
        ("qwen2.5-vl", replace(QWEN_3, max_pixels=12_845_056), "no pixel limits explain this: choose the --adapter"),
    ],
)
def test_shifted_clicks_are_a_fault_with_the_flag_that_puts_them_right(examined, name, there, fix):
    report = examined(name, there)
    assert not report.ok
    (fault,) = report.faults
    assert "other images than its coordinates are counted on" in fault.message
    assert fault.fix.startswith(fix)
    limits = adapter_named(name).space("m")
    assert isinstance(limits, Absolute)
    assert f'"min_pixels": {limits.min_pixels}, "max_pixels": {limits.max_pixels}' in fault.fix
    if "give" in fix:
        words = fix.split()
        given = {word: int(words[index + 1]) for index, word in enumerate(words) if word.startswith("--")}
        again = examined(name, there, min_pixels=given.get("--min-pixels"), max_pixels=given.get("--max-pixels"))
        assert again.ok, again


def test_the_message_has_the_numbers(examined):
    report = examined("ui-venus-1.0", TINY)
    assert str(report).startswith(f"{report.url} does not fit the adapter ui-venus-1.0: ")
    assert (
        "a 1080x2400 screen is sent at 644x1428, 1173 tokens, and 738 come in, as at 504x1148; so for 5 of 5 screens"
        in str(report)
    )


def test_another_resolution_shifts_nothing_where_coordinates_are_fractions(examined):
    report = examined("qwen3-vl", replace(QWEN_3, max_pixels=1_003_520))
    assert report.ok
    (note,) = report.notes
    assert "coordinates stay right: a 1080x2400 screen is sent at 1080x2400" in note.message
    assert "2550 tokens, and 966 come in, as at 672x1472; so for 3 of 5 screens" in note.message
    assert "--max-pixels 1003520" in note.fix


def test_an_unknown_processor_is_said_to_be_unknown(examined):
    report = examined("gelab-zero", TINY)
    assert report.ok
    assert [probe.expected for probe in report.probes] == [None] * 5
    assert [note.message for note in report.notes] == [
        "the image processor of this family is not known here: nothing to compare"
    ]


def test_a_short_context_makes_screens_smaller_and_is_noted(examined):
    report = examined("qwen2.5-vl", max_model_len=3_000)
    assert report.ok, report
    phone, _, _, _, huge = report.probes
    assert re.fullmatch(r"\d+x\d+, because max_model_len 3000 has no room for more", phone.remark)
    assert phone.sent.pixels < 1092 * 2408
    assert phone.counted == phone.expected
    assert huge.counted == huge.expected < 3_000
    (note,) = report.notes
    assert "tokens short of the longest first step on a 1080x2400 screen" in note.message
    assert note.fix == f"start vLLM with --max-model-len {report.needed_len} or more"


def test_a_context_with_room_for_no_image(examined):
    report = examined("ui-venus-1.0", max_model_len=1_200)
    assert not report.ok
    assert [probe.counted for probe in report.probes] == [None] * 5
    assert "max_model_len 1200 has no room for any image" in str(report.faults[0])


def test_too_few_images(examined):
    report = examined("ui-tars-1.5", most_images=4)
    assert report.images_accepted is False
    assert [fault.fix for fault in report.faults] == ["""start vLLM with --limit-mm-per-prompt '{"image": 5}'"""]


def test_a_server_that_takes_no_images_at_all(examined):
    report = examined("ui-venus-1.0", most_images=0)
    assert [probe.counted for probe in report.probes] == [None] * 5
    assert "the phone screen, sent as 644x1428, is not accepted: " in report.faults[0].message
    assert "At most 0 image(s)" in report.faults[0].message


def test_counts_without_token_ids(examined):
    """What stands around an image is told from what all screens have in common then."""
    script = without_ids(TokenCount(Processor(14, 2, 830_000, 937_664), marks=5))
    report = examined("ui-venus-1.0", script=script)
    assert report.ok, report
    assert [probe.counted for probe in report.probes] == [1173, 1196, 1173, 1089, 1176]
    assert (report.token_ids, report.logprobs, report.logprobs_mode) == (False, False, None)
    assert [note.message for note in report.notes] == [
        "log-probabilities do not come back",
        "token ids do not come back",
        "structured_outputs has no effect: --constrained cannot be used",
    ]


def test_a_wrong_size_without_token_ids(examined):
    report = examined("ui-venus-1.0", script=without_ids(TokenCount(TINY)))
    assert not report.ok
    assert report.probes[0].counted == 738


def test_a_server_that_refuses_to_return_tokens(examined):
    counts = TokenCount(Processor(14, 2, 830_000, 937_664))
    counting = without_ids(counts)

    def script(body: dict[str, object]) -> ScriptedReply:
        if {"return_token_ids", "allowed_token_ids", "structured_outputs"} & body.keys():
            return ScriptedReply(status=400, body=b'{"error": "unknown field"}')
        return counting(body)

    report = examined("ui-venus-1.0", script=script)
    assert report.ok, report
    assert (report.token_ids, report.structured_outputs) == (False, False)


@pytest.mark.parametrize(("name", "fit"), [("ui-venus-1.0", False), ("gelab-zero", True)])
def test_a_server_that_refuses_prompts_without_images(examined, name, fit):
    def script(body: dict[str, object]) -> ScriptedReply:
        return ScriptedReply("x") if RecordedRequest({}, body).images() else ScriptedReply(status=400, body=b"no image")

    report = examined(name, TINY, script=script)
    assert report.ok is fit
    assert [(probe.accepted, probe.counted) for probe in report.probes] == [(True, None)] * 5
    assert "a prompt without its image is refused" in report.findings[0].message


@pytest.mark.parametrize("mode", ["raw", "processed"])
def test_the_kind_of_log_probabilities(examined, mode):
    assert examined("ui-venus-1.0", logprobs_mode=mode).logprobs_mode == mode


def test_constrained_output_that_has_no_effect(examined):
    report = examined("ui-venus-1.0", constrained=True, script=lambda _: ScriptedReply("whatever"))
    assert [fault.fix for fault in report.faults] == ["use a newer vLLM, or leave out --constrained"]
    assert examined("ui-venus-1.0", constrained=True).ok


def test_no_usage(examined):
    answer = orjson.dumps({"choices": [{"message": {"content": "x"}}]})
    with pytest.raises(BackendReply, match="does not say how many tokens a prompt has"):
        examined("ui-venus-1.0", script=lambda _: ScriptedReply(body=answer))


async def _examine(config: PolicyConfig):
    (policy,) = examinees(config).values()
    try:
        return await examine(policy)
    finally:
        await policy.aclose()


def test_another_name(scripted):
    url, _ = scripted(model="short")
    report = asyncio.run(_examine(PolicyConfig(model="UI-Venus-Navi-7B", backends=(url,))))
    assert [str(fault) for fault in report.faults] == [
        "it does not serve 'UI-Venus-Navi-7B'; give --served-name short to agent-server"
    ]
    assert report.url == url + "/v1"


def test_nobody_there():
    with pytest.raises(BackendUnreachable):
        asyncio.run(_examine(PolicyConfig(model="UI-Venus-Navi-7B", backends=("http://127.0.0.1:1",))))

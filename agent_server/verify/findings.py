"""What of a report is wrong, and the flag that would put it right."""

from __future__ import annotations

import json
from collections.abc import Iterator

from agent_server.adapters import Absolute, Processor
from agent_server.model_policy import ModelPolicy
from agent_server.processor import processor_of
from agent_server.verify.limits import agreed
from agent_server.verify.report import Finding, Probe, Report


def findings(report: Report, policy: ModelPolicy, seen_by: Processor | None) -> Iterator[Finding]:
    """Faults and notes. `seen_by` is the processor that explains what was counted, where one does."""
    expected = processor_of(policy.adapter, policy.model)
    yield from _images(report, policy, expected, seen_by)
    if report.images_accepted is False:
        yield Finding(
            severity="fault",
            message=f"a prompt with {report.images} images, as the adapter sends them, is refused",
            fix=f"start vLLM with --limit-mm-per-prompt '{{\"image\": {report.images}}}'",
        )
    if policy.constrained and not report.structured_outputs:
        yield Finding(
            severity="fault",
            message="replies are to be constrained, but structured_outputs had no effect",
            fix="use a newer vLLM, or leave out --constrained",
        )
    if policy.logprobs_mode and report.logprobs_mode and policy.logprobs_mode != report.logprobs_mode:
        yield Finding(
            severity="fault",
            message=f"log-probabilities are {report.logprobs_mode}, and records would call them {policy.logprobs_mode}",
            fix=f"start vLLM with --logprobs-mode {policy.logprobs_mode}_logprobs",
        )
    yield from _notes(report, policy, expected)


def _images(
    report: Report, policy: ModelPolicy, expected: Processor | None, seen_by: Processor | None
) -> Iterator[Finding]:
    absolute = isinstance(policy.adapter.space(policy.model), Absolute)
    for probe in report.probes:
        if not probe.accepted:
            yield Finding(
                severity="fault" if absolute or "phone" in probe.name else "note",
                message=f"the {probe.name} screen, sent as {probe.sent}, is not accepted: {probe.remark}",
            )
    if any(probe.accepted and probe.counted is None for probe in report.probes):
        yield Finding(
            severity="fault" if absolute else "note",
            message="a prompt without its image is refused, so that image tokens cannot be counted",
        )
    wrong = [probe for probe in report.probes if probe.counted is not None and not probe.agrees]
    if not wrong:
        return
    counts = f"{_counts(wrong[0])}; so for {len(wrong)} of {len(report.probes)} screens"
    if absolute:
        message = f"the model sees other images than its coordinates are counted on: {counts}"
        yield Finding(severity="fault", message=message, fix=_fix(expected, seen_by))
    else:
        message = f"the model sees images at another resolution than published; coordinates stay right: {counts}"
        yield Finding(severity="note", message=message, fix=_fix(expected, seen_by))


def _counts(probe: Probe) -> str:
    seen = f", as at {probe.seen}" if probe.seen else ""
    return (
        f"a {probe.screen} screen is sent at {probe.sent}, {probe.expected} tokens, and {probe.counted} come in{seen}"
    )


def _fix(expected: Processor | None, seen_by: Processor | None) -> str:
    assert expected is not None, "without a processor nothing is expected"
    kwargs = json.dumps({"min_pixels": expected.min_pixels, "max_pixels": expected.max_pixels})
    theirs = f"start vLLM with --mm-processor-kwargs '{kwargs}'"
    if seen_by is None:
        return f"no pixel limits explain this: choose the --adapter of this very model, or {theirs}"
    ours = agreed(expected, seen_by)
    flags = [
        f"--{name}-pixels {there}"
        for name, here, there in (
            ("min", expected.min_pixels, ours.min_pixels),
            ("max", expected.max_pixels, ours.max_pixels),
        )
        if here != there
    ]
    return f"give {' '.join(flags)} to agent-server, or {theirs}"


def _notes(report: Report, policy: ModelPolicy, expected: Processor | None) -> Iterator[Finding]:
    if expected is None:
        yield Finding(
            severity="note", message="the image processor of this family is not known here: nothing to compare"
        )
    if report.max_model_len is not None and report.needed_len is not None and report.needed_len > report.max_model_len:
        short = report.needed_len - report.max_model_len
        yield Finding(
            severity="note",
            message=f"max_model_len {report.max_model_len} is {short} tokens short of the longest first step on a "
            "1080x2400 screen, reply included; such requests are refused",
            fix=f"start vLLM with --max-model-len {report.needed_len} or more",
        )
    if not report.logprobs:
        yield Finding(severity="note", message="log-probabilities do not come back")
    if not report.token_ids:
        yield Finding(severity="note", message="token ids do not come back")
    if not report.structured_outputs and not policy.constrained:
        yield Finding(severity="note", message="structured_outputs has no effect: --constrained cannot be used")

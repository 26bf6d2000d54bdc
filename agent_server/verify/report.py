"""What a self-check found, as values."""

from __future__ import annotations

from typing import Literal

from agent_server.geometry import Size
from agent_server.schemas.wire import LogprobsMode, Wire


class Probe(Wire):
    """One image that was sent."""

    name: str
    screen: Size
    """In pixels, as a phone would have it."""
    sent: Size
    """In pixels, as it was sent."""
    expected: int | None = None
    """Image tokens by the adapter's processor; None where that is not known."""
    accepted: bool
    """Whether the model server took the image."""
    counted: int | None = None
    """Image tokens by the model server; None where it refused the image, or the same prompt without it."""
    seen: Size | None = None
    """In pixels, as the model sees it by what was counted; None where no pixel limits explain that."""
    remark: str = ""

    @property
    def agrees(self) -> bool:
        return self.expected is None or self.expected == self.counted


class Finding(Wire):
    """Something that is not as it should be."""

    severity: Literal["fault", "note"]
    """fault: decisions would be wrong or refused, so the server is not used; note: good to know."""
    message: str
    fix: str = ""
    """What to do about it."""

    def __str__(self) -> str:
        return f"{self.message}; {self.fix}" if self.fix else self.message


class Report(Wire):
    """One model server, examined."""

    url: str
    model: str
    """The name under which it serves the model."""
    adapter: str
    probes: tuple[Probe, ...] = ()
    max_model_len: int | None = None
    """Tokens of prompt and reply; None where the server does not say."""
    needed_len: int | None = None
    """Tokens that a first step on a 1080x2400 screen needs with as many images as the adapter shows and its longest
    reply; None where the processor is not known."""
    images: int
    """How many images the adapter shows at most."""
    images_accepted: bool | None = None
    """Whether a prompt with as many was accepted."""
    logprobs: bool = False
    """Whether log-probabilities come back when they are asked for."""
    logprobs_mode: LogprobsMode | None = None
    """None where it could not be found out."""
    token_ids: bool = False
    """Whether token ids come back when they are asked for."""
    structured_outputs: bool = False
    """Whether a reply was held to a regular expression when that was asked for."""
    findings: tuple[Finding, ...] = ()

    @property
    def faults(self) -> tuple[Finding, ...]:
        return tuple(finding for finding in self.findings if finding.severity == "fault")

    @property
    def notes(self) -> tuple[Finding, ...]:
        return tuple(finding for finding in self.findings if finding.severity == "note")

    @property
    def ok(self) -> bool:
        return not self.faults

    def __str__(self) -> str:
        """On one line."""
        if self.ok and any(probe.expected is None for probe in self.probes):
            return f"{self.url} accepts what is sent; how it resizes images cannot be predicted for this family"
        if self.ok:
            agreed = [probe for probe in self.probes if probe.agrees]
            return f"{self.url} is verified: {len(agreed)} of {len(self.probes)} images took the tokens predicted"
        return f"{self.url} does not fit the adapter {self.adapter}: {' | '.join(map(str, self.faults))}"

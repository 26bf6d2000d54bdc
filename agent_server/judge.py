"""The outcome of a whole episode, scored by a model that looks at its screenshots.

The judge is shown the task, a record of what the agent did and said, and frames. All of that is material that the agent
or an app may have written to please a judge, so none of it may leave its place in the prompt: texts reach the templates
without angle brackets (`quoted`), and templates fence them with tags. What the agent said is one line each, so that it
cannot make up steps either.

A score comes only from a reply that states one. Votes that refuse or cannot be read are told as that, and a judgement
without any readable vote has no score.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from agent_server.actions import action_to_json
from agent_server.adapters import Constraint, ImagePart, Message, PromptSet, TextPart
from agent_server.adapters.history import one_line
from agent_server.backend import ChatBackend
from agent_server.chat import chat_messages
from agent_server.chat_request import ChatRequest
from agent_server.completion import Choice, Completion
from agent_server.draws import drawn
from agent_server.errors import InvalidRequest, UnknownName
from agent_server.geometry import fit_area
from agent_server.images import CheckedImage
from agent_server.key_frames import key_frames
from agent_server.off_loop import CHARACTERS_READ, off_loop
from agent_server.prepared_images import PreparedImages
from agent_server.prompts import JUDGE
from agent_server.schemas import JudgeResponse, JudgeStep, Sampling, Vote
from agent_server.stopwatch import Stopwatch
from agent_server.tally import tally
from agent_server.vote import read_vote

_SAMPLING: Mapping[str, float | int] = {"temperature": 0.0, "max_tokens": 1024}
_SAMPLING_OF_VOTES: Mapping[str, float | int] = {**_SAMPLING, "temperature": 0.7, "seed": 0}
"""Several votes: they must be able to differ, and the same request must give the same ones."""
_MANY_STEPS = 10
"""Writing so many into a prompt takes about half a millisecond."""
_LONGEST_TEXT = 2_000
"""Of one thought or summary, in characters; of longer ones the middle is left out."""
_LONGEST_REASON = 600
"""In characters, where replies are constrained."""


@dataclass(frozen=True)
class Case:
    """One episode to be judged, checked."""

    goal: str
    steps: tuple[JudgeStep, ...] = ()
    frames: Mapping[int, CheckedImage] = field(default_factory=dict)
    """By the index of the step that saw them; `len(steps)` is the screen after the last."""
    choose_frames: bool = False
    """Whether frames may be left out."""
    answer: str | None = None
    criteria: str | None = None
    threshold: float = 0.5
    sampling: Sampling = field(default_factory=Sampling)
    session: str | None = None
    model: str | None = None


class Judge:
    """One model that scores episodes. For use from one event loop."""

    def __init__(
        self,
        model: str,
        backend: ChatBackend,
        prompts: PromptSet,
        images: PreparedImages,
        *,
        most_frames: int,
        best: int = 10,
        max_pixels: int | None = None,
        language: str = "English",
        constrained: bool = False,
    ) -> None:
        """`most_frames` is how many images the model is shown at most; larger ones than `max_pixels` are scaled down;
        it is asked for whole scores from 0 to `best`. Backend and images may be those of a policy."""
        self.model = model
        self._backend = backend
        self._prompts = prompts
        self._images = images
        self._most_frames = most_frames
        self._best = best
        self._max_pixels = max_pixels
        self._language = language
        self._constrained = constrained
        self._digest = prompts.digest(JUDGE)

    async def judge(self, case: Case) -> JudgeResponse:
        """Ask once, for as many votes as the sampling says.

        Raises InvalidRequest for a case that cannot be judged and BackendError like a policy.
        """
        if case.model not in (None, self.model):
            raise UnknownName("judge", case.model or "", [self.model])
        watch = Stopwatch()
        shown = self._shown(case)
        messages = await off_loop(len(case.steps) > _MANY_STEPS, self.messages, case, shown)
        defaults = _SAMPLING_OF_VOTES if case.sampling.n > 1 else _SAMPLING
        sampling = drawn(defaults, case.sampling, "a judge")
        watch.lap("prompt")
        urls = dict(zip(shown, await asyncio.gather(*(self._url(case.frames[index]) for index in shown)), strict=True))
        watch.lap("image")
        completion = await self._backend.complete(
            ChatRequest(
                messages=chat_messages(messages, urls),
                sampling=sampling,
                session=case.session,
                extras=self._constraint(case.sampling),
            )
        )
        watch.lap("backend")
        heavy = sum(len(choice.text) for choice in completion.choices) > CHARACTERS_READ
        votes = await off_loop(heavy, self._votes, completion.choices, case.threshold)
        watch.lap("parse")
        return self._response(votes, case, shown, completion, watch)

    async def aclose(self) -> None:
        """Release connections and threads; no call may follow. May be done twice."""
        self._images.close()
        await self._backend.aclose()

    def _shown(self, case: Case) -> list[int]:
        """The frames that the model is shown, oldest first."""
        if not case.frames:
            raise InvalidRequest("there is no frame: send screenshots as frame[i], at least the last one")
        if len(case.frames) <= self._most_frames:
            return sorted(case.frames)
        if not case.choose_frames:
            most = f"{self.model} is shown at most {self._most_frames}"
            raise InvalidRequest(f'{len(case.frames)} frames came, and {most}: send fewer, or say "select": "auto"')
        return key_frames(case.frames, case.steps, self._most_frames)

    async def _url(self, image: CheckedImage) -> str:
        resized = None if self._max_pixels is None else fit_area(image.size, self._max_pixels)
        return await self._images.url(image, resized)

    def messages(self, case: Case, shown: Sequence[int]) -> list[Message]:
        """The chat that asks for a vote on the case, with these of its frames."""
        frames = [{"number": number, "step": step} for number, step in enumerate(shown, 1)]
        values = {
            "goal": fenced(case.goal),
            "steps": [_told(number, step) for number, step in enumerate(case.steps, 1)],
            "frames": frames,
            "last": len(case.steps) or max(case.frames),
            "answer": None if case.answer is None else one_line(fenced(case.answer)),
            "criteria": None if case.criteria is None else fenced(case.criteria),
            "best": self._best,
            "language": self._language,
        }

        def text(part: str, **more: object) -> TextPart:
            return TextPart(self._prompts.render(f"{JUDGE}.{part}", **{"frame": None, **values, **more}))

        user: list[TextPart | ImagePart] = []
        for frame in frames:
            user += [text("frame", frame=frame), ImagePart(frame["step"])]
        return [Message("system", (text("system"),)), Message("user", (*user, text("user")))]

    def _constraint(self, sampling: Sampling) -> dict[str, object]:
        if not (self._constrained if sampling.constrained is None else sampling.constrained):
            return {}
        score = {"anyOf": [{"type": "integer", "minimum": 0, "maximum": self._best}, {"type": "null"}]}
        reason = {"type": "string", "maxLength": _LONGEST_REASON}
        schema = {
            "type": "object",
            "properties": {"reason": reason, "score": score},
            "required": ["reason", "score"],
            "additionalProperties": False,
        }
        return Constraint("json", schema).fields()

    def _votes(self, choices: Sequence[Choice], threshold: float) -> list[Vote]:
        return [self._vote(choice, threshold) for choice in choices]

    def _vote(self, choice: Choice, threshold: float) -> Vote:
        read = read_vote(choice.text, self._best, cut=choice.finish_reason == "length")
        return Vote(
            score=read.score,
            success=None if read.score is None else read.score >= threshold,
            reason=read.reason,
            raw=choice.text,
            refused=read.refused,
            parse_error=read.parse_error,
            finish_reason=choice.finish_reason,
        )

    def _response(
        self, votes: list[Vote], case: Case, shown: list[int], completion: Completion, watch: Stopwatch
    ) -> JudgeResponse:
        verdict = tally(votes, case.threshold)
        return JudgeResponse(
            status=verdict.status,
            score=verdict.score,
            success=verdict.success,
            tied=verdict.tied,
            reason=verdict.reason,
            scale=(0, self._best),
            threshold=case.threshold,
            agreement=verdict.agreement,
            votes=votes,
            frames=shown,
            model=self.model,
            weights=completion.weights,
            weights_policy=completion.weights_policy,
            prompt_digest=self._digest,
            usage=completion.usage,
            timing_ms=watch.total(),
        )


def quoted(text: str) -> str:
    """A text of a step as it may stand in the prompt; of very long ones the middle is left out."""
    if len(text) > _LONGEST_TEXT:
        text = f"{text[: _LONGEST_TEXT // 2]} […] {text[-_LONGEST_TEXT // 2 :]}"
    return fenced(text)


def fenced(text: str) -> str:
    """A text without any tag of ours or token of a chat template, since all of them have angle brackets."""
    return text.replace("<", "‹").replace(">", "›").strip()


def _told(number: int, step: JudgeStep) -> dict[str, object]:
    """One step for the templates; `raw` only where it was no action."""
    action = "" if step.action is None else action_to_json(step.action)
    texts = {"thought": step.thought, "action": action, "summary": step.summary, "raw": "" if action else step.raw}
    return {"number": number, **{name: one_line(quoted(text or "")) for name, text in texts.items()}}

"""Whole episodes on a virtual phone, with a policy behind real HTTP."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from agent_server.actions import Answer, CallUser, Click, Finished, Press, Wait
from agent_server.backend import ChatBackend
from agent_server.client import PolicyClient
from agent_server.config import WeightsConfig
from agent_server.geometry import Point
from agent_server.policy import Observation
from agent_server.schemas import ActResponse, Sampling, Tokens, Usage
from agent_server.weights.change import WeightChanges
from agent_server.weights.choice import Weights
from emulator_farm.devices.adb_server import AdbServer
from emulator_farm.devices.device import Device
from emulator_farm.episode import Episode, Header, Step
from emulator_farm.errors import ClaimLost, DeviceGone, PolicyFault
from emulator_farm.rollout import Limits, Rollout, step_seed
from emulator_farm.tasks.task import TaskInstance
from emulator_farm.virtual.host import PhoneHost

HOME = Press(key="home")
BRIGHT = {"kind": "setting", "namespace": "system", "key": "screen_brightness", "equals": "200"}

Play = Callable[..., Episode]


@pytest.fixture(scope="module")
def host() -> Iterator[PhoneHost]:
    with PhoneHost(1) as host:
        yield host


@pytest.fixture(scope="module")
def device(host: PhoneHost) -> Iterator[Device]:
    with AdbServer.launch() as server:
        server.connect(host.addresses[0])
        with Device(host.addresses[0], server) as device:
            device.prepare()
            yield device


def a_task(**changes: Any) -> TaskInstance:
    return TaskInstance.model_validate(
        {"task": "bright", "seed": 3, "goal": "Make it bright", "max_steps": 6} | changes
    )


@pytest.fixture
def play(device: Device, serve_policy: Any) -> Play:
    def play(policy: Any, task: TaskInstance | None = None, **changes: Any) -> Episode:
        task = task or a_task()
        header = Header(
            episode_id=f"{task.group_id}-r0k0",
            run="run",
            group_id=task.group_id,
            task=task.task,
            seed=task.seed,
            sample=0,
            goal=task.goal,
            adapter=policy.adapter,
        )
        url = serve_policy(policy, **changes.pop("beside", {}))
        with PolicyClient(url, timeout_s=changes.pop("timeout_s", 10)) as client:
            options: dict[str, Any] = {
                "limits": Limits(),
                "sampling": Sampling(temperature=0.5),
                "checkpoint": lambda: None,
                "on_step": lambda _step: None,
            }
            return Rollout(device, client, task, header, **options | changes).play()

    return play


def test_a_record_of_every_step(play: Play, script: Any) -> None:
    policy = script([Click(point=Point(500, 1300)), HOME])
    episode = play(policy)
    assert [step.decision.action for step in episode.moves] == [Click(point=Point(500, 1300)), HOME, Finished()]
    assert (episode.status, episode.end, episode.reward) == ("success", "finished", None)
    assert len(episode.steps) == 3, "the last action touched nothing, so there is no closing frame"
    first = episode.steps[0]
    assert first.effect is not None
    assert first.effect.command == "input tap 500 1300"
    assert first.screen.image.startswith(b"\x89PNG")
    assert first.screen.ui_tree is not None
    assert first.timing.decide_ms is not None
    assert first.timing.decide_ms > 0
    assert (episode.header.model, episode.weights, episode.header.prompt_digest) == ("script", ("w1",), "p1")
    assert [len(seen.history) for seen in policy.seen] == [0, 1, 2]
    assert policy.seen[1].history[0].thought == "step 0"
    assert policy.seen[0].ui_tree == first.screen.ui_tree


def test_what_the_checker_sees_decides(play: Play, script: Any, device: Device) -> None:
    task = a_task(check=BRIGHT)
    device.settings_put("system", "screen_brightness", "200")
    passed = play(script(), task)
    device.settings_put("system", "screen_brightness", "10")
    failed = play(script(), task)
    assert (passed.status, passed.reward) == ("success", 1.0)
    assert (failed.status, failed.reward) == ("failure", 0.0)
    assert "'10'" in failed.reason


def test_what_else_changed_is_recorded(play: Play, script: Any, device: Device) -> None:
    device.settings_put("system", "screen_brightness", "10")
    device.settings_put("secure", "ui_night_mode", "1")
    task = a_task(check=BRIGHT, milestones=[BRIGHT], changes=["settings/system/screen_brightness"])
    idle = play(script(), task)
    assert (idle.status, idle.clean, idle.undeclared, idle.progress) == ("failure", True, (), 0.0)

    def meddle(_step: Step) -> None:
        device.settings_put("system", "screen_brightness", "200")
        device.settings_put("secure", "ui_night_mode", "2")

    done = play(script(), task, on_step=meddle)
    assert (done.status, done.reward, done.clean, done.progress) == ("success", 1.0, False, 1.0)
    assert done.undeclared == ("~settings/secure/ui_night_mode: '1' to '2'",)
    silent = play(script(), a_task(check=BRIGHT))
    assert (silent.clean, silent.undeclared, silent.progress) == (None, (), None)
    device.settings_put("secure", "ui_night_mode", "1")


def test_a_goal_state_without_a_word_earns_nothing(play: Play, script: Any, device: Device) -> None:
    device.settings_put("system", "screen_brightness", "200")
    episode = play(script([HOME] * 9), a_task(check=BRIGHT, max_steps=3))
    assert (episode.status, episode.end, episode.reward) == ("truncated", "step_limit", 0.0)
    assert len(episode.moves) == 3
    assert episode.steps[-1].decision is None, "the phone changed after the last action, so a closing frame follows"


def test_three_unreadable_replies_in_a_row(play: Play, script: Any) -> None:
    policy = script(["gibberish", HOME, "a", "b", "c", HOME])
    episode = play(policy)
    assert (episode.status, episode.end) == ("failure", "parse_errors")
    assert [step.decision.raw for step in episode.moves][-3:] == ["a", "b", "c"]
    assert episode.moves[0].effect.command is None
    assert policy.seen[1].history[0].parse_error is not None, "the model sees its own slip"
    assert policy.seen[1].history[0].raw == "gibberish"


@pytest.mark.parametrize(
    ("replies", "end", "status"),
    [
        ([CallUser(text="which one?")], "call_user", "failure"),
        ([Finished(status="infeasible")], "infeasible", "failure"),
        ([Answer(text="42")], "finished", "success"),
    ],
)
def test_ends(play: Play, script: Any, replies: list[Any], end: str, status: str) -> None:
    episode = play(script(replies))
    assert (episode.end, episode.status) == (end, status)


@pytest.mark.parametrize("replies", [[Answer(text="7"), Answer(text="42")], [Finished(text="42")]])
def test_the_last_answer_counts(play: Play, script: Any, replies: list[Any]) -> None:
    task = a_task(question=True, check={"kind": "answer", "exact": "42"})
    assert play(script(replies), task).reward == 1.0


def test_an_infeasible_task_is_passed_by_saying_so(play: Play, script: Any) -> None:
    task = a_task(infeasible=True, check={"kind": "infeasible"})
    assert play(script([Finished(status="infeasible")]), task).reward == 1.0
    assert play(script(), task).reward == 0.0


def test_an_app_that_is_not_there_is_the_agents_affair(play: Play, script: Any) -> None:
    from agent_server.actions import OpenApp

    episode = play(script([OpenApp(app="No Such App")]))
    assert episode.moves[0].effect.status == "rejected"
    assert episode.end == "finished"


def test_the_time_limit(play: Play, script: Any) -> None:
    episode = play(script([Wait(seconds=0.3)] * 9), limits=Limits(episode_s=0.2))
    assert (episode.end, episode.status, len(episode.moves)) == ("time_limit", "truncated", 1)


def test_a_limit_of_the_run_replaces_the_tasks(play: Play, script: Any) -> None:
    assert len(play(script([HOME] * 9), limits=Limits(max_steps=2)).moves) == 2


def test_without_ui_trees(play: Play, script: Any) -> None:
    policy = script([HOME])
    episode = play(policy, limits=Limits(ui_tree=False))
    assert all(step.screen.ui_tree is None for step in episode.steps)
    assert policy.seen[0].ui_tree is None


def test_models_that_look_back_get_their_last_screens(play: Play, script: Any) -> None:
    policy = script([HOME] * 6, images=5)
    episode = play(policy, a_task(max_steps=7), images=5)
    shown = [[image is not None for image in seen.history_images] for seen in policy.seen]
    assert shown[-1] == [False, False, True, True, True, True], "five images, the current one included"
    looked_at = [image.data for image in policy.seen[-1].history_images[2:]]
    assert looked_at == [step.screen.image for step in episode.moves[2:6]], "the recorded frames, byte by byte"


def test_a_policy_that_does_not_look_back_is_sent_no_earlier_screens(play: Play, script: Any) -> None:
    policy = script([HOME] * 2, adapter="ui-tars-1.5")
    play(policy)
    assert [image for seen in policy.seen for image in seen.history_images] == [None] * 3


TOLD = Tokens(prompt_ids=[1, 2], response_ids=[3], logprobs=[-0.5], logprobs_mode="raw", image_grid=[(1, 2, 2)])


def telling(script: Any, *tokens: Tokens | None) -> Any:
    """A policy that presses home and is done, and tells these tokens step by step where it is asked to."""

    class Telling(script):  # type: ignore[misc]
        async def act(self, observation: Observation) -> ActResponse:
            answer: ActResponse = await super().act(observation)
            step = len(observation.history)
            told = tokens[step] if observation.return_tokens else None
            usage, weights = Usage(prompt_tokens=2, cached_tokens=step), f"w{step}"
            return answer.model_copy(
                update={"tokens": told, "usage": usage, "weights": weights, "weights_policy": "step"}
            )

    return Telling([HOME])


def test_tokens_and_weights_of_every_step(play: Play, script: Any) -> None:
    episode = play(telling(script, TOLD, TOLD), tokens=True)
    assert [step.decision.tokens for step in episode.moves] == [TOLD, TOLD]
    assert [step.decision.cached_tokens for step in episode.moves] == [0, 1]
    assert episode.weights == ("w0", "w1")
    assert {step.decision.weights_policy for step in episode.moves} == {"step"}
    assert [step.decision.tokens for step in play(telling(script)).moves] == [None, None]


@pytest.mark.parametrize(
    ("tokens", "words"),
    [
        (None, "step 1 came without token ids and log-probabilities"),
        (TOLD.model_copy(update={"prompt_ids": None}), "without token ids$"),
        (TOLD.model_copy(update={"response_ids": None}), "without token ids$"),
        (TOLD.model_copy(update={"logprobs": None}), "without log-probabilities$"),
    ],
)
def test_tokens_that_do_not_come(play: Play, script: Any, tokens: Tokens | None, words: str) -> None:
    with pytest.raises(PolicyFault, match=words) as caught:
        play(telling(script, TOLD, tokens), tokens=True)
    assert caught.value.cause == "tokens_missing"


def test_seeds_follow_from_episode_and_step(play: Play, script: Any) -> None:
    policy = script([HOME])
    play(policy)
    assert [seen.sampling.seed for seen in policy.seen] == [
        step_seed("bright-3-r0k0", 0),
        step_seed("bright-3-r0k0", 1),
    ]
    assert policy.seen[0].sampling.temperature == 0.5
    assert policy.seen[0].session == "bright-3-r0k0"


def test_a_policy_that_breaks_leaves_no_record(play: Play, script: Any) -> None:
    class Broken(script):  # type: ignore[misc]
        async def act(self, observation: Observation) -> ActResponse:
            raise OSError("the disk is on fire")

    with pytest.raises(PolicyFault) as caught:
        play(Broken())
    assert caught.value.cause == "policy_unavailable"
    assert "disk" not in str(caught.value), "what happens inside the server stays there"


def test_a_policy_that_is_too_slow(play: Play, script: Any) -> None:
    class Slow(script):  # type: ignore[misc]
        async def act(self, observation: Observation) -> ActResponse:
            await asyncio.sleep(5)
            return await super().act(observation)

    with pytest.raises(PolicyFault, match=r"0\.3 s"):
        play(Slow(), timeout_s=0.3)


def test_the_policys_session_ends_with_the_episode(play: Play, script: Any) -> None:
    weights = Weights(ChatBackend(["http://127.0.0.1:1"], "m"), WeightsConfig())

    async def begin() -> None:
        async with weights.serving("bright-3-r0k0"), weights.serving("another"):
            pass

    asyncio.run(begin())
    play(script([HOME]), beside={"weights": WeightChanges(weights)})
    assert weights.sessions() == 1
    asyncio.run(begin())
    lost = iter([None] * 4)

    def checkpoint() -> None:
        if next(lost, False) is False:
            raise ClaimLost("bright-3-r0k0")

    with pytest.raises(ClaimLost):
        play(script([HOME] * 5), checkpoint=checkpoint, beside={"weights": WeightChanges(weights)})
    assert weights.sessions() == 1


def test_whoever_lost_the_claim_touches_nothing(play: Play, script: Any, host: PhoneHost) -> None:
    def lost() -> None:
        raise ClaimLost("gone")

    before = host.phones[0].version
    with pytest.raises(ClaimLost):
        play(script([HOME]), checkpoint=lost)
    assert host.phones[0].version == before


def test_a_phone_that_vanishes(play: Play, script: Any, host: PhoneHost, device: Device) -> None:
    def cut(_step: object) -> None:
        device.server.disconnect(device.serial)

    with pytest.raises(DeviceGone):
        play(script([HOME] * 5), on_step=cut)
    device.server.connect(device.serial)

"""Loads under requests: what answers whom, on one server and on several, and what is left after a failure."""

from __future__ import annotations

import asyncio
import json

import pytest

from agent_server.errors import BackendRejected, BackendUnavailable, InvalidRequest

NOBODY = "http://127.0.0.1:1"
SAID = {
    "/first": "m on None",
    "l1": "l1 on None",
    "c2": "m on /full/2",
    "l3": "l3 on /full/2",
    "c4": "m on /full/4",
}
"""What the model servers of the last test say under each of its revisions."""


def test_an_adapter_is_served_beside_what_is_served(bench):
    async def main() -> None:
        async with bench(servers=2) as it:
            for session in ("a", "b"):
                assert (await it.ask(session)).weights == "/first"
            loaded = await it.load("lora", "step-1", "/lora/1")
            assert (loaded.revision, loaded.previous, loaded.moved_sessions, loaded.unloaded) == (
                "step-1",
                "/first",
                0,
                [],
            )
            assert [model.weights.adapters for model in it.models] == [{"step-1": "/lora/1"}] * 2
            for session in ("a", "b"):
                kept = await it.ask(session)
                assert (kept.choices[0].text, kept.weights, kept.weights_policy) == ("m on None", "/first", "pinned")
            new = await it.ask("c")
            assert (new.choices[0].text, new.weights, new.weights_policy) == ("step-1 on None", "step-1", "pinned")
            assert (await it.ask()).weights == "step-1"
            assert (await it.ask()).weights_policy == "step"
            it.weights.end("a")
            assert (await it.ask("a")).weights == "step-1"
            assert it.backend.weights == "step-1"

    asyncio.run(main())


def test_step_by_step_every_request_gets_the_newest(bench):
    async def main() -> None:
        async with bench(policy="step") as it:
            assert (await it.ask("a")).weights_policy == "step"
            await it.load("lora", "step-1", "/lora/1")
            answer = await it.ask("a")
            assert (answer.weights, answer.weights_policy) == ("step-1", "step")
            loaded = await it.load("checkpoint", "step-2", "/full/2")
            assert loaded.moved_sessions == 0
            assert (await it.ask("a")).choices[0].text == "m on /full/2"

    asyncio.run(main())


def test_an_adapter_is_loaded_everywhere_or_nowhere(bench, answering):
    async def main() -> None:
        models = [answering(0), answering(0, refused={"/lora/64": "LoRA rank 64 is greater than max_lora_rank 16."})]
        async with bench(models=models) as it:
            with pytest.raises(BackendRejected, match="rank 64 is greater than max_lora_rank 16"):
                await it.load("lora", "step-1", "/lora/64")
            assert [model.weights.adapters for model in models] == [{}, {}]
            assert (await it.ask("a")).weights == "/first"
            assert await it.load("lora", "step-1", "/lora/1")  # the name was never served, and is free
            assert (await it.ask("b")).weights == "step-1"

    asyncio.run(main())


def test_the_oldest_adapters_that_nobody_needs_make_room(bench):
    async def main() -> None:
        async with bench(keep_adapters=2) as it:
            await it.load("lora", "step-1", "/lora/1")
            await it.ask("keeps to 1")
            for step in (2, 3):
                assert (await it.load("lora", f"step-{step}", f"/lora/{step}")).unloaded == []
            assert (await it.load("lora", "step-4", "/lora/4")).unloaded == ["step-2"]
            assert list(it.models[0].weights.adapters) == ["step-1", "step-3", "step-4"]
            assert (await it.ask("keeps to 1")).weights == "step-1"
            it.weights.end("keeps to 1")
            assert (await it.load("lora", "step-5", "/lora/5")).unloaded == ["step-1", "step-3"]

    asyncio.run(main())


def test_a_loaded_revision_becomes_current_again_without_a_load(bench):
    async def main() -> None:
        async with bench() as it:
            await it.load("lora", "step-1", "/lora/1")
            await it.load("lora", "step-2", "/lora/2")
            calls = len(it.models[0].weights.calls)
            await it.load("lora", "step-1", "/lora/1")
            assert (await it.ask()).weights == "step-1"
            assert len(it.models[0].weights.calls) == calls

    asyncio.run(main())


def test_a_name_is_used_once(bench):
    async def main() -> None:
        async with bench(keep_adapters=1) as it:
            await it.load("lora", "step-1", "/lora/1")
            await it.load("lora", "step-2", "/lora/2")
            assert "step-1" not in it.models[0].weights.adapters
            for kind, revision, path in (
                ("lora", "step-1", "/lora/1"),
                ("lora", "step-2", "/elsewhere"),
                ("lora", "m", "/x"),
            ):
                with pytest.raises(InvalidRequest, match="was used before") as raised:
                    await it.load(kind, revision, path)
                assert raised.value.status == 409
            with pytest.raises(InvalidRequest, match="no name of a revision"):
                await it.load("lora", "step 3", "/lora/3")

    asyncio.run(main())


def test_a_checkpoint_waits_for_the_sessions_and_the_requests_of_what_it_replaces(bench):
    async def main() -> None:
        async with bench(delay_s=0.2) as it:
            for session in ("a", "b"):
                await it.ask(session)
            load = asyncio.create_task(it.load("checkpoint", "step-1", "/full/1"))
            await it.until(lambda: it.weights.loading is not None)
            assert (await it.ask("a")).weights == "/first"
            state = it.weights.state().loading
            assert (state.revision, state.kind, state.waiting_for, state.backends) == ("step-1", "checkpoint", 2, [])
            it.weights.end("a")
            last = asyncio.create_task(it.ask("b", "one more"))
            await it.until(lambda: it.models[0].weights.in_flight == 1)
            it.weights.end("b")
            await asyncio.sleep(0.02)
            late = asyncio.create_task(it.ask("late"))
            assert (await last).weights == "/first"
            assert (await load).moved_sessions == 0
            answer = await late
            assert (answer.choices[0].text, answer.weights, answer.weights_policy) == (
                "m on /full/1",
                "step-1",
                "pinned",
            )
            assert it.models[0].weights.mixed == 0

    asyncio.run(main())


def test_nothing_that_old_weights_computed_is_left_and_one_token_proves_that_it_works(bench):
    async def main() -> None:
        async with bench() as it:
            await it.ask()
            await it.load("checkpoint", "step-1", "/full/1")
            weights = it.models[0].weights
            assert weights.stale == set()
            assert not weights.paused
            assert weights.version == "step-1 /full/1"
            order = [
                weights.calls.index(call) for call in ("/pause", "/collective_rpc", "/reset_encoder_cache", "/resume")
            ]
            assert order == sorted(order)

    asyncio.run(main())


def test_after_the_time_for_it_sessions_are_moved_and_say_so(bench):
    async def main() -> None:
        async with bench() as it:
            await it.ask("a")
            loaded = await it.load("checkpoint", "step-1", "/full/1", drain_s=0.1)
            assert loaded.moved_sessions == 1
            assert loaded.seconds >= 0.1
            for _ in range(2):
                answer = await it.ask("a")
                assert (answer.weights, answer.weights_policy) == ("step-1", "moved")
            assert (await it.ask("b")).weights_policy == "pinned"

    asyncio.run(main())


def test_a_session_that_is_too_old_is_moved(bench):
    async def main() -> None:
        async with bench(session_deadline_s=0.3) as it:
            await it.ask("a")
            await it.load("lora", "step-1", "/lora/1")
            assert (await it.ask("a")).weights == "/first"
            await asyncio.sleep(0.3)
            answer = await it.ask("a")
            assert (answer.weights, answer.weights_policy) == ("step-1", "moved")

    asyncio.run(main())


def test_a_session_that_fell_silent_keeps_nobody_waiting(bench):
    async def main() -> None:
        async with bench(session_idle_s=0.2) as it:
            await it.ask("crashed")
            loaded = await it.load("checkpoint", "step-1", "/full/1")
            assert 0.1 < loaded.seconds < 4
            assert loaded.moved_sessions == 0

    asyncio.run(main())


def test_a_new_session_waits_a_while_for_the_new_weights_and_is_not_failed(bench):
    async def main() -> None:
        async with bench() as it:
            await it.ask("a")
            load = asyncio.create_task(it.load("checkpoint", "step-1", "/full/1"))
            await it.until(lambda: it.weights.loading is not None)
            began = asyncio.get_running_loop().time()
            answer = await it.ask("b")  # half of the backend's timeout of 4 s
            assert (answer.weights, answer.weights_policy) == ("/first", "pinned")
            assert 1.9 < asyncio.get_running_loop().time() - began < 3.5
            it.weights.end("a")
            it.weights.end("b")
            await load
            assert (await it.ask("b")).weights == "step-1"

    asyncio.run(main())


def test_several_servers_change_one_after_the_other_and_pinned_sessions_stay_with_the_old_ones(bench):
    async def main() -> None:
        async with bench(servers=3) as it:
            sessions = [f"s{number}" for number in range(6)]
            for session in sessions:
                await it.ask(session)
            load = asyncio.create_task(it.load("checkpoint", "step-1", "/full/1"))
            changed = [model.weights for model in it.models]
            await it.until(lambda: it.backend.current.name == "step-1")
            # The old weights keep their share of the servers, which is all that they can without stopping the new ones.
            assert [weights.folder for weights in changed] == ["/full/1", None, None]
            for session in sessions:
                assert (await it.ask(session)).weights == "/first"
            for session in ("new 1", "new 2"):
                assert (await it.ask(session)).choices[0].text == "m on /full/1"
            for session in sessions[:5]:
                it.weights.end(session)
            await it.until(lambda: changed[1].folder == "/full/1")
            assert (await it.ask("s5")).weights == "/first"
            assert changed[2].folder is None
            for session in sessions[5:]:
                it.weights.end(session)
            assert (await load).moved_sessions == 0
            assert [weights.folder for weights in changed] == ["/full/1"] * 3
            assert sum(weights.mixed for weights in changed) == 0

    asyncio.run(main())


def test_a_checkpoint_that_one_server_cannot_load_is_taken_back_everywhere(bench, answering):
    async def main() -> None:
        models = [answering(0), answering(0, refused={"/full/1": "no such file"})]
        async with bench(models=models) as it:
            await it.load("lora", "step-0", "/lora/0")
            await it.ask("a")
            it.weights.end("a")
            with pytest.raises(BackendRejected, match="no such file"):
                await it.load("checkpoint", "step-1", "/full/1")
            assert [model.weights.folder for model in models] == ["/first", "/first"]
            assert [model.weights.adapters for model in models] == [{"step-0": "/lora/0"}] * 2
            assert [model.weights.broken for model in models] == [False, False]
            assert it.weights.loading is None
            for session in ("a", "b", "c"):
                answer = await it.ask(session)
                assert (answer.choices[0].text, answer.weights) == ("step-0 on /first", "step-0")

    asyncio.run(main())


def test_a_checkpoint_takes_the_adapters_of_the_old_one_away(bench):
    async def main() -> None:
        async with bench() as it:
            await it.load("lora", "step-1", "/lora/1")
            await it.ask("a")
            loaded = await it.load("checkpoint", "step-2", "/full/2", drain_s=0)
            assert loaded.moved_sessions == 1
            assert it.models[0].weights.adapters == {}
            assert (await it.ask("a")).choices[0].text == "m on /full/2"
            await it.load("lora", "step-3", "/lora/3")
            assert (await it.ask()).choices[0].text == "step-3 on /full/2"
            await it.load("checkpoint", "step-2", "/full/2")  # is served, under the adapter
            assert (await it.ask()).choices[0].text == "m on /full/2"

    asyncio.run(main())


def test_one_load_at_a_time(bench, answering):
    async def main() -> None:
        async with bench(models=[answering(0, load_s=0.3)]) as it:
            first = asyncio.create_task(it.load("lora", "step-1", "/lora/1"))
            await it.until(lambda: it.weights.loading is not None)
            with pytest.raises(InvalidRequest, match="step-1 is being loaded") as raised:
                await it.load("lora", "step-2", "/lora/2")
            assert raised.value.status == 409
            assert (await it.ask("a")).weights == "/first"
            await first
            await it.load("lora", "step-2", "/lora/2")

    asyncio.run(main())


def test_a_server_that_cannot_be_reached_refuses_the_load_for_all(bench):
    async def main() -> None:
        async with bench(more_urls=[NOBODY]) as it:
            for kind, path in (("lora", "/lora/1"), ("checkpoint", "/full/1")):
                with pytest.raises(BackendUnavailable, match=f"{NOBODY}/v1: no connection"):
                    await it.load(kind, "step-1", path)
                answer = await it.ask("a")
                assert answer.weights == "/first"
                assert answer.choices[0].text in ("m on None", "m on /first")
            assert it.models[0].weights.adapters == {}

    asyncio.run(main())


def test_folders_are_looked_at_before_anything_is_asked(bench, tmp_path, adapter_folder):
    async def main() -> None:
        async with bench(remote=False) as it:
            for kind, path in (("lora", tmp_path / "nowhere"), ("checkpoint", tmp_path)):
                with pytest.raises(InvalidRequest, match="cannot be read here"):
                    await it.load(kind, "step-1", str(path))
            with pytest.raises(InvalidRequest, match="changes the vision tower"):
                await it.load("lora", "step-1", str(adapter_folder("v", "visual.blocks.0.qkv")))
            assert it.models[0].weights.calls == []
            folder = adapter_folder("a")
            await it.load("lora", "step-1", str(folder))
            assert it.models[0].weights.adapters == {"step-1": str(folder)}

    asyncio.run(main())


def test_a_checkpoint_is_compared_with_the_folder_that_is_served(bench, answering, checkpoint_folder):
    async def main() -> None:
        model = answering(0)
        model.root = str(checkpoint_folder("served", {"a": (2, 3)}))
        async with bench(models=[model], remote=False) as it:
            with pytest.raises(InvalidRequest, match="does not fit what is served"):
                await it.load("checkpoint", "step-1", str(checkpoint_folder("other", {"a": (3, 3)})))
            fits = checkpoint_folder("fits", {"a": (2, 3)})
            await it.load("checkpoint", "step-1", str(fits))
            (fits / "config.json").write_text(json.dumps({"model_type": "qwen2_5_vl", "architectures": ["A"]}))
            with pytest.raises(InvalidRequest, match="does not fit what is served"):
                await it.load("checkpoint", "step-2", str(checkpoint_folder("other 2", {"b": (1,)})))

    asyncio.run(main())


@pytest.mark.parametrize(
    ("device", "tensor", "refused"), [("cpu", "a", True), ("cuda", "a", False), ("cpu", "lm_head.weight", False)]
)
def test_a_cpu_goes_on_with_the_tied_embeddings_that_it_has(
    bench, answering, checkpoint_folder, device, tensor, refused
):
    async def main() -> None:
        model = answering(0, device=device)
        model.root = str(checkpoint_folder("served", {tensor: (2, 3)}))
        new = str(checkpoint_folder("new", {tensor: (2, 3)}))
        async with bench(models=[model], remote=False) as it:
            if refused:
                with pytest.raises(InvalidRequest, match="ties its output embeddings"):
                    await it.load("checkpoint", "step-1", new)
            else:
                await it.load("checkpoint", "step-1", new)
            assert model.weights.folder == (None if refused else new)

    asyncio.run(main())


def test_many_sessions_at_once_never_get_what_they_are_not_told(bench):
    """Each reply's text, which the model server wrote, says the same as the revision that the reply names."""

    async def main() -> None:
        async with bench(servers=2, delay_s=0.01) as it:
            stop = asyncio.Event()
            seen: dict[str, set[str]] = {}

            async def episodes(player: int) -> None:
                number = 0
                while not stop.is_set():
                    session, number = f"{player}-{number}", number + 1
                    for _ in range(4):
                        answer = await it.ask(session)
                        assert answer.weights_policy in ("pinned", "moved")
                        seen.setdefault(session, set()).add(f"{answer.weights} {answer.weights_policy}")
                        assert answer.choices[0].text == SAID[answer.weights]
                    it.weights.end(session)

            players = [asyncio.create_task(episodes(player)) for player in range(12)]
            for kind, name, path in (
                ("lora", "l1", "/lora/1"),
                ("checkpoint", "c2", "/full/2"),
                ("lora", "l3", "/lora/3"),
                ("checkpoint", "c4", "/full/4"),
            ):
                await asyncio.sleep(0.15)
                await it.load(kind, name, path, drain_s=0.1 if name == "c4" else None)
            await asyncio.sleep(0.1)
            stop.set()
            await asyncio.gather(*players)
            assert sum(model.weights.mixed for model in it.models) == 0
            for answers in seen.values():
                pinned = {answer for answer in answers if answer.endswith("pinned")}
                assert len(pinned) == 1 or (not pinned and len(answers) == 1)
            assert len(seen) > 24

    asyncio.run(main())

"""Changes of the weights while they serve: an adapter beside the others, or a checkpoint in place of what is there.

All or nothing: where one model server fails, the others go back, and what was served goes on being served. An adapter
takes nothing away. A checkpoint goes through the servers one after the other; the old weights keep their share of the
servers, at least one, until the last of their sessions ended or the time for that is over.
"""

from __future__ import annotations

import asyncio
import logging
import math
import time
from collections.abc import Coroutine, Iterable
from pathlib import Path

from agent_server.errors import BackendError, BackendUnavailable, InvalidRequest
from agent_server.schemas.weights import LoadWeights, WeightsLoaded
from agent_server.weights.choice import Loading, Weights
from agent_server.weights.folder import check_adapter, check_checkpoint, ties_embeddings
from agent_server.weights.keeper import WeightKeeper
from agent_server.weights.revision import Revision, check_name

_log = logging.getLogger(__name__)


class WeightChanges:
    """Makes one change at a time. For use from one event loop."""

    def __init__(self, weights: Weights) -> None:
        self.weights = weights
        self._config = weights.config
        self._used: set[str] = set()

    async def aclose(self) -> None:
        """Let go of the connections; what the model servers have stays."""
        self.weights.close()

    async def load(self, order: LoadWeights) -> WeightsLoaded:
        """Return when every server has the revision and new requests get it.

        Raises InvalidRequest (422 for a name or folder that cannot be, 409 while another load is going on or for a name
        that was used before), BackendRejected where a model server refuses, BackendError where one fails. After an
        error what was served is served.
        """
        weights, began = self.weights, time.monotonic()
        if weights.loading is not None:
            raise InvalidRequest(f"{weights.loading.revision} is being loaded; wait for its end", status=409)
        previous = weights.current
        revision, is_new = self._ordered(order)
        drain_s = self._config.session_deadline_s if order.drain_s is None else order.drain_s
        weights.loading = Loading(revision, previous.root, began, began + drain_s)
        moved = 0
        try:
            if is_new:
                await self._check_folder(order)
                moved = await self._make(revision)
            weights.current = revision
        finally:
            weights.loading = weights.closing = None
            weights.tell()
        dropped = await self._make_room()
        _log.info("weights: %s (%s) from %s", revision, revision.kind, revision.path)
        return WeightsLoaded(
            revision=order.revision,
            kind=order.kind,
            path=order.path,
            seconds=round(time.monotonic() - began, 3),
            previous=previous.name or weights.backend.replicas[0].first_weights,
            unloaded=[adapter.name for adapter in dropped if adapter.name],
            moved_sessions=moved,
        )

    def _ordered(self, order: LoadWeights) -> tuple[Revision, bool]:
        """The revision that is asked for, and whether it must be loaded first."""
        check_name(order.revision)
        weights = self.weights
        for known in (*weights.adapters, weights.current.root):
            if (known.name, known.kind, known.path) == (order.revision, order.kind, order.path):
                return known, False
        if order.revision in self._used or order.revision == weights.backend.model:
            raise InvalidRequest(
                f"the name {order.revision!r} was used before; give other weights another name", status=409
            )
        on = weights.current.root if order.kind == "lora" else None
        return Revision(order.kind, order.revision, order.path, on), True

    async def _check_folder(self, order: LoadWeights) -> None:
        if self._config.remote:
            return
        folder = Path(order.path)
        if order.kind == "lora":
            await asyncio.to_thread(check_adapter, folder, order.vision)
            return
        told = await self.weights.keepers[0].folder()
        served = Path(told) if told else None
        await asyncio.to_thread(check_checkpoint, folder, served)
        if served is None or not served.is_dir() or not await asyncio.to_thread(ties_embeddings, served):
            return
        if "cpu" in [await keeper.device() for keeper in self.weights.keepers]:
            raise InvalidRequest(
                f"{served} ties its output embeddings to its input ones, and vLLM on a CPU goes on with the old ones "
                "after a reload: start it with a checkpoint that has an lm_head.weight, or change it by LoRA adapters"
            )

    async def _make(self, revision: Revision) -> int:
        """Load it everywhere; the number of sessions that had to be moved."""
        if revision.kind == "lora":
            await self._add(revision)
            return 0
        return await self._roll_out(revision)

    async def _add(self, adapter: Revision) -> None:
        keepers = self.weights.keepers
        try:
            await _all(keeper.load(adapter) for keeper in keepers)
        except BackendError:
            await _all(keeper.unload([adapter]) for keeper in keepers)
            raise
        self._used.add(adapter.name or "")
        self.weights.adapters.append(adapter)

    async def _make_room(self) -> list[Revision]:
        """Unload the oldest adapters beyond those that are kept, except where somebody needs them."""
        weights = self.weights
        old = weights.adapters[: -self._config.keep_adapters]
        dropped = [adapter for adapter in old if adapter is not weights.current and weights.idle(adapter)]
        if dropped:
            weights.adapters = [adapter for adapter in weights.adapters if adapter not in dropped]
            await _all(keeper.unload(dropped) for keeper in weights.keepers)
        return dropped

    async def _roll_out(self, checkpoint: Revision) -> int:
        weights = self.weights
        before, root, adapters = weights.current, weights.current.root, list(weights.adapters)
        within_s = weights.backend.timeouts.total_s + 1
        done: list[WeightKeeper] = []
        moved = 0
        await _all(keeper.check() for keeper in weights.keepers)
        try:
            for keeper in weights.keepers:
                await self._wait_for_sessions(len(weights.keepers) - len(done))
                if len(done) == len(weights.keepers) - 1:
                    moved = len(weights.pinned_to(root))
                    await self._close(root, within_s)
                await keeper.replace(checkpoint, (), within_s)
                done.append(keeper)
                self._used.add(checkpoint.name or "")
                weights.current = checkpoint
                weights.tell()
        except BaseException:
            weights.current, weights.closing = before, None
            weights.tell()
            for keeper in done:
                await self._go_back(keeper, root, adapters, within_s)
            raise
        weights.adapters = []
        return moved

    async def _wait_for_sessions(self, remaining: int) -> None:
        """Until the old weights can do with one server less than the `remaining`, or the time is over."""
        weights, loading = self.weights, self.weights.loading
        assert loading is not None
        while True:
            left = loading.deadline - time.monotonic()
            pinned, servers = len(weights.pinned_to(loading.replaces)), len(weights.keepers)
            needed = math.ceil(servers * pinned / weights.sessions()) if pinned else 0
            if left <= 0 or remaining > min(needed, max(servers - 1, 1)):
                return
            await weights.changed(min(left, weights.next_lapse_s()))

    async def _close(self, root: Revision, within_s: float) -> None:
        """No request begins with these weights any more; return when none is being answered by them."""
        weights, deadline = self.weights, time.monotonic() + within_s
        weights.closing = root
        while answering := weights.answering(root):
            left = deadline - time.monotonic()
            if left <= 0:
                raise BackendUnavailable(f"{answering} requests were still being answered after {within_s:g} s")
            await weights.changed(left)

    async def _go_back(self, keeper: WeightKeeper, root: Revision, adapters: list[Revision], within_s: float) -> None:
        try:
            await keeper.replace(root, adapters, within_s)
        except BackendError as error:
            _log.error("%s keeps the new weights: %s", keeper.replica.url, error)


async def _all(calls: Iterable[Coroutine[None, None, None]]) -> None:
    """Return when each has ended. One error is raised for all: a refusal says more than that nobody answers."""
    failures = [end for end in await asyncio.gather(*calls, return_exceptions=True) if end is not None]
    for failure in failures:
        if not isinstance(failure, BackendError):
            raise failure
    if failures:
        refused = [failure for failure in failures if not isinstance(failure, BackendUnavailable)]
        raise type((refused or failures)[0])("; ".join(map(str, failures)))

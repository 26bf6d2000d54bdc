"""Keeps one model server at the weights that it is meant to have, also when it is restarted behind our back.

A vLLM that died and came back serves what its command line says, under the same name, and nothing in its answers would
tell. So on every new connection it is asked what it has, before a request goes out on it, and given what it lost.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterable

from agent_server.errors import BackendError, BackendRejected, BackendUnavailable
from agent_server.http_client import NoAnswer
from agent_server.replica import Replica
from agent_server.weights.admin import UNNAMED, ModelAdmin, folder_of, is_interrupted, name_of, version_of
from agent_server.weights.revision import Revision

_log = logging.getLogger(__name__)


class WeightKeeper:
    """One replica and what it is meant to serve. For use from one event loop."""

    def __init__(self, replica: Replica, admin: ModelAdmin, model: str) -> None:
        self.replica = replica
        self._admin = admin
        self._model = model
        self._adapters: dict[str, Revision] = {}
        self._found: str | None = None
        """The weight version that it told when it was first asked."""
        self._version: str | None = None
        """The one that it must tell."""
        self._changing = False
        self._in_doubt = False
        """Whether a change failed and could not be taken back."""
        self._restoring: asyncio.Task[None] | None = None
        replica.client.greet = self._confirm

    def close(self) -> None:
        self._admin.close()
        if self._restoring is not None:
            self._restoring.cancel()

    async def folder(self) -> str | None:
        """From where its full weights came, as far as it tells. Raises BackendError."""
        await self._first_met()
        assert self._version is not None
        return folder_of(self._version) or self.replica.started_with

    async def check(self) -> None:
        """Raises BackendError where it cannot be told to replace its full weights."""
        await self._first_met()
        await self._admin.version()

    async def device(self) -> str:
        """On what it computes: "cuda", "cpu", …; empty where it does not tell. Raises BackendError."""
        return await self._admin.device()

    async def load(self, adapter: Revision) -> None:
        """Serve a LoRA adapter beside what is served. Raises BackendError; then nothing has changed."""
        assert adapter.name is not None
        assert adapter.path is not None
        await self._first_met()
        served = await self._admin.served()
        if adapter.name not in served:
            await self._admin.load_adapter(adapter.name, adapter.path)
        elif served[adapter.name] != adapter.path:
            there = served[adapter.name]
            raise BackendRejected(f"{self.replica.url} serves something else as {adapter.name!r}, from {there}")
        self._adapters[adapter.name] = adapter

    async def unload(self, adapters: Iterable[Revision]) -> None:
        """Serve them no more. A server that cannot be told is no fault: nobody asks for them again."""
        for adapter in adapters:
            if adapter.name is not None and adapter.name in self._adapters:
                del self._adapters[adapter.name]
                try:
                    await self._admin.unload_adapter(adapter.name)
                except BackendError as error:
                    _log.warning("the adapter %s stays loaded: %s", adapter, error)

    async def replace(self, root: Revision, adapters: Iterable[Revision], within_s: float) -> None:
        """Serve other full weights, and these adapters on them, as soon as no request is inside.

        Raises BackendError: then it serves what it served, or, where that cannot be had back, nothing until it can.
        """
        await self._first_met()
        before = self.replica.root, self._version, dict(self._adapters)
        async with self.replica.gate.shut(within_s):
            self._changing = True
            try:
                await self.unload(before[2].values())
                self._take(root)
                self._adapters = {adapter.name: adapter for adapter in adapters if adapter.name}
                await self._bring()
            except BackendError:
                self.replica.root, self._version, self._adapters = before
                await self._bring_back()
                raise
            finally:
                self._changing = False

    def _take(self, root: Revision) -> None:
        self.replica.root = root
        if root.kind == "checkpoint":
            assert root.name is not None
            assert root.path is not None
            self._version = version_of(root.name, root.path)
        else:
            self._version = self._found

    async def _bring_back(self) -> None:
        try:
            await self._bring()
        except BackendError as error:
            _log.error("%s does not have %s any more: %s", self.replica.url, self.replica.weights, error)
            self._in_doubt = True
            self.replica.client.close()  # what comes next connects anew, and is confirmed first

    async def _confirm(self) -> bool:
        """Whether it had to be changed. Raises NoAnswer where it has not what it should and cannot be given it."""
        if self._changing:
            return False
        try:
            if await self._is_as_meant():
                return False
            if self._restoring is None:
                _log.warning("%s was restarted; it is given %s again", self.replica.url, self.replica.weights)
                self._restoring = asyncio.create_task(self._bring())
                self._restoring.add_done_callback(self._restored)
            await asyncio.shield(self._restoring)
        except BackendError as error:
            meant = self.replica.weights or "its first weights"
            raise NoAnswer(f"it cannot be told to have {meant}: {error}") from error
        return True

    def _restored(self, task: asyncio.Task[None]) -> None:
        self._restoring = None
        if not task.cancelled() and (error := task.exception()):
            _log.error("%s could not be given %s: %s", self.replica.url, self.replica.weights, error)

    async def _is_as_meant(self) -> bool:
        await self._first_met()
        self._check_whole()
        if (self._version != UNNAMED or self._in_doubt) and await self._told() != self._version:
            return False
        self._in_doubt = False
        return not self._adapters or self._adapters.keys() <= (await self._admin.served()).keys()

    async def _first_met(self) -> None:
        """What it has when it is first asked is what it is meant to have: a policy server before this one loaded it."""
        if self._found is None:
            found = await self._told()
            self.replica.started_with = (await self._admin.served()).get(self._model)
            self.replica.named = name_of(found)
            self._found = self._version = found

    async def _told(self) -> str:
        try:
            return await self._admin.version()
        except BackendRejected:  # no development routes: it has what it was started with
            return UNNAMED

    def _check_whole(self) -> None:
        if self._version is not None and is_interrupted(self._version):
            raise BackendUnavailable(f"a load of weights was interrupted ({self._version}); load some again")

    async def _bring(self) -> None:
        """Make it serve what it is meant to."""
        self._check_whole()
        assert self._version is not None
        if await self._told() != self._version:
            folder = await self.folder()
            if folder is None:
                raise BackendUnavailable(f"{self.replica.url} does not tell from where its first weights were loaded")
            await self._admin.reload(folder, self._version, self._model)
        if self._adapters:
            served = await self._admin.served()
            for name, adapter in self._adapters.items():
                if name not in served and adapter.path is not None:
                    await self._admin.load_adapter(name, adapter.path)

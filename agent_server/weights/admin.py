"""How one vLLM is told to change its weights: LoRA adapters by name, or another checkpoint in place.

Checkpoints need vLLM's development routes (`VLLM_SERVER_DEV_MODE=1`), adapters need `--enable-lora` and
`VLLM_ALLOW_RUNTIME_LORA_UPDATING=True`. What the server has is kept in its own memory as its weight version, so that a
restart of either side shows.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Mapping

import orjson

from agent_server.errors import BackendError, BackendRejected, BackendReply, BackendUnavailable
from agent_server.http_client import BrokenAnswer, HttpClient, HttpResponse, NoAnswer

UNNAMED = "default"
"""The weight version of a vLLM that nobody told another."""
_LOADING = "loading "
_CACHES = ("/reset_prefix_cache", "/reset_mm_cache", "/reset_encoder_cache")


class ModelAdmin:
    """The administrative routes of one model server. For use from one event loop."""

    def __init__(self, url: str, headers: Mapping[str, str], connect_s: float, total_s: float) -> None:
        """`url` is its base, `/v1` at the end; `total_s` bounds each call, a load of the weights among them."""
        self.url = url
        self._http = HttpClient(url.removesuffix("/v1"), headers)
        self._connect_s, self._total_s = connect_s, total_s

    def close(self) -> None:
        self._http.close()

    async def served(self) -> dict[str, str | None]:
        """The names that it serves, the model's and those of LoRA adapters, with their folders."""
        entries = _read(await self._call("GET", "/v1/models"), "data", list)
        assert isinstance(entries, list)
        return {str(entry.get("id")): entry.get("root") for entry in entries if isinstance(entry, dict)}

    async def load_adapter(self, name: str, path: str) -> None:
        """Raises BackendRejected where it refuses the adapter."""
        await self._call("POST", "/v1/load_lora_adapter", {"lora_name": name, "lora_path": path})

    async def unload_adapter(self, name: str) -> None:
        await self._call("POST", "/v1/unload_lora_adapter", {"lora_name": name})

    async def version(self) -> str:
        """What the last load noted; UNNAMED where there was none since it started."""
        return str(_read(await self._call("GET", "/weight_info"), "weight_version", str))

    async def device(self) -> str:
        """On what it computes: "cuda", "cpu", …; empty where it does not tell."""
        config = _read(await self._call("GET", "/server_info?config_format=json"), "vllm_config", dict)
        assert isinstance(config, dict)
        device = config.get("device_config")
        return str(device.get("device", "")) if isinstance(device, dict) else ""

    async def reload(self, path: str, version: str, model: str) -> None:
        """Replace the full weights by those in a folder, and prove with one token of `model` that it still works.

        Nothing may be asked of it meanwhile. Nothing that the old weights computed is kept: neither KV blocks nor image
        embeddings. An error leaves it in a state of which only another `reload` or a restart leads out.
        """
        await self._note(f"{_LOADING}{version}")
        await self._call("POST", "/pause?mode=wait")
        try:
            reload = {"method": "reload_weights", "kwargs": {"weights_path": path}}
            await self._call("POST", "/collective_rpc", reload)
        except BackendError:
            with contextlib.suppress(BackendError):
                await self._settle()
            raise
        await self._settle()
        await self._call("POST", "/v1/completions", {"model": model, "prompt": "a", "max_tokens": 1})
        await self._note(version)

    async def _settle(self) -> None:
        """Drop what the old weights computed, and go on. Its scheduler and its workers must agree on which images are
        embedded, or the next image kills it; so this is due after a failure too."""
        for cache in _CACHES:
            answer = await self._call("POST", cache)
            if answer.body and not _read(answer, "success", bool):
                raise BackendReply(f"{self.url}: {cache} did not succeed: requests of others are running there")
        await self._call("POST", "/resume")

    async def _note(self, version: str) -> None:
        await self._call("POST", "/update_weight_version", {"new_version": version})

    async def _call(self, method: str, path: str, body: object = None) -> HttpResponse:
        content = b"" if body is None else orjson.dumps(body)
        try:
            async with asyncio.timeout(self._total_s):
                answer = await self._http.request(method, path, content, self._connect_s)
        except TimeoutError as error:
            raise BackendUnavailable(f"{self.url}: {path} took longer than {self._total_s:g} s") from error
        except (NoAnswer, BrokenAnswer) as error:
            raise BackendUnavailable(f"{self.url}: {error}") from error
        if answer.status == 200:
            return answer
        raise self._refused(path, answer)

    def _refused(self, path: str, answer: HttpResponse) -> BackendRejected:
        """Every refusal is the caller's business: a folder that does not fit, or a server started without the flags."""
        try:
            said = orjson.loads(answer.body)
        except orjson.JSONDecodeError:
            said = answer.body[:500].decode("utf-8", "replace")
        error = said.get("error") if isinstance(said, dict) else None
        if answer.status in (404, 405) and not isinstance(error, dict):
            needs = "start it with --enable-lora, VLLM_ALLOW_RUNTIME_LORA_UPDATING=True and VLLM_SERVER_DEV_MODE=1"
            return BackendRejected(f"{self.url} does not let its weights be changed ({path}): {needs}")
        message = error.get("message") if isinstance(error, dict) else said
        return BackendRejected(f"{self.url} refused {path} with {answer.status}: {message}")


def version_of(name: str, folder: str) -> str:
    """What a server is told to remember of weights that it loads; read again by `name_of` and `folder_of`."""
    return f"{name} {folder}"


def name_of(version: str) -> str | None:
    """The name in a weight version; None for the weights that a server was started with."""
    return None if version == UNNAMED or is_interrupted(version) else version.partition(" ")[0]


def folder_of(version: str) -> str | None:
    return version.partition(" ")[2] or None


def is_interrupted(version: str) -> bool:
    """Whether a load was begun and not ended: nobody can say what the weights are."""
    return version.startswith(_LOADING)


def _read(answer: HttpResponse, name: str, kind: type) -> object:
    try:
        value = orjson.loads(answer.body)[name]
    except (orjson.JSONDecodeError, KeyError, TypeError) as error:
        raise BackendReply(f"an administrative answer has no {name!r}: {answer.body[:200]!r}") from error
    if not isinstance(value, kind):
        raise BackendReply(f"{name!r} of an administrative answer is {value!r}")
    return value

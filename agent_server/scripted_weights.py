"""The part of a scripted model server that lets its weights be changed: vLLM's routes for LoRA adapters and reloads.

There are no weights; what would have become of them is kept, and what a real vLLM would suffer from is noted.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import orjson

_RESETS = frozenset({"/reset_prefix_cache", "/reset_mm_cache", "/reset_encoder_cache"})


@dataclass
class ScriptedWeights:
    """What a vLLM with `--enable-lora` and development routes has loaded."""

    adapters: dict[str, str] = field(default_factory=dict)
    """Names and folders."""
    folder: str | None = None
    """Of the full weights; None: those that it was started with."""
    version: str = "default"
    device: str = "cuda"
    refused: dict[str, str] = field(default_factory=dict)
    """Folders that cannot be loaded, and why."""
    load_s: float = 0.0
    """How long a load takes."""
    stale: set[str] = field(default_factory=set)
    """Routes of caches that hold what replaced weights computed."""
    broken: bool = False
    """Whether a reload failed; one that succeeds mends it."""
    paused: bool = False
    in_flight: int = 0
    mixed: int = 0
    """Completions during which the weights were replaced."""
    calls: list[str] = field(default_factory=list)
    """Routes in the order in which they were called."""

    @contextmanager
    def answering(self) -> Iterator[None]:
        """While a completion is being written."""
        self.in_flight += 1
        try:
            yield
        finally:
            self.in_flight -= 1

    async def answer(self, method: str, path: str, content: bytes) -> tuple[int, bytes] | None:
        """Status and body; None for a route that is not about weights."""
        body: dict[str, Any] = orjson.loads(content) if content else {}
        match method, path:
            case "GET", "/server_info":
                return 200, orjson.dumps({"vllm_config": {"device_config": {"device": self.device}}})
            case "GET", "/weight_info":
                return 200, orjson.dumps({"weight_version": self.version})
            case "POST", "/v1/load_lora_adapter" | "/v1/unload_lora_adapter" | "/update_weight_version" as route:
                self.calls.append(route)
                return await self._named(route, body)
            case "POST", "/collective_rpc" as route:
                self.calls.append(route)
                return await self._reload(body["kwargs"]["weights_path"])
            case "POST", "/pause" | "/resume" as route:
                self.calls.append(route)
                self.paused = route == "/pause"
                return 200, b"{}"
            case "POST", route if route in _RESETS:
                self.calls.append(route)
                self.stale.discard(route)
                return 200, b'{"success":true}' if route == "/reset_prefix_cache" else b""
            case "POST", "/v1/completions":
                return _failed("EngineCore encountered an issue.") if self.broken else (200, b'{"choices":[]}')
        return None

    async def _named(self, route: str, body: dict[str, Any]) -> tuple[int, bytes]:
        if route == "/update_weight_version":
            self.version = body["new_version"]
        elif route == "/v1/unload_lora_adapter":
            if self.adapters.pop(body["lora_name"], None) is None:
                return _failed("The lora adapter cannot be found.", 404)
        else:
            await asyncio.sleep(self.load_s)
            if body["lora_path"] in self.refused:
                return _failed(self.refused[body["lora_path"]])
            self.adapters[body["lora_name"]] = body["lora_path"]
        return 200, b"{}"

    async def _reload(self, folder: str) -> tuple[int, bytes]:
        self.mixed += self.in_flight
        await asyncio.sleep(self.load_s)
        self.mixed += self.in_flight
        self.broken = folder in self.refused
        if self.broken:
            return _failed(self.refused[folder])
        self.folder, self.stale = folder, set(_RESETS)
        return 200, b'{"results":[null]}'


def _failed(message: str, status: int = 500) -> tuple[int, bytes]:
    return status, orjson.dumps({"error": {"message": message, "code": status}})

"""The phones of one host and who drives them.

A phone is lent for an episode under a lease. It can be lent while it is *ready*; only the host's own watcher
(`emulator_farm.fleet`) makes a phone ready, and only after it has made the last holder harmless and seen the phone
work.
"""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Iterable
from typing import cast

import redis

from emulator_farm.devices.choice import Choice
from emulator_farm.errors import InfrastructureError
from emulator_farm.leases import Holder, Lease, Leases

LEASE_TTL_S = 15.0


class Pool:
    """Phones of `host`, by adb serial. Raises redis.RedisError."""

    def __init__(self, connection: redis.Redis, host: str) -> None:
        self.connection = connection
        self.leases = Leases(connection, f"farm:host:{host}:phones", LEASE_TTL_S)
        self._ready = f"farm:host:{host}:ready"
        self._choices = f"farm:host:{host}:choices"

    def ready(self) -> set[str]:
        """Phones that can be lent, lent ones included."""
        return {member.decode() for member in cast("set[bytes]", self.connection.smembers(self._ready))}

    def put(self, serial: str, choice: Choice | None = None) -> None:
        """Let this phone be lent; `choice` is how it is reached best."""
        if choice is not None:
            self.connection.hset(self._choices, serial, choice.model_dump_json())
        self.connection.sadd(self._ready, serial)

    def choice(self, serial: str) -> Choice | None:
        """How this phone is reached best, None where that was not found out."""
        text = cast("bytes | None", self.connection.hget(self._choices, serial))
        return None if text is None else Choice.model_validate_json(text)

    def choices(self) -> dict[str, Choice]:
        """How the phones are reached that can be lent."""
        known = cast("dict[bytes, bytes]", self.connection.hgetall(self._choices))
        ready = self.ready()
        choices = {serial.decode(): Choice.model_validate_json(text) for serial, text in known.items()}
        return {serial: choice for serial, choice in choices.items() if serial in ready}

    def note(self, lease: Lease, choice: Choice) -> bool:
        """Say how a leased phone is reached best, for who leases it next; False where the lease is lost."""
        return self.leases.note(lease, self._choices, choice.model_dump_json())

    def withdraw(self, serial: str) -> None:
        """Lend this phone to nobody until it is put back."""
        self.connection.srem(self._ready, serial)

    def clear(self) -> None:
        """Forget all phones and leases of the host."""
        self.connection.delete(self._ready, self._choices)
        self.leases.clear()

    def lend(self, holder: Holder, avoid: Iterable[str], *, patience_s: float, deadline_s: float) -> Lease:
        """Lease a phone, one outside `avoid` as long as `patience_s` allows, any other after that.

        Raises InfrastructureError (cause `no_phone`) where none comes free within `deadline_s`.
        """
        shunned = set(avoid)
        began = time.monotonic()
        pause = threading.Event()
        while True:
            waited = time.monotonic() - began
            ready = sorted(self.ready())
            random.shuffle(ready)
            choice = [serial for serial in ready if serial not in shunned]
            lease = self.leases.acquire_first(choice if waited < patience_s and choice else ready, holder)
            if lease is not None:
                return lease
            if waited >= deadline_s:
                raise InfrastructureError(
                    f"no phone came free within {deadline_s:g} s ({len(ready)} ready)", cause="no_phone"
                )
            pause.wait(0.05)

"""The state of a host's phones between episodes: who makes them clean, and what both sides have to know for that.

A worker resets the phone that it leased before it plays. What only the phone's owner can do, the fleet does while it
takes the phone in: it restarts it where that is due, and notes what a phone was like when they first met.
"""

from __future__ import annotations

import contextlib
import json
from typing import cast

import redis

from emulator_farm.devices import reset
from emulator_farm.devices.device import Device
from emulator_farm.devices.reset_policy import Needs, ResetPolicy
from emulator_farm.errors import NotReady


class Upkeep:
    """The phones of `host`, kept as `policy` says. Raises redis.RedisError."""

    def __init__(self, connection: redis.Redis, host: str, policy: ResetPolicy) -> None:
        self._connection = connection
        self._policy = policy
        self._baselines = f"farm:host:{host}:baselines"
        self._loads = f"farm:host:{host}:loads"
        self._due = f"farm:host:{host}:restarts"
        self._met: dict[str, dict[str, str]] = {}
        """Baselines of the phones that this process took in; Redis may lose what it holds."""

    def clear(self) -> None:
        """Forget all phones of the host, but for what this process knows itself."""
        self._connection.delete(self._baselines, self._loads, self._due)

    # -- by the phone's owner

    def take_in(self, device: Device) -> None:
        """Have a phone ready to be lent: restarted where that is due, proved, and surveyed when it is met first.

        Raises NotReady where it is not fit, or must be restarted and may not be.
        """
        virtual = reset.is_virtual(device)
        why = self._restart_due(device.serial)
        if why:
            self._recycle(device, virtual=virtual, why=why)
        try:
            device.health()
        except NotReady as error:
            if error.check != "front":
                raise
            reset.home(device, self._met.get(device.serial))  # a dialog, most likely
            device.health()
        if device.serial not in self._met:
            self._meet(device, virtual=virtual)
        self._connection.hset(self._baselines, device.serial, json.dumps(self._met[device.serial]))

    def lose(self, serial: str) -> None:
        """The phone is started anew: what comes back is another one."""
        self._met.pop(serial, None)
        self._restarted(serial)

    def _meet(self, device: Device, *, virtual: bool) -> None:
        policy = self._policy
        baseline = reset.survey(device, apps=virtual or policy.level == "apps")
        if policy.base is not None and policy.level == "snapshot":
            names = device.snapshots.names()
            if policy.base not in names:
                known = ", ".join(names) or "none"
                said = f"there is no snapshot named {policy.base!r}; known: {known}"
                raise NotReady(said, serial=device.serial, check="snapshot")
        elif virtual or policy.level == "snapshot":
            reset.home(device, baseline)
            device.snapshot(reset.BASE)
        self._met[device.serial] = baseline

    def _recycle(self, device: Device, *, virtual: bool, why: str) -> None:
        if not virtual and not self._policy.reboot:
            said = f"it has to be restarted ({why}), which only --allow-reboot would allow"
            raise NotReady(said, serial=device.serial, check="recycle")
        reset.recycle(device, factory=virtual)
        if virtual:
            self._met.pop(device.serial, None)  # what it comes with is dated anew
        self._restarted(device.serial)

    def _restarted(self, serial: str) -> None:
        self._connection.hdel(self._due, serial)
        self._connection.hdel(self._loads, serial)

    def _restart_due(self, serial: str) -> str:
        why = cast("bytes | None", self._connection.hget(self._due, serial))
        return "" if why is None else why.decode()

    # -- by whoever plays on the phone

    def before_episode(self, device: Device, needs: Needs | None) -> reset.Reset:
        """Reset a leased phone. Raises NotReady; its owner is told where nothing but a restart would help."""
        known = cast("bytes | None", self._connection.hget(self._baselines, device.serial))
        baseline = None if known is None else json.loads(known)
        try:
            return reset.before_episode(
                device, self._policy, needs, baseline, loading=lambda: self._count_load(device.serial)
            )
        except reset.RecycleDue as due:
            self._connection.hset(self._due, device.serial, str(due)[:500])
            raise

    def after_episode(self, serial: str) -> bool:
        """Whether the phone must go back to its owner before it is played on again."""
        with contextlib.suppress(redis.RedisError):  # whose loss ends more than this
            loads = int(cast("bytes | None", self._connection.hget(self._loads, serial)) or 0)
            if self._policy.level == "recycle":
                self._connection.hset(self._due, serial, "as --reset recycle says")
                return True
            if loads >= self._policy.loads:
                self._connection.hset(self._due, serial, f"{loads} snapshots were loaded")
                return True
        return False

    def _count_load(self, serial: str) -> None:
        self._connection.hincrby(self._loads, serial, 1)

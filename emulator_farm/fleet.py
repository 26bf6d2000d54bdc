"""The phones and workers of one host, watched by the process that started them.

The fleet owns the host's adb server, its virtual phones and its RQ workers, one per phone. `tick()` looks after them:
whatever died is started again, and a phone comes back into the pool only by way of `_recover`: the last holder is
killed for certain, the phone's adb connection is cut and made anew, and the phone has proved that it works.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import time
from collections import Counter
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

import redis

from emulator_farm import processes, tether
from emulator_farm.board import Board
from emulator_farm.devices.adb_server import AdbServer
from emulator_farm.devices.capture import Frames
from emulator_farm.devices.device import Device
from emulator_farm.devices.pool import Pool
from emulator_farm.devices.reset_policy import ResetPolicy
from emulator_farm.errors import DeviceGone, DeviceTimeout, InfrastructureError
from emulator_farm.leases import Lease
from emulator_farm.phones import DevicesSpec, VirtualHost, start_virtual
from emulator_farm.site import Site
from emulator_farm.upkeep import Upkeep

_RECOVERY_PAUSES_S = (1.0, 2.0, 5.0, 10.0, 20.0, 30.0)
_NEAR_S, _FAR_S = 5.0, 10.0
"""How long a phone on this host, and one elsewhere, may take to be connected."""
_DEAD_AFTER = 1
"""Failed recoveries of a virtual phone, after which it is started anew."""
_QUICK_DEATH_S = 10.0
"""Workers that end sooner after their start cannot work at all."""


@dataclass
class _Phone:
    serial: str
    recovery: Future[None] | None = None
    failures: int = 0
    due: float = 0.0
    trouble: str = ""
    """Why it is not fit, empty while it is."""


class Fleet:
    """`with Fleet(...) as fleet:` starts everything; `tick()` is to be called about five times a second."""

    def __init__(
        self,
        *,
        redis_url: str,
        run: str,
        out: str,
        devices: DevicesSpec,
        log_dir: Path,
        policy_token_file: str | None = None,
        frames: Frames = "png",
        reset: ResetPolicy | None = None,
    ) -> None:
        """`frames` is how the run keeps them, which decides how they are taken best."""
        self.host = f"{os.uname().nodename}-{os.getpid()}"
        self.devices = devices
        self._site = Site(
            host=self.host, redis_url=redis_url, run=run, out=out, adb_port=0, policy_token_file=policy_token_file
        )
        self._log_dir = log_dir
        self._frames = frames
        self._connection = redis.Redis.from_url(redis_url)
        self._pool = Pool(self._connection, self.host)
        self._upkeep = Upkeep(self._connection, self.host, reset or ResetPolicy())
        self._adb: AdbServer | None = None
        self._virtual: list[VirtualHost] = []
        self._phones: dict[str, _Phone] = {}
        self._workers: tether.Process | None = None
        self._workers_started = 0.0
        self._log = log_dir
        self._executor = ThreadPoolExecutor(max_workers=min(32, max(4, devices.count)), thread_name_prefix="recover")

    def __enter__(self) -> Self:
        try:
            self.start()
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    @property
    def size(self) -> int:
        return len(self._phones)

    @property
    def unfit(self) -> dict[str, str]:
        """Phones that are out of service, and why."""
        return {phone.serial: phone.trouble for phone in self._phones.values() if phone.trouble}

    @property
    def ways(self) -> dict[str, int]:
        """How the phones are reached: a line each, and how many phones it is true of. Raises redis.RedisError."""
        return Counter(choice.told for choice in self._pool.choices().values())

    def start(self) -> None:
        """Start the adb server, the phones and the workers. Raises InfrastructureError where no phone is fit."""
        self._adb = AdbServer.launch_for(self.devices.serials)
        self._site = self._site.model_copy(update={"adb_port": self._adb.address.port})
        serials = list(self.devices.serials)
        if self.devices.kind == "virtual":
            self._virtual = start_virtual(self.devices.count)
            serials = [serial for host in self._virtual for serial in host.serials]
        self._phones = {serial: _Phone(serial) for serial in serials}
        self._offer_phones()
        self._start_workers()

    def restart(self) -> None:
        """Begin anew on an empty Redis: kill every worker, prove and offer every phone again, start workers."""
        self._stop_workers(grace_s=0.0)
        self._offer_phones()
        self._start_workers()

    def stop(self, grace_s: float = 0.0) -> None:
        """Stop everything; workers get `grace_s` to finish what they do."""
        self._stop_workers(grace_s)
        self._executor.shutdown(wait=True, cancel_futures=True)
        for host in self._virtual:
            host.stop()
        if self._adb is not None:
            self._adb.close()
        with contextlib.suppress(redis.RedisError):  # its loss may be why we stop
            self._pool.clear()
            self._upkeep.clear()
        self._connection.close()

    def tick(self) -> None:
        """Look after everything once. Raises redis.RedisError, and InfrastructureError for what cannot be mended."""
        self._watch_adb()
        self._watch_virtual()
        leased = self._watch_leases()
        self._watch_phones(leased)
        self._watch_workers()

    def _offer_phones(self) -> None:
        self._pool.clear()
        self._upkeep.clear()
        tries = [(phone, self._executor.submit(self._recover, phone.serial, None)) for phone in self._phones.values()]
        for phone, attempt in tries:
            self._settle(phone, attempt)
        if len(self.unfit) == len(self._phones):
            raise InfrastructureError(f"no phone is fit to play on: {'; '.join(self.unfit.values())}", cause="no_phone")

    def _watch_adb(self) -> None:
        if self._adb is not None:
            self._adb.ensure()

    def _watch_virtual(self) -> None:
        for index, host in enumerate(self._virtual):
            if host.alive():
                continue
            for serial in host.serials:
                self._pool.withdraw(serial)
                self._phones.pop(serial, None)
            host.stop()
            self._virtual[index] = VirtualHost.start(host.count, host.first)
            self._phones |= {serial: _Phone(serial) for serial in self._virtual[index].serials}

    def _watch_leases(self) -> set[str]:
        """Start the recovery of phones whose holder is dead or late; the phones that are leased."""
        leases = self._pool.leases.held()
        for lease in leases:
            if not lease.expired and processes.alive(lease.holder.pid, lease.holder.born):
                continue
            if not self._pool.leases.forfeit(lease):
                continue  # given back since it was listed
            phone = self._phones.get(lease.member)
            if phone is None:
                self._disarm(lease)
                self._pool.leases.release(lease)
            elif phone.recovery is None and time.monotonic() >= phone.due:
                self._pool.withdraw(phone.serial)
                phone.recovery = self._executor.submit(self._recover, phone.serial, lease)
        return {lease.member for lease in leases}

    def _watch_phones(self, leased: set[str]) -> None:
        ready = self._pool.ready()
        for phone in self._phones.values():
            if phone.recovery is not None:
                if phone.recovery.done():
                    self._settle(phone, phone.recovery)
            elif phone.serial not in ready and phone.serial not in leased and time.monotonic() >= phone.due:
                phone.recovery = self._executor.submit(self._recover, phone.serial, None)

    def _settle(self, phone: _Phone, recovery: Future[None]) -> None:
        phone.recovery = None
        try:
            recovery.result()
        except InfrastructureError as error:
            pause = _RECOVERY_PAUSES_S[min(phone.failures, len(_RECOVERY_PAUSES_S) - 1)]
            phone.failures += 1
            phone.due = time.monotonic() + pause
            phone.trouble = str(error)
        else:
            phone.failures, phone.trouble = 0, ""

    def _recover(self, serial: str, lease: Lease | None) -> None:
        """Make the last holder harmless, connect anew, prove the phone, find the ways to it, put it into the pool."""
        assert self._adb is not None
        if lease is not None:
            self._disarm(lease)
        if ":" in serial:
            self._adb.disconnect(serial)
        try:
            self._adb.connect(serial, _NEAR_S if self._virtual else _FAR_S)
        except (DeviceGone, DeviceTimeout):
            self._start_anew(serial)
            raise
        with Device(serial, port=self._adb.address.port, frames=self._frames) as device:
            self._upkeep.take_in(device)
            device.provision()
            choice = device.ways.choice
        if lease is not None:
            self._pool.leases.release(lease)
        self._pool.put(serial, choice)

    def _start_anew(self, serial: str) -> None:
        """A virtual phone that stays away is dead, and ours to start again; the next recovery finds it."""
        host = next((host for host in self._virtual if serial in host.serials), None)
        phone = self._phones.get(serial)
        if host is not None and phone is not None and phone.failures >= _DEAD_AFTER:
            self._upkeep.lose(serial)
            host.restart(serial)

    def _disarm(self, lease: Lease) -> None:
        holder = lease.holder
        if not processes.kill(holder.pid, holder.born):
            raise InfrastructureError(f"process {holder.pid} holds {lease.member} and cannot be killed", cause="holder")
        claim = Lease(holder.episode, holder.claim_fence, holder, 0)
        Board(self._connection, holder.run).claims.forfeit(claim)

    def _start_workers(self) -> None:
        environment = dict(os.environ)
        self._site.bequeath(environment)
        self._log_dir.mkdir(parents=True, exist_ok=True)
        self._log = self._log_dir / f"workers-{self.host}.log"
        with self._log.open("ab") as log:
            self._workers = tether.spawn(
                [sys.executable, "-m", "emulator_farm.worker", str(len(self._phones))],
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
            )
        self._workers_started = time.monotonic()

    def _watch_workers(self) -> None:
        if self._workers is None or self._workers.poll() is None:
            return
        if time.monotonic() - self._workers_started < _QUICK_DEATH_S:
            said = _tail(self._log)
            raise InfrastructureError(f"workers end as soon as they start; see {self._log}: {said}", cause="worker")
        self._start_workers()

    def _stop_workers(self, grace_s: float) -> None:
        if self._workers is None:
            return
        if grace_s > 0:
            self._workers.terminate()
        try:
            self._workers.wait(grace_s)
        except subprocess.TimeoutExpired:
            self._workers.kill()
            self._workers.wait()
        self._workers = None


def _tail(path: Path) -> str:
    lines = path.read_text(errors="replace").strip().splitlines()
    return lines[-1] if lines else "it is empty"

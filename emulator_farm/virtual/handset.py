"""A phone as its operating system sees it: the one thread that may touch it, who runs adbd, its log and its faults."""

import asyncio
import io
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

from PIL import Image

from . import rootfs, snapshot
from .fault_plan import Operation
from .faults import LASTING
from .install_sessions import Sessions
from .logs import Log
from .mishaps import Mishaps
from .phone import Phone
from .processes import Processes
from .shelf import NoSnapshot, Saved, Shelf

T = TypeVar("T")

ROOT_UID = 0
SHELL_UID = 2000
SHELL = "sh"
"""What `ps` calls the shell of a connection."""
_OPERATIONS: dict[str, Operation] = {"screencap": "frames", "dump": "trees", "input": "inputs"}


class Handset:
    """Wraps one Phone for the ADB side. `Phone` is not thread-safe, so every use of it goes through `call`."""

    def __init__(self, phone: Phone, shelf: Shelf | None = None) -> None:
        """`shelf` keeps snapshots; phones of one process share it, so that one can become what another was."""
        self.phone = phone
        self.shelf = shelf or Shelf()
        self.loads = 0
        """How many snapshots were loaded so far."""
        self.uid = SHELL_UID
        self.remounted = False
        self.online = True
        self.dead = False
        """Whether the phone is gone for good, as an emulator is whose process died."""
        self.mishaps = Mishaps()
        self.on_restart: Callable[[], None] = lambda: None
        """Called when adbd restarts: cut the connections."""
        self.endpoints: dict[str, str] = {}
        """Where the emulator's other ports are, as properties. Of the process, so no snapshot or fork carries them."""
        self.install_sessions = Sessions()
        self.reverse_forwards: dict[str, str] = {}
        self.processes = Processes()
        self.log = Log()
        self.last_dump = ""
        self.last_u2_dump = ""
        self._last_frame: Image.Image | bytes | None = None
        self._commands = 0
        self._thread = ThreadPoolExecutor(1, thread_name_prefix=phone.serial)
        rootfs.populate(phone)

    async def call(self, function: Callable[[Phone], T]) -> T:
        """Run `function(phone)` on the phone's own thread and give its result; its exceptions come through."""
        return await asyncio.get_running_loop().run_in_executor(self._thread, function, self.phone)

    def submit(self, function: Callable[[Phone], T]) -> Future[T]:
        """As `call`, for callers that are threads."""
        return self._thread.submit(function, self.phone)

    @property
    def last_frame(self) -> Image.Image | None:
        """What was captured last, RGB, for the fault that shows it once more. Phone thread only."""
        kept = self._last_frame
        if isinstance(kept, bytes):
            with Image.open(io.BytesIO(kept)) as picture:
                return picture.convert("RGB")
        return kept

    def keep_frame(self, *, png: bool) -> None:
        """Remember what is captured now; of a PNG that was made its bytes, which are few. Phone thread only."""
        self._last_frame = self.phone.png() if png else self.phone.frame()

    def write_log(self, level: str, tag: str, message: str) -> None:
        """Add a line to the log that `logcat` shows. Phone thread only."""
        self.log.write(self.phone.clock.now(), level, tag, message)

    def fault(self, kind: str) -> str:
        """The armed fault of a kind (`screencap`, `dump`, `input`), "" where none is; counts it as fired."""
        if (operation := _OPERATIONS.get(kind)) is not None:
            self._step(operation)
        return self.phone.faults.fire(kind)

    def arm(self, kind: str, value: str | int, times: int = 0, seconds: float | None = None) -> None:
        """Arm a fault, for so many firings or so long; "" disarms. What changes the phone does so before the next call.

        A numbered fault takes a number, and no `times`.
        """
        faults = self.phone.faults
        if isinstance(value, int):
            faults.arm(kind, value, 0, seconds)
            return
        before = getattr(faults, kind)
        if kind in LASTING and before != value:
            self._thread.submit(self.mishaps.change, self.phone, kind, value)
        faults.arm(kind, value, times, seconds)
        if kind == "link" and value in ("offline", "unauthorized"):
            self.on_restart()

    def calm(self) -> None:
        """Disarm everything, and go through no plan any longer."""
        self.phone.faults.plan = None
        for kind in LASTING:
            self.arm(kind, "")
        self.phone.faults.clear()

    def count_command(self) -> None:
        """A service was opened; after `faults.offline_after` of them the phone vanishes from ADB."""
        self._step("commands")
        if self.phone.faults.link == "drop" and self.phone.faults.fire("link"):
            self.on_restart()
        limit = self.phone.faults.offline_after
        if not limit:
            self._commands = 0
            return
        self._commands += 1
        if self._commands > limit:
            self._commands = 0
            self.online = False
            self.on_restart()

    def accepts(self) -> bool:
        """Whether a host may connect now. Offline by fault lasts until the fault is cleared or `count` tries failed."""
        self._expire()
        faults = self.phone.faults
        if self.dead or (faults.link == "offline" and faults.fire("link")):
            return False
        if self.online:
            return True
        if not faults.offline_after:
            self.online = True
        elif faults.count:
            faults.count -= 1
            if not faults.count:
                faults.clear()
                self.online = True
        return self.online

    def link(self) -> str:
        """What is wrong with every connection now: `unauthorized` or `silent`, "" where nothing is."""
        self._expire()
        return self.phone.faults.link if self.phone.faults.link in ("unauthorized", "silent") else ""

    def _step(self, operation: Operation) -> None:
        self._expire()
        faults = self.phone.faults
        if faults.plan is not None:
            for rule in faults.plan.step(operation, faults):
                lasts = rule.fault in LASTING or rule.seconds is not None or rule.fault == "link"
                self.arm(rule.fault, rule.value, 0 if lasts and rule.value != "drop" else 1, rule.seconds)

    def _expire(self) -> None:
        for kind in self.phone.faults.expired():
            self.arm(kind, "")

    async def set_root(self, root: bool) -> None:
        """Restart adbd as root or as shell; every host has to connect again."""
        self.uid = ROOT_UID if root else SHELL_UID
        await self.call(lambda phone: phone.props.update({"service.adb.root": str(int(root))}))
        self.on_restart()

    async def reboot(self) -> None:
        """Restart the phone: apps close, adbd drops its connections and runs as shell again."""
        await self.call(_restart)
        self._forget()
        if boot_s := self.phone.latency.boot_s:
            self.arm("boot", "slow", seconds=boot_s)
        await self.set_root(False)

    async def reset(self) -> None:
        """Factory state, without dropping the connection."""
        for kind in LASTING:
            self.arm(kind, "")

        def wipe(phone: Phone) -> None:
            rootfs.wipe(phone.files)
            phone.reset()
            phone.display.held = 0
            rootfs.populate(phone)

        await self.call(wipe)
        self._forget()

    async def save(self, name: str) -> None:
        """Keep the phone's state under a name. Raises NoSnapshot, NotState."""
        self.shelf.save(self.phone.serial, name, await self.saved())

    async def load(self, name: str) -> None:
        """Return to a saved state; connections stay. Raises NoSnapshot, WrongPhone."""
        saved = self.shelf.get(self.phone.serial, name)
        if self.fault("snapshot") == "fail":
            raise NoSnapshot(f"the snapshot {name!r} could not be loaded: its file is damaged")
        await self.become(saved)
        if self.phone.faults.loads and self.loads >= self.phone.faults.loads:
            self.dead = True
            self.on_restart()

    async def saved(self) -> Saved:
        """The phone's state now. Raises NotState."""
        return Saved(await self.call(snapshot.take), self.uid, self.remounted)

    async def become(self, saved: Saved) -> None:
        """Take on a state. Raises WrongPhone, and then the phone is as it was."""
        self.arm("disk", "")  # how much the storage holds is no part of a snapshot
        await self.call(lambda phone: snapshot.put(phone, saved.snapshot))
        self.uid, self.remounted = saved.uid, saved.remounted
        self.mishaps.forget()
        for kind in LASTING:
            self.phone.faults.arm(kind, "")
        self.last_dump, self.last_u2_dump, self._last_frame = "", "", None
        self.loads += 1

    def _forget(self) -> None:
        self.log.clear()
        self.install_sessions = Sessions()
        self.reverse_forwards.clear()
        self.install_sessions = Sessions()
        self.last_dump, self.last_u2_dump, self._last_frame = "", "", None
        self.remounted = False
        for process in self.processes:
            if process.name != SHELL:  # its connection ends it; a reset leaves connections alone
                process.kill()

    def close(self) -> None:
        """End the phone's thread once what runs on it is done."""
        self._thread.shutdown(wait=True, cancel_futures=True)


def _restart(phone: Phone) -> None:
    phone.reboot()
    rootfs.boot(phone.files)

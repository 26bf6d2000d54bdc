"""A phone as its operating system sees it: the one thread that may touch it, who runs adbd, its log and its faults."""

import asyncio
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

from PIL import Image

from . import rootfs, snapshot
from .install_sessions import Sessions
from .phone import Phone
from .processes import Processes
from .shelf import Saved, Shelf

T = TypeVar("T")

ROOT_UID = 0
SHELL_UID = 2000
LOG_LINES = 2000


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
        self.on_restart: Callable[[], None] = lambda: None
        """Called when adbd restarts: cut the connections."""
        self.endpoints: dict[str, str] = {}
        """Where the emulator's other ports are, as properties. Of the process, so no snapshot or fork carries them."""
        self.install_sessions = Sessions()
        self.reverse_forwards: dict[str, str] = {}
        self.processes = Processes()
        self.log: deque[str] = deque(maxlen=LOG_LINES)
        self.last_dump = ""
        self.last_u2_dump = ""
        self.last_frame: Image.Image | None = None
        self._commands = 0
        self._thread = ThreadPoolExecutor(1, thread_name_prefix=phone.serial)
        rootfs.populate(phone)

    async def call(self, function: Callable[[Phone], T]) -> T:
        """Run `function(phone)` on the phone's own thread and give its result; its exceptions come through."""
        return await asyncio.get_running_loop().run_in_executor(self._thread, function, self.phone)

    def submit(self, function: Callable[[Phone], T]) -> Future[T]:
        """As `call`, for callers that are threads."""
        return self._thread.submit(function, self.phone)

    def write_log(self, level: str, tag: str, message: str) -> None:
        """Add a line to the log that `logcat` shows. Phone thread only."""
        stamp = self.phone.clock.now().strftime("%m-%d %H:%M:%S.%f")[:-3]
        self.log.append(f"{stamp}  1000  1000 {level} {tag}: {message}")

    def fault(self, kind: str) -> str:
        """The armed fault of a kind (`screencap`, `dump`, `input`), "" where none is; counts it as fired."""
        faults = self.phone.faults
        value = str(getattr(faults, kind))
        if value and faults.count:
            faults.count -= 1
            if not faults.count:
                faults.clear()
        return value

    def count_command(self) -> None:
        """A service was opened; after `faults.offline_after` of them the phone vanishes from ADB."""
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
        if self.online:
            return True
        faults = self.phone.faults
        if not faults.offline_after:
            self.online = True
        elif faults.count:
            faults.count -= 1
            if not faults.count:
                faults.clear()
                self.online = True
        return self.online

    async def set_root(self, root: bool) -> None:
        """Restart adbd as root or as shell; every host has to connect again."""
        self.uid = ROOT_UID if root else SHELL_UID
        await self.call(lambda phone: phone.props.update({"service.adb.root": str(int(root))}))
        self.on_restart()

    async def reboot(self) -> None:
        """Restart the phone: apps close, adbd drops its connections and runs as shell again."""
        await self.call(_restart)
        self._forget()
        await self.set_root(False)

    async def reset(self) -> None:
        """Factory state, without dropping the connection."""

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
        await self.become(self.shelf.get(self.phone.serial, name))

    async def saved(self) -> Saved:
        """The phone's state now. Raises NotState."""
        return Saved(await self.call(snapshot.take), self.uid, self.remounted)

    async def become(self, saved: Saved) -> None:
        """Take on a state. Raises WrongPhone, and then the phone is as it was."""
        await self.call(lambda phone: snapshot.put(phone, saved.snapshot))
        self.uid, self.remounted = saved.uid, saved.remounted
        self.last_dump, self.last_frame = "", None
        self.loads += 1

    def _forget(self) -> None:
        self.log.clear()
        self.install_sessions = Sessions()
        self.reverse_forwards.clear()
        self.install_sessions = Sessions()
        self.last_dump, self.last_u2_dump, self.last_frame = "", "", None
        self.remounted = False
        for process in self.processes:
            process.kill()

    def close(self) -> None:
        """End the phone's thread once what runs on it is done."""
        self._thread.shutdown(wait=True, cancel_futures=True)


def _restart(phone: Phone) -> None:
    phone.reboot()
    rootfs.boot(phone.files)

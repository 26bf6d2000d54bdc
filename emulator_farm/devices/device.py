"""One phone over ADB: look, act, prepare, and read its state.

The class is a front: exchanges are in `transport`, looking in `screen`, gestures, typing and apps in files of their
own. It takes no part in retrying: what fails is raised with its cause, and the coordinator decides.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self, assert_never

from agent_server.actions import (
    Action,
    Answer,
    CallUser,
    Click,
    DoubleClick,
    Drag,
    Finished,
    LongPress,
    OpenApp,
    Press,
    Scroll,
    Type,
    Wait,
    action_points,
)
from emulator_farm.devices import health, sync
from emulator_farm.devices.adb_server import AdbServer
from emulator_farm.devices.apps import Apps
from emulator_farm.devices.arrival import Arrival
from emulator_farm.devices.banners import Banners
from emulator_farm.devices.capture import Frame, Frames
from emulator_farm.devices.dumpsys import Display, Focus
from emulator_farm.devices.hands import Hands
from emulator_farm.devices.info import DeviceInfo, ask_info
from emulator_farm.devices.keyboard import Keyboard
from emulator_farm.devices.observation import Observation, Outcome
from emulator_farm.devices.provision import Provision
from emulator_farm.devices.replies import Row
from emulator_farm.devices.reset_items import preparations
from emulator_farm.devices.screen import Patience, Screen
from emulator_farm.devices.snapshots import Snapshots, State
from emulator_farm.devices.storage import Namespace, Storage
from emulator_farm.devices.transport import DEFAULT_DEADLINE_S, Command, Completed, Transport
from emulator_farm.devices.ways import Ways

_RESTORE_S = 120.0


class Device:
    """One phone. Every method that touches it raises a DeviceError, AdbServerGone, or ClaimLost after `cut`."""

    def __init__(
        self,
        serial: str,
        server: AdbServer | None = None,
        *,
        port: int | None = None,
        gate: Callable[[], None] | None = None,
        patience: Patience | None = None,
        raw_frames: bool = False,
        frames: Frames = "png",
    ) -> None:
        """Nothing is contacted yet. The adb server is `server`, or listens on `port` of this host, or is named in
        ANDROID_ADB_SERVER_PORT. `gate` is called before every exchange and may raise. `raw_frames` has screenshots
        encoded here instead of on the phone; `frames` says how they are kept.
        """
        self.serial = serial
        self.server = server or (AdbServer.from_environment() if port is None else AdbServer(port=port))
        self.transport = Transport(serial, self.server.address, gate)
        self.screen = Screen(self.transport, patience or Patience(), raw_frames=raw_frames, frames=frames)
        self.apps = Apps(self.transport)
        self.keyboard = Keyboard(self.transport, self.apps.install, self.screen.patience.keyboard_s)
        self.storage = Storage(self.transport)
        self.snapshots = Snapshots(self.transport)
        self._info: DeviceInfo | None = None
        self._seen: Display | None = None
        self._untouched: Observation | None = None
        """The last observation, until something is done about it."""
        self.hands = Hands(self.transport)
        self.banners = Banners(self.transport)
        self.arrival = Arrival(self.transport)
        self.ways = Ways(self.transport, self.screen, self.hands, lambda: self.info)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the phone, which stays as it is; calls to come raise ClaimLost."""
        self.transport.cut()
        self.ways.close()

    def cut(self) -> None:
        """Take the phone away from whoever uses this object, in the middle of a call too; they get ClaimLost."""
        self.transport.cut()

    # -- looking

    def observe(self, *, ui_tree: bool = True, settle: bool = True) -> Observation:
        """Frame, UI tree, and who is in front, once the screen is at rest.

        With a tree the dump waits for rest; without, pictures are watched until they change no more, unless `settle`
        is off. Raises BadFrame where no usable frame came in time, DeviceError (`input_lost`) where the last gesture
        did not reach the phone; what is merely unusual is in the flags.
        """
        observation = self.screen.observe(ui_tree=ui_tree, settle=settle)
        self.arrival.seen(observation)
        self.banners.look()
        self._seen = Display(observation.size, observation.rotation)
        self._untouched = observation
        return observation

    def provision(self) -> Provision:
        """Find the fastest ways to look at this phone and to touch it, and use them from now on.

        Costs a dozen screenshots; what is chosen is watched, and `screencap -p` and `input` remain behind it. Raises
        BadFrame where `screencap -p` gives nothing to compare with.
        """
        return self.ways.provision()

    def unprovision(self) -> None:
        """Go back to `screencap -p` and `input`: what answers at the other ports may be another phone by now."""
        self.ways.unprovision()

    def screenshot(self) -> Frame:
        """One checked frame, as the screen is now."""
        return self.screen.frame(self.display().size)

    def wait_until_stable(self, deadline_s: float = 5.0) -> Frame:
        """The first frame that equals the one before; flagged `unstable` where the deadline passed first."""
        return self.screen.stable(deadline_s)

    def foreground(self) -> Focus:
        """The app in front and the focused window."""
        return self.screen.look().focus

    def display(self) -> Display:
        """Size and rotation of the main display as it is held now."""
        return self.screen.look().display

    @property
    def info(self) -> DeviceInfo:
        """What the phone is; asked once."""
        if self._info is None:
            self._info = ask_info(self.transport)
        return self._info

    @property
    def incarnation(self) -> str:
        """A word that changes when the phone is booted anew; empty where it does not tell."""
        return self.info.boot_id

    def health(self) -> None:
        """Prove that the phone can be played on, end to end. Raises NotReady with the check that failed."""
        health.prove(self)

    # -- acting

    def perform(self, action: Action) -> Outcome:
        """Execute an action; points are pixels of the last frame.

        The first action after an observation that points at something is not done where the screen has turned, or a
        window or banner has come in front since: it is `rejected`, for it would hit something else. Raises CallerError
        for a point outside the screen, before anything is touched.
        """
        seen, self._untouched = self._untouched, None
        if seen is not None and action_points(action):
            look = self.screen.look()
            if changed := seen.outdated(look.display, look.focus):
                return Outcome("rejected", changed)
            if banner := self.banners.since():
                return Outcome("rejected", f"a notification came since the screen was looked at: {banner}")
        match action:
            case Click() | DoubleClick() | LongPress() | Drag() | Scroll() | Press():
                self.arrival.sending(seen)
                tool = "input -d 0" if self.screen.several else "input"
                return self._acted(self.hands.perform(action, self._seen or self.display(), tool=tool))
            case Type(text=text):
                return self._acted(self.keyboard.type(text))
            case OpenApp(app=app):
                return self._acted(self.apps.open(app))
            case Wait(seconds=seconds):
                self.transport.wait(seconds)
                return Outcome("ok", f"waited {seconds:g} s")
            case Answer() | CallUser() | Finished():
                return Outcome("none", "does not touch the phone")
            case _:
                assert_never(action)

    def go_home(self) -> None:
        """The home screen."""
        self.shell("input keyevent 3")

    def prepare(self) -> None:
        """Make the phone fit for episodes, again and again: awake, unlocked, no animations, no notifications over
        apps, upright, our keyboard.

        Raises NotReady where the keyboard cannot be set.
        """
        self.shell(" && ".join(preparations()))
        self.keyboard.ensure()

    def forget(self) -> None:
        """Drop what was learned about the phone: it was restarted, or its snapshot restored."""
        self._info = self._seen = self._untouched = None
        self.arrival.sending(None)
        self.hands.forget()
        self.banners.forget()
        self.transport.forget()
        self.keyboard.forget()
        self.screen.forget()

    # -- whole states

    def snapshot(self, name: str) -> None:
        """Keep the phone's whole state under a name. Raises Unsupported where the phone has no snapshots."""
        self.snapshots.save(name)

    def restore(self, name: str) -> None:
        """Return to a saved state, and forget what was learned of the phone. Raises Unsupported, SnapshotFailed.

        An emulator is waited for until it can be played on; raises NotReady.
        """
        wait = self.snapshots.load(name)
        self.forget()
        if wait:
            health.wait_until_ready(self, _RESTORE_S)
        self.ways.renew()

    def fork(self, others: Sequence[Device]) -> None:
        """Make other phones what this one is now, to the pixel, so that each can go its own way from here.

        They need the same panel and the same apps. Raises Unsupported, SnapshotFailed.
        """
        self.snapshots.copy_to([other.snapshots for other in others])
        for other in others:
            other.forget()
            other.ways.renew()

    def state(self) -> State | None:
        """Everything that is on the phone as data, None where it cannot tell (a virtual phone can)."""
        return self.snapshots.state()

    # -- state

    def shell(self, command: Command, deadline_s: float = DEFAULT_DEADLINE_S) -> Completed:
        """Run a command; words of a sequence are quoted. Raises CommandFailed unless it ends with 0."""
        return self.transport.run(command, deadline_s)

    def settings_get(self, namespace: Namespace, key: str) -> str | None:
        """A settings value, None where there is none."""
        return self.storage.setting(namespace, key)

    def settings_put(self, namespace: Namespace, key: str, value: str) -> None:
        """Write a settings value. Raises DeviceError (`without_effect`) where the phone says so and does not."""
        self.storage.put_setting(namespace, key, value)

    def settings_delete(self, namespace: Namespace, key: str) -> None:
        """Remove a settings value; one that is not there is fine."""
        self.shell(["settings", "delete", namespace, key])

    def content_query(
        self, uri: str, columns: Sequence[str] = (), where: str | None = None, sort: str | None = None
    ) -> list[Row]:
        """Rows of a content provider. `where` and `sort` are SQL; with `columns` values may hold anything."""
        return self.storage.rows(uri, columns, where, sort)

    def content_insert(self, uri: str, values: Mapping[str, str | int]) -> None:
        """Insert one row."""
        self.storage.insert(uri, values)

    def content_update(self, uri: str, values: Mapping[str, str | int], where: str | None = None) -> None:
        """Change rows; all of them without `where`."""
        self.storage.update(uri, values, where)

    def content_delete(self, uri: str, where: str | None = None) -> None:
        """Delete rows; all of them without `where`."""
        self.storage.delete(uri, where)

    def push(self, source: Path | bytes, path: str, mode: int = 0o644) -> None:
        """Write a file on the phone; its folders are made."""
        sync.push(self.transport, source if isinstance(source, bytes) else source.read_bytes(), path, mode)

    def pull(self, path: str) -> bytes:
        """The content of a file on the phone. Raises CommandFailed where there is none."""
        return sync.pull(self.transport, path)

    def file_read(self, path: str) -> bytes | None:
        """The content of a file, None where there is no such file. Raises CommandFailed where it may not be read."""
        return self.storage.file(path)

    def force_stop(self, package: str) -> None:
        """Stop an app; its data stays."""
        self.apps.stop(package)

    def clear_app(self, package: str) -> None:
        """Stop an app and wipe its data. Raises CommandFailed where it is not installed."""
        self.apps.clear(package)

    def install(self, apk: bytes) -> None:
        """Install or update an app with all permissions granted. Raises CommandFailed with the phone's code."""
        self.apps.install(apk)

    def _acted(self, outcome: Outcome) -> Outcome:
        self.screen.acted()
        return outcome

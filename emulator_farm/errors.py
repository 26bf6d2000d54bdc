"""Every error the farm raises on purpose.

    FarmError
    ├── CallerError              the caller erred: one clear line, before any phone is touched
    │   ├── UnknownName          a name outside a closed set; the message lists the set
    │   ├── InvalidTask          one thing wrong in a task file: names file, line and field
    │   ├── TaskFileError        a task file that cannot be used: everything wrong in it (`problems`)
    │   ├── RunMismatch          the output folder holds another run; the message is the difference
    │   └── Unsupported          the phone cannot do this, nor any of its kind
    ├── AlreadyPublished         someone was first: what the store holds stays as it is
    └── InfrastructureError      a machine failed: an attempt with a `cause`, never an outcome or a reward
        ├── DeviceError          a phone, named by `serial`
        │   ├── DeviceGone       offline, unplugged, unauthorized, or it hung up in the middle of a call
        │   ├── DeviceTimeout    it did not answer within the deadline of the call
        │   ├── CommandFailed    it answered, but with a failure
        │   │   └── SnapshotFailed
        │   ├── BadFrame         what it called a screenshot is not one (`reason`)
        │   ├── NotReady         it lives, but is not fit to play on (`check`)
        │   └── Disturbed        something befell it that neither the agent nor the task did (`sign`)
        ├── AdbServerGone        our adb server died or does not answer
        ├── PolicyFault          the policy server gave no decision
        ├── StoreError           an episode or attempt could not be read or written
        ├── QueueError           Redis or the job queue failed
        └── ClaimLost            someone else owns the episode or the phone now: stop, publish nothing

What an agent does wrong is none of these: it is an outcome in the record. `cause` is a slug that attempts, reports and
metrics group by; each class has one, and a raiser may give a finer one.
"""

from __future__ import annotations

from collections.abc import Iterable


class FarmError(Exception):
    """Base of all errors of the package."""


class CallerError(FarmError):
    """The caller asked for something impossible; nothing was touched."""


class UnknownName(CallerError):
    """A name outside a closed set."""

    def __init__(self, what: str, name: str, known: Iterable[str]) -> None:
        self.name = name
        self.known = tuple(sorted(known))
        super().__init__(f"unknown {what} {name!r}; known: {', '.join(self.known) or 'none'}")


class InvalidTask(CallerError):
    """One thing wrong in a task file. `line` counts from 1, `field` is a dotted path; either may be unknown."""

    def __init__(self, message: str, *, file: str, line: int | None = None, field: str | None = None) -> None:
        self.file, self.line, self.field = file, line, field
        place = file if line is None else f"{file}:{line}"
        super().__init__(f"{place}: {field}: {message}" if field else f"{place}: {message}")


class TaskFileError(CallerError):
    """A task file that cannot be used. `problems` holds all that is wrong in it, the message one a line."""

    def __init__(self, problems: Iterable[InvalidTask], *, shown: int = 100) -> None:
        self.problems = tuple(problems)
        lines = [str(problem) for problem in self.problems[:shown]]
        if len(self.problems) > shown:
            lines.append(f"and {len(self.problems) - shown} more")
        super().__init__("\n".join(lines))


_TASK = "tasks."
_NAMED = 5
"""Tasks that an error names before it counts the others."""


class RunMismatch(CallerError):
    """The output folder holds another run. `differences` maps a setting to (recorded, asked for)."""

    def __init__(self, where: str, differences: dict[str, tuple[object, object]]) -> None:
        self.differences = differences
        named = sorted(differences.items())
        lines = [f"{name}: was {was!r}, is {now!r}" for name, (was, now) in named if not name.startswith(_TASK)]
        tasks = [name.removeprefix(_TASK) for name in sorted(differences) if name.startswith(_TASK)]
        if tasks:  # told by digests, which say nothing to people
            more = f" and {len(tasks) - _NAMED} more" if len(tasks) > _NAMED else ""
            lines.append(f"other tasks: {', '.join(tasks[:_NAMED])}{more}")
        super().__init__(f"{where} holds another run: {'; '.join(lines)}")


class AlreadyPublished(FarmError):
    """An episode, attempt or run of this name exists. Nothing was written; whoever was first has won."""

    def __init__(self, name: str, where: str) -> None:
        self.name = name
        super().__init__(f"{name} exists already in {where}; what is there stays as it is")


class Unsupported(CallerError):
    """The phone cannot do this, nor any of its kind: snapshots of a phone that is neither virtual nor an emulator."""


class InfrastructureError(FarmError):
    """A machine failed. `cause` says which way, in a word that figures are grouped by."""

    cause = "infrastructure"

    def __init__(self, message: str, *, cause: str | None = None) -> None:
        super().__init__(message)
        if cause is not None:
            self.cause = cause


class DeviceError(InfrastructureError):
    """The phone `serial` failed."""

    cause = "device"

    def __init__(self, message: str, *, serial: str, cause: str | None = None) -> None:
        super().__init__(f"{serial}: {message}", cause=cause)
        self.serial = serial


class DeviceGone(DeviceError):
    """Offline, unplugged, unauthorized, or it hung up in the middle of a call."""

    cause = "device_gone"


class DeviceTimeout(DeviceError):
    """No answer within the deadline of the call."""

    cause = "device_timeout"


class CommandFailed(DeviceError):
    """A shell command ended with a failure. The texts are what the phone wrote, decoded; `device_full` is the cause
    where its storage is full.
    """

    cause = "command_failed"

    def __init__(self, *, serial: str, command: str, exit_code: int, stdout: str = "", stderr: str = "") -> None:
        self.command, self.exit_code, self.stdout, self.stderr = command, exit_code, stdout, stderr
        said = " ".join((stderr.strip() or stdout.strip() or "nothing").split())
        cause = "device_full" if "No space left on device" in stderr + stdout else None
        text = f"`{_short(command)}` failed with exit code {exit_code}: {_short(said)}"
        super().__init__(text, serial=serial, cause=cause)


class SnapshotFailed(CommandFailed):
    """A state was not saved, or not loaded; then the phone is as it was."""

    cause = "snapshot_failed"


class BadFrame(DeviceError):
    """What the phone called a screenshot is not one.

    `reason` is one of empty, no_png, truncated, corrupt, wrong_size; it is also the end of `cause`.
    """

    def __init__(self, message: str, *, serial: str, reason: str) -> None:
        self.reason = reason
        super().__init__(message, serial=serial, cause=f"bad_frame_{reason}")


class NotReady(DeviceError):
    """The phone lives, but is not fit to play on. `check` names the proof that failed."""

    def __init__(self, message: str, *, serial: str, check: str) -> None:
        self.check = check
        super().__init__(message, serial=serial, cause=f"not_ready_{check}")


class Disturbed(DeviceError):
    """In an episode something befell the phone that neither the agent nor the task did. `sign` names it."""

    prefix = "disturbed_"

    def __init__(self, message: str, *, serial: str, sign: str) -> None:
        self.sign = sign
        super().__init__(message, serial=serial, cause=f"{self.prefix}{sign}")


class AdbServerGone(InfrastructureError):
    """Our adb server died, never came up, or does not answer."""

    cause = "adb_server_gone"


class PolicyFault(InfrastructureError):
    """The policy server gave no decision: unreachable, too slow, 5xx, or an answer that is not ours."""

    cause = "policy_fault"


class StoreError(InfrastructureError):
    """The store could not be read or written."""

    cause = "store"


class QueueError(InfrastructureError):
    """Redis or the job queue failed."""

    cause = "queue"


class ClaimLost(InfrastructureError):
    """The claim on an episode or a phone is someone else's now. Whoever sees this stops and publishes nothing."""

    cause = "claim_lost"


def _short(text: str, limit: int = 300) -> str:
    return text if len(text) <= limit else f"{text[: limit - 1]}…"

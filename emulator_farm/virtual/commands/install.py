"""`pm install` in its three forms: a file on the phone, a stream on standard input, and a session of several parts."""

import hashlib

from emulator_farm.virtual.apk import ApkInfo, BadApk, read_apk
from emulator_farm.virtual.install_sessions import Session, Sessions
from emulator_farm.virtual.phone import Phone
from emulator_farm.virtual.shell.invocation import Invocation, ToolError

WITH_VALUE = frozenset({
    "-S", "-i", "-p", "--abi", "--user", "--install-location", "--install-reason", "--originating-uri", "--referrer",
    "--staged-ready-timeout",
})  # fmt: skip


class InstallFailed(ToolError):
    """The package manager refuses; goes to standard output as `Failure [...]`."""


def parse_flags(args: list[str], with_value: frozenset[str] = WITH_VALUE) -> tuple[set[str], dict[str, str], list[str]]:
    """Flags, options of `with_value` with their values, operands."""
    flags: set[str] = set()
    values: dict[str, str] = {}
    operands: list[str] = []
    rest = list(args)
    while rest:
        word = rest.pop(0)
        if word in with_value:
            if not rest:
                raise ToolError(f"Error: Option {word} needs a value", code=255, prefix="")
            values[word] = rest.pop(0)
        elif word.startswith("-") and word != "-":
            flags.add(word)
        else:
            operands.append(word)
    return flags, values, operands


async def install(run: Invocation, args: list[str]) -> int:
    """`pm install [-r] [-t] [-d] [-g] [-S SIZE | PATH]`."""
    flags, values, operands = parse_flags(args)
    if "-S" in values:
        data = await read_stream(run, values["-S"])
    elif operands:
        path = operands[0]

        def read(phone: Phone) -> bytes:
            return phone.files.read(run.readable(path))

        try:
            data = await run.call(read)
        except OSError:
            raise ToolError(f"Error: Unable to open file: {path}\nError: Can't open file: {path}", 1, "") from None
    else:
        raise ToolError("Error: must either specify a package size or an APK file", code=1, prefix="")
    return await commit(run, Session(flags, {"base.apk": data}))


async def read_stream(run: Invocation, size: str) -> bytes:
    """Exactly `size` bytes of standard input."""
    if not size.isdecimal():
        raise ToolError(f"Error: invalid size '{size}'", code=1, prefix="")
    parts: list[bytes] = []
    missing = int(size)
    while missing > 0 and (data := await run.streams.stdin.read()):
        parts.append(data[:missing])
        missing -= len(parts[-1])
    if missing:
        raise ToolError(f"Error: Expected {size} bytes but {missing} are missing", code=1, prefix="")
    return b"".join(parts)


async def commit(run: Invocation, session: Session) -> int:
    """Install the parts of a session as one package."""
    try:
        await run.call(lambda phone: _install(phone, session))
    except InstallFailed as failure:
        run.line(f"Failure [{failure}]")
        return 1
    run.line("Success")
    return 0


def _install(phone: Phone, session: Session) -> None:
    info = _base_info(session)
    old = phone.packages.find(info.package)
    if info.test_only and "-t" not in session.flags:
        raise InstallFailed(f"INSTALL_FAILED_TEST_ONLY: Failed to install test-only apk {info.package}")
    if old is not None and info.version_code < old.version_code and "-d" not in session.flags:
        raise InstallFailed(
            f"INSTALL_FAILED_VERSION_DOWNGRADE: Downgrade detected: Update version code {info.version_code} "
            f"is older than current {old.version_code}"
        )
    if old is not None and "-R" in session.flags:
        raise InstallFailed(
            f"INSTALL_FAILED_ALREADY_EXISTS: Attempt to re-install {info.package} without first uninstalling."
        )
    token = hashlib.sha256(info.package.encode()).hexdigest()
    directory = f"/data/app/~~{token[:22]}==/{info.package}-{token[22:44]}=="
    phone.files.mkdir(directory, parents=True)
    base = next(iter(session.parts))
    for name, data in session.parts.items():
        phone.files.write(f"{directory}/{'base.apk' if name == base else name}", data, mode=0o644)
    phone.packages.install(info.package, f"{directory}/base.apk", info.version_name, info.version_code)


def _base_info(session: Session) -> ApkInfo:
    if not session.parts:
        raise InstallFailed("INSTALL_FAILED_INVALID_APK: Session has no parts")
    infos = []
    for data in session.parts.values():
        try:
            infos.append(read_apk(data))
        except BadApk as error:
            raise InstallFailed(f"INSTALL_PARSE_FAILED_NOT_APK: {error}") from None
    if len({info.package for info in infos}) > 1:
        raise InstallFailed("INSTALL_FAILED_INVALID_APK: parts of one session belong to different packages")
    return infos[0]


async def session_command(run: Invocation, sessions: Sessions, verb: str, args: list[str]) -> int:
    """`install-create`, `install-write`, `install-commit`, `install-abandon`."""
    flags, values, operands = parse_flags(args)
    if verb == "install-create":
        number = next(sessions.numbers)
        sessions.open[number] = Session(flags)
        run.line(f"Success: created install session [{number}]")
        return 0
    number = int(operands[0]) if operands and operands[0].isdecimal() else -1
    session = sessions.open.get(number)
    if session is None:
        raise ToolError(f"Error: no open install session {operands[0] if operands else ''}", code=1, prefix="")
    if verb == "install-write":
        return await _write(run, session, values, operands[1:])
    del sessions.open[number]
    if verb == "install-abandon":
        run.line("Success")
        return 0
    return await commit(run, session)


async def _write(run: Invocation, session: Session, values: dict[str, str], operands: list[str]) -> int:
    if not operands:
        raise ToolError("Error: a part needs a name", code=1, prefix="")
    name, source = operands[0], operands[1] if len(operands) > 1 else "-"
    if source == "-":
        data = await read_stream(run, values.get("-S", ""))
    else:
        data = await run.call(lambda phone: phone.files.read(run.readable(source)))
    session.parts[name.replace("/", "_")] = data
    run.line(f"Success: streamed {len(data)} bytes")
    return 0

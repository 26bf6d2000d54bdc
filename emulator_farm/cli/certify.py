"""Commands of `certify`: run every check on phones, and verify a certificate."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from emulator_farm.errors import CallerError, FarmError

if TYPE_CHECKING:
    from emulator_farm.certify.certificate import Certificate, Check, Verdict
    from emulator_farm.certify.runner import Certification
    from emulator_farm.devices.adb_server import AdbServer

_QUICK = 5
_LAST_EMULATOR = 16
"""adb finds emulators by itself on ports 5554 to 5584."""
_COUNTED: tuple[tuple[Verdict, str], ...] = (
    ("pass", "passed"),
    ("fail", "failed"),
    ("not_applicable", "not applicable"),
)
_LISTEN_S = 0.2
"""A Ctrl-C that comes just before a wait begins is heard when the wait is over."""
_MARKS = {"pass": "pass", "fail": "FAIL", "not_applicable": "n/a "}

certify_app = typer.Typer(help="Check everything the farm needs of a phone, and write a certificate.")


def register(app: typer.Typer) -> None:
    app.add_typer(certify_app, name="certify")


@certify_app.callback(invoke_without_command=True)
def certify(
    context: typer.Context,
    device: Annotated[
        list[str] | None, typer.Option(help="HOST:PORT, or a serial of `adb devices`; again for more phones.")
    ] = None,
    count: Annotated[
        int | None, typer.Option(min=1, max=_LAST_EMULATOR, help="So many emulators on this host, from emulator-5554.")
    ] = None,
    resets: Annotated[int, typer.Option(min=1, max=1000, help="How many resets.")] = 100,
    quick: Annotated[bool, typer.Option("--quick", help=f"{_QUICK} resets.")] = False,
    out: Annotated[Path, typer.Option(help="Folder for a JSON and a page per phone.")] = Path("certificates"),
    key: Annotated[Path | None, typer.Option(help="Private Ed25519 key, PEM, to sign with.")] = None,
    adb_port: Annotated[
        int | None,
        typer.Option(min=1, max=65535, help="Port of the adb server to use; without it one of our own is started."),
    ] = None,
) -> None:
    """Check everything the farm needs of a phone, and write a certificate. Ctrl-C writes what there is.

    Exit code 0 where everything was checked and nothing failed, 1 otherwise, 130 after Ctrl-C.
    """
    if context.invoked_subcommand is not None:
        return
    serials = _serials(device or [], count)
    if key is not None:
        from emulator_farm.certify.certificate import private_key

        private_key(key)
    _writable(out)
    from emulator_farm.devices.adb_server import AdbServer

    own = AdbServer.launch_for(serials) if adb_port is None else None
    try:
        certificates, interrupted = _examine(
            serials, own or AdbServer(port=adb_port or 0), _QUICK if quick else resets, out, key
        )
    finally:
        if own is not None:
            own.close()
    if interrupted:
        raise typer.Exit(130)
    if not all(certificate is not None and certificate.passed for certificate in certificates):
        raise typer.Exit(1)


@certify_app.command()
def verify(
    file: Annotated[Path, typer.Argument(help="A certificate's JSON.")],
    key: Annotated[Path | None, typer.Option(help="Public Ed25519 key, PEM, of whom it must be signed by.")] = None,
) -> None:
    """Say whether a certificate is as it was written, and what it says."""
    from emulator_farm.certify.certificate import verify as check

    sealed = check(file, key)
    found = sealed.certificate
    signed = f"signed with {sealed.signature.public_key}" if sealed.signature else "not signed"
    print(f"unchanged, {signed}")
    print(_summary(found))


def _serials(devices: Sequence[str], count: int | None) -> list[str]:
    if bool(devices) == (count is not None):
        raise CallerError("name phones by --device, or have emulators counted by --count")
    serials = [f"emulator-{5554 + 2 * index}" for index in range(count or 0)] or list(dict.fromkeys(devices))
    if not all(serial.strip() for serial in serials):
        raise CallerError("the phone has no name; give HOST:PORT or a serial of `adb devices`")
    return serials


def _writable(folder: Path) -> None:
    """An hour of checks must not end in a folder that cannot be written."""
    probe = folder / f".{secrets.token_hex(6)}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        probe.write_bytes(b"")
        probe.unlink()
    except OSError as error:
        raise CallerError(f"{folder} cannot be written: {error.strerror or error}") from None


def _examine(
    serials: Sequence[str], server: AdbServer, times: int, out: Path, key: Path | None
) -> tuple[list[Certificate | None], bool]:
    """All phones side by side, a thread each, and whether Ctrl-C ended them.

    None stands for a phone that could not be reached, or whose certificate could not be written.
    """
    from emulator_farm.certify.runner import Certification

    runs = [Certification(serial, server, times=times, told=_teller(serial, len(serials) > 1)) for serial in serials]
    interrupted = False
    with ThreadPoolExecutor(len(runs)) as pool:  # an interrupted Thread.join would take a running thread for ended
        futures: list[Future[Certificate | None]] = []
        try:
            for run in runs:
                futures.append(pool.submit(_certify_one, run, server, out, key))
            while wait(futures, timeout=_LISTEN_S).not_done:
                continue
        except KeyboardInterrupt:
            interrupted = True
            for run in runs:
                run.stop()
    return [future.result() for future in futures], interrupted


def _certify_one(run: Certification, server: AdbServer, out: Path, key: Path | None) -> Certificate | None:
    from emulator_farm.certify.files import write

    try:
        server.connect(run.serial)
        certificate = run.run()
        json_file, page = write(certificate, run.serial, out, key)
    except FarmError as error:
        typer.echo(f"error: {error}", err=True)
        return None
    print(f"{_summary(certificate)}\n{json_file}\n{page}", flush=True)
    return certificate


def _summary(certificate: Certificate) -> str:
    phone = certificate.phone
    what = "a phone that does not say what it is" if phone is None else f"{phone.model}, Android {phone.android}"
    counts = ", ".join(f"{certificate.count(verdict)} {words}" for verdict, words in _COUNTED)
    return f"{what}: {counts}" + ("" if certificate.complete else "; not all checks were run")


def _teller(serial: str, several: bool) -> Callable[[Check], None]:
    def tell(check: Check) -> None:
        seen = "" if check.verdict == "pass" else f"  {check.seen}"
        place = f"{serial}  " if several else ""
        print(f"{place}{_MARKS[check.verdict]}  {check.name}  {check.seconds:.1f} s{seen}", flush=True)

    return tell

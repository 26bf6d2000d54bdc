"""`certify` on the command line: phones side by side, what is said, exit codes, and Ctrl-C."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat

from emulator_farm.certify.certificate import verify
from emulator_farm.devices.adb_server import AdbServer
from emulator_farm.virtual.host import PhoneHost
from emulator_farm.virtual.phone import Phone

Cli = Callable[..., Any]


def test_two_phones_side_by_side_one_of_them_ill(cli: Cli, adb_server: AdbServer, tmp_path: Path) -> None:
    key = tmp_path / "key.pem"
    private = Ed25519PrivateKey.generate()
    key.write_bytes(private.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    public = tmp_path / "key.pub"
    public.write_bytes(private.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo))
    with PhoneHost([Phone("well", 360, 800, 140), Phone("ill", 360, 800, 140)]) as host:
        well, ill = host.addresses
        host.fault("snapshot", "fail", index=1)
        words = ["--device", well, "--device", ill, "--quick", "--out", tmp_path, "--key", key]
        said = cli("certify", *words, "--adb-port", adb_server.address.port)
        for serial in host.addresses:
            adb_server.disconnect(serial)
    assert said.code == 1
    files = [tmp_path / f"certificate-{serial.replace(':', '_')}.json" for serial in (well, ill)]
    first, second = (verify(file, public).certificate for file in files)
    assert (first.passed, second.passed) == (True, False)
    assert [check.name for check in second.checks if check.verdict == "fail"] == ["snapshots.restore"]
    assert f"{ill}  FAIL  snapshots.restore" in said.out
    assert files[0].with_suffix(".html").exists()

    checked = cli("certify", "verify", files[1], "--key", public)
    assert checked.code == 0
    assert checked.out.startswith("unchanged, signed with ")
    assert "1 failed" in checked.out
    files[1].write_text(files[1].read_text().replace('"fail"', '"pass"'))
    tampered = cli("certify", "verify", files[1])
    assert tampered.code == 2
    assert "was changed after it was written" in tampered.err


HEARING = """
import signal
from emulator_farm.cli import main

signal.signal(signal.SIGINT, signal.default_int_handler)
main()
"""
"""The command where Ctrl-C is heard even though these tests run in the background, where it is ignored."""


def test_ctrl_c_writes_what_there_is(adb_server: AdbServer, tmp_path: Path) -> None:
    with PhoneHost([Phone("small", 360, 800, 140)]) as host:
        serial = host.addresses[0]
        words = ["certify", "--device", serial, "--out", str(tmp_path), "--adb-port", str(adb_server.address.port)]
        process = subprocess.Popen(
            [sys.executable, "-c", HEARING, *words],
            stdout=subprocess.PIPE,
            text=True,
            env=os.environ | {"PYTHONUNBUFFERED": "1"},
        )
        assert process.stdout is not None
        with process.stdout as lines:
            for line in lines:
                if "contract.quoting" in line:
                    process.send_signal(signal.SIGINT)
            assert process.wait(60) == 130
        adb_server.disconnect(serial)
    certificate = verify(tmp_path / f"certificate-{serial.replace(':', '_')}.json").certificate
    assert not certificate.complete
    names = [check.name for check in certificate.checks]
    assert "contract.quoting" in names
    assert names[-1] == "phone.put_back"
    assert certificate.checks[-1].verdict == "pass"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "name phones by --device"),
        (["--device", "127.0.0.1:1", "--count", "2"], "name phones by --device"),
        (["--device", " "], "the phone has no name"),
        (["--device", "127.0.0.1:1", "--key", "/no/such/key"], "cannot read the key"),
        (["--device", "127.0.0.1:1", "--out", "/dev/null/x"], "cannot be written"),
    ],
)
def test_what_the_caller_erred_in_is_said_at_once(cli: Cli, words: list[str], said: str) -> None:
    result = cli("certify", *words)
    assert result.code == 2
    assert said in result.err


def test_a_phone_that_is_not_there(cli: Cli, adb_server: AdbServer, tmp_path: Path) -> None:
    port = adb_server.address.port
    result = cli("certify", "--device", "127.0.0.1:1", "--out", tmp_path, "--adb-port", port)
    assert result.code == 1
    assert "cannot connect" in result.err
    assert not list(tmp_path.iterdir())

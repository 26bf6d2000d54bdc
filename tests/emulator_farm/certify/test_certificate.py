"""The seal: what was written verifies, whatever is changed shows."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat

from emulator_farm.certify.certificate import Certificate, Check, PhoneFacts, canonical, seal, verify
from emulator_farm.certify.files import page, write
from emulator_farm.errors import CallerError

_MOMENT = datetime(2026, 3, 1, 9, 41, 0, 123456, tzinfo=UTC)
CERTIFICATE = Certificate(
    tool_version="1",
    adb_version="41 (cmd)",
    started_at=_MOMENT,
    ended_at=_MOMENT,
    resets=5,
    complete=True,
    phone=PhoneFacts(
        serial="127.0.0.1:1",
        model="<Phone> 你好",
        android="14",
        sdk=34,
        abi="x86_64",
        size="540x1200",
        density=210,
        virtual=True,
        properties={"ro.build.id": "X"},
    ),
    checks=(
        Check(name="a.one", expected="1", seen="1", seconds=0.1, verdict="pass", figures={"a_ms": 1.25}),
        Check(name="b.two", expected="2", seen="<script>3</script>", seconds=0.2, verdict="fail"),
        Check(name="b.three", expected="3", seen="none", seconds=0.0, verdict="not_applicable"),
    ),
)


@pytest.fixture
def key(tmp_path: Path) -> Path:
    """A private key; its public half is beside it, `.pub`."""
    private = Ed25519PrivateKey.generate()
    path = tmp_path / "key.pem"
    path.write_bytes(private.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    public = private.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    path.with_suffix(".pub").write_bytes(public)
    return path


def _written(folder: Path, key: Path | None = None) -> Path:
    return write(CERTIFICATE, "127.0.0.1:1", folder, key)[0]


def _changed(path: Path, change: Callable[[dict[str, Any]], object]) -> Path:
    document = json.loads(path.read_text())
    change(document)
    path.write_text(json.dumps(document))
    return path


def test_what_was_written_verifies(tmp_path: Path, key: Path) -> None:
    path = _written(tmp_path / "out", key)
    assert path.name == "certificate-127.0.0.1_1.json"
    assert verify(path).certificate == CERTIFICATE
    assert verify(path, key.with_suffix(".pub")).signature is not None
    assert verify(_written(tmp_path / "unsigned")).signature is None


def test_canonical_json_has_one_form() -> None:
    assert canonical({"b": [1.5, None], "a": "é"}) == '{"a":"é","b":[1.5,null]}'.encode()


def test_layout_of_the_file_does_not_matter(tmp_path: Path, key: Path) -> None:
    assert verify(_changed(_written(tmp_path, key), lambda document: None)).certificate == CERTIFICATE


@pytest.mark.parametrize(
    "change",
    [
        lambda found: found["checks"][1].update(verdict="pass"),
        lambda found: found["checks"].pop(),
        lambda found: found["phone"].update(virtual=False),
        lambda found: found["checks"][0]["figures"].update(a_ms=1.24),
        lambda found: found.update(ended_at="2026-03-01T09:41:00.123457Z"),
    ],
)
def test_a_change_shows(tmp_path: Path, change: Callable[[dict[str, Any]], object]) -> None:
    path = _changed(_written(tmp_path), lambda document: change(document["certificate"]))
    with pytest.raises(CallerError, match="was changed after it was written"):
        verify(path)


def test_a_change_with_a_new_digest_breaks_the_signature(tmp_path: Path, key: Path) -> None:
    forged = CERTIFICATE.model_copy(update={"checks": CERTIFICATE.checks[:1]})

    def forge(document: dict[str, Any]) -> None:
        document["certificate"] = forged.model_dump(mode="json")
        document["sha256"] = seal(forged).sha256

    path = _changed(_written(tmp_path, key), forge)
    with pytest.raises(CallerError, match="the signature does not fit"):
        verify(path)
    _changed(path, lambda document: document.update(signature=None))
    assert verify(path).certificate == forged  # a digest alone stops nobody who means it
    with pytest.raises(CallerError, match="signed by nobody"):
        verify(path, key.with_suffix(".pub"))


def test_somebody_elses_signature_shows(tmp_path: Path, key: Path) -> None:
    other = tmp_path / "other.pub"
    public = Ed25519PrivateKey.generate().public_key()
    other.write_bytes(public.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo))
    with pytest.raises(CallerError, match="not by the key in"):
        verify(_written(tmp_path, key), other)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "is no certificate"),
        ("[]", "is no certificate"),
        ('{"certificate": 1, "certificate": 2}', "twice"),
        ('{"certificate": {}, "sha256": ""}', "certificate.tool_version"),
    ],
)
def test_no_certificate(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "c.json"
    path.write_text(text)
    with pytest.raises(CallerError, match=said):
        verify(path)
    with pytest.raises(CallerError, match="cannot read"):
        verify(tmp_path / "none.json")


def test_keys_of_no_use(tmp_path: Path, key: Path) -> None:
    other = tmp_path / "x25519.pem"
    other.write_bytes(X25519PrivateKey.generate().private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    with pytest.raises(CallerError, match="no Ed25519 key"):
        seal(CERTIFICATE, other)
    with pytest.raises(CallerError, match="no private key"):
        seal(CERTIFICATE, key.with_suffix(".pub"))
    with pytest.raises(CallerError, match="cannot read the key"):
        seal(CERTIFICATE, tmp_path / "none.pem")
    with pytest.raises(CallerError, match="no public key"):
        verify(_written(tmp_path, key), key)


def test_the_page_says_what_the_certificate_says(key: Path) -> None:
    text = page(seal(CERTIFICATE, key), "127.0.0.1:1")
    assert "a virtual phone, no Android" in text
    assert "&lt;script&gt;3&lt;/script&gt;" in text
    assert "<script" not in text
    assert "not applicable" in text
    assert seal(CERTIFICATE, key).sha256 in text
    assert "http" not in text.replace("http-equiv", "")


def test_only_what_is_complete_and_without_failure_passed() -> None:
    good = CERTIFICATE.model_copy(update={"checks": (CERTIFICATE.checks[0], CERTIFICATE.checks[2])})
    assert good.passed
    assert not CERTIFICATE.passed
    assert not good.model_copy(update={"complete": False}).passed

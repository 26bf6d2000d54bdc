"""The record of one certification, and the seal that shows whether it was changed."""

from __future__ import annotations

import hashlib
import json
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue, ValidationError

from emulator_farm.errors import CallerError

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

SCHEMA_VERSION: Literal[1] = 1
Verdict = Literal["pass", "fail", "not_applicable"]


class _Record(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Check(_Record):
    """One check: what should have been, what was, and for how long it was looked at."""

    name: str
    """`group.check`, `typing.arabic` for instance."""
    expected: str
    seen: str
    """What came instead where it failed; why not where it does not apply."""
    seconds: float
    verdict: Verdict
    figures: dict[str, float] = Field(default_factory=dict)
    """What was measured; the unit is at the end of each name."""


class PhoneFacts(_Record):
    """What the phone says it is; `properties` are its build properties."""

    serial: str
    model: str
    android: str
    sdk: int
    abi: str
    size: str
    density: int
    virtual: bool
    """Whether it is this project's virtual phone, which is no Android."""
    properties: dict[str, str]


class Certificate(_Record):
    """Everything that was checked on one phone."""

    schema_version: Literal[1] = SCHEMA_VERSION
    tool_version: str
    adb_version: str
    """Protocol version of the adb server, and what it and the phone have in common."""
    started_at: datetime
    ended_at: datetime
    resets: int
    """How many were asked for."""
    complete: bool
    """False where it was interrupted, or ran out of time, before the last check."""
    phone: PhoneFacts | None
    """None where the phone did not even say what it is."""
    checks: tuple[Check, ...]

    def count(self, verdict: Verdict) -> int:
        return sum(check.verdict == verdict for check in self.checks)

    @property
    def passed(self) -> bool:
        """Whether all of it was checked and nothing failed."""
        return self.complete and self.phone is not None and not self.count("fail")


class Signature(_Record):
    """Ed25519 over the canonical JSON of the certificate; both in hexadecimal."""

    public_key: str
    value: str


class Sealed(_Record):
    """What is in the file."""

    certificate: Certificate
    sha256: str
    """Of the canonical JSON of `certificate`."""
    signature: Signature | None = None


def canonical(value: JsonValue) -> bytes:
    """JSON in the one form that digest and signature are made of: sorted keys, no spaces, UTF-8."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode("utf-8", "surrogatepass")


def seal(certificate: Certificate, key: Path | None = None) -> Sealed:
    """Digest, and signature where there is a private key (PEM, Ed25519). Raises CallerError for a key of no use."""
    data = canonical(certificate.model_dump(mode="json"))
    signature = None
    if key is not None:
        private = private_key(key)
        public = private.public_key().public_bytes_raw().hex()
        signature = Signature(public_key=public, value=private.sign(data).hex())
    return Sealed(certificate=certificate, sha256=hashlib.sha256(data).hexdigest(), signature=signature)


def verify(path: Path, signer: Path | None = None) -> Sealed:
    """The sealed certificate in a file, whole and unchanged; with `signer` (a public key, PEM) also by whom.

    Raises CallerError that says what does not fit.
    """
    try:
        document: Any = json.loads(path.read_bytes(), object_pairs_hook=_once)
        sealed = Sealed.model_validate(document)
    except OSError as error:
        raise CallerError(f"cannot read {path}: {error.strerror}") from None
    except ValidationError as error:
        problem = error.errors()[0]
        place = ".".join(map(str, problem["loc"]))
        raise CallerError(f"{path} is no certificate of version {SCHEMA_VERSION}: {place}: {problem['msg']}") from None
    except ValueError as error:
        raise CallerError(f"{path} is no certificate: {error}") from None
    data = canonical(document["certificate"])
    if hashlib.sha256(data).hexdigest() != sealed.sha256:
        raise CallerError(f"{path} was changed after it was written: its SHA-256 is not {sealed.sha256}")
    if sealed.signature is not None:
        _check_signature(path, data, sealed.signature)
    if signer is not None:
        expected = _public_key(signer).public_bytes_raw().hex()
        found = sealed.signature.public_key if sealed.signature else "nobody"
        if found != expected:
            raise CallerError(f"{path} was signed by {found}, not by the key in {signer}, which is {expected}")
    return sealed


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object, each of whose names comes once: of two, readers would not agree which counts."""
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("an object in it has a name twice")
    return found


def _check_signature(path: Path, data: bytes, signature: Signature) -> None:
    try:
        from cryptography.exceptions import InvalidSignature
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
    except ModuleNotFoundError:
        raise _no_cryptography() from None
    try:
        key = Ed25519PublicKey.from_public_bytes(bytes.fromhex(signature.public_key))
        key.verify(bytes.fromhex(signature.value), data)
    except (InvalidSignature, ValueError):
        raise CallerError(f"{path} was changed after it was signed: the signature does not fit") from None


def private_key(path: Path) -> Ed25519PrivateKey:
    """The key in a PEM file without a password. Raises CallerError for anything else."""
    try:
        from cryptography.exceptions import UnsupportedAlgorithm
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
        from cryptography.hazmat.primitives.serialization import load_pem_private_key
    except ModuleNotFoundError:
        raise _no_cryptography() from None
    try:
        key = load_pem_private_key(path.read_bytes(), None)
    except OSError as error:
        raise CallerError(f"cannot read the key {path}: {error.strerror}") from None
    except (ValueError, TypeError, UnsupportedAlgorithm) as error:
        raise CallerError(f"{path} holds no private key in PEM without a password: {error}") from None
    if not isinstance(key, Ed25519PrivateKey):
        raise CallerError(f"{path} holds no Ed25519 key; `openssl genpkey -algorithm ed25519` makes one")
    return key


def _public_key(path: Path) -> Ed25519PublicKey:
    try:
        from cryptography.exceptions import UnsupportedAlgorithm
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
        from cryptography.hazmat.primitives.serialization import load_pem_public_key
    except ModuleNotFoundError:
        raise _no_cryptography() from None
    try:
        key = load_pem_public_key(path.read_bytes())
    except OSError as error:
        raise CallerError(f"cannot read the key {path}: {error.strerror}") from None
    except (ValueError, UnsupportedAlgorithm) as error:
        raise CallerError(f"{path} holds no public key in PEM: {error}") from None
    if not isinstance(key, Ed25519PublicKey):
        raise CallerError(f"{path} holds no Ed25519 key; `openssl pkey -in KEY -pubout` writes the public half of one")
    return key


def _no_cryptography() -> CallerError:
    return CallerError("signatures need cryptography: pip install 'android-rollout-farm[certify]'")

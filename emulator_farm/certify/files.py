"""A certificate as files: the sealed JSON and a page."""

from __future__ import annotations

import re
from itertools import groupby
from pathlib import Path

from emulator_farm.certify.certificate import Certificate, Sealed, seal
from emulator_farm.pages import render, write_page

_TONES = {"pass": "good", "fail": "bad", "not_applicable": "plain"}


def write(certificate: Certificate, serial: str, folder: Path, key: Path | None = None) -> tuple[Path, Path]:
    """`certificate-SERIAL.json` and `.html` in a folder that is made. Raises CallerError where that cannot be done."""
    sealed = seal(certificate, key)
    stem = "certificate-" + re.sub(r"[^A-Za-z0-9._-]", "_", serial)
    data = sealed.model_dump_json(indent=2) + "\n"
    return write_page(data, folder / f"{stem}.json"), write_page(page(sealed, serial), folder / f"{stem}.html")


def page(sealed: Sealed, serial: str) -> str:
    """Everything in the certificate as one page that loads nothing."""
    certificate = sealed.certificate
    groups = [
        (name, list(checks))
        for name, checks in groupby(certificate.checks, key=lambda check: check.name.partition(".")[0])
    ]
    return render(
        "certificate",
        title=f"Certificate of {serial}",
        sealed=sealed,
        certificate=certificate,
        facts=_facts(certificate),
        groups=groups,
        tones=_TONES,
    )


def _facts(certificate: Certificate) -> list[tuple[str, str]]:
    phone = certificate.phone
    lasted = (certificate.ended_at - certificate.started_at).total_seconds()
    facts = (
        []
        if phone is None
        else [
            ("phone", phone.model + (" (a virtual phone, no Android)" if phone.virtual else "")),
            ("Android", f"{phone.android}, API {phone.sdk}"),
            ("ABI", phone.abi),
            ("screen", f"{phone.size}, {phone.density} dpi"),
            ("build", phone.properties.get("ro.build.fingerprint", "unknown")),
        ]
    )
    return [
        *facts,
        ("begun", f"{certificate.started_at:%Y-%m-%d %H:%M:%S} UTC"),
        ("took", f"{lasted:.0f} s"),
        ("tool", f"android-rollout-farm {certificate.tool_version}"),
        ("adb", certificate.adb_version.partition(" ")[0]),
    ]

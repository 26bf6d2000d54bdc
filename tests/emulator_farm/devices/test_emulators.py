"""Where an emulator's controller is, by what the phone tells and by what an emulator writes."""

from __future__ import annotations

from pathlib import Path

import pytest

from emulator_farm.devices.emulators import Endpoint, endpoint_of

TOLD = {"vphone.grpc": "127.0.0.1:8600", "vphone.token": "t"}


@pytest.fixture
def running(tmp_path: Path) -> Path:
    """What emulators write into `avd/running`; the second was started without a token, the third without gRPC."""
    for pid, lines in {
        11: ["port.serial=5554", "port.adb=5555", "avd.name=one", "grpc.port=8554", "grpc.token=abc"],
        12: ["port.serial = 5556", "port.adb = 5557", "grpc.port = 8555"],
        13: ["port.serial=5558", "port.adb=5559", "nonsense"],
    }.items():
        (tmp_path / f"pid_{pid}.ini").write_text("\n".join(lines))
    return tmp_path


def test_a_virtual_phone_tells_and_is_believed_about_its_own_host_only() -> None:
    assert endpoint_of("127.0.0.1:5555", TOLD, []) == Endpoint("127.0.0.1:8600", "t")
    assert endpoint_of("10.0.0.7:5555", TOLD, []) == Endpoint("10.0.0.7:8600", "t")
    assert endpoint_of("10.0.0.7:5555", {"vphone.grpc": "evil.example:8600"}, []) == Endpoint("10.0.0.7:8600")
    assert endpoint_of("10.0.0.7:5555", {"vphone.grpc": "rubbish"}, []) is None


@pytest.mark.parametrize(
    ("serial", "endpoint"),
    [
        ("emulator-5554", Endpoint("127.0.0.1:8554", "abc")),
        ("127.0.0.1:5555", Endpoint("127.0.0.1:8554", "abc")),
        ("localhost:5557", Endpoint("127.0.0.1:8555")),
        ("emulator-5558", None),
        ("emulator-5560", None),
        ("10.0.0.7:5555", None),
        ("R58M12345", None),
    ],
)
def test_an_emulator_of_this_host_is_found_by_its_port(serial: str, endpoint: Endpoint | None, running: Path) -> None:
    assert endpoint_of(serial, {}, [running / "absent", running]) == endpoint


def test_the_token_is_not_shown() -> None:
    assert "secret" not in repr(Endpoint("127.0.0.1:1", "secret"))

"""Files to and from the phone."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from emulator_farm.devices.device import Device
from emulator_farm.errors import CommandFailed, DeviceGone
from emulator_farm.virtual.host import PhoneHost


@pytest.mark.parametrize("size", [0, 1, 65536, 65537, 1_000_003])
def test_a_file_goes_and_comes_back_whole(device: Device, size: int) -> None:
    data = random.Random(size).randbytes(size)
    device.push(data, "/sdcard/Download/deep/er/file.bin")
    assert device.pull("/sdcard/Download/deep/er/file.bin") == data
    assert device.file_read("/sdcard/Download/deep/er/file.bin") == data


def test_a_local_file_and_a_name_with_everything_in_it(device: Device, tmp_path: Path) -> None:
    source = tmp_path / "source.txt"
    source.write_text("héllo\n")
    name = '/sdcard/it\'s $(a) "name"; 日本.txt'
    device.push(source, name)
    assert device.pull(name) == "héllo\n".encode()
    assert device.file_read(name) == "héllo\n".encode()


def test_a_file_that_is_not_there(device: Device) -> None:
    with pytest.raises(CommandFailed, match=r"No such file") as caught:
        device.pull("/sdcard/nothing")
    assert caught.value.command == "pull /sdcard/nothing"
    assert device.file_read("/sdcard/nothing") is None


def test_places_that_may_not_be_touched(device: Device) -> None:
    with pytest.raises(CommandFailed, match=r"push /system/x"):
        device.push(b"x", "/system/x")
    with pytest.raises(CommandFailed, match=r"Permission denied|Is a directory"):
        device.file_read("/data")


def test_a_phone_that_is_gone(device: Device, host: PhoneHost) -> None:
    host.close()
    with pytest.raises(DeviceGone):
        device.push(b"x", "/sdcard/x")
    with pytest.raises(DeviceGone):
        device.pull("/sdcard/x")

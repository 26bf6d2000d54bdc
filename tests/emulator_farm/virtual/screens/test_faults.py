"""The record of armed faults."""

from emulator_farm.virtual.faults import Faults, Latency
from emulator_farm.virtual.phone import Phone


def test_faults_are_the_phones_own_and_can_be_disarmed() -> None:
    faults = Faults(screencap="black", count=2)
    phone = Phone(faults=faults, latency=Latency(capture_s=0.5))
    assert phone.faults is faults
    assert phone.latency.capture_s == 0.5
    assert Phone().faults == Faults()
    faults.clear()
    assert faults == Faults()

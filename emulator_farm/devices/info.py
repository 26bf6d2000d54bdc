"""What a phone is, asked in one exchange."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from agent_server.geometry import Size
from emulator_farm.devices.dumpsys import UnexpectedReply, wm_density, wm_size
from emulator_farm.devices.replies import properties
from emulator_farm.devices.transport import Transport
from emulator_farm.errors import DeviceError

_FACTS = "getprop; echo :farm-facts:; wm size; wm density; echo :farm-facts:; cat /proc/sys/kernel/random/boot_id"


@dataclass(frozen=True)
class DeviceInfo:
    """What a phone is. `size` is the effective one in its natural orientation, in pixels; `density` in dpi."""

    serial: str
    model: str
    sdk: int
    size: Size
    density: int
    abi: str
    fingerprint: str
    features: frozenset[str]
    boot_id: str
    """Changes with every boot; empty where the kernel does not tell."""
    properties: Mapping[str, str] = field(repr=False)
    """All that `getprop` tells."""


def ask_info(transport: Transport) -> DeviceInfo:
    """Raises DeviceError (`unexpected_reply`) where the phone does not say how large its screen is."""
    known, _, rest = transport.shell(_FACTS).text.partition(":farm-facts:\n")
    display, _, boot_id = rest.partition(":farm-facts:\n")
    facts = properties(known)
    try:
        size, density = wm_size(display), wm_density(display)
    except UnexpectedReply as error:
        raise DeviceError(f"wm: {error}", serial=transport.serial, cause="unexpected_reply") from None
    return DeviceInfo(
        serial=transport.serial,
        model=facts.get("ro.product.model", "unknown"),
        sdk=int(facts.get("ro.build.version.sdk", "0")),
        size=size,
        density=density,
        abi=facts.get("ro.product.cpu.abi", "unknown"),
        fingerprint=facts.get("ro.build.fingerprint", "unknown"),
        features=transport.features(),
        boot_id=boot_id.strip(),
        properties=facts,
    )

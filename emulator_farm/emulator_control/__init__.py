"""The Android emulator's gRPC controller as it is on the wire: messages and method paths, and nothing that acts.

The virtual phone serves it, the device layer calls it; both need the extra `emulator` (grpcio, protobuf). Field numbers
are those of `android.emulation.control`, cut down to what is used here; a message's own name never travels.
"""

SERVICE = "android.emulation.control.EmulatorController"
MAX_MESSAGE = 64 * 1024 * 1024
"""Bytes of one message: a frame of raw pixels is larger than gRPC's default limit of 4 MB."""


def path(method: str) -> str:
    """The path of a method, `getScreenshot` for instance, as gRPC calls it."""
    return f"/{SERVICE}/{method}"

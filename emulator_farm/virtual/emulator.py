"""What an emulator has beside ADB: a console and a gRPC port, so that a virtual phone passes for one.

As with real emulators the console's port is the one below ADB's. Where both are and what they ask for is told by
properties that only a virtual phone has: `vphone.console`, `vphone.grpc` (both HOST:PORT) and `vphone.token`.
"""

import secrets
from collections.abc import Awaitable, Callable

from .console import Console
from .handset import Handset


class MissingExtra(RuntimeError):
    """gRPC is not installed."""


class Emulator:
    """Console and gRPC of one phone."""

    def __init__(self, handset: Handset, kill: Callable[[], Awaitable[None]]) -> None:
        """`kill` ends the phone. Raises MissingExtra."""
        try:
            from .controller import Controller
        except ModuleNotFoundError as error:
            raise MissingExtra(f"{error.name} is not installed; pip install 'android-rollout-farm[emulator]'") from None
        self.token = secrets.token_hex(16)
        self._handset = handset
        self._console = Console(handset, self.token, kill)
        self._controller = Controller(handset, self.token)

    async def start(self, host: str, console_port: int) -> None:
        """Open both ports, gRPC's a free one. Raises OSError where the console's is taken."""
        await self._console.start(host, console_port)
        self._controller.start(host)
        self._handset.endpoints |= {
            "vphone.console": f"{host}:{self._console.port}",
            "vphone.grpc": f"{host}:{self._controller.port}",
            "vphone.token": self.token,
        }

    async def stop(self) -> None:
        """Close both ports."""
        self._handset.endpoints.clear()
        await self._console.stop()
        self._controller.stop()

"""Settings of the policy server. Read from flags in `cli.py` only; units are in the names."""

from __future__ import annotations

from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field

from agent_server.images import ImageLimits

MIB = 2**20


class ServerConfig(BaseModel):
    """What the HTTP side needs to know."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    token_file: Path | None = None
    """Bearer tokens, one a line; None lets everyone in."""
    max_body_bytes: int = Field(default=32 * MIB, ge=1024)
    """Of a whole request, history screenshots included."""
    max_image_bytes: int = Field(default=16 * MIB, ge=1)
    """Of one image."""
    max_image_pixels: int = Field(default=40_000_000, ge=1, le=89_000_000)
    """Width times height of one image."""

    @property
    def image_limits(self) -> ImageLimits:
        return ImageLimits(self.max_image_bytes, self.max_image_pixels)

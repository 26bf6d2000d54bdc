"""How long a context a family needs: its screenshots, its text, its reply, in tokens."""

from __future__ import annotations

import math

from agent_server.adapters import Adapter
from agent_server.geometry import Size
from agent_server.processor import image_tokens, processor_of

LARGEST_SCREEN = Size(1440, 3200)
"""In pixels, of the phones that are planned for. Larger ones are served too, while the prompt fits."""
TEXT_TOKENS = 8192
"""For instructions, goal and the earlier steps as text: some fifty of 150 tokens."""
_REPLY_TOKENS = 2048
_TOKEN_SIDE = 28
"""Of the square of pixels that one image token stands for, where a processor is not known: the smallest in use."""
_STEP = 1024


def context_length(adapter: Adapter, model: str, images: int, positions: int | None = None) -> int:
    """Tokens that `images` of a screen of LARGEST_SCREEN, the text and the reply take, at most `positions`.

    In full thousands of 1024, so that a change of a few tokens does not change the command.
    """
    reply = int(adapter.declaration.sampling.get("max_tokens", _REPLY_TOKENS))
    needed = math.ceil((images * _screen_tokens(adapter, model) + TEXT_TOKENS + reply) / _STEP) * _STEP
    return needed if positions is None else min(needed, positions)


def _screen_tokens(adapter: Adapter, model: str) -> int:
    sent = adapter.frame(LARGEST_SCREEN, model).resized or LARGEST_SCREEN
    processor = processor_of(adapter, model)
    return math.ceil(sent.pixels / _TOKEN_SIDE**2) if processor is None else image_tokens(processor, sent)

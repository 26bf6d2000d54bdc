"""Which pixel limits of a processor explain the tokens that were counted. Pure arithmetic."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from agent_server.adapters import Processor
from agent_server.geometry import Size
from agent_server.processor import image_tokens

_LARGEST = 2**40
_MOST_OBLONG = 3


def unlimited(expected: Processor) -> Processor:
    """The same without limits: what it makes of an image shows the limits of another."""
    return replace(expected, min_pixels=1, max_pixels=_LARGEST)


def explained(expected: Processor, counted: Mapping[Size, int]) -> Processor | None:
    """The processor, like `expected` but for its limits, that takes `counted` tokens for images sent at those sizes.

    Of all limits that do, the narrowest: images that are brought between these are left alone by every one of them, so
    that they can be used without knowing the true ones. None where no limits explain the counts.
    """
    due = {size: image_tokens(expected, size) for size in counted}
    low, high = expected.min_pixels, expected.max_pixels
    if any(counted[size] < due[size] for size in counted):
        high = max(_least_max(expected, size, tokens) for size, tokens in counted.items() if tokens <= due[size])
    if any(counted[size] > due[size] for size in counted):
        low = min(_greatest_min(expected, size, tokens) for size, tokens in counted.items() if tokens >= due[size])
    if low > high:
        return None
    found = replace(expected, min_pixels=low, max_pixels=high)
    return found if all(image_tokens(found, size) == tokens for size, tokens in counted.items()) else None


def agreed(expected: Processor, there: Processor) -> Processor:
    """The limits with which images are left alone by a server with the processor `there`: those that were expected,
    where they are within its own."""
    low, high = expected.min_pixels, expected.max_pixels
    if low < there.min_pixels or low > there.max_pixels:
        low = there.min_pixels
    if high > there.max_pixels or high < there.min_pixels:
        high = there.max_pixels
    return replace(expected, min_pixels=low, max_pixels=high)


def rectangles(processor: Processor, above: int, below: int) -> list[Size]:
    """Sizes that the grid of a processor holds exactly, with areas from `above` to `below` pixels, smallest first.

    At most one for each number of tokens, none that is much longer than wide.
    """
    token = processor.factor**2
    found = []
    for tokens in range(-(-above // token), below // token + 1):
        columns = next(width for width in range(int(tokens**0.5), 0, -1) if tokens % width == 0)
        rows = tokens // columns
        if rows <= _MOST_OBLONG * columns:
            found.append(Size(columns * processor.factor, rows * processor.factor))
    return found


def greatest_max(processor: Processor, size: Size, tokens: int) -> int:
    """The greatest upper limit, in pixels, under which an image sent at `size` takes at most `tokens`."""
    return _first(lambda high: image_tokens(replace(processor, min_pixels=1, max_pixels=high), size) > tokens) - 1


def _least_max(processor: Processor, size: Size, tokens: int) -> int:
    return _first(lambda high: image_tokens(replace(processor, min_pixels=1, max_pixels=high), size) >= tokens)


def _greatest_min(processor: Processor, size: Size, tokens: int) -> int:
    def more(low: int) -> bool:
        return image_tokens(replace(processor, min_pixels=low, max_pixels=_LARGEST), size) > tokens

    return _first(more) - 1


def _first(holds: Callable[[int], bool]) -> int:
    """The least number from 1 at which a condition begins to hold that then goes on to hold; _LARGEST for never."""
    low, high = 1, _LARGEST
    while low < high:
        middle = (low + high) // 2
        if holds(middle):
            high = middle
        else:
            low = middle + 1
    return low

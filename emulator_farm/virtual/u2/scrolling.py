"""Methods that move the content of a scrollable view by swiping over it."""

from typing import Any, Literal

from emulator_farm.virtual.boxes import Rect
from emulator_farm.virtual.phone import Phone
from emulator_farm.virtual.widgets import Scroll

from .errors import BadParameters
from .selector import Selector, compound_find
from .session import Method, Session

STEP_MS = 5
FLING_STEPS = 5
SCROLL_STEPS = 55
DEAD_ZONE = 0.1
"""Share of the view at either end where no swipe begins or ends."""
MAX_SWIPES = 30
Way = Literal["forward", "backward"]


def scroll_forward(session: Session, params: list[Any]) -> bool:
    """One swipe towards the end; True while there is more."""
    return _once(session, params, "forward")


def scroll_backward(session: Session, params: list[Any]) -> bool:
    """One swipe towards the beginning; True while there is more."""
    return _once(session, params, "backward")


def fling_forward(session: Session, params: list[Any]) -> bool:
    """A quick swipe towards the end."""
    return _once(session, [*params, FLING_STEPS], "forward")


def fling_backward(session: Session, params: list[Any]) -> bool:
    """A quick swipe towards the beginning."""
    return _once(session, [*params, FLING_STEPS], "backward")


def scroll_to_end(session: Session, params: list[Any]) -> bool:
    """Swipes until the end, or as many as are allowed."""
    return _all(session, params, "forward")


def scroll_to_beginning(session: Session, params: list[Any]) -> bool:
    """Swipes until the beginning, or as many as are allowed."""
    return _all(session, params, "backward")


def fling_to_end(session: Session, params: list[Any]) -> bool:
    """Quick swipes until the end."""
    return _all(session, [*params, FLING_STEPS], "forward")


def fling_to_beginning(session: Session, params: list[Any]) -> bool:
    """Quick swipes until the beginning."""
    return _all(session, [*params, FLING_STEPS], "backward")


def scroll_to_object(session: Session, params: list[Any]) -> bool:
    """Scroll until another view is on the screen; whether it is."""
    match params:
        case [dict() as view, dict() as wanted, bool(vertical)]:
            return scroll_to(session, Selector.parse(view), Selector.parse(wanted), vertical)
    raise BadParameters


def scroll_to(session: Session, view: Selector, wanted: Selector, vertical: bool) -> bool:
    """Look for `wanted` from the beginning of the scrollable `view`; whether it was found."""

    def there() -> bool:
        return compound_find(session.root(), view.then("child", wanted)) is not None

    if there():
        return True
    _repeat(session, view, vertical, "backward", SCROLL_STEPS, MAX_SWIPES)
    for _ in range(MAX_SWIPES):
        if there() or not _swipe(session, view, vertical, "forward", SCROLL_STEPS):
            break
    return there()


def _once(session: Session, params: list[Any], way: Way) -> bool:
    match params:
        case [dict() as view, bool(vertical), int(steps)]:
            return _swipe(session, Selector.parse(view), vertical, way, steps)
    raise BadParameters


def _all(session: Session, params: list[Any], way: Way) -> bool:
    match params:
        case [dict() as view, bool(vertical), int(swipes), int(steps)]:
            return _repeat(session, Selector.parse(view), vertical, way, steps, swipes)
    raise BadParameters


def _repeat(session: Session, view: Selector, vertical: bool, way: Way, steps: int, swipes: int) -> bool:
    return any(not _swipe(session, view, vertical, way, steps) for _ in range(swipes))


def _swipe(session: Session, view: Selector, vertical: bool, way: Way, steps: int) -> bool:
    """Swipe over a view; True where its content moved and can move on. Raises ObjectNotFound."""
    bounds = session.find(view).bounds
    x, y = (bounds.left + bounds.right) // 2, (bounds.top + bounds.bottom) // 2
    if vertical:
        margin = int(bounds.height * DEAD_ZONE)
        low, high = (x, bounds.top + margin), (x, bounds.bottom - margin)
    else:
        margin = int(bounds.width * DEAD_ZONE)
        low, high = (bounds.left + margin, y), (bounds.right - margin, y)
    before = _position(session.phone, bounds)
    start, end = (high, low) if way == "forward" else (low, high)
    session.phone.swipe(*start, *end, steps * STEP_MS)
    after = _position(session.phone, bounds)
    if before is None or after is None or before == after:
        return False
    offset, limit = after
    return offset < limit if way == "forward" else offset > 0


def _position(phone: Phone, bounds: Rect) -> tuple[int, int] | None:
    """How far the scrolling view at these bounds has moved and how far it can, in pixels."""
    active = phone.scene().active
    for box in active.root.walk():
        if isinstance(box.widget, Scroll) and box.visible == bounds and box.scroll_range:
            return active.state.scroll.get(box.widget.state_key, 0), box.scroll_range
    return None


METHODS: dict[str, Method] = {
    "flingBackward": fling_backward,
    "flingForward": fling_forward,
    "flingToBeginning": fling_to_beginning,
    "flingToEnd": fling_to_end,
    "scrollBackward": scroll_backward,
    "scrollForward": scroll_forward,
    "scrollTo": scroll_to_object,
    "scrollToBeginning": scroll_to_beginning,
    "scrollToEnd": scroll_to_end,
}

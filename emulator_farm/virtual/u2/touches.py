"""Methods that touch the screen. A step is 5 ms of phone time; nothing here really waits."""

from typing import Any

from .errors import BadParameters, ObjectNotFound
from .nodes import Node
from .scrolling import STEP_MS
from .session import Method, Session

CLICK_MS = 100
LONG_MS = 600
INSIDE = 5
"""Pixels that a click into a corner stays away from the edge."""


def click(session: Session, params: list[Any]) -> bool:
    """At a point, optionally for some milliseconds; or a target's centre or corner."""
    match params:
        case [int() | float() as x, int() | float() as y]:
            session.phone.swipe(int(x), int(y), int(x), int(y), CLICK_MS)
        case [int() | float() as x, int() | float() as y, int() | float() as milliseconds]:
            session.phone.swipe(int(x), int(y), int(x), int(y), int(milliseconds))
        case [target]:
            session.phone.tap(*session.need(target).centre)
        case [target, str(corner)]:
            session.phone.tap(*_corner(session.need(target), corner))
        case _:
            raise BadParameters
    return True


def long_click(session: Session, params: list[Any]) -> bool:
    """A target's centre or corner, held."""
    match params:
        case [target]:
            x, y = session.need(target).centre
        case [target, str(corner)]:
            x, y = _corner(session.need(target), corner)
        case _:
            raise BadParameters
    session.phone.swipe(x, y, x, y, LONG_MS)
    return True


def _corner(node: Node, corner: str) -> tuple[int, int]:
    rect = node.bounds
    match corner.lower():
        case "tl" | "topleft":
            return rect.left + INSIDE, rect.top + INSIDE
        case "br" | "bottomright":
            return rect.right - INSIDE, rect.bottom - INSIDE
        case _:
            return node.centre


def swipe(session: Session, params: list[Any]) -> bool:
    """Between two points, or over a target in a direction."""
    match params:
        case [x1, y1, x2, y2, int() | float() as steps]:
            start, end = _point(x1, y1), _point(x2, y2)
        case [target, str(direction), int() | float() as steps]:
            start, end = _across(session.need(target), direction, 1.0)
        case [target, str(direction), int() | float() as share, int() | float() as steps]:
            start, end = _across(session.need(target), direction, float(share))
        case _:
            raise BadParameters
    session.phone.swipe(*start, *end, int(steps) * STEP_MS)
    return True


def _point(x: object, y: object) -> tuple[int, int]:
    if isinstance(x, int | float) and isinstance(y, int | float):
        return int(x), int(y)
    raise BadParameters


def _across(node: Node, direction: str, share: float) -> tuple[tuple[int, int], tuple[int, int]]:
    rect, (x, y) = node.bounds, node.centre
    width, height = int(rect.width * share) // 2 - INSIDE, int(rect.height * share) // 2 - INSIDE
    match direction.lower():
        case "u" | "up":
            return (x, y + height), (x, y - height)
        case "d" | "down":
            return (x, y - height), (x, y + height)
        case "l" | "left":
            return (x + width, y), (x - width, y)
        case "r" | "right":
            return (x - width, y), (x + width, y)
        case _:
            raise BadParameters


def swipe_points(session: Session, params: list[Any]) -> bool:
    """Along points, given as x, y, x, y…; steps are for each piece."""
    match params:
        case [[*numbers], int() | float() as steps] if len(numbers) >= 2 and len(numbers) % 2 == 0:
            points = [_point(*numbers[place : place + 2]) for place in range(0, len(numbers), 2)]
        case _:
            raise BadParameters
    phone = session.phone
    if len(points) <= 2:
        phone.swipe(*points[0], *points[-1], int(steps) * STEP_MS)
        return True
    phone.touch_down(*points[0])
    for point in points[1:]:
        phone.touch_move(*point)
    phone.touch_up(*points[-1])
    return True


def drag(session: Session, params: list[Any]) -> bool:
    """Hold a point, then move it."""
    match params:
        case [x1, y1, x2, y2, int() | float() as steps]:
            session.phone.drag(*_point(x1, y1), *_point(x2, y2), int(steps) * STEP_MS)
            return True
    raise BadParameters


def drag_to(session: Session, params: list[Any]) -> bool:
    """Hold a target, then move it to a point or onto another target."""
    match params:
        case [target, int() | float() as x, int() | float() as y, int() | float() as steps]:
            end = (int(x), int(y))
        case [target, dict() as other, int() | float() as steps]:
            end = session.need(other).centre
        case _:
            raise BadParameters
    session.phone.drag(*session.need(target).centre, *end, int(steps) * STEP_MS)
    return True


def inject_input_event(session: Session, params: list[Any]) -> bool:
    """One touch event by its MotionEvent action: 0 down, 1 up, 2 move."""
    match params:
        case [int(action), x, y, int()]:
            point = _point(x, y)
        case _:
            raise BadParameters
    match action:
        case 0:
            session.phone.touch_down(*point)
        case 1:
            session.phone.touch_up(*point)
        case 2:
            session.phone.touch_move(*point)
        case _:
            return False
    return True


def two_fingers(session: Session, params: list[Any]) -> bool:
    """Gesture and pinches: the target must be there, but this phone follows one finger only."""
    match params:
        case [target, *_]:
            if session.look(target) is None:
                raise ObjectNotFound(session.selector(target))
            return True
    raise BadParameters


METHODS: dict[str, Method] = {
    "click": click,
    "drag": drag,
    "dragTo": drag_to,
    "gesture": two_fingers,
    "injectInputEvent": inject_input_event,
    "longClick": long_click,
    "pinchIn": two_fingers,
    "pinchOut": two_fingers,
    "swipe": swipe,
    "swipePoints": swipe_points,
}

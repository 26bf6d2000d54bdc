"""Methods that look: objects, their properties and children. None of them waits."""

from typing import Any

from .errors import BadParameters, ObjectNotFound
from .scrolling import scroll_to
from .selector import Selector
from .session import Method, Session


def exist(session: Session, params: list[Any]) -> bool:
    """Whether a target is on the screen."""
    match params:
        case [target]:
            return session.look(target) is not None
    raise BadParameters


def count(session: Session, params: list[Any]) -> int:
    """How many views match."""
    match params:
        case [dict() as target]:
            return len(session.every(Selector.parse(target)))
    raise BadParameters


def obj_info(session: Session, params: list[Any]) -> dict[str, Any]:
    """The properties of a view."""
    match params:
        case [target]:
            selector = session.selector(target)
            return session.find(selector).info(compound=not selector.simple or isinstance(target, str))
    raise BadParameters


def obj_info_of_all_instances(session: Session, params: list[Any]) -> list[dict[str, Any]]:
    """The properties of every view that matches."""
    match params:
        case [dict() as target]:
            return [node.info(compound=True) for node in session.every(Selector.parse(target))]
    raise BadParameters


def get_ui_object(session: Session, params: list[Any]) -> str:
    """A name for a selector."""
    match params:
        case [dict() as target]:
            return session.remember(Selector.parse(target))
    raise BadParameters


def get_ui_objects(session: Session, params: list[Any]) -> list[str]:
    """The names handed out."""
    return [*session.objects]


def remove_ui_object(session: Session, params: list[Any]) -> None:
    """Forget a name."""
    match params:
        case [str(name)]:
            session.objects.pop(name, None)
        case _:
            raise BadParameters


def get_child(session: Session, params: list[Any]) -> str:
    """A name for a view inside a named one."""
    match params:
        case [str(name), dict() as child]:
            return session.remember(session.selector(name).then("child", Selector.parse(child)))
    raise BadParameters


def get_from_parent(session: Session, params: list[Any]) -> str:
    """A name for a view inside a named one's parent."""
    match params:
        case [str(name), dict() as sibling]:
            return session.remember(session.selector(name).then("sibling", Selector.parse(sibling)))
    raise BadParameters


def child_by_text(session: Session, params: list[Any]) -> str:
    """A name for the child that has a text, itself or in something inside it."""
    return _child(session, params, "text")


def child_by_description(session: Session, params: list[Any]) -> str:
    """The same by content description."""
    return _child(session, params, "description")


def child_by_instance(session: Session, params: list[Any]) -> str:
    """A name for the n-th child that matches a pattern."""
    match params:
        case [dict() as collection, dict() as pattern, int(number)]:
            parent = Selector.parse(collection)
            return session.remember(parent.then("child", Selector.parse(pattern).nth(number)))
    raise BadParameters


def _child(session: Session, params: list[Any], kind: str) -> str:
    match params:
        case [dict() as collection, dict() as pattern, str(words)]:
            holder = session.look(collection)
            scroll = holder is not None and holder.flag("scrollable")
        case [dict() as collection, dict() as pattern, str(words), bool(scroll)]:
            pass
        case _:
            raise BadParameters
    wanted = Selector.parse({"mask": 1 if kind == "text" else 64, kind: words})
    if scroll:
        scroll_to(session, Selector.parse(collection), wanted, vertical=True)
    rows = Selector.parse(collection).then("child", Selector.parse(pattern))
    attribute = "text" if kind == "text" else "content-desc"
    for number, row in enumerate(session.every(rows)):
        if any(node[attribute] == words for node in row.walk()):
            return session.remember(rows.nth(number))
    raise ObjectNotFound(f'for {kind}= "{words}"')


METHODS: dict[str, Method] = {
    "childByDescription": child_by_description,
    "childByInstance": child_by_instance,
    "childByText": child_by_text,
    "count": count,
    "exist": exist,
    "getChild": get_child,
    "getFromParent": get_from_parent,
    "getUiObject": get_ui_object,
    "getUiObjects": get_ui_objects,
    "objInfo": obj_info,
    "objInfoOfAllInstances": obj_info_of_all_instances,
    "removeUiObject": remove_ui_object,
}

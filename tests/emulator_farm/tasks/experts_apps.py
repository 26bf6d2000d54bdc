"""More experts, for the tasks on Messages, Phone, Calendar, Files, Shop, Browser and Camera.

What an expert takes by a name that its goal does not give is a decision; `NEAR_MISSES` says how to decide wrongly.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from experts import expert

from agent_server.ui_tree import Node

if TYPE_CHECKING:
    from person import Person

Pick = Callable[..., tuple[float, Node]]

NEAR_MISSES: dict[str, Mapping[str, object]] = {
    "sms_send": {"to": "Type a name, phone number, or email"},
    "sms_owed_total": {"add": max},
    "note_pickup_code": {"code": r".+"},
    "call_missed_count": {"kind": ""},
    "sms_missed_caller": {"which": -1},
    "event_from_message": {"with_place": False},
    "file_move": {"how": "Copy to…"},
    "file_delete_largest": {"pick": min},
    "shop_cheapest": {"pick": max},
    "shop_order": {"delivery": "Standard"},
    "web_fact": {"number": r"[\d,]{3,}", "which": -1},
    "web_bookmark_warmer": {"pick": min},
    "contact_or_note": {"turned": True},
    "camera_photos": {"extra": 1},
    "zh_door_code": {"row": 0},
}
"""What leads to the nearest wrong thing, by task."""


def nodes(person: Person, name: str) -> list[Node]:
    """The elements with this resource id, from top to bottom."""
    found = [node for node in person.look() if node.bounds.area and node.resource_id.endswith(f"/{name}")]
    return sorted(found, key=lambda node: node.bounds.top)


def starting(person: Person, text: str) -> Node:
    """The element whose label starts so."""
    return person.first(lambda node: node.label.startswith(text), text)


# -- Messages and Phone


@expert('Send the text message "(?P<text>.+)" to (?P<name>[^"]+)')
def sms_send(person: Person, text: str, name: str, to: str = "") -> None:
    person.open("Messages")
    person.tap("Start new conversation")
    if to:
        person.enter(to, "5550100")
        person.tap("Send to 5550100")
    else:
        person.tap(name)
    person.enter("Send message", text)
    person.tap("Send")
    person.finish()


@expert("Delete the conversation with (?P<name>.+) in Messages")
def sms_delete_conversation(person: Person, name: str) -> None:
    person.open("Messages")
    person.go(name, "More options", "Delete", "Delete")
    person.finish()


@expert(
    r"How many euros do I owe (?P<name>.+) in total, according to the text messages\? Answer with the number\.",
)
def sms_owed_total(person: Person, name: str, add: Callable[[list[int]], int] = sum) -> None:
    person.open("Messages")
    person.tap(name)
    person.answer(str(add([int(euros) for euros in re.findall(r"(\d+) euros", "\n".join(person.texts()))])))


@expert(
    "A text message in Messages says that a parcel is ready. Save its pickup code, and nothing else, as the text of a "
    'new note titled "(?P<title>.+)"'
)
def note_pickup_code(person: Person, title: str, code: str = r"\d{6}") -> None:
    person.open("Messages")
    person.tap(starting(person, "Parcel ready"))
    found = re.search(code, starting(person, "Parcel ready").label)
    assert found
    person.open("Notes")
    person.tap("New note")
    person.enter("Title", title)
    person.enter("Note", found[0])
    person.tap("Save")
    person.finish()


def calls(person: Person, kind: str) -> list[str]:
    """Who called, the latest first."""
    names, details = nodes(person, "primary_text"), nodes(person, "secondary_text")
    assert len(names) == len(details)
    return [name.text for name, detail in zip(names, details, strict=True) if detail.text.startswith(kind)]


@expert(
    r"How many missed calls from (?P<name>.+) does the Phone app list under Recents\? Answer with the number\.",
)
def call_missed_count(person: Person, name: str, kind: str = "Missed") -> None:
    person.open("Phone")
    assert len(calls(person, "")) == 9
    person.answer(str(calls(person, kind).count(name)))


@expert('Send the text message "(?P<text>.+)" to the person whose call was missed last')
def sms_missed_caller(person: Person, text: str, which: int = 0) -> None:
    person.open("Phone")
    person.go(calls(person, "Missed")[which], "Send a message")
    person.enter("Send message", text)
    person.tap("Send")
    person.finish()


# -- Calendar


@expert('Create an event titled "(?P<title>.+)" in Calendar whose location is the address that (?P<name>.+) sent by.+')
def event_from_message(person: Person, title: str, name: str, with_place: bool = True) -> None:
    person.open("Messages")
    person.tap(name)
    place = starting(person, "The address is ").label.removeprefix("The address is ")
    person.open("Calendar")
    person.tap("Create new event and more")
    person.enter("Event name", title)
    if with_place:
        person.enter("Location", place)
    person.tap("Save")
    person.finish()


# -- Files


@expert("Move the file (?P<name>.+) from the folder (?P<source>.+) to the folder (?P<target>.+)")
def file_move(person: Person, name: str, source: str, target: str, how: str = "Move to…") -> None:
    person.open("Files")
    person.tap(source)
    person.hold(name)
    person.go("More options", how, "Internal storage", target, how.split()[0])
    person.finish()


@expert("Delete the largest file in the folder (?P<above>.+)/(?P<folder>.+)")
def file_delete_largest(person: Person, above: str, folder: str, pick: Pick = max) -> None:
    person.open("Files")
    person.go(above, folder)
    sizes = [float(re.findall(r"• (\d+) B •", node.text)[0]) for node in nodes(person, "details")]
    _, name = pick(zip(sizes, nodes(person, "title"), strict=True), key=lambda file: file[0])
    person.hold(name.text)
    person.go("Delete", "OK")
    person.finish()


# -- Shop


@expert("Put one piece of the cheapest product of the category (?P<category>.+) into the cart of the Shop app")
def shop_cheapest(person: Person, category: str, pick: Pick = min) -> None:
    person.open("Shop")
    person.tap(category)
    prices = [float(node.text.removeprefix("$")) for node in nodes(person, "product_price")]
    _, product = pick(zip(prices, nodes(person, "product_name"), strict=True), key=lambda each: each[0])
    person.tap(product)
    person.tap("Add to cart")
    person.finish()


@expert(
    r"Order (?P<quantity>\d+) pieces of the product (?P<product>.+) in the Shop app, delivered by express to "
    r"(?P<name>[^,]+), (?P<address>.+)"
)
def shop_order(
    person: Person, quantity: str, product: str, name: str, address: str, delivery: str = "Express, next day"
) -> None:
    person.open("Shop")
    person.go(product, *["More"] * (int(quantity) - 1), "Add to cart", f"Cart, {quantity} items", "Checkout")
    person.enter("Full name", name)
    person.enter("Address", address)
    person.tap(starting(person, delivery))
    person.tap("Place order")
    person.finish()


@expert("Put the product (?P<product>.+) into the cart of the Shop app")
def shop_sold_out(person: Person, product: str) -> None:
    person.open("Shop")
    person.tap(product)
    assert person.see("Sold out")
    person.give_up()


# -- Browser

ARTICLES = {
    "Tarn River": r"\d+ kilometres",
    "Mount Corvel": r"[\d,]+ metres",
    "people": r"[\d,]+ people",
    "year": r"\d{4}",
}


@expert(r"What is (?P<question>.+)\? Look it up in the Open Encyclopedia in the Browser and answer with the number\.")
def web_fact(person: Person, question: str, number: str = "", which: int = 0) -> None:
    person.open("Browser")
    article = next(title for title in ("Tarn River", "Mount Corvel", "Port Ellis") if title in question)
    person.go("Open Encyclopedia", article)
    pattern = number or next(pattern for word, pattern in ARTICLES.items() if word in question)
    text = person.first(lambda node: f"{article} is" in node.text, article).text
    person.answer(re.findall(r"[\d,]+", re.findall(pattern, text)[which])[0])


@expert("Look up the weather in (?P<one>.+) and (?P<two>.+) in the Browser and bookmark the page of the warmer place")
def web_bookmark_warmer(person: Person, one: str, two: str, pick: Callable[..., str] = max) -> None:
    person.open("Browser")
    person.tap("Weather")
    degrees: dict[str, int] = {}
    for place in (one, two):
        person.tap(place)
        degrees[place] = int(re.findall(r"(-?\d+) °C", "\n".join(person.texts()))[0])
        person.tap("Other places")
    person.go(pick(degrees, key=degrees.__getitem__), "Bookmark")
    person.finish()


# -- Several apps, and what the system itself offers


@expert(
    r"If (?P<name>.+) is in Contacts, delete this contact; if not, create a note titled "
    r'"(?P<title>.+)" with the text "(?P<text>.+)"'
)
def contact_or_note(person: Person, name: str, title: str, text: str, turned: bool = False) -> None:
    person.open("Contacts")
    there = person.see(name) is not None
    if there and not turned:
        person.go(name, "More options", "Delete", "Delete")
    elif there or not turned:
        person.open("Notes")
        person.tap("New note")
        person.enter("Title", title)
        person.enter("Note", text)
        person.tap("Save")
    else:
        person.tap(nodes(person, "cliv_name_textview")[0])
        person.go("More options", "Delete", "Delete")
    person.finish()


@expert("Turn on (?P<what>.+) in the quick settings")
def quick_setting_on(person: Person, what: str) -> None:
    person.pull_shade()
    if person.see(what) is None:
        person.pull_shade()
    person.tap(what)
    person.finish()


@expert(r"Take exactly (?P<count>\d+) photos with the Camera app")
def camera_photos(person: Person, count: str, extra: int = 0) -> None:
    person.open("Camera")
    if any(node.label == "Don’t allow" for node in person.look()):
        person.tap("Don’t allow")
    person.go(*["Shutter"] * (int(count) + extra))
    person.finish()

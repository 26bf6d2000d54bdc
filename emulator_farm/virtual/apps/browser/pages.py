"""What a web page is made of, and the built-in web: addresses to pages."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from urllib.parse import parse_qsl, quote_plus, urlsplit


@dataclass(frozen=True)
class Heading:
    """A heading; `level` 1 is the largest."""

    text: str
    level: int = 1


@dataclass(frozen=True)
class Paragraph:
    """Plain text."""

    text: str


@dataclass(frozen=True)
class Link:
    """Text that leads to another address, absolute or from the site's root (`/books`)."""

    text: str
    href: str


@dataclass(frozen=True)
class Input:
    """A field of a form."""

    name: str
    label: str
    required: bool = False
    numeric: bool = False
    multiline: bool = False


@dataclass(frozen=True)
class Select:
    """One of several options; the first is chosen at first."""

    name: str
    label: str
    options: tuple[str, ...]


@dataclass(frozen=True)
class Tick:
    """A check box."""

    name: str
    label: str
    required: bool = False


Field = Input | Select | Tick


@dataclass(frozen=True)
class Form:
    """Fields and a button. `get` forms put the values into the address; the others are kept as submissions."""

    action: str
    fields: tuple[Field, ...]
    button: str
    get: bool = False


Block = Heading | Paragraph | Link | Form


@dataclass(frozen=True)
class Page:
    """A page as shown."""

    title: str
    blocks: tuple[Block, ...]
    found: bool = True


Site = Callable[[str, Mapping[str, str]], Page | None]
"""Gives the page for a path and its query, None where there is none."""


def absolute(href: str, base: str) -> str:
    """The whole address of a link on the page `base`."""
    if "://" in href:
        return href
    parts = urlsplit(base)
    return f"{parts.scheme}://{parts.netloc}{href}"


def typed(text: str) -> str:
    """The address that somebody means who types `text`: itself, or a search for it."""
    text = text.strip()
    if "://" in text:
        return text
    if "." in text and " " not in text:
        return f"https://{text}" if "/" in text else f"https://{text}/"
    return f"https://search.example/?q={quote_plus(text)}"


def shown(url: str) -> str:
    """An address as the bar shows it."""
    return url.removeprefix("https://").removesuffix("/")


def fetch(url: str, sites: Mapping[str, Site]) -> Page:
    """The page at an address; one that says what is wrong where there is none."""
    parts = urlsplit(url)
    host = parts.netloc.removeprefix("www.")
    site = sites.get(host)
    if site is None:
        return Page(
            host or url,
            (
                Heading("This site can’t be reached"),
                Paragraph(f"{host or url}’s server IP address could not be found."),
                Paragraph("ERR_NAME_NOT_RESOLVED"),
            ),
            found=False,
        )
    page = site(parts.path or "/", dict(parse_qsl(parts.query)))
    missing = (Heading("Page not found"), Paragraph(f"There is nothing at {parts.path}."), Link("Home", "/"))
    return page or Page("404 Not Found", missing, found=False)


OFFLINE = Page(
    "No internet",
    (
        Heading("No internet"),
        Paragraph("Try checking the network cables, modem, and router, or reconnecting to Wi-Fi."),
        Paragraph("ERR_INTERNET_DISCONNECTED"),
    ),
    found=False,
)

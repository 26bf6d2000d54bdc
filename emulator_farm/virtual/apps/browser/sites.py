"""The built-in web: start page, search, news, encyclopedia, weather, library, a form. All of it is made up."""

from collections.abc import Iterator, Mapping

from emulator_farm.virtual.apps.browser.pages import (
    Block,
    Form,
    Heading,
    Input,
    Link,
    Page,
    Paragraph,
    Select,
    Site,
    Tick,
)

HOME = "https://start.example/"
_NEWS = (
    ("bridge", "Harbour bridge reopens on Monday", "After 14 months of repairs the harbour bridge opens at 6 in the "
     "morning. The work cost 23 million and used 410 tonnes of steel."),
    ("market", "Night market moves to Mill Square", "The night market will be held on Mill Square from 4 June on, each "
     "Thursday from 17:00 to 23:00, with 62 stalls."),
    ("comet", "Comet visible without a telescope", "Comet Aldana can be seen low in the west until 19 August. It comes "
     "back in 71 years."),
    ("rowing", "Rowers win by half a second", "The women's eight won the river race in 17:42.6, half a second ahead of "
     "the team from Port Ellis."),
)  # fmt: skip
_WIKI = {
    "Tarn_River": ("Tarn River", "The Tarn River is 482 kilometres long and rises at Mount Corvel. It flows through "
                   "Ashby, Lenmore and Port Ellis. Its largest tributary is the Sable.",
                   ("Mount_Corvel", "Port_Ellis")),
    "Mount_Corvel": ("Mount Corvel", "Mount Corvel is 3,118 metres high. It was first climbed in 1874 by Ida Brandt "
                     "and Tomas Weil.", ("Tarn_River", "Ida_Brandt")),
    "Port_Ellis": ("Port Ellis", "Port Ellis is a city of 214,000 people at the mouth of the Tarn River, founded in "
                   "1652. Its university has 18,500 students.", ("Tarn_River",)),
    "Ida_Brandt": ("Ida Brandt", "Ida Brandt (1849–1921) was a surveyor and climber. She drew the first map of the "
                   "Tarn valley in 1881.", ("Mount_Corvel",)),
}  # fmt: skip
_WEATHER = {
    "Ashby": ("Rain", 14, "22 km/h"),
    "Lenmore": ("Cloudy", 17, "9 km/h"),
    "Port Ellis": ("Sunny", 21, "15 km/h"),
    "Corvel Pass": ("Snow", -3, "41 km/h"),
}
_BOOKS = (
    ("101", "The Salt Road", "M. Okonjo", 2016, "On shelf B4"),
    ("102", "A Field Guide to Fog", "Lena Hart", 2009, "On shelf A2"),
    ("103", "Twelve Bridges", "R. Castellan", 1998, "On loan until 3 May"),
    ("104", "The Quiet Engine", "Lena Hart", 2021, "On shelf C7"),
    ("105", "Bread and Clay", "S. Iyer", 2013, "On shelf B1"),
)
BRANCHES = ("Central", "Riverside", "Hilltop")


def _start(path: str, query: Mapping[str, str]) -> Page | None:
    links = (
        Link("Daily Tern – news", "https://news.example/"),
        Link("Open Encyclopedia", "https://wiki.example/"),
        Link("Weather", "https://weather.example/"),
        Link("City Library", "https://library.example/"),
        Link("Tell us what you think", "https://feedback.example/"),
    )
    search = Form("https://search.example/", (Input("q", "Search the web"),), "Search", get=True)
    return Page("Start", (Heading("Start"), search, *links)) if path == "/" else None


def _search(path: str, query: Mapping[str, str]) -> Page | None:
    words = query.get("q", "")
    hits = [(page, url) for url, page in _everything() if all(word in _words(page) for word in words.lower().split())]
    results: list[Block] = []
    for page, url in hits if words.strip() else ():
        results += [Link(page.title, url), Paragraph(url.removeprefix("https://"))]
    form = Form("/", (Input("q", "Search the web"),), "Search", get=True)
    nothing = (Paragraph(f"No results for “{words}”."),) if words else ()
    return Page(f"{words} – Search" if words else "Search", (Heading("Search"), form, *(results or nothing)))


def _news(path: str, query: Mapping[str, str]) -> Page | None:
    if path == "/":
        return Page("Daily Tern", (Heading("Daily Tern"), *(Link(title, f"/{key}") for key, title, _ in _NEWS)))
    for key, title, text in _NEWS:
        if path == f"/{key}":
            return Page(f"{title} – Daily Tern", (Heading(title), Paragraph(text), Link("All news", "/")))
    return None


def _wiki(path: str, query: Mapping[str, str]) -> Page | None:
    if path == "/":
        links = (Link(title, f"/{key}") for key, (title, *_) in _WIKI.items())
        return Page("Open Encyclopedia", (Heading("Open Encyclopedia"), *links))
    article = _WIKI.get(path[1:])
    if article is None:
        return None
    title, text, related = article
    see = tuple(Link(_WIKI[key][0], f"/{key}") for key in related)
    head = (Heading(title), Paragraph(text), Heading("See also", 2))
    return Page(f"{title} – Open Encyclopedia", (*head, *see, Link("All articles", "/")))


def _weather(path: str, query: Mapping[str, str]) -> Page | None:
    if path == "/":
        links = (Link(city, f"/{city.replace(' ', '-')}") for city in _WEATHER)
        return Page("Weather", (Heading("Weather"), *links))
    city = path[1:].replace("-", " ")
    if city not in _WEATHER:
        return None
    sky, degrees, wind = _WEATHER[city]
    facts = (Paragraph(f"{sky}, {degrees} °C"), Paragraph(f"Wind {wind}"), Link("Other places", "/"))
    return Page(f"Weather in {city}", (Heading(city), *facts))


def _library(path: str, query: Mapping[str, str]) -> Page | None:
    if path == "/thanks":
        words = Paragraph("Your book is reserved.")
        return Page("Reserved – City Library", (Heading("Thank you"), words, Link("Catalogue", "/")))
    if path == "/":
        wanted = query.get("q", "").lower()
        books = [book for book in _BOOKS if wanted in f"{book[1]} {book[2]}".lower()]
        form = Form("/", (Input("q", "Title or author"),), "Find books", get=True)
        links = tuple(Link(f"{title} – {author}", f"/book/{number}") for number, title, author, *_ in books)
        return Page("City Library", (Heading("City Library"), form, *(links or (Paragraph("No books found."),))))
    for number, title, author, year, place in _BOOKS:
        facts = (Heading(title), Paragraph(f"{author}, {year}"), Paragraph(place))
        if path == f"/book/{number}":
            return Page(f"{title} – City Library", (*facts, Link("Reserve this book", f"/reserve/{number}")))
        if path == f"/reserve/{number}":
            fields = (
                Input("name", "Your name", required=True),
                Input("card", "Library card number", required=True, numeric=True),
                Select("branch", "Pick up at", BRANCHES),
                Tick("reminder", "Remind me by e-mail"),
            )
            return Page(f"Reserve {title}", (Heading(f"Reserve {title}"), Form("/thanks", fields, "Reserve")))
    return None


def _feedback(path: str, query: Mapping[str, str]) -> Page | None:
    if path == "/thanks":
        return Page("Thank you", (Heading("Thank you"), Paragraph("We read every answer."), Link("Start", HOME)))
    fields = (
        Input("name", "Name", required=True),
        Input("email", "E-mail", required=True),
        Select("rating", "How do you like it?", ("Choose…", "Poor", "Fair", "Good", "Excellent")),
        Input("comments", "Comments", multiline=True),
        Tick("terms", "I agree to the terms", required=True),
    )
    intro = Paragraph("Fields marked with * are needed.")
    return Page("Feedback", (Heading("Feedback"), intro, Form("/thanks", fields, "Send"))) if path == "/" else None


SITES: Mapping[str, Site] = {
    "start.example": _start,
    "search.example": _search,
    "news.example": _news,
    "wiki.example": _wiki,
    "weather.example": _weather,
    "library.example": _library,
    "feedback.example": _feedback,
}
"""Host to site."""


def _everything() -> Iterator[tuple[str, Page]]:
    """What the search looks into: front pages, and all that they link to on their own site."""
    for host, site in SITES.items():
        front = site("/", {}) if host != "search.example" else None
        if front is None:
            continue
        yield f"https://{host}/", front
        for block in front.blocks:
            if isinstance(block, Link) and block.href.startswith("/"):
                page = site(block.href, {})
                if page is not None:
                    yield f"https://{host}{block.href}", page


def _words(page: Page) -> str:
    texts = [block.text for block in page.blocks if isinstance(block, Heading | Paragraph | Link)]
    return " ".join((page.title, *texts)).lower()

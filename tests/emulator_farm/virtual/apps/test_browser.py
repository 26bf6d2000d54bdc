"""Browser by touch: pages, forms, history, bookmarks, and what its database says."""

import json

APP = "org.virtual.browser"
DB = f"/data/data/{APP}/databases/browser.db"


def sql(thumb, statement: str) -> list[str]:
    return thumb.shell("sqlite3", DB, statement).splitlines()


def test_links_and_back(thumb) -> None:
    thumb.open(APP)
    thumb.tap(text="Open Encyclopedia")
    assert thumb.find(id="url_bar").text == "wiki.example"
    thumb.tap(text="Tarn River")
    assert any("482 kilometres" in text for text in thumb.texts())
    web = next(node for node in thumb.nodes() if node.attributes["class"] == "android.webkit.WebView")
    assert web.text == "Tarn River – Open Encyclopedia"
    thumb.tap(text="Mount Corvel")
    thumb.back(2)
    assert thumb.find(id="url_bar").text == "wiki.example"
    thumb.tap(desc="More options")
    thumb.tap(text="Forward")
    assert thumb.find(id="url_bar").text == "wiki.example/Tarn_River"
    assert sql(thumb, "SELECT url, visits FROM history ORDER BY _id") == [
        "https://start.example/|1", "https://wiki.example/|1", "https://wiki.example/Tarn_River|1",
        "https://wiki.example/Mount_Corvel|1",
    ]  # fmt: skip


def test_address_bar(thumb) -> None:
    thumb.open(APP)
    thumb.tap(id="url_bar")
    thumb.type("weather.example/Lenmore")
    thumb.shell("input", "keyevent", "ENTER")
    assert thumb.sees(text="Cloudy, 17 °C")
    thumb.tap(desc="Home")  # a second tap on the bar at once would be a double tap, which selects one word
    thumb.tap(id="url_bar")
    thumb.type("ida brandt map")
    thumb.shell("input", "keyevent", "ENTER")
    thumb.tap(text="Ida Brandt – Open Encyclopedia")
    assert thumb.find(id="url_bar").text == "wiki.example/Ida_Brandt"
    thumb.tap(desc="Home")
    thumb.tap(id="url_bar")
    thumb.type("nowhere.test")
    thumb.shell("input", "keyevent", "ENTER")
    assert thumb.sees(text="ERR_NAME_NOT_RESOLVED")
    thumb.tap(desc="Home")
    assert thumb.find(id="url_bar").text == "start.example"
    assert sql(thumb, "SELECT count(*) FROM history WHERE url LIKE '%nowhere%'") == ["0"]


def test_a_form(thumb) -> None:
    thumb.open(APP)
    thumb.tap(text="City Library")
    thumb.tap(id="q")
    thumb.type("hart")
    thumb.tap(text="Find books")
    assert not thumb.sees(text="The Salt Road – M. Okonjo")
    thumb.tap(text="The Quiet Engine – Lena Hart")
    assert thumb.sees(text="On shelf C7")
    thumb.tap(text="Reserve this book")
    thumb.tap(text="Reserve")
    assert thumb.sees(text="Please fill out this field: Your name")
    thumb.tap(id="name")
    thumb.type("Rosa Lind")
    thumb.tap(id="card")
    thumb.type("40817")
    thumb.back()
    thumb.tap(id="branch")
    thumb.tap(text="Hilltop")
    assert thumb.find(id="branch").text == "Hilltop"
    thumb.tap(id="reminder")
    thumb.tap(text="Reserve")
    assert thumb.sees(text="Your book is reserved.")
    url, fields = sql(thumb, "SELECT url, fields FROM submissions")[0].split("|")
    assert url == "https://library.example/reserve/104"
    assert json.loads(fields) == {"name": "Rosa Lind", "card": "40817", "branch": "Hilltop", "reminder": "on"}


def test_bookmarks_and_history(thumb) -> None:
    thumb.open(APP)
    thumb.tap(text="Weather")
    thumb.tap(desc="Bookmark")
    assert sql(thumb, "SELECT title FROM bookmarks") == ["City Library", "Daily Tern", "Weather"]
    thumb.tap(desc="More options")
    thumb.tap(text="Bookmarks")
    thumb.tap(desc="Remove City Library")
    thumb.tap(text="Daily Tern")
    assert thumb.sees(text="Comet visible without a telescope")
    assert thumb.sees(desc="Remove bookmark")
    thumb.tap(desc="More options")
    thumb.tap(text="History")
    assert thumb.texts("title")[0] == "Daily Tern"
    thumb.tap(text="Clear")
    thumb.tap(text="Clear")
    assert thumb.sees(text="You’ll find your history here")
    assert sql(thumb, "SELECT count(*) FROM history") == ["0"]
    thumb.shell("am", "force-stop", APP)
    assert sql(thumb, "SELECT title FROM bookmarks") == ["Daily Tern", "Weather"]


def test_intents_and_no_network(thumb) -> None:
    thumb.shell("am", "start", "-a", "android.intent.action.VIEW", "-d", "https://news.example/rowing")
    assert thumb.sees(text="Rowers win by half a second")
    thumb.shell("am", "start", "-a", "android.intent.action.WEB_SEARCH", "--es", "query", "night market")
    assert thumb.sees(text="Night market moves to Mill Square – Daily Tern")
    thumb.shell("cmd", "connectivity", "airplane-mode", "enable")
    thumb.tap(desc="Home")
    assert thumb.sees(text="No internet")
    thumb.shell("cmd", "connectivity", "airplane-mode", "disable")
    thumb.tap(desc="More options")
    thumb.tap(text="Refresh")
    assert thumb.sees(text="Tell us what you think")

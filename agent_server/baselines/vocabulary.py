"""The words that mean the same on every phone: English verbs of intent, and the labels that Android's own guidelines
put on buttons. Nothing here belongs to one app.
"""

from __future__ import annotations


def bag(text: str) -> frozenset[str]:
    """The words of a text as a set."""
    return frozenset(text.split())


STOPWORDS = bag(
    "a an the this that these those my your our its it is are was be been am do does did to of in on at for "
    "from with by into onto inside within using via as and or then so please you i me we can could would "
    "should will shall just now there here all any app application page field box s t if when while according "
    "whether up down only turned switched he she they her his their them him many much long make sure need "
    "want let get user users currently current please's called named which whose"
)
"""Words that say nothing about where to tap."""

TOGGLE_VERBS = bag("turn switch toggle enable disable activate deactivate")
CREATE_VERBS = bag("create add make compose schedule register draft insert write record save put")
DELETE_VERBS = bag("delete remove erase discard trash")
EDIT_VERBS = bag("change edit rename update modify replace correct")
SET_VERBS = bag("set adjust increase decrease lower raise choose select pick configure")
START_VERBS = bag("start begin run stop pause resume play cancel dismiss snooze call dial send")
OPEN_VERBS = bag("open launch go navigate show view visit access bring")
FIND_VERBS = bag("find search look locate")
FILL_VERBS = bag("type enter input fill label name title give write call set with save include tap confirm")
"""Verbs that go on with the clause before them: "create … and label it …"."""
ASK_WORDS = bag("what what's which who whose when where how is are does do tell report answer count")

VERBS = (
    TOGGLE_VERBS
    | CREATE_VERBS
    | DELETE_VERBS
    | EDIT_VERBS
    | SET_VERBS
    | START_VERBS
    | OPEN_VERBS
    | FIND_VERBS
    | FILL_VERBS
    | bag("check use click press tap mark read scroll answer tell report count return finish")
)

ON_WORDS = bag("on enable enabled activate activated active enabling")
OFF_WORDS = bag("off disable disabled deactivate deactivated inactive disabling")
STATE_LABELS = bag("on off enabled disabled checked unchecked 开启 关闭")
"""Labels that tell a switch's state, not its name."""

HIGHEST = bag("max maximum highest full fully brightest loudest largest")
LOWEST = bag("min minimum lowest dimmest darkest quietest smallest zero")

ADD_LABELS = bag("add create new compose plus +")
DELETE_LABELS = bag("delete remove trash erase discard bin")
EDIT_LABELS = bag("edit rename modify")
START_LABELS = bag("start begin play run resume")
CONFIRM_LABELS = ("save", "done", "ok", "okay", "apply", "confirm", "set", "finish", "yes", "create", "add", "submit")
"""Best first."""
FORM_WORDS = bag(
    "first last middle full name surname nickname phone mobile number email mail address company job title "
    "label subject body message description text search find type enter write add your a an the optional "
    "required city street zip postal code country website url birthday date time hour minute second username "
    "user note here"
)
"""A field whose text is made of these shows its hint."""
KEEPING = bag("setting preference option configuration")
"""What apps call the page where things are switched and set."""
LARGER = bag("larger bigger higher louder brighter longer more increase")
SMALLER = bag("smaller lower quieter darker dimmer shorter less fewer decrease")
SEARCH_LABELS = bag("search find")
CANCEL_LABELS = bag("cancel close dismiss no back")
UP_LABELS = frozenset({"navigate up", "back", "go back", "close", "cancel", "collapse", "dismiss"})
MORE_LABELS = frozenset(("more options", "more", "options", "menu", "more actions", "overflow", "overflow menu"))
PASS_LABELS = (
    "while using the app",
    "allow",
    "only this time",
    "wait",
    "got it",
    "accept",
    "continue",
    "next",
    "skip",
    "not now",
    "no thanks",
)
"""What lets a person past a prompt that stands in the way, best first."""
RISKY = DELETE_LABELS | bag("reset format wipe uninstall logout signout factory buy pay purchase send erase")
"""Never tapped to explore."""

SYNONYMS: tuple[frozenset[str], ...] = (
    DELETE_LABELS,
    ADD_LABELS,
    EDIT_LABELS | frozenset({"change"}),
    bag("phone mobile telephone tel"),
    bag("email mail"),
    bag("title heading subject name label"),
    bag("body content text description message"),
    bag("about version"),
    bag("about model"),
    bag("about serial"),
    bag("about build"),
    bag("timeout sleep"),
    bag("display screen"),
    bag("picture photo image"),
    bag("search find"),
    bag("launch start begin play resume run"),
    bag("language locale"),
    bag("dark night"),
    bag("sound volume"),
    bag("sound ring"),
)
"""Words that name the same thing on a screen; a synonym counts less than the word itself."""

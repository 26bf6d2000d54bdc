"""Contacts: people in the database behind `content://com.android.contacts`."""

from emulator_farm.virtual.apps.contacts.card import Card
from emulator_farm.virtual.apps.contacts.editor import Editor
from emulator_farm.virtual.apps.contacts.people import People
from emulator_farm.virtual.apps.contacts.store import ContactsStore, store
from emulator_farm.virtual.screen import App, Entry
from emulator_farm.virtual.system import System

_ITEMS = ("content://com.android.contacts/contacts/", "content://contacts/people/")
_LISTS = ("vnd.android.cursor.dir/", "content://com.android.contacts/contacts", "content://contacts/people")


def _ship(system: System) -> None:
    store(system).ship()


APP = App(
    package="com.android.contacts",
    label="Contacts",
    icon="person",
    color=(26, 115, 232),
    apk="/product/priv-app/Contacts/Contacts.apk",
    provision=_ship,
    providers=(ContactsStore,),
    entries=(
        Entry(".activities.PeopleActivity", People, launcher=True),
        Entry(".quickcontact.QuickContactActivity", Card, ("android.intent.action.VIEW",), _ITEMS),
        Entry(
            ".activities.ContactEditorActivity",
            Editor,
            ("android.intent.action.INSERT", "android.intent.action.EDIT"),
            (*_LISTS, *_ITEMS),
        ),
    ),
)

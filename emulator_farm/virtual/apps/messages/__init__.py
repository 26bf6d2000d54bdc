"""Messages: SMS in the database behind `content://sms`."""

from emulator_farm.virtual.apps.messages.conversation import Conversation
from emulator_farm.virtual.apps.messages.listing import Conversations
from emulator_farm.virtual.apps.messages.store import MessageStore, messages
from emulator_farm.virtual.screen import App, Entry
from emulator_farm.virtual.system import System

_VIEW, _SENDTO = "android.intent.action.VIEW", "android.intent.action.SENDTO"


def _ship(system: System) -> None:
    messages(system).ship()


APP = App(
    package="com.android.messaging",
    label="Messages",
    icon="chat",
    color=(26, 115, 232),
    apk="/system/app/messaging/messaging.apk",
    provision=_ship,
    providers=(MessageStore,),
    entries=(
        Entry(".ui.conversationlist.ConversationListActivity", Conversations, launcher=True),
        Entry(".ui.conversation.LaunchConversationActivity", Conversation, (_SENDTO, _VIEW), ("smsto:", "sms:")),
    ),
)

"""Notifications: what apps and `cmd notification post` put into the shade, until somebody takes it away."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from .intents import Intent

SHELL = "com.android.shell"
SHELL_ID = 2020
"""What `cmd notification post` posts as."""


@dataclass(frozen=True)
class Notification:
    """One notification. Package, id and tag together name it: posting the same name again replaces it."""

    package: str
    id: int
    title: str
    text: str
    posted_at: datetime
    tag: str = ""
    uid: int = 2000
    icon: str = "notifications"
    intent: Intent | None = None
    """What a tap on it starts; None = nothing, the tap takes it away all the same."""
    channel: str = "default"
    ongoing: bool = False
    """True where neither a swipe nor "Clear all" takes it away."""

    @property
    def key(self) -> str:
        """The name that `cmd notification list` prints: `user|package|id|tag|uid`."""
        return f"0|{self.package}|{self.id}|{self.tag or 'null'}|{self.uid}"


class Notifications:
    """The notifications of one phone; `changed()` is called after each change."""

    def __init__(self, changed: Callable[[], None]) -> None:
        self._changed = changed
        self._posted: dict[str, Notification] = {}

    def list(self) -> "list[Notification]":
        """All of them, the latest first."""
        return list(reversed(self._posted.values()))

    def find(self, key: str) -> Notification | None:
        """The notification of that name, None where there is none."""
        return self._posted.get(key)

    def post(self, notification: Notification) -> None:
        """Show it; one of the same name goes."""
        self._posted.pop(notification.key, None)
        self._posted[notification.key] = notification
        self._changed()

    def cancel(self, key: str) -> bool:
        """Take one away; False where it is not there."""
        found = self._posted.pop(key, None) is not None
        if found:
            self._changed()
        return found

    def cancel_of(self, package: str) -> None:
        """Take away what a package has posted, as a force stop does."""
        for notification in self.list():
            if notification.package == package:
                self.cancel(notification.key)

    def clear(self) -> None:
        """Take away everything that may go: "Clear all"."""
        for notification in self.list():
            if not notification.ongoing:
                self.cancel(notification.key)

    def reset(self) -> None:
        """None at all."""
        self._posted.clear()
        self._changed()

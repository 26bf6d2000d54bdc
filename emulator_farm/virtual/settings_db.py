"""The three namespaces of Android settings, with a factory state to return to."""

from collections.abc import Callable

from .defaults import FACTORY_SETTINGS

NAMESPACES = ("system", "secure", "global")


class SettingsDb:
    """Text values by namespace and key; `None` means the key is not set."""

    def __init__(self, on_change: Callable[[str, str], None] = lambda namespace, key: None) -> None:
        """`on_change(namespace, key)` is called after each change of a value."""
        self._on_change = on_change
        self._values: dict[str, dict[str, str]] = {}
        self.reset()

    def get(self, namespace: str, key: str) -> str | None:
        """The value, or None where it is not set; raises ValueError for an unknown namespace."""
        return self._of(namespace).get(key)

    def get_int(self, namespace: str, key: str, default: int = 0) -> int:
        """The value as an integer; `default` where it is not set or not a number."""
        try:
            return int(self.get(namespace, key) or default)
        except ValueError:
            return default

    def put(self, namespace: str, key: str, value: str) -> None:
        """Set the value, as `settings put` does."""
        values = self._of(namespace)
        if values.get(key) != value:
            values[key] = value
            self._on_change(namespace, key)

    def delete(self, namespace: str, key: str) -> int:
        """Remove the key; the number of rows removed, 0 or 1."""
        if self._of(namespace).pop(key, None) is None:
            return 0
        self._on_change(namespace, key)
        return 1

    def items(self, namespace: str) -> list[tuple[str, str]]:
        """All keys and values, sorted by key."""
        return sorted(self._of(namespace).items())

    def reset(self) -> None:
        """Back to the factory state."""
        self._values = {name: dict(FACTORY_SETTINGS[name]) for name in NAMESPACES}
        self._on_change("", "")

    def _of(self, namespace: str) -> dict[str, str]:
        try:
            return self._values[namespace]
        except KeyError:
            raise ValueError(
                f"unknown settings namespace {namespace!r}, expected one of {', '.join(NAMESPACES)}"
            ) from None

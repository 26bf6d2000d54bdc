"""Component names, intents and what starting or broadcasting one gives back."""

from dataclasses import dataclass, field
from typing import Literal


@dataclass(frozen=True)
class Component:
    """An activity: package and fully qualified class name."""

    package: str
    activity: str

    @classmethod
    def parse(cls, text: str) -> "Component":
        """Read `pkg/.Cls` or `pkg/full.Cls`; raises ValueError on anything else."""
        package, slash, activity = text.partition("/")
        if not (package and slash and activity):
            raise ValueError(f"not a component name (package/class): {text!r}")
        return cls(package, package + activity if activity.startswith(".") else activity)

    @property
    def short(self) -> str:
        """`pkg/.Cls` where the class is inside the package, else the full form."""
        if self.activity.startswith(self.package + "."):
            return f"{self.package}/{self.activity[len(self.package) :]}"
        return f"{self.package}/{self.activity}"

    def __str__(self) -> str:
        return f"{self.package}/{self.activity}"


@dataclass(frozen=True)
class Intent:
    """The parts of an Android intent that `am` can express and our apps read."""

    action: str = ""
    data: str = ""
    mime_type: str = ""
    package: str = ""
    component: Component | None = None
    categories: tuple[str, ...] = ()
    extras: dict[str, str] = field(default_factory=dict)
    """Every extra as text, whatever its declared type."""


@dataclass(frozen=True)
class StartResult:
    """`not_found` carries no component; the two others name the activity now in front."""

    kind: Literal["started", "brought_to_front", "not_found"]
    component: Component | None = None
    was_running: bool = False
    """True where the process existed already (a warm or hot start)."""


@dataclass(frozen=True)
class BroadcastResult:
    """`code` is 0 where nobody answered, -1 (RESULT_OK) where a receiver did; `data` as `am broadcast` prints it."""

    code: int = 0
    data: str | None = None

"""Open apps: which screens are stacked in which task, which is in front, which processes exist."""

from dataclasses import dataclass, field

from .defaults import LAUNCHER as HOME
from .intents import Component, Intent, StartResult
from .packages import Activity
from .screen import MAIN, Blank, Entry, Screen
from .system import System

OVERVIEW = "RecentsActivity"
FIRST_PID = 1200
_LAUNCH_FLAGS_DATA = "android.intent.category.LAUNCHER"


@dataclass(eq=False)
class Task:
    """One stack of screens, the last one on top."""

    id: int
    package: str
    screens: list[Screen] = field(default_factory=list)

    @property
    def top(self) -> Screen:
        """The screen that shows."""
        return self.screens[-1]


class Tasks:
    """The activity stack of one phone. The home task always exists."""

    def __init__(self, system: System) -> None:
        self._system = system
        system.tasks = self
        self._next_id = 1
        self._next_pid = FIRST_PID
        self.pids: dict[str, int] = {}
        self.stack: list[Task] = []
        """Open tasks, the front one last; the home task is among them."""
        self.restart()

    def restart(self) -> None:
        """Forget every open app, as a reboot does."""
        self.pids.clear()
        self.stack = []
        self.go_home()

    @property
    def front(self) -> Task:
        """The task in front."""
        return self.stack[-1]

    @property
    def screen(self) -> Screen:
        """The resumed screen."""
        return self.front.top

    def recent(self) -> list[Task]:
        """Tasks that the overview lists, the latest first."""
        return [task for task in reversed(self.stack) if task.package != HOME]

    # -- starting

    def resolve(self, intent: Intent) -> list[Activity]:
        """Activities that answer to an intent, exact component first."""
        packages = self._system.packages
        if intent.component is not None:
            return [a for a in packages.activities() if a.component == intent.component]
        if intent.package and not intent.action and not intent.data:
            package = packages.find(intent.package)
            return [a for a in package.activities if a.launcher] if package else []
        return [a for a in packages.activities() if _answers(a, intent)]

    def start(self, intent: Intent) -> StartResult:
        """Start what answers to an intent, or bring its task to the front."""
        found = self.resolve(intent)
        if not found:
            return StartResult("not_found")
        activity = found[0]
        component = activity.component
        running = component.package in self.pids
        if component.package == HOME:
            self.go_home()
            return StartResult("brought_to_front", self.screen.component, running)
        task = self._task(component.package)
        shown = task is not None and any(screen.component == component for screen in task.screens)
        if task is not None and shown and activity.launcher and not intent.data:
            self._to_front(task)
            return StartResult("brought_to_front", task.top.component, running)
        self._pause()
        screen = self._create(component, intent)
        if task is None:
            task = self._new_task(component.package)
        task.screens.append(screen)
        self._to_front(task, pause=False)
        return StartResult("started", component, running)

    def push(self, screen: Screen) -> None:
        """Put a screen on top of the front task."""
        self._pause()
        self.front.screens.append(screen)
        self._system.changed()

    def _create(self, component: Component, intent: Intent) -> Screen:
        app = self._system.apps.get(component.package)
        entry = next((e for e in app.entries if _component(app.package, e) == component), None) if app else None
        if entry is None:
            blank = Blank(self._system, component.package, intent)
            blank.activity = component.activity
            return blank
        extras = {**dict(entry.extras), **intent.extras}
        full = Intent(
            intent.action, intent.data, intent.mime_type, intent.package, component, intent.categories, extras
        )
        screen = entry.screen(self._system, component.package, full)
        screen.activity = entry.name
        return screen

    # -- leaving

    def back(self) -> None:
        """The back key on the screen itself: close popup, ask the screen, then leave it."""
        screen = self.screen
        if not screen.cancel() and not screen.on_back():
            self.finish(screen)
        self._system.changed()

    def finish(self, screen: Screen) -> None:
        """Leave a screen; the root of a task takes it to the background instead, as on Android 12 and later."""
        for task in self.stack:
            if screen not in task.screens:
                continue
            if task.package == HOME:
                break
            if screen is self.screen:
                self._pause()
            if len(task.screens) > 1:
                task.screens.remove(screen)
                if task is self.front:
                    task.top.on_resume()
            elif task is self.front:
                self._to_back(task)
            break
        self._system.changed()

    def go_home(self) -> None:
        """Show the home screen; the task in front stays open behind it."""
        home = self._task(HOME)
        if home is None:
            home = self._new_task(HOME)
            component = self._system.packages.get(HOME).launcher
            assert component is not None
            home.screens.append(self._create(component, Intent(MAIN)))
        else:
            self._pause()
            del home.screens[1:]
            home.top.popup = None
        self._to_front(home, pause=False)

    def overview(self) -> None:
        """Show the open apps; a second time goes to the one used before."""
        home = self._task(HOME)
        assert home is not None
        if self.front is home and len(home.screens) > 1:
            recent = self.recent()
            if recent:
                self._to_front(recent[0])
            return
        self._pause()
        del home.screens[1:]
        home.screens.append(self._create(Component(HOME, f"{HOME}.{OVERVIEW}"), Intent()))
        self._to_front(home, pause=False)

    def show(self, task: Task) -> None:
        """Bring an open task to the front."""
        self._to_front(task)

    def close(self, package: str) -> None:
        """Drop a package's task but keep its process (swiped away in the overview)."""
        self.stack = [task for task in self.stack if task.package != package or package == HOME]
        self._settle()

    def stop(self, package: str) -> None:
        """Kill a package: no task, no process."""
        self.stack = [task for task in self.stack if task.package != package]
        self.pids.pop(package, None)
        self._system.packages.end_once(package)
        self._system.notifications.cancel_of(package)
        self._settle()

    # -- inside

    def _settle(self) -> None:
        if not self.stack or (self._task(HOME) is None):
            self.go_home()
        elif self.front.package != HOME:
            self.front.top.on_resume()
        self._system.changed()

    def _task(self, package: str) -> Task | None:
        return next((task for task in self.stack if task.package == package), None)

    def _new_task(self, package: str) -> Task:
        task = Task(self._next_id, package)
        self._next_id += 1
        if package not in self.pids:
            self.pids[package] = self._next_pid
            self._next_pid += 37
        self.stack.append(task)
        return task

    def _to_front(self, task: Task, pause: bool = True) -> None:
        if pause and self.stack and self.front is not task:
            self._pause()
        self.stack.remove(task)
        self.stack.append(task)
        task.top.on_resume()
        self._system.changed()

    def _to_back(self, task: Task) -> None:
        """Show what lay below the front task, which goes behind the home screen."""
        self.stack.remove(task)
        home = next(index for index, other in enumerate(self.stack) if other.package == HOME)
        self.stack.insert(home, task)
        if self.front.package == HOME:
            self.go_home()
        else:
            self.front.top.on_resume()

    def _pause(self) -> None:
        if self.stack and self.front.screens:
            screen = self.screen
            screen.view.keyboard = False
            if screen.popup is not None:
                screen.popup.view.keyboard = False
            screen.on_pause()


def _component(package: str, entry: Entry) -> Component:
    return Component.parse(f"{package}/{entry.name}")


def _answers(activity: Activity, intent: Intent) -> bool:
    if intent.package and activity.component.package != intent.package:
        return False
    if _LAUNCH_FLAGS_DATA in intent.categories or "android.intent.category.HOME" in intent.categories:
        home = activity.component.package == HOME
        wants_home = "android.intent.category.HOME" in intent.categories
        return activity.launcher and home == wants_home and intent.action in ("", MAIN)
    if intent.action not in activity.actions:
        return False
    subject = intent.mime_type or intent.data
    return not activity.data_prefixes or subject.startswith(activity.data_prefixes)

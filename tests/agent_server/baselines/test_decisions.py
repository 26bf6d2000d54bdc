"""Whatever the screen, the goal and the history: one legal action, on the screen, the same each time."""

from __future__ import annotations

import asyncio
import json
import random
import time
from pathlib import Path
from xml.sax.saxutils import quoteattr

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agent_server.actions import Action, Click, Finished, OpenApp, Press, Scroll, Wait, action_points
from agent_server.baselines import ExplorerPolicy
from agent_server.geometry import Point, Size
from agent_server.policy import Observation
from agent_server.schemas import ActResponse, HistoryTurn, Sampling
from agent_server.ui_tree import Node, parse_ui_tree

CORPUS = Path(__file__).parents[2] / "corpus" / "hierarchies"
HIERARCHIES = sorted(CORPUS.glob("*.xml"))
GOALS = (
    "Open Saved Homes",
    "Turn on Airplane mode and Bluetooth",
    "Create a list named 'X' with the text \"y\"",
    "Delete 'Fern'",
    "Set the volume to 30%",
    "Set an alarm for 7:35 pm",
    "Start a timer for 5 minutes",
    "What is the phone number of Ann Lee?",
    "How many things are on?",
    "Change the name of Ann Lee to 'Bo'",
    "Find 'milk'",
    "Is Wi-Fi on?",
    "Make the font one step smaller",
    "打开蓝牙",
    "",
)


def act(
    goal: str, tree: str | None, size: Size, history: tuple[HistoryTurn, ...] = (), **sampling: object
) -> ActResponse:
    observation = Observation(goal, b"", size, history, ui_tree=tree, sampling=Sampling.model_validate(sampling))
    return asyncio.run(ExplorerPolicy().act(observation))


def turn(reply: ActResponse, step: int) -> HistoryTurn:
    return HistoryTurn(step=step, thought=reply.thought, summary=reply.summary, action=reply.action, raw=reply.raw)


def touched(path: Path, goal: str) -> Node | None:
    """What the explorer touches on a real screen."""
    source = path.read_text("utf-8")
    tree = parse_ui_tree(source)
    assert tree.size is not None
    action = act(goal, source, tree.size).action
    if not isinstance(action, Click):
        return None
    under = [node for node in tree if node.clickable and node.bounds.contains(action.point)]
    return min(under, key=lambda node: node.bounds.area, default=None)


def test_the_corpus_is_there() -> None:
    assert len(HIERARCHIES) >= 9


@pytest.mark.parametrize(
    ("name", "goal", "label"),
    [
        ("app_map_170_nodes.xml", "Open the Saved Homes page", "Saved Homes"),
        ("app_map_170_nodes.xml", "Open the Inbox", "Inbox"),
        ("app_saved_homes_bottom_nav.xml", "Create an account", "Create an account"),
        ("firetv_home_1920x1080.xml", "Open the YouTube app", "YouTube"),
        (
            "flutter_app_multiline_desc.xml",
            "Open the Mandelbrot fractal",
            "Mandelbrot fractal, 2D.",
        ),
        ("home_pixel_api27.xml", "Open the Phone app", "Phone"),
        ("launcher_android4_two_packages.xml", "Open the Browser app", "Browser"),
        ("webview_html_page.xml", "Sign in", "Sign In"),
    ],
)
def test_touches_what_the_goal_names(name: str, goal: str, label: str) -> None:
    node = touched(CORPUS / name, goal)
    assert node is not None
    labels = [below.label for below in node.walk()]
    assert any(label in text for text in labels), labels


def test_switches_a_tile_in_another_script() -> None:
    source = (CORPUS / "systemui_quick_settings_cjk.xml").read_text("utf-8")
    off = act("Turn off 飞行模式", source, Size(320, 439)).action
    assert isinstance(off, Click)
    assert 163 <= off.point.x < 305
    assert act("Turn on 飞行模式", source, Size(320, 439)).action == Finished()


@pytest.mark.parametrize("path", HIERARCHIES, ids=lambda path: path.stem)
@pytest.mark.parametrize("goal", GOALS)
def test_a_decision_on_a_real_screen_is_legal_and_repeatable(path: Path, goal: str) -> None:
    source = path.read_text("utf-8")
    size = parse_ui_tree(source).size
    assert size is not None
    first = act(goal, source, size)
    assert first.action is not None
    assert first.thought
    assert first.summary
    assert all(point.inside(size) for point in action_points(first.action))
    assert json.loads(first.raw)["action"] == first.action.model_dump(mode="json", exclude_none=True)
    assert act(goal, source, size).raw == first.raw
    after = act(goal, source, size, (turn(first, 0),))
    assert act(goal, source, size, (turn(first, 0),)).raw == after.raw


def test_goes_on_to_the_end_on_a_screen_that_never_changes() -> None:
    source = (CORPUS / "app_saved_homes_bottom_nav.xml").read_text("utf-8")
    history: tuple[HistoryTurn, ...] = ()
    for step in range(60):
        reply = act("Turn on the sprinkler", source, Size(1080, 2400), history)
        if isinstance(reply.action, Finished):
            assert reply.action.status == "infeasible"
            return
        history = (*history, turn(reply, step))
    pytest.fail("never gave up")


def test_without_a_tree_it_waits_then_leaves_then_gives_up() -> None:
    history: tuple[HistoryTurn, ...] = ()
    seen: list[Action] = []
    for step in range(7):
        reply = act("Open Garden", None, Size(100, 100), history)
        assert reply.action is not None
        seen.append(reply.action)
        history = (*history, turn(reply, step))
    assert seen[:3] == [Wait()] * 3
    assert seen[3:6] == [Press(key="back")] * 3
    assert isinstance(seen[6], Finished)
    assert seen[6].status == "infeasible"


@pytest.mark.parametrize(
    "tree", ["", "rubbish", "<hierarchy", "<hierarchy rotation='0'></hierarchy>", "ERROR: null root"]
)
def test_an_unreadable_tree_is_like_none(tree: str) -> None:
    reply = act("Open Garden", tree, Size(100, 100))
    assert reply.action == Wait()
    assert "cannot see" in (reply.thought or "")


def test_temperature_varies_the_way_and_nothing_else_does() -> None:
    source = (CORPUS / "app_map_170_nodes.xml").read_text("utf-8")
    size = Size(1080, 2400)
    cold = {act("Look at homes", source, size, seed=seed).raw for seed in range(8)}
    warm = {act("Look at homes", source, size, seed=seed, temperature=2.0).raw for seed in range(15)}
    assert len(cold) == 1
    assert len(warm) > 2
    assert (
        act("Look at homes", source, size, seed=3, temperature=2.0).raw
        == act("Look at homes", source, size, seed=3, temperature=2.0).raw
    )
    several = act("Look at homes", source, size, n=20, temperature=2.0)
    assert len({sample.raw for sample in several.samples}) > 1


ACTIONS: list[Action] = [
    Click(point=Point(3, 4)),
    Press(key="home"),
    Scroll(direction="down"),
    OpenApp(app="A"),
]
RAWS = [
    '{"mark": {}}',
    '{"mark": 3}',
    '{"mark": {"part": 99, "done": [7], "flags": ["entered:0"], "end": "left"}}',
    "{",
]
foreign_turns = st.lists(
    st.builds(
        HistoryTurn,
        thought=st.none() | st.text(max_size=20),
        action=st.none() | st.sampled_from(ACTIONS),
        raw=st.none() | st.text(max_size=30) | st.sampled_from(RAWS),
    ),
    max_size=6,
)


@given(foreign_turns, st.sampled_from(GOALS))
@settings(max_examples=40, deadline=None)
def test_a_history_that_others_wrote_is_read(turns: list[HistoryTurn], goal: str) -> None:
    source = (CORPUS / "home_pixel_api27.xml").read_text("utf-8")
    reply = act(goal, source, Size(1080, 1794), tuple(turns))
    assert reply.action is not None


CLASSES = [
    "EditText",
    "Switch",
    "SeekBar",
    "RadioButton",
    "Button",
    "TextView",
    "LinearLayout",
    "RecyclerView",
    "",
    "X",
]
LABELS = ["", "Save", "OK", "Delete", "1", "7", "00", "AM", "First name", "Ann Lee", "On", "Turn on", "More options"]
LABELS += ["Fern", "5 minutes", "Search", "Volume 30%", "蓝牙", "a\nb 3", "Wi-Fi", "isn't responding", "Add", "<&\"'"]
LABELS += ["Font size", "Make smaller", "hour", "\u200f\u0301", "😀", "Yes", "Stop", "Edit", "Allow", "Page 1 of 3"]
PACKAGES = ["org.a", "com.x.launcher", "com.google.android.permissioncontroller", ""]
FLAGS = ("clickable", "checkable", "checked", "scrollable", "focused", "selected", "long-clickable")


def tree(seed: int) -> str:
    """A hierarchy with any mixture of classes, flags, labels and boxes, sensible or not."""
    dice = random.Random(seed)

    def node(level: int) -> str:
        left, top, right, bottom = (dice.randint(-50, 700) for _ in range(4))
        flags = " ".join(f'{name}="{dice.choice(("true", "false"))}"' for name in FLAGS)
        children = "".join(node(level + 1) for _ in range(dice.randint(0, 3) if level < 4 else 0))
        return (
            f"<node class={quoteattr(dice.choice(CLASSES))} text={quoteattr(dice.choice(LABELS))} {flags} "
            f'content-desc={quoteattr(dice.choice(LABELS))} package="{dice.choice(PACKAGES)}" '
            f'enabled="{dice.choice(("true", "true", "true", "false"))}" '
            f'resource-id="org.a:id/{dice.choice(("hour", "save", "first_name", ""))}" '
            f'bounds="[{left},{top}][{right},{bottom}]">{children}</node>'
        )

    return f'<hierarchy rotation="0">{node(1)}{node(1)}</hierarchy>'


@given(st.integers(0, 2**32), st.sampled_from(GOALS) | st.text(max_size=60), st.integers(1, 800), st.integers(1, 800))
@settings(max_examples=60, deadline=None)
def test_any_screens_and_goal_give_legal_actions(seed: int, goal: str, width: int, height: int) -> None:
    size = Size(width, height)
    history: tuple[HistoryTurn, ...] = ()
    for step, screen in enumerate((seed, seed, seed + 1, seed)):
        reply = act(goal, tree(screen), size, history)
        assert reply.action is not None
        assert all(point.inside(size) for point in action_points(reply.action))
        history = (*history, turn(reply, step))


def test_a_goal_of_any_length_is_decided_in_time() -> None:
    source = (CORPUS / "home_pixel_api27.xml").read_text("utf-8")
    for piece in ("named ", "open Xx ", "A ", "'", "turn on a and ", "1:11 am ", "5 hours ", "+1 1", "the xx of "):
        start = time.process_time()
        assert act((piece * 20_000)[:20_000], source, Size(1080, 1794)).action is not None
        assert time.process_time() - start < 5


def test_a_huge_tree_does_not_hold_up_the_event_loop() -> None:
    row = '<node text="row {0}" clickable="true" enabled="true" bounds="[0,{0}][99,{0}9]" />'
    rows = "".join(row.format(n) for n in range(10_000))
    source = f'<hierarchy rotation="0"><node bounds="[0,0][100,99999]">{rows}</node></hierarchy>'
    observation = Observation("Open row 7000", b"", Size(100, 99_999), ui_tree=source)

    async def both() -> int:
        ticks = 0
        deciding = asyncio.ensure_future(ExplorerPolicy().act(observation))
        while not deciding.done():
            await asyncio.wait([deciding], timeout=0.005)
            ticks += 1
        assert isinstance(deciding.result().action, Click)
        return ticks

    assert asyncio.run(both()) > 3

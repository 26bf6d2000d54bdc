"""UI-Venus: replies as it writes them, well and badly, and the messages it is asked with."""

from __future__ import annotations

import pytest

from agent_server.actions import (
    Answer,
    CallUser,
    Click,
    DoubleClick,
    Drag,
    Finished,
    LongPress,
    OpenApp,
    Press,
    Scroll,
    Type,
    Wait,
)
from agent_server.adapters import CURRENT, ImagePart, PromptInput, PromptSet, TextPart, Turn, adapter_named
from agent_server.errors import Inexpressible
from agent_server.geometry import Point, Size
from agent_server.schemas import ParseError

V10, V15 = adapter_named("ui-venus-1.0"), adapter_named("ui-venus-1.5")
PHONE = Size(1080, 2400)
SQUARE = Size(1000, 1000)


def read(text, adapter=V15, size=SQUARE):
    """On a screen of 1000x1000, units of 1.5 are pixels."""
    return adapter.parse(text, adapter.frame(size).map)


@pytest.mark.parametrize(
    ("inside", "action"),
    [
        ("Click(box=(100, 200))", Click(point=Point(100, 200))),
        ("Click(box=(100.4, 200.6))", Click(point=Point(100, 201))),
        ("Click(box=[100,200])", Click(point=Point(100, 200))),
        ("Click(box='(100,200)')", Click(point=Point(100, 200))),
        ("Click(point=(100, 200))", Click(point=Point(100, 200))),
        ("Click(box=(90,190,110,210))", Click(point=Point(100, 200))),
        ("Click(box=<point>100 200</point>)", Click(point=Point(100, 200))),
        ("Click(box=<|box_start|>(100,200)<|box_end|>)", Click(point=Point(100, 200))),
        ("Click（box=（100，200））", Click(point=Point(100, 200))),
        ("Click(params={'box': (100, 200)})", Click(point=Point(100, 200))),
        ("Click({'box': (100, 200)})", Click(point=Point(100, 200))),
        ("Click(100, 200)", Click(point=Point(100, 200))),
        ("click(box=(100,200))", Click(point=Point(100, 200))),
        ("`Click(box=(100,200))`", Click(point=Point(100, 200))),
        ('{"action": "Click", "box": [100, 200]}', Click(point=Point(100, 200))),
        ('{"action": "Click", "params": {"box": "(100, 200)"}}', Click(point=Point(100, 200))),
        ('{"action": "Click(box=(100,200))"}', Click(point=Point(100, 200))),
        ("I should Click(box=(100,200)) now", Click(point=Point(100, 200))),
        ("Drag('(1, 2)', '(3, 4)')", Drag(start=Point(1, 2), end=Point(3, 4))),
        ("Drag((1, 2), (3, 4))", Drag(start=Point(1, 2), end=Point(3, 4))),
        ("Drag(1, 2, 3, 4)", Drag(start=Point(1, 2), end=Point(3, 4))),
        ("Scroll('(1, 2)', 'down')", Scroll(direction="down", start=Point(1, 2))),
        ("Scroll('up')", Scroll(direction="up")),
        (
            "Scroll(start=(5, 9), end=(5, 2), direction='up/down')",
            Scroll(direction="down", start=Point(5, 9), end=Point(5, 2)),
        ),
        ("Type(content='''a\nb''')", Type(text="a\nb")),
        ('Type(content="""it\'s "b" c""")', Type(text='it\'s "b" c')),
        ("Type(content='''a)", Type(text="''a")),
        ("Type(content='(1, 2) and it's')", Type(text="(1, 2) and it's")),
        ("LongPress(box=(100, 200))", LongPress(point=Point(100, 200))),
        ("DoubleClick(box=(100, 200))", DoubleClick(point=Point(100, 200))),
        ("Drag(start=(1, 2), end=(3, 4))", Drag(start=Point(1, 2), end=Point(3, 4))),
        ("Launch(app='Chrome')", OpenApp(app="Chrome")),
        ("Wait()", Wait()),
        ("Wait", Wait()),
        ("PressBack()", Press(key="back")),
        ("PressBack", Press(key="back")),
        ("PressHome()", Press(key="home")),
        ("PressEnter()", Press(key="enter")),
        ("PressRecent()", Press(key="recents")),
        ("CallUser(content='3 files')", Answer(text="3 files")),
        ("CallUser(content='')", CallUser()),
        ("CallUser()", CallUser()),
        ("Finished(content='')", Finished()),
        ("Finished(content='It's done.')", Finished(text="It's done.")),
    ],
)
def test_actions(inside, action):
    whole = read(f"<think>why</think>\n<action> {inside} </action>\n<conclusion>then</conclusion>")
    assert (whole.action, whole.thought, whole.summary) == (action, "why", "then")
    assert whole.extra_actions == 0


@pytest.mark.parametrize(
    ("inside", "text"),
    [
        ("'hello'", "hello"),
        ('"hello"', "hello"),
        ("'It's Tom's, (really)'", "It's Tom's, (really)"),
        ('"say "hi" to Tom\'s"', 'say "hi" to Tom\'s'),
        ("'print('hi')'", "print('hi')"),
        ("'a\nb'", "a\nb"),
        (r"'a\nb'", "a\nb"),
        (r"'it\'s'", "it's"),
        (r"'\u4f60'", "你"),
        (r"'C:\Users\'", "C:\\Users\\"),
        ("“你好，（世界）”", "你好，（世界）"),
        ("‘it’s’", "it’s"),
        ("'“quoted”，too'", "“quoted”，too"),
        ("'</action>'", "</action>"),
        ("'<think>'", "<think>"),
        ("hello, world", "hello, world"),
        ("''", ""),
    ],
)
def test_text(inside, text):
    assert read(f"<action>Type(content={inside})</action>").action == Type(text=text)


@pytest.mark.parametrize(
    "text",
    [
        "<think>t</think><action>Click(box=(1,2)",
        "<think>t</think><action>Click(box=(1,2)</action>",
        "<think>t</think><action>Click(box=[1,2</action><conclusion>",
        "<think>t<action>Click(box=(1,2))</action>",
        "<think>t<action>Click(box=(1,2))</action><conclusion>c</conclusion>",
        "t</think><action>Click(box=(1,2))</action>",
        "<think>t</think><action>Click(box=(1,2))</action></think>",
        "<think>t<think>t</think></think><action>Click(box=(1,2))</action>",
        "<think><action>Click(box=(7,8))</action></think><action>Click(box=(1,2))</action>",
        "<action>Click(box=(7,8))</action> no </think><action>Click(box=(1,2))</action>",
        "<ACTION>Click(box=(1,2))</ACTION>",
        "<action>Click(box=(1,2))</action><|im_end|>",
        "<action>\n```\nClick(box=(1,2))\n```\n</action>",
        "<|im_start|>assistant\n<think>t</think><action>Click(box=(1,2))</action>",
        "Click(box=(1,2))",
        "Action: Click(box=(1,2))",
        "```json\n{\"action\": \"Click\", \"box\": [1, 2]}\n```",
        "<tool_call>{\"name\": \"Click\", \"arguments\": {\"box\": [1, 2]}}</tool_call>",
    ],
)  # fmt: skip
def test_broken_frames(text):
    assert read(text).action == Click(point=Point(1, 2))


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("<think>t</think>", "malformed"),
        ("<think>maybe <action>Click(box=(1,2))</action> or not</think>", "malformed"),
        ("<think>maybe <action>Click(box=(1,2))</action> or not, I still have to", "malformed"),
        ("<action></action>", "malformed"),
        ("<action>tap the button</action>", "malformed"),
        ("<action>Click()</action>", "malformed"),
        ("<action>Click(box=)</action>", "malformed"),
        ("<action>Click(box=(1))</action>", "malformed"),
        ("<action>Click(box=(a, b))</action>", "malformed"),
        ("<action>Click(box=(1, 2, 3))</action>", "malformed"),
        ("<action>Type()</action>", "malformed"),
        ("<action>Launch(app='')</action>", "malformed"),
        ("<action>Drag(start=(1,2))</action>", "malformed"),
        ("<action>Scroll()</action>", "malformed"),
        ("<action>Scroll(start=(1,2), end=(1,2))</action>", "malformed"),
        ("<action>Scroll(direction='around')</action>", "malformed"),
        ("<action>Click(box=(1001, 2))</action>", "out_of_range"),
        ("<action>Click(box=(-1, -1))</action>", "out_of_range"),
        ("<action>Click(box=(0.5, 0.3))</action>", "out_of_range"),
        ("<action>Hover(box=(1,2))</action>", "unsupported"),
        ("<action>Hotkey(keys=['ctrl', 'c'])</action>", "unsupported"),
        ("<action>Launch(url='https://example.org')</action>", "unsupported"),
        ("<action>Swim(box=(1,2))</action>", "unsupported"),
        ("The answer is Click(box=(1,2)).", "malformed"),
    ],
)
def test_refusals(text, kind):
    parsed = read(text)
    assert parsed.action is None
    assert parsed.parse_error.kind == kind
    assert parsed.parse_error.message


@pytest.mark.parametrize(
    ("call", "scroll"),
    [
        ("Scroll(start=(500, 800), end=(500, 200))", ("down", (500, 800), (500, 200))),
        ("Scroll(start=(500, 800), end=(500, 200), direction='up')", ("down", (500, 800), (500, 200))),
        ("Scroll(start=(200, 500), end=(800, 500), direction='left')", ("left", (200, 500), (800, 500))),
        ("Scroll(start='', end='', direction='up')", ("up", None, None)),
        ("Scroll(direction='Down')", ("down", None, None)),
        ("Scroll(box=(500, 500), direction='down')", ("down", (500, 500), None)),
        ("Scroll(start=(5, 5), end=(5, 5), direction='down')", ("down", (5, 5), None)),
    ],
)
def test_a_path_decides_where_the_view_goes(call, scroll):
    direction, start, end = scroll
    action = read(f"<action>{call}</action>").action
    assert action == Scroll(
        direction=direction, start=Point(*start) if start else None, end=Point(*end) if end else None
    )


@pytest.mark.parametrize(
    ("text", "extra"),
    [
        ("<action>Click(box=(1,2)); Type(content='x')</action>", 1),
        ("<action>Click(box=(1,2))\nType(content='x')\nPressEnter()</action>", 2),
        ("<action>Click(box=(1,2))</action><action>Wait()</action>", 1),
        ("<think>a</think><action>Click(box=(1,2))</action><think>b</think><action>Wait()</action>", 1),
    ],
)
def test_the_first_of_several_counts(text, extra):
    parsed = read(text)
    assert parsed.action == Click(point=Point(1, 2))
    assert parsed.extra_actions == extra


def test_1_0_counts_pixels_of_the_resized_image():
    small, large = V10.frame(PHONE), V10.frame(PHONE, "inclusionAI/UI-Venus-Navi-72B")
    assert small.resized == (644, 1428)
    assert large.resized == (1092, 2408)
    text = "<action>Click(box=(322, 714))</action>"
    assert V10.parse(text, small.map).action == Click(point=Point(540, 1200))
    assert V10.parse(text, large.map).action == Click(point=Point(318, 712))
    assert V10.parse("<action>Click(box=(700, 5))</action>", small.map).parse_error.kind == "out_of_range"


def test_1_5_sends_the_image_as_it_is():
    assert V15.frame(PHONE).resized is None
    assert read("<action>Click(box=(1000, 1000))</action>", size=PHONE).action == Click(point=Point(1079, 2399))


def test_rendering():
    map = V15.frame(SQUARE).map
    assert (
        V15.render(Click(point=Point(5, 6)), map, "why", "then")
        == "<think>why</think>\n<action>Click(box=(5, 6))</action>\n<conclusion>then</conclusion>"
    )
    assert "Scroll(start=(500, 700), end=(500, 300))" in V15.render(Scroll(direction="down"), map)
    assert "Scroll(start=(300, 500), end=(700, 500))" in V15.render(Scroll(direction="left"), map)
    assert "direction='down')" in V10.render(Scroll(direction="down"), V10.frame(SQUARE).map)
    assert r"content='it\'s\n'" in V15.render(Type(text="it's\n"), map)
    assert "CallUser(content='4')" in V15.render(Answer(text="4"), map)


def test_a_scroll_that_the_screen_leaves_no_room_for():
    with pytest.raises(Inexpressible, match="no room"):
        V15.render(Scroll(direction="down", start=Point(500, 0)), V15.frame(SQUARE).map)


RAW = "<think>first\nthis</think>\n<action>Click(box=(5, 6))</action>\n<conclusion>It is open.</conclusion>"
TURNS = [
    Turn(raw=RAW, action=Click(point=Point(8, 10)), has_screenshot=True, size=PHONE),
    Turn(raw="no idea\nat all", parse_error=ParseError(kind="malformed", message="nothing")),
    Turn(action=Press(key="back"), thought="leave"),
    Turn(action=DoubleClick(point=Point(1, 2))),
]


def test_history_of_1_0_is_text_without_conclusions_or_images():
    system, user = V10.messages(PromptInput("buy milk", PHONE, TURNS), PromptSet.load())
    assert (system.role, system.parts) == ("system", (TextPart("You are a helpful assistant."),))
    text, image = user.parts
    assert image == ImagePart(CURRENT)
    assert [line for line in text.text.splitlines() if line.startswith("Step ")] == [
        "Step 0: <think>first this</think><action>Click(box=(5, 6))</action>",
        "Step 1: no idea at all",
        "Step 2: <think>leave</think><action>PressBack()</action>",
        'Step 3: {"type":"double_click","point":[1,2]}',
    ]
    assert "It is open." not in text.text
    assert "buy milk" in text.text


def test_history_of_1_5_is_one_message_with_five_steps():
    (user,) = V15.messages(PromptInput("buy milk", PHONE, TURNS * 2), PromptSet.load())
    assert user.role == "user"
    steps = [line for line in user.parts[0].text.splitlines() if line.startswith("Step ")]
    assert [step.split(":")[0] for step in steps] == ["Step 3", "Step 4", "Step 5", "Step 6", "Step 7"]


@pytest.mark.parametrize("adapter", [V10, V15])
def test_a_limit_of_none_tells_all_and_of_nought_nothing(adapter):
    def told(limit):
        messages = adapter.with_history(limit).messages(PromptInput("g", PHONE, TURNS * 2), PromptSet.load())
        return sum(line.startswith("Step ") for line in messages[-1].parts[0].text.splitlines())

    assert [told(None), told(0), told(3), told(99)] == [8, 0, 3, 8]


def test_a_goal_is_never_a_template():
    (user,) = V15.messages(PromptInput("{{ steps }} {% x %} <b>", PHONE), PromptSet.load())
    assert "{{ steps }} {% x %} <b>" in user.parts[0].text

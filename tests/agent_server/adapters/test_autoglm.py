"""AutoGLM-Phone: replies as it writes them, well and badly, and the messages it is asked with."""

from __future__ import annotations

import pytest

from agent_server.actions import (
    CallUser,
    Click,
    DoubleClick,
    Finished,
    LongPress,
    OpenApp,
    Press,
    Scroll,
    Type,
    Wait,
)
from agent_server.adapters import CURRENT, ImagePart, PromptInput, PromptSet, TextPart, Turn, adapter_named
from agent_server.geometry import Point, Size
from agent_server.schemas import ParseError

ADAPTER = adapter_named("autoglm-phone")
SQUARE = Size(1000, 1000)
PHONE = Size(1080, 2400)
TAP = Click(point=Point(1, 2))


def read(text: str, size: Size = SQUARE):
    return ADAPTER.parse(text, ADAPTER.frame(size).map)


@pytest.mark.parametrize(
    ("inside", "action"),
    [
        ('do(action="Tap", element=[1,2])', TAP),
        ("do(action='Tap', element=[1, 2])", TAP),
        ('do(action="Tap", element=(1, 2))', TAP),
        ('do(action="Tap", element="1,2")', TAP),
        ('do(action="Tap", element=[1.0, 2.0])', TAP),
        ('do(action="Tap", element=[0,0,2,4])', TAP),
        ('do(action="Tap", element=[[0,0],[2,4]])', TAP),
        ('do(action="Tap", element=[1,2], message="重要操作")', TAP),
        ('do(element=[1,2], action="Tap")', TAP),
        ('do("Tap", element=[1,2])', TAP),
        ('do("Tap", [1,2])', TAP),
        ('do({"action": "Tap", "element": [1,2]})', TAP),
        ("do（action=“Tap”，element=[1，2]）", TAP),
        ('Tap(element=[1,2])', TAP),
        ('{"action": "Tap", "element": [1, 2]}', TAP),
        ('do(action="Double Tap", element=[1,2])', DoubleClick(point=Point(1, 2))),
        ('do(action="Long Press", element=[1,2])', LongPress(point=Point(1, 2))),
        ('do(action="LongPress", element=[1,2])', LongPress(point=Point(1, 2))),
        ('do(action="Launch", app="微信")', OpenApp(app="微信")),
        ('do(action="Type", text="hello")', Type(text="hello")),
        ('do(action="Type_Name", text="张三")', Type(text="张三")),
        (
            'do(action="Swipe", start=[5,9], end=[5,2])',
            Scroll(direction="down", start=Point(5, 9), end=Point(5, 2)),
        ),
        ('do(action="Swipe", direction="up", dist="long", element=[1,2])', Scroll(direction="down", start=Point(1, 2))),
        ('do(action="Swipe", direction="left")', Scroll(direction="right")),
        ('do(action="Back")', Press(key="back")),
        ('do(action="Home")', Press(key="home")),
        ('do(action="Wait", duration="5 seconds")', Wait(seconds=5)),
        ('do(action="Wait", duration="2.5 seconds")', Wait(seconds=2.5)),
        ('do(action="Wait", duration="3秒")', Wait(seconds=3)),
        ('do(action="Wait", duration=2)', Wait(seconds=2)),
        ('do(action="Wait", duration="500 ms")', Wait(seconds=0.5)),
        ('do(action="Wait")', Wait()),
        ('do(action="Interact")', CallUser()),
        ('do(action="Take_over", message="请登录")', CallUser(text="请登录")),
        ('finish(message="done")', Finished(text="done")),
        ("finish(message='It's 5 o'clock, (really)')", Finished(text="It's 5 o'clock, (really)")),
        ("finish()", Finished()),
    ],
)  # fmt: skip
def test_actions(inside, action):
    whole = read(f"<think>why</think>\n<answer>{inside}</answer>")
    assert (whole.action, whole.thought, whole.extra_actions) == (action, "why", 0)


@pytest.mark.parametrize(
    ("inside", "text"),
    [
        ('"say "hi" to Tom\'s"', 'say "hi" to Tom\'s'),
        ('"a\nb"', "a\nb"),
        (r'"a\nb"', "a\nb"),
        (r'"a \"b\""', 'a "b"'),
        ('"f(x), g(y)"', "f(x), g(y)"),
        ('"价格：100元，（含税）"', "价格：100元，（含税）"),
        ('"</answer>"', "</answer>"),
        ('""', ""),
        ("“你好”", "你好"),
    ],
)
def test_text(inside, text):
    assert read(f'<answer>do(action="Type", text={inside})</answer>').action == Type(text=text)
    assert read(f'do(action="Type", text={inside})').action == Type(text=text)


@pytest.mark.parametrize(
    "behind",
    [
        ' … "b"', ' then "b")', ' # the "b"', ' and then do(action="Type", text="b")', ', "b"',
        '\nI typed "b".', '\nThen "b")', ' ("b")', '”b”',
    ],
)  # fmt: skip
def test_words_behind_a_call_are_no_part_of_its_text(behind):
    assert read(f'do(action="Type", text="a"){behind}').action == Type(text="a")
    assert read(f'do(action="Type", text="f("x")"){behind}').action == Type(text='f("x")')


@pytest.mark.parametrize("text", ['print("a") and print("b")', 'f("x")', '（"甲"）和（"乙"）', '(say "hi") or "bye"'])
def test_a_bracket_that_the_text_itself_opened_ends_no_call(text):
    assert read(f'do(action="Type", text="{text}")').action == Type(text=text)
    assert read(f'do(action="Type", text="{text}"').action == Type(text=text)


@pytest.mark.parametrize(
    "text",
    [
        '<think>t</think>\n<answer>do(action="Tap", element=[1,2])',
        '<think>t</think><answer>do(action="Tap", element=[1,2]</answer>',
        '<think>t</think><answer>\ndo(action="Tap", element=[1,2])\n</answer>',
        '<think>t<answer>do(action="Tap", element=[1,2])</answer>',
        't</think><answer>do(action="Tap", element=[1,2])</answer>',
        '<think><think>t</think>\n<answer></think><answer>do(action="Tap", element=[1,2])</answer></answer>',
        '<think>t</think>do(action="Tap", element=[1,2])',
        '<think>t</think>\ndo(action="Tap", element=[1,2])</answer>',
        '<think>first do(action="Back")</think><answer>do(action="Tap", element=[1,2])</answer>',
        '用户想要打开微信。我需要点击它。do(action="Tap", element=[1,2])',
        'I tap it: do(action="Tap", element=[1,2])</answer>',
        'I tap it.\ndo(action="Tap", element=[1,2])',
        '```python\ndo(action="Tap", element=[1,2])\n```',
        '<answer>```\ndo(action="Tap", element=[1,2])\n```</answer>',
        '<|begin_of_box|>do(action="Tap", element=[1,2])<|end_of_box|>',
        '<answer><|begin_of_box|>do(action="Tap", element=[1,2])<|end_of_box|></answer>',
        '<tool_call>{"name": "do", "arguments": {"action": "Tap", "element": [1, 2]}}</tool_call>',
        'do(action="Tap", element=[1,2])<|user|>',
        '<answer>Tapping now.</answer>\nSo: do(action="Tap", element=[1,2])',
    ],
)
def test_wrappings(text):
    parsed = read(text)
    assert (parsed.action, parsed.extra_actions) == (TAP, 0)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("", "malformed"),
        ("<think>done, everything is finished</think>", "malformed"),
        ("<answer>The task is finished.</answer>", "malformed"),
        ("<answer></answer>", "malformed"),
        ("I could finish(the task) now, or not.", "malformed"),
        ('I could do(action="Back") or wait.', "malformed"),
        ("do()", "malformed"),
        ("do(invalid syntax)", "malformed"),
        ('do(element=[1,2])', "malformed"),
        ('do(action="Tap")', "malformed"),
        ('do(action="Tap", element=[])', "malformed"),
        ('do(action="Tap", element="the button")', "malformed"),
        ('do(action="Swipe", start=[1,2], end=[1,2])', "malformed"),
        ('do(action="Launch")', "malformed"),
        ('do(action="Wait", duration="x seconds")', "malformed"),
        ('do(action="Note", message="True")', "unsupported"),
        ('do(action="Call_API", instruction="summarise")', "unsupported"),
        ('do(action="Fly", element=[1,2])', "unsupported"),
        ('do(action="Tap", element=[540, 1200])', "out_of_range"),
        ('do(action="Tap", element=[-1, 2])', "out_of_range"),
        ('do(action="Tap", element=[0.5, 0.5])', "out_of_range"),
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_never_done(text, kind):
    parsed = read(text)
    assert parsed.action is None
    assert parsed.parse_error.kind == kind


def test_the_first_of_several_counts():
    parsed = read('<answer>do(action="Tap", element=[1,2])\ndo(action="Back")\nfinish(message="x")</answer>')
    assert (parsed.action, parsed.extra_actions) == (TAP, 2)


def test_the_far_corner():
    corner = read('<answer>do(action="Tap", element=[999,999])</answer>', PHONE).action
    assert corner == Click(point=Point(1079, 2398))


def test_rendering():
    map = ADAPTER.frame(SQUARE).map
    assert (
        ADAPTER.render(Click(point=Point(5, 6)), map, "why", "then")
        == '<think>why</think>\n<answer>do(action="Tap", element=[5,6])</answer>'
    )
    assert 'do(action="Swipe", start=[500,700], end=[500,300])' in ADAPTER.render(Scroll(direction="down"), map)
    assert r'text="say \"hi\"\n")' in ADAPTER.render(Type(text='say "hi"\n'), map)
    assert 'duration="2.5 seconds"' in ADAPTER.render(Wait(seconds=2.5), map)
    assert 'do(action="Take_over", message="")' in ADAPTER.render(CallUser(), map)


TURNS = [
    Turn(raw="<think>t</think>\n<answer>do(action=\"Home\")</answer>", action=Press(key="home"), has_screenshot=True),
    Turn(raw="no idea", parse_error=ParseError(kind="malformed", message="nothing")),
    Turn(action=Press(key="back"), thought="leave"),
]  # fmt: skip


def test_earlier_turns_are_text_and_the_screenshot_is_the_last():
    system, *turns, last = ADAPTER.messages(PromptInput("buy milk", PHONE, TURNS, app="com.shop"), PromptSet.load())
    assert system.role == "system"
    assert "English" in system.parts[0].text
    assert [message.role for message in turns] == ["user", "assistant"] * 3
    assert all(isinstance(part, TextPart) for message in turns for part in message.parts)
    assert turns[0].parts[0].text.startswith("buy milk\n")
    assert [message.parts[0].text for message in turns[1::2]] == [
        '<think>t</think>\n<answer>do(action="Home")</answer>',
        "no idea",
        '<think>leave</think>\n<answer>do(action="Back")</answer>',
    ]
    assert last.parts[0] == ImagePart(CURRENT)
    assert last.parts[1].text.endswith('{"current_app": "com.shop"}')
    assert "com.shop" not in str(turns)
    assert "buy milk" not in str(last)


@pytest.mark.parametrize("limit", [0, 1, None])
def test_the_goal_is_told_whatever_is_left_out(limit):
    chat = ADAPTER.with_history(limit).messages(PromptInput("buy milk", PHONE, TURNS), PromptSet.load())
    assert len(chat) == 2 + 2 * (len(TURNS) if limit is None else limit)
    assert sum("buy milk" in str(message) for message in chat) == 1
    assert "buy milk" in str(chat[1])


def test_a_turn_that_said_nothing_keeps_the_order_of_roles():
    chat = ADAPTER.messages(PromptInput("g", PHONE, [Turn()]), PromptSet.load())
    assert [message.role for message in chat] == ["system", "user", "assistant", "user"]
    assert chat[2].parts[0].text

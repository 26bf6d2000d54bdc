"""Texts out of source that is read and never run."""

from __future__ import annotations

import jinja2
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_server.errors import PromptSourceError
from agent_server.vendor_prompts.excerpt import CompactJson, Excerpt, Hole, Template, escaped, read

SOURCE = '''
import sys
sys.exit("this is never run")
PLAIN = "Do {task} with {{braces}}."
JOINED = "Today: " + today + """
Go.
"""
STRIPPED = ("\\n  a " "b\\n").strip()
def ask(task, steps):
    told = steps if steps else "nothing yet"
    parts = [{"type": "text", "text": f"Do {task} after {told}!"}, {"type": "image"}]
    prompt = "first"
    prompt = f"second {{x}} {task.upper()}"
    return parts
NUMBER = 3
NAMED = today
'''


def excerpt(constant: str, **more: object) -> Excerpt:
    return Excerpt("a.py", constant, **more)


@pytest.mark.parametrize(
    ("wanted", "segments"),
    [
        (excerpt("PLAIN"), ["Do {task} with {{braces}}."]),
        (excerpt("JOINED"), ["Today: ", Hole("today"), "\nGo.\n"]),
        (excerpt("STRIPPED"), ["a b"]),
        (excerpt("prompt"), ["first"]),
        (excerpt("prompt", occurrence=1), ["second {x} ", Hole("task.upper()")]),
        (excerpt("told", path=("else",)), ["nothing yet"]),
        (excerpt("parts", path=(0, "text")), ["Do ", Hole("task"), " after ", Hole("told"), "!"]),
    ],
)
def test_texts(wanted, segments):
    found = read(SOURCE, wanted)
    assert found == segments
    assert [type(one) for one in found] == [type(one) for one in segments]


@pytest.mark.parametrize(
    ("wanted", "words"),
    [
        (excerpt("ABSENT"), "a.py has no text ABSENT: it is assigned 0 times"),
        (excerpt("prompt", occurrence=2), "assigned 2 times"),
        (excerpt("NUMBER"), "no text NUMBER: it is 3"),
        (excerpt("NAMED"), "no text NAMED: it is today"),
        (excerpt("parts", path=(5, "text")), "no text parts.5.text: the value is built otherwise"),
        (excerpt("parts", path=(0, "words")), "built otherwise"),
        (excerpt("PLAIN", path=("else",)), "built otherwise"),
        (excerpt("parts", path=(1, "type", "else")), "built otherwise"),
    ],
)
def test_what_is_not_there(wanted, words):
    with pytest.raises(PromptSourceError, match=words):
        read(SOURCE, wanted)


def test_what_is_no_source():
    with pytest.raises(PromptSourceError, match="no Python source"):
        read("def (:", excerpt("PLAIN"))


def filled(template: Template, files: dict[str, str] | None = None, **values: object) -> str:
    source = template.text({"a.py": SOURCE} | (files or {}))
    return jinja2.Environment(trim_blocks=True, lstrip_blocks=True).from_string(source).render(values)


def test_marks_are_filled_and_doubled_braces_are_single_ones_where_the_vendor_formats():
    asked = Template("t", (excerpt("PLAIN"),), {"{task}": ("{{ goal }}",)}, formatted=True)
    assert filled(asked, goal="it") == "Do it with {braces}."
    raw = Template("t", (excerpt("PLAIN"),))
    assert filled(raw) == "Do {task} with {{braces}}."


def test_holes_are_filled_with_code_and_with_texts_of_the_vendor():
    told = ("{% if steps %}{{ steps }}{% else %}", excerpt("told", path=("else",)), '{% endif %}{{ "" }}')
    asked = Template(
        "t", (excerpt("parts", path=(0, "text")), excerpt("STRIPPED")), {"task": ("{{ goal }}",), "told": told}
    )
    assert filled(asked, goal="{{ it }}", steps="") == "Do {{ it }} after nothing yet!a b"
    assert filled(asked, goal="it", steps="s") == "Do it after s!a b"
    assert filled(Template("t", (excerpt("JOINED"),), {"today": ()})) == "Today: \nGo."


def test_a_file_of_json():
    asked = Template("t", (excerpt("JOINED"),), {"today": (CompactJson("s.json", 1, "required", ["a"]),)})
    text = filled(asked, {"s.json": '{\n "type": "对象", "n": {"{{": 1}}'})
    assert text == 'Today: {"type":"对象","required":["a"],"n":{"{{":1}}\nGo.'
    with pytest.raises(PromptSourceError, match=r"s\.json is no JSON object"):
        asked.text({"a.py": SOURCE, "s.json": "[1]"})


@pytest.mark.parametrize(
    ("template", "words"),
    [
        (Template("t", (excerpt("PLAIN"),), {"{goal}": ("x",)}), "for t has no placeholder {goal}"),
        (Template("t", (excerpt("JOINED"),)), "a placeholder that is not known: today"),
        (Template("t", (excerpt("JOINED"),), {"today": ("x",), "other": ()}), "has no placeholder other"),
        (
            Template("t", (excerpt("JOINED"),), {"today": (excerpt("parts", path=(0, "text")),)}),
            "parts in a.py is no plain text: task",
        ),
    ],
)
def test_recipes_that_do_not_fit_their_source(template, words):
    with pytest.raises(PromptSourceError, match=words):
        template.text({"a.py": SOURCE})


@given(st.text(st.sampled_from("{}%# \na'\\")), st.text(st.sampled_from("{}%#a\n")))
def test_an_escaped_text_renders_to_itself_whatever_follows(before, after):
    environment = jinja2.Environment(trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True)
    written = f"{escaped(before)}{{{{ goal }}}}{escaped(after)}"
    assert environment.from_string(written).render(goal="G") == f"{before}G{after}"

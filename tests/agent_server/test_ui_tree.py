from __future__ import annotations

import re
import time
from pathlib import Path
from xml.sax.saxutils import quoteattr

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_server.errors import InvalidUiTree
from agent_server.geometry import Box, Point, Size
from agent_server.ui_tree import Node, UiTree, parse_ui_tree

CORPUS = Path(__file__).parents[1] / "corpus"
FILES = sorted((CORPUS / "hierarchies").glob("*.xml"))
INDEX = (CORPUS / "README.md").read_text()


def facts(file: Path) -> str:
    """What the index says about a hierarchy: the last cell of its row."""
    return re.search(rf"^\| `{re.escape(file.name)}` \|.*\| (.*) \|$", INDEX, re.MULTILINE)[1]


def number(text: str, before: str) -> int:
    return int(re.search(rf"{before} (\d+)", text)[1])


def listed(text: str, what: str) -> list[tuple[str, Box]]:
    """The labels with their boxes that the index quotes."""
    part = re.search(rf"\b{what}: (.*?)(?:; \w+: |; contains|$)", text)
    quoted = re.findall(r'"((?:[^"])*)" @ \[(-?\d+),(-?\d+)\]\[(-?\d+),(-?\d+)\]', part[1] if part else "")
    return [(label.replace("\\n", "\n"), Box(*map(int, box))) for label, *box in quoted]


def one(source: str | bytes) -> Node:
    (node,) = parse_ui_tree(source)
    return node


def wrapped(inside: str) -> str:
    return f'<hierarchy rotation="0">{inside}</hierarchy>'


# -- real dumps


@pytest.fixture(params=FILES, ids=lambda file: file.stem)
def dump(request) -> tuple[UiTree, str]:
    return parse_ui_tree(request.param.read_bytes()), facts(request.param)


def test_there_are_dumps():
    assert len(FILES) == 9


def test_shape(dump):
    tree, said = dump
    nodes = list(tree)
    assert len(tree) == len(nodes) == int(re.match(r"(\d+) nodes", said)[1])
    assert max(node.depth for node in nodes) == number(said, "max depth")
    assert tree.rotation == number(said, "rotation")
    assert len(tree.roots) == int(re.search(r"(\d+) top-level node", said)[1])
    assert list(tree.packages) == re.findall(r"'([^']+)'", re.search(r"packages \[(.*?)\]", said)[1])
    bounds = re.search(r"root bounds \[(\d+),(\d+)\]\[(\d+),(\d+)\]", said)
    assert tree.roots[0].bounds == Box(*map(int, bounds.groups()))
    assert tree.size == Size(*tree.roots[0].bounds[2:])


def test_flags(dump):
    tree, said = dump
    for flag in ("clickable", "scrollable", "checked", "password"):
        assert sum(getattr(node, flag) for node in tree) == number(said, flag), flag
    focused = re.findall(r"'([^']+)'", re.search(r"focused \[(.*?)\]", said)[1])
    assert [node.class_name for node in tree if node.focused] == focused
    assert sum(node.attributes.get("NAF") == "true" for node in tree) == number(said, "NAF")
    assert sum(node.bounds.area == 0 for node in tree) == number(said, "negative-area bounds")


def test_labels(dump):
    tree, said = dump
    assert sum(bool(node.text) for node in tree) == number(said, "non-empty text")
    assert sum(bool(node.content_desc) for node in tree) == number(said, "with content-desc")
    for what, field in (("texts", "text"), ("descs", "content_desc")):
        for label, bounds in listed(said, what):
            assert any(getattr(node, field).startswith(label) and node.bounds == bounds for node in tree), label
    assert listed(said, "texts") or listed(said, "descs")


def test_document_order(dump):
    tree, _ = dump
    nodes = list(tree)
    assert nodes == [node for root in tree.roots for node in root.walk()]
    for parent in nodes:
        place = nodes.index(parent)
        assert [child.depth for child in parent.children] == [parent.depth + 1] * len(parent.children)
        for child in parent.children:
            assert nodes[place + 1] is child
            place += sum(1 for _ in child.walk())


def test_the_smallest_node_at_a_point(dump):
    tree, _ = dump
    for target in tree:
        if target.bounds.area and target.bounds.contains(target.bounds.centre):
            found = tree.at(target.bounds.centre)
            covering = [node for node in tree if node.bounds.contains(target.bounds.centre)]
            smallest = min(node.bounds.area for node in covering)
            assert found is [node for node in covering if node.bounds.area == smallest][-1]


def test_a_tap_on_a_label_finds_it():
    tree = parse_ui_tree((CORPUS / "hierarchies" / "home_pixel_api27.xml").read_bytes())
    assert tree.at(Point(136, 1571)).text == "Phone"
    assert tree.at(Point(5000, 5000)) is None


def test_a_dump_written_to_the_terminal_ends_with_the_hierarchy():
    text = (CORPUS / "transcripts" / "uiautomator_dump_devtty.txt").read_text()
    assert text.endswith("dumped to: /dev/tty\n")
    assert len(parse_ui_tree(text)) == 12


@pytest.mark.parametrize("name", ["uiautomator_dump_idle_error.txt", "uiautomator_dump_ok.txt"])
def test_a_dump_that_was_none_is_refused_with_what_it_said(name):
    text = (CORPUS / "transcripts" / name).read_text()
    with pytest.raises(InvalidUiTree, match="there is no <hierarchy>") as caught:
        parse_ui_tree(text)
    assert text.strip() in str(caught.value)


@pytest.mark.parametrize("share", [0.05, 0.5, 0.99])
@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_half_a_screen_is_refused(file, share):
    text = file.read_text()
    cut = text[: text.index("<hierarchy") + int(share * (text.rindex("</hierarchy>") - text.index("<hierarchy"))) + 5]
    with pytest.raises(InvalidUiTree, match="cut off after"):
        parse_ui_tree(cut)


# -- nodes


def test_every_attribute():
    node = one(
        wrapped(
            '<node index="3" text="a" resource-id="p:id/x" class="android.widget.CheckBox" package="p" content-desc="d"'
            ' checkable="true" checked="true" clickable="true" enabled="true" focusable="true" focused="true"'
            ' scrollable="true" long-clickable="true" password="true" selected="true" hint="h" bounds="[1,2][30,40]"/>'
        )
    )
    assert (node.index, node.text, node.resource_id, node.class_name) == (3, "a", "p:id/x", "android.widget.CheckBox")
    assert (node.package, node.content_desc, node.bounds, node.depth) == ("p", "d", Box(1, 2, 30, 40), 1)
    flags = "checkable checked clickable enabled focusable focused scrollable long_clickable password selected"
    assert all(getattr(node, flag) is True for flag in flags.split())
    assert node.attributes["hint"] == "h"


def test_a_node_that_says_nothing():
    node = one(wrapped("<node/>"))
    assert (node.text, node.label, node.bounds, node.index, node.enabled) == ("", "", Box(0, 0, 0, 0), 0, False)


def test_the_label_is_the_text_before_the_description():
    assert one(wrapped('<node text="t" content-desc="d"/>')).label == "t"
    assert one(wrapped('<node text="" content-desc="d"/>')).label == "d"


@pytest.mark.parametrize(
    ("kind", "editable"),
    [
        ("android.widget.EditText", True), ("androidx.appcompat.widget.AppCompatEditText", True),
        ("android.widget.MultiAutoCompleteTextView", True), ("android.widget.TextView", False), ("", False),
    ],
)  # fmt: skip
def test_editable(kind, editable):
    assert one(wrapped(f'<node class="{kind}"/>')).editable is editable


@pytest.mark.parametrize(
    ("written", "box"),
    [
        ("[-5,10][20,-30]", Box(-5, 10, 20, -30)), ("[0,0][0,0]", Box(0, 0, 0, 0)), (" [1,2][3,4] ", Box(1, 2, 3, 4)),
        ("", Box(0, 0, 0, 0)), ("[1,2]", Box(0, 0, 0, 0)), ("[a,b][c,d]", Box(0, 0, 0, 0)),
        (f"[1,2][{'9' * 5000},4]", Box(0, 0, 0, 0)),
    ],
)  # fmt: skip
def test_bounds(written, box):
    assert one(wrapped(f'<node bounds="{written}"/>')).bounds == box


def test_a_tag_may_be_the_class():
    assert one(wrapped("<android.widget.Button/>")).class_name == "android.widget.Button"


@pytest.mark.parametrize(
    ("written", "rotation"),
    [("0", 0), ("1", 1), ("3", 3), ("4", 0), ("-1", 3), ("", 0), ("x", 0), ("9" * 5000, 0)],
)
def test_rotation_counts_quarter_turns(written, rotation):
    assert parse_ui_tree(f'<hierarchy rotation="{written}"></hierarchy>').rotation == rotation


@pytest.mark.parametrize("text", ["<hierarchy rotation='2'/>", "<hierarchy rotation='2'></hierarchy>"])
def test_an_empty_hierarchy(text):
    tree = parse_ui_tree(text)
    assert (tree.rotation, tree.roots, len(tree), tree.size, tree.packages) == (2, (), 0, None, ())
    assert tree.at(Point(0, 0)) is None


def test_several_roots():
    window = '<node package="b" bounds="[0,0][10,30]"/>'
    keyboard = '<node package="a" bounds="[0,0][20,20]"><node package="b"/></node>'
    tree = parse_ui_tree(wrapped(window + keyboard))
    assert len(tree.roots) == 2
    assert tree.packages == ("b", "a")
    assert tree.size == Size(20, 30)


def test_of_equal_nodes_the_one_drawn_last_is_at_a_point():
    same = '<node text="under" bounds="[0,0][9,9]"/><node text="over" bounds="[0,0][9,9]"/>'
    assert parse_ui_tree(wrapped(same)).at(Point(4, 4)).text == "over"


def test_comments_and_instructions_are_no_nodes():
    tree = parse_ui_tree(wrapped("<!-- x --><?x y='z'?><node><!-- x --><?x y='z'?><node/></node>"))
    assert len(tree) == 2


# -- what surrounds and spoils the XML


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("WARNING: linker: libfoo.so\r\n", ""),
        ("", "UI hierchary dumped to: /dev/tty\n"),
        ("\ufeff<?xml version='1.0' encoding='UTF-8'?>\r\n", "\r\n"),
        ("<?xml version='1.0' encoding='UTF-16'?>", "\0\0\0"),
        ("Killed & <b>", "</b> <node>"),
    ],
)
def test_text_around_the_xml(before, after):
    assert one(before + wrapped('<node text="x"/>') + after).text == "x"
    assert one((before + wrapped('<node text="é"/>') + after).encode()).text == "é"


@pytest.mark.parametrize(
    ("written", "text"),
    [
        ("&#55357;&#56832;", "😀"),
        ("&#xD83D;&#xDE00;", "😀"),
        ("&#xd83d;&#56832;!", "😀!"),
        ("\ud83d\ude00", "😀"),
        ("&#128512;", "😀"),
        ("a&#55357;b", "ab"),
        ("a\ude00b", "ab"),
        ("&#56832;&#55357;", ""),
        ("a&#10;b&#9;c", "a\nb\tc"),
        ("a&#0;&#x1F;&#11;b", "ab"),
        ("a\x00\x08\x1bb", "ab"),
        ("a&#xFFFF;&#x110000;&#99999999999999;b", "ab"),
        (f"a&#{'9' * 5000};b", "ab"),
        (f"a&#{'0' * 5000}65;b", "aAb"),
        ("&amp;#0; &lt;b&gt; &quot;", '&#0; <b> "'),
    ],
)
def test_characters(written, text):
    assert one(wrapped(f'<node text="{written}"/>')).text == text


def test_bytes_that_are_not_utf_8():
    assert one(b'<hierarchy><node text="a\xff\xc3b"/></hierarchy>').text == "a\ufffd\ufffdb"


# -- refusals


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "it says: nothing"),
        (" \n ", "it says: nothing"),
        ("ERROR: could not get idle state.\n", "it says: ERROR: could not get idle state."),
        ("<html></html>", "there is no <hierarchy>"),
        ("<hierarchy", "cut off after 10 characters"),
        ("<hierarchy rotation='0'><node>", "cut off"),
        ("<hierarchy><node></hierarchy>", "not well-formed"),
        ("<hierarchy><node text='a' text='b'/></hierarchy>", "not well-formed"),
        ("<hierarchy><node text='a & b'/></hierarchy>", "not well-formed"),
        ("<hierarchyx/>", "expected a <hierarchy> element, found <hierarchyx>"),
    ],
)
def test_what_is_no_hierarchy(text, says):
    with pytest.raises(InvalidUiTree, match=re.escape(says)):
        parse_ui_tree(text)


def test_what_it_says_is_kept_short():
    with pytest.raises(InvalidUiTree) as caught:
        parse_ui_tree("x" * 10_000)
    assert len(str(caught.value)) < 300


@pytest.mark.parametrize("inside", ["&c;", "<node text='&c;'/>"])
def test_entities_are_inert(inside, tmp_path):
    secret = tmp_path / "secret"
    secret.write_text("the secret")
    bomb = "".join(f'<!ENTITY {name} "{f"&{inner};" * 100}">' for inner, name in ("ab", "bc"))
    for declared in (f'<!ENTITY a "boom">{bomb}', f'<!ENTITY c SYSTEM "{secret.as_uri()}">'):
        for text in (
            f"<!DOCTYPE hierarchy [{declared}]>{wrapped(inside)}",
            f"<hierarchy><!DOCTYPE hierarchy [{declared}]>{inside}</hierarchy>",
        ):
            with pytest.raises(InvalidUiTree, match="not well-formed") as caught:
                parse_ui_tree(text)
            assert "the secret" not in str(caught.value)
            assert len(str(caught.value)) < 500


@pytest.mark.parametrize("depth", [300, 3_000, 300_000])
def test_excessive_depth_is_refused(depth):
    with pytest.raises(InvalidUiTree):
        parse_ui_tree(wrapped("<node>" * depth + "</node>" * depth))


def test_the_depth_of_any_real_screen_is_read():
    assert len(parse_ui_tree(wrapped("<node>" * 200 + "</node>" * 200))) == 200


def test_a_huge_screen_is_read_in_time():
    text = wrapped("<node text='x' bounds='[0,0][9,9]'/>" * 20_000)
    started = time.monotonic()
    assert len(parse_ui_tree(text)) == 20_000
    assert time.monotonic() - started < 10


ODD = ["<hierarchy", "</hierarchy>", "/>", "<node", "</node>", " text='", "bounds='[1,2][", "&#", "&#x", ";", "&a;"]
ODD += ["<!--", "-->", "<![CDATA[", "]]>", "<?", "?>", "<!DOCTYPE", "\ud800", "\udc00", "\0", ">", "a:b", "'"]


@given(st.lists(st.sampled_from(ODD) | st.text(max_size=5) | st.integers().map(str), max_size=30).map("".join))
def test_no_text_raises_anything_else(text):
    for source in (text, wrapped(text), text.encode(errors="replace"), wrapped(f"<node text='{text}'/>")):
        try:
            tree = parse_ui_tree(source)
        except InvalidUiTree:
            continue
        assert len(tree) == len(list(tree))
        assert tree.rotation in (0, 1, 2, 3)


@given(st.binary(max_size=200))
def test_no_bytes_raise_anything_else(data):
    for source in (data, b"<hierarchy>" + data + b"</hierarchy>"):
        try:
            parse_ui_tree(source)
        except InvalidUiTree:
            continue


VISIBLE = st.characters(exclude_categories=["Cs", "Cc", "Cn"])


@given(st.text(VISIBLE, max_size=30), st.text(VISIBLE, max_size=30))
def test_texts_come_back(text, description):
    escaped = f"<node text={quoteattr(text)} content-desc={quoteattr(description)}/>"
    node = one(wrapped(escaped))
    assert (node.text, node.content_desc) == (text, description)

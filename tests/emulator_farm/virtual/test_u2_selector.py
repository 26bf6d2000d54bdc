"""The two searches of uiautomator2's server over a small tree, and how the server prints a tree."""

from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st
from uiautomator2 import Selector as ClientSelector

from emulator_farm.virtual.hierarchy import HEADER, escape
from emulator_farm.virtual.u2.errors import BadParameters, JavaError
from emulator_farm.virtual.u2.nodes import Node, read, write
from emulator_farm.virtual.u2.selector import Selector, compound_find, find

FLAGS = ("checkable", "checked", "clickable", "enabled", "focusable", "focused", "scrollable", "long-clickable",
         "password", "selected")  # fmt: skip


def _node(text: str, view: str = "android.widget.TextView", inside: str = "", desc: str = "", **on: str) -> str:
    flags = " ".join(f'{name}="{on.get(name.replace("-", "_"), "false")}"' for name in FLAGS)
    return (
        f'<node index="0" text="{escape(text)}" resource-id="" class="{view}" package="a.b" content-desc="{desc}" '
        f'{flags} bounds="[0,0][10,20]">{inside}</node>'
    )


def _tree(inside: str) -> Node:
    return read(f'{HEADER}<hierarchy rotation="0">{_node("", "Root", inside)}</hierarchy>')


def _parse(selector: ClientSelector) -> Selector:
    return Selector.parse(selector)


def _texts(found: Node | None) -> str | None:
    return None if found is None else found["text"]


ROWS = "".join(
    _node("", "android.widget.LinearLayout", _node(f"Title {n}") + _node(f"Summary {n}", desc=f"d{n}")) for n in (1, 2)
)


class TestSearch:
    def test_case_matters_to_one_search_only(self) -> None:
        root = _tree(ROWS)
        for field in ("textContains", "textStartsWith"):
            assert find(root, _parse(ClientSelector(**{field: "title"}))) is None
            assert _texts(find(root, _parse(ClientSelector(**{field: "title"}, instance=1)))) == "Title 2"
        assert find(root, _parse(ClientSelector(text="title 1", instance=0))) is None

    def test_the_search_goes_on_where_the_inner_part_has_no_match(self) -> None:
        root = _tree(ROWS)
        row = ClientSelector(className="android.widget.LinearLayout")
        assert _texts(find(root, _parse(row.clone().child(text="Title 2")))) == "Title 2"
        assert find(root, _parse(row.clone().child(text="Title 3"))) is None
        assert _texts(find(root, _parse(ClientSelector(text="Title 2").sibling(description="d2")))) == "Summary 2"
        assert find(root, _parse(ClientSelector(text="Title 2").sibling(description="d1"))) is None

    def test_instances_are_counted_over_the_whole_search(self) -> None:
        root = _tree(ROWS)
        row = ClientSelector(className="android.widget.LinearLayout")
        inner = [_texts(find(root, _parse(row.clone().child(textContains=" ", instance=n)))) for n in range(5)]
        assert inner == ["Title 1", "Summary 1", "Title 2", "Summary 2", None]
        second = ClientSelector(className="android.widget.LinearLayout", instance=1).child(index=0)
        assert _texts(find(root, _parse(second))) == "Title 2"

    def test_a_sibling_of_the_root_is_nowhere(self) -> None:
        assert find(_tree(ROWS), _parse(ClientSelector(className="Root").sibling(text="Title 1"))) is None

    @given(st.lists(st.text(max_size=4), max_size=8), st.integers(0, 8))
    def test_instances_are_the_matches_in_order(self, texts: list[str], number: int) -> None:
        clean = [text for text in texts if escape(text).find(".") < 0 and "\r" not in text]
        root = _tree("".join(_node(text) for text in clean))
        selector = _parse(ClientSelector(className="android.widget.TextView", instance=number))
        expected = clean[number] if number < len(clean) else None
        assert _texts(compound_find(root, selector)) == expected

    def test_only_fields_in_the_mask_count(self) -> None:
        value = {"mask": 1, "text": "Title 1", "className": "Other"}
        assert _texts(find(_tree(ROWS), Selector.parse(value))) == "Title 1"

    def test_words(self) -> None:
        selector = ClientSelector(className="A", clickable=True, instance=2).child(text="x").sibling(index=1)
        assert str(_parse(selector)) == (
            "UiSelector[INSTANCE=2, CLASS=A, CLICKABLE=true, CHILD=UiSelector[TEXT=x, PARENT=UiSelector[INDEX=1]]]"
        )

    @pytest.mark.parametrize("value", [None, 5, {}, {"mask": "1"}, {"mask": 0x800000, "index": "x"}])
    def test_no_selector(self, value: object) -> None:
        with pytest.raises(BadParameters):
            Selector.parse(value)

    def test_a_pattern_that_is_none(self) -> None:
        with pytest.raises(JavaError, match="PatternSyntaxException"):
            Selector.parse({"mask": 4, "textMatches": "("})


class TestDump:
    @given(st.lists(st.text(max_size=6), max_size=5))
    def test_what_is_printed_reads_back(self, texts: list[str]) -> None:
        root = _tree("".join(_node(text) for text in texts))
        printed = write(root, 1, {}, False, 50)
        document = ElementTree.fromstring(printed)
        assert document.get("rotation") == "1"
        assert [node.get("text") for node in document.iter("node")] == [node["text"] for node in root.walk()]
        assert printed.startswith(f"{HEADER}\r\n<hierarchy")

    def test_hints_belong_to_fields(self) -> None:
        root = _tree(_node("", "android.widget.EditText"))
        printed = ElementTree.fromstring(write(root, 0, {root.bounds: "Search"}, False, 50))
        assert [node.get("hint") for node in printed.iter("node")] == ["", "Search"]

    def test_compressed(self) -> None:
        inside = _node("", "android.widget.FrameLayout", _node("", "android.widget.LinearLayout", _node("deep")))
        kept = _node("", "android.widget.LinearLayout", _node("tap me"), clickable="true")
        printed = ElementTree.fromstring(write(_tree(inside + kept), 0, {}, True, 50))
        assert [node.get("text") for node in printed.iter("node")] == ["", "deep", "", "tap me"]

    def test_nothing(self) -> None:
        assert write(None, 0, {}, False, 50) == f'{HEADER}\r\n<hierarchy rotation="0" />'

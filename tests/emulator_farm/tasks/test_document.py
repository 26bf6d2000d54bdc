"""Files that are no task files, and how YAML is read."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from emulator_farm.errors import CallerError, TaskFileError
from emulator_farm.tasks.document import MAX_BYTES, read_document
from emulator_farm.tasks.spec import load_tasks

Problems = Callable[..., list[str]]
Write = Callable[..., Path]


def test_plain_scalars_are_text_unless_json_says_otherwise(write: Write) -> None:
    path = write("""
        texts: [07:30, on, no, +15550142, 0123, 1_000, .5, 0x1F, 2026-11-30, Null, TRUE, "5", '~', 1e,
                12345678901234567890]
        others: [0, -7, 2.50, 1e3, true, false, null, ~, ]
        <<: merged
        block: |
          two
          lines
    """)
    document = read_document(path)
    assert document.problems == []
    assert document.data == {
        "texts": [
            "07:30",
            "on",
            "no",
            "+15550142",
            "0123",
            "1_000",
            ".5",
            "0x1F",
            "2026-11-30",
            "Null",
            "TRUE",
            "5",
            "~",
            "1e",
            "12345678901234567890",
        ],
        "others": [0, -7, 2.5, 1000.0, True, False, None, None],
        "<<": "merged",
        "block": "two\nlines\n",
    }


def test_lines_are_those_of_keys_and_items(write: Write) -> None:
    document = read_document(write("a:\n  - x\n  - b: 1\n    c:\n      2\n"))
    places = [(), ("a",), ("a", 0), ("a", 1), ("a", 1, "c"), ("a", 1, "missing"), ("a", 7), ("nothing", "here")]
    assert [document.line_of(place) for place in places] == [1, 1, 2, 3, 4, 3, 1, 1]


def test_anchors_may_be_used(write: Write) -> None:
    assert read_document(write("a: &x {b: 1}\nc: *x\n")).data == {"a": {"b": 1}, "c": {"b": 1}}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "tasks.yaml: the file is empty; write at least one task"),
        ("  \n\n", "tasks.yaml: the file is empty; write at least one task"),
        ("# nothing but a comment\n", "tasks.yaml: the file is empty; write at least one task"),
        ("tasks: []\n", "tasks.yaml:1: there is no task in it; write at least one"),
        ("goal: x\n", "tasks.yaml:1: must be a list of tasks, each after a dash, or a mapping with `tasks:`"),
        ("just text\n", "tasks.yaml:1: must be a list of tasks, each after a dash, or a mapping with `tasks:`"),
        ("tasks: 5\n", "tasks.yaml:1: tasks: must be a list of tasks, each after a dash"),
        (
            "tasks:\n  - name: a\n    goal: [b\n",
            "tasks.yaml:4: is not valid YAML: while parsing a flow sequence, "
            "expected ',' or ']', but got '<stream end>'",
        ),
        ("a: b: c\n", "tasks.yaml:1: is not valid YAML: mapping values are not allowed here"),
        ("a: \x07\n", "tasks.yaml:1: is not valid YAML: character U+0007"),
        ("a: *b\n", "tasks.yaml:1: is not valid YAML: found undefined alias 'b'"),
        ("---\na: 1\n---\nb: 1\n", "tasks.yaml:3: is not valid YAML: expected a single document in the stream, "
         "but found another document"),
        ("a: " + "[" * 100 + "\n", "tasks.yaml:1: is not valid YAML: nested deeper than 40 levels"),
        ("&a [*a]\n", "tasks.yaml:1: too much data; do anchors repeat each other?"),
    ],
)  # fmt: skip
def test_a_file_that_is_none_gets_one_clear_line(problems: Problems, text: str, message: str) -> None:
    assert problems(text) == [message]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "- !!python/object/apply:os.system [a]",
            "tasks.yaml:1: task 1: a task must be a mapping of name, goal, app, params, setup, teardown, check, "
            "milestones, changes, reset, max_steps, tags, question, infeasible",
        ),
        (
            "- {name: a, goal: !!timestamp 2026-11-30}",
            "tasks.yaml:1: [0].goal: the YAML tag 'timestamp' is not supported; write plain data",
        ),
        ("- {name: a, goal: b, max_steps: !!int x}", "tasks.yaml:1: [0].max_steps: 'x' is not a number"),
        ('- {name: a, goal: "\\ud83d"}', "tasks.yaml:1: [0].goal: holds half a character (a lone surrogate)"),
        ("- {name: a, goal: b, [x]: 1}", "tasks.yaml:1: [0]: a key must be a plain word"),
        ("- name: a\n  goal: b\n  goal: c", "tasks.yaml:3: [0].goal: appears twice, first on line 2; keep one"),
    ],
)
def test_yaml_beyond_plain_data_is_refused(problems: Problems, text: str, message: str) -> None:
    assert problems(text)[0] == message


def test_anchors_cannot_blow_up_a_file(problems: Problems) -> None:
    levels = [f"l{level}: &l{level} [{', '.join([f'*l{level - 1}'] * 10)}]" for level in range(1, 12)]
    started = time.monotonic()
    assert problems("\n".join(["l0: &l0 x", *levels])) == ["tasks.yaml:1: too much data; do anchors repeat each other?"]
    assert time.monotonic() - started < 10


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    (tmp_path / "latin.yaml").write_bytes(b"- name: a\n  goal: caf\xe9\n")
    (tmp_path / "tasks.txt").write_text("x")
    (tmp_path / "plain").write_text("x")
    (tmp_path / "large.yaml").write_bytes(b"#" * (MAX_BYTES + 1))
    (tmp_path / "folder.yaml").mkdir()
    expected = {
        "missing.yaml": "no such file",
        "latin.yaml": "2: is not UTF-8 text (byte 0xe9)",
        "tasks.txt": "a task file must end in .yaml, .yml, .json or .jsonl, not in '.txt'",
        "plain": "a task file must end in .yaml, .yml, .json or .jsonl",
        "large.yaml": "is larger than 8 MB; split it",
        "folder.yaml": "this is a folder; name a task file in it",
    }
    for name, message in expected.items():
        with pytest.raises(TaskFileError) as caught:
            load_tasks(tmp_path / name)
        assert str(caught.value).removeprefix(f"{tmp_path}/{name}:").strip() == message
        assert isinstance(caught.value, CallerError)


def test_a_file_that_may_not_be_read_says_so(tmp_path: Path) -> None:
    loop = tmp_path / "loop.yaml"
    os.symlink(loop, loop)
    with pytest.raises(TaskFileError, match=r"loop\.yaml: cannot be read: Too many levels of symbolic links"):
        load_tasks(loop)


def test_a_name_that_is_no_file_and_no_suite_lists_the_suites() -> None:
    with pytest.raises(TaskFileError, match=r"^phon: no such file, .* did you mean 'phone'\? known: phone$"):
        load_tasks("phon")


def test_a_byte_order_mark_does_not_count(tmp_path: Path) -> None:
    path = tmp_path / "tasks.yml"
    path.write_bytes(b"\xef\xbb\xbf- {name: a, goal: b}\r\n")
    assert [task.name for task in load_tasks(path)] == ["a"]


def test_emoji_may_be_written_as_two_escapes(write: Write) -> None:
    assert read_document(write('["\\ud83d\\ude42"]', "tasks.json")).data == ["🙂"]


def test_json_is_read_with_its_lines(problems: Problems) -> None:
    assert problems('{"tasks": [\n{"name": "a",\n"goal": 5}\n]}', "tasks.json") == [
        "tasks.json:3: a.goal: is 5, must be text (quote it)"
    ]

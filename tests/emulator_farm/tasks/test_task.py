"""From a spec and a seed to an instance: always the same, complete, and the same after a trip through JSON."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from emulator_farm.errors import InvalidTask
from emulator_farm.tasks.conditions import CHECK_KINDS
from emulator_farm.tasks.spec import TaskInstance, TaskSpec
from emulator_farm.tasks.steps import STEP_KINDS

Load = Callable[..., list[TaskSpec]]

SPEC = TaskSpec(
    name="greet",
    goal="Greet {name} {times} times",
    app="com.example.{word}",
    params={
        "name": {"kind": "generate", "what": "full_name"},
        "times": {"kind": "range", "low": 1, "high": 50},
        "word": {"kind": "generate", "what": "word"},
    },
    setup=({"kind": "shell", "argv": ["log", "{name}", "{times}"]}, {"kind": "stop_app", "package": "a.{word}"}),
    check={"kind": "answer", "number": "{times}"},
    question=True,
)

texts = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), min_size=1, max_size=20)
numbers = st.floats(-1e6, 1e6) | st.integers(-1000, 1000)
namespaces = st.sampled_from(["system", "secure", "global"])
columns = st.dictionaries(st.from_regex(r"[a-z_][a-z0-9_]{0,8}", fullmatch=True), texts, min_size=1, max_size=3)
words = st.from_regex(r"[a-z0-9_.]{1,10}", fullmatch=True)
uris = st.sampled_from(["content://com.android.contacts/data", "content://settings/global"])
files = st.sampled_from(["/sdcard/a.txt", "/sdcard/Download/b c.txt"])
packages = st.sampled_from(["com.android.settings", "com.android.contacts"])


def tagged(kind: str, **fields: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries({"kind": st.just(kind), **fields})


steps = st.one_of(
    tagged("put_setting", namespace=namespaces, key=words, value=texts),
    tagged("delete_setting", namespace=namespaces, key=words),
    tagged("clear_app", package=packages),
    tagged("stop_app", package=packages),
    tagged("open_app", app=texts),
    tagged("add_contact", name=texts, phone=st.none() | texts, email=st.none() | texts),
    tagged("insert_row", uri=uris, values=columns),
    tagged("delete_rows", uri=uris, where=columns),
    tagged("write_file", path=files, text=texts),
    tagged("delete_file", path=files),
    tagged("go_home"),
    tagged("broadcast", action=words, package=st.none() | packages, extras=st.dictionaries(words, texts, max_size=2)),
    tagged("shell", argv=st.builds(lambda name, rest: [name, *rest], words, st.lists(texts, max_size=3))),
)
leaves = st.one_of(
    tagged("setting", namespace=namespaces, key=words, equals=texts),
    tagged("setting", namespace=namespaces, key=words, at_least=numbers),
    tagged("content", uri=uris, where=columns, has=columns),
    tagged("content", uri=uris, has=st.just({"data1": {"digits": "123"}, "x": {"matches": "a+"}}), count=st.just(2)),
    tagged("file", path=files, exists=st.booleans()),
    tagged("file", path=files, matches=st.just(r"\d{2}")),
    tagged("foreground", package=packages, activity=st.none() | texts),
    tagged("screen", text=texts, present=st.booleans()),
    tagged("answer", number=numbers, tolerance=st.floats(0, 10)),
    tagged("answer", fuzzy=texts, threshold=st.floats(0.1, 1)),
    tagged("infeasible"),
)
checks = st.recursive(
    leaves,
    lambda inner: st.one_of(
        tagged("all", checks=st.lists(inner, min_size=1, max_size=3)),
        tagged("any", checks=st.lists(inner, min_size=1, max_size=3)),
        tagged("not", check=inner),
    ),
    max_leaves=6,
)


@given(st.integers(0, 2**63 - 1))
def test_the_same_seed_gives_the_same_instance(seed: int) -> None:
    again = TaskSpec.model_validate_json(SPEC.model_dump_json())
    assert again.instance(seed) == SPEC.instance(seed)


def test_an_instance_is_filled_everywhere() -> None:
    instance = SPEC.instance(5)
    values = SPEC.values(5)
    assert instance.goal == f"Greet {values['name']} {values['times']} times"
    assert instance.app == f"com.example.{values['word']}"
    assert instance.setup[0].model_dump() == {"kind": "shell", "argv": ("log", values["name"], str(values["times"]))}
    assert instance.check is not None
    assert instance.check.model_dump()["number"] == values["times"]
    assert (instance.task, instance.seed, instance.group_id) == ("greet", 5, "greet-5")


def test_seeds_vary_what_is_drawn() -> None:
    assert len({SPEC.instance(seed).goal for seed in range(50)}) > 45


@given(st.lists(steps, max_size=4), st.lists(steps, max_size=2), st.none() | checks)
def test_an_instance_survives_json(setup: list[Any], teardown: list[Any], check: Any) -> None:
    instance = TaskInstance.model_validate(
        {"task": "t", "seed": 1, "goal": "g", "setup": setup, "teardown": teardown, "check": check, "tags": ["easy"]}
    )
    assert TaskInstance.model_validate_json(instance.model_dump_json()) == instance
    assert TaskInstance.model_validate(instance.model_dump(mode="json")) == instance


def test_the_strategies_cover_every_kind() -> None:
    drawn = set(re.findall(r'^    tagged\("(\w+)"', Path(__file__).read_text(), re.MULTILINE))
    assert drawn | {"all", "any", "not"} == set(STEP_KINDS) | set(CHECK_KINDS)


def test_the_digest_is_of_what_the_task_means(load: Load) -> None:
    text = "- {name: a, goal: g, params: {x: [p, q]}, check: {answer: {exact: '{x}'}}}\n"
    (task,) = load(text)
    (elsewhere,) = load(f"# moved\n\n{text}", "other.yaml")
    assert (task.file, task.line) != (elsewhere.file, elsewhere.line)
    assert task.digest == elsewhere.digest
    assert len(task.digest) == 64
    for change in (
        {"goal": "h"},
        {"max_steps": 31},
        {"tags": ("x",)},
        {"params": {"x": {"kind": "choice", "of": ["p"]}}},
    ):
        assert task.model_copy(update=change).digest != task.digest


def test_parameters_that_make_no_task_are_named_with_their_seed() -> None:
    no_value = TaskSpec(
        name="t", goal="{a}", params={"a": {"kind": "lookup", "key": "x", "table": {"y": 1}}}, file="f.yaml", line=3
    )
    with pytest.raises(InvalidTask, match=r"^f\.yaml:3: t\.params: with seed 4: the table has no entry 'x', only 'y'$"):
        no_value.instance(4)
    no_package = TaskSpec(name="t", goal="g", setup=({"kind": "stop_app", "package": "x"},), file="f.yaml")
    with pytest.raises(InvalidTask, match=r"^f\.yaml:1: t\.instance: with seed 4: .*'x' is not a package name"):
        no_package.instance(4)


@pytest.mark.parametrize("seed", [-1, 2**63])
def test_a_seed_is_a_whole_number_of_63_bits(seed: int) -> None:
    with pytest.raises((InvalidTask, ValidationError)):
        SPEC.instance(seed)


def test_an_instance_cannot_be_changed() -> None:
    with pytest.raises(ValidationError):
        SPEC.instance(1).goal = "other"


def test_a_task_says_how_clean_a_phone_it_needs(load: Load, problems: Callable[..., list[str]]) -> None:
    text = "- {name: a, goal: b, reset: snapshot}"
    assert load(text)[0].instance(7).reset == "snapshot"
    assert load("- {name: a, goal: b}")[0].instance(7).reset is None
    (said,) = problems(text.replace("snapshot", "recycle"))
    assert said == "tasks.yaml:1: a.reset: is 'recycle', must be one of 'home', 'apps' or 'snapshot'"

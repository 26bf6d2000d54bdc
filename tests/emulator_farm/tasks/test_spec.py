"""Reading task files: what is understood, and everything that is wrong in one go."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from emulator_farm.errors import TaskFileError
from emulator_farm.tasks.conditions import AllOf, Answer, Infeasible, Setting
from emulator_farm.tasks.spec import TaskSpec, derived_name, load_tasks
from emulator_farm.tasks.steps import ClearApp, GoHome, Shell

Load = Callable[..., list[TaskSpec]]
Problems = Callable[..., list[str]]

FULL = """
    tasks:
      - name: brightness
        goal: Set the brightness to {level}
        app: com.android.settings
        params:
          level: [10, 20]
        setup:
          - clear_app: com.android.settings
          - put_setting: {namespace: system, key: screen_brightness, value: 100}
          - shell: [log, "level {level}"]
          - go_home
        teardown:
          - delete_setting: {namespace: system, key: screen_brightness}
        check:
          all:
            - setting: {namespace: system, key: screen_brightness, equals: "{level}"}
            - not:
                any:
                  - screen: {text: "{level} is bad"}
                  - file: {path: "/sdcard/{level}.txt", exists: true}
            - setting: {namespace: system, key: screen_brightness, at_least: "{level}", at_most: 20}
        max_steps: 12
        tags: [easy, settings]
"""


def test_a_full_task_is_understood(load: Load) -> None:
    (task,) = load(FULL)
    instance = task.instance(3)
    level = instance.goal.removeprefix("Set the brightness to ")
    assert level in ("10", "20")
    assert instance.setup[0] == ClearApp(package="com.android.settings")
    assert instance.setup[2] == Shell(argv=("log", f"level {level}"))
    assert instance.setup[3] == GoHome()
    assert isinstance(instance.check, AllOf)
    assert instance.check.checks[0] == Setting(namespace="system", key="screen_brightness", equals=level)
    assert instance.check.checks[2] == Setting(
        namespace="system", key="screen_brightness", at_least=float(level), at_most=20.0
    )
    assert (instance.max_steps, instance.tags, instance.app) == (12, ("easy", "settings"), "com.android.settings")
    assert (instance.question, instance.infeasible) == (False, False)


def test_a_list_without_tasks_and_a_task_without_a_check_will_do(load: Load) -> None:
    (task,) = load("- name: look\n  goal: Look around\n")
    assert task.instance(0).check is None
    assert task.max_steps == 30


def test_questions_and_infeasible_tasks_are_known_by_their_check(load: Load) -> None:
    question, infeasible, implied, negated = load("""
        - {name: q, goal: "How many?", check: {answer: {number: 3}}}
        - {name: i, goal: Fly, check: infeasible}
        - {name: j, goal: Fly, infeasible: true}
        - {name: n, goal: Do not fly, check: {not: infeasible}}
    """)
    assert (question.question, question.infeasible) == (True, False)
    assert question.instance(0).check == Answer(number=3)
    assert (infeasible.question, infeasible.infeasible) == (False, True)
    assert implied.instance(0).check == Infeasible()
    assert implied.infeasible
    assert not negated.infeasible


def test_everything_wrong_is_told_at_once(problems: Problems) -> None:
    found = problems("""
        suite: x
        tasks:
          - name: add_contact
            goal: Add {name}, {foo} { bar }
            params:
              name: {generate: full_name}
              phone: {generate: phon}
              unused: [a, b]
              n: {range: [9, 2]}
            setup:
              - put_setting: {namespace: globl, key: a, value: true}
              - go_hme
              - shell: [rm, "{phone}", "{n}"]
            check:
              all:
                - content: {uri: "content://x/y", has: {data1: {digits: "{phone}"}, data3: {matchs: x}}}
                - not:
                    screen: {txt: b}
                - settings: {a: b}
                - file: {path: a/b, matches: "("}
            max_steps: 0
            tag: [a]
          - goal: 5
            name: add_contact
            check: infeasible
            question: true
          - name: A-b
            goal: ""
            max_steps: "3"
            tags: easy
    """)
    assert found == [line.strip() for line in EVERYTHING.strip().splitlines()]


EVERYTHING = """
tasks.yaml:1: suite: unknown field 'suite'; known: tasks
tasks.yaml:4: add_contact.goal: '{ bar }' is no placeholder; write {name} without spaces or signs
tasks.yaml:4: add_contact.goal: {foo} has no value; add 'foo' under params, or write {{foo}} for the text itself \
(known: name, phone, unused, n)
tasks.yaml:7: add_contact.params.phone.generate: is 'phon', must be one of 'first_name', 'last_name', 'full_name', \
'phone', 'email' or 'word'
tasks.yaml:8: add_contact.params.unused: is never used; write {unused} somewhere or remove it
tasks.yaml:9: add_contact.params.n.range: low 9 is above high 2; swap them
tasks.yaml:11: add_contact.setup[0].put_setting.namespace: is 'globl', must be one of 'system', 'secure' or 'global'
tasks.yaml:11: add_contact.setup[0].put_setting.value: is true, which phones do not store; write "1" or "0", or quote it
tasks.yaml:12: add_contact.setup[1].go_hme: unknown step 'go_hme'; did you mean 'go_home'? known: put_setting, \
delete_setting, clear_app, stop_app, open_app, add_contact, insert_row, delete_rows, write_file, delete_file, go_home, \
broadcast, shell
tasks.yaml:16: add_contact.check.all[0].content.has.data3.matchs: unknown field 'matchs'; did you mean 'matches'? \
known: matches, digits
tasks.yaml:18: add_contact.check.all[1].not.screen.txt: unknown field 'txt'; did you mean 'text'? \
known: text, desc, id, present
tasks.yaml:19: add_contact.check.all[2].settings: unknown check 'settings'; did you mean 'setting'? known: all, any, \
not, setting, content, file, foreground, screen, answer, infeasible
tasks.yaml:20: add_contact.check.all[3].file.path: 'a/b' is not the absolute path of a file on the phone, like \
/sdcard/Download/a.txt
tasks.yaml:20: add_contact.check.all[3].file.matches: '(' is not a regular expression: missing ), unterminated \
subpattern at position 0
tasks.yaml:21: add_contact.max_steps: is 0, must be greater than or equal to 1
tasks.yaml:22: add_contact.tag: unknown field 'tag'; did you mean 'tags'? known: name, goal, app, params, setup, \
teardown, check, milestones, changes, reset, max_steps, tags, question, infeasible
tasks.yaml:23: add_contact.goal: is 5, must be text (quote it)
tasks.yaml:24: add_contact.name: the task on line 3 has the same name; names must differ
tasks.yaml:26: add_contact.question: contradicts the check, which does not look for it; leave question out
tasks.yaml:27: A-b.name: 'A-b' is not a task name (a-z, 0-9 and _, at most 100)
tasks.yaml:28: A-b.goal: is empty; say what the agent shall do
tasks.yaml:29: A-b.max_steps: is '3', must be a whole number
tasks.yaml:30: A-b.tags: is 'easy', must be a list
"""


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ("setup: go_home", "2: t.setup: is 'go_home', must be a list of steps, each after a dash"),
        ("setup: [5]", "2: t.setup[0]: is 5, must be a step; known: put_setting,"),
        ("setup: [clear_app: 5]", "2: t.setup[0].clear_app: is 5, must be text (quote it)"),
        ("setup: [clear_app: settings]", "2: t.setup[0].clear_app: 'settings' is not a package name like com.android"),
        ("setup: [clear_app]", "2: t.setup[0].clear_app.package: is missing; it is required"),
        ("setup: [go_home: 5]", "2: t.setup[0].go_home: is 5, must be a mapping of nothing"),
        ("setup: [shell: ls -l]", "2: t.setup[0].shell: is 'ls -l', must be a list"),
        ("setup: [shell: []]", "2: t.setup[0].shell: is [], must not be empty"),
        ('setup: [shell: [""]]', "2: t.setup[0].shell: the first word is the command and must not be empty"),
        ('setup: [shell: [a, "\\0"]]', "2: t.setup[0].shell[1]: holds a NUL character, which no shell can pass"),
        ("setup: [{go_home: , shell: [ls]}]", "2: t.setup[0]: one step has one kind; found go_home, shell. Is an"),
        ("setup: [delete_file: /sdcard/]", "2: t.setup[0].delete_file: '/sdcard/' is not the absolute path of a"),
        ("setup: [delete_file: /a/../b]", "2: t.setup[0].delete_file: '/a/../b' is not the absolute path of a"),
        ("setup: [insert_row: {uri: 'content://a/b', values: {}}]", "2: t.setup[0].insert_row.values: is {}, must not"),
        ("setup: [put_setting: {kind: x}]", "2: t.setup[0].put_setting.kind: unknown field 'kind'; known: namespace,"),
        ("setup: [delete_rows: {uri: 'content://a/b', where: {'a b': 1}}]", "2: t.setup[0].delete_rows.where.a b: 'a "),
        ("check: {all: 5}", "2: t.check.all: is 5, must be a list of checks, each after a dash"),
        ("check: {all: []}", "2: t.check.all: is [], must not be empty"),
        ("check: {not: }", "2: t.check.not: is empty, must be a check; known: all,"),
        ("check: {infeasible: yes}", "2: t.check.infeasible: is 'yes', must be a mapping of nothing"),
        ("check: {setting: {namespace: global, key: a}}", "2: t.check.setting: needs exactly one of equals, matches, "),
        (
            "check: {setting: {namespace: global, key: a, at_least: 2, at_most: 1}}",
            "2: t.check.setting: at_least 2 is above at_most 1; nothing can pass",
        ),
        ("check: {setting: {namespace: global, key: a, at_least: x}}", "2: t.check.setting.at_least: is 'x', must be "),
        ("check: {content: {uri: 'http://a'}}", "2: t.check.content.uri: 'http://a' is not a content URI like content"),
        ("check: {content: {uri: 'content://a'}}", "2: t.check.content: needs has, count or both; otherwise there is"),
        ("check: {content: {uri: 'content://a', count: -1}}", "2: t.check.content.count: is -1, must be greater than "),
        (
            "check: {content: {uri: 'content://a', projection: [b], has: {c: d}}}",
            "2: t.check.content: has looks at c, which projection leaves out",
        ),
        (
            "check: {content: {uri: 'content://a', has: {c: {digits: 1, matches: x}}}}",
            "2: t.check.content.has.c: needs exactly one of matches, digits; found matches and digits",
        ),
        ("check: {file: {path: /a/b, exists: 1}}", "2: t.check.file.exists: is 1, must be true or false"),
        ("check: {file: {path: /a/b}}", "2: t.check.file: needs exactly one of exists, equals, contains, matches; fou"),
        ("check: {foreground: {}}", "2: t.check.foreground: needs package, activity or both"),
        ("check: {screen: {present: false}}", "2: t.check.screen: needs at least one of text, desc, id"),
        ("check: {answer: {exact: a, number: 1}}", "2: t.check.answer: needs exactly one of exact, regex, number, fuz"),
        ("check: {answer: {exact: a, tolerance: 1}}", "2: t.check.answer: tolerance belongs to number"),
        ("check: {answer: {exact: a, threshold: 1}}", "2: t.check.answer: threshold belongs to fuzzy"),
        ("check: {answer: {fuzzy: a, threshold: 2}}", "2: t.check.answer.threshold: is 2, must be less than or equal "),
        ("check: {answer: {fuzzy: a, threshold: 0}}", "2: t.check.answer.threshold: is 0, must be greater than 0"),
        ("check: {answer: {regex: '*'}}", "2: t.check.answer.regex: '*' is not a regular expression: nothing to repe"),
        ("check: {answer: {exact: ''}}", "2: t.check.answer.exact: is '', must not be empty"),
        ("infeasible: true\n  check: {answer: {exact: a}}", "2: t.infeasible: contradicts the check, which does not l"),
        ("infeasible: false\n  check: infeasible", "2: t.infeasible: contradicts the check, which looks for it; leave"),
        ("max_steps: 1000000", "2: t.max_steps: is 1000000, must be less than or equal to 10000"),
        ("max_steps: true", "2: t.max_steps: is True, must be a whole number"),
        ("question: maybe", "2: t.question: is 'maybe', must be true or false"),
        ("tags: [Easy]", "2: t.tags[0]: 'Easy' is not a tag (a-z, 0-9 and _ . : -)"),
        ("app: 5", "2: t.app: is 5, must be text (quote it)"),
        ("params: [a]", "2: t.params: must be a mapping of parameter names"),
        ("params: {Name: [a]}", "2: t.params.Name: 'Name' is not a parameter name; use a-z, 0-9 and _, a letter first"),
        ("params: {a: {chioce: [b]}}", "2: t.params.a.chioce: unknown parameter 'chioce'; did you mean 'choice'? know"),
        ("params: {a: }", "2: t.params.a: is empty, must be a parameter; known: choice,"),
        ("params: {a: []}", "2: t.params.a: is [], must not be empty"),
        ("params: {a: [x, 1]}", "2: t.params.a: mixes texts and numbers; quote the numbers"),
        ("params: {a: '{b}', b: '1'}", "2: t.params.a: mentions 'b', which has no value here; it must stand above thi"),
        ("params: {a: '1', b: '{aa}'}", "2: t.params.b: mentions 'aa', which has no value here; did you mean 'a'? kno"),
        ("params: {a: {range: [1, 2, 3]}}", "2: t.params.a.range: is a list, must be a mapping of low, high, step, un"),
        ("params: {a: x, b: {choice: {of: [x, y], unlike: c}}}", "2: t.params.b: mentions 'c', which has no value her"),
        ("params: {a: x, b: {choice: {of: [X], unlike: a}}}", "2: t.params.b: every value drawn equals one of a; offe"),
        (
            "params: {a: [x, x, x, x, x, x, x, x, w], b: {lookup: {key: '{a}', table: {x: 1, y: 2}}}}\n  app: '{b}'",
            "2: t.params.a: with 'w', another parameter has no value: the table has no entry 'w', only 'x', 'y'",
        ),
        (
            "params: {a: [10, 30]}\n  check: {setting: {namespace: global, key: k, at_least: '{a}', at_most: 20}}",
            "3: t.check.setting: at_least 30 is above at_most 20; nothing can pass",
        ),
    ],
)  # fmt: skip
def test_each_slip_is_named(problems: Problems, lines: str, message: str) -> None:
    found = problems(f"- {lines}\n  name: t\n  goal: g\n".replace("- ", "-\n  ", 1))
    assert any(line.startswith(f"tasks.yaml:{message}") for line in found), found


def test_values_that_only_some_seeds_would_draw_are_tried(problems: Problems) -> None:
    found = problems("""
        - name: t
          goal: "{app} {where}"
          params:
            app: [com.android.settings, settings]
            where: [system, sytem]
          setup:
            - stop_app: "{app}"
            - put_setting: {namespace: "{where}", key: a, value: b}
    """)
    assert found == [
        "tasks.yaml:7: t.setup[0].stop_app: 'settings' is not a package name like com.android.settings",
        "tasks.yaml:8: t.setup[1].put_setting.namespace: is 'sytem', must be one of 'system', 'secure' or 'global'",
    ]


def test_unknown_names_do_not_cause_further_complaints(problems: Problems) -> None:
    found = problems("- {name: t, goal: g, setup: [stop_app: '{app}'], check: {answer: {number: '{n}'}}}")
    assert found == [
        "tasks.yaml:1: t.setup[0].stop_app: {app} has no value; add 'app' under params, or write {{app}} for the text "
        "itself",
        "tasks.yaml:1: t.check.answer.number: {n} has no value; add 'n' under params, or write {{n}} for the text "
        "itself",
    ]


def test_a_task_that_is_none(problems: Problems) -> None:
    assert problems("- 5\n- {}\n") == [
        "tasks.yaml:1: task 1: a task must be a mapping of name, goal, app, params, setup, teardown, check, "
        "milestones, changes, reset, max_steps, tags, question, infeasible",
        "tasks.yaml:2: task 2.name: is missing; it is required",
        "tasks.yaml:2: task 2.goal: is missing; it is required",
    ]


def test_many_problems_are_counted(problems: Problems) -> None:
    found = problems("- {name: x, goal: 1}\n" * 120)
    assert len(found) == 101
    assert found[-1] == "and 139 more"


# -- JSONL


def test_goals_alone_are_tasks(load: Load) -> None:
    first, second, third = load(
        """
        {"goal": "Turn {Wi-Fi} on {now}"}

        {"goal": "Wie spät ist es?", "app": "Clock", "max_steps": 5, "tags": ["easy"]}
        {"goal": "Say {{x}}", "name": "say", "check": {"answer": {"exact": "{x}"}}, "setup": ["go_home"]}
        """,
        "goals.jsonl",
    )
    assert first.instance(1).goal == "Turn {Wi-Fi} on {now}"
    assert first.name == "turn_wi_fi_on_now_0bf869c9"
    assert second.name.startswith("wie_spat_ist_es_")
    assert (second.app, second.max_steps, second.tags) == ("Clock", 5, ("easy",))
    assert third.name == "say"
    assert third.instance(0).goal == "Say {{x}}"
    assert third.instance(0).check == Answer(exact="{x}")


def test_names_are_derived_from_goal_and_app_alone() -> None:
    name = derived_name({"goal": "打开设置", "app": "Settings", "max_steps": 3})
    assert name == derived_name({"app": "Settings", "goal": "打开设置"})
    assert name.startswith("task_")
    assert name != derived_name({"goal": "打开设置"})
    assert len(derived_name({"goal": "word " * 100})) <= 49


def test_bad_lines_are_named_by_number(problems: Problems) -> None:
    deep = '{"goal": ' + "[" * 3000 + "]" * 3000 + "}"
    found = problems(
        '{"goal": "a"}\n\n{"goal": }\n[1]\n{"goal": "a"}\n{"gaol": 1}\n{"goal": "b", "goal": "c"}\n'
        f'{{"goal": NaN}}\n{deep}\n{{"goal": "\\ud83d"}}\n{{"goal": "x", "params": {{}}}}\n',
        "goals.jsonl",
    )
    assert found[0] == "goals.jsonl:3: is not a JSON object: Expecting value: line 1 column 10 (char 9)"
    assert found[1].startswith("goals.jsonl:4: task 2: a task must be a mapping of name, goal, app, setup,")
    assert found[2].startswith("goals.jsonl:5: a_")
    assert found[2].endswith(": the task on line 1 has the same name; names must differ")
    assert found[3].startswith("goals.jsonl:6: task 4.gaol: unknown field 'gaol'; did you mean 'goal'?")
    assert found[-5:-1] == [
        "goals.jsonl:7: is not a JSON object: the key 'goal' appears twice",
        "goals.jsonl:8: is not a JSON object: NaN is not JSON",
        "goals.jsonl:9: is not a JSON object: nested too deeply",
        "goals.jsonl:10: is not a JSON object: a text holds half a character (a lone surrogate)",
    ]
    assert found[-1].startswith(f"goals.jsonl:11: {derived_name({'goal': 'x'})}.params: unknown field 'params'")


def test_problems_carry_file_line_and_field(tmp_path: Path) -> None:
    path = tmp_path / "tasks.yaml"
    path.write_text("- name: a\n  goal: 5\n")
    with pytest.raises(TaskFileError) as caught:
        load_tasks(path)
    (problem,) = caught.value.problems
    assert (problem.file, problem.line, problem.field) == (str(path), 2, "a.goal")

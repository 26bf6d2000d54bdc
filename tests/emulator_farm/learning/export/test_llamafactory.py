from __future__ import annotations

import io
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml
from PIL import Image

from agent_server.actions import Action, Click, Drag, Finished, OpenApp, Scroll, Wait
from agent_server.adapters import ADAPTERS, ImagePart, Message, PromptInput, PromptSet, TextPart, Turn, adapter_named
from agent_server.geometry import Point, Size
from emulator_farm.episode import Decision, Episode
from emulator_farm.errors import CallerError
from emulator_farm.filters import RuleSettings, filter_run
from emulator_farm.learning.export import export_llamafactory
from emulator_farm.store import Store

Make = Callable[..., Episode]
ALL = sorted(ADAPTERS)
PLAYERS = sorted(name for name, adapter in ADAPTERS.items() if "finished" not in adapter.declaration.inexpressible)
"""Those that can play an episode to its end."""


def rows_of(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "train.jsonl").read_text("utf-8").splitlines()]


def size_of(path: Path) -> tuple[int, int]:
    with Image.open(path) as picture:
        return picture.size


def published(folder: Path, *episodes: Episode) -> Store:
    store = Store(folder)
    for episode in episodes:
        store.publish(episode)
    filter_run(store, RuleSettings(disabled=("parse_failure", "missing_frame", "no_change", "point_outside")))
    return store


@pytest.mark.parametrize("adapter", ALL)
def test_every_row_is_what_the_format_wants(run: Store, tmp_path: Path, adapter: str) -> None:
    summary = export_llamafactory(run, tmp_path / "out", adapter=adapter)
    rows = rows_of(tmp_path / "out")
    assert len(rows) == summary.rows == 12 - sum(summary.skipped.values())
    for row in rows:
        roles = [message["role"] for message in row["messages"]]
        turns = roles[1:] if roles[0] == "system" else roles
        assert turns == ["user", "assistant"] * (len(turns) // 2)
        assert "system" not in turns
        tags = sum(message["content"].count("<image>") for message in row["messages"])
        assert tags == len(row["images"]) >= 1
        for name in row["images"]:
            assert (tmp_path / "out" / name).is_file()
        assert "<image>" not in row["messages"][-1]["content"]


@pytest.mark.parametrize("adapter", PLAYERS)
def test_the_reply_reads_back_as_the_recorded_action(
    tmp_path: Path, make_episode: Make, page: Any, adapter: str
) -> None:
    big = Size(720, 1600)
    pages = [page(title=f"Page {number}", size=big) for number in range(5)]
    actions: list[Action] = [
        Click(point=Point(360, 800)),
        Scroll(direction="down", start=Point(500, 1500), end=Point(500, 700)),
        Click(point=Point(719, 1599)),
        Wait(),
        Finished(),
    ]
    store = published(tmp_path / "run", make_episode(pages=pages, actions=actions))
    export_llamafactory(store, tmp_path / "out", adapter=adapter)
    grammar = adapter_named(adapter)
    frame = grammar.frame(big, "")
    for row, action in zip(rows_of(tmp_path / "out"), actions, strict=True):
        parsed = grammar.parse(row["messages"][-1]["content"], frame.map)
        assert parsed.action is not None
        assert parsed.action.type == action.type
        if isinstance(action, Click) and isinstance(parsed.action, Click):
            unit = max(big.width / frame.map.extent[0], big.height / frame.map.extent[1])
            assert abs(parsed.action.point.x - action.point.x) <= unit
            assert abs(parsed.action.point.y - action.point.y) <= unit
        assert size_of(tmp_path / "out" / row["images"][-1]) == (frame.resized or big)


@pytest.mark.parametrize("adapter", PLAYERS)
def test_the_prompt_is_the_adapters_own(tmp_path: Path, make_episode: Make, page: Any, adapter: str) -> None:
    """Joined turns are taken apart at the chat template's markers; then every message is the adapter's."""
    pages = [page(title=f"Page {number}") for number in range(8)]
    grammar = adapter_named(adapter)
    actions: list[Action] = [*(Click(point=Point(50 * number, 120)) for number in range(7)), Finished()]
    episode = make_episode(pages=pages, actions=actions, adapter=adapter, model="some-model")
    steps = []
    for step, action in zip(episode.steps, actions, strict=True):
        said = grammar.render(action, grammar.frame(step.screen.size, "").map, "Look.", "Did it.")
        parsed = grammar.parse(said, grammar.frame(step.screen.size, "").map)
        steps.append(replace(step, decision=Decision(action, parsed.thought, parsed.summary, said)))
    store = published(tmp_path / "run", replace(episode, steps=tuple(steps)))
    export_llamafactory(store, tmp_path / "out")
    for position, row in enumerate(rows_of(tmp_path / "out")):
        turns = [
            Turn(one.decision.thought, one.decision.summary, one.decision.action, one.decision.raw, None,
                 one.screen.size, True)
            for one in steps[:position] if one.decision
        ]  # fmt: skip
        given = PromptInput(
            "Turn on Wi-Fi", steps[position].screen.size, turns, "com.android.settings", model="some-model"
        )
        expected = [_flat(message) for message in grammar.messages(given, PromptSet.load())]
        *asked, answer = row["messages"]
        assert [part for message in asked for part in _apart(message)] == expected
        decision = steps[position].decision
        assert decision is not None
        assert answer["content"] == decision.raw
        shown = grammar.messages(given, PromptSet.load())
        indices = [part.index for message in shown for part in message.parts if isinstance(part, ImagePart)]
        files = [f"{position if index < 0 else index:03}" for index in indices]
        assert [Path(name).stem for name in row["images"]] == files


def _flat(message: Message) -> tuple[str, str]:
    return message.role, "".join(part.text if isinstance(part, TextPart) else "<image>" for part in message.parts)


def _apart(message: dict[str, str]) -> list[tuple[str, str]]:
    joint = f"<|im_end|>\n<|im_start|>{message['role']}\n"
    return [(message["role"], part) for part in message["content"].split(joint)]


def test_images_are_bytes_as_captured_where_coordinates_are_relative(run: Store, tmp_path: Path) -> None:
    export_llamafactory(run, tmp_path / "out", adapter="qwen3-vl")
    step = run.read("wifi_on-7-r0k0").steps[0]
    assert (tmp_path / "out" / "images" / "wifi_on-7-r0k0" / "000.png").read_bytes() == step.screen.image


def test_a_models_size_decides_the_resize(tmp_path: Path, make_episode: Make, page: Any) -> None:
    episode = make_episode(pages=[page(size=Size(1080, 2400))], actions=[Finished()])
    store = published(tmp_path / "run", episode)
    sizes = {}
    for model in ("UI-Venus-Navi-7B", "UI-Venus-Navi-72B"):
        export_llamafactory(store, tmp_path / model, adapter="ui-venus-1.0", model=model)
        sizes[model] = size_of(tmp_path / model / "images" / episode.id / "000.jpeg")
    assert sizes == {"UI-Venus-Navi-7B": (644, 1428), "UI-Venus-Navi-72B": (1092, 2408)}


def test_tags_in_texts_are_broken_up_and_replies_with_them_left_out(run: Store, tmp_path: Path) -> None:
    summary = export_llamafactory(run, tmp_path / "out", adapter="ui-venus-1.5")
    assert summary.skipped == {
        "no words for double_click in ui-venus-1.5": 1,
        "the reply holds a tag that the format takes for an image": 1,
    }
    rows = {row["id"]: row for row in rows_of(tmp_path / "out")}
    assert "note-7-r0k0/2" not in rows
    asked = rows["note-7-r0k0/3"]["messages"][0]["content"]
    assert "Write an < image> tag" in asked
    assert "s < image> & " in asked
    assert asked.count("<image>") == 1


def test_unreadable_steps_and_lost_frames_are_counted(tmp_path: Path, make_episode: Make, page: Any) -> None:
    pages = [page(title=str(number)) for number in range(4)]
    actions: list[Action | None] = [Click(point=Point(9, 120)), None, Click(point=Point(99, 120)), Finished()]
    episode = make_episode(pages=pages, actions=actions)
    lost = replace(episode.steps[2], screen=replace(episode.steps[2].screen, image=b"rubbish", sha256="x"))
    odd = replace(episode.steps[3], screen=replace(episode.steps[3].screen, size=Size(1, 300)))
    store = published(tmp_path / "run", replace(episode, steps=(*episode.steps[:2], lost, odd)))
    summary = export_llamafactory(store, tmp_path / "out", adapter="ui-venus-1.0")
    assert summary.rows == 1
    assert summary.skipped == {
        "unreadable reply": 1,
        "a frame that does not decode": 1,
        "screen of a shape that the model refuses": 1,
    }
    assert "| unreadable reply | 1 |" in (tmp_path / "out" / "README.md").read_text()


def test_a_cut_episode_gives_only_its_prefix(run: Store, tmp_path: Path) -> None:
    summary = export_llamafactory(run, tmp_path / "out", adapter="ui-venus-1.5")
    ids = [row["id"] for row in rows_of(tmp_path / "out") if row["id"].startswith("loop")]
    assert ids == [f"loop-7-r0k0/{number}" for number in range(4)]
    assert summary.cut == 1
    assert len(list((tmp_path / "out" / "images" / "loop-7-r0k0").iterdir())) == 4


def test_dataset_info_and_arguments(run: Store, tmp_path: Path) -> None:
    export_llamafactory(run, tmp_path / "out", adapter="ui-tars-1.5")
    info = json.loads((tmp_path / "out" / "dataset_info.json").read_text())
    assert info["android_rollouts"]["file_name"] == "train.jsonl"
    assert info["android_rollouts"]["formatting"] == "sharegpt"
    assert info["android_rollouts"]["columns"] == {"messages": "messages", "images": "images"}
    arguments = yaml.safe_load((tmp_path / "out" / "arguments.yaml").read_text())
    largest = max(map(size_of, (tmp_path / "out" / "images").rglob("*.*")))
    assert arguments == {
        "dataset_dir": str(tmp_path / "out"),
        "dataset": "android_rollouts",
        "template": "qwen2_vl",
        "image_max_pixels": largest[0] * largest[1],
        "mask_history": True,
    }
    manifest = json.loads((tmp_path / "out" / "export.json").read_text())
    assert (manifest["adapter"], manifest["model"], manifest["format"]) == ("ui-tars-1.5", "", "llamafactory")


def test_baseline_episodes_need_a_grammar(run: Store, tmp_path: Path) -> None:
    with pytest.raises(CallerError, match=r"played by 'baseline', which has no model's grammar; choose --adapter: ui-"):
        export_llamafactory(run, tmp_path / "out")
    with pytest.raises(CallerError, match=r"unknown adapter 'gpt'; known: .*qwen2\.5-vl"):
        export_llamafactory(run, tmp_path / "out", adapter="gpt")
    assert not (tmp_path / "out").exists()


def test_the_grammar_of_the_players_is_taken(tmp_path: Path, make_episode: Make) -> None:
    digest = PromptSet.load().digest("qwen3-vl")
    first = make_episode("a-1-r0k0", adapter="qwen3-vl", model="Qwen/Qwen3-VL-8B-Instruct", prompt_digest=digest)
    second = make_episode("b-1-r0k0", adapter="qwen3-vl", goal="Other", prompt_digest="other", model="x")
    summary = export_llamafactory(published(tmp_path / "run", first, second), tmp_path / "out")
    assert summary.notes == (f"1 episodes were played with prompt other; these rows use prompt {digest}.",)
    third = make_episode("c-1-r0k0", adapter="ui-tars-1.5", goal="Third")
    store = published(tmp_path / "run2", first, third)
    with pytest.raises(CallerError, match=r"by several policies \(qwen3-vl, ui-tars-1.5\); choose --adapter"):
        export_llamafactory(store, tmp_path / "out2")
    told = export_llamafactory(store, tmp_path / "out3", adapter="qwen3-vl")
    assert told.notes == ("1 episodes were played by 'ui-tars-1.5'; their steps are told in the words of qwen3-vl.",)
    assert json.loads((tmp_path / "out3" / "export.json").read_text())["model"] == "Qwen/Qwen3-VL-8B-Instruct"


def test_own_prompts_are_used(run: Store, tmp_path: Path) -> None:
    prompts = tmp_path / "prompts"
    prompts.mkdir()
    (prompts / "ui-tars-1.5.jinja").write_text("Do {{ goal }} in {{ language }}.")
    export_llamafactory(run, tmp_path / "out", adapter="ui-tars-1.5", prompts=prompts, language="German")
    first = rows_of(tmp_path / "out")[0]["messages"][0]["content"]
    assert first == "Do Turn on Wi-Fi in German.<|im_end|>\n<|im_start|>user\n<image>"
    with pytest.raises(CallerError, match="does not exist"):
        export_llamafactory(run, tmp_path / "out2", adapter="ui-tars-1.5", prompts=tmp_path / "nowhere")
    (prompts / "ui-tars-1.5.jinja").write_text("{{ steps[0] }}")
    with pytest.raises(CallerError, match=r"template ui-tars-1\.5\.jinja fails"):
        export_llamafactory(run, tmp_path / "out3", adapter="ui-tars-1.5", prompts=prompts)
    assert not (tmp_path / "out3").exists()


def test_a_run_of_which_no_step_can_be_said(tmp_path: Path, make_episode: Make, page: Any) -> None:
    store = published(tmp_path / "run", make_episode(pages=[page()], actions=[Finished(status="infeasible")]))
    with pytest.raises(CallerError, match=r"no step of .* can be written in the grammar of ui-venus-1\.0"):
        export_llamafactory(store, tmp_path / "out", adapter="ui-venus-1.0")
    assert not (tmp_path / "out").exists()


def test_actions_that_a_grammar_lacks_stay_in_the_history(tmp_path: Path, make_episode: Make, page: Any) -> None:
    pages = [page(title=str(number)) for number in range(3)]
    actions: list[Action] = [OpenApp(app="Clock"), Drag(start=Point(1, 2), end=Point(30, 40)), Finished()]
    store = published(tmp_path / "run", make_episode(pages=pages, actions=actions))
    summary = export_llamafactory(store, tmp_path / "out", adapter="ui-tars-1.0")
    assert summary.skipped == {"no words for open_app in ui-tars-1.0": 1}
    assert '{"type":"open_app","app":"Clock"}' in rows_of(tmp_path / "out")[-1]["messages"][1]["content"]


def test_pictures_are_whole(run: Store, tmp_path: Path) -> None:
    export_llamafactory(run, tmp_path / "out", adapter="ui-venus-1.0")
    for path in (tmp_path / "out" / "images").rglob("*.*"):
        with Image.open(io.BytesIO(path.read_bytes())) as picture:
            picture.load()
            assert picture.format == "JPEG"

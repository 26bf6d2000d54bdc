from __future__ import annotations

import base64
import hashlib
import io
import re
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from lxml import html
from PIL import Image

from agent_server.actions import Action, Click, Drag, Finished, LongPress, Type
from agent_server.geometry import Point, Size
from agent_server.schemas import Tokens
from emulator_farm.episode import Episode, Timing, Verdict
from emulator_farm.errors import CallerError
from emulator_farm.pages import milliseconds, picture_uri
from emulator_farm.viewer import viewer_page, write_viewer

Make = Callable[..., Episode]
EVIL = "<script>alert(1)</script>\"'><img src=https://example.org/x>"


def verdict(**fields: Any) -> Verdict:
    base = {"episode_id": "wifi_on-7-r0k0", "source": "rules", "version": "1", "settings_digest": "d1"}
    return Verdict.model_validate({**base, "decision": "accepted", "valid_steps": 4, "at": datetime.now(UTC), **fields})


def test_every_step_is_shown(make_episode: Make, page: Any) -> None:
    text = viewer_page(make_episode(closing=page(title="After")))
    document = html.fromstring(text)
    assert [section.get("id") for section in document.xpath("//section")] == [f"step-{number}" for number in range(5)]
    assert len(document.xpath("//ol/li")) == 5
    assert document.xpath("//h1")[0].text == "Turn on Wi-Fi"
    headings = [section.xpath(".//h2")[0].text.strip() for section in document.xpath("//section")]
    assert headings == ["tap (180, 133)", "tap (180, 199)", "tap (180, 265)", "finished", "closing frame"]
    assert "decide 300 ms" in text
    assert "I look at Network." in text


def test_what_else_changed_is_shown(make_episode: Make) -> None:
    change = "+files/sdcard/<x>: '1'"
    document = html.fromstring(viewer_page(make_episode(clean=False, undeclared=(change,), progress=0.5)))
    badges = [badge.text_content() for badge in document.xpath("//header//span[contains(@class, 'badge')]")]
    assert {"progress 50 %", "1 undeclared change"} <= set(badges)
    assert document.xpath("//header//li")[0].text_content() == change
    clean = html.fromstring(viewer_page(make_episode(clean=True)))
    assert "clean" in [badge.text_content() for badge in clean.xpath("//header//span[contains(@class, 'badge')]")]
    assert "clean" not in html.fromstring(viewer_page(make_episode())).xpath("//header")[0].text_content()


def test_the_action_is_drawn_on_its_frame(make_episode: Make, page: Any) -> None:
    actions: list[Action] = [
        Click(point=Point(30, 40)),
        LongPress(point=Point(50, 60)),
        Drag(start=Point(1, 2), end=Point(300, 400)),
        Type(text="hello"),
    ]
    document = html.fromstring(viewer_page(make_episode(pages=[page()] * 4, actions=actions)))
    tap, hold, drag, typing = document.xpath("//section")
    assert [(ring.get("cx"), ring.get("cy")) for ring in tap.xpath(".//circle[@class='ink']")] == [("30", "40")]
    assert len(hold.xpath(".//circle[@class='ink']")) == 2
    (line,) = drag.xpath(".//line[@class='ink']")
    assert [line.get(name) for name in ("x1", "y1", "x2", "y2")] == ["1", "2", "300", "400"]
    assert typing.xpath(".//circle") == []
    assert typing.xpath(".//text")[0].text == "type “hello”"


def test_frames_are_inside_the_page_once(make_episode: Make) -> None:
    text = viewer_page(make_episode())
    uris = re.findall(r"data:image/jpeg;base64,([A-Za-z0-9+/=]+)", text)
    assert len(uris) == 4
    assert Image.open(io.BytesIO(base64.b64decode(uris[0]))).size == (360, 800)


def test_a_frame_that_does_not_decode_is_said_to_be_lost(make_episode: Make) -> None:
    episode = make_episode()
    broken = replace(episode.steps[0], screen=replace(episode.steps[0].screen, image=b"rubbish"))
    text = viewer_page(replace(episode, steps=(broken, *episode.steps[1:])))
    assert "No picture: 7 bytes that do not decode." in text


def test_nothing_that_a_model_wrote_becomes_markup(make_episode: Make) -> None:
    episode = make_episode(goal=EVIL, reason=EVIL, model=EVIL, device=EVIL)
    step = episode.steps[0]
    assert step.decision is not None
    assert step.effect is not None
    evil = replace(
        step,
        decision=replace(
            step.decision, thought=EVIL, summary=EVIL, raw=EVIL, action=Type(text=EVIL), finish_reason=EVIL
        ),
        effect=replace(step.effect, detail=EVIL, command=EVIL),
        screen=replace(step.screen, app=EVIL, activity=EVIL, ui_tree=EVIL, flags=(EVIL,)),
    )
    text = viewer_page(
        replace(episode, steps=(evil, *episode.steps[1:])), [verdict(detail=EVIL, who=EVIL, reason=EVIL)]
    )
    document = html.fromstring(text)
    assert len(document.xpath("//script")) == 1
    assert document.xpath("//img") == []
    assert document.xpath("//h1")[0].text == EVIL
    assert text.count("<script>alert") == 0


def test_the_page_needs_no_network_and_runs_only_its_own_script(make_episode: Make) -> None:
    text = viewer_page(make_episode())
    document = html.fromstring(text)
    assert not re.search(r"(?:src|href)=[\"'](?!data:|#)", text)
    assert "https://" not in text
    (policy,) = document.xpath("//meta[@http-equiv='Content-Security-Policy']/@content")
    (script,) = document.xpath("//script")
    digest = base64.b64encode(hashlib.sha256(script.text.encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}'" in policy
    assert "default-src 'none'" in policy


def test_unreadable_steps_show_why(make_episode: Make, page: Any) -> None:
    episode = make_episode(pages=[page()] * 2, actions=[None, Finished()], sampling={"n": 2})
    step = episode.steps[0]
    assert step.decision is not None
    tokens = Tokens(response_ids=[1, 2, 3])
    decision = replace(step.decision, extra_actions=2, tokens=tokens, raw="", weights="abc")
    text = viewer_page(replace(episode, steps=(replace(step, decision=decision), episode.steps[1])))
    assert "<b>malformed</b>: no action found" in text
    assert "unreadable reply" in text
    assert "2 further actions in the reply" in text
    assert "3 tokens" in text
    assert "abc" in text
    assert "(nothing)" in text


def test_verdicts_are_shown_and_what_was_cut_is_marked(make_episode: Make) -> None:
    cut = verdict(
        decision="cut", valid_steps=2, reason="cycle", reasons=["cycle", "no_change"], detail="round and round"
    )
    text = viewer_page(make_episode(), [cut, verdict(source="judge", who="vlm")])
    document = html.fromstring(text)
    assert ["cut" in (item.get("class") or "") for item in document.xpath("//ol/li")] == [False, False, True, True]
    assert "cycle, no_change: round and round" in text
    assert "judge (vlm)" in text
    accepted = html.fromstring(viewer_page(make_episode(), [verdict(valid_steps=2)]))
    assert not any("cut" in (item.get("class") or "") for item in accepted.xpath("//ol/li"))


def test_odd_episodes_have_pages_too(make_episode: Make) -> None:
    assert "<h1>Turn on Wi-Fi</h1>" in viewer_page(make_episode(steps=[], reward=None))
    (step, *_) = make_episode().steps
    bare = replace(step, timing=Timing(), effect=None, screen=replace(step.screen, app=None, activity=None, rotation=1))
    text = viewer_page(make_episode(steps=[bare]))
    assert "no app in front" in text
    assert "rotation 1" in text


def test_the_page_is_put_in_place_whole(tmp_path: Path, make_episode: Make) -> None:
    target = tmp_path / "deep" / "page.html"
    assert write_viewer(make_episode(), target) == target
    first = target.read_text()
    write_viewer(make_episode(goal="Another"), target)
    assert "<h1>Another</h1>" in target.read_text() != first
    assert [path.name for path in target.parent.iterdir()] == ["page.html"]


@pytest.mark.parametrize("place", ["", "file/page.html"])
def test_a_page_that_cannot_be_written(tmp_path: Path, make_episode: Make, place: str) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(CallerError, match="cannot be written"):
        write_viewer(make_episode(), tmp_path / place)
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_pictures_are_shrunk_to_about_the_box() -> None:
    buffer = io.BytesIO()
    Image.new("RGBA", (1080, 2400), "navy").save(buffer, "PNG")
    uri = picture_uri(buffer.getvalue(), Size(540, 1080))
    assert uri is not None
    assert Image.open(io.BytesIO(base64.b64decode(uri.partition(",")[2]))).size == (540, 1200)
    assert picture_uri(b"", Size(540, 1080)) is None
    assert picture_uri(buffer.getvalue()[:300], Size(540, 1080)) is None


def test_durations_for_people() -> None:
    assert [milliseconds(value) for value in (None, 0.4, 999.0, 1500.0)] == ["–", "0 ms", "999 ms", "1.5 s"]

"""Chinese, and Arabic from right to left."""

import pytest

from emulator_farm.virtual.fonts import ASSETS, typeface
from emulator_farm.virtual.theme import LIGHT
from emulator_farm.virtual.translation import COLUMNS, catalogue
from emulator_farm.virtual.widgets import FILL, Column, Icon, Pad, Radio, Row, Slider, Switch, Text, TextField

SETTINGS = "com.android.settings"
ROWS = [line.split("\t") for line in (ASSETS / "strings.tsv").read_text(encoding="utf-8").splitlines()]


def chinese(hand) -> None:
    hand.phone.system.set_locale("zh-CN")


def arabic(hand) -> None:
    hand.phone.system.set_locale("ar")


def test_the_table_is_whole() -> None:
    assert all(len(row) == len(COLUMNS) for row in ROWS)
    assert all(text.count("{}") == row[0].count("{}") for row in ROWS for text in row)
    assert len({row[0] for row in ROWS}) == len(ROWS)
    face = typeface("regular", 30)
    boxes = {face.mask(char).tobytes() for char in ("\ue000", "\u3400", "\ufdd0")}
    for row in ROWS:
        for char in {char for text in row[1:] for char in text}:
            assert face.mask(char).tobytes() not in boxes, (row[0], char)


def test_texts_with_gaps_and_two_parts() -> None:
    words = catalogue("zh")
    assert words is not None
    assert words.text("Font size: Default") == "字体大小：默认"
    assert words.text("See all 7 apps") == "查看全部 7 个应用"
    assert words.text("Internet,AndroidWifi") == "互联网,AndroidWifi"
    assert words.text("nothing of ours") == "nothing of ours"
    assert catalogue("en") is None
    assert catalogue("tlh") is None


def test_chinese_all_over(hand) -> None:
    chinese(hand)
    assert hand.see(text="10月15日星期四")
    hand.open(SETTINGS)
    assert hand.see(text="网络和互联网")
    assert hand.see(text="搜索设置")
    hand.tap(text="显示")
    hand.tap(text="屏幕超时")
    assert hand.see(text="30 秒")
    hand.tap(text="取消")
    hand.phone.ui.expand()
    assert hand.find(text="蓝牙").id.endswith("id/tile_label")
    assert hand.see(desc="互联网,AndroidWifi")
    assert hand.see(text="没有通知")
    assert hand.phone.system.clock_text(15, 34) == "下午3:34"


def test_the_language_page_changes_it_and_back(hand) -> None:
    hand.page("LOCALE_SETTINGS")
    hand.tap(text="System languages")
    hand.tap(text="العربية")
    assert hand.see(text="اللغات")
    assert hand.phone.props["persist.sys.locale"] == "ar"
    assert hand.phone.settings.get("system", "system_locales") == "ar"
    hand.tap(text="لغات النظام")
    hand.tap(text="English (United States)")
    assert hand.see(text="System languages")
    hand.phone.reset()
    assert hand.phone.system.locale == "en-US"


def test_one_app_alone(hand) -> None:
    hand.phone.system.app_locales[SETTINGS] = "ar"
    hand.open(SETTINGS)
    assert hand.see(text="الشبكة والإنترنت")
    hand.phone.ui.expand()
    assert hand.see(text="Internet")


def test_what_a_user_typed_stays(hand) -> None:
    chinese(hand)
    hand.push(lambda: Column(w=FILL, children=(TextField(id="field", value="Settings", hint="Search", w=FILL),)))
    assert hand.find(id="field").text == "Settings"


class TestMirrored:
    def test_bounds_are_those_of_a_mirror(self, hand) -> None:
        hand.push(
            lambda: Column(
                w=FILL, h=FILL, pad=Pad(10, 0, 40, 0),
                children=(Row(w=FILL, gap=8, children=(Icon(id="icon", name="add"), Text(id="text", text="abc"))),),
            )
        )  # fmt: skip
        before = {node.id: node.bounds for node in hand.nodes()}
        arabic(hand)
        after = {node.id: node.bounds for node in hand.nodes()}
        for name, (left, top, right, bottom) in before.items():
            assert after[name] == (1080 - right, top, 1080 - left, bottom)

    def test_every_page_of_settings_keeps_its_rows(self, hand) -> None:
        hand.page("DISPLAY_SETTINGS")
        before = sorted((node.bounds[1], node.bounds[3]) for node in hand.find_all(id="switch_widget"))
        arabic(hand)
        assert sorted((node.bounds[1], node.bounds[3]) for node in hand.find_all(id="switch_widget")) == before
        assert all(node.bounds[2] < 540 for node in hand.find_all(id="switch_widget"))

    def test_switch_radio_and_slider_are_drawn_the_other_way(self, hand) -> None:
        tree = Column(
            w=FILL,
            children=(
                Switch(id="switch", checked=True), Radio(id="radio", text="one", checked=True, w=FILL),
                Slider(id="slider", value=25, w=FILL),
            ),
        )  # fmt: skip
        hand.push(lambda: tree)
        for name in ("radio", "slider"):
            left, top, right, bottom = hand.find(id=name).bounds
            assert _primary_centre(hand, (left, top, right, bottom)) < (left + right) / 2
        arabic(hand)
        for name in ("radio", "slider"):
            left, top, right, bottom = hand.find(id=name).bounds
            assert _primary_centre(hand, (left, top, right, bottom)) > (left + right) / 2

    def test_a_slider_counts_from_the_right(self, hand) -> None:
        arabic(hand)
        hand.phone.ui.expand("settings")
        left, top, _, bottom = hand.find(id="slider").bounds
        hand.phone.tap(left + 40, (top + bottom) // 2)
        assert hand.phone.settings.get_int("system", "screen_brightness") > 240

    def test_cards_of_the_overview_move_with_the_finger(self, hand) -> None:
        for package in (SETTINGS, "com.android.contacts", "org.virtual.notes"):
            hand.open(package)
        arabic(hand)
        hand.key(187)
        before = hand.find_all(id="snapshot")[0].bounds
        hand.phone.swipe(300, 1000, 500, 1000)
        after = hand.find_all(id="snapshot")[0].bounds
        assert after[0] - before[0] == 200

    def test_typing_and_caret(self, hand) -> None:
        value = [""]

        def build() -> Column:
            field = TextField(id="field", value=value[0], w=FILL, size=24, on_change=lambda text: _put(value, text))
            return Column(w=FILL, children=(field,))

        hand.push(build)
        arabic(hand)
        hand.tap(id="field")
        assert hand.phone.commit_text("سلام")
        assert value == ["سلام"]
        box = hand.phone._view.scene().focused_field()
        assert box is not None
        caret = hand.phone._view.scene().layout(hand.phone._view.scene().active).caret_rect(box)
        assert caret.left == pytest.approx(1080 - box.face.width("سلام"), abs=2)
        hand.phone.tap(1070, hand.find(id="field").center[1])
        hand.phone.commit_text("x")
        assert value == ["xسلام"]


def _put(value: list[str], text: str) -> None:
    value[0] = text


def _primary_centre(hand, box: tuple[int, int, int, int]) -> float:
    """Mean x of the pixels in the accent colour."""
    picture = hand.phone.frame().crop(box)
    width = picture.width
    data = picture.tobytes()
    color = bytes(LIGHT["primary"])
    found = [index // 3 % width for index in range(0, len(data), 3) if data[index : index + 3] == color]
    return box[0] + sum(found) / len(found)

"""Random input on several panels: nothing raises, the tree stays inside the screen, the frame has its size."""

import random

import pytest

PANELS = [(1080, 2400, 420), (720, 1280, 320), (480, 800, 240), (320, 240, 120), (1080, 2400, 640)]
EVENTS = 90


class Monkey:
    """Does one random thing to a phone at a time."""

    def __init__(self, hand, seed: int) -> None:
        self.hand = hand
        self.phone = hand.phone
        self.random = random.Random(seed)
        self.packages = list(self.phone.system.apps)

    def act(self) -> None:
        choice = self.random.choice
        match self.random.randrange(20):
            case 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8:
                nodes = [node for node in self.hand.nodes() if node.flag("clickable")]
                self.phone.tap(*(choice(nodes).center if nodes else self.point()))
            case 9 | 10:
                self.phone.tap(*self.point())
            case 11 | 12 | 13:
                self.phone.swipe(*self.point(), *self.point(), choice([100, 800]))
            case 14:
                self.phone.key(choice([3, 4, 187, 66, 67, 19, 20, 21, 22, 61, 82, 224]))
            case 15:
                self.phone.text(choice(["hello", "12", "a\n", "b\t"]))
            case 16:
                self.phone.commit_text(choice(["日本語", "é😀", "x" * 200, "a\nb\nc"]))
            case 17:
                key, values = choice([("user_rotation", "0123"), ("font_scale", "12")])
                self.phone.settings.put("system", key, choice(values))
            case 18:
                key, values = choice([("navigation_mode", "02"), ("ui_night_mode", "12")])
                self.phone.settings.put("secure", key, choice(values))
            case _:
                self.hand.open(choice(self.packages))

    def point(self) -> tuple[int, int]:
        width, height = self.phone.screen_size
        return self.random.randrange(width), self.random.randrange(height)


@pytest.mark.parametrize("seed", range(len(PANELS)))
def test_nothing_breaks(make_hand, seed: int) -> None:
    hand = make_hand(*PANELS[seed])
    monkey = Monkey(hand, seed)
    for event in range(EVENTS):
        monkey.act()
        width, height = hand.phone.screen_size
        for node in hand.nodes():
            left, top, right, bottom = node.bounds
            assert 0 <= left <= right <= width
            assert 0 <= top <= bottom <= height
        if event % 15 == 0:
            assert hand.phone.frame().size == (width, height)

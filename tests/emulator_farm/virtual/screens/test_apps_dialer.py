"""Calls as time goes by, and calls from outside."""

from emulator_farm.virtual.apps.dialer.in_call import call_state, ring, stop_ringing

CALLS = "content://call_log/calls"


def last(hand) -> dict:
    return hand.phone.query(CALLS, ["number", "type", "duration", "new"], None, "_id DESC")[0]


def test_a_call_is_answered_and_lasts(hand) -> None:
    hand.open("com.android.dialer")
    hand.tap(desc="Call Grace Lindqvist")
    assert hand.see(text="Calling…")
    hand.wait(2)
    assert hand.see(text="00:00")
    hand.wait(75)
    assert hand.see(text="01:15")
    hand.tap(desc="Hold")
    assert hand.see(text="On hold")
    hand.key(3)
    hand.wait(60)
    assert call_state(hand.phone.system) == 2
    hand.open("com.android.dialer")
    hand.tap(desc="Hold")
    hand.tap(desc="End call")
    assert last(hand) == {"number": "(555) 010-7745", "type": 2, "duration": 137, "new": 0}


def test_calls_from_outside(hand) -> None:
    system = hand.phone.system
    hand.open("org.virtual.notes")
    ring(system, "5550101184")
    assert call_state(system) == 1
    assert hand.see(text="Incoming call")
    assert hand.see(text="Amara Okafor")
    hand.tap(desc="Answer")
    hand.wait(9)
    assert call_state(system) == 2
    stop_ringing(system)
    hand.tap(desc="End call")
    assert last(hand) == {"number": "5550101184", "type": 1, "duration": 10, "new": 0}
    ring(system, "5550101184")
    hand.tap(desc="Decline")
    assert last(hand)["type"] == 5
    ring(system, "5550101184")
    stop_ringing(system)
    assert last(hand) == {"number": "5550101184", "type": 3, "duration": 0, "new": 1}
    assert call_state(system) == 0

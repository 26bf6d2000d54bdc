from __future__ import annotations

from agent_server.weights.revision import Revision
from agent_server.weights.sessions import Sessions

FIRST = Revision("base")


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def sessions(idle_s: float = 10, deadline_s: float = 100) -> tuple[Sessions, Clock]:
    clock = Clock()
    return Sessions(idle_s, deadline_s, clock), clock


def test_a_session_is_found_until_it_ends():
    known, _ = sessions()
    assert known.find("a") is None
    begun = known.begin("a", FIRST)
    assert known.find("a") is begun
    assert begun.revision is FIRST
    known.end("a")
    known.end("never heard of")
    assert known.find("a") is None
    assert len(known.all()) == 0


def test_one_that_is_not_heard_of_is_over_and_others_are_not():
    known, clock = sessions(idle_s=10)
    known.begin("quiet", FIRST)
    known.begin("busy", FIRST)
    for _ in range(3):
        clock.now += 6
        known.touch("busy")
    assert known.find("quiet") is None
    assert known.find("busy") is not None
    clock.now += 10
    assert len(known.all()) == 0


def test_a_request_that_is_being_answered_keeps_its_session():
    known, clock = sessions(idle_s=10)
    known.begin("a", FIRST).in_flight = 1
    known.begin("b", FIRST)
    clock.now += 50
    assert known.find("a") is not None
    assert known.find("b") is None


def test_entitled_until_the_deadline_however_busy():
    known, clock = sessions(idle_s=1000, deadline_s=100)
    session = known.begin("a", FIRST)
    clock.now += 99
    known.touch("a")
    assert known.entitled(session)
    clock.now += 1
    assert not known.entitled(session)
    assert known.find("a") is session


def test_when_time_alone_makes_a_difference():
    known, clock = sessions(idle_s=10, deadline_s=15)
    assert known.next_change_s() == float("inf")
    session = known.begin("a", FIRST)
    assert known.next_change_s() == 10
    clock.now += 6
    known.touch("a")
    assert known.next_change_s() == 9
    session.in_flight = 1
    clock.now += 8
    assert known.next_change_s() == 1

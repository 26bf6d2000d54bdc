from __future__ import annotations

import hashlib

from agent_server.uploads import Uploads


def digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def test_what_was_sent_is_held():
    uploads = Uploads()
    assert uploads.held({0: b"a"}) == {}
    uploads.note([b"a", b"b"])
    assert uploads.held({3: b"a", 4: b"c", 5: b"b"}) == {3: digest(b"a"), 5: digest(b"b")}


def test_only_the_latest_are_remembered():
    uploads = Uploads()
    uploads.note([b"old", b"again"])
    uploads.note([b"%d" % number for number in range(254)])
    uploads.note([b"again", b"new"])
    assert uploads.held(dict(enumerate([b"old", b"again", b"0", b"253"]))).keys() == {1, 2, 3}


def test_a_server_that_missed_three_times_is_trusted_no_more():
    uploads = Uploads()
    for _ in range(3):
        uploads.note([b"a"])
        assert uploads.held({0: b"a"})
        uploads.note_miss()
    uploads.note([b"a"])
    assert uploads.held({0: b"a"}) == {}

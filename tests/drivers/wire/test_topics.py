"""The names that things have over MQTT."""

from __future__ import annotations

import pytest

from drivers.wire.frame import Kind
from drivers.wire.topics import (
    HEARD,
    PLACE,
    Place,
    Presence,
    place_of,
    presence_from_json,
    presence_to_json,
    slug,
)


@pytest.mark.parametrize(
    ("name", "made"),
    [
        ("acceptor 3", "acceptor-3"),
        ("Table 12", "table-12"),
        (" shoe ", "shoe"),
        ("a+b/#", "a-b"),
        ("sign", "sign"),
    ],
)
def test_a_name_becomes_a_level_of_a_topic(name: str, made: str) -> None:
    assert slug(name) == made


@pytest.mark.parametrize("name", ["", "  ", "#", "+", "x" * 49, "$SYS/" * 20])
def test_a_name_that_leaves_nothing_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match="makes no name"):
        slug(name)


def test_a_topic_is_taken_apart_and_put_together() -> None:
    place = Place("table-12", "acceptor-3", "event")
    assert str(place) == "felt/table-12/acceptor-3/event"
    assert place_of(str(place)) == place


@pytest.mark.parametrize(
    "topic", ["", "felt", "felt/a/b", "felt/a/b/c/d", "other/a/b/c", "$SYS/broker/uptime/x"]
)
def test_other_topics_are_none_of_ours(topic: str) -> None:
    assert place_of(topic) is None


def test_every_packet_of_a_device_is_heard_and_none_of_felts_own() -> None:
    for kind in Kind:
        assert (PLACE[kind] in HEARD) is kind.from_device


def test_a_presence_comes_back_as_it_was() -> None:
    presence = Presence("lost", 7, 2)
    assert presence_to_json(presence) == b'{"state":"lost","boot":7,"connection":2}'
    assert presence_from_json(presence_to_json(presence)) == presence


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"ready",
        b'{"state":"gone","boot":1,"connection":1}',
        b'{"state":"lost","boot":-1,"connection":1}',
        b'{"state":"lost","boot":1,"connection":1}' + b" " * 200,
        b"\xff" * 20,
    ],
)
def test_what_is_no_presence_is_none(data: bytes) -> None:
    assert presence_from_json(data) is None

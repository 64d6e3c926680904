"""Where things are said over MQTT: felt/<table>/<device>/<what>.

    cmd     to the device: hello, command, poll, ack
    info    from the device: its identity
    ack     from the device: results, and idle for "nothing to say"
    event   from the device: what happened
    state   retained: whether the device is there; the broker says "lost" in its name
    status  retained, for people only: felt does not read it
    head    retained, from felt itself: the signed head of the table's journal

A device has one topic for each, so an account that may write below its own name speaks for no
other. felt itself is the device ``felt``, with a state, a head and nothing else.
"""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

import msgspec

from drivers.wire.fields import U32
from drivers.wire.frame import Kind

ROOT = "felt"
#: The name under which felt says that it is there. No device can have it.
FELT = "felt"

What = Literal["cmd", "info", "ack", "event", "state", "status", "head"]

#: Each kind of packet has its place, so one in another place is none.
PLACE: dict[Kind, What] = {
    Kind.HELLO: "cmd",
    Kind.COMMAND: "cmd",
    Kind.POLL: "cmd",
    Kind.ACK: "cmd",
    Kind.IDENTITY: "info",
    Kind.RESULT: "ack",
    Kind.IDLE: "ack",
    Kind.EVENT: "event",
}
#: What felt listens to.
HEARD: tuple[What, ...] = ("info", "ack", "event", "state")

MAX_SLUG = 48


def slug(name: str) -> str:
    """A name as a level of a topic: "acceptor 3" is acceptor-3."""
    made = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")
    if not made or len(made) > MAX_SLUG:
        raise ValueError(f"{name!r} makes no name for a topic: letters and digits, {MAX_SLUG} most")
    return made


class Place(NamedTuple):
    """A topic, taken apart."""

    table: str
    device: str
    what: str

    def __str__(self) -> str:
        return f"{ROOT}/{self.table}/{self.device}/{self.what}"


def place_of(topic: str) -> Place | None:
    """What a topic names; none if it is not one of these."""
    root, *rest = topic.split("/")
    return Place(*rest) if root == ROOT and len(rest) == 3 else None


class Presence(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A retained state, in Homie's words.

    ``boot`` and ``connection`` name the connection that it speaks of: the how-manieth since that
    start. A "lost" that the broker publishes late, for a connection before the present one, is
    known by them.
    """

    #: init: connected, and not listening yet. ready: may be greeted. disconnected: has left.
    #: lost: said by the broker, when the connection broke.
    state: Literal["init", "ready", "disconnected", "lost"]
    boot: U32
    connection: U32

    @property
    def is_alive(self) -> bool:
        return self.state in ("init", "ready")


_PRESENCE = msgspec.json.Decoder(Presence)
MAX_PRESENCE_BYTES = 200


def presence_to_json(presence: Presence) -> bytes:
    return msgspec.json.encode(presence)


def presence_from_json(data: bytes) -> Presence | None:
    if len(data) > MAX_PRESENCE_BYTES:
        return None
    try:
        return _PRESENCE.decode(data)
    except (msgspec.MsgspecError, ValueError):
        return None

"""What is fuzzed: each takes any bytes, and fails by raising.

A property test draws from what we could think of; these follow the branches of the code itself.
"""

from __future__ import annotations

import gzip
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from drivers.wire import describe, devicelog, envelope, frame, handshake, messages
from drivers.wire.devicelog import Bytes, Clock, Damage, Header, Remark
from drivers.wire.frame import MAX_FRAME, Kind, Packet, Splitter
from drivers.wire.handshake import PROTOCOL, Hello, Identity, Result
from drivers.wire.line import Line
from drivers.wire.logreading import read_records
from drivers.wire.notices import Identified
from drivers.wire.responder import Responder
from drivers.wire.station import Station

KEY = bytes(range(32))
IDENTITY = Identity(PROTOCOL, "shoe", "S-1", "4711", bytes(32), 7, "reads", bytes(16))
TAG = bytes(8)


def splitter(data: bytes) -> None:
    """The first byte says where the rest is cut: the packets must not depend on it."""
    if not data:
        return
    step, stream = 1 + data[0], data[1:]
    whole = list(Splitter().feed(stream))
    pieces = Splitter()
    found = [
        one for at in range(0, len(stream), step) for one in pieces.feed(stream[at : at + step])
    ]
    assert [one for one in found if isinstance(one, Packet)] == [
        one for one in whole if isinstance(one, Packet)
    ]
    for one in whole:
        if isinstance(one, Packet):
            assert len(frame.to_bytes(one)) <= MAX_FRAME
            assert frame.from_bytes(frame.to_bytes(one)[:-1]) == one


def message(data: bytes) -> None:
    read = messages.from_bytes(data)
    if read is not None:
        assert messages.to_bytes(read) == data
        describe.message(read)


def greeting(data: bytes) -> None:
    if hello := handshake.hello_from_bytes(data):
        assert handshake.hello_to_bytes(hello) == data
    if result := handshake.result_from_bytes(data):
        assert handshake.result_to_bytes(result) == data
    if identity := handshake.identity_from_bytes(data):
        assert handshake.identity_to_bytes(identity[0], KEY, bytes(16))[:-16] == data[:-16]


def json(data: bytes) -> None:
    packet = envelope.from_json(data)
    if packet is not None:
        assert envelope.from_json(envelope.to_json(packet)) == packet


def conversation(data: bytes) -> None:
    """Whatever is on the line, neither end raises or hoards."""
    station = Station(1, KEY, lambda: bytes(16))
    line = Line([station])
    device = Responder(IDENTITY, KEY, lambda command: ("done", ""), lambda: bytes(16))
    device.tell(messages.Door(True))
    splitter = Splitter()
    now = 0.0
    for at in range(0, len(data), 64):
        now += 0.01
        line.received(data[at : at + 64], now)
        for packet in splitter.feed(data[at : at + 64]):
            if isinstance(packet, Packet):
                device.received(packet, now)
        for written in line.to_write(now):
            for packet in splitter.feed(written):
                if isinstance(packet, Packet) and (answer := device.received(packet, now)):
                    line.received(frame.to_bytes(answer), now)
        notices = station.notices()
        assert len(notices) < 100
        for notice in notices:
            if isinstance(notice, Identified):
                station.accept(now)


@contextmanager
def in_memory(data: bytes) -> Iterator[Path]:
    """A file that is on no disk and leaves nothing behind."""
    descriptor = os.memfd_create("fuzzed log")
    try:
        os.write(descriptor, data)
        yield Path(f"/proc/self/fd/{descriptor}")
    finally:
        os.close(descriptor)


def log(data: bytes) -> None:
    """Plain or compressed, whichever it looks like."""
    with in_memory(data) as path:
        found = list(read_records(path))
    for record in found:
        if not isinstance(record, Damage):
            with in_memory(devicelog.line_of(record).encode()) as path:
                assert list(read_records(path)) == [record]


Target = Callable[[bytes], None]
TARGETS: dict[str, Target] = {
    "splitter": splitter,
    "message": message,
    "greeting": greeting,
    "json": json,
    "conversation": conversation,
    "log": log,
}


def seeds(name: str) -> list[bytes]:
    """Something of the right shape to begin with."""
    packets = [
        Packet(Kind.HELLO, 1, 1, 0, handshake.hello_to_bytes(Hello(PROTOCOL, bytes(16)))),
        Packet(Kind.IDENTITY, 1, 1, 0, handshake.identity_to_bytes(IDENTITY, KEY, bytes(16))),
        Packet(Kind.EVENT, 1, 1, 1, messages.to_bytes(messages.Wager("ante", 500)), TAG),
        Packet(Kind.RESULT, 1, 1, 1, handshake.result_to_bytes(Result(1, "done")), TAG),
    ]
    frames = [frame.to_bytes(packet) for packet in packets]
    written = [
        messages.to_bytes(one)
        for one in (
            messages.ShowWin("T1", 3, "royal", 1, 2),
            messages.Arm(1, (5, 5, 2)),
            messages.ShowPayouts("ante", 2, (1, 2, 3)),
        )
    ]
    records: tuple[devicelog.Record, ...] = (
        Header(devicelog.FORMAT, (("table", "T1"),)),
        Bytes(1, "in", b"\x01", "comment", "topic"),
        Remark(2, "note", "back\\slash\n"),
        Clock(3, 4),
    )
    lines = "".join(map(devicelog.line_of, records)).encode()
    return {
        "splitter": [b"\x03" + b"".join(frames)],
        "message": written,
        "greeting": [packet.payload for packet in packets],
        "json": [envelope.to_json(packet) for packet in packets],
        "conversation": frames,
        "log": [lines, gzip.compress(lines)],
    }[name]

"""Faces that a shoe reads are nowhere to be found before the reveal: not in events, not in logs.

R12, as far as drivers and wire go: what they emit is searched for the cards that were dealt, as
bytes, as numbers and as names.
"""

from __future__ import annotations

import gc
from pathlib import Path

import msgspec

from controller.daemon.sealing import Sealer, public_of
from controller.rules.cards import names
from drivers.contract import Settings
from drivers.shoe import Shoe
from drivers.wire import describe
from drivers.wire.capture import Capture, Heading
from drivers.wire.cobs import decode
from simulators import shoe
from simulators.tabletop import TableTop
from tests.drivers.bench import Bench
from tests.drivers.stories import of_the_shoe

KEY = bytes(range(32))
HEADING = Heading("t1", "shoe", "/dev/ttyS9", "felt", "pa-639a")


def dealt() -> tuple[Bench, list[list[int]], Sealer]:
    """Three stacks dealt by a shoe that reads, and the faces in each."""
    sealer = Sealer(public_of(KEY))
    story = of_the_shoe(reads=True)
    story.driver = Shoe(Settings("shoe"), sealer.seal)
    assert isinstance(story.device, shoe.Shoe)
    top: TableTop = story.device.top
    bench = Bench.of((story.driver, story.device))
    bench.connected()
    story.tell(bench, lambda: None)
    return bench, [top.at(seat) for seat in (1, 2, 3)], sealer


def shapes(faces: list[int]) -> list[bytes]:
    """How the faces of a stack could be written."""
    return [
        bytes(faces),
        bytes(faces).hex().encode(),
        bytes(faces).hex(" ").encode(),
        str(faces)[1:-1].encode(),
        ",".join(map(str, faces)).encode(),
        names(faces).encode(),
        names(faces).replace(" ", "").encode(),
    ]


def test_events_and_bytes_have_no_faces() -> None:
    bench, stacks, _ = dealt()
    emitted = [
        *(msgspec.json.encode(event) for event in bench.events),
        *(repr(event).encode() for event in bench.events),
        *bench.lanes[0].bytes,
        *(decode(data[:-1]) or b"" for data in bench.lanes[0].bytes),
    ]
    for faces in stacks:
        for shape in shapes(faces):
            assert not any(shape in one for one in emitted), shape


def test_the_device_log_has_no_faces(tmp_path: Path) -> None:
    bench, stacks, _ = dealt()
    capture = Capture(tmp_path, HEADING, describe=describe.frames)
    for number, data in enumerate(bench.lanes[0].bytes):
        for put in (capture.received, capture.sent):
            put(data, float(number))
    capture.close()
    written = b"".join(file.read_bytes() for file in tmp_path.iterdir()) + capture.flight().encode()
    assert b"dispensed" in written
    for faces in stacks:
        for shape in shapes(faces):
            assert shape not in written, shape


def test_the_driver_keeps_no_faces() -> None:
    bench, stacks, _ = dealt()
    gc.collect()
    kept = repr([vars(one.driver) for one in bench.attachments]).encode()
    for faces in stacks:
        for shape in shapes(faces):
            assert shape not in kept


def test_only_the_seals_owner_opens_them() -> None:
    bench, stacks, sealer = dealt()
    sealed = [event.sealed for event in bench.events if hasattr(event, "sealed")]
    assert [list(sealer.open(one)) for one in sealed] == stacks
    assert all(len(one) <= 200 for one in sealed)

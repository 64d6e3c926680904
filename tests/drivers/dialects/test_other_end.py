"""A device's end of a dialect hears what felt's end asks, however the bytes came."""

from __future__ import annotations

import pytest

from drivers.dialects import cctalk_frame, rtu
from drivers.dialects.other_end import MAX_REQUEST, other_end
from drivers.dialects.polled import Ask

MODBUS = [
    (rtu.read_inputs(1, 0, 8), "inputs 0 to 7", {}),
    (rtu.read_coils(2, 0, 8), "outputs 0 to 7", {}),
    (rtu.read_identification(1), "who it is", {}),
    (
        rtu.write_coils(1, 0, (True, False, True, True, *[False] * 4)),
        "set outputs 0 to 7",
        {"lock-out lamp": 1, "deal lamp": 0, "warning lamp": 1},
    ),
]
CCTALK = [
    (cctalk_frame.ask(2, cctalk_frame.READ_EVENTS, answer=11), "its events", {}),
    (cctalk_frame.ask(3, cctalk_frame.CATEGORY, answer=-1), "its category", {}),
    (
        cctalk_frame.ask(2, cctalk_frame.SET_MASTER_INHIBIT, b"\1"),
        "set master inhibit",
        {"master inhibit": 1},
    ),
    (cctalk_frame.ask(2, cctalk_frame.SET_INHIBITS, b"\3\0"), "set coins", {"coins": 3}),
]
ENDS = {"modbus": (MODBUS, {}), "cctalk": (CCTALK, {"coins": "1:100"})}


@pytest.mark.parametrize("dialect", ENDS)
@pytest.mark.parametrize("noise", [b"", b"\x55", b"\xff\x01\x3f"])
def test_requests_are_heard_byte_by_byte_and_after_noise(dialect: str, noise: bytes) -> None:
    asks: list[tuple[Ask, str, dict[str, int]]]
    asks, options = ENDS[dialect]
    end, held, found = other_end(dialect, options), bytearray(), []
    # Noise that looks like the beginning of something longer holds up what follows for so long.
    for byte in noise + b"".join(ask.frame for ask, _, _ in asks) * 20:
        held.append(byte)
        found += list(end.requests(held))
        assert len(held) <= MAX_REQUEST
    expected = [(ask.frame, what, sets) for ask, what, sets in asks]
    heard = [(one.frame, one.what, one.sets) for one in found]
    assert heard[-len(expected) :] == expected
    if not noise:
        assert heard == expected * 20


def test_what_is_set_reads_back_as_the_dialect_takes_it() -> None:
    modbus, cctalk = (other_end(name, ENDS[name][1]) for name in ENDS)
    outputs = (True, False, True, *[False] * 5)
    (request,) = modbus.requests(bytearray(rtu.write_coils(1, 0, outputs).frame))
    assert request.reads_back is not None
    what, said = request.reads_back
    asks = rtu.read_coils(1, 0, 8)
    (reading,) = modbus.requests(bytearray(asks.frame))
    assert what == reading.what
    assert asks.look(said) == len(said)
    assert rtu.bits(said, 8) == outputs
    locks = cctalk_frame.ask(2, cctalk_frame.SET_MASTER_INHIBIT, b"\1")
    (request,) = cctalk.requests(bytearray(locks.frame))
    assert request.reads_back is not None
    what, said = request.reads_back
    asks = cctalk_frame.ask(2, cctalk_frame.READ_MASTER_INHIBIT, answer=1)
    assert asks.look(said) == len(said)
    assert cctalk_frame.data_of(said) == b"\1"


@pytest.mark.parametrize(
    ("dialect", "options", "says"),
    [("morse", {}, "morse"), ("modbus", {"poll_ms": 0}, "poll_ms"), ("cctalk", {}, "coins")],
)
def test_what_can_t_be_is_said(dialect: str, options: dict[str, int], says: str) -> None:
    with pytest.raises(ValueError, match=says):
        other_end(dialect, options)

"""The frames of Modbus RTU against examples from public manuals, and against pymodbus."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pymodbus.framer import FramerRTU
from pymodbus.pdu import DecodePDU, ModbusPDU
from pymodbus.pdu.bit_message import (
    ReadCoilsRequest,
    ReadDiscreteInputsRequest,
    WriteMultipleCoilsRequest,
)
from pymodbus.pdu.mei_message import ReadDeviceInformationRequest, ReadDeviceInformationResponse

from drivers.dialects import rtu
from drivers.dialects.polled import Ask

THEIRS = FramerRTU(DecodePDU(True))


def test_the_check_value() -> None:
    assert rtu.crc(b"123456789") == bytes.fromhex("374b")


@pytest.mark.parametrize(
    ("ask", "written"),
    [
        # As the makers' manuals print them.
        (rtu.read_inputs(1, 0, 8), "01 02 00 00 00 08 79 CC"),
        (rtu.read_inputs(255, 0, 8), "FF 02 00 00 00 08 6C 12"),
        (rtu.read_coils(1, 0, 8), "01 01 00 00 00 08 3D CC"),
        (rtu.write_coils(1, 0, [True] * 8), "01 0F 00 00 00 08 01 FF BE D5"),
        (rtu.write_coils(1, 0, [False] * 8), "01 0F 00 00 00 08 01 00 FE 95"),
    ],
)
def test_a_request_is_written_as_in_the_manuals(ask: Ask, written: str) -> None:
    assert ask.frame == bytes.fromhex(written)


def test_an_answer_is_read_as_in_the_manuals() -> None:
    answer = bytes.fromhex("FF 02 01 01 51 A0")
    assert rtu.read_inputs(255, 0, 8).look(answer) == len(answer)
    assert rtu.refusal(answer) == ""
    assert rtu.bits(answer, 8) == (True, *[False] * 7)


def test_an_answer_that_says_no_is_an_answer() -> None:
    answer = bytes.fromhex("01 82 02 C1 61")
    assert rtu.read_inputs(1, 0, 8).look(answer) == len(answer)
    assert rtu.refusal(answer) == "illegal address"


@given(
    unit=st.integers(1, 247),
    first=st.integers(0, 0xFFFF),
    coils=st.lists(st.booleans(), min_size=1, max_size=64),
)
def test_pymodbus_writes_the_same(unit: int, first: int, coils: list[bool]) -> None:
    pairs: list[tuple[Ask, ModbusPDU]] = [
        (
            rtu.read_inputs(unit, first, len(coils)),
            ReadDiscreteInputsRequest(dev_id=unit, address=first, count=len(coils)),
        ),
        (
            rtu.read_coils(unit, first, len(coils)),
            ReadCoilsRequest(dev_id=unit, address=first, count=len(coils)),
        ),
        (
            rtu.write_coils(unit, first, coils),
            WriteMultipleCoilsRequest(dev_id=unit, address=first, bits=coils),
        ),
        (rtu.read_identification(unit), ReadDeviceInformationRequest(dev_id=unit)),
    ]
    for ours, theirs in pairs:
        assert ours.frame == THEIRS.buildFrame(theirs)


def test_what_a_device_says_of_itself() -> None:
    said = {0: b"Maker", 1: b"IO-8", 2: b"1.2"}
    answer = THEIRS.buildFrame(ReadDeviceInformationResponse(information=said, dev_id=1))
    look = rtu.read_identification(1).look
    assert [look(answer[:n]) for n in range(1, len(answer))] == [0] * (len(answer) - 1)
    assert look(answer) == len(answer)
    assert rtu.identification(answer) == ("Maker", "IO-8", "1.2")


@given(data=st.binary(min_size=1, max_size=600))
def test_looking_at_anything_is_safe(data: bytes) -> None:
    for ask in (
        rtu.read_inputs(data[0], 0, 8),
        rtu.write_coils(data[0], 0, [True] * 8),
        rtu.read_identification(data[0]),
    ):
        assert -1 <= ask.look(data) <= len(data)


@given(objects=st.binary(max_size=250), count=st.integers(0, 255))
def test_an_identification_of_any_content_is_safe(objects: bytes, count: int) -> None:
    body = bytes([1, 0x2B, 0x0E, 1, 1, 0, 0, count]) + objects
    answer = body + rtu.crc(body)
    if rtu.read_identification(1).look(answer) == len(answer):
        assert len(rtu.identification(answer)) <= 3

"""The simulated coin acceptor against the bytes that makers print, and its strictness."""

from __future__ import annotations

import pytest

from simulators.cctalk import BETWEEN_BYTES_S, MAX_COMPLAINTS, Bus, CoinAcceptor, Faults

POLL = bytes([2, 0, 1, 254, 255])
READ_EVENTS = bytes([2, 0, 1, 229, 24])
UNLOCK = bytes([2, 2, 1, 231, 255, 255, 22]) + bytes([2, 1, 1, 228, 1, 23])
ACK = bytes([1, 0, 2, 0, 253])


def test_it_answers_as_the_manuals_print_it() -> None:
    acceptor = CoinAcceptor()
    assert acceptor.received(POLL, 0.0) == ACK
    assert acceptor.received(bytes([2, 0, 1, 245, 8]), 0.0) == bytes(
        [1, 13, 2, 0, *b"Coin Acceptor", 22]
    )
    assert acceptor.received(bytes([2, 2, 1, 231, 167, 10, 99]), 0.0) == ACK
    assert acceptor.enabled == 0b1010_10100111
    for a, b in ((9, 9), (13, 2), (6, 4), (0, 23), (0, 20), (6, 4)):
        acceptor.happen(a, b)
    assert acceptor.received(READ_EVENTS, 0.0) == bytes(
        [1, 11, 2, 0, 6, 6, 4, 0, 20, 0, 23, 6, 4, 13, 2, 158]
    )


def test_its_counter_goes_from_255_to_1_and_to_0_only_by_a_restart() -> None:
    acceptor = CoinAcceptor()
    counters = []
    for _ in range(256):
        acceptor.happen(1, 1)
        counters.append(acceptor.counter)
    assert counters == [*range(1, 256), 1]
    assert acceptor.received(bytes([2, 0, 1, 1, 252]), 0.0) == ACK
    assert (acceptor.counter, acceptor.enabled, acceptor.accepting) == (0, 0, True)


def test_it_takes_a_coin_only_while_it_is_open_and_asked() -> None:
    acceptor = CoinAcceptor()
    assert acceptor.insert(1, 0.0) == "returned"
    acceptor.received(UNLOCK, 0.0)
    assert acceptor.insert(1, 0.0) == "returned"
    acceptor.received(READ_EVENTS, 0.0)
    assert acceptor.insert(1, 0.5) == "taken"
    assert acceptor.insert(1, 1.5) == "returned"
    assert acceptor.box == [1]


@pytest.mark.parametrize(
    ("wrong", "complaint"),
    [
        (bytes([2, 0, 1, 254, 254]), "a wrong checksum"),
        (bytes([2, 0, 9, 254, 247]), "a message from 9"),
        (bytes([2, 0, 1, 228, 25]), "header 228 with 0 bytes"),
        (bytes([2, 0, 1, 99, 154]), "header 99, which nobody uses"),
    ],
)
def test_it_notes_what_a_host_should_not_do(wrong: bytes, complaint: str) -> None:
    acceptor = CoinAcceptor()
    for _ in range(2 * MAX_COMPLAINTS):
        acceptor.received(wrong, 0.0)
    assert acceptor.complaints == [complaint] * MAX_COMPLAINTS


def test_half_a_message_is_forgotten() -> None:
    acceptor = CoinAcceptor()
    assert acceptor.received(POLL[:3], 0.0) == b""
    assert acceptor.received(POLL, 2 * BETWEEN_BYTES_S) == ACK
    assert acceptor.complaints == ["a message was not finished"]


def test_on_a_bus_the_host_hears_itself_and_one_of_them() -> None:
    acceptors = [CoinAcceptor(2), CoinAcceptor(3)]
    assert Bus(acceptors).received(POLL, 0.0) == POLL + ACK
    assert Bus(acceptors, echo=False).received(POLL, 0.0) == ACK
    assert [acceptor.complaints for acceptor in acceptors] == [[], []]


def test_two_of_one_seed_fail_alike() -> None:
    def said(seed: int) -> list[bytes]:
        acceptor = CoinAcceptor(faults=Faults(0.3, 0.3, 0.3), seed=seed)
        return [acceptor.received(POLL, 0.0) for _ in range(50)]

    assert said(1) == said(1) != said(2)
    assert set(said(1)) > {b"", ACK}

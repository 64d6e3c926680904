"""Acceptors that speak ccTalk: credits once, locks read back, restarts noticed, seven on a bus."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from drivers.contract import Settings
from drivers.dialects.cctalk import Acceptor, acceptor_line
from drivers.dialects.lines import for_driver, speaking
from drivers.dialects.polled import PolledLine
from drivers.wire import messages
from drivers.wire.messages import Fault, FaultCleared, LateWager, LockState, Wager
from drivers.wire.notices import Answered, Heard, Identified, Lost, Refused
from simulators.cctalk import Bus, CoinAcceptor, Faults
from tests.drivers.dialects.bench import Bench

FIVE, TWENTY_FIVE = 1, 2
COINS = "1:500 2:2500"
PLACED = Wager(wager="progressive", cents=500)


def device(seat: int = 1, **options: str | int | bool) -> tuple[int, Settings]:
    given = {"coins": COINS, **options}
    return seat, Settings(f"acceptor {seat}", seat=seat, wager="progressive", options=given)


def line(seats: int = 1, **options: str | int | bool) -> PolledLine:
    return acceptor_line([device(seat, **options) for seat in range(1, seats + 1)], boot=70)


def found(acceptor: CoinAcceptor, *, echo: bool = True, chunk: int = 0) -> Bench:
    """An acceptor that was identified and accepted, and is locked."""
    bench = Bench(line(), Bus([acceptor], echo=echo).received, chunk=chunk)
    bench.run(1.0)
    assert bench.station.stage == "ready"
    return bench


def opened(acceptor: CoinAcceptor) -> Bench:
    bench = found(acceptor)
    assert bench.told(messages.Unlock()) == ("done", "")
    return bench


# --- By hand --------------------------------------------------------------------


def test_a_conversation_worked_out_by_hand() -> None:
    """Every byte from the specification: what felt writes, and what it hears after its echo."""
    ack = [1, 0, 2, 0, 253]
    nothing = [1, 11, 2, 0, *[0] * 11, 242]
    one_coin = [1, 11, 2, 0, 1, 1, 1, *[0] * 8, 239]
    script: list[tuple[list[int], list[int]]] = [
        ([2, 0, 1, 254, 255], ack),
        ([2, 1, 1, 228, 0, 24], ack),
        ([2, 0, 1, 227, 26], [1, 1, 2, 0, 0, 252]),
        ([2, 0, 1, 245, 8], [1, 13, 2, 0, *b"Coin Acceptor", 22]),
        ([2, 0, 1, 246, 7], [1, 3, 2, 0, *b"NRI", 17]),
        ([2, 0, 1, 244, 9], [1, 2, 2, 0, *b"G2", 130]),
        # 0x012345 with the low byte first.
        ([2, 0, 1, 242, 11], [1, 3, 2, 0, 0x45, 0x23, 0x01, 145]),
        ([2, 0, 1, 241, 12], [1, 2, 2, 0, *b"v1", 84]),
        # Read twice, because it is news.
        ([2, 0, 1, 229, 24], nothing),
        ([2, 0, 1, 229, 24], nothing),
        # Accepted, and looked at.
        ([2, 0, 1, 229, 24], nothing),
        # Unlocked: positions 1 and 2, then the master inhibit, then read back.
        ([2, 2, 1, 231, 3, 0, 17], ack),
        ([2, 1, 1, 228, 1, 23], ack),
        ([2, 0, 1, 227, 26], [1, 1, 2, 0, 1, 251]),
        ([2, 0, 1, 229, 24], one_coin),
        ([2, 0, 1, 229, 24], one_coin),
        ([2, 1, 1, 228, 0, 24], ack),
        ([2, 0, 1, 227, 26], [1, 1, 2, 0, 0, 252]),
    ]
    for asked, answered in script:
        assert sum(asked) % 256 == sum(answered) % 256 == 0
    todo = iter(script)
    bench = Bench(line(), lambda written, now: b"")

    def scripted(written: bytes, now: float) -> bytes:
        asked, answered = next(todo, ([], []))
        if not asked:
            return b""
        assert list(written) == asked
        if asked == [2, 0, 1, 229, 24] and answered == nothing and bench.station.stage == "ready":
            bench.send(messages.Unlock())
        elif answered == one_coin:
            bench.send(messages.Lock(), urgent=True)
        return written + bytes(answered)

    bench.peer = scripted
    bench.run(1.0)
    assert next(todo, None) is None
    identity = bench.all_of(Identified)[0].identity
    assert (identity.model, identity.serial_number) == ("NRI G2", str(0x012345))
    assert bench.heard() == [PLACED]
    assert [answer.outcome for answer in bench.all_of(Answered)] == ["done", "done"]


# --- Who it is ------------------------------------------------------------------


@pytest.mark.parametrize("echo", [True, False])
@pytest.mark.parametrize("chunk", [0, 1, 4])
def test_it_says_who_it_is_and_is_locked_from_then_on(echo: bool, chunk: int) -> None:
    acceptor = CoinAcceptor(serial_number=77)
    bench = found(acceptor, echo=echo, chunk=chunk)
    (one,) = bench.all_of(Identified)
    assert (one.identity.kind, one.identity.model) == ("acceptor", "Felt Works SIM-1")
    assert (one.identity.serial_number, one.identity.boot) == ("77", 70)
    assert {"unproven", "lampless"} <= set(one.identity.capabilities.split())
    assert not acceptor.accepting
    assert acceptor.complaints == []


def test_another_kind_of_device_is_turned_away() -> None:
    bench = Bench(line(), Bus([CoinAcceptor(category="Payout")]).received)
    bench.run(1.0)
    (refused,) = bench.all_of(Refused)
    assert refused.why == "it is a 'Payout', not a coin acceptor"
    assert bench.station.stage == "refused"


# --- The lock -------------------------------------------------------------------


def test_unlocking_takes_the_coins_that_are_worth_something() -> None:
    acceptor = CoinAcceptor()
    opened(acceptor)
    assert (acceptor.accepting, acceptor.enabled) == (True, 0b11)


def test_locking_is_done_when_it_was_read_back() -> None:
    acceptor = CoinAcceptor()
    bench = opened(acceptor)
    before = len(bench.written)
    assert bench.told(messages.Lock(), seconds=0.1) == ("done", "")
    assert not acceptor.accepting
    assert bench.written[before : before + 2] == [
        bytes([2, 1, 1, 228, 0, 24]),
        bytes([2, 0, 1, 227, 26]),
    ]


def test_an_acceptor_that_stays_open_is_not_locked() -> None:
    acceptor = CoinAcceptor()
    bench = opened(acceptor)
    bus = Bus([acceptor])

    def stuck(written: bytes, now: float) -> bytes:
        heard = bus.received(written, now)
        acceptor.accepting = True
        return heard

    bench.peer = stuck
    assert bench.told(messages.Lock(), seconds=0.2) == (
        "refused",
        "it reads as open after the lock",
    )


def test_a_report_says_whether_it_is_locked() -> None:
    bench = found(CoinAcceptor())
    assert bench.told(messages.Report()) == ("done", "")
    bench.told(messages.Unlock())
    bench.told(messages.Report())
    assert bench.heard() == [LockState(locked=True), LockState(locked=False)]


def test_letting_go_locks() -> None:
    acceptor = CoinAcceptor()
    bench = opened(acceptor)
    assert bench.told(messages.Quiesce()) == ("done", "")
    assert not acceptor.accepting


def test_what_it_can_not_do_is_said() -> None:
    bench = found(CoinAcceptor())
    assert bench.told(messages.SetLamp(lamp="invite")) == ("unknown", "it has no lamp")
    assert bench.told(messages.SetWatchdog(milliseconds=3000))[0] == "unknown"
    assert bench.told(messages.Return(cents=500)) == ("refused", "what it took is in its box")


def test_a_lock_that_opened_by_itself_is_closed_and_taken_for_a_restart() -> None:
    acceptor = CoinAcceptor()
    bench = found(acceptor)
    acceptor.accepting = True
    bench.run(2.5)
    assert [notice.why for notice in bench.all_of(Lost)] == ["its lock changed by itself"]
    assert bench.all_of(Identified)[-1].restarted
    assert not acceptor.accepting


# --- Credits --------------------------------------------------------------------


def test_every_coin_is_told_once_with_its_worth() -> None:
    acceptor = CoinAcceptor()
    bench = opened(acceptor)
    for coin in (FIVE, TWENTY_FIVE, FIVE):
        assert acceptor.insert(coin, bench.now) == "taken"
        bench.run(0.4)
    assert bench.heard() == [PLACED, Wager(wager="progressive", cents=2500), PLACED]
    heard = bench.all_of(Heard)
    assert [(one.boot, one.seq, one.missed) for one in heard] == [(70, n, 0) for n in (1, 2, 3)]
    assert acceptor.complaints == []


def test_the_counter_goes_round() -> None:
    acceptor = CoinAcceptor()
    bench = opened(acceptor)
    for _ in range(300):
        acceptor.insert(FIVE, bench.now)
        bench.run(0.2)
    assert bench.heard() == [PLACED] * 300
    assert len(bench.all_of(Lost)) == 0


def test_what_was_before_felt_came_is_not_felt_s() -> None:
    acceptor = CoinAcceptor()
    acceptor.happen(FIVE, 1)
    assert found(acceptor).heard() == []


def test_more_coins_than_it_remembers_is_a_fault_that_says_how_many() -> None:
    acceptor = CoinAcceptor()
    bench = opened(acceptor)
    for _ in range(8):
        acceptor.insert(FIVE, bench.now)
    bench.run(0.5)
    lost = Fault(nature="internal", detail="3 events are lost: count the chips")
    assert bench.heard() == [lost, *[PLACED] * 5]
    assert [one.missed for one in bench.all_of(Heard)] == [3, 0, 0, 0, 0, 0]


def test_a_coin_that_is_credited_under_the_lock_is_held_and_said_to_be() -> None:
    """It did not go back, so it is not told as one that did: felt knows when it locked it."""
    acceptor = CoinAcceptor()
    bench = opened(acceptor)
    bench.told(messages.Lock(), seconds=0.1)
    acceptor.happen(FIVE, 1)
    bench.run(2.0)
    acceptor.happen(FIVE, 1)
    bench.run(0.5)
    by_hand = "if they are no wager, give them back by hand"
    assert bench.heard() == [
        PLACED,
        Fault(nature="internal", detail=f"it took 500 cents as it was locked: {by_hand}"),
        PLACED,
        Fault(nature="internal", detail=f"it took 500 cents after the lock: {by_hand}"),
    ]
    # What is ordered back is in its box, by name or not.
    refused = ("refused", "what it took is in its box")
    assert bench.told(messages.GiveBack(boot=1, event=1, cents=500)) == refused


def test_a_coin_that_is_turned_away_while_it_is_locked_came_late_too() -> None:
    acceptor = CoinAcceptor()
    bench = found(acceptor)
    assert acceptor.insert(TWENTY_FIVE, bench.now) == "returned"
    bench.run(0.5)
    assert bench.heard() == [LateWager(wager="progressive", cents=2500, sensed="after the lock")]


def test_a_coin_without_worth_is_a_fault() -> None:
    acceptor = CoinAcceptor()
    bench = opened(acceptor)
    acceptor.happen(9, 1)
    bench.run(0.5)
    (fault,) = bench.heard()
    assert isinstance(fault, Fault)
    assert "coin 9" in fault.detail


@pytest.mark.parametrize("code", [1, 2, 8, 254, 135])
def test_a_coin_that_is_no_good_is_nobody_s_business(code: int) -> None:
    acceptor = CoinAcceptor()
    bench = opened(acceptor)
    acceptor.happen(0, code)
    bench.run(0.5)
    assert bench.heard() == []


def test_a_fault_is_told_and_is_over_when_the_table_opens_it_again() -> None:
    acceptor = CoinAcceptor()
    bench = opened(acceptor)
    acceptor.happen(0, 14)
    acceptor.happen(0, 77)
    bench.run(0.5)
    assert bench.heard() == [
        Fault(nature="jam", detail="the credit sensor is covered"),
        Fault(nature="internal", detail="error 77"),
    ]
    bench.told(messages.Lock())
    assert bench.told(messages.Unlock()) == ("done", "")
    assert bench.heard()[2:] == [FaultCleared(nature="internal"), FaultCleared(nature="jam")]


def test_a_credit_that_was_read_only_once_is_not_believed() -> None:
    """A wrong byte that the checksum does not catch must not be money."""
    acceptor = CoinAcceptor()
    bench = opened(acceptor)
    bus = Bus([acceptor])
    lies = iter([True])

    def lying(written: bytes, now: float) -> bytes:
        heard = bus.received(written, now)
        if written[3] == 229 and next(lies, False):
            return written + bytes([1, 11, 2, 0, 1, 1, 1, *[0] * 8, 239])
        return heard

    bench.peer = lying
    bench.run(1.0)
    assert bench.heard() == []
    assert bench.all_of(Lost) == []


# --- Going and coming -----------------------------------------------------------


def test_a_restart_is_noticed_by_its_counter() -> None:
    acceptor = CoinAcceptor()
    bench = opened(acceptor)
    acceptor.insert(FIVE, bench.now)
    bench.run(0.5)
    acceptor.restart()
    bench.run(0.5)
    assert [notice.why for notice in bench.all_of(Lost)] == ["it has restarted"]
    again = bench.all_of(Identified)[-1]
    assert (again.restarted, again.identity.boot) == (True, 71)
    assert not acceptor.accepting
    assert bench.told(messages.Unlock()) == ("done", "")
    acceptor.insert(TWENTY_FIVE, bench.now)
    bench.run(0.5)
    assert bench.heard() == [PLACED, Wager(wager="progressive", cents=2500)]


def test_coins_that_were_taken_while_the_line_was_cut_are_told_when_it_is_back() -> None:
    acceptor = CoinAcceptor()
    bench = opened(acceptor)
    bus = bench.peer
    bench.peer = lambda written, now: b""
    acceptor.insert(FIVE, bench.now)
    bench.run(1.5)
    assert len(bench.all_of(Lost)) == 1
    bench.peer = bus
    bench.run(6.0)
    assert not bench.all_of(Identified)[-1].restarted
    assert [(one.message, one.boot, one.seq) for one in bench.all_of(Heard)] == [(PLACED, 70, 1)]


@pytest.mark.parametrize(
    "faults",
    [Faults(silence=0.2), Faults(wrong_checksum=0.2), Faults(lost_byte=0.2)],
    ids=["silence", "wrong checksum", "lost byte"],
)
def test_a_bad_line_costs_time_and_no_money(faults: Faults) -> None:
    acceptor = CoinAcceptor(faults=faults, seed=5)
    bench = Bench(line(), Bus([acceptor]).received)
    bench.run(20.0)
    inserted = 0
    for _ in range(40):
        if not acceptor.accepting:
            bench.send(messages.Unlock())
            bench.run(2.0)
        inserted += acceptor.insert(FIVE, bench.now) == "taken"
        bench.run(2.0)
    bench.run(10.0)
    assert inserted > 20
    assert bench.heard() == [PLACED] * inserted
    assert len(acceptor.box) == inserted
    assert bench.station.retries > 10


# --- Seven on a bus --------------------------------------------------------------


def test_a_lock_out_reaches_all_seven_before_the_first_is_asked_back() -> None:
    acceptors = [CoinAcceptor(address) for address in range(2, 9)]
    bench = Bench(line(7), Bus(acceptors).received)
    bench.run(3.0)
    for seat in range(1, 8):
        bench.send(messages.Unlock(), to=seat)
    bench.run(2.0)
    assert all(acceptor.accepting for acceptor in acceptors)
    before = len(bench.written)
    for seat in range(1, 8):
        bench.send(messages.Lock(), to=seat, urgent=True)
    bench.run(2.0)
    assert not any(acceptor.accepting for acceptor in acceptors)
    headers = [frame[3] for frame in bench.written[before:]]
    first = headers.index(228)
    assert headers[first : first + 14] == [228] * 7 + [227] * 7
    assert all(acceptor.complaints == [] for acceptor in acceptors)


def test_a_mute_one_does_not_keep_the_others() -> None:
    acceptors = [CoinAcceptor(address) for address in (2, 4)]
    bench = Bench(line(3), Bus(acceptors).received)
    bench.run(3.0)
    assert [station.stage for station in bench.line.stations] == ["ready", "silent", "ready"]
    bench.send(messages.Unlock(), to=3)
    bench.run(1.0)
    acceptors[1].insert(FIVE, bench.now)
    bench.run(1.0)
    assert bench.heard(address=3) == [PLACED]


# --- Garbage ---------------------------------------------------------------------


@settings(max_examples=50)
@given(noise=st.lists(st.binary(max_size=300), max_size=8))
def test_noise_never_raises_never_grows_and_is_got_over(noise: list[bytes]) -> None:
    bus = Bus([CoinAcceptor()])
    remaining = iter(noise)

    def noisy(written: bytes, now: float) -> bytes:
        said = next(remaining, None)
        return bus.received(written, now) if said is None else said

    bench = Bench(line(poll_ms=1000), noisy)
    bench.run(40.0)
    assert bench.station.stage == "ready"
    assert len(bench.line._heard) < 300


@settings(max_examples=50)
@given(
    prefix=st.binary(max_size=40),
    suffix=st.binary(max_size=40),
    echo=st.booleans(),
    cuts=st.lists(st.integers(1, 9), min_size=1),
)
def test_how_bytes_are_cut_does_not_matter(
    prefix: bytes, suffix: bytes, echo: bool, cuts: list[int]
) -> None:
    results = []
    for sizes in ([1000], cuts):
        one = line()
        (asked,) = one.to_write(0.0)
        stream = (asked if echo else b"") + prefix + bytes([1, 0, 2, 0, 253]) + suffix
        at = n = 0
        while at < len(stream):
            size = sizes[n % len(sizes)]
            one.received(stream[at : at + size], 0.01)
            at, n = at + size, n + 1
        results.append((one.counts, one.to_write(0.02), one._heard))
    assert results[0] == results[1]


# --- Configuration ----------------------------------------------------------------


@pytest.mark.parametrize("coins", ["", "500", "0:500", "17:500", "1:0", "1:500 1:2500", "1=500"])
def test_coins_that_can_not_be_are_refused(coins: str) -> None:
    with pytest.raises(ValueError, match="coins"):
        line(coins=coins)


def test_the_wager_must_be_named() -> None:
    with pytest.raises(ValueError, match="wager"):
        acceptor_line([(1, Settings("acceptor 1", options={"coins": COINS}))], boot=1)


def test_the_dialect_takes_its_options_and_leaves_the_others() -> None:
    seat, given_settings = device(first_address=20, returns=False)
    spoken = speaking("cctalk", [(seat, given_settings)], boot=1)
    (station,) = spoken.stations
    assert isinstance(station, Acceptor)
    assert (station.address, station.bus_address) == (1, 20)
    assert for_driver("cctalk", given_settings).options == {"returns": False}
    assert for_driver("modbus", Settings("panel", options={"poll_ms": 5})).options == {}

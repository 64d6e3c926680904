"""Wires as they come: felt's own station, and between it and the device a bad line.

What the checks beside this one do by hand, one fault at a time, is done here as felt does it, with
its patience and its repeats: all commands are to be done, once each, and each event is to come.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from controller.certify.bench import Bench
from controller.certify.verdict import Broken, Check, Do, Silent
from drivers.wire import envelope, frame, messages
from drivers.wire.frame import Garbage, Packet, Splitter
from drivers.wire.notices import Answered, Heard, Identified, NotSent, Unclear
from drivers.wire.station import Station
from simulators.faults import Fault
from simulators.wires import Wire

COMMANDS = 6
#: A line may be so bad that it takes a while; more than this and nothing comes through.
ALL_IN_S = 90.0
STEP_S = 0.004
#: Of frames with one bit changed, so many are tried, and of others that are none.
FLIPPED, CUT_SHORT, RANDOM = 24, 12, 12


class _Rough:
    """A station that talks with the device through two bad wires."""

    def __init__(self, bench: Bench, faults: Callable[[], Fault]) -> None:
        talk, medium = bench.talk, bench.medium
        self.medium = medium
        self.is_json = medium.wire == "mqtt"
        self.out = Wire(faults(), seed=bench.random.randrange(1 << 30))
        self.back = Wire(faults(), seed=bench.random.randrange(1 << 30))
        self.station = Station(
            medium.address,
            talk.key,
            lambda: bench.random.randbytes(16),
            polled=talk.polled,
            deadlines=self.is_json,
        )
        self._splitter = Splitter()
        self._now = 0.0

    def heard(self, packet: Packet | Garbage, now: float) -> None:
        if isinstance(packet, Packet):
            self.back.put(self.medium.coded(packet), now)

    def step(self, now: float) -> None:
        for data in self.back.take(now):
            for one in self._packets(data):
                if one.address == self.medium.address and one.kind.from_device:
                    self.station.received(one, now)
        while packet := self.station.next_packet(now):
            self.out.put(self.medium.coded(packet), now)
        for data in self.out.take(now):
            self.medium.say_bytes(data)

    def _packets(self, data: bytes) -> list[Packet]:
        if self.is_json:
            found = envelope.from_json(data)
            return [] if found is None else [found]
        return [one for one in self._splitter.feed(data) if isinstance(one, Packet)]


def _over(faults: Callable[[], Fault]) -> Do:
    async def check(bench: Bench) -> None:
        each = len(await bench.told_by(messages.Report()))
        rough = _Rough(bench, faults)
        usual, bench.medium.on_heard = bench.medium.on_heard, rough.heard
        try:
            answered, came = await _converse(bench, rough, each)
        finally:
            bench.medium.on_heard = usual
            bench.talk.others_heard()
        if answered < COMMANDS:
            raise Broken(f"of {COMMANDS} commands only {answered} were done")
        if came != COMMANDS * each:
            raise Broken(
                f"{COMMANDS} reports, of which each brings {each} events, and {came} events came"
            )

    return check


async def _converse(bench: Bench, rough: _Rough, each: int) -> tuple[int, int]:
    talk, station = bench.talk, rough.station
    ids = [talk.new_id() for _ in range(COMMANDS)]
    #: By number: the station counts a session's first event once more.
    events: dict[int, object] = {}
    answered = 0
    end = talk.now + ALL_IN_S
    while talk.now < end:
        now = talk.now
        rough.step(now)
        for notice in station.notices():
            match notice:
                case Identified():
                    station.accept(now)
                    for id_ in ids:
                        station.send(id_, messages.Report(), deadline=now + ALL_IN_S)
                    ids = []
                case Heard(message, seq, boot):
                    events[seq] = message
                    station.acknowledge(boot, seq)
                case Answered(outcome="done"):
                    answered += 1
                case Answered(_, _, outcome):
                    raise Broken(f"a report is answered with {outcome}")
                case Unclear() | NotSent():
                    raise Silent("a command was not answered in all that time")
        if answered == COMMANDS and len(events) >= COMMANDS * each:
            # One that was told twice would come now.
            end = min(end, now + 1.5)
        await asyncio.sleep(STEP_S)
    return answered, len(events)


async def _garbage(bench: Bench) -> None:
    """Random bytes, one bit changed, cut short: and each time the next good request."""
    talk, dice = bench.talk, bench.random
    mark = len(talk.told)

    def good() -> bytes:
        return frame.to_bytes(talk.commanding(messages.Report()))

    async def lives(what: str) -> None:
        # What is left over of it ends with the next zero: that may cost one request.
        if not (await talk.ask(talk.polling()) or await talk.ask(talk.polling())):
            raise Broken(f"after {what} it does not answer two good requests")
        if told := talk.told[mark:]:
            raise Broken(f"{what} made it tell {bench.name_of(told[0])}")

    for _ in range(FLIPPED):
        data = bytearray(good())
        data[dice.randrange(len(data) - 1)] ^= 1 << dice.randrange(8)
        talk.say_bytes(bytes(data) + b"\0")
        await lives("a frame with one bit changed")
    for _ in range(CUT_SHORT):
        data = bytearray(good())
        talk.say_bytes(bytes(data[: dice.randrange(1, len(data) - 1)]) + b"\0")
        await lives("a frame that was cut short")
    for length in (*range(1, RANDOM), 218, 219, 220, 500, 2000):
        talk.say_bytes(dice.randbytes(length) + b"\0")
        await lives(f"{length} random bytes")
    talk.say_bytes(b"\x55" * 600 + b"\0")
    await lives("600 bytes without a zero")
    talk.say_bytes(b"\xff" * 8 + b"\0" * 8)
    await lives("zeros")


async def _in_pieces(bench: Bench) -> None:
    """A frame comes byte by byte, and with a rest in its middle."""
    talk = bench.talk
    packet = talk.polling()
    data = frame.to_bytes(packet)
    mark = len(talk.log)
    talk.say_bytes(data[:7])
    await talk.listen(0.3)
    for at in range(7, len(data)):
        talk.say_bytes(data[at : at + 1])
        await asyncio.sleep(0.001)
    if await talk.first(lambda one: one.seq == packet.seq, 1.0, mark) is None:
        raise Broken("a frame that came in pieces is not answered")
    mark = len(talk.log)
    packet = talk.polling()
    talk.say_bytes(b"\0" + frame.to_bytes(packet))
    if await talk.first(lambda one: one.seq == packet.seq, 1.0, mark) is None:
        raise Broken("a frame with a zero in front of it is not answered")


CHECKS = (
    Check("works.noise", "silver", "", _garbage, wires=("line", "bus")),
    Check(
        "wire.pieces",
        "silver",
        "Two zeros in a row have nothing between them; a sender may put a zero in front of a frame "
        "to end whatever noise came before.",
        _in_pieces,
        wires=("line", "bus"),
    ),
    Check(
        "wire.lost",
        "silver",
        "felt has one request at a time, and it is repeated until it is answered.",
        _over(lambda: Fault("lost", 0.2)),
        within=ALL_IN_S + 30,
    ),
    Check(
        "wire.twice",
        "silver",
        "if the number is that of the last request: sends the same answer again, byte for byte, "
        "and does nothing;",
        _over(lambda: Fault("twice", 0.5)),
        within=ALL_IN_S + 30,
    ),
    Check(
        "wire.noise",
        "silver",
        "What is not a frame (too short, too long, a wrong check, an unknown kind, a piece that "
        "runs over the end) is dropped without an answer.",
        _over(lambda: Fault("noise", 0.2)),
        wires=("line", "bus"),
        within=ALL_IN_S + 30,
    ),
    Check(
        "wire.split",
        "silver",
        "Collect bytes up to a zero, undo the stuffing, check the check.",
        _over(lambda: Fault("split")),
        wires=("line", "bus"),
        within=ALL_IN_S + 30,
    ),
    Check(
        "wire.late",
        "silver",
        "An answer that comes later is not lost, as long as felt still waits: it repeats the "
        "request, and takes whichever answer comes first.",
        _over(lambda: Fault("slow", 0.4)),
        wires=("line", "mqtt"),
        within=ALL_IN_S + 30,
    ),
)

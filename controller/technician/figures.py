"""What a device log says of its wire in figures: rates, repeats, latencies, gaps."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from controller.technician.logs import Run, Wire
from drivers.wire.devicelog import Bytes, Quiet, Remark
from drivers.wire.frame import Garbage, Kind, Packet, Splitter

#: Answers are sorted into these, in milliseconds.
STEPS_MS = (2, 5, 10, 20, 50, 100, 200, 500, 1000)
BAR = 30
#: Times of answers are counted in steps of so many microseconds: a log may be long.
STEP_US = 100


@dataclass(slots=True)
class Figures:
    """Of one device on a wire."""

    device: str
    frames_in: int = 0
    frames_out: int = 0
    repeats: int = 0
    hellos: int = 0
    #: Polls that were answered and said nothing, and the longest that such an answer took.
    quiet_polls: int = 0
    slowest_us: int = 0
    #: How many answers took so long, in steps of ``STEP_US``.
    latencies: Counter[int] = field(default_factory=Counter)


@dataclass(slots=True)
class WireFigures:
    wire: str
    seconds: float = 0.0
    bytes_in: int = 0
    bytes_out: int = 0
    garbage: int = 0
    gaps: int = 0
    losses: int = 0
    devices: dict[int, Figures] = field(default_factory=dict)


def of_run(run: Run) -> list[WireFigures]:
    return [_of_wire(wire) for wire in run.wires.values()]


def _of_wire(wire: Wire) -> WireFigures:
    found = WireFigures(wire.name)
    names = wire.given.get("devices", [])
    at_broker = bool(wire.given.get("mqtt"))
    splitters = {"in": Splitter(), "out": Splitter()}
    asked: dict[int, tuple[Kind, int, int]] = {}
    first_us = None
    for logged in wire.records():
        record = logged.record
        first_us = logged.at_us if first_us is None else first_us
        found.seconds = (logged.at_us - first_us) / 1e6
        if isinstance(record, Quiet):
            for polled in record.devices:
                # At a broker they are counted by their places, and not by their seats.
                at = polled.address
                name = names[at - 1] if at_broker and at <= len(names) else _name(at, names)
                device = found.devices.setdefault(at, Figures(name))
                device.quiet_polls += polled.polls
                device.slowest_us = max(device.slowest_us, polled.slowest_us)
        elif isinstance(record, Remark):
            found.gaps += record.word == "gap"
            found.losses += record.word == "port" and record.text.startswith("absent")
        elif isinstance(record, Bytes):
            if record.direction == "in":
                found.bytes_in += len(record.data)
            else:
                found.bytes_out += len(record.data)
            if record.channel:
                continue  # at a broker: no frames
            for one in splitters[record.direction].feed(record.data):
                if isinstance(one, Garbage):
                    found.garbage += len(one.data)
                else:
                    _count(found, one, logged.at_us, asked, names)
    return found


def _count(
    found: WireFigures,
    packet: Packet,
    at_us: int,
    asked: dict[int, tuple[Kind, int, int]],
    names: list[str],
) -> None:
    address = packet.address
    device = found.devices.setdefault(address, Figures(_name(address, names)))
    if not packet.kind.from_device:
        device.frames_out += 1
        device.hellos += packet.kind is Kind.HELLO
        before = asked.get(address)
        if packet.kind in (Kind.COMMAND, Kind.POLL):
            if before is not None and before[:2] == (packet.kind, packet.seq):
                device.repeats += 1
            else:
                asked[address] = (packet.kind, packet.seq, at_us)
        return
    device.frames_in += 1
    if packet.kind in (Kind.RESULT, Kind.IDLE) and address in asked:
        _, seq, since = asked[address]
        if seq == packet.seq:
            device.latencies[(at_us - since) // STEP_US] += 1
            del asked[address]


def _name(address: int, names: list[str]) -> str:
    for name in names:
        if name.rpartition(" ")[2] == str(address):
            return name
    return names[address - 1] if 0 < address <= len(names) else f"address {address}"


def told(all_: list[WireFigures]) -> Iterator[str]:
    """The figures, with a small plot of how long answers took."""
    for wire in all_:
        rate = (wire.bytes_in + wire.bytes_out) / wire.seconds if wire.seconds else 0
        yield (
            f"{wire.wire}: {wire.seconds:.1f} s, {wire.bytes_in} bytes in, {wire.bytes_out} out "
            f"({rate:.0f} bytes/s), {wire.garbage} garbage, {wire.gaps} gaps, "
            f"{wire.losses} times lost"
        )
        for device in wire.devices.values():
            yield f"  {device.device}: {device.frames_in} frames in, {device.frames_out} out, " + (
                f"{device.repeats} repeated, {device.hellos} hellos"
            )
            if device.quiet_polls:
                slowest = device.slowest_us / 1000
                yield f"    {device.quiet_polls} quiet polls, answered within {slowest:.1f} ms"
            yield from _plot(device.latencies)


def _plot(latencies: Counter[int]) -> Iterator[str]:
    if not latencies:
        return
    middle, late = (_within(latencies, part) for part in (50, 99))
    yield f"    answers: median {middle / 1000:.1f} ms, 99 % within {late / 1000:.1f} ms"
    counts: Counter[int] = Counter()
    for one, number in latencies.items():
        took = (one + 1) * STEP_US
        counts[next((step for step in STEPS_MS if took <= step * 1000), 0)] += number
    most = max(counts.values())
    for step in (*STEPS_MS, 0):
        if count := counts[step]:
            label = f"<= {step} ms" if step else "longer"
            yield f"    {label:>10} {'#' * max(1, count * BAR // most):<{BAR}} {count}"


def _within(latencies: Counter[int], percent: int) -> int:
    """Microseconds within which so many of the answers came."""
    wanted = latencies.total() * percent / 100
    seen = 0
    for one in sorted(latencies):
        seen += latencies[one]
        if seen >= wanted:
            return (one + 1) * STEP_US
    return 0

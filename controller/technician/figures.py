"""What a device log says of its wire in figures: rates, repeats, latencies, gaps."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from controller.technician import said
from controller.technician.answering import STEP_US, Answering, Times
from controller.technician.choosing import Choice
from controller.technician.hearing import Ear, Names, ear_of
from controller.technician.hearing_dialects import REFUSED
from controller.technician.logs import Logged, Run, Wire
from controller.technician.said import Said
from controller.technician.span import Span
from drivers.wire.devicelog import Bytes, Damage, Quiet, Remark

#: Answers are sorted into these, in milliseconds.
STEPS_MS = (2, 5, 10, 20, 50, 100, 200, 500, 1000)
BAR = 30
#: Lines of text are not longer.
WIDTH = 80
#: A plot over time has no more columns than this.
COLUMNS = 60
HEIGHTS = "▁▂▃▄▅▆▇█"
PLAIN_HEIGHTS = ".:-=+*%#"
#: A silence that is worth a word, in seconds: felt asks everybody every second.
SILENCE_S = 3.0
#: Of the messages that a device said, those that it said most often.
MAX_NAMED = 6
#: What a device is asked when it has come, where there is no handshake.
_WHO_ARE_YOU = "category"


class Pace:
    """How much happened when: columns that grow wider as time goes on."""

    def __init__(self) -> None:
        self.width_us = 1_000_000
        self.columns: list[int] = []

    def add(self, since_us: int, count: int = 1) -> None:
        place = max(since_us, 0) // self.width_us
        while place >= 2 * COLUMNS:
            self.widen()
            place = since_us // self.width_us
        self.columns += [0] * (place + 1 - len(self.columns))
        self.columns[place] += count

    def widen(self) -> None:
        """Two columns become one."""
        pairs = range(0, len(self.columns), 2)
        self.columns = [sum(self.columns[n : n + 2]) for n in pairs]
        self.width_us *= 2


@dataclass(slots=True)
class Figures:
    """Of one device on a wire."""

    device: str
    frames_in: int = 0
    frames_out: int = 0
    repeats: int = 0
    #: How often it said who it is.
    contacts: int = 0
    refused: int = 0
    #: Answers that came when felt had given up waiting for them.
    late: int = 0
    #: Bytes that were nothing, where it is known whose they were.
    garbage: int = 0
    #: Polls that were answered and said nothing, and the longest that such an answer took.
    quiet_polls: int = 0
    slowest_us: int = 0
    times: Times = field(default_factory=Times)
    #: What it told, by its name.
    events: Counter[str] = field(default_factory=Counter)
    pace: Pace = field(default_factory=Pace)
    heard_us: int | None = None
    longest_us: int = 0

    @property
    def troubles(self) -> int:
        """How often something was not as it should be."""
        again = max(self.contacts - 1, 0)
        once = bool(self.garbage) + self.is_silent
        return self.repeats + self.late + self.refused + again + once

    @property
    def is_silent(self) -> bool:
        return self.longest_us > SILENCE_S * 1e6

    def heard(self, at_us: int) -> None:
        if self.heard_us is not None:
            self.longest_us = max(self.longest_us, at_us - self.heard_us)
        self.heard_us = at_us


@dataclass(slots=True)
class WireFigures:
    wire: str
    #: When it begins, in microseconds after the start of felt, and how long it is.
    since_us: int = 0
    seconds: float = 0.0
    bytes_in: int = 0
    bytes_out: int = 0
    #: Of nobody that is known.
    garbage: int = 0
    gaps: int = 0
    unreadable: int = 0
    losses: int = 0
    devices: dict[str, Figures] = field(default_factory=dict)


def of_run(
    run: Run, choice: Choice | None = None, stretch: Span | None = None
) -> list[WireFigures]:
    """By wire; of the devices that are chosen, and of what was said in a stretch."""
    first_us = min((wire.first_us[0] for wire in run.wires.values()), default=0)
    chosen = choice or Choice()
    named = ((wire, Names(wire)) for wire in run.wires.values())
    return [
        _Counting(wire, names, chosen, first_us).run(stretch or Span())
        for wire, names in named
        if chosen.takes(wire, names)
    ]


class _Counting:
    def __init__(self, wire: Wire, names: Names, choice: Choice, first_us: int) -> None:
        self._wire = wire
        self._names = names
        self._wanted = choice.devices
        self._first_us = first_us
        self._ear: Ear = ear_of(wire, names)
        self._answering = Answering()
        self._is_open = False
        self._found = WireFigures(wire.name, wire.first_us[0] - first_us)

    def run(self, stretch: Span) -> WireFigures:
        found = self._found
        began: int | None = None
        last_us = 0
        for logged in self._wire.records():
            if not stretch.has(logged.at_us):
                self._pass(logged)
                continue
            began = logged.at_us if began is None else began
            found.seconds = (logged.at_us - began) / 1e6
            self._take(logged)
            last_us = logged.at_us
        for device in found.devices.values():
            # One that did not come back was silent to the end.
            device.heard(last_us)
        if self._wanted:
            found.devices = {
                name: one for name, one in found.devices.items() if name in self._wanted
            }
        return found

    def _pass(self, logged: Logged) -> None:
        """What is not counted: only so much of it that what follows is understood."""
        match logged.record:
            case Bytes() as record:
                for _ in self._ear.hear(record):
                    pass
            case Remark(word="port", text=text):
                self._is_open = text.startswith("open")
                self._cut()
            case Remark(word="gap") | Damage():
                self._cut()

    def _take(self, logged: Logged) -> None:
        found = self._found
        match logged.record:
            case Bytes() as record:
                if record.direction == "in":
                    found.bytes_in += len(record.data)
                else:
                    found.bytes_out += len(record.data)
                for one in self._ear.hear(record):
                    self._count(one, logged.at_us, is_heard=record.direction == "in")
            case Quiet(length_us=length_us, devices=devices):
                for polled in devices:
                    device = self._device(self._names.polled(polled))
                    device.quiet_polls += polled.polls
                    device.slowest_us = max(device.slowest_us, polled.slowest_us)
                    # Each is a poll and its answer.
                    device.pace.add(logged.at_us - self._first_us, 2 * polled.polls)
                    # It was heard all the time, from the beginning of the stretch.
                    device.heard(logged.at_us - length_us)
                    device.heard_us = logged.at_us - polled.heard_us
            case Remark(word="gap"):
                found.gaps += 1
                self._cut()
            case Remark(word="port", text=text):
                was_open, self._is_open = self._is_open, text.startswith("open")
                found.losses += was_open and not self._is_open
                self._cut()
            case Damage():
                found.unreadable += 1
                self._cut()

    def _cut(self) -> None:
        self._ear.cut()
        self._answering.cut()

    def _count(self, one: Said, at_us: int, *, is_heard: bool) -> None:
        if one.kind == said.GARBAGE and not one.device:
            self._found.garbage += one.length
            return
        if one.kind == said.ECHO:
            return
        device = self._device(one.device)
        if one.kind == said.GARBAGE:
            device.garbage += one.length
            return
        device.pace.add(at_us - self._first_us)
        if not is_heard:
            device.frames_out += 1
            device.repeats += self._answering.asks(one, at_us)
            return
        device.frames_in += 1
        device.heard(at_us)
        device.late += one.kind == said.LATE
        device.refused += one.name == REFUSED or one.in_common.endswith(f" {REFUSED}")
        device.contacts += _is_contact(one)
        if one.kind == "event":
            device.events[one.name] += 1
        if (took := self._answering.answers(one, at_us)) is not None:
            device.times.add(took.microseconds)

    def _device(self, name: str) -> Figures:
        found = self._found.devices.get(name)
        if found is None:
            found = self._found.devices[name] = Figures(name)
        return found


def _is_contact(one: Said) -> bool:
    """It says who it is; without that, a packet of this kind asks to be greeted."""
    if one.packet is None:
        return one.name == _WHO_ARE_YOU
    return one.kind == "identity" and bool(one.packet.payload)


# --- One line a device ------------------------------------------------------


#: What stands above the rows.
HEADINGS = ("", "in", "out", "again", "late", "refused", "came", "silent", "median", "99 %")


def rows(all_: list[WireFigures]) -> Iterator[tuple[str, ...]]:
    """A row for each device, the worst first; what is as it should be is left empty."""
    devices = [device for wire in all_ for device in wire.devices.values()]
    for one in sorted(devices, key=lambda one: (-one.troubles, -one.times.within(99), one.device)):
        counts = (one.repeats, one.late, one.refused)
        yield (
            one.device,
            str(one.frames_in),
            str(one.frames_out),
            *(str(count) if count else "" for count in counts),
            str(one.contacts) if one.contacts > 1 else "",
            f"{one.longest_us / 1e6:.1f} s" if one.is_silent else "",
            *(_milliseconds(one.times, part) for part in (50, 99)),
        )


def _milliseconds(times: Times, part: int) -> str:
    return f"{times.within(part) / 1000:.1f} ms" if times.count else ""


def wrong_at(wire: WireFigures) -> str:
    """Of the wire itself, and bytes that are nothing."""
    garbage = wire.garbage + sum(one.garbage for one in wire.devices.values())
    counts = (
        (wire.losses, f"lost {_times(wire.losses)}"),
        (wire.gaps, f"gaps in the log: {wire.gaps}"),
        (wire.unreadable, f"lines that can't be read: {wire.unreadable}"),
        (garbage, f"{garbage} bytes of garbage"),
    )
    return ", ".join(what for count, what in counts if count)


def as_data(all_: list[WireFigures]) -> list[dict[str, Any]]:
    """The same for programs; the worst device of each wire first."""
    return [
        {
            "wire": wire.wire,
            "seconds": round(wire.seconds, 6),
            "bytes_in": wire.bytes_in,
            "bytes_out": wire.bytes_out,
            "lost": wire.losses,
            "gaps": wire.gaps,
            "unreadable": wire.unreadable,
            "garbage": wire.garbage,
            "devices": [
                _device_data(one)
                for one in sorted(wire.devices.values(), key=lambda one: -one.troubles)
            ],
        }
        for wire in all_
    ]


def _device_data(one: Figures) -> dict[str, Any]:
    times = one.times
    return {
        "device": one.device,
        "troubles": one.troubles,
        "frames_in": one.frames_in,
        "frames_out": one.frames_out,
        "repeated": one.repeats,
        "late": one.late,
        "refused": one.refused,
        "garbage": one.garbage,
        "came": one.contacts,
        "longest_silence_s": round(one.longest_us / 1e6, 6),
        "quiet_polls": one.quiet_polls,
        "told": dict(one.events),
        "answers": times.count,
        "median_ms": times.within(50) / 1000 if times.count else None,
        "within_99_ms": times.within(99) / 1000 if times.count else None,
    }


# --- In words -------------------------------------------------------------------


def told(all_: list[WireFigures], heights: str = HEIGHTS) -> Iterator[str]:
    """The figures, with small plots: what was said when, and how long answers took."""
    for text in _told(all_, heights):
        yield from textwrap.wrap(text, WIDTH, subsequent_indent="      ") or [text]


def _told(all_: list[WireFigures], heights: str) -> Iterator[str]:
    last_us = max((one.since_us + round(one.seconds * 1e6) for one in all_), default=0)
    width_us = Pace().width_us
    while last_us // width_us >= COLUMNS:
        width_us *= 2
    yield f"a column of the plots is {_span(width_us)}; behind them, frames in the highest"
    for wire in all_:
        rate = (wire.bytes_in + wire.bytes_out) / wire.seconds if wire.seconds else 0
        yield (
            f"{wire.wire}: {wire.seconds:.1f} s, {wire.bytes_in} bytes in, "
            f"{wire.bytes_out} out ({rate:.0f} bytes/s)"
        )
        if wrong := wrong_at(wire):
            yield f"  {wrong}"
        for device in wire.devices.values():
            yield from _of_device(device, last_us, width_us, heights)


def _of_device(device: Figures, last_us: int, width_us: int, heights: str) -> Iterator[str]:
    counts = [f"{device.frames_in} frames in", f"{device.frames_out} out"]
    more = (
        (device.repeats, "repeated"),
        (device.late, "answered too late"),
        (device.refused, "refused"),
        (device.garbage, "bytes of garbage"),
    )
    counts += [f"{count} {what}" for count, what in more if count]
    if device.contacts:
        counts.append(f"came {_times(device.contacts)}")
    yield f"  {device.device}: {', '.join(counts)}"
    yield from _over_time(device.pace, last_us, width_us, heights)
    if device.is_silent:
        yield f"    longest silence {device.longest_us / 1e6:.1f} s"
    if device.events:
        often = device.events.most_common(MAX_NAMED)
        rest = device.events.total() - sum(count for _, count in often)
        named = ", ".join(f"{count} {name}" for name, count in often)
        yield f"    told {named}" + (f", {rest} more" if rest else "")
    if device.quiet_polls:
        slowest = device.slowest_us / 1000
        yield f"    {device.quiet_polls} quiet polls, answered within {slowest:.1f} ms"
    yield from _plot(device.times)


def _over_time(pace: Pace, last_us: int, width_us: int, heights: str) -> Iterator[str]:
    """From felt's start to the end of its logs, the same for all wires."""
    while pace.width_us < width_us:
        pace.widen()
    most = max(pace.columns, default=0)
    if most:
        columns = pace.columns + [0] * (last_us // width_us + 1 - len(pace.columns))
        steps = len(heights)
        bars = "".join(heights[(one * steps - 1) // most] if one else " " for one in columns)
        yield f"    |{bars}| {most}"


def _span(width_us: int) -> str:
    seconds = width_us // 1_000_000
    minutes, seconds = divmod(seconds, 60)
    hours, minutes = divmod(minutes, 60)
    parts = ((hours, "h"), (minutes, "min"), (seconds, "s"))
    return " ".join(f"{count} {unit}" for count, unit in parts if count)


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count} times"


def _plot(times: Times) -> Iterator[str]:
    if not times.count:
        return
    middle, late = (times.within(part) for part in (50, 99))
    yield f"    answers: median {middle / 1000:.1f} ms, 99 % within {late / 1000:.1f} ms"
    counts: Counter[int] = Counter()
    for one, number in times.steps.items():
        took = (one + 1) * STEP_US
        counts[next((step for step in STEPS_MS if took <= step * 1000), 0)] += number
    most = max(counts.values())
    for step in (*STEPS_MS, 0):
        if count := counts[step]:
            label = f"<= {step} ms" if step else "longer"
            yield f"    {label:>10} {'#' * max(1, count * BAR // most):<{BAR}} {count}"

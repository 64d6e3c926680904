"""How the service is doing, in numbers, in the text format that Prometheus reads.

The format is a dozen lines to write, so no package is needed for it. What a number means stands
beside it; histograms have fixed bounds, so that two tables can be laid over each other.
"""

from __future__ import annotations

import asyncio
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import accumulate

from controller.daemon.abuse import counts
from controller.daemon.clock import Clock
from controller.daemon.service import Service
from controller.recorder import Taken
from controller.table import events
from controller.table.events import Event
from controller.table.state import Table
from drivers.wire.broker_turned import WORDS

#: Seconds. A lock-out is to be done in 0.2; a commit takes a fraction of a thousandth.
LOCK_BOUNDS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0)
JOURNAL_BOUNDS = (0.0002, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.05, 0.2, 1.0)
LAG_BOUNDS = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.5, 2.0)

LAG_EVERY_S = 0.5
#: A lock that took longer was interrupted by something else.
LONGEST_LOCK_S = 600.0

Labels = Mapping[str, str]
Sample = tuple[Labels, float]


class Histogram:
    def __init__(self, bounds: tuple[float, ...]) -> None:
        self.bounds = bounds
        self.counts = [0] * (len(bounds) + 1)
        self.sum = 0.0

    def add(self, value: float) -> None:
        self.counts[bisect_left(self.bounds, value)] += 1
        self.sum += value

    def lines(self, name: str, means: str) -> Iterator[str]:
        yield f"# HELP {name} {means}"
        yield f"# TYPE {name} histogram"
        totals = list(accumulate(self.counts))
        for bound, total in zip((*map(str, self.bounds), "+Inf"), totals, strict=True):
            yield f'{name}_bucket{{le="{bound}"}} {total}'
        yield f"{name}_sum {self.sum:.6f}"
        yield f"{name}_count {totals[-1]}"


class Metrics:
    def __init__(self, service: Service, clock: Clock) -> None:
        self._service = service
        self._clock = clock
        self.lock = Histogram(LOCK_BOUNDS)
        self.journal = Histogram(JOURNAL_BOUNDS)
        self.lag = Histogram(LAG_BOUNDS)
        self.events: Counter[tuple[str, str]] = Counter()
        self._pressed: int | None = None

    # --- What is counted as it happens ------------------------------------------

    def told(self, event: Event, taken: Taken) -> None:
        kind = str(type(event).__struct_config__.tag)
        refused = bool(taken.step.refused)
        self.events[kind, "refused" if refused else "taken"] += 1
        if not refused:
            self._lock_out(event, taken.step.table)

    def _lock_out(self, event: Event, table: Table) -> None:
        """From the button to the last device that confirmed."""
        match event:
            case events.LockOutPressed(at=at):
                self._pressed = at
            case events.LockConfirmed(at=at) if self._pressed is not None:
                if all(seat.acceptor_locked and seat.terminal_locked for seat in table.seats):
                    seconds = (at - self._pressed) / 1000
                    self._pressed = None
                    if 0 <= seconds <= LONGEST_LOCK_S:
                        self.lock.add(seconds)

    async def watch_the_loop(self) -> None:
        """How late the loop comes to what is due: one that lags keeps a lock-out waiting."""
        while True:
            due = self._clock.running() + LAG_EVERY_S
            await asyncio.sleep(LAG_EVERY_S)
            self.lag.add(max(0.0, self._clock.running() - due))

    # --- The text ---------------------------------------------------------------

    def text(self) -> str:
        return "\n".join((*self._lines(), ""))

    def _lines(self) -> Iterator[str]:
        yield from self.lock.lines("felt_lock_seconds", "From lock-out to the last device locked.")
        yield from self.journal.lines("felt_journal_seconds", "To take one event, on the disk.")
        yield from self.lag.lines("felt_loop_lag_seconds", "How late the loop is.")
        counted: list[Sample] = [
            ({"kind": kind, "outcome": outcome}, count)
            for (kind, outcome), count in sorted(self.events.items())
        ]
        yield from _metric("felt_events_total", "counter", "Events, taken and refused.", counted)
        yield from self._table(self._service.recorder.table)
        yield from self._devices()
        yield from self._brokers()
        lost: list[Sample] = [
            ({"wire": wire}, one.lost) for wire, one in self._service.captures.items()
        ]
        means = "Records that the device log had no place for."
        yield from _metric("felt_log_lost_total", "counter", means, lost)

    def _table(self, table: Table) -> Iterator[str]:
        core = self._service.core
        length: list[Sample] = [({"queue": "events"}, core.waiting)]
        yield from _metric("felt_queue_length", "gauge", "What waits.", length)
        yield from _metric("felt_phase", "gauge", "1 for where it is.", [({"is": table.phase}, 1)])
        yield from _metric("felt_round", "counter", "The round, or the last.", [({}, table.round)])
        yield from _metric("felt_holds", "gauge", "Holds on the table.", [({}, len(table.holds))])
        seq = self._service.journal.head.seq
        hangs = round(core.writing_s, 3)
        means = "For how long an entry is under way to the disk."
        yield from _metric("felt_journal_writing_seconds", "gauge", means, [({}, hangs)])
        disk = self._service.disk
        free: list[Sample] = [] if disk.free is None else [({}, disk.free)]
        yield from _metric("felt_disk_free_bytes", "gauge", "Room for the journal.", free)
        lasts: list[Sample] = [] if disk.lasts_s is None else [({}, round(disk.lasts_s))]
        means = "How long it lasts at the rate of the last day."
        yield from _metric("felt_disk_lasts_seconds", "gauge", means, lasts)
        yield from _metric("felt_journal_entries", "counter", "Entries of it.", [({}, seq)])

    def _devices(self) -> Iterator[str]:
        now = self._clock.running()
        health = self._service.supervisor.health()
        stations = {n: one.station for n, one in self._service.supervisor.attachments.items()}
        status: list[Sample] = [({"device": n, "is": h.status}, 1) for n, h in health.items()]
        since: list[Sample] = [({"device": n}, now - h.since) for n, h in health.items()]
        age: list[Sample] = [
            ({"device": n}, now - one.heard_at)
            for n, one in stations.items()
            if one.heard_at is not None
        ]
        retries: list[Sample] = [({"device": n}, one.retries) for n, one in stations.items()]
        strange: list[Sample] = [
            ({"device": n, "what": what}, count)
            for n, one in self._service.supervisor.attachments.items()
            for what, count in sorted(one.strange.items())
        ]
        abused: list[Sample] = [
            ({"device": n, "what": what}, count)
            for n, one in self._service.supervisor.attachments.items()
            for what, count in counts(one)
        ]
        yield from _metric(
            "felt_wire_abused_total", "counter", "Forged messages, and times it was muted.", abused
        )
        yield from _metric("felt_device_status", "gauge", "1 for how it stands.", status)
        yield from _metric("felt_device_status_seconds", "gauge", "For how long.", since)
        yield from _metric("felt_device_heard_seconds", "gauge", "Since it was last heard.", age)
        yield from _metric("felt_device_retries_total", "counter", "Requests repeated.", retries)
        yield from _metric("felt_device_strange_total", "counter", "What none should do.", strange)

    def _brokers(self) -> Iterator[str]:
        """Every kind from the start: what has not happened yet is 0, and not missing."""
        brokers = self._service.brokers
        here: list[Sample] = [({"wire": n}, one.connections) for n, one in brokers.items()]
        turned: list[Sample] = [
            ({"wire": n, "what": kind}, one.turned.counts[kind])
            for n, one in brokers.items()
            for kind in WORDS
        ]
        means = "Connected to felt's own broker."
        yield from _metric("felt_broker_connections", "gauge", means, here)
        means = "What felt's own broker turned away."
        yield from _metric("felt_broker_turned_away_total", "counter", means, turned)


def _metric(name: str, kind: str, means: str, samples: Iterable[Sample]) -> Iterator[str]:
    yield f"# HELP {name} {means}"
    yield f"# TYPE {name} {kind}"
    for labels, value in samples:
        written = ",".join(f'{label}="{_escaped(text)}"' for label, text in labels.items())
        shown = f"{value:.3f}" if isinstance(value, float) else str(value)
        yield f"{name}{{{written}}} {shown}" if written else f"{name} {shown}"


def _escaped(text: str) -> str:
    return text.replace("\\", r"\\").replace("\n", r"\n").replace('"', r"\"")

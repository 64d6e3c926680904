"""The sequence diagrams of docs/protocol.md: a round of each device and each of its faults.

Drawn from the golden logs, which were recorded from the whole daemon with simulated devices, and
which felt as it is now replays identically. What the table made of it comes from the replay. So a
diagram shows what is said at a table, or ``make docs`` draws another one.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from controller.library import Library
from controller.table.events import DeviceRecovered, Event
from controller.table.machine import Step
from controller.table.state import Table
from controller.technician import choosing, cut
from controller.technician.choosing import Choice
from controller.technician.logs import Logged
from controller.technician.promoting import CUT, EXPECTED
from controller.technician.replaying import Replayer
from drivers.wire.devicelog import Bytes
from simulators.faults import MENU
from tests.logs.recording import HERE, USUAL

#: The table that is drawn, and what each kind of device is called at it.
ROUND = "-".join(USUAL).replace(" ", "-")
NAMES = {
    "shuffler": "shuffler",
    "shoe": "shoe",
    "panel": "panel",
    "acceptor": "acceptor 1",
    "terminal": "terminal 1",
    "sign": "sign",
}
#: Lines of a fault's diagram before what went wrong, and after it.
BEFORE, AFTER = 4, 14
#: With fewer lines after it nobody sees what came of it.
LEAST = 4
#: How words begin that say that something is wrong.
_NEWS = (
    "fault nature",
    "door open=True",
    "cycle_failed",
    "refused",
    "went_safe",
    "late_wager",
    "face_up_card",
    "IDENTITY without",
    "mode mode='sort'",
)
_PHASE = "Note over F: table: "
#: What goes on below a conversation: the same for all of them, and drawn nowhere.
_UNDER = frozenset({"ack", "poll", "idle"})
_FRAME = re.compile(r"(?P<kind>\w+) (?P<address>\d+) s\d+ #\d+ ?(?P<rest>.*)")


_LIBRARY = Library()


class Line(NamedTuple):
    text: str
    #: Something is wrong here, or is put right.
    is_news: bool = False


class Listener:
    """Writes down what is said to one device and by it, and what the table makes of it."""

    def __init__(self, device: str, wanted: set[tuple[str, int]]) -> None:
        self.device = device
        self.lines: list[Line] = []
        self._wanted = wanted
        self._greeted = 0
        self._slug = device.replace(" ", "-") + ":"

    def watch(self, logged: Logged) -> None:
        record = logged.record
        if not isinstance(record, Bytes) or (str(logged.file), logged.line) not in self._wanted:
            return
        for words in record.comment.split(" | "):
            self.said(record.direction == "out", words)

    def said(self, is_felts: bool, words: str) -> None:
        found = _FRAME.fullmatch(words)
        if found is None or found["kind"] in _UNDER:
            return
        kind, rest = found["kind"], re.sub(r"^id=\w+ ", "", found["rest"])
        if kind == "hello":
            self._greeted += 1
        text = {"hello": "HELLO", "identity": "IDENTITY"}.get(kind, rest)
        if kind == "identity":
            boot = re.search(r"boot=(\d+)", rest)
            text = f"IDENTITY, boot {boot[1]}" if boot else "IDENTITY without payload"
        arrow = "F->>D" if is_felts else "D-->>F" if kind == "result" else "D->>F"
        is_news = (kind == "hello" and self._greeted > 1) or text.startswith(_NEWS)
        self._add(Line(f"{arrow}: {_plain(text)}", is_news))

    def taken(self, before: Table, event: Event, step: Step) -> None:
        after = step.table
        mine = (event.id or "").startswith(self._slug)
        # That something is over is nothing to a table where it was cleared before.
        if step.refused and mine and not isinstance(event, DeviceRecovered):
            self._note(f"refused: {step.refused}", is_news=True)
        for hold in after.holds:
            if hold.number not in {one.number for one in before.holds}:
                self._note(f"held, {hold.where}: {hold.cause}", is_news=True)
        for hold in before.holds:
            if hold.number not in {one.number for one in after.holds}:
                self._note(f"a person cleared the hold on the {hold.where}")
        if after.void and not before.void:
            self._note(f"the round is void: {after.void}", is_news=True)
        if after.phase != before.phase:
            self._phase(after.phase)
        for gone in sorted(set(after.offline) ^ set(before.offline)):
            away = gone in after.offline
            mine = gone == self.device
            self._note(f"{gone} is {'offline' if away else 'online'}", is_news=away and mine)

    def _phase(self, phase: str) -> None:
        """Several of them with nothing in between are one note."""
        last = self.lines[-1] if self.lines else None
        if last is not None and last.text.startswith(_PHASE):
            self.lines[-1] = Line(f"{last.text}, {phase}")
        else:
            self.lines.append(Line(f"{_PHASE}{phase}"))

    def _add(self, line: Line) -> None:
        """The same once more is said as that: what is repeated until it is answered."""
        last = self.lines[-1].text if self.lines else ""
        before, _, times = last.rpartition(" (")
        if last == line.text:
            self.lines[-1] = Line(f"{line.text} (2 times)", line.is_news)
        elif before == line.text and times.endswith(" times)"):
            self.lines[-1] = Line(f"{line.text} ({int(times.split()[0]) + 1} times)", line.is_news)
        else:
            self.lines.append(line)

    def _note(self, text: str, *, is_news: bool = False) -> None:
        self.lines.append(Line(f"Note over F: {_plain(text)}", is_news))


def _plain(text: str) -> str:
    """Mermaid takes some characters for its own; times and lists read better without Python."""
    text = re.sub(r"\((\d[\d, ]*),?\)", lambda found: f"[{found[1].rstrip(', ')}]", text)
    text = text.replace(" detail=''", "").replace("=''", '=""').replace("'", "")
    return text.replace(";", ",").replace("#", "")


def conversation(case: str, device: str) -> list[Line]:
    """All of it, from the first hello to the last word."""
    found = cut.read(HERE / case / CUT)
    wanted = {
        (str(one.logged.file), one.logged.line)
        for one in choosing.chosen(found.run, Choice.of(None, [device], None, None))
    }
    listener = Listener(device, wanted)
    late_s = json.loads((HERE / case / EXPECTED).read_text(encoding="utf-8"))["late_s"]
    Replayer(
        found.run,
        found.past,
        _LIBRARY,
        late_s=late_s,
        start=found.start,
        watch=listener.watch,
        taken=listener.taken,
    ).run()
    return listener.lines


def faults(kind: str) -> Iterator[str]:
    """The faults of a kind of device of which there is a log."""
    for entry in MENU.values():
        if kind in entry.of and (HERE / _case(kind, entry.name) / CUT).exists():
            yield entry.name


def _case(kind: str, fault: str) -> str:
    return f"{NAMES[kind].replace(' ', '-')}-{fault}"


@cache
def drawn(kind: str) -> str:
    """The round, and below it each fault from a little before it."""
    device = NAMES[kind]
    parts = ["One round:", diagram(device, conversation(ROUND, device))]
    for fault in faults(kind):
        if lines := _seen(_case(kind, fault), device):
            parts += [f"{MENU[fault].what.capitalize()}:", diagram(device, lines)]
    return "\n\n".join(parts)


def _seen(case: str, device: str) -> list[Line]:
    """From a little before it went wrong; nothing where too little of it is to be seen."""
    lines = conversation(case, device)
    at = next((place for place, line in enumerate(lines) if line.is_news), len(lines))
    if len(lines) - at < LEAST:
        return []
    return lines[max(0, at - BEFORE) : at + AFTER]


def diagram(device: str, lines: list[Line]) -> str:
    head = ["sequenceDiagram", "    participant F as felt", f"    participant D as {device}"]
    said = "\n".join((*head, *(f"    {line.text}" for line in lines)))
    return f"```mermaid\n{said}\n```"

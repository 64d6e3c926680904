"""Faults that no golden log has, staged at a table in virtual time, for the page's diagrams.

The machine, the drivers and the line are felt's own; the device is a simulated one to which it
happens. What it says goes into a diagram as what a log says.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from controller.daemon.standing import standing_orders
from controller.table import events
from controller.table.dealing import is_on_its_way
from controller.table.events import Event
from controller.table.machine import Step, step
from drivers.attachment import Arrived, Attachment
from drivers.wire import describe
from drivers.wire.frame import Splitter
from simulators.shoe import Shoe
from simulators.wires import Wire
from tests.docs import rounds
from tests.docs.rounds import Line, Listener
from tests.drivers.bench import Lane
from tests.drivers.duties.left_out import Waiting

#: In place of what a person did: only what came of it is drawn.
_SOMEBODY = events.TimerFired(at=0, timer="")


class Story(NamedTuple):
    kind: str
    title: str
    #: Up to where it is as always, and then what happens.
    before: Callable[[Staged], None]
    happens: Callable[[Staged], None]


class Staged(Waiting):
    """A house in which somebody writes down what one device says, and what is said to it."""

    def __init__(self, device: str) -> None:
        self.listener = Listener(device, set())
        super().__init__()
        for lane in self.lanes:
            names = [one.name for one in lane.attachments]
            if device in names:
                self._listen(lane, lane.end.devices[names.index(device)].address)
        self.opens()

    def _listen(self, lane: Lane, address: int) -> None:
        put: Callable[[Wire, Sequence[bytes], float], None] = lane._put

        def heard(wire: Wire, frames: Sequence[bytes], now: float) -> None:
            for packet in Splitter().feed(b"".join(frames)):
                if packet.address == address:  # type: ignore[union-attr]
                    words = describe.packet(packet)  # type: ignore[arg-type]
                    self.listener.said(wire is lane.out, words)
            put(wire, frames, now)

        lane._put = heard  # type: ignore[method-assign]

    def _follow(self, attachment: Attachment, outcome: object) -> None:
        """One that has come back is brought to where the table has it, as the daemon does it."""
        super()._follow(attachment, outcome)
        if not isinstance(outcome, Arrived):
            return
        kind, seat = attachment.driver.kind, attachment.driver.settings.seat
        table = self.at.table
        for order in standing_orders(self.at.terms, table, kind, seat):
            attachment.repeat(order, self.now)
        if kind == "shoe" and is_on_its_way(table):
            number = table.deal.done + 1
            self.happened(events.DispenseUnanswered(at=self.stamp, number=number))

    def does(self, kind: type[Any], **given: Any) -> None:
        before = self.at.table
        super().does(kind, **given)
        self.listener.taken(before, _SOMEBODY, Step(self.at.table))

    def happened(self, event: Event) -> None:
        before = self.at.table
        done = step(self.at.terms, before, event)
        super().happened(event)
        self.listener.taken(before, event, done)


def drawn(kind: str) -> str:
    """All that is staged of a kind of device."""
    told = [(one.title, _played(one)) for one in STORIES if one.kind == kind]
    device = rounds.NAMES[kind]
    return "\n\n".join(f"{title}:\n\n{rounds.diagram(device, said)}" for title, said in told)


def _played(story: Story) -> list[Line]:
    at = Staged(rounds.NAMES[story.kind])
    story.before(at)
    # A little of what came before it.
    at.listener.lines[:-3] = []
    story.happens(at)
    return at.listener.lines


# --- What happens -------------------------------------------------------------


def _dealing(at: Staged) -> None:
    at.shuffles().antes(1, 2).locks()
    at.panel.press("deal")
    at.until(lambda: at.shoe.last == 1 and at.top.count("tray"))
    at.top.take_stack(1)
    at.until(lambda: at.shoe.is_coming)


def _power_is_cut(at: Staged) -> None:
    at.shoe.restart()
    at.run(3)


def _power_is_cut_and_it_remembers(at: Staged) -> None:
    shoe: Shoe = at.shoe
    kept = (shoe.round, shoe.stacks, shoe.last, shoe.last_cards)
    shoe.restart()
    shoe.round, shoe.stacks, shoe.last, shoe.last_cards = kept
    at.run(3)
    at.clears()
    at.until(lambda: shoe.last == 2)


def _loaded(at: Staged) -> None:
    at.top.put_into_shuffler("A")
    at.run(1)


def _cycle_is_cut(at: Staged) -> None:
    at.shuffler.restart()
    at.run(2)
    at.clears()
    at.run(6)


def _betting(at: Staged) -> None:
    at.shuffles().antes(1)


def _late(at: Staged) -> None:
    at.panel.press("lock_out")
    at.until(lambda: at.phase == "locked")
    at.run(0.2)
    at.acceptors[1].insert(100)
    at.run(1)


def _cable_is_out(at: Staged) -> None:
    at.chips(1)
    at.acceptors[1].unplug()
    at.run(8)
    at.acceptors[1].plug_in()
    at.run(6)


STORIES = (
    Story("shuffler", "Its power is cut in the middle of a cycle", _loaded, _cycle_is_cut),
    Story("shoe", "Its power is cut after a stack, and it kept nothing", _dealing, _power_is_cut),
    Story(
        "shoe",
        "Its power is cut after a stack, and it kept round, last and last_cards",
        _dealing,
        _power_is_cut_and_it_remembers,
    ),
    Story("acceptor", "A chip comes after the lock", _betting, _late),
    Story("acceptor", "Its cable is out for longer than the watchdog", _betting, _cable_is_out),
)

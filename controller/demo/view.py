"""A live view in the terminal: phase, seats, meters, devices, prompts.

Where nobody looks (a file, a pipe) a line for every round is enough.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import TextIO

from controller.rules.cards import names
from controller.rules.paytables import dollars
from controller.table.prompts import prompts
from controller.table.state import Seat, Table
from controller.table.terms import Terms
from drivers.contract import Health

CLEAR = "\x1b[H\x1b[2J"
BOLD, DIM, RED, GREEN, YELLOW, PLAIN = (f"\x1b[{n}m" for n in (1, 2, 31, 32, 33, 0))
_COLOUR = {"ready": GREEN, "degraded": YELLOW, "faulted": RED, "absent": RED}
_LAMP = {"off": " ", "invite": "o", "placed": "*", "accepted": "@"}
MOST_PROMPTS = 6


def lines(terms: Terms, table: Table, health: Mapping[str, Health]) -> Iterator[str]:
    """The table as it stands, line by line, without colours."""
    book = terms.ruleset.rulebook
    yield f"{terms.id}  {book.title} ({book.jurisdiction})  round {table.round}  {table.phase}"
    yield ""
    yield from (_seat(seat) for seat in table.seats)
    yield _layout(table)
    yield ""
    yield from _meters(table)
    yield from _devices(health)
    yield ""
    for hold in table.holds:
        yield f"HOLD {hold.number} {hold.where}: {hold.cause} (a {hold.clears} clears it)"
    asked = prompts(terms, table)
    for prompt in asked[:MOST_PROMPTS]:
        yield f"{prompt.who}: {prompt.text}"
    if len(asked) > MOST_PROMPTS:
        yield f"and {len(asked) - MOST_PROMPTS} more"


def _seat(seat: Seat) -> str:
    who = seat.player or "-"
    down = " ".join(f"{name} {dollars(cents)}" for name, cents in seat.wagers.items())
    cards = names(seat.cards) if seat.cards else "?? " * seat.dealt
    state = "folded" if seat.folded else "void" if seat.void else ""
    lock = "locked" if seat.acceptor_locked else "open"
    account = f" account {dollars(seat.balance)}" if seat.balance else ""
    row = f"{seat.number} [{_LAMP[seat.lamp]}] {lock:6} {who:10} {cards:18} {down} {state}{account}"
    return row.rstrip()


def _layout(table: Table) -> str:
    places = {place: names(cards) for place, cards in table.faces.items() if cards}
    for place, count in table.deal.placed.items():
        places.setdefault(place, "?? " * count)
    return "  ".join(f"{place}: {cards.strip()}" for place, cards in places.items())


def _meters(table: Table) -> Iterator[str]:
    for meter in table.meters.values():
        shown = "  ".join(f"{level} {dollars(cents)}" for level, cents in meter.shows().items())
        yield f"meter {meter.name}: {shown}"


def _devices(health: Mapping[str, Health]) -> Iterator[str]:
    by_status: dict[str, list[str]] = {}
    for name, one in health.items():
        by_status.setdefault(one.status, []).append(name)
    for status, devices in by_status.items():
        reason = health[devices[0]].reason
        yield f"{status}: {', '.join(devices)}" + (f" ({reason})" if reason else "")


def coloured(text: str) -> str:
    if text.startswith("HOLD"):
        return f"{RED}{BOLD}{text}{PLAIN}"
    status, _, rest = text.partition(":")
    if status in _COLOUR:
        return f"{_COLOUR[status]}{status}{PLAIN}:{rest}"
    if status in ("dealer", "floorperson", "supervisor"):
        return f"{BOLD}{status}{PLAIN}:{rest}"
    return text


class View:
    def __init__(self, out: TextIO = sys.stdout) -> None:
        self._out = out
        self.is_live = out.isatty()
        self._shown: Sequence[str] = ()
        self._round = 0
        #: What stands above everything, as long as it lasts.
        self._heading: tuple[str, ...] = ()

    def head(self, said: Sequence[str]) -> None:
        """Lines that whoever watches must have seen."""
        self._heading = tuple(said)
        self._shown = ()
        if not self.is_live:
            self._out.write("".join(f"{line}\n" for line in said))
            self._out.flush()

    def show(self, terms: Terms, table: Table, health: Mapping[str, Health]) -> None:
        if not self.is_live:
            self._note(terms, table)
            return
        heading = (*self._heading, "") if self._heading else ()
        found = (*heading, *lines(terms, table, health))
        if found == self._shown:
            return
        self._shown = found
        width, height = shutil.get_terminal_size()
        shown = "\n".join(coloured(line[:width]) for line in found[: height - 1])
        self._out.write(f"{CLEAR}{shown}\n")
        self._out.flush()

    def _note(self, terms: Terms, table: Table) -> None:
        """One line when a round is over."""
        if table.round == self._round or table.phase != "clearing":
            return
        self._round = table.round
        paid = sum(due.returns for due in table.due)
        staked = sum(due.stake for due in table.due)
        how = f"void: {table.void}" if table.void else f"staked {dollars(staked)}"
        self._out.write(f"round {table.round}: {how}, returned {dollars(paid)}\n")
        self._out.flush()

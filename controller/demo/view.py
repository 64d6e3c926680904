"""A live view in the terminal: seats, cards, results, what just happened and what is due.

It fits 80 columns and 24 lines, and shows more where there is more room. Where nobody looks (a
file, a pipe) a line for every round, and for every hold, is enough.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple, TextIO

from controller.daemon.views import STOPS
from controller.demo.board import Board
from controller.rules.cards import names
from controller.rules.faults import ranged
from controller.rules.paytables import dollars
from controller.table.prompts import prompts
from controller.table.state import Hold, Seat, Table
from controller.table.terms import Terms
from drivers.contract import Health

#: The smallest window that it is drawn for.
LEAST_WIDE, LEAST_HIGH = 80, 24
HOME, REST_OF_LINE, REST_OF_SCREEN = "\x1b[H", "\x1b[K", "\x1b[J"
CLEAR = "\x1b[H\x1b[2J"
BOLD, DIM, RED, GREEN, YELLOW, PLAIN = (f"\x1b[{n}m" for n in (1, 2, 31, 32, 33, 0))
_LAMP = {"off": "", "invite": "o", "placed": "*", "accepted": "@"}
_LAMPS = "lamp: o may wager  * chip is in  @ wager is taken"
_CARDS = "??: face down"
_ENDS = "Ctrl-C ends"
#: So many prompts, and at least so many lines of what happened.
PROMPTS, HAPPENED = 2, 2
#: A device with which the table can play.
_PLAYABLE = ("ready", "degraded")


class Line(NamedTuple):
    text: str
    colour: str = ""


class Picture(NamedTuple):
    """What is drawn: the table, its devices, and what has become of it."""

    terms: Terms
    table: Table
    health: Mapping[str, Health]
    board: Board


def lines(
    of: Picture, heading: Sequence[str] = (), wide: int = LEAST_WIDE, high: int = LEAST_HIGH
) -> list[Line]:
    """The whole screen, of no more than so many columns and lines."""
    above = [*_title(of, wide), *(Line(text, DIM) for text in heading), Line("")]
    body = [*_seats(of), *_layout(of.table), *_meters(of.table), *_devices(of.health)]
    body.append(Line(""))
    legend = Line(_legend(of), DIM)
    holds = [line for hold in of.table.holds[:2] for line in _hold(hold)]
    due = _prompts(of, wide)
    room = high - len(above) - len(body) - len(holds) - 1
    due = due[: max(min(PROMPTS, room - HAPPENED), 1)]
    happened = _happened(of.board, wide, max(room - len(due), 0))
    shown = [*above, *body, *holds, *happened, *due]
    filling = [Line("")] * (high - len(shown) - 1)
    return [_cut(one, wide) for one in (*shown[: high - 1], *filling, legend)]


def _cut(line: Line, wide: int) -> Line:
    text = line.text if len(line.text) <= wide else f"{line.text[: wide - 3]}..."
    return line._replace(text=text.rstrip())


# --- What stands where ----------------------------------------------------------


def _title(of: Picture, wide: int) -> Iterator[Line]:
    book, table = of.terms.ruleset.rulebook, of.table
    name = f"{book.title}, {book.jurisdiction} ({of.terms.id})"
    stands = f"round {table.round}, {table.phase}" if table.round else table.phase
    yield Line(_both_ends(name, stands, wide), BOLD)


def _seats(of: Picture) -> Iterator[Line]:
    terms, table, board = of.terms, of.table, of.board
    wagers = terms.ruleset.rulebook.wagers
    later = [name for name, one in wagers.items() if one.multiples]
    rest = _row("", "player", "ante", _heading(later), "other", "", "cards", "result", "so far")
    yield Line(rest, DIM)
    for seat in table.seats:
        down = seat.wagers
        sums = (
            down.get("ante", 0),
            sum(down.get(name, 0) for name in later),
            sum(cents for name, cents in down.items() if name != "ante" and name not in later),
        )
        text = _row(
            str(seat.number),
            seat.player or "-",
            *(dollars(cents) if cents else "" for cents in sums),
            _LAMP[seat.lamp] if terms.acceptors else "",
            names(seat.cards) if seat.cards else ("?? " * seat.dealt).strip(),
            _result(of, seat),
            _signed(board.so_far(seat.number)),
        )
        yield Line(text)


def _heading(later: Sequence[str]) -> str:
    """What a decision's wagers are called: bet, play, raise."""
    return later[0].partition("_")[0] + ("s" if len(later) > 1 else "")


def _row(*cells: str) -> str:
    seat, player, ante, later, side, lamp, cards, result, so_far = cells
    return (
        f"{seat:>2} {player[:9]:<9} {ante:>7} {later:>7} {side:>6}  {lamp:1}  {cards:<17} "
        f"{result:>9} {so_far:>10}"
    )


def _result(of: Picture, seat: Seat) -> str:
    table, board = of.table, of.board
    if table.void and table.phase == "clearing" and seat.dealt:
        return "void"
    if seat.number in board.last:
        return _signed(board.last[seat.number])
    paid = [due for due in table.due if due.seat == seat.number and due.paid]
    if paid:
        return _signed(sum(due.returns - due.stake for due in paid))
    return "folded" if seat.folded else "void" if seat.void else ""


def _signed(cents: int | None) -> str:
    if cents is None:
        return ""
    return f"+{dollars(cents)}" if cents > 0 else dollars(cents) if cents else "even"


def _layout(table: Table) -> Iterator[Line]:
    places = {place: names(cards) for place, cards in table.faces.items() if cards}
    for place, count in table.deal.placed.items():
        open_ = names([table.up_card]) if place == "dealer" and table.up_card is not None else ""
        left = count - bool(open_)
        places.setdefault(place, f"{open_} {'?? ' * left}".strip())
    yield Line("   " + "   ".join(f"{place}: {cards}" for place, cards in places.items()))


def _meters(table: Table) -> Iterator[Line]:
    shown = [
        f"{meter.name} {'' if level == 'main' else f'{level} '}{dollars(cents)}"
        for meter in table.meters.values()
        for level, cents in meter.shows().items()
    ]
    if shown:
        yield Line(f"meters   {'   '.join(shown)}")


def _devices(health: Mapping[str, Health]) -> Iterator[Line]:
    """One line: how many are in order, and the first that is not, with its reason."""
    wrong = {name: one for name, one in health.items() if one.status not in _PLAYABLE}
    in_order = f"{len(health) - len(wrong)} in order"
    if not wrong:
        yield Line(f"devices  {in_order}")
        return
    first = next(iter(wrong.values()))
    same = [name for name, one in wrong.items() if one == first]
    why = f": {first.reason}" if first.reason else ""
    yield Line(f"devices  {in_order}; {ranged(same)} {first.status}{why}", YELLOW)


def _hold(hold: Hold) -> Iterator[Line]:
    said = f"HOLD {hold.number}, {hold.where}: {hold.cause}; a {hold.clears} clears it"
    yield Line(said, RED + BOLD)
    yield Line(f"  {STOPS[hold.blocks]}", RED)


def _happened(board: Board, wide: int, most: int) -> list[Line]:
    found = []
    for one in list(board.happened)[-most:] if most else ():
        by = f"  ({one.by})" if one.by else ""
        found.append(Line(_both_ends(f"         {one.said}{by}", one.clause, wide), DIM))
    if found:
        last = found[-1].text
        found[-1] = Line(f"just now {last[9:]}", GREEN)
    return found


def _prompts(of: Picture, wide: int) -> list[Line]:
    asked = prompts(of.terms, of.table)
    found = []
    for number, one in enumerate(asked):
        head = "next     " if number == 0 else "         "
        found.append(Line(_both_ends(f"{head}{one.who}: {one.text}", one.clause, wide), BOLD))
    return found


def _legend(of: Picture) -> str:
    said = (_LAMPS, _CARDS, _ENDS) if of.terms.acceptors else (_CARDS, _ENDS)
    return "   ".join(said)


def _both_ends(left: str, right: str, wide: int) -> str:
    """One at each end; of the left one as much as there is room for."""
    room = wide - len(right) - 2
    left = left if len(left) <= room else f"{left[: room - 3]}..."
    return f"{left:<{wide - len(right)}}{right}" if right else left


# --- On the terminal --------------------------------------------------------------


class View:
    def __init__(self, out: TextIO = sys.stdout) -> None:
        self._out = out
        self.is_live = out.isatty()
        self._shown: Sequence[Line] = ()
        self._round = 0
        self._holds: set[int] = set()
        #: Once the table was opened, devices that are away are shown as such.
        self._is_begun = False
        #: What stands above everything, as long as it lasts.
        self._heading: tuple[str, ...] = ()

    def head(self, said: Sequence[str]) -> None:
        """Lines that whoever watches must have seen."""
        self._heading = tuple(said)
        self._shown = ()
        if not self.is_live:
            self._say(said)

    def show(self, of: Picture) -> None:
        if not self.is_live:
            self._say(list(self._noted(of)))
            return
        wide, high = shutil.get_terminal_size((LEAST_WIDE, LEAST_HIGH))
        self._is_begun = self._is_begun or of.table.phase != "closed"
        found = lines(of, self._heading, wide, high) if self._is_begun else self._setting(of)
        if found == self._shown:
            return
        begins = HOME if self._shown else CLEAR
        self._shown = found
        text = f"{REST_OF_LINE}\r\n".join(_coloured(one) for one in found)
        self._out.write(f"{begins}{text}{REST_OF_LINE}{REST_OF_SCREEN}")
        self._out.flush()

    def end(self) -> None:
        """Whatever is said next stands below it."""
        if self._shown:
            self._out.write("\n")
            self._out.flush()

    def _setting(self, of: Picture) -> list[Line]:
        there = sum(one.status in _PLAYABLE for one in of.health.values())
        said = f"Setting the table: {there} of {len(of.health)} devices are there."
        return [*(Line(text) for text in self._heading), Line(said)]

    def _noted(self, of: Picture) -> Iterator[str]:
        """A line for a hold, and one when a round is over."""
        table = of.table
        for hold in table.holds:
            if hold.number not in self._holds:
                yield f"hold {hold.number}, {hold.where}: {hold.cause}; a {hold.clears} clears it"
        now = {hold.number for hold in table.holds}
        yield from (f"hold {number} is cleared" for number in sorted(self._holds - now))
        self._holds = now
        if table.round == self._round or table.phase != "clearing":
            return
        self._round = table.round
        paid = sum(due.returns for due in table.due)
        staked = sum(due.stake for due in table.due)
        how = f"void: {table.void}" if table.void else f"staked {dollars(staked)}"
        seats = ", ".join(f"{seat} {_signed(cents)}" for seat, cents in of.board.last.items())
        by_seat = f"; by seat: {seats}" if seats else ""
        yield f"round {table.round}: {how}, returned {dollars(paid)}{by_seat}"

    def _say(self, said: Sequence[str]) -> None:
        if said:
            self._out.write("".join(f"{line}\n" for line in said))
            self._out.flush()


def _coloured(line: Line) -> str:
    return f"{line.colour}{line.text}{PLAIN}" if line.colour else line.text

"""What a drill sets up: players who do as they are told, and cards that lie where it wants them."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence

from controller.demo.players import Choice, Player
from controller.demo.world import World
from controller.rules.cards import cards
from controller.school.drill import Drill, PlayerAt, Says
from controller.table.deciding import may_check, wager_at
from controller.table.plan import LAST_STACK, deal_plan
from controller.table.state import Seat, Table
from controller.table.terms import Terms
from simulators.tabletop import HANDS, SHOE


class Scripted(Player):
    """Wagers the same in every round, and decides street by street as the drill has it."""

    def __init__(self, given: PlayerAt) -> None:
        super().__init__(given.seat, random.Random(given.seat))
        self.name = given.name
        self._wagers = given.wagers
        self._decides = given.decides

    def sits_out(self) -> bool:
        return False

    def wagers(self, terms: Terms, withheld: Sequence[str], seat: Seat) -> dict[str, int]:
        down: dict[str, int] = {}
        for name in terms.ruleset.offered:
            wager = terms.ruleset.rulebook.wagers[name]
            if wager.multiples or name in withheld or any(one not in down for one in wager.needs):
                continue
            if name in self._wagers:
                down[name] = self._wagers[name]
            elif wager.equals in down:
                down[name] = down[wager.equals]
        return down

    def decides(
        self, terms: Terms, table: Table, seat: Seat, hand: Sequence[int]
    ) -> tuple[Choice, int]:
        says = self._decides[min(table.street, len(self._decides)) - 1]
        return decided(says, terms, table, seat)


def decided(says: Says, terms: Terms, table: Table, seat: Seat) -> tuple[Choice, int]:
    """What it comes to on this street: who may not check folds, and who may not fold checks."""
    if says in ("check", "fold"):
        return ("check" if may_check(terms, table) else "fold"), 0
    wager = terms.ruleset.rulebook.wagers[wager_at(terms, table.street)]
    times = {str(moment): each for moment, each in wager.multiples.items()}
    each = times[f"decision {table.street}"]
    return "wager", (max(each) if says == "most" else min(each)) * seat.wagers["ante"]


def scripted(drill: Drill) -> dict[int, Player]:
    return {one.seat: Scripted(one) for one in drill.given.players}


# --- Cards ------------------------------------------------------------------------


def rig(world: World, terms: Terms, table: Table, wanted: Mapping[str, str]) -> None:
    """Have the deck lie so that these cards come to these places in the deal of this round."""
    left = {place: list(cards(text)) for place, text in wanted.items()}
    named = {face for some in left.values() for face in some}
    source = SHOE if world.shoe is not None and world.top.count(SHOE) else HANDS
    pile = list(world.top.cards(source))
    by_face = {card.face: card for card in pile}
    rest = [card for card in pile if card.face not in named]
    order = []
    for place in _order(terms, table):
        mine = left.get(place)
        face = mine.pop(0) if mine else None
        order.append(by_face[face] if face in by_face else rest.pop(0))
    used = {card.face for card in order}
    world.top.arrange(source, [*order, *(card for card in pile if card.face not in used)])


def _order(terms: Terms, table: Table) -> list[str]:
    """Where each card of the deal goes, the first one first."""
    found: list[str] = []
    for step in deal_plan(terms, table):
        if step.to == LAST_STACK:
            lies = ["extra"] if any(seat.wagers.get("all_six") for seat in table.seats) else []
            found += [*lies, "dealer"]
            continue
        place = f"seat {step.to}" if isinstance(step.to, int) else step.to
        found += [place] * step.cards
    return found

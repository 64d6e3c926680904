"""Cajun Stud: two own cards and three community cards against a paytable, with three Raises."""

from __future__ import annotations

from collections.abc import Iterator

from controller.rules.rankings import FIVE, SIX, THREE, TWO
from controller.rules.rulebook import Ending
from controller.rules.ruleset import Ruleset
from controller.rules.settlement.lines import Line, Settlement
from controller.rules.settlement.round import Round, Seat
from controller.rules.settlement.till import Till, called, strength_of

REQUIRED = ("ante", "raise_1", "raise_2", "raise_3")
#: How a fold ends the wagers above, by the Raises that were made before it.
FOLDS: tuple[Ending, ...] = ("fold", "fold 2", "fold 3")


class Cajun:
    """One round of Cajun Stud while it is settled."""

    def __init__(self, ruleset: Ruleset, played: Round) -> None:
        self.ruleset = ruleset
        self.played = played
        self.till = Till(ruleset, played)
        self.best = {
            s.number: strength_of(FIVE, s.cards and s.cards + played.community)
            for s in played.seats
        }
        self.board = THREE.strength(played.community)

    def settle(self) -> Settlement:
        return self.till.settlement(
            [
                (seat, called(FIVE, self.best[seat.number]), list(self._seat(seat)))
                for seat in self.played.right_to_left()
            ]
        )

    def _seat(self, seat: Seat) -> Iterator[Line]:
        best, till = self.best[seat.number], self.till
        made = [wager for wager in REQUIRED if seat.staked(wager)]
        for wager in made:
            # Who made so many Raises and folded did so at the next street.
            folds = seat.folded and FOLDS[len(made) - 1]
            yield till.folded(seat, wager, folds) if folds else till.side(seat, wager, best)
        if seat.staked("pocket"):
            yield till.side(seat, "pocket", TWO.strength(seat.cards))
        if seat.staked("board"):
            yield till.side(seat, "board", self.board)
        if seat.staked("lo_ball"):
            yield till.side(seat, "lo_ball", best)
        if seat.staked("all_six"):
            yield till.side(seat, "all_six", SIX.strength(seat.cards + self.played.extra))

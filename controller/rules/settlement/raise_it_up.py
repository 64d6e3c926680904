"""Raise It Up Stud: three own cards and three community cards against a paytable."""

from __future__ import annotations

from collections.abc import Iterator

from controller.rules.rankings import FIVE, THREE, THREE_SPADES
from controller.rules.ruleset import Ruleset
from controller.rules.settlement.lines import Line, Settlement
from controller.rules.settlement.round import Round, Seat
from controller.rules.settlement.till import Till, called, strength_of


class RaiseItUp:
    """One round of Raise It Up Stud while it is settled."""

    def __init__(self, ruleset: Ruleset, played: Round) -> None:
        self.ruleset = ruleset
        self.played = played
        self.till = Till(ruleset, played)
        self.best = {
            s.number: strength_of(FIVE, s.cards and s.cards + played.community)
            for s in played.seats
        }
        self.triggers = self.till.triggers(
            (seat, strength_of(THREE_SPADES, seat.cards)) for seat in played.right_to_left()
        )

    def settle(self) -> Settlement:
        return self.till.settlement(
            [
                (seat, called(FIVE, self.best[seat.number]), list(self._seat(seat)))
                for seat in self.played.right_to_left()
            ]
        )

    def _seat(self, seat: Seat) -> Iterator[Line]:
        till = self.till
        if seat.staked("pair_plus"):
            yield till.side(seat, "pair_plus", THREE.strength(seat.cards))
        yield from self._ante_play_and_blind(seat)
        if seat.staked("progressive"):
            yield till.side(seat, "progressive", strength_of(THREE_SPADES, seat.cards))
        yield from till.envy(seat, self.triggers)
        if seat.staked("six_card"):
            yield till.side(seat, "six_card", self.best[seat.number])

    def _ante_play_and_blind(self, seat: Seat) -> Iterator[Line]:
        best, till = self.best[seat.number], self.till
        if seat.folded:
            yield from (till.folded(seat, w) for w in ("ante", "blind") if seat.staked(w))
            return
        # All three are wagered on the same hands: those that the Play table lists.
        wins = self.ruleset.table_of("play").row_for(best) is not None
        for wager in ("ante", "play", "blind"):
            yield till.won(seat, wager, best) if wins else till.lost(seat, wager)

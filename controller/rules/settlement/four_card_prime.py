"""Four Card Prime: the best four of five cards against the best four of the dealer's six."""

from __future__ import annotations

from collections.abc import Iterator

from controller.rules.rankings import FOUR, SIX
from controller.rules.ruleset import Ruleset
from controller.rules.settlement.lines import DealerHand, Line, Result, Settlement
from controller.rules.settlement.round import Round, Seat
from controller.rules.settlement.till import Till, called, strength_of


class FourCardPrime:
    """One round of Four Card Prime while it is settled."""

    def __init__(self, ruleset: Ruleset, played: Round) -> None:
        self.ruleset = ruleset
        self.played = played
        self.till = Till(ruleset, played)
        self.dealer = FOUR.strength(played.dealer)
        self.strengths = {s.number: strength_of(FOUR, s.cards) for s in played.seats}

    def settle(self) -> Settlement:
        return self.till.settlement(
            [
                (seat, called(FOUR, self.strengths[seat.number]), list(self._seat(seat)))
                for seat in self.played.right_to_left()
            ],
            DealerHand(FOUR.called(self.dealer)),
        )

    def _seat(self, seat: Seat) -> Iterator[Line]:
        if seat.folded:
            if seat.staked("ante"):
                yield self.till.folded(seat, "ante")
        else:
            yield from self._against_the_dealer(seat)
        for wager in ("prime", "aces"):
            if seat.staked(wager):
                ranking = self.ruleset.table_of(wager).ranking
                yield self.till.side(seat, wager, ranking.strength(seat.cards))
        if seat.staked("all_six"):
            yield self.till.side(seat, "all_six", SIX.strength(seat.cards + self.played.extra))

    def _against_the_dealer(self, seat: Seat) -> Iterator[Line]:
        own, till, ante = self.strengths[seat.number], self.till, seat.staked("ante")
        if own >= self.dealer:
            yield till.won(seat, "ante", own)
            yield till.won(seat, "raise", own)
            if own > self.dealer or self._win_bonus_on_equal_hands():
                win_bonus = self.ruleset.tables["win_bonus"]
                yield from till.bonus("win_bonus", win_bonus.row_for(own), ante, win_bonus.clause)
            return
        bad_beat = self.ruleset.tables["bad_beat"]
        row = bad_beat.row_for(own)
        if row is None:
            yield till.lost(seat, "ante")
            yield till.lost(seat, "raise")
            return
        yield till.back(seat, "ante", Result.RETURN, "bad beat")
        yield till.lost(seat, "raise", "bad beat")
        yield from till.bonus("bad_beat", row, ante, bad_beat.clause)

    def _win_bonus_on_equal_hands(self) -> bool:
        reading = self.ruleset.rulebook.readings.win_bonus_on_equal_hands
        return reading is not None and reading.is_

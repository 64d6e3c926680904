"""Caribbean Stud: five cards against the dealer's five; below ace-king the Bet is not played."""

from __future__ import annotations

from collections.abc import Iterator

from controller.rules.paytables import Kind, Odds
from controller.rules.rankings import FIVE
from controller.rules.rulebook import DrawName
from controller.rules.ruleset import Ruleset
from controller.rules.settlement.lines import DealerHand, Line, Result, Settlement
from controller.rules.settlement.round import Round, Seat
from controller.rules.settlement.till import Till, called, strength_of

LOSES, PUSHES, WINS = range(3)


class Caribbean:
    """One round of Caribbean Stud while it is settled."""

    def __init__(self, ruleset: Ruleset, played: Round) -> None:
        self.ruleset = ruleset
        self.played = played
        self.till = Till(ruleset, played)
        self.dealer = FIVE.strength(played.dealer)
        needs = ruleset.rulebook.dealer
        assert needs is not None
        self.qualifies = self.dealer >= FIVE.spans[needs.qualifies_with].low
        self.bet_otherwise = Result(needs.bet_otherwise)
        self.strengths = {s.number: strength_of(FIVE, s.cards) for s in played.seats}
        self.triggers = self.till.triggers(
            (seat, self.strengths[seat.number]) for seat in played.right_to_left()
        )
        self.on_the_dealer = sum(
            1 for seat in (*played.seats, *played.beside) if seat.staked("five_card_dealer")
        )

    def settle(self) -> Settlement:
        order = self._order()
        lines = {seat.number: list(self._seat(seat)) for seat in order}
        # Cover All is settled when every other wager of the table has been.
        for seat, line in self._cover_all(order):
            lines[seat.number].append(line)
        seats = [(s, called(FIVE, self.strengths[s.number]), lines[s.number]) for s in order]
        return self.till.settlement(seats, DealerHand(FIVE.called(self.dealer), self.qualifies))

    def _order(self) -> list[Seat]:
        seats = self.played.right_to_left()
        if self.ruleset.rulebook.procedures.settlement.is_ == "losers, pushes, winners":
            seats.sort(key=self._outcome)
        return seats

    def _outcome(self, seat: Seat) -> int:
        if seat.folded:
            return LOSES
        if not self.qualifies:
            return WINS
        own = self.strengths[seat.number]
        return WINS if own > self.dealer else PUSHES if own == self.dealer else LOSES

    def _seat(self, seat: Seat) -> Iterator[Line]:
        yield from self._ante_and_bet(seat)
        own = self.strengths[seat.number]
        if seat.staked("bonus"):
            yield self.till.side(seat, "bonus", own)
        if seat.staked("progressive"):
            yield self._progressive(seat, own)
        yield from self.till.envy(seat, self.triggers)
        yield from self._five_card(seat, own)
        yield from self._draws(seat)

    def _ante_and_bet(self, seat: Seat) -> Iterator[Line]:
        own, till = self.strengths[seat.number], self.till
        if seat.folded:
            if seat.staked("ante"):
                yield till.folded(seat, "ante")
            return
        if not self.qualifies:
            # Whatever the player holds, a hand that was not even turned over included.
            yield till.won(seat, "ante", max(own, 0), "unqualified")
            yield till.back(seat, "bet", self.bet_otherwise, "unqualified")
            return
        outcome = self._outcome(seat)
        for wager in ("ante", "bet"):
            if outcome == WINS:
                yield till.won(seat, wager, own)
            elif outcome == PUSHES:
                yield till.back(seat, wager, Result.PUSH, "push")
            else:
                yield till.lost(seat, wager)

    def _progressive(self, seat: Seat, own: int) -> Line:
        if seat.folded:
            return self.till.folded(seat, "progressive")
        table = self.ruleset.table_of("progressive")
        odds = table.odds_for(own)
        if self._shared_equally(odds):
            sharers = sum(
                1
                for other in self.played.seats
                if other.staked("progressive")
                and not other.folded
                and table.odds_for(self.strengths[other.number]) == odds
            )
            return self.till.by_table(seat, "progressive", own, table, sharers=sharers, once=odds)
        return self.till.by_table(seat, "progressive", own, table)

    def _shared_equally(self, odds: Odds) -> bool:
        rule = self.ruleset.rulebook.procedures.shared_jackpot
        whole = odds.kind is Kind.SHARE and odds.number == 100
        return whole and rule is not None and rule.is_ == "equal shares"

    def _five_card(self, seat: Seat, own: int) -> Iterator[Line]:
        if seat.staked("five_card_player"):
            yield self.till.side(seat, "five_card_player", own)
        if seat.staked("five_card_dealer"):
            table = self.ruleset.table_of("five_card_dealer")
            yield self.till.by_table(
                seat,
                "five_card_dealer",
                self.dealer,
                table,
                sharers=self.on_the_dealer,
                once="dealer's hand",
            )

    def _draws(self, seat: Seat) -> Iterator[Line]:
        magic, lucky = self.played.magic_card, self.played.lucky
        if magic is not None:
            yield from self._drawn(
                seat, "magic_card", own=magic in seat.cards, dealers=magic in self.played.dealer
            )
        if lucky is not None:
            yield from self._drawn(
                seat, "lucky", own=lucky == seat.number, dealers=lucky == "dealer"
            )

    def _drawn(self, seat: Seat, name: DrawName, *, own: bool, dealers: bool) -> Iterator[Line]:
        if not (own or dealers):
            return
        draw, odds = self.ruleset.rulebook.draws[name], self.ruleset.draws[name]
        for hit, wager in ((own, draw.own), (dealers, draw.dealers)):
            stake = seat.staked(wager)
            if hit and stake:
                yield self.till.extra(name, odds, odds.winnings(stake), draw.clause, "account")

    def _cover_all(self, order: list[Seat]) -> Iterator[tuple[Seat, Line]]:
        wagered = [seat for seat in order if seat.staked("cover_all")]
        if not wagered:
            return
        reading = self.ruleset.rulebook.readings.cover_all_counts_folded_hands
        folded_too = reading is not None and reading.is_
        counted = [s for s in order if folded_too or not s.folded]
        best = max([self.dealer, *(self.strengths[seat.number] for seat in counted)])
        hands = len(order) + len(self.played.beside) + 1
        table = self.ruleset.by_column["cover_all"][str(hands)]
        for seat in wagered:
            if seat.folded:
                yield seat, self.till.folded(seat, "cover_all")
            else:
                yield seat, self.till.by_table(seat, "cover_all", best, table)

"""The till: makes the lines of a settlement, whatever the game.

It knows paytables, folds, payout limits, meters and who must validate; the games know which
wager is looked at when, and on which cards.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator

from controller.rules.part import Role
from controller.rules.paytables import Kind, Odds, PayTable, Row
from controller.rules.rankings import Ranking
from controller.rules.rulebook import Ending
from controller.rules.ruleset import Ruleset, WagerTerms
from controller.rules.settlement.lines import DealerHand, Line, Result, SeatSettlement, Settlement
from controller.rules.settlement.meters import RunningMeter
from controller.rules.settlement.round import Cards, Round, Seat

#: The strength of a hand that nobody saw: below every hand, and never paid.
UNSEEN = -1


def strength_of(ranking: Ranking, cards: Cards) -> int:
    return ranking.strength(cards) if cards else UNSEEN


def called(ranking: Ranking, strength: int) -> str:
    return "not shown" if strength == UNSEEN else ranking.called(strength)


class Till:
    def __init__(self, ruleset: Ruleset, played: Round) -> None:
        self.ruleset = ruleset
        self._terms = ruleset.wagers
        self._left: dict[str | int, int] = {}
        self._meters = {
            name: RunningMeter(terms, played.meters[name], _wager_on(name, ruleset, played))
            for name, terms in ruleset.meters.items()
        }

    # --- Lines -----------------------------------------------------------------

    def folded(self, seat: Seat, wager: str, how: Ending = "fold") -> Line:
        """A wager that the fold took."""
        return self.lost(seat, wager, how)

    def lost(self, seat: Seat, wager: str, how: Ending = "lose") -> Line:
        return Line(wager, Result.LOSE, seat.staked(wager), 0, self._ends(wager, how))

    def back(self, seat: Seat, wager: str, result: Result, how: Ending) -> Line:
        """The stake goes back and nothing more."""
        stake = seat.staked(wager)
        odds = "push" if result is Result.PUSH else None
        return Line(wager, result, stake, stake, self._ends(wager, how), odds=odds)

    def won(self, seat: Seat, wager: str, strength: int, how: Ending | None = None) -> Line:
        """A wager that the game has decided for the player, paid by its table."""
        line = self.by_table(seat, wager, strength, self.ruleset.table_of(wager))
        return line if how is None else line._replace(clause=self._ends(wager, how))

    def side(self, seat: Seat, wager: str, strength: int) -> Line:
        """A side wager against its own table; a fold may have taken it."""
        if seat.folded and self._terms[wager].lost_on_fold:
            return self.folded(seat, wager)
        return self.by_table(seat, wager, strength, self.ruleset.table_of(wager))

    def by_table(
        self,
        seat: Seat,
        wager: str,
        strength: int,
        table: PayTable,
        *,
        sharers: int = 1,
        once: Hashable = None,
    ) -> Line:
        """What the table says of a hand; a share of a meter may be one of several."""
        stake = seat.staked(wager)
        row = table.row_for(strength)
        if row is None or row.odds.kind is Kind.LOSS:
            return self.lost(seat, wager)
        odds, terms = row.odds, self._terms[wager]
        if odds.kind is Kind.PUSH:
            return Line(wager, Result.PUSH, stake, stake, table.clause, odds="push")
        if odds.kind is Kind.SHARE:
            assert terms.meter is not None
            paid_by, cut = "hand", 0
            returns = self._meters[terms.meter].award(odds, sharers, once)
        else:
            paid_by, won = terms.paid_by, odds.winnings(stake)
            allowed = self._within_limit(seat, row, won) if terms.limited else won
            cut, returns = won - allowed, allowed + odds.stake_back(stake)
        return Line(
            wager=wager,
            result=Result.WIN,
            stake=stake,
            returns=returns,
            clause=table.clause,
            odds=self.ruleset.rulebook.states(odds),
            paid_by=paid_by,
            validate=self._validator(terms, odds),
            cut=cut,
        )

    def bonus(self, name: str, row: Row | None, on: int, clause: str) -> Iterator[Line]:
        """A bonus without a stake of its own, reckoned on another wager, if the table has it."""
        if row is not None:
            yield self.extra(name, row.odds, row.odds.winnings(on), clause, "rack")

    def extra(self, name: str, odds: Odds, returns: int, clause: str, drawer: str) -> Line:
        """What is paid without a stake of its own."""
        return Line(
            name, Result.WIN, 0, returns, clause, self.ruleset.rulebook.states(odds), drawer
        )

    def triggers(self, hands: Iterable[tuple[Seat, int]]) -> list[tuple[str | int, int]]:
        """The hands, by who plays them and strength, that envy is paid for at all."""
        if not self.ruleset.envy:
            return []
        tables = self.ruleset.envy.values()
        return [
            (seat.owner, strength)
            for seat, strength in hands
            if (not seat.folded or self._triggers_folded(seat))
            and strength != UNSEEN
            and any(t.row_for(strength) for t in tables)
        ]

    def _triggers_folded(self, seat: Seat) -> bool:
        """Whether others are paid envy for a hand although it was folded."""
        rulebook = self.ruleset.rulebook
        reading = rulebook.readings.envy_for_folded_hands
        if reading is None or reading.is_ != "left on the table":
            return reading is not None and bool(reading.is_)
        stays = rulebook.procedures.folded_hand_stays_for
        return stays is not None and any(seat.staked(wager) for wager in stays.is_)

    def envy(self, seat: Seat, triggers: list[tuple[str | int, int]]) -> Iterator[Line]:
        """One line for each of these hands that another player holds, at whichever seat."""
        if not triggers:
            return
        stake = seat.staked("progressive")
        table = self.ruleset.envy.get(stake) or self.ruleset.envy.get(0)
        if not stake or table is None:
            return
        for holder, strength in triggers:
            row = table.row_for(strength)
            if row is not None and holder != seat.owner:
                yield self.extra("envy", row.odds, row.odds.number, table.clause, "rack")

    # --- The whole -------------------------------------------------------------

    def settlement(
        self, seats: list[tuple[Seat, str, list[Line]]], dealer: DealerHand | None = None
    ) -> Settlement:
        return Settlement(
            rulebook=self.ruleset.rulebook.id,
            dealer=dealer,
            seats=tuple(SeatSettlement(s.number, hand, tuple(lines)) for s, hand, lines in seats),
            meters={name: meter.shows() for name, meter in self._meters.items()},
        )

    # --- Inside ----------------------------------------------------------------

    def _ends(self, wager: str, how: Ending) -> str:
        ends = self._terms[wager].ends
        # An older rulebook has one clause for a fold at whichever street.
        return ends[how] if how in ends or not how.startswith("fold") else ends["fold"]

    def _validator(self, terms: WagerTerms, odds: Odds) -> Role | None:
        high = odds.kind is Kind.SHARE or odds.number >= terms.validated_from
        return terms.validated_by if high else None

    def _within_limit(self, seat: Seat, row: Row, winnings: int) -> int:
        """What is left of the winnings under the payout limit."""
        limit, whole = self.ruleset.rulebook.payout_limit, self.ruleset.payout_limit
        assert limit is not None
        assert whole is not None
        if row.hand in limit.spares:
            return winnings
        if limit.over == "wager":
            return min(winnings, whole)
        left = self._left.get(seat.owner, whole)
        allowed = min(winnings, left)
        self._left[seat.owner] = left - allowed
        return allowed


def _wager_on(meter: str, ruleset: Ruleset, played: Round) -> int:
    """What a meter's reseed is reckoned with: the wager that the table offers, or that was made."""
    offered = ruleset.wager_on(meter)
    if offered is not None:
        return offered
    return next((stake for seat in played.seats if (stake := seat.staked(meter))), 0)

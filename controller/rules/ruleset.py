"""A ruleset: a rulebook with the operator's choices made, as one table plays it.

``choose`` refuses what the regulation forbids and says which clause does; after it nothing
downstream has to ask again whether a wager is offered or which paytable pays it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from controller.rules.cards import cards
from controller.rules.choices import Options, amounts_taken, choices_made, column_of, meter_of
from controller.rules.faults import Refused
from controller.rules.part import Role
from controller.rules.paytables import Odds, PayTable, Row, dollars, odds
from controller.rules.rulebook import DrawName, Ending, Meter, Rulebook


@dataclass(frozen=True, slots=True)
class MeterTerms:
    """How one meter of this table starts, grows and starts again."""

    clause: str
    #: The levels, the top one first.
    levels: tuple[str, ...]
    #: Dollars for each dollar of the wager; or, where the operator sets them, cents.
    seed: Mapping[str, int]
    reseed: Mapping[str, int]
    reset_cents: int | None
    #: Percent of each wager that a level gets; None where the operator's rate is not known yet.
    rate: Mapping[str, int | None]
    reserve_rate: int | None
    restarts_at: str

    @property
    def has_reserve(self) -> bool:
        return self.reserve_rate is not None

    def start_cents(self, level: str, wager: int) -> int:
        """Where a level starts for the first time, for a progressive wager of this many cents."""
        return self.reset_cents if self.reset_cents is not None else self.seed[level] * wager

    def reseed_cents(self, level: str, wager: int) -> int:
        """Where a level starts again, for a progressive wager of this many cents."""
        return self.reset_cents if self.reset_cents is not None else self.reseed[level] * wager


@dataclass(frozen=True, slots=True)
class WagerTerms:
    """What the settlement of one wager needs to know, gathered once."""

    #: The table that pays it, unless the round decides the column.
    table: PayTable | None
    lost_on_fold: bool
    ends: Mapping[Ending, str]
    #: Where it is paid from when it is no share of a meter.
    paid_by: str
    #: The meter that its shares are taken off.
    meter: str | None
    #: Who must validate what it pays, from which odds for 1 on.
    validated_by: Role | None
    validated_from: int
    #: Whether the payout limit covers it.
    limited: bool


@dataclass(frozen=True, slots=True)
class Ruleset:
    """What one table plays."""

    rulebook: Rulebook
    options: Options
    #: The wagers on offer, in the order of the rulebook.
    offered: tuple[str, ...]
    #: Each wager of the rulebook.
    wagers: Mapping[str, WagerTerms]
    #: The paytable of each table that has just one column in play.
    tables: Mapping[str, PayTable]
    #: All columns of the tables in which the round decides the column.
    by_column: Mapping[str, Mapping[str, PayTable]]
    meters: Mapping[str, MeterTerms]
    #: Envy sums by the receiver's wager in cents; 0 stands for any.
    envy: Mapping[int, PayTable]
    #: What the system's draws pay.
    draws: Mapping[DrawName, Odds]

    @property
    def payout_limit(self) -> int | None:
        limit: int | None = self.options.get("payout_limit")
        return limit

    def offers(self, wager: str) -> bool:
        return wager in self.offered

    def amounts_of(self, wager: str) -> list[int] | None:
        """The cents that this table takes on a wager; None where any will do."""
        return amounts_taken(self.rulebook, wager, self.options)

    def wager_on(self, meter: str) -> int | None:
        """The cents of every wager on a meter; None where they are not fixed."""
        for name, terms in self.wagers.items():
            if terms.meter == meter:
                amounts = self.amounts_of(name)
                return amounts[0] if amounts is not None and len(amounts) == 1 else None
        return None

    def title_of(self, meter: str) -> str:
        """What is won from a meter, in the rulebook's words: its wager's, as far as "wager"."""
        for name, terms in self.wagers.items():
            if terms.meter == meter:
                return re.split(r"\s+wager\b", self.rulebook.wagers[name].title, flags=re.I)[0]
        return meter

    def called(self, wager: str) -> str:
        """A wager in the rulebook's words; what is no wager, an envy say, by its own name."""
        found = self.rulebook.wagers.get(wager)
        return found.short if found else wager.replace("_", " ")

    def table_of(self, wager: str) -> PayTable:
        """The paytable that pays a wager."""
        table = self.wagers[wager].table
        assert table is not None, f"no paytable is chosen for {wager}"
        return table


def choose(rulebook: Rulebook, options: Options, *, of_a_table: bool = False) -> Ruleset:
    """The ruleset that these options make; ``Refused`` where the rulebook does not allow them.

    A finished round needs only what decides how it is settled; ``of_a_table`` also asks for what
    a whole table has to settle beforehand.
    """
    made = choices_made(rulebook, options, of_a_table=of_a_table)
    offered = tuple(
        name
        for name, wager in rulebook.wagers.items()
        if wager.offered_by is None or made.get(wager.offered_by)
    )
    tables, by_column = _tables(rulebook, made)
    ruleset = Ruleset(
        rulebook=rulebook,
        options=made,
        offered=offered,
        wagers={name: _wager_terms(rulebook, name, made, tables) for name in rulebook.wagers},
        tables=tables,
        by_column=by_column,
        meters=_meters(rulebook, made, tables),
        envy=_envy(rulebook, made, tables),
        draws={name: draw.odds() for name, draw in rulebook.draws.items()},
    )
    limit_must_be_high_enough(ruleset, made.get("minimum_ante"))
    return ruleset


# --- What follows from the choices ------------------------------------------


def _tables(
    rulebook: Rulebook, made: Options
) -> tuple[dict[str, PayTable], dict[str, dict[str, PayTable]]]:
    tables, by_column = {}, {}
    for name, sheets in rulebook.paytables.items():
        first = sheets[0]
        ranking_for = str(made.get(first.ranking_by)) if first.ranking_by else None
        column = column_of(rulebook, name, made)
        if column is None:
            by_column[name] = {c: first.table(c) for c in first.columns}
            continue
        if not _offered(rulebook, name, made) or column not in rulebook.columns(name):
            continue
        table = rulebook.sheet(name, column).table(column, ranking_for)
        tables[name] = _bettered(rulebook, name, table, made)
    return tables, by_column


def _offered(rulebook: Rulebook, table: str, made: Options) -> bool:
    """A table that a choice is named after is in play only when that choice is made."""
    return table not in rulebook.choices or table in made


def _bettered(rulebook: Rulebook, name: str, table: PayTable, made: Options) -> PayTable:
    for chosen, choice in rulebook.choices.items():
        if choice.picks == "better odds" and choice.table == name and chosen in made:
            rows = [Row(r.hand, odds(made[chosen].get(r.hand, str(r.odds)))) for r in table.rows]
            return PayTable(table.name, table.clause, table.ranking, rows)
    return table


def _meters(
    rulebook: Rulebook, made: Options, tables: Mapping[str, PayTable]
) -> dict[str, MeterTerms]:
    return {
        name: _terms(meter_of(rulebook, name, made), made, tables[name])
        for name in rulebook.meters
        if name in made
    }


def _terms(meter: Meter, made: Options, table: PayTable) -> MeterTerms:
    given = made.get(meter.rate_by) if meter.rate_by else None
    if not isinstance(given, Mapping):
        # One number for several levels, as a finished round may state it, is the rate of none.
        given = dict.fromkeys(meter.levels, given if len(meter.levels) == 1 else None)
    return MeterTerms(
        clause=meter.clause_of(table.name),
        levels=tuple(meter.levels),
        seed={n: one.seed or 0 for n, one in meter.levels.items()},
        reseed={
            n: (one.seed or 0) if one.reseed is None else one.reseed
            for n, one in meter.levels.items()
        },
        reset_cents=made.get(meter.reset_by) if meter.reset_by else None,
        rate={n: given[n] if one.rate is None else one.rate for n, one in meter.levels.items()},
        reserve_rate=meter.reserve_rate,
        restarts_at=meter.restarts_at,
    )


def _envy(rulebook: Rulebook, made: Options, tables: Mapping[str, PayTable]) -> dict[int, PayTable]:
    found = {}
    for envy in rulebook.envy:
        if envy.wager in made and tables[envy.wager].name in envy.columns:
            for amount in envy.clauses:
                cents = 0 if amount == "any" else int(amount)
                found[cents] = envy.table(tables[envy.wager].name, amount)
    return found


def _wager_terms(
    rulebook: Rulebook, name: str, made: Options, tables: Mapping[str, PayTable]
) -> WagerTerms:
    wager = rulebook.wagers[name]
    table, limit = wager.paytable or name, rulebook.payout_limit
    rule = next((rule for rule in rulebook.validation if name in rule.wagers), None)
    return WagerTerms(
        table=tables.get(table),
        lost_on_fold=wager.on_fold == "lose",
        ends=wager.ends,
        paid_by="account" if wager.on == "terminal" else "rack",
        meter=table if table in rulebook.meters and table in made else None,
        validated_by=rule.role if rule else None,
        validated_from=rule.from_odds if rule else 0,
        limited="payout_limit" in made and limit is not None and name in limit.covers,
    )


def limit_must_be_high_enough(ruleset: Ruleset, minimum_ante: int | None) -> None:
    """Refuse a payout limit below the printed sum, or below the best win at the minimum wager."""
    limit, terms = ruleset.payout_limit, ruleset.rulebook.payout_limit
    if limit is None or terms is None:
        return
    if limit < terms.least:
        raise Refused(
            "payout_limit",
            f"{dollars(limit)} is too little",
            f"at least {dollars(terms.least)}",
            terms.clause,
        )
    if minimum_ante is None:
        return
    best = best_win_at_minimum(ruleset, minimum_ante)
    if limit < best:
        least = dollars(minimum_ante)
        raise Refused(
            "payout_limit",
            f"{dollars(limit)} is less than a patron could win with the minimum Ante of {least}",
            f"at least {dollars(best)}",
            terms.clause,
        )


def best_win_at_minimum(ruleset: Ruleset, minimum_ante: int) -> int:
    """The most that one patron could win in a round on the wagers that the limit is reckoned with.

    No one hand need be the best for all of them, so the rulebook names the hands to try.
    """
    terms = ruleset.rulebook.payout_limit
    assert terms is not None
    return max(
        sum(
            _won(ruleset, wager, antes * minimum_ante, cards(hand))
            for wager, antes in terms.minimum_wagers.items()
            if ruleset.offers(wager)
        )
        for hand in terms.best_hands
    )


def _won(ruleset: Ruleset, wager: str, stake: int, hand: tuple[int, ...]) -> int:
    terms = ruleset.rulebook.payout_limit
    table = ruleset.table_of(wager)
    row = table.row_for(table.ranking.strength(hand[: table.ranking.takes[1]]))
    spared = terms is None or row is None or row.hand in terms.spares
    return 0 if spared or row is None else row.odds.winnings(stake)

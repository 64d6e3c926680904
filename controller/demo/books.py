"""Accounts and meters kept a second time, from the events alone, and held against the machine's.

What a seat has is what was brought, wagered and won there. What a meter has is a share of every
wager on it that was not sent back, less what was paid from it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from controller.recorder import Taken
from controller.rules.paytables import dollars
from controller.table import commands, events
from controller.table.events import Event
from controller.table.meters import level_of
from controller.table.state import PER_CENT, Due, Meter, Table
from controller.table.terms import Terms
from controller.table.voiding import to_account

#: Whoever does one of these means to change what a meter holds.
ON_PURPOSE = (events.TableOpened, events.MeterCorrected, events.MeterReset)


class Books:
    """``table`` is where they begin."""

    def __init__(self, terms: Terms, table: Table) -> None:
        self._terms = terms
        self._before = table
        self.accounts = Counter({seat.number: seat.balance for seat in table.seats})
        self._posted = {(seat.number, one.id) for seat in table.seats for one in seat.transfers}
        #: By meter: wagers and cents counted in, and cents paid on its wagers.
        self._wagers = Counter({name: one.wagers_in for name, one in table.meters.items()})
        self._cents = Counter({name: one.cents_in for name, one in table.meters.items()})
        self._paid = Counter({name: one.cumulative_paid for name, one in table.meters.items()})
        self._wrong: list[str] = []

    def told(self, event: Event, taken: Taken) -> None:
        before, after = self._before, taken.step.table
        self._before = after
        if taken.step.refused:
            return
        back = [] if isinstance(event, events.WagerCameLate) else list(_sent_back(taken))
        self._account(before, event, after, back)
        if not isinstance(event, ON_PURPOSE) and after.link is None:
            self._meters(before, event, after, back)

    # --- Accounts ---------------------------------------------------------------

    def _account(
        self, before: Table, event: Event, after: Table, back: list[commands.ReturnWager]
    ) -> None:
        match event:
            case events.BoughtIn(seat=seat, transfer=id_, cents=cents):
                self._transfer(seat, id_, cents)
            case events.CashedOut(seat=seat, transfer=id_, cents=cents):
                self._transfer(seat, id_, -cents)
            case events.WagerPlaced(seat=seat, wager=wager, amount=cents):
                self.accounts[seat] -= cents if self._terms.is_electronic(wager) else 0
            case events.WagerTakenBack(seat=seat):
                for wager, cents in before.seat(seat).wagers.items():
                    gone = wager not in after.seat(seat).wagers
                    self.accounts[seat] += cents if gone and self._terms.is_electronic(wager) else 0
        for due in _newly_paid(before, after):
            if to_account(self._terms, due):
                self.accounts[due.seat] += due.returns
        if after.void and not before.void:
            # What was credited before the round was found to be void, as far as it is there.
            for due in before.due:
                if due.paid and to_account(self._terms, due):
                    self.accounts[due.seat] -= min(due.returns, self.accounts[due.seat])
        for one in back:
            if one.to == "account":
                self.accounts[one.seat] += one.cents

    def _transfer(self, seat: int, id_: str, cents: int) -> None:
        """A terminal that got no answer says the same again."""
        if (seat, id_) not in self._posted:
            self._posted.add((seat, id_))
            self.accounts[seat] += cents

    # --- Meters -----------------------------------------------------------------

    def _meters(
        self, before: Table, event: Event, after: Table, back: list[commands.ReturnWager]
    ) -> None:
        moved: Counter[tuple[str, str]] = Counter()
        if isinstance(event, events.LockOutPressed) and after.round != before.round:
            for seat in after.in_round():
                for wager, cents in seat.wagers.items():
                    self._count(moved, wager, cents, 1)
        for one in back:
            if any(c.seat == one.seat and c.wager == one.wager for c in before.contributed):
                self._count(moved, one.wager, one.cents, -1)
        is_over = after.phase == "clearing" and before.phase != "clearing"
        for name, meter in after.meters.items():
            won = list(self._won(after, name)) if is_over and not after.void else []
            self._paid[name] += sum(due.returns for due in won)
            for level in (*meter.levels, "reserve"):
                rise = _holds(meter, level) - _holds(before.meters[name], level)
                if rise != moved[name, level] and not _is_award(meter, level, rise, won):
                    self._wrong.append(
                        f"{type(event).__name__} in round {after.round} moved the {level} of the "
                        f"{name} meter by {rise} hundredths of a cent, not {moved[name, level]}"
                    )

    def _count(self, moved: Counter[tuple[str, str]], wager: str, cents: int, by: int) -> None:
        name = self._terms.ruleset.wagers[wager].meter
        if name is None:
            return
        self._wagers[name] += by
        self._cents[name] += by * cents
        found = self._terms.ruleset.meters[name]
        for level, rate in {**found.rate, "reserve": found.reserve_rate}.items():
            moved[name, level] += by * cents * (rate or 0)

    def _won(self, table: Table, meter: str) -> Iterator[Due]:
        for due in table.due:
            wager = self._terms.ruleset.wagers.get(due.wager)
            if wager is not None and wager.meter == meter and due.result == "win":
                yield due

    # --- The end ----------------------------------------------------------------

    def differences(self, table: Table) -> Iterator[str]:
        yield from self._wrong
        for seat in table.seats:
            if self.accounts[seat.number] != seat.balance:
                yield (
                    f"seat {seat.number} brought, wagered and won {dollars(seat.balance)} by its "
                    f"account, {dollars(self.accounts[seat.number])} by what happened"
                )
        for name, meter in table.meters.items():
            has = (meter.wagers_in, meter.cents_in, meter.cumulative_paid)
            counted = (self._wagers[name], self._cents[name], self._paid[name])
            if has != counted:
                yield (
                    f"the {name} meter has counted {has} wagers, cents in and cents paid, where "
                    f"{counted} happened"
                )


def _sent_back(taken: Taken) -> Iterator[commands.ReturnWager]:
    for command in taken.step.commands:
        if isinstance(command, commands.ReturnWager):
            yield command


def _newly_paid(before: Table, after: Table) -> Iterator[Due]:
    was = Counter((due.seat, due.wager) for due in before.due if due.paid)
    for due in after.due:
        if due.paid and was[due.seat, due.wager]:
            was[due.seat, due.wager] -= 1
        elif due.paid:
            yield due


def _holds(meter: Meter, level: str) -> int:
    """In hundredths of a cent, with what waits above the limit."""
    if level == "reserve":
        return meter.reserve
    return meter.levels[level].holds + meter.levels[level].overflow


def _is_award(meter: Meter, level: str, rise: int, won: list[Due]) -> bool:
    """A share of it was paid: so much less is in it, or it has begun again.

    What it begins again with comes out of the reserve.
    """
    shares = [due for due in won if " of " in (due.odds or "")]
    if level == "reserve":
        return bool(shares) and rise < 0
    paid = sum(due.returns for due in shares if level_of(due.odds) == level)
    begun_again = meter.levels[level].holds // PER_CENT == meter.reset[level]
    return bool(shares) and (rise == -paid * PER_CENT or begun_again)

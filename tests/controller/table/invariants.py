"""What must hold of a table at every moment, whatever happened before."""

from __future__ import annotations

from controller.table.commands import (
    ArmShoe,
    Command,
    Dispense,
    EnableDeal,
    StartShuffle,
    Unlock,
)
from controller.table.dealing import stub
from controller.table.decks import is_ready
from controller.table.state import Table
from controller.table.terms import Terms
from controller.table.wagers import waits_for

BEFORE_THE_DEAL = ("closed", "opening", "shuffling", "betting", "locked")
WITHOUT_WAGERS = ("closed", "opening")


def check(terms: Terms, table: Table) -> None:
    """Raise AssertionError with the invariant that does not hold."""
    if table.phase in BEFORE_THE_DEAL:
        assert all(seat.dealt == 0 for seat in table.seats), "a card before the deal"
    if table.phase in WITHOUT_WAGERS:
        assert all(not seat.wagers for seat in table.seats), "a wager outside a round"
    if table.phase in ("dealing", "deciding", "revealing", "settling"):
        assert all(s.acceptor_locked and s.terminal_locked for s in table.seats), "open device"
    if table.phase in ("dealing", "deciding", "revealing"):
        assert not waits_for(terms, table), "dealing before the lock was confirmed"
    assert table.deal_enabled <= (table.phase == "locked"), "deal enabled outside the lock"
    assert 0 <= stub(table) <= 52, "cards that are not accounted for"
    if table.phase in ("betting", "locked", "dealing"):
        deck = next(deck for deck in table.decks if deck.id == table.deck)
        assert not is_ready(deck), "a round with a deck that is not ready"
    for due in table.due:
        if due.paid and due.validate and due.result == "win":
            assert due.validated_by, "paid without validation"
            assert due.verified_by, "paid without verification"
    for meter in table.meters.values():
        assert all(level.holds >= 0 for level in meter.levels.values()), "a meter below nothing"
        assert meter.reserve >= 0
        assert meter.cumulative_paid == meter.machine_paid + meter.attendant_paid
    assert all(seat.balance >= 0 for seat in table.seats), "an account below nothing"
    if table.void and table.void != "side wagers":
        assert all(not seat.wagers for seat in table.seats), "a void round with wagers down"


def nothing_moves(table: Table, commands: tuple[Command, ...]) -> None:
    """What came out of a step that left the table so: nothing that one of its holds stops."""
    stops = {hold.blocks for hold in table.holds}
    for command in commands:
        match command:
            case StartShuffle() | EnableDeal(enabled=True):
                assert not stops, f"{command} while something is held"
            case ArmShoe() | Dispense():
                assert not stops & {"deal", "play"}, f"{command} while the deal is held"
                assert not table.deal.lies, f"{command} while a stack lies in the exit"
            case Unlock():
                assert "play" not in stops, f"{command} while play is held"
            case _:
                pass

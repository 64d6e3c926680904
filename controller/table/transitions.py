"""The one table of what may happen when: for each event, the phases, the role and what blocks it.

Everything else about an event is decided by its handler. The diagram in docs/table.md is drawn
from this table.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, NamedTuple, get_args

from msgspec import UNSET

from controller.table import (
    accounts,
    badges,
    belonging,
    clock,
    credentials,
    dealing,
    deciding,
    decks,
    delivery,
    duty,
    events,
    exposure,
    holds,
    idle,
    inquiry,
    link,
    meters,
    misdeals,
    offers,
    opening,
    paying,
    record,
    seating,
    settling,
    shuffle,
    voiding,
    wagers,
)
from controller.table.change import Change, replace
from controller.table.people import Role
from controller.table.state import Phase, Table
from controller.table.terms import Terms

Handler = Callable[[Terms, Table, Any], Change]

EVERY: tuple[Phase, ...] = get_args(Phase)
OPEN = EVERY[1:]
BEFORE_THE_DEAL: tuple[Phase, ...] = ("shuffling", "betting", "locked")
IN_ROUND: tuple[Phase, ...] = ("locked", "dealing", "deciding", "revealing")
PAYING: tuple[Phase, ...] = ("revealing", "settling")


class Rule(NamedTuple):
    handler: Handler
    phases: tuple[Phase, ...]
    #: Who may do it; the words that are no roles stand for one that the rulebook names. None: a
    #: device says it.
    role: Role | Literal["recut", "shuffle", "exposure"] | None = None
    #: The holds that block this. What is told as it is, what puts things right, and what ends a
    #: round is blocked by none; what may not be ordered under a hold is in ``interlock``.
    blocked_by: tuple[str, ...] = ()
    #: Where it may lead besides staying.
    leads_to: tuple[Phase, ...] = ()
    #: The phases from which it may lead there, where that is not all of them.
    leads_from: tuple[Phase, ...] = ()

    def may_lead(self, before: Phase, after: Phase) -> bool:
        starts = self.leads_from or self.phases
        return before == after or (before in starts and after in self.leads_to)


def _opening(name: str) -> Handler:
    return lambda terms, table, event: decks.step(terms, table, event, event.deck, name)


def _cutting(act: str) -> Handler:
    return _frees_the_deal(
        lambda terms, table, event: shuffle.cut_step(terms, table, event.deck, act, None)
    )


def _frees_the_deal(handler: Handler) -> Handler:
    """What the deal may have waited for after the lock."""

    def handle(terms: Terms, table: Table, event: Any) -> Change:
        table, commands = handler(terms, table, event)
        if table.phase != "locked":
            return table, commands
        table, more = wagers.if_all_is_confirmed(terms, table)
        return table, [*commands, *more]

    return handle


def _may_leave_it_idle(handler: Handler) -> Handler:
    """What may leave the table without players."""

    def handle(terms: Terms, table: Table, event: Any) -> Change:
        table, commands = handler(terms, table, event)
        return idle.nobody_is_left(terms, table), commands

    return handle


def _ends_idleness(handler: Handler) -> Handler:
    """What brings a player to the table."""

    def handle(terms: Terms, table: Table, event: Any) -> Change:
        table, commands = handler(terms, table, event)
        table, more = idle.player_arrived(terms, table)
        return table, [*commands, *more]

    return handle


def _cut_first(handler: Handler) -> Handler:
    """What a recut that was ordered stops."""

    def handle(terms: Terms, table: Table, event: Any) -> Change:
        shuffle.must_not_be_recut(terms, table)
        return handler(terms, table, event)

    return handle


def _cross_checked(handler: Handler) -> Handler:
    """A count by hand that the shuffler's count is held against."""

    def handle(terms: Terms, table: Table, event: Any) -> Change:
        return decks.cross_checked(terms, table, handler(terms, table, event), event.at)

    return handle


def _loaded(terms: Terms, table: Table, event: events.DeckLoaded) -> Change:
    table, commands = decks.loaded(terms, table, event)
    if table.phase != "betting":
        return table, commands
    table, more = offers.opened(terms, replace(table, late=(), hand_back=()))
    return table, [*commands, *more]


def _revealed(terms: Terms, table: Table, event: events.Revealed) -> Change:
    if table.phase != "deciding":
        return settling.revealed(terms, table, event)
    table, commands = deciding.revealed_street(terms, table, event)
    if table.phase != "revealing":
        return table, commands
    # The last community card may be the last card there is to see: all hands may have folded.
    table, more = settling.reckoned(terms, table)
    return table, [*commands, *more]


def _on_record(terms: Terms, table: Table, event: Any) -> Change:
    """It is in the journal, and changes nothing."""
    return table, ()


def _opened(terms: Terms, table: Table, event: events.TableOpened) -> Change:
    table, commands = opening.opened(terms, table, event)
    if event.serial_numbers is not UNSET:
        table = belonging.opened_with(table, event.serial_numbers)
    return meters.adopted(terms, table), commands


TRANSITIONS: dict[type[events.Happening], Rule] = {
    events.TableOpened: Rule(_opened, ("closed",), "floorperson", leads_to=("opening",)),
    events.TableClosed: Rule(
        opening.closed, ("opening", "shuffling", "betting"), "floorperson", leads_to=("closed",)
    ),
    events.DeckReceived: Rule(
        decks.received, ("opening", "shuffling", "betting"), "dealer", leads_to=("shuffling",)
    ),
    events.DeckInspected: Rule(
        _opening("inspected"), ("opening", "shuffling", "betting"), "dealer"
    ),
    events.DeckVerified: Rule(
        _opening("verified"), ("opening", "shuffling", "betting"), "floorperson"
    ),
    events.DeckSpread: Rule(_opening("spread"), ("opening", "shuffling", "betting"), "dealer"),
    events.DeckShown: Rule(_opening("shown"), ("opening", "shuffling", "betting"), "dealer"),
    events.DeckWashed: Rule(
        _opening("washed"),
        ("opening", "shuffling", "betting"),
        "dealer",
        leads_to=("shuffling",),
    ),
    events.DeckRemoved: Rule(
        decks.removed, ("opening", "shuffling", "betting"), "floorperson", leads_to=("shuffling",)
    ),
    events.ShuffleStarted: Rule(shuffle.started, OPEN),
    events.ShuffleCompleted: Rule(shuffle.completed, OPEN),
    events.ShuffledByHand: Rule(shuffle.by_hand, ("shuffling",), "dealer"),
    events.ShuffleFailed: Rule(shuffle.failed, OPEN),
    events.ShufflerReported: Rule(shuffle.reported, OPEN),
    # Before the first card a recut may be ordered, and then the cut is made again.
    events.CutMade: Rule(_frees_the_deal(shuffle.cut), BEFORE_THE_DEAL, "dealer"),
    events.CoverCardPlaced: Rule(_cutting("cover card placed"), BEFORE_THE_DEAL, "dealer"),
    events.RestPlaced: Rule(_cutting("rest placed"), BEFORE_THE_DEAL, "dealer"),
    events.CoverCardRacked: Rule(_cutting("cover card racked"), BEFORE_THE_DEAL, "dealer"),
    events.RecutOrdered: Rule(
        shuffle.recut, (*BEFORE_THE_DEAL, "dealing"), "recut", leads_to=("locked",)
    ),
    events.ShuffleOrdered: Rule(
        shuffle.ordered, ("shuffling", "betting"), "shuffle", leads_to=("shuffling",)
    ),
    events.DeckLoaded: Rule(
        _loaded,
        ("shuffling",),
        blocked_by=("deal", "round", "play"),
        leads_to=("betting",),
    ),
    events.RackCleared: Rule(decks.rack_cleared, ("shuffling", "betting"), "dealer"),
    events.CardsSpread: Rule(
        idle.spread, ("shuffling", "betting"), "dealer", leads_to=("shuffling",)
    ),
    events.CardsTurnedUp: Rule(_opening("turned up"), ("shuffling",), "dealer"),
    events.PlayerSat: Rule(_ends_idleness(seating.sat), OPEN, "dealer", leads_to=("shuffling",)),
    events.PlayerLeft: Rule(_may_leave_it_idle(seating.left), OPEN, "dealer"),
    events.WagersAbandoned: Rule(
        seating.abandoned,
        IN_ROUND,
        "floorperson",
        leads_to=("revealing", "settling", "clearing"),
    ),
    events.WagerPlaced: Rule(wagers.placed, ("betting",), blocked_by=("play",)),
    # After a shuffle that was ordered wagers are down while the cards are shuffled.
    events.WagerTakenBack: Rule(wagers.taken_back, ("shuffling", "betting")),
    events.WagerCameLate: Rule(wagers.came_late, OPEN),
    events.LampRead: Rule(wagers.lamp_read, OPEN),
    events.LockOutPressed: Rule(
        wagers.locked,
        ("betting",),
        "dealer",
        blocked_by=("round", "play"),
        leads_to=("locked",),
    ),
    events.LockConfirmed: Rule(wagers.confirmed, ("locked",)),
    events.ChipsCounted: Rule(wagers.chips_counted, ("locked",), "dealer"),
    events.Drawn: Rule(wagers.drawn, ("locked",)),
    events.DealPressed: Rule(
        _cut_first(wagers.deal_pressed),
        ("locked",),
        "dealer",
        blocked_by=("deal", "round", "play"),
        leads_to=("dealing",),
    ),
    events.StackDispensed: Rule(
        delivery.dispensed, ("locked", "dealing"), leads_to=("clearing", "deciding")
    ),
    events.StackTaken: Rule(delivery.taken, ("dealing",)),
    events.DispenseRefused: Rule(delivery.refused, ("dealing",)),
    events.DispenseUnanswered: Rule(delivery.unanswered, ("dealing",)),
    events.ShoeReported: Rule(
        inquiry.reported,
        ("betting", "locked", "dealing"),
        leads_to=("clearing",),
        leads_from=("dealing",),
    ),
    events.StubReported: Rule(inquiry.stub_reported, ("dealing",)),
    events.CardsDealt: Rule(
        delivery.dealt_by_hand,
        ("dealing",),
        "dealer",
        blocked_by=("deal", "play"),
        leads_to=("clearing", "deciding", "revealing"),
    ),
    events.FaceUpCardFound: Rule(misdeals.face_up, ("dealing",), "dealer", leads_to=("clearing",)),
    events.CardDrawnInError: Rule(misdeals.drawn_in_error, ("dealing",), "dealer"),
    events.UpCardShown: Rule(
        dealing.up_card,
        ("dealing",),
        "dealer",
        blocked_by=("deal", "play"),
        leads_to=("deciding", "revealing"),
    ),
    # Players see their cards, and count them, when they decide; the rest when it is turned over.
    events.MisdealReported: Rule(
        misdeals.misdeal_reported,
        ("dealing", "deciding", "revealing"),
        "dealer",
        leads_to=("dealing", "revealing", "settling", "clearing"),
    ),
    events.CardExposed: Rule(
        exposure.exposed,
        ("betting", "dealing", "deciding"),
        "dealer",
        leads_to=("shuffling", "clearing", "revealing"),
    ),
    # Cards that were on their way when it was reported may have ended the deal, or the decisions.
    events.ExposureDecided: Rule(
        exposure.decided,
        ("dealing", "deciding", "revealing"),
        "exposure",
        leads_to=("clearing", "revealing"),
    ),
    events.StubRacked: Rule(
        dealing.stub_racked,
        ("dealing",),
        "dealer",
        blocked_by=("deal", "play"),
        leads_to=("deciding", "revealing"),
    ),
    events.StubCounted: Rule(
        _cross_checked(dealing.stub_counted),
        ("dealing",),
        "dealer",
        # A count is what some holds on the cards of the round wait for.
        blocked_by=("deal",),
        leads_to=("deciding", "revealing", "clearing"),
    ),
    events.Decided: Rule(
        deciding.decided, ("deciding",), "dealer", blocked_by=("play",), leads_to=("revealing",)
    ),
    events.PlayerDecided: Rule(
        deciding.chosen, ("deciding",), blocked_by=("play",), leads_to=("revealing",)
    ),
    events.WagersForfeited: Rule(
        deciding.forfeited,
        ("dealing", "deciding", "revealing"),
        "floorperson",
        leads_to=("revealing",),
    ),
    events.Revealed: Rule(
        _revealed,
        ("deciding", "revealing"),
        "dealer",
        blocked_by=("play",),
        leads_to=("revealing", "settling", "clearing"),
    ),
    events.HandTurned: Rule(
        settling.turned,
        ("revealing",),
        "dealer",
        blocked_by=("play",),
        leads_to=("settling", "clearing"),
    ),
    # A seat may be settled, and its hand cleared, before the next hand is turned.
    events.HandVerified: Rule(paying.verified, PAYING, "dealer", blocked_by=("play",)),
    # The line itself says who validates it.
    events.PayoutValidated: Rule(paying.validated, PAYING, blocked_by=("play",)),
    events.PayoutRefused: Rule(paying.refused, PAYING),
    events.SeatPaid: Rule(
        paying.paid,
        PAYING,
        "dealer",
        blocked_by=("play",),
        leads_to=("clearing",),
        leads_from=("settling",),
    ),
    events.HandPayDocumented: Rule(paying.documented, (*PAYING, "clearing"), "floorperson"),
    events.CardsRacked: Rule(
        _may_leave_it_idle(settling.racked), ("clearing",), "dealer", leads_to=("shuffling",)
    ),
    # The table may be closed meanwhile: the player has the wagers back all the same.
    events.WagersReturned: Rule(voiding.handed_back, EVERY, "dealer"),
    events.RoundVoided: Rule(holds.round_voided, IN_ROUND, "floorperson", leads_to=("clearing",)),
    events.DeviceFaulted: Rule(
        holds.faulted, EVERY, leads_to=("clearing",), leads_from=("dealing",)
    ),
    events.DeviceRecovered: Rule(holds.recovered, EVERY),
    events.DeviceWentOffline: Rule(offers.went_offline, EVERY),
    events.DeviceCameOnline: Rule(offers.came_online, EVERY),
    events.DeviceAppeared: Rule(_on_record, EVERY),
    events.DeviceExchanged: Rule(
        holds.exchanged, EVERY, leads_to=("clearing",), leads_from=("dealing",)
    ),
    events.DeviceAccepted: Rule(belonging.accepted, EVERY, "technician"),
    events.ShufflerSet: Rule(offers.shuffler_set, EVERY),
    events.HandsCounted: Rule(offers.hands_counted, ("dealing", "deciding", "revealing")),
    # The hold itself says who clears it.
    events.HoldSeen: Rule(holds.seen, EVERY),
    events.HoldCleared: Rule(holds.cleared, EVERY),
    events.DeviceTakenOut: Rule(
        holds.taken_out,
        ("opening", "shuffling", "betting"),
        "floorperson",
        leads_to=("shuffling",),
    ),
    events.DeviceReturned: Rule(holds.put_back, ("opening", "shuffling"), "floorperson"),
    events.CredentialRefused: Rule(credentials.tried_wrongly, EVERY),
    events.CredentialAccepted: Rule(credentials.accepted, EVERY),
    events.CredentialUnlocked: Rule(credentials.unlocked, EVERY, "supervisor"),
    events.PlaceUnlocked: Rule(credentials.place_unlocked, EVERY, "supervisor"),
    events.CredentialWithdrawn: Rule(credentials.withdrawn, EVERY),
    events.CredentialReissued: Rule(credentials.reissued, EVERY),
    events.BadgeRead: Rule(badges.read, EVERY),
    events.BadgeRefused: Rule(badges.refused, EVERY),
    events.BadgeGiven: Rule(badges.given, EVERY),
    events.BadgeWithdrawn: Rule(badges.withdrawn, EVERY),
    # Whoever may act at the table may be on duty there.
    events.SignedOn: Rule(duty.signed_on, EVERY),
    events.SignedOff: Rule(duty.signed_off, EVERY),
    events.DutyLapsed: Rule(duty.lapsed, EVERY),
    events.AttemptRefused: Rule(_on_record, EVERY),
    events.WireAbused: Rule(holds.abused, EVERY),
    events.MaintenanceEntered: Rule(
        credentials.entered,
        ("closed", "opening", "shuffling", "betting"),
        "technician",
        leads_to=("shuffling",),
        leads_from=("betting",),
    ),
    events.MaintenanceLeft: Rule(
        credentials.left, ("closed", "opening", "shuffling"), "technician"
    ),
    events.RecordDisputed: Rule(record.disputed, EVERY),
    events.RecordAccepted: Rule(record.accepted, EVERY, "supervisor"),
    events.MeterCorrected: Rule(
        meters.corrected, ("closed", "opening", "shuffling", "betting"), "supervisor"
    ),
    events.MeterReset: Rule(
        meters.reset, ("closed", "opening", "shuffling", "betting"), "technician"
    ),
    events.LinkJoined: Rule(link.joined, EVERY),
    events.LinkUpdated: Rule(link.updated, EVERY),
    events.LinkHit: Rule(link.hit, EVERY),
    events.HitOrderedByHand: Rule(link.ordered_by_hand, PAYING, "supervisor"),
    events.BoughtIn: Rule(accounts.bought_in, OPEN),
    events.CashedOut: Rule(accounts.cashed_out, OPEN),
    events.TimerFired: Rule(holds.timer_fired, EVERY),
    events.ClockStepped: Rule(clock.stepped, EVERY),
}

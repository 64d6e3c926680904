"""Everything that can happen at a table, as the journal keeps it.

Time comes in as the stamp of an event, randomness as ``Drawn``, and what people do carries who
they are. So the same events always make the same table.
"""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import UNSET, Meta, UnsetType

from controller.table.commands import Lamp
from controller.table.people import Person, Role

Place = Literal["dealer", "community", "extra"]
#: A deck of which the device that has it does not know the name: it is read off the table.
UNNAMED = "?"
DeckId = Annotated[str, Meta(min_length=1, max_length=8)]
SeatNo = Annotated[int, Meta(ge=1, le=8)]
Cents = Annotated[int, Meta(ge=0, le=10**12)]
Count = Annotated[int, Meta(ge=0, le=200)]
Cards = Annotated[str, Meta(max_length=40)]
Words = Annotated[str, Meta(min_length=1, max_length=500)]
Name = Annotated[str, Meta(min_length=1, max_length=64)]
EventId = Annotated[str, Meta(min_length=1, max_length=96)]


class Happening(
    msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="kind"
):
    #: When, in milliseconds since 1970, by the clock of the table PC.
    at: Annotated[int, Meta(ge=0)]
    #: An id by which the sender would repeat it; the same id is taken once.
    id: EventId | None = None
    #: A device or a wire kept it before it came here: for so many milliseconds at the most, None
    #: if nobody knows for how long. Not set for what came at once.
    kept: Annotated[int, Meta(ge=0)] | UnsetType | None = UNSET


class Act(Happening, kw_only=True, frozen=True):
    """Something that a person did."""

    by: Person


# --- Opening and decks ------------------------------------------------------


class TableOpened(Act, kw_only=True, frozen=True, tag="table_opened"):
    #: Of the devices that are there, and of which no serial number was expected, by name: from now
    #: on it is. The daemon fills it in.
    serial_numbers: dict[Name, Name] | UnsetType = UNSET


class TableClosed(Act, kw_only=True, frozen=True, tag="table_closed"):
    pass


class DeckReceived(Act, kw_only=True, frozen=True, tag="deck_received"):
    deck: DeckId
    colour: Name
    design: Name
    #: "inspect" for the whole checklist; "preshuffled" with the paragraph that allows it.
    route: Literal["inspect", "preshuffled"] = "inspect"
    paragraph: str = ""
    #: Accessory cards that the rulebook wants and that did not come with it.
    lacks: tuple[Name, ...] = ()
    #: A deck that falls due and whose place this one takes.
    replaces: DeckId | None = None


class DeckInspected(Act, kw_only=True, frozen=True, tag="deck_inspected"):
    deck: DeckId


class DeckVerified(Act, kw_only=True, frozen=True, tag="deck_verified"):
    deck: DeckId


class DeckSpread(Act, kw_only=True, frozen=True, tag="deck_spread"):
    deck: DeckId


class DeckShown(Act, kw_only=True, frozen=True, tag="deck_shown"):
    """The first player to arrive had the opportunity to look at the cards that lie spread."""

    deck: DeckId


class DeckWashed(Act, kw_only=True, frozen=True, tag="deck_washed"):
    """Turned face down, mixed by a washing, and stacked."""

    deck: DeckId


class DeckRemoved(Act, kw_only=True, frozen=True, tag="deck_removed"):
    deck: DeckId
    reason: Words


# --- Shuffle ----------------------------------------------------------------


class ShuffleStarted(Happening, kw_only=True, frozen=True, tag="shuffle_started"):
    """A whole new cycle begins."""

    deck: DeckId


class ShuffleCompleted(Happening, kw_only=True, frozen=True, tag="shuffle_completed"):
    """The shuffler's word, with its count if it counts."""

    deck: DeckId
    count: Count | None = None


class ShuffledByHand(Act, kw_only=True, frozen=True, tag="shuffled_by_hand"):
    deck: DeckId


class ShuffleFailed(Happening, kw_only=True, frozen=True, tag="shuffle_failed"):
    deck: DeckId
    nature: Literal["jam", "stopped", "incomplete"]


class ShufflerReported(Happening, kw_only=True, frozen=True, tag="shuffler_reported"):
    """What the shuffler is doing, with which deck."""

    mode: Literal["shuffle", "sort", "other"]
    holds: DeckId | None = None


class CutMade(Act, kw_only=True, frozen=True, tag="cut_made"):
    deck: DeckId
    #: Left out, it was made as prompted: at least as deep as the text asks for.
    depth: Count | None = None


class CoverCardPlaced(Act, kw_only=True, frozen=True, tag="cover_card_placed"):
    """In front of the deck, to be cut onto."""

    deck: DeckId


class RestPlaced(Act, kw_only=True, frozen=True, tag="rest_placed"):
    """What was left of the deck, on top of what was cut."""

    deck: DeckId


class CoverCardRacked(Act, kw_only=True, frozen=True, tag="cover_card_racked"):
    deck: DeckId


class RecutOrdered(Act, kw_only=True, frozen=True, tag="recut_ordered"):
    reason: Words


class ShuffleOrdered(Act, kw_only=True, frozen=True, tag="shuffle_ordered"):
    reason: Words


class DeckLoaded(Happening, kw_only=True, frozen=True, tag="deck_loaded"):
    """The deck is in the shoe, or in the dealer's hand."""

    deck: DeckId
    #: As the shoe counted them, if it counts.
    cards: Count | None = None


class RackCleared(Act, kw_only=True, frozen=True, tag="rack_cleared"):
    pass


class CardsSpread(Act, kw_only=True, frozen=True, tag="cards_spread"):
    """On an open table at which nobody plays."""

    faces: Literal["face down", "face up"]


class CardsTurnedUp(Act, kw_only=True, frozen=True, tag="cards_turned_up"):
    """For the player who arrived at the idle table."""

    deck: DeckId


# --- Seats and wagers -------------------------------------------------------


class PlayerSat(Act, kw_only=True, frozen=True, tag="player_sat"):
    seat: SeatNo
    player: Name


class PlayerLeft(Act, kw_only=True, frozen=True, tag="player_left"):
    seat: SeatNo


class WagersAbandoned(Act, kw_only=True, frozen=True, tag="wagers_abandoned"):
    """What a floorperson decided about the wagers of a player who left."""

    seat: SeatNo
    lost: bool


class WagerPlaced(Happening, kw_only=True, frozen=True, tag="wager_placed"):
    """So much goes down, on top of what the seat has on this wager."""

    seat: SeatNo
    wager: Name
    amount: Cents
    tender: Name = "chips"


class WagerTakenBack(Happening, kw_only=True, frozen=True, tag="wager_taken_back"):
    """All of it, and with it whatever rests on it."""

    seat: SeatNo
    wager: Name
    #: The device that took it says that it is out: there is nothing in it to be given back.
    out: bool = False


class WagerCameLate(Happening, kw_only=True, frozen=True, tag="wager_came_late"):
    """A wager that a device told after the lock. Whenever it was sensed, it goes back.

    Which came first is decided by the order of events alone: the moment that the device gives is
    noted and decides nothing.
    """

    seat: SeatNo
    wager: Name
    amount: Cents
    sensed: Literal["before the lock", "after the lock"] = "after the lock"
    #: The device says that it gave it back by itself: nobody else has to. Earlier felts did not
    #: ask, and ordered it back all the same.
    given_back: bool | UnsetType = UNSET


class LampRead(Happening, kw_only=True, frozen=True, tag="lamp_read"):
    """What the lamp of an acceptor really shows."""

    seat: SeatNo
    lamp: Lamp


class LockOutPressed(Act, kw_only=True, frozen=True, tag="lock_out_pressed"):
    """ "No more bets"."""


class LockConfirmed(Happening, kw_only=True, frozen=True, tag="lock_confirmed"):
    seat: SeatNo
    device: Literal["acceptor", "terminal"]


class ChipsCounted(Act, kw_only=True, frozen=True, tag="chips_counted"):
    """Progressive chips in front of the inventory, and coupons."""

    chips: Count
    #: Coupons that went into acceptors in place of chips, where they are counted apart.
    coupons: Count = 0


class Drawn(Happening, kw_only=True, frozen=True, tag="drawn"):
    draw: Literal["magic_card", "lucky"]
    #: A card, a seat number as text, or "dealer".
    result: Name


class DealPressed(Act, kw_only=True, frozen=True, tag="deal_pressed"):
    pass


# --- Deal -------------------------------------------------------------------


class StackDispensed(Happening, kw_only=True, frozen=True, tag="stack_dispensed"):
    number: Annotated[int, Meta(ge=1)]
    cards: Count
    #: The faces, if the shoe reads them: nobody can open it before the rules reveal the cards.
    sealed: Annotated[str, Meta(max_length=200)] = ""
    #: It lies in the shoe's exit, and the shoe will say when it is taken out.
    lies: bool = False


class StackTaken(Happening, kw_only=True, frozen=True, tag="stack_taken"):
    """A stack was taken out of the shoe's exit, to be delivered."""

    number: Annotated[int, Meta(ge=1)]


class DispenseRefused(Happening, kw_only=True, frozen=True, tag="dispense_refused"):
    """The shoe would not begin with a stack, and why: nothing has moved."""

    number: Annotated[int, Meta(ge=1)]
    reason: Words


class DispenseUnanswered(Happening, kw_only=True, frozen=True, tag="dispense_unanswered"):
    """The shoe has not answered for a stack in time, or felt was restarted before it did.

    ``restarted`` where only felt was away: nothing is held against the shoe before it was asked.
    """

    number: Annotated[int, Meta(ge=1)]
    restarted: Literal[True] | UnsetType = UNSET


class ShoeReported(Happening, kw_only=True, frozen=True, tag="shoe_reported"):
    """What the shoe says it has done: its last stack, and the cards in that.

    In the round that it is armed for, where it says which; and how many cards it has inside, where
    it counts them.
    """

    last: Annotated[int, Meta(ge=0)]
    cards: Count = 0
    round: Annotated[int, Meta(ge=0)] | None = None
    inside: Count | None = None


class StubReported(Happening, kw_only=True, frozen=True, tag="stub_reported"):
    """How many cards the shoe has left after its last stack, by its own count."""

    cards: Count


class CardsDealt(Act, kw_only=True, frozen=True, tag="cards_dealt"):
    """By hand or from a manual shoe: cards to a seat, or to a place on the layout."""

    to: SeatNo | Place
    #: As many as are due there, unless it says so.
    cards: Count | None = None


class FaceUpCardFound(Act, kw_only=True, frozen=True, tag="face_up_card_found"):
    #: The place whose cards it just came with; nothing if it was still in the shoe or the deck.
    where: SeatNo | Place | None = None


class CardDrawnInError(Act, kw_only=True, frozen=True, tag="card_drawn_in_error"):
    """Unexposed: it is used as the next card of the sequence."""


class UpCardShown(Act, kw_only=True, frozen=True, tag="up_card_shown"):
    card: Cards


class MisdealReported(Act, kw_only=True, frozen=True, tag="misdeal_reported"):
    to: SeatNo | Place
    cards: Count


class CardExposed(Act, kw_only=True, frozen=True, tag="card_exposed"):
    """A hole card, a dealer's card, a community card or an All-Six card seen before its time."""

    where: Place


class ExposureDecided(Act, kw_only=True, frozen=True, tag="exposure_decided"):
    """What a floorperson decided about a card that was reported as exposed."""

    reason: Words
    #: Void unless the floorperson found that no card was seen.
    void: bool = True


class StubRacked(Act, kw_only=True, frozen=True, tag="stub_racked"):
    pass


class StubCounted(Act, kw_only=True, frozen=True, tag="stub_counted"):
    cards: Count
    #: Where the count is wrong: whether a hand was misdealt, and whether 52 are present.
    misdealt: bool = False
    all_present: bool = False


# --- Decisions, reveal, settlement ------------------------------------------


class Decided(Act, kw_only=True, frozen=True, tag="decided"):
    seat: SeatNo
    choice: Literal["wager", "check", "fold"]
    amount: Cents = 0
    tender: Name = "chips"


class PlayerDecided(Happening, kw_only=True, frozen=True, tag="player_decided"):
    """What a player chose at the terminal of the seat.

    A wager of a decision is made with chips on the layout: it counts when the dealer has seen them
    and says so (``Decided``).
    """

    seat: SeatNo
    choice: Literal["wager", "check", "fold"]
    amount: Cents = 0


class WagersForfeited(Act, kw_only=True, frozen=True, tag="wagers_forfeited"):
    """For communicating, where the rulebook has it."""

    seats: Annotated[tuple[SeatNo, ...], Meta(min_length=1)]
    reason: Words


class Revealed(Act, kw_only=True, frozen=True, tag="revealed"):
    where: Place
    cards: Cards


class HandTurned(Act, kw_only=True, frozen=True, tag="hand_turned"):
    seat: SeatNo
    cards: Cards


class HandVerified(Act, kw_only=True, frozen=True, tag="hand_verified"):
    """The dealer saw that the hand wins, and that the light is lit where there is one."""

    seat: SeatNo
    wager: Name


class PayoutValidated(Act, kw_only=True, frozen=True, tag="payout_validated"):
    seat: SeatNo
    wager: Name


class PayoutRefused(Act, kw_only=True, frozen=True, tag="payout_refused"):
    """Who was to validate it does not: nothing is paid before the hand is verified once more."""

    seat: SeatNo
    wager: Name
    reason: Words


class SeatPaid(Act, kw_only=True, frozen=True, tag="seat_paid"):
    seat: SeatNo


class HandPayDocumented(Act, kw_only=True, frozen=True, tag="hand_pay_documented"):
    seat: SeatNo


class CardsRacked(Act, kw_only=True, frozen=True, tag="cards_racked"):
    """All cards of the round, in order."""


class WagersReturned(Act, kw_only=True, frozen=True, tag="wagers_returned"):
    """The dealer has handed back what a void round, or a void hand, returns to a player."""

    seat: SeatNo


class RoundVoided(Act, kw_only=True, frozen=True, tag="round_voided"):
    reason: Words


# --- Devices, holds, meters, accounts ---------------------------------------


#: What is wrong with a device that somebody has opened, in the words of its fault.
DOOR_OPEN = "its door is open"


class DeviceFaulted(Happening, kw_only=True, frozen=True, tag="device_faulted"):
    device: Name
    nature: Words


class DeviceRecovered(Happening, kw_only=True, frozen=True, tag="device_recovered"):
    device: Name
    #: What is wrong with it no longer; all that was, where that is not said.
    nature: Annotated[str, Meta(max_length=500)] = ""


class DeviceWentOffline(Happening, kw_only=True, frozen=True, tag="device_went_offline"):
    """Nothing is heard of it: "acceptor 3", "terminal 3", "panel", "meter" or "link"."""

    device: Name


class DeviceCameOnline(Happening, kw_only=True, frozen=True, tag="device_came_online"):
    device: Name


class DeviceAppeared(Happening, kw_only=True, frozen=True, tag="device_appeared"):
    """Something new was plugged into the table PC, whatever it is."""

    what: Words


class DeviceExchanged(Happening, kw_only=True, frozen=True, tag="device_exchanged"):
    """Another device answers in its place, with its key: it has not the number that belongs here.

    ``named`` is the number that the table file names, if it names one: it may be another again,
    where one was accepted in its place before.
    """

    device: Name
    serial_number: Name
    expected: Name
    named: Annotated[str, Meta(max_length=64)] = ""


class DeviceAccepted(Act, kw_only=True, frozen=True, tag="device_accepted"):
    """Two people have looked at a device that answers in place of another: now it belongs here."""

    device: Name
    serial_number: Name
    second: Person
    reason: Words


class ShufflerSet(Happening, kw_only=True, frozen=True, tag="shuffler_set"):
    """Which game the shuffler is set to, in its own words."""

    game: Name


class HandsCounted(Happening, kw_only=True, frozen=True, tag="hands_counted"):
    """How many hands the shuffler gave out, the dealer's among them."""

    hands: Count


class HoldSeen(Act, kw_only=True, frozen=True, tag="hold_seen"):
    """Who clears it knows of it, and has not cleared it yet."""

    hold: Annotated[int, Meta(ge=1)]


class HoldCleared(Act, kw_only=True, frozen=True, tag="hold_cleared"):
    hold: Annotated[int, Meta(ge=1)]
    reason: Words


class DeviceTakenOut(Act, kw_only=True, frozen=True, tag="device_taken_out"):
    """Out of service: counted empty, and covered, signed or removed as the rulebook asks."""

    device: Literal["shuffler", "shoe"]
    cards_inside: Count
    how: Literal["covered", "signed", "removed"]
    method: Literal["hand", "manual shoe", "automated shoe"]


class DeviceReturned(Act, kw_only=True, frozen=True, tag="device_returned"):
    """Back in service, and how the table is dealt from now on."""

    device: Literal["shuffler", "shoe"]
    method: Literal["hand", "manual shoe", "automated shoe"]


class CredentialRefused(Happening, kw_only=True, frozen=True, tag="credential_refused"):
    """Somebody tried to sign in as this person with a wrong PIN, and where."""

    person: Name
    device: Name
    #: It counts for that place first. An earlier felt counted those in a row, wherever they were.
    by_place: bool = False


class CredentialAccepted(Happening, kw_only=True, frozen=True, tag="credential_accepted"):
    person: Name
    device: Name
    #: It ends no count but the one in a row at that place. With an earlier felt it ended all.
    by_place: bool = False


class CredentialUnlocked(Act, kw_only=True, frozen=True, tag="credential_unlocked"):
    """Who tried is known: the wrong PINs for this person are forgotten, at all places."""

    person: Name
    reason: Words


class PlaceUnlocked(Act, kw_only=True, frozen=True, tag="place_unlocked"):
    """Who tried is known: people may prove again at this place who they are."""

    place: Name
    reason: Words


class CredentialWithdrawn(Happening, kw_only=True, frozen=True, tag="credential_withdrawn"):
    """A person's PIN was taken away on the table PC itself, and where: nothing is done with it."""

    person: Name
    device: Name


class CredentialReissued(Happening, kw_only=True, frozen=True, tag="credential_reissued"):
    """A person was given a new PIN on the table PC itself, and where; the old one is worth nothing.

    Not an act of the table's people: it is there for when nobody is left who could unlock.
    """

    person: Name
    device: Name


class BadgeRead(Happening, kw_only=True, frozen=True, tag="badge_read"):
    """Somebody's badge was held to a reader. It signs the person on, unless a PIN goes with it.

    Whose it is was found in the secrets of the table PC. The badge is named by a digest that only
    those can make, never by its number.
    """

    device: Name
    badge: Name
    who: Person
    #: The person is signed on once the PIN was given too, at a page.
    with_pin: bool = True


class BadgeRefused(Happening, kw_only=True, frozen=True, tag="badge_refused"):
    """A badge that is nobody's, or nobody's any more: it counts at its reader as a wrong PIN."""

    device: Name
    badge: Name
    reason: Words


class BadgeGiven(Happening, kw_only=True, frozen=True, tag="badge_given"):
    """A person was given a badge on the table PC itself, in place of the one before, and where."""

    person: Name
    badge: Name
    device: Name


class BadgeWithdrawn(Happening, kw_only=True, frozen=True, tag="badge_withdrawn"):
    """A person's badge was taken away on the table PC itself: whoever holds it signs nobody on."""

    person: Name
    badge: Name
    device: Name


class SignedOn(Act, kw_only=True, frozen=True, tag="signed_on"):
    """On duty from now on, in the role that the person acts in: presses at the panel are theirs."""


class SignedOff(Act, kw_only=True, frozen=True, tag="signed_off"):
    """Nobody is on duty in this role any more; the floor may sign others off."""

    role: Role


class DutyLapsed(Happening, kw_only=True, frozen=True, tag="duty_lapsed"):
    """felt was away for too long to know who stands at the table."""

    role: Role
    reason: Words


class AttemptRefused(Happening, kw_only=True, frozen=True, tag="attempt_refused"):
    """Somebody asked for what never came to the table: who they said they were, where, and why."""

    person: Name
    device: Name
    attempt: Name
    reason: Words


Abuse = Literal["forged", "flood"]


class WireAbused(Happening, kw_only=True, frozen=True, tag="wire_abused"):
    """Messages that the device did not seal came in its name, or it told more than may be.

    Nothing of it was taken. ``count`` of it since ``since``, in milliseconds; on record now and
    then, and not for each message.
    """

    device: Name
    wire: Words
    what: Abuse
    count: Annotated[int, Meta(ge=1)]
    since: Annotated[int, Meta(ge=0)]


class MaintenanceEntered(Act, kw_only=True, frozen=True, tag="maintenance_entered"):
    second: Person
    reason: Words


class MaintenanceLeft(Act, kw_only=True, frozen=True, tag="maintenance_left"):
    second: Person
    #: What was done.
    reason: Words


class RecordDisputed(Happening, kw_only=True, frozen=True, tag="record_disputed"):
    """The journal is not what it was when felt last wrote to it: older, cut, or another one."""

    found: Words


class RecordAccepted(Act, kw_only=True, frozen=True, tag="record_accepted"):
    """Two people have compared the table with its journal, and it goes on from there."""

    second: Person
    #: What was found, and what was put right by hand.
    reason: Words


class MeterCorrected(Act, kw_only=True, frozen=True, tag="meter_corrected"):
    meter: Name
    level: Name
    cents: Cents
    second: Person
    reason: Words


class MeterReset(Act, kw_only=True, frozen=True, tag="meter_reset"):
    """Back to the amount at which it starts, by people who can't correct it."""

    meter: Name
    level: Name
    second: Person
    reason: Words


class LinkJoined(Happening, kw_only=True, frozen=True, tag="link_joined"):
    """The link of a progressive over several tables answers, with what they all play.

    Levels are in hundredths of a cent; ``applied`` is the last contribution of this table in them.
    """

    paytable: Name
    wager: Cents
    decks: Count
    levels: dict[Name, Annotated[int, Meta(ge=0)]]
    applied: Annotated[int, Meta(ge=0)] = 0
    last_hit: Annotated[int, Meta(ge=0)] = 0


class LinkUpdated(Happening, kw_only=True, frozen=True, tag="link_updated"):
    levels: dict[Name, Annotated[int, Meta(ge=0)]]
    applied: Annotated[int, Meta(ge=0)]


class LinkHit(Happening, kw_only=True, frozen=True, tag="link_hit"):
    """A share of the linked meter was won, here or elsewhere, and which hit it is of them all."""

    order: Annotated[int, Meta(ge=1)]
    table: Name
    seat: SeatNo
    level: Name
    cents: Cents
    #: What the level holds after it.
    left: Cents
    #: The claim of this table that it answers.
    claim: Annotated[int, Meta(ge=0)] = 0


class HitOrderedByHand(Act, kw_only=True, frozen=True, tag="hit_ordered_by_hand"):
    """What a hit on the linked meter is worth, agreed with the other tables while the link is down.

    Another person validates it; when the link is back it has the last word.
    """

    seat: SeatNo
    wager: Name
    cents: Cents
    reason: Words


class BoughtIn(Happening, kw_only=True, frozen=True, tag="bought_in"):
    seat: SeatNo
    transfer: Name
    cents: Cents


class CashedOut(Happening, kw_only=True, frozen=True, tag="cashed_out"):
    seat: SeatNo
    transfer: Name
    cents: Cents


class ClockStepped(Happening, kw_only=True, frozen=True, tag="clock_stepped"):
    """The PC's clock was set: ``at`` is its new time, and this is by how much it jumped."""

    milliseconds: int


class TimerFired(Happening, kw_only=True, frozen=True, tag="timer_fired"):
    timer: Name


Event = (
    TableOpened
    | TableClosed
    | DeckReceived
    | DeckInspected
    | DeckVerified
    | DeckSpread
    | DeckShown
    | DeckWashed
    | DeckRemoved
    | ShuffleStarted
    | ShuffleCompleted
    | ShuffledByHand
    | ShuffleFailed
    | ShufflerReported
    | CutMade
    | CoverCardPlaced
    | RestPlaced
    | CoverCardRacked
    | RecutOrdered
    | ShuffleOrdered
    | DeckLoaded
    | RackCleared
    | CardsSpread
    | CardsTurnedUp
    | PlayerSat
    | PlayerLeft
    | WagersAbandoned
    | WagerPlaced
    | WagerTakenBack
    | WagerCameLate
    | LampRead
    | LockOutPressed
    | LockConfirmed
    | ChipsCounted
    | Drawn
    | DealPressed
    | StackDispensed
    | StackTaken
    | DispenseRefused
    | DispenseUnanswered
    | ShoeReported
    | StubReported
    | CardsDealt
    | FaceUpCardFound
    | CardDrawnInError
    | UpCardShown
    | MisdealReported
    | CardExposed
    | ExposureDecided
    | StubRacked
    | StubCounted
    | Decided
    | PlayerDecided
    | WagersForfeited
    | Revealed
    | HandTurned
    | HandVerified
    | PayoutValidated
    | PayoutRefused
    | SeatPaid
    | HandPayDocumented
    | CardsRacked
    | WagersReturned
    | RoundVoided
    | DeviceFaulted
    | DeviceRecovered
    | DeviceWentOffline
    | DeviceCameOnline
    | DeviceAppeared
    | DeviceExchanged
    | DeviceAccepted
    | ShufflerSet
    | HandsCounted
    | HoldSeen
    | HoldCleared
    | DeviceTakenOut
    | DeviceReturned
    | CredentialRefused
    | CredentialAccepted
    | CredentialUnlocked
    | PlaceUnlocked
    | CredentialWithdrawn
    | CredentialReissued
    | BadgeRead
    | BadgeRefused
    | BadgeGiven
    | BadgeWithdrawn
    | SignedOn
    | SignedOff
    | DutyLapsed
    | AttemptRefused
    | MaintenanceEntered
    | MaintenanceLeft
    | WireAbused
    | RecordDisputed
    | RecordAccepted
    | MeterCorrected
    | MeterReset
    | LinkJoined
    | LinkUpdated
    | LinkHit
    | HitOrderedByHand
    | BoughtIn
    | CashedOut
    | TimerFired
    | ClockStepped
)

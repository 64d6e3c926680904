"""What has happened, in a sentence: for whoever watches a table, at a terminal or in a program.

One row for each event. A name in braces is a field of the event, or one of the few things that the
event leaves to the table (``_DERIVED``). What stands in brackets is left out where a field in it
says nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from typing import Any

import msgspec

from controller.rules.faults import listed
from controller.rules.paytables import dollars
from controller.table import events
from controller.table.deciding import wager_at
from controller.table.events import Event
from controller.table.people import Person
from controller.table.plan import streets
from controller.table.prompt import Prompt
from controller.table.state import PER_CENT, Table
from controller.table.terms import Terms

#: Not for whoever watches: what a shoe has read and nobody has seen, and what is said elsewhere.
UNSAID = ("at", "id", "kept", "by", "sealed")

SAID: dict[type[events.Happening], str] = {
    # --- Opening and decks
    events.TableOpened: "the table is opened",
    events.TableClosed: "the table is closed",
    events.DeckReceived: "deck {deck} is received: {colour}, {design}"
    "[, preshuffled by {paragraph}][, without {lacks}][, for deck {replaces}]",
    events.DeckInspected: "deck {deck} is inspected",
    events.DeckVerified: "deck {deck} is verified",
    events.DeckSpread: "deck {deck} is spread",
    events.DeckShown: "deck {deck} is shown to the first player",
    events.DeckWashed: "deck {deck} is washed and stacked",
    events.DeckRemoved: "deck {deck} is removed: {reason}",
    events.ShuffleStarted: "the shuffler begins with deck {deck}",
    events.ShuffleCompleted: "the shuffler is done with deck {deck}[: {count} cards]",
    events.ShuffledByHand: "deck {deck} is shuffled by hand",
    events.ShuffleFailed: "the shuffle of deck {deck} failed: {nature}",
    events.ShufflerReported: "the shuffler is set to {mode}[, and holds deck {holds}]",
    events.CutMade: "deck {deck} is cut[ at card {depth}]",
    events.CoverCardPlaced: "the cover card lies in front of deck {deck}",
    events.RestPlaced: "the rest of deck {deck} is put on top",
    events.CoverCardRacked: "the cover card of deck {deck} is racked",
    events.RecutOrdered: "another cut is ordered: {reason}",
    events.ShuffleOrdered: "another shuffle is ordered: {reason}",
    events.DeckLoaded: "deck {deck} is loaded[: {cards} cards]",
    events.RackCleared: "the discard rack is cleared",
    events.CardsSpread: "the cards are spread {faces}",
    events.CardsTurnedUp: "the cards of deck {deck} are turned face up",
    # --- Seats and wagers
    events.PlayerSat: "seat {seat}: {player} sits down",
    events.PlayerLeft: "seat {seat}: the player leaves",
    events.WagersAbandoned: "seat {seat}: the wagers of who left [{lost}]",
    events.WagerPlaced: "seat {seat}: {amount} on {wager}[, {tender}]",
    events.WagerTakenBack: "seat {seat}: takes back {wager}",
    events.WagerCameLate: "seat {seat}: {amount} on {wager} came too late, sensed {sensed}"
    "[; {given_back}]",
    events.LampRead: "seat {seat}: the lamp is {lamp}",
    events.LockOutPressed: "no more bets",
    events.LockConfirmed: "seat {seat}: the {device} is locked",
    events.ChipsCounted: "chips counted: {chips}[, and {coupons} coupons]",
    events.Drawn: "drawn, {draw}: {result}",
    # --- Deal
    events.DealPressed: "the deal begins",
    events.StackDispensed: "stack {number} leaves the shoe: {cards} cards[ for {to}]",
    events.StackTaken: "stack {number} is taken[ for {to}]",
    events.DispenseRefused: "the shoe refuses stack {number}: {reason}",
    events.DispenseUnanswered: "the shoe does not answer for stack {number}[: {restarted}]",
    events.ShoeReported: "the shoe says: last stack {last}[, {cards} cards][, round {round}]"
    "[, {inside} inside]",
    events.StubReported: "the shoe counts {cards} cards left",
    events.CardsDealt: "dealt to {to}[: {cards} cards]",
    events.FaceUpCardFound: "a card came face up[, with those of {where}]",
    events.CardDrawnInError: "a card was drawn in error, unexposed",
    events.UpCardShown: "the dealer's up card: {card}",
    events.MisdealReported: "misdealt: {cards} cards to {to}",
    events.CardExposed: "a card of {where} was exposed",
    events.ExposureDecided: "about the exposed card, {void}: {reason}",
    events.StubRacked: "the stub is racked",
    events.StubCounted: "the stub is counted: {cards} cards[; {misdealt}][; {all_present}]",
    # --- Decisions, reveal, settlement
    events.Decided: "seat {seat}: {decision}[, {tender}]",
    events.PlayerDecided: "seat {seat}: {decision}, says the terminal",
    events.WagersForfeited: "{seats}: wagers forfeited: {reason}",
    events.Revealed: "{where}: {cards}",
    events.HandTurned: "seat {seat}: {cards}[, {hand}]",
    events.HandVerified: "seat {seat}: the hand for {wager} is verified",
    events.PayoutValidated: "seat {seat}: the payout of {wager} is validated",
    events.PayoutRefused: "seat {seat}: the payout of {wager} is not validated: {reason}",
    events.SeatPaid: "seat {seat}: {settled}",
    events.HandPayDocumented: "seat {seat}: the hand pay is documented",
    events.CardsRacked: "the cards are racked",
    events.WagersReturned: "seat {seat}: the wagers are handed back",
    events.RoundVoided: "the round is void: {reason}",
    # --- Devices, holds, meters, accounts
    events.DeviceFaulted: "{device}: {nature}",
    events.DeviceRecovered: "{device}: in order again[, {nature} no longer]",
    events.DeviceWentOffline: "{device}: nothing is heard of it",
    events.DeviceCameOnline: "{device}: it is there again",
    events.DeviceAppeared: "plugged in: {what}",
    events.DeviceExchanged: "{device}: another one answers, {serial_number} in place of {expected}"
    "[, where the table file names {named}]",
    events.DeviceAccepted: "{device}: {serial_number} is accepted, with {second}: {reason}",
    events.ShufflerSet: "the shuffler is set to the game {game}",
    events.HandsCounted: "the shuffler gave out {hands} hands",
    events.HoldSeen: "hold {hold} is seen",
    events.HoldCleared: "hold {hold} is cleared: {reason}",
    events.DeviceTakenOut: "the {device} is out of service, {how}: {cards_inside} cards inside; "
    "dealt by {method}",
    events.DeviceReturned: "the {device} is back in service; dealt by {method}",
    events.CredentialRefused: "a wrong PIN for {person} at {device}",
    events.CredentialAccepted: "the PIN of {person} is right at {device}",
    events.CredentialUnlocked: "{person} may sign on again: {reason}",
    events.PlaceUnlocked: "people may sign on again at {place}: {reason}",
    events.CredentialWithdrawn: "the PIN of {person} is taken away at {device}",
    events.CredentialReissued: "{person} has a new PIN, set at {device}",
    events.BadgeRead: "{device}: badge {badge}, of {who}[: {with_pin}]",
    events.BadgeRefused: "{device}: badge {badge} is refused: {reason}",
    events.BadgeGiven: "{person} has the badge {badge}, given at {device}",
    events.BadgeWithdrawn: "the badge {badge} of {person} is taken away at {device}",
    events.SignedOn: "on duty as {role_of}",
    events.SignedOff: "the {role} is off duty",
    events.DutyLapsed: "the {role} is off duty: {reason}",
    events.AttemptRefused: "{person} was refused {attempt} at {device}: {reason}",
    events.WireAbused: "{device}: {count} messages that are {what} on {wire}",
    events.MaintenanceEntered: "maintenance begins, with {second}: {reason}",
    events.MaintenanceLeft: "maintenance is over, with {second}: {reason}",
    events.RecordDisputed: "the journal is in doubt: {found}",
    events.RecordAccepted: "the journal is accepted, with {second}: {reason}",
    events.MeterCorrected: "meter {meter} {level} is set to {cents}, with {second}: {reason}",
    events.MeterReset: "meter {meter} {level} is reset, with {second}: {reason}",
    events.LinkJoined: "the linked meter answers: {paytable}, {wager_cents} wagers",
    events.LinkUpdated: "the linked meter: {levels}",
    events.LinkHit: "the linked meter is hit at {table}, seat {seat}: {cents} of {level}",
    events.HitOrderedByHand: "seat {seat}: the hit on {wager} is worth {cents}: {reason}",
    events.BoughtIn: "seat {seat}: buys in for {cents}",
    events.CashedOut: "seat {seat}: cashes out {cents}",
    events.TimerFired: "time is up: {timer}",
    events.ClockStepped: "the PC's clock was set by {milliseconds} ms",
}

#: What a field that is only yes or no says.
_FLAGS: dict[str, tuple[str, str]] = {
    "lost": ("are lost", "go back"),
    "with_pin": ("the PIN is asked for", ""),
    "given_back": ("the device gave it back", ""),
    "restarted": ("felt was restarted", ""),
    "void": ("the round is void", "no card was seen"),
    "misdealt": ("a hand was misdealt", ""),
    "all_present": ("all 52 are present", ""),
}
#: Fields whose own default says nothing.
_LEFT_OUT: dict[str, tuple[Any, ...]] = {
    # A wager that is made at a terminal is made from the account there.
    "tender": ("chips", "game account"),
    "cards": (0,),
    "coupons": (0,),
}

_PART = re.compile(r"\[([^]]*)\]|\{(\w+)\}|([^[{]+)")
_FIELD = re.compile(r"\{(\w+)\}")


def told(terms: Terms, before: Table | None, event: Event, after: Table) -> str:
    """The sentence; ``before`` where it is known how the table stood."""

    def value(name: str, *, always: bool) -> str:
        if name in _DERIVED:
            return _DERIVED[name](terms, before, event, after)
        found = getattr(event, name)
        says_nothing = not always and found in _LEFT_OUT.get(name, ())
        return "" if says_nothing else _said(terms, name, found)

    said = []
    for optional, field, text in _parts(type(event)):
        if field:
            said.append(value(field, always=True))
        elif text:
            said.append(text)
        else:
            values = {name: value(name, always=False) for name in _FIELD.findall(optional)}
            if all(values.values()):
                said.append(optional.format(**values))
    return "".join(said).replace("  ", " ")


@lru_cache(maxsize=256)
def _parts(kind: type[events.Happening]) -> tuple[tuple[str, str, str], ...]:
    return tuple(_PART.findall(SAID.get(kind) or _plain(kind)))


def _plain(kind: type[events.Happening]) -> str:
    """Of an event that has no row yet: its name, and all that it says."""
    fields = (one.name for one in msgspec.structs.fields(kind) if one.name not in UNSAID)
    name = str(kind.__struct_config__.tag).replace("_", " ")
    return name + "".join(f"[, {field.replace('_', ' ')} {{{field}}}]" for field in fields)


def fields_said(kind: type[events.Happening]) -> set[str]:
    """What of an event its sentence tells, for whoever checks that."""
    return set(_FIELD.findall(SAID[kind]))


def facts(event: Event) -> dict[str, Any]:
    """The event's own fields, as JSON: all that whoever watches may know of it."""
    whole = msgspec.to_builtins(event)
    return {name: value for name, value in whole.items() if name not in (*UNSAID, "kind")}


def clauses(
    terms: Terms, asked: Iterable[Prompt], before: Table, event: Event, after: Table
) -> Iterator[str]:
    """What an event follows: the prompt that it answers, its wager, the lines of the settlement.

    ``asked`` are the prompts of the table before it.
    """
    kind, seat = str(type(event).__struct_config__.tag), getattr(event, "seat", None)
    for one in asked:
        if one.answer == kind and one.clause and one.seat in (None, seat):
            yield one.clause
            break
    if isinstance(event, _ABOUT_A_WAGER):
        known = terms.ruleset.rulebook.wagers.get(event.wager)
        yield from [known.clause] if known is not None else []
    was = {(due.seat, due.wager): due for due in before.due}
    for due in after.due:
        if was.get((due.seat, due.wager), due) != due:
            yield due.clause


_ABOUT_A_WAGER = (events.WagerPlaced, events.WagerTakenBack, events.WagerCameLate)


# --- One field ----------------------------------------------------------------


def _said(terms: Terms, name: str, value: Any) -> str:
    if name in _FLAGS:
        return _FLAGS[name][0 if value is True else 1]
    if name in _NAMED:
        return _NAMED[name](terms, value)
    return "" if value in (None, msgspec.UNSET) else str(value)


def _person(terms: Terms, person: Person) -> str:
    return f"{person.id} ({person.role})"


def _levels(terms: Terms, levels: dict[str, int]) -> str:
    return listed(f"{key} {dollars(found // PER_CENT)}" for key, found in levels.items())


def wager(terms: Terms, name: str) -> str:
    """A wager by its title, without the word itself."""
    known = terms.ruleset.rulebook.wagers.get(name)
    return re.sub(r" [Ww]ager\b", "", known.title) if known is not None else name


def _place(where: int | str) -> str:
    """A place at the table: a seat by its number, or a name."""
    return f"seat {where}" if isinstance(where, int) else where


_NAMED: dict[str, Callable[[Terms, Any], str]] = {
    "amount": lambda terms, cents: dollars(cents),
    "cents": lambda terms, cents: dollars(cents),
    "wager": wager,
    "where": lambda terms, place: "" if place is None else _place(place),
    "seats": lambda terms, seats: listed(_place(one) for one in seats),
    "lacks": lambda terms, cards: listed(cards) if cards else "",
    "second": _person,
    "levels": _levels,
}


# --- What an event leaves to the table ----------------------------------------


def _stack_for(terms: Terms, before: Table | None, event: Any, after: Table) -> str:
    """Where cards go; of a stack of the shoe the table knows it."""
    if isinstance(event, events.CardsDealt | events.MisdealReported):
        return _place(event.to)
    steps = (before or after).deal.steps
    return _place(steps[event.number - 1].to) if 1 <= event.number <= len(steps) else ""


def _settled(terms: Terms, before: Table | None, event: Any, after: Table) -> str:
    """What a seat gets, of what it had down: its lines that are paid now."""
    was = {(due.seat, due.wager) for due in (before.due if before else ()) if due.paid}
    lines = [
        due
        for due in after.due
        if due.seat == event.seat and due.paid and (due.seat, due.wager) not in was
    ]
    if not lines:
        return "is paid"  # as somebody says who is refused
    staked, back = sum(due.stake for due in lines), sum(due.returns for due in lines)
    return f"{dollars(back)} back for {dollars(staked)}" if back else f"loses {dollars(staked)}"


def _decision(terms: Terms, before: Table | None, event: Any, after: Table) -> str:
    if event.choice != "wager":
        return f"{event.choice}s"
    street = (before or after).street
    named = wager(terms, wager_at(terms, street)) if 1 <= street <= streets(terms) else "wager"
    return f"{named} {dollars(event.amount)}"


def _hand(terms: Terms, before: Table | None, event: Any, after: Table) -> str:
    return next((seat.hand for seat in after.seats if seat.number == event.seat), "")


def _link_wager(terms: Terms, before: Table | None, event: Any, after: Table) -> str:
    return dollars(event.wager)


def _role_of(terms: Terms, before: Table | None, event: Any, after: Table) -> str:
    return str(event.by.role)


_DERIVED: dict[str, Callable[[Terms, Table | None, Any, Table], str]] = {
    "to": _stack_for,
    "settled": _settled,
    "decision": _decision,
    "hand": _hand,
    "wager_cents": _link_wager,
    "role_of": _role_of,
}

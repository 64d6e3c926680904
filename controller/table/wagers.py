"""Wagers and the lock: what goes down before "no more bets", and what must be true after.

Locked is the resting state. Acceptors and terminals are open only while the machine says so, and
the deal waits until every one of them has confirmed that it is closed and the chips are counted.
"""

from __future__ import annotations

from controller.rules.cards import CardError, card
from controller.rules.faults import Refused
from controller.rules.paytables import dollars
from controller.rules.rulebook import DrawName, Wager
from controller.rules.wagering import increase, may_change
from controller.table import events, link, meters, refusals, repeats, returns
from controller.table.change import Change, held, over, replace, seated, with_seat
from controller.table.commands import (
    ArmShoe,
    Command,
    EnableDeal,
    Lamp,
    Lock,
    RequestDraw,
    ReturnWager,
    SetLamp,
    ShowBalance,
)
from controller.table.dealing import armed, ordered
from controller.table.decks import is_ready, must_be_recut, must_not_be_due
from controller.table.interlock import may
from controller.table.offers import is_open, must_be_offered
from controller.table.plan import deal_plan
from controller.table.state import LATE_KEPT, Deal, Late, Seat, Table
from controller.table.terms import Terms

ACCOUNT = "game account"
#: Where a hold lies when chips and lights do not agree.
CHIPS = "chips"


# --- Betting ----------------------------------------------------------------


def placed(terms: Terms, table: Table, event: events.WagerPlaced) -> Change:
    seat = seated(table, event.seat)
    _must_be_made_there(terms, event)
    if seat.player is None:
        raise Refused("seat", f"nobody sits at seat {event.seat}")
    if seat.left:
        raise Refused("seat", f"{seat.player} has left seat {event.seat}")
    must_be_offered(terms, table, event.wager)
    electronic = terms.is_electronic(event.wager)
    tender = ACCOUNT if electronic and event.tender == "chips" else event.tender
    made_with = seat.tender.get(event.wager, "chips")
    if event.wager in seat.wagers and tender != made_with:
        problem = f"is down in {made_with}, and {tender} can't be added"
        raise Refused(event.wager, problem, f"add {made_with}, or take it back first")
    total = increase(terms.ruleset, event.wager, event.amount, down=seat.wagers, tender=tender)
    if event.wager == "ante" and not terms.least_ante <= total <= terms.most_ante:
        limits = f"{dollars(terms.least_ante)} to {dollars(terms.most_ante)}"
        raise Refused("amount", f"{dollars(total)} is outside the table's limits", limits)
    if electronic and event.amount > seat.balance:
        has = f"the account holds {dollars(seat.balance)}"
        raise Refused("amount", f"{dollars(event.amount)} is more than there is", has)
    changes = {
        "wagers": {**seat.wagers, event.wager: total},
        "tender": {**seat.tender, **({event.wager: tender} if tender != "chips" else {})},
        "balance": seat.balance - (event.amount if electronic else 0),
    }
    if electronic:
        shown = ShowBalance(seat=event.seat, cents=seat.balance - event.amount)
        return with_seat(table, event.seat, **changes), (shown,)
    if event.wager != "progressive":
        return with_seat(table, event.seat, **changes), ()
    # The event is in the journal before this order leaves: the light is the player's receipt.
    lamp = SetLamp(seat=event.seat, lamp="accepted")
    return with_seat(table, event.seat, **changes, lamp="accepted"), (lamp,)


def _must_be_made_there(
    terms: Terms, event: events.WagerPlaced | events.WagerTakenBack | events.WagerCameLate
) -> None:
    """A device has seen nothing of a wager that is made elsewhere, whatever it says of it."""
    told_by, wager = repeats.told_by(event.id), terms.ruleset.rulebook.wagers.get(event.wager)
    if told_by is None or wager is None:
        return
    device, _, seat = told_by.device.rpartition("-")
    if device != wager.on or seat != str(event.seat):
        where = "on the layout" if wager.on == "layout" else f"at the {wager.on} of the seat"
        clause = terms.ruleset.rulebook.tender.clause
        raise Refused("wager", f"{event.wager} is not made here", f"it is made {where}", clause)


def rests_on(terms: Terms, seat: Seat, wager: str) -> list[str]:
    """A wager that is down at a seat, and all that can't be down without it."""
    found = [wager]
    for kind in seat.wagers:  # a rulebook lists them in the order in which they go down
        if any(one in found for one in terms.ruleset.rulebook.wagers[kind].needs):
            found.append(kind)
    return found


def taken_back(terms: Terms, table: Table, event: events.WagerTakenBack) -> Change:
    """Before "no more bets" a wager may be withdrawn, and takes with it what rests on it."""
    seat = seated(table, event.seat)
    _must_be_made_there(terms, event)
    if event.wager not in seat.wagers:
        raise Refused("wager", f"no {event.wager} is down at seat {event.seat}")
    gone = rests_on(terms, seat, event.wager)
    if not may_change(terms.ruleset) and (len(gone) > 1 or event.wager == "progressive"):
        raise Refused("wager", "is not withdrawn here", "what rests on it is taken back first")
    balance = seat.balance + sum(seat.wagers[one] for one in gone if terms.is_electronic(one))
    changes = {
        "wagers": {kind: cents for kind, cents in seat.wagers.items() if kind not in gone},
        "tender": {kind: what for kind, what in seat.tender.items() if kind not in gone},
        "balance": balance,
    }
    commands: list[Command] = []
    if "progressive" in gone:
        lamp: Lamp = "invite" if is_open(table, event.seat, "acceptor") else "off"
        changes["lamp"] = lamp
        if not event.out:
            cents = seat.wagers["progressive"]
            back = ReturnWager(seat=event.seat, wager="progressive", cents=cents, to="layout")
            commands.append(back)
        commands.append(SetLamp(seat=event.seat, lamp=lamp))
    if balance != seat.balance:
        commands.append(ShowBalance(seat=event.seat, cents=balance))
    return with_seat(table, event.seat, **changes), commands


def came_late(terms: Terms, table: Table, event: events.WagerCameLate) -> Change:
    """Told after the lock: whatever the device sensed when, it goes back and is noted.

    What the device gave back by itself is not ordered back: another chip may lie in it.
    """
    seat = seated(table, event.seat)
    wager = terms.ruleset.rulebook.wagers.get(event.wager)
    if wager is None or wager.on == "layout":
        raise Refused("wager", f"no device takes a {event.wager} here")
    _must_be_made_there(terms, event)
    if table.phase == "betting" and event.wager not in table.withheld:
        raise Refused("wager", "betting is open", "tell it as a wager that was placed")
    late = Late(
        event.at, event.seat, event.wager, event.amount, event.sensed, bool(event.given_back)
    )
    commands: list[Command] = []
    if wager.on == "acceptor":
        if not event.given_back:
            commands.append(returns.of_a_chip(table, event))
        commands.append(SetLamp(seat=event.seat, lamp=seat.lamp))
    else:
        # Nothing was debited: the terminal is told what the account still holds.
        commands = [
            ShowBalance(seat=event.seat, cents=seat.balance),
            *refusals.too_late(table, event),
        ]
    return replace(table, late=(*table.late, late)[-LATE_KEPT:]), commands


def lamp_read(terms: Terms, table: Table, event: events.LampRead) -> Change:
    """The lamp as it really is. One that shows something else than ordered is a fault."""
    seat = seated(table, event.seat)
    if not terms.acceptors:
        raise Refused("seat", "this table has no acceptors")
    # An acceptor lights "placed" by itself when it senses a chip, before anyone has taken it.
    sensed = event.lamp == "placed" and seat.lamp == "invite" and table.phase == "betting"
    where = f"lamp of seat {event.seat}"
    if event.lamp == seat.lamp or sensed:
        return over(table, where, ("the lamp shows ",), f"it shows {event.lamp!r} now"), ()
    cause = f"the lamp shows {event.lamp!r} where {seat.lamp!r} was ordered"
    table = held(table, cause, where, event.at)
    return table, (SetLamp(seat=event.seat, lamp=seat.lamp),)


# --- Lock -------------------------------------------------------------------


def locked(terms: Terms, table: Table, event: events.LockOutPressed) -> Change:
    """ "No more bets": everything closes, contributions are counted, draws are asked for."""
    assert table.deck is not None
    deck = next(deck for deck in table.decks if deck.id == table.deck)
    if why := is_ready(deck):
        raise Refused("", why)
    must_not_be_due(terms, table, deck, event.at)
    if not table.in_round():
        raise Refused("", "no Ante is down")
    meters.must_be_unchanged(terms, table)
    for seat in table.in_round():
        _entered(terms, seat)
    number = table.round + 1
    due = tuple(d for d, every in terms.draw_every.items() if number % every == 0)
    table = replace(
        table,
        phase="locked",
        round=number,
        chips=None,
        draws={},
        draws_due=due,
        deal_enabled=False,
        void="",
    )
    before, table = table, meters.contributed(terms, table, event.at)
    commands: list[Command] = link.sends(before, table)
    for seat in table.seats:
        # What was never opened in this round is locked and confirms nothing.
        if not seat.acceptor_locked:
            commands.append(Lock(seat=seat.number, device="acceptor"))
            if seat.lamp == "invite":
                commands.append(SetLamp(seat=seat.number, lamp="off"))
                table = with_seat(table, seat.number, lamp="off")
        if not seat.terminal_locked:
            commands.append(Lock(seat=seat.number, device="terminal"))
    commands += [RequestDraw(draw=draw, among=_among(terms, draw)) for draw in due]
    table, more = if_all_is_confirmed(terms, table)
    return table, [*commands, *more]


def _among(terms: Terms, draw: DrawName) -> int:
    return {"magic_card": 52, "lucky": terms.seats + 1}[draw]


def owed_draws(terms: Terms, table: Table) -> list[RequestDraw]:
    """Draws that were asked for and have not come: of a felt that ended before it drew."""
    if table.phase != "locked":
        return []
    return [
        RequestDraw(id=f"round {table.round}/{draw}", draw=draw, among=_among(terms, draw))
        for draw in table.draws_due
        if draw not in table.draws
    ]


def _entered(terms: Terms, seat: Seat) -> None:
    """A seat with an Ante has all that the rulebook wants with it."""
    for name, wager, lacks in lacking(terms, seat):
        had = seat.wagers.get(name, 0)
        problem = f"the {name} of seat {seat.number} is not the same as its {wager.equals}"
        if not had:
            problem = f"seat {seat.number} has no {name}"
        more = f"it lacks {dollars(lacks)}" if lacks > 0 else f"it is {dollars(-lacks)} too much"
        raise Refused("seat", problem, more, wager.clause)


def lacking(terms: Terms, seat: Seat) -> list[tuple[str, Wager, int]]:
    """Wagers of a seat that must be as much as another and are not, with the cents they lack."""
    found = []
    for name, wager in terms.ruleset.rulebook.wagers.items():
        if wager.equals and seat.wagers.get(wager.equals):
            lacks = seat.wagers[wager.equals] - seat.wagers.get(name, 0)
            if lacks:
                found.append((name, wager, lacks))
    return found


def confirmed(terms: Terms, table: Table, event: events.LockConfirmed) -> Change:
    seat = seated(table, event.seat)
    there = terms.acceptors if event.device == "acceptor" else terms.terminals
    if not there:
        raise Refused("device", f"this table has no {event.device}s")
    if getattr(seat, f"{event.device}_locked"):
        raise Refused("device", f"the {event.device} of seat {event.seat} confirmed already")
    return if_all_is_confirmed(
        terms, with_seat(table, event.seat, **{f"{event.device}_locked": True})
    )


def accepted(table: Table) -> int:
    """How many progressive wagers the acceptors took, chips and coupons."""
    return sum(1 for seat in table.seats if seat.wagers.get("progressive"))


def chips_counted(terms: Terms, table: Table, event: events.ChipsCounted) -> Change:
    """Chips and coupons must be as many as wagers were accepted; if not, a floorperson comes."""
    if not terms.acceptors:
        raise Refused("chips", "this table has no progressive")
    hold = next((one for one in table.holds if one.where == CHIPS), None)
    if hold is not None:
        allowed = "a floorperson clears the hold, then the count is made again"
        raise Refused("chips", hold.cause, allowed)
    if table.chips is not None:
        raise Refused("chips", f"{table.chips} were counted already")
    counted, taken = event.chips + event.coupons, accepted(table)
    if counted != taken:
        cause = f"{counted} progressive chips and coupons counted, {taken} wagers accepted"
        return held(table, cause, CHIPS, event.at), ()
    return if_all_is_confirmed(terms, replace(table, chips=counted))


def drawn(terms: Terms, table: Table, event: events.Drawn) -> Change:
    if event.draw not in table.draws_due or event.draw in table.draws:
        raise Refused("draw", f"no {event.draw} is due")
    if event.draw == "magic_card":
        try:
            card(event.result)
        except CardError as error:
            raise Refused("result", str(error)) from None
    elif event.result != "dealer" and event.result not in map(str, range(1, terms.seats + 1)):
        raise Refused("result", f"{event.result!r} is neither a seat nor 'dealer'")
    draws = {**table.draws, event.draw: event.result}
    return if_all_is_confirmed(terms, replace(table, draws=draws))


def waits_for(terms: Terms, table: Table) -> list[str]:
    """What the deal still waits for, in words."""
    found = []
    for seat in table.seats:
        if not seat.acceptor_locked:
            found.append(f"the acceptor of seat {seat.number}")
        if not seat.terminal_locked:
            found.append(f"the terminal of seat {seat.number}")
    if terms.acceptors and accepted(table) and table.chips is None:
        found.append("the count of the progressive chips")
    found += [f"the draw of the {draw}" for draw in table.draws_due if draw not in table.draws]
    if must_be_recut(table):
        found.append(f"the cut of deck {table.deck}")
    return found


def if_all_is_confirmed(terms: Terms, table: Table) -> Change:
    """The deal is free once nothing is waited for any more."""
    if waits_for(terms, table) or table.deal_enabled:
        return table, ()
    table = replace(table, deal_enabled=True)
    return table, enabled(terms, table)


def enabled(terms: Terms, table: Table) -> list[Command]:
    """The lamp of the deal, and the shoe's stacks: once nothing is held."""
    lit = [EnableDeal(enabled=True)] if may(table, EnableDeal) else []
    return [*lit, *(armed(terms, table) if may(table, ArmShoe) else ())]


def deal_pressed(terms: Terms, table: Table, event: events.DealPressed) -> Change:
    if not table.deal_enabled:
        raise Refused("", f"the deal waits for {', '.join(waits_for(terms, table))}")
    table = replace(
        table,
        phase="dealing",
        deal_enabled=False,
        deal=Deal(steps=deal_plan(terms, table), ordered=0),
        up_card=None,
    )
    table, commands = ordered(terms, table)
    return table, [EnableDeal(enabled=False), *commands]

"""What is on offer in a round: wagers that need devices go only while every one of them answers.

A wager that can't be offered is withheld for the whole round, and shown so. It comes back when
betting opens again, or at once while nothing is down.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from controller.rules.faults import Refused, listed
from controller.table import events
from controller.table.change import Change, held, replace, with_seat
from controller.table.commands import Command, Lamp, Lock, SetLamp, ShowColumn, ShowOffer, Unlock
from controller.table.interlock import may
from controller.table.opening import lamp_at_rest
from controller.table.state import Table
from controller.table.terms import Terms

#: What a shuffler must be set to where Cover All is offered.
COVER_ALL_GAME = "Caribbean Stud Poker Cover All"

Device = Literal["acceptor", "terminal"]
#: The wager for which a device at a seat is opened.
WAGER_AT: dict[Device, str] = {"acceptor": "progressive", "terminal": "five_card_player"}


def needed(terms: Terms, wager: str) -> list[str]:
    """The devices without which a wager can't be offered: one at each seat, panel and meter."""
    on = terms.ruleset.rulebook.wagers[wager].on
    if on == "layout":
        return []
    link = ["link"] if on == "acceptor" and terms.ruleset.options.get("linked") else []
    return [*(f"{on} {seat}" for seat in range(1, terms.seats + 1)), "panel", "meter", *link]


def devices(terms: Terms) -> set[str]:
    """Every device whose loss takes a wager off the table."""
    return {device for wager in terms.ruleset.offered for device in needed(terms, wager)}


def made_at_devices(terms: Terms) -> list[str]:
    """The wagers of this table that are made at a device."""
    wagers = terms.ruleset.rulebook.wagers
    return [wager for wager in terms.ruleset.offered if wagers[wager].on != "layout"]


def unavailable(terms: Terms, table: Table) -> dict[str, str]:
    """The wagers that can't be offered now, each with the reason."""
    return dict(_unavailable(terms, table))


def _unavailable(terms: Terms, table: Table) -> Iterator[tuple[str, str]]:
    for wager in terms.ruleset.offered:
        lost = [device for device in needed(terms, wager) if device in table.offline]
        why = f"{listed(lost)} offline" if lost else ""
        if not why and wager == "progressive":
            why = _no_link(table)
        if not why and wager == "cover_all":
            why = _no_cover_all(terms, table)
        if why:
            yield wager, why


def _no_link(table: Table) -> str:
    """A link that is stale is still played on; one that is lost, or never joined, is not."""
    lost = table.link is not None and table.link.status in ("not joined", "down")
    return f"the link is {table.link.status}" if lost and table.link is not None else ""


def _no_cover_all(terms: Terms, table: Table) -> str:
    if not terms.has_shuffler or not table.shuffler_in_service:
        return "no shuffler in service"
    rule = terms.ruleset.rulebook.procedures.cover_all_mode
    if rule is not None and not table.shuffler_game:
        return f"the shuffler has not told that it is set to {rule.is_!r}"
    if table.shuffler_game not in ("", COVER_ALL_GAME):
        return f"the shuffler is set to {table.shuffler_game!r}"
    return ""


# --- Betting opens ----------------------------------------------------------


def opened(terms: Terms, table: Table) -> Change:
    """Acceptors and terminals open and lamps invite, as far as their wagers are on offer."""
    withheld = unavailable(terms, table)
    commands = _shown(table.withheld, withheld)
    acceptors = terms.acceptors and WAGER_AT["acceptor"] not in withheld
    terminals = terms.terminals and WAGER_AT["terminal"] not in withheld
    seats = []
    for seat in table.seats:
        # After a shuffle that was ordered a wager may be down already, its chip with the dealer.
        takes = acceptors and not seat.wagers.get(WAGER_AT["acceptor"])
        if takes:
            commands += [
                Unlock(seat=seat.number, device="acceptor"),
                SetLamp(seat=seat.number, lamp="invite"),
            ]
        if terminals:
            commands.append(Unlock(seat=seat.number, device="terminal"))
        lamp: Lamp = "invite" if takes else lamp_at_rest(seat)
        seats.append(
            replace(seat, lamp=lamp, acceptor_locked=not takes, terminal_locked=not terminals)
        )
    return replace(table, seats=tuple(seats), withheld=withheld), commands


def _shown(before: dict[str, str], after: dict[str, str]) -> list[Command]:
    """What changed on offer, for the people at the table."""
    gone = [ShowOffer(wager=w, offered=False, why=why) for w, why in after.items()]
    back = [ShowOffer(wager=w, offered=True) for w in before if w not in after]
    return [*(one for one in gone if before.get(one.wager) != one.why), *back]


def must_be_offered(terms: Terms, table: Table, wager: str) -> None:
    """Refuse a wager that is withheld in this round."""
    if wager in table.withheld:
        raise Refused(
            wager,
            f"is not offered in this round: {table.withheld[wager]}",
            "it is offered again from the next round after that is put right",
            terms.ruleset.rulebook.wagers[wager].clause,
        )


# --- Devices come and go ----------------------------------------------------


def went_offline(terms: Terms, table: Table, event: events.DeviceWentOffline) -> Change:
    if event.device not in devices(terms):
        known = listed(sorted(devices(terms)))
        raise Refused("device", f"{event.device!r} serves no wager here", f"there are {known}")
    if event.device in table.offline:
        raise Refused("device", f"{event.device} is offline already")
    return _withheld(terms, replace(table, offline=(*table.offline, event.device)))


def came_online(terms: Terms, table: Table, event: events.DeviceCameOnline) -> Change:
    if event.device not in table.offline:
        raise Refused("device", f"{event.device} was not offline")
    table = replace(table, offline=tuple(d for d in table.offline if d != event.device))
    return _back_if_nothing_is_down(terms, table)


def shuffler_set(terms: Terms, table: Table, event: events.ShufflerSet) -> Change:
    if not terms.has_shuffler:
        raise Refused("game", "this table has no shuffler")
    return followed(terms, replace(table, shuffler_game=event.game))


def followed(terms: Terms, table: Table) -> Change:
    """The offer follows what has changed: wagers leave it at once, and come back between rounds."""
    table, commands = _withheld(terms, table)
    table, more = _back_if_nothing_is_down(terms, table)
    return table, [*commands, *more]


def _withheld(terms: Terms, table: Table) -> Change:
    """While betting is open a wager may only leave the offer; wagers that are down stay."""
    if table.phase != "betting":
        return table, ()
    withheld = {**unavailable(terms, table), **table.withheld}
    commands = _shown(table.withheld, withheld)
    before, table = table.withheld, replace(table, withheld=withheld)
    for device, wager in WAGER_AT.items():
        if wager in withheld and wager not in before:
            commands += _shut(table, device)
    for seat in table.seats:
        if "progressive" in withheld and seat.lamp == "invite":
            commands.append(SetLamp(seat=seat.number, lamp="off"))
            table = with_seat(table, seat.number, lamp="off")
    return table, commands


def _shut(table: Table, device: Device) -> list[Command]:
    """No chip is taken that could be no wager.

    That they are closed is not waited for here, so the table still has them as open: at the
    lock-out each is told again, and confirms.
    """
    return [
        Lock(seat=seat.number, device=device, withheld=True)
        for seat in table.seats
        if not (seat.acceptor_locked if device == "acceptor" else seat.terminal_locked)
    ]


def is_open(table: Table, number: int, device: Device) -> bool:
    """Whether the device at a seat may take its wager now."""
    seat = table.seat(number)
    locked = seat.acceptor_locked if device == "acceptor" else seat.terminal_locked
    opened = table.phase == "betting" and not locked and may(table, Unlock)
    return opened and WAGER_AT[device] not in table.withheld


def open_devices(table: Table) -> list[Command]:
    """The order to open, for all that the table has open."""
    devices: tuple[Device, ...] = ("acceptor", "terminal")
    return [
        Unlock(seat=seat.number, device=device)
        for seat in table.seats
        for device in devices
        if is_open(table, seat.number, device)
    ]


def _back_if_nothing_is_down(terms: Terms, table: Table) -> Change:
    down = any(seat.wagers for seat in table.seats) or not may(table, Unlock)
    if table.phase != "betting" or down or unavailable(terms, table) == table.withheld:
        return table, ()
    return opened(terms, table)


# --- Cover All --------------------------------------------------------------


def must_count_hands(table: Table) -> bool:
    """Whether Cover All waits for the number of hands from a shuffler that counts them."""
    wagered = any(seat.wagers.get("cover_all") for seat in table.seats)
    return wagered and table.shuffler_game == COVER_ALL_GAME and table.hands_counted is None


def hands_counted(terms: Terms, table: Table, event: events.HandsCounted) -> Change:
    """The shuffler's count decides nothing by itself: it must be what was dealt."""
    if not any(seat.wagers.get("cover_all") for seat in table.seats):
        raise Refused("hands", "no Cover All is down")
    dealt = _hands(table)
    table = replace(table, hands_counted=event.hands)
    if event.hands != dealt:
        cause = f"the shuffler counted {event.hands} hands where {dealt} were dealt"
        return held(table, cause, "hands", event.at, blocks="play"), ()
    return table, column(terms, table)


def column(terms: Terms, table: Table) -> tuple[ShowColumn, ...]:
    """What the shuffler's screen shows, once it has counted the hands that were dealt."""
    dealt = _hands(table)
    if table.hands_counted != dealt:
        return ()
    rows = terms.ruleset.by_column["cover_all"][str(dealt)].rows
    pays = tuple(row.odds.number for row in rows)
    return (ShowColumn(wager="cover_all", column=str(dealt), pays=pays),)


def _hands(table: Table) -> int:
    return sum(1 for seat in table.seats if seat.dealt) + 1

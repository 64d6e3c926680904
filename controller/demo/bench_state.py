"""How the bench stands: every simulated device, what lies on the table top, and who plays whom.

Faces are there when they were turned over. Two people see more: a player who is played here has
their own hand, and a dealer who is played here sees the cards that they are about to key in, where
no shoe has read them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from math import isinf
from typing import Any, get_args

from controller.demo.cast import part_of_role, seat_part
from controller.demo.crew import Act, Crew, Do, Say, asked, is_handwork, part_of
from controller.demo.performer import Performer, people_of
from controller.demo.table import SimulatedTable
from controller.demo.tablets import Tablet
from controller.demo.world import World
from controller.rules.cards import name as card_name
from controller.rules.cards import names
from controller.table import events
from controller.table.deciding import may_check, wager_at
from controller.table.sealed import is_sealed
from controller.table.state import Seat, Table
from controller.table.terms import Terms
from drivers.contract import Health
from drivers.wire.messages import NOT_COUNTED, Button
from simulators.acceptor import Acceptor
from simulators.device import Device
from simulators.faults import MENU, Faults
from simulators.panel import Panel
from simulators.port import PtyPort
from simulators.shoe import Shoe
from simulators.shuffler import Shuffler
from simulators.sign import Sign
from simulators.tabletop import SHOE, SHUFFLER, TRAY
from simulators.terminal import Terminal

GREEN = "green"
#: How often the least ante, for who wants to wager more.
_TIMES = (1, 2, 4, 10)

_HANDWORK = {
    "put into shuffler": ("put_into_shuffler", "Put deck {} into the shuffler"),
    "put into shoe": ("load_shoe", "Put deck {} into the shoe"),
    "press": ("press", "Press the green button of the shuffler"),
    "give back": ("give_back", "Hand the late chip back to seat {}"),
}


# --- Devices ------------------------------------------------------------------


def device(
    simulated: SimulatedTable, one: Device, health: Health | None, tablet: Seat | None = None
) -> dict[str, Any]:
    """``tablet`` is the seat at which another device has the place of this one."""
    port = simulated.port_of(one)
    plugged = not one.is_cut and not (isinstance(port, PtyPort) and not port.is_plugged_in)
    return {
        "name": one.name,
        "kind": one.kind,
        "wire": _wire_of(simulated, port),
        "plugged": plugged,
        "starting": one.is_starting,
        "status": health.status if health else "absent",
        "reason": health.reason if health else "",
        "safe": one.is_safe,
        "door": None if "door" not in _menu_of(one.kind) else one.door_is_open,
        "trouble": sorted(one.trouble),
        "faults": list(faults(one.faults)),
        "boots": one.boot,
        **(_details(one) if tablet is None else _as_the_table_has_it(tablet)),
    }


def _as_the_table_has_it(seat: Seat) -> dict[str, Any]:
    shown = {"seat": seat.number, "locked": seat.terminal_locked, "balance": seat.balance}
    return {**shown, "text": "a tablet"}


def tablet(one: Tablet | None) -> dict[str, Any] | None:
    return None if one is None else {"address": one.address, "ended": one.ended}


def _wire_of(simulated: SimulatedTable, port: object) -> str:
    return next((name for name, one in simulated.ports.items() if one is port), "broker")


def wire(name: str, port: PtyPort) -> dict[str, Any]:
    return {
        "name": name,
        "devices": [one.name for one in port.end.devices],
        "plugged": port.is_plugged_in,
        "faults": list(faults(port.outward.faults)),
    }


def _menu_of(kind: str) -> list[str]:
    return [name for name, entry in MENU.items() if kind in entry.of]


def faults(some: Faults) -> Iterator[dict[str, Any]]:
    """Every fault that can be here; which are on, and how often each struck."""
    for name in _menu_of(some.of):
        entry = MENU[name]
        mine = [fault for fault in some if fault.name == name]
        # A door that was forced open stays so until somebody puts it right.
        waiting = [fault for fault in mine if fault.left > 0 or name == "door"]
        yield {
            "name": name,
            "what": entry.what,
            "number": entry.number,
            "usual": entry.usual,
            "lasts": isinf(entry.times),
            "on": bool(waiting),
            "struck": sum(fault.struck for fault in mine),
        }


def _details(one: Device) -> dict[str, Any]:
    match one:
        case Shuffler():
            return {
                "mode": one.mode,
                "cycle": one.cycle,
                "deck": one.holds,
                "cards": one.top.count(SHUFFLER),
                "count": None if one.last_count == NOT_COUNTED else one.last_count,
                "game": one.game,
                "buttons": [GREEN],
            }
        case Shoe():
            return {
                "deck": one.top.deck_at(SHOE),
                "cards": one.top.count(SHOE),
                "tray": one.top.count(TRAY),
                "reads": one.reads,
                "round": one.round,
                "stacks": list(one.stacks),
                "given": one.last,
                "coming": one.is_coming,
            }
        case Panel():
            lights = one.lights
            shown = {"lock_out": lights.lock_out, "deal": lights.deal, "warning": lights.warning}
            return {"lights": shown, "buttons": list(get_args(Button))}
    return _at_a_seat(one)


def _at_a_seat(one: Device) -> dict[str, Any]:
    match one:
        case Acceptor():
            return {
                "seat": one.seat,
                "locked": one.is_locked,
                "lamp": one.lamp,
                "slot": list(one.inside),
            }
        case Terminal():
            return {
                "seat": one.seat,
                "locked": one.is_locked,
                "balance": one.balance,
                "text": one.text,
            }
        case Sign():
            return {"notice": one.notice, "meters": _meters(one), "win": _win(one)}
    return {}


def _meters(sign: Sign) -> list[dict[str, Any]]:
    return [
        {"meter": meter, "level": level, "cents": cents}
        for (meter, level), cents in sign.meters.items()
    ]


def _win(sign: Sign) -> dict[str, Any] | None:
    if not sign.wins:
        return None
    _, win = sign.wins[-1]
    return {"level": win.level, "seat": win.seat, "cents": win.cents}


# --- People -------------------------------------------------------------------


def people(terms: Terms, pins: dict[str, str]) -> list[dict[str, str]]:
    """Whoever takes somebody's place signs on as that person, and needs the PIN for it."""
    return [
        {"part": part_of_role(role), "id": person.id, "role": role, "pin": pins.get(person.id, "")}
        for role, person in people_of(terms).items()
    ]


def seat(terms: Terms, table: Table, one: Seat, performer: Performer, crew: Crew) -> dict[str, Any]:
    cast, top = performer.cast, performer.world.top
    is_me = cast.is_me(seat_part(one.number))
    is_asked = table.phase == "deciding" and one in asked(terms, table)
    says = crew.says(table, one) if is_asked and top.count(one.number) else None
    return {
        "number": one.number,
        "player": one.player,
        "by": cast.by[seat_part(one.number)],
        "wagers": one.wagers,
        "balance": one.balance,
        "cards": top.count(one.number),
        "hand": names(top.at(one.number)) if is_me and top.count(one.number) else "",
        "says": {"choice": says[0], "cents": says[1]} if says is not None else None,
        "awaited": _is_awaited(table, one, performer, is_asked=is_asked and says is None),
        "wagers_offered": _wagers(terms, table, one) if is_me and table.phase == "betting" else [],
        "decisions": _decisions(terms, table, one) if is_me and is_asked else [],
    }


def _is_awaited(table: Table, one: Seat, performer: Performer, *, is_asked: bool) -> bool:
    if not performer.cast.is_me(seat_part(one.number)):
        return False
    wagers = table.phase == "betting" and one.player is not None
    return is_asked or (wagers and performer.cast.awaits_wagers(one.number, table.round + 1))


def _wagers(terms: Terms, table: Table, one: Seat) -> list[dict[str, Any]]:
    """What a player may put down before "no more bets", each with amounts to choose from."""
    found = []
    for name in terms.ruleset.offered:
        wager = terms.ruleset.rulebook.wagers[name]
        if wager.multiples or name in table.withheld:
            continue
        lacks = [need for need in wager.needs if need not in one.wagers]
        found.append(
            {
                "wager": name,
                "title": wager.title,
                "on": wager.on,
                "down": one.wagers.get(name, 0),
                "amounts": [] if lacks else list(_amounts(terms, name, one)),
            }
        )
    return found


def _amounts(terms: Terms, wager: str, one: Seat) -> Iterable[int]:
    equals = terms.ruleset.rulebook.wagers[wager].equals
    if equals is not None:
        return [
            cents for cents in (one.wagers.get(equals, 0),) if cents and wager not in one.wagers
        ]
    if (fixed := terms.ruleset.amounts_of(wager)) is not None:
        return fixed
    least = terms.least_ante
    return [times * least for times in _TIMES if times * least <= terms.most_ante]


def _decisions(terms: Terms, table: Table, one: Seat) -> list[dict[str, Any]]:
    wager = terms.ruleset.rulebook.wagers[wager_at(terms, table.street)]
    times = {str(moment): each for moment, each in wager.multiples.items()}
    bets = [
        {"choice": "wager", "title": wager.title, "cents": n * one.wagers["ante"]}
        for n in times[f"decision {table.street}"]
    ]
    otherwise = "check" if may_check(terms, table) else "fold"
    return [*bets, {"choice": otherwise, "title": otherwise.capitalize(), "cents": 0}]


# --- What is left to whoever plays here ------------------------------------------


def handwork(world: World, left: Iterable[Act]) -> Iterator[dict[str, Any]]:
    """What hands have to do that do not follow by themselves."""
    for act in left:
        if isinstance(act, Do) and is_handwork(act) and act.what in _HANDWORK:
            if _is_done(world, act):
                continue
            what, title = _HANDWORK[act.what]
            given: dict[str, Any] = {"deck": act.name}
            if act.what == "press":
                given = {"button": GREEN}
            elif act.what == "give back":
                given = {"seat": act.seat, "amount": act.cents}
            yield {"do": what, "with": given, "title": title.format(act.seat or act.name)}
        elif isinstance(act, Say) and act.kind is events.HoldCleared and act.first is not None:
            where = act.first.name
            yield {"do": "put_right", "with": {"where": where}, "title": f"Put right: {where}"}


def _is_done(world: World, act: Do) -> bool:
    """The cards are where they are to go, or nobody gets at them now."""
    if act.what not in ("put into shuffler", "put into shoe"):
        return False
    place = SHUFFLER if act.what == "put into shuffler" else SHOE
    runs = world.shuffler is not None and world.shuffler.cycle == "running"
    return runs or world.top.deck_at(place) == act.name


def to_key_in(world: World, table: Table, left: Iterable[Act]) -> Iterator[dict[str, Any]]:
    """Cards that the dealer turns over now and says: they lie there to be read."""
    for act in left:
        if not isinstance(act, Say):
            continue
        place: int | str
        if act.kind is events.HandTurned:
            place, shown = act.facts["seat"], act.facts["cards"]
        elif act.kind is events.Revealed:
            place, shown = act.facts["where"], act.facts["cards"]
        elif act.kind is events.UpCardShown:
            place, shown = "dealer", act.facts["card"]
        else:
            continue
        # Where the shoe has read more than is turned now, nobody but the dealer knows which it is.
        is_part = place == "community" and len(shown.split()) < world.top.count(place)
        if is_part or not is_sealed(table, place):
            yield {"place": _place(place), "cards": shown}


def _place(place: int | str) -> str:
    return seat_part(place) if isinstance(place, int) else place


def top(table: Table, performer: Performer) -> list[dict[str, Any]]:
    """How many cards lie where; their faces where they were turned over."""
    faces = {place: names(some) for place, some in table.faces.items()}
    faces |= {seat_part(one.number): names(one.cards) for one in table.seats if one.cards}
    if table.up_card is not None:
        faces.setdefault("dealer", card_name(table.up_card))
    return [
        {"place": place, "cards": len(pile), "faces": faces.get(place, "")}
        for place, pile in performer.world.top.piles.items()
        if pile
    ]


def awaited(performer: Performer, left: Iterable[Act]) -> list[str]:
    """The parts that are played here and have something to do."""
    whose = {part_of(act) for act in left}
    return [part for part in performer.cast.by if part in whose]


def wires(simulated: SimulatedTable) -> list[dict[str, Any]]:
    return [wire(name, port) for name, port in simulated.ports.items()]

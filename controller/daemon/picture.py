"""How the table stands, in one picture: all that a page may show, and what can be done now.

A page draws it and knows nothing else: no rule of any game, and no face of a card before it was
turned over.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from controller.daemon import views
from controller.daemon.matters import Matters
from controller.daemon.selfcheck import Report
from controller.daemon.service import Service
from controller.daemon.standing import wins
from controller.rules.cards import names
from controller.table import guesses
from controller.table.badges import waiting
from controller.table.dealing import cards_at, stub
from controller.table.offering import STANDS_IN, Offered
from controller.table.state import Seat, Table
from controller.table.terms import Terms

#: The chips that sums are shown in, in cents.
CHIPS = (100, 500, 2_500, 10_000, 50_000, 100_000, 500_000)
_PLACES = ("dealer", "community", "extra")


def picture(
    service: Service,
    report: Report | None,
    first_causes: Mapping[str, str],
    found: Offered,
    matters: Matters,
) -> dict[str, Any]:
    """``found`` is what the table offers as the core has it."""
    table, terms = service.core.table, service.recorder.terms
    book, wrong = terms.ruleset.rulebook, list(views.unwell(service, report))
    return {
        "table": terms.id,
        "title": book.title,
        "jurisdiction": book.jurisdiction,
        "rulebook": book.id,
        "seq": service.core.seq,
        "at": table.at,
        "round": table.round,
        "phase": table.phase,
        "street": table.street,
        "method": table.method,
        "void": table.void,
        "seats": [_seat(seat) for seat in table.seats],
        "places": _places(terms, table),
        "up_card": names([table.up_card]) if table.up_card is not None else None,
        "decks": msgspec.to_builtins(table.decks),
        "shuffler": _shuffler(terms, table),
        "shoe": _shoe(table),
        "due": msgspec.to_builtins(table.due),
        "holds": views.holds(service, table),
        "devices": views.devices(service, first_causes),
        "meters": {name: meter.shows() for name, meter in table.meters.items()},
        "meter_titles": {name: terms.ruleset.title_of(name) for name in table.meters},
        "wins": _wins(terms, table),
        "link": _link(table),
        "late": msgspec.to_builtins(table.late),
        "withheld": dict(table.withheld),
        "wagers": _wagers(terms),
        "denominations": list(CHIPS),
        "credentials": credentials(terms, table),
        "stands_in": STANDS_IN,
        "people": [{"id": id_, "roles": list(roles)} for id_, roles in terms.people.items()],
        #: A badge that was read, and whose PIN is asked for now.
        "badge": msgspec.to_builtins(waiting(table, service.clock.wall_ms())),
        "on_duty": {one.role: one.id for one in service.duty.everyone()},
        "wrong": wrong,
        "healthy": not wrong,
        "prompts": views.with_offers(found),
        "offers": msgspec.to_builtins(found.offers),
        "matters": matters.now(found),
    }


def _seat(seat: Seat) -> dict[str, Any]:
    return {
        "number": seat.number,
        "player": seat.player,
        "wagers": dict(seat.wagers),
        "tender": dict(seat.tender),
        "lamp": seat.lamp,
        "acceptor_locked": seat.acceptor_locked,
        "terminal_locked": seat.terminal_locked,
        "dealt": seat.dealt,
        "acted": seat.acted,
        "chosen": seat.chosen,
        "folded": seat.folded,
        "void": seat.void,
        "forfeited": seat.forfeited,
        "left": seat.left,
        "cards": names(seat.cards),
        "hand": seat.hand,
        "balance": seat.balance,
        "last": dict(seat.last),
    }


def _places(terms: Terms, table: Table) -> dict[str, Any]:
    """The places beside the seats that this game has."""
    hands = terms.ruleset.rulebook.hands
    has = {"dealer": hands.dealer, "community": hands.community, "extra": hands.extra}
    return {
        place: {"cards": names(table.faces.get(place, ())), "count": cards_at(table, place)}
        for place in _PLACES
        if has[place]
    }


def _shuffler(terms: Terms, table: Table) -> dict[str, Any] | None:
    if not terms.has_shuffler:
        return None
    return {
        "in_service": table.shuffler_in_service,
        "mode": table.shuffler_mode,
        "game": table.shuffler_game,
        #: The deck that lies in it.
        "deck": table.shuffler_holds,
        "hands_counted": table.hands_counted,
    }


def _shoe(table: Table) -> dict[str, Any]:
    return {
        "in_service": table.shoe_in_service,
        "counts": table.shoe_counts,
        #: The stack that lies in its exit; 0 for none.
        "lies": table.deal.lies,
        "stub": table.deal.stub,
        #: How many cards the stub has by what was dealt.
        "cards": stub(table),
    }


def _wins(terms: Terms, table: Table) -> list[dict[str, Any]]:
    """What a jackpot sign shows of wins, for one that hangs in a browser."""
    return [
        {
            "table": win.table,
            "seat": win.seat,
            "meter": win.meter,
            "level": win.level,
            "cents": win.cents,
            #: What the level starts again from.
            "base": win.base,
        }
        for win in wins(terms, table)
    ]


def _link(table: Table) -> dict[str, Any] | None:
    if table.link is None:
        return None
    return {
        "status": table.link.status,
        "heard": table.link.heard,
        "waiting": len(table.link.waiting),
    }


def credentials(terms: Terms, table: Table) -> list[dict[str, Any]]:
    """Whose PIN was tried wrongly, so that a supervisor should find out by whom."""
    return [
        {**msgspec.to_builtins(one), "locked_out": guesses.locked_out(terms, one, table.at)}
        for one in table.credentials
        if one.locked or guesses.is_the_floors(terms, one, table.at)
    ]


def _wagers(terms: Terms) -> dict[str, Any]:
    """Every wager that this table takes, and which sums; the Ante's are the table's own."""
    found: dict[str, Any] = {}
    for name in terms.ruleset.offered:
        wager, sums = terms.ruleset.rulebook.wagers[name], terms.ruleset.amounts_of(name)
        least, most = (min(sums), max(sums)) if sums else (None, None)
        if name == "ante":
            least, most = terms.least_ante, terms.most_ante
        found[name] = {
            "title": wager.title,
            "meter": terms.ruleset.wagers[name].meter,
            "on": wager.on,
            "clause": wager.clause,
            "amounts": sums,
            "least": least,
            "most": most,
        }
    return found

"""How the table and its service stand, as JSON for the command line, the pages and MQTT alike.

Every value has an age where it can have one. Faces are there once they were turned over: what a
shoe has read and nobody has seen is left out, sealed as it is.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from controller.daemon.hints import hint
from controller.daemon.selfcheck import Report
from controller.daemon.service import Service
from controller.rules.cards import names
from controller.rules.faults import listed
from controller.table import guesses
from controller.table.offer import Offer
from controller.table.offering import Offered
from controller.table.offers import unavailable
from controller.table.state import Blocks, Hold, Table
from controller.table.terms import Terms
from controller.table.waits import overdue
from drivers.wire.broker_turned import WORDS

#: What does not go on under a hold, in words.
STOPS: dict[Blocks, str] = {
    "deal": "no card is dealt, no deck is loaded and no shuffle is started",
    "round": "no new round begins and no shuffle is started",
    "play": "nothing of this round goes on",
}
#: A device with which the table can play.
PLAYABLE = ("ready", "degraded")


def status(
    service: Service, report: Report | None, first_causes: Mapping[str, str]
) -> dict[str, Any]:
    table, terms = service.recorder.table, service.recorder.terms
    wrong, found = list(unwell(service, report)), service.on_offer.at(table)
    return {
        "table": terms.id,
        "rulebook": terms.ruleset.rulebook.id,
        "phase": table.phase,
        "round": table.round,
        "healthy": not wrong,
        "wrong": wrong,
        "holds": holds(service),
        "prompts": with_offers(found),
        "offers": [_in_short(one) for one in found.offers],
        "devices": devices(service, first_causes),
        "meters": {name: meter.shows() for name, meter in table.meters.items()},
        "on_duty": {one.role: one.id for one in service.duty.everyone()},
        "on_duty_s": service.duty.seconds(),
        "self_check": checked(report),
        "journal": {
            "entries": service.journal.head.seq,
            "waiting": service.core.waiting,
            "writing_s": round(service.core.writing_s, 3),
            "remarks": list(service.journal.recovery.remarks),
        },
        "disk": service.disk.standing(),
        "abuse": list(service.abuse.standing()),
        "logs": {name: one.warning for name, one in service.captures.items() if one.warning},
        "brokers": brokers(service),
    }


def unwell(service: Service, report: Report | None) -> Iterator[str]:
    """What keeps the service from being healthy, a sentence each."""
    if service.core.failure is not None:
        yield f"journal: {service.core.failure}"
    yield from service.disk.unwell()
    table, terms, now = service.recorder.table, service.recorder.terms, service.clock.wall_ms()
    for hold in table.holds:
        over = f"; since then: {hold.over}" if hold.over else ""
        yield f"hold {hold.number}, {hold.where}: {hold.cause}{over}"
    yield from _guessed(terms, table, now)
    for wait, age in overdue(terms, table, now):
        yield f"{wait.what} has been waited for since {age // 1000} s: {wait.remedy}"
    yield from _withheld(terms, table)
    for name, one in service.supervisor.health().items():
        if one.status not in PLAYABLE:
            yield f"{name} is {one.status}: {one.reason or 'no reason is known'}"
    yield from service.abuse.unwell()
    for name, capture in service.captures.items():
        if capture.warning:
            yield f"device log of {name}: {capture.warning}"
    for broker in service.brokers.values():
        for kind in broker.turned.going_on():
            count = broker.turned.counts[kind]
            yield f"the broker on port {broker.port} turns away {WORDS[kind]}: {count} times so far"
    attached = service.supervisor.attachments
    for failed in report.failed if report is not None else ():
        if failed.what not in attached:
            yield f"self-check: {failed.what}: {failed.found}"


def _guessed(terms: Terms, table: Table, now: int) -> Iterator[str]:
    """Whose PIN somebody tries, and where."""
    for one in table.credentials:
        last = f"{one.wrong} wrong PINs, last at {one.device}"
        if one.withdrawn:
            continue
        if one.locked:
            yield f"the credential of {one.person} is locked: {last}"
        elif guesses.is_the_floors(terms, one, now):
            places = guesses.locked_out(terms, one, now)
            out = f"; locked out at {listed(places)}" if places else ""
            yield f"the PIN of {one.person} was tried: {last}{out}"
    for place in table.resting:
        if now < place.until:
            left = guesses.in_words(place.until - now)
            yield f"nobody signs on at {place.place} for {left}: PINs of several people were wrong"


def _withheld(terms: Terms, table: Table) -> Iterator[str]:
    """What players can't wager on in this round, and until when."""
    if table.phase != "betting":
        return
    still = unavailable(terms, table)
    for wager, why in table.withheld.items():
        # While wagers are down nothing comes back to the offer: all players of a round have it.
        again = "when that is put right" if wager in still else "from the next round"
        yield f"{wager} is not offered in this round: {why}; it is offered again {again}"


def holds(service: Service, table: Table | None = None) -> list[dict[str, Any]]:
    now, table = service.clock.wall_ms(), table or service.recorder.table
    return [
        {
            **msgspec.to_builtins(hold),
            "age_s": max(0, (now - hold.since) // 1000),
            "stops": STOPS[hold.blocks],
            "next_step": _next_step(hold),
        }
        for hold in table.holds
    ]


def _next_step(hold: Hold) -> str:
    known = hint(hold.cause)
    if hold.over:
        return f"Since then: {hold.over}. Look whether it is so, and clear the hold."
    return known.action if known else ""


def asked(service: Service) -> list[dict[str, Any]]:
    """What people have to do next, each with the id of the offer that answers it."""
    return with_offers(service.on_offer.at(service.recorder.table))


def with_offers(found: Offered) -> list[dict[str, Any]]:
    return [{**prompt._asdict(), "offer": id_} for prompt, id_ in found.prompts]


def _in_short(offer: Offer) -> dict[str, Any]:
    """For whoever only wants to know that there is one."""
    return {"id": offer.id, "who": offer.who, "title": offer.title, "group": offer.group}


def devices(service: Service, first_causes: Mapping[str, str]) -> list[dict[str, Any]]:
    now = service.clock.running()
    found = []
    for name, one in service.supervisor.health().items():
        station = service.supervisor.attachments[name].station
        heard, identity = station.heard_at, station.identity
        known = hint(one.reason)
        found.append(
            {
                "device": name,
                "status": one.status,
                "for_s": round(now - one.since, 1),
                "heard_s": None if heard is None else round(now - heard, 1),
                "reason": one.reason,
                "next_step": one.next_step or (known.action if known else ""),
                "first_cause": first_causes.get(name, ""),
                "model": identity.model if identity else "",
                "serial_number": identity.serial_number if identity else "",
                "firmware": identity.firmware.hex() if identity else "",
                "retries": station.retries,
            }
        )
    return found


def brokers(service: Service) -> dict[str, Any]:
    """Those that felt runs itself, by wire: where, how many are connected, what was turned away."""
    return {
        name: {
            "port": one.port,
            "connections": one.connections,
            "turned_away": dict(sorted(one.turned.counts.items())),
        }
        for name, one in service.brokers.items()
    }


def checked(report: Report | None) -> dict[str, Any] | None:
    if report is None:
        return None
    return {
        "at": report.at,
        "passed": report.passed,
        "checked": [one._asdict() for one in report.checked],
    }


def whole(table: Table) -> dict[str, Any]:
    """The table as it stands, with cards as people write them."""
    said: dict[str, Any] = msgspec.to_builtins(table, str_keys=True)
    said["deal"].pop("sealed")
    said.pop("ids")
    said.pop("heard")
    said["faces"] = {place: names(cards) for place, cards in table.faces.items()}
    said["up_card"] = names([table.up_card]) if table.up_card is not None else None
    for seat, known in zip(said["seats"], table.seats, strict=True):
        seat["cards"] = names(known.cards)
    return said

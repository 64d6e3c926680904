"""What the people at the table have to do next, in words: the dealer follows, the floor is called.

Prompts are read off the table, never stored: what is prompted is what the machine waits for.
"""

from __future__ import annotations

from collections.abc import Iterator

from controller.rules.faults import listed
from controller.table import guesses, prompts_cards, prompts_play, prompts_settling
from controller.table.belonging import standing
from controller.table.decks import MAINTENANCE, RECORD
from controller.table.offers import must_count_hands
from controller.table.prompt import Prompt
from controller.table.state import Table
from controller.table.terms import Terms
from controller.table.voiding import ALL_SIX, EXPOSED

__all__ = ["Prompt", "prompts"]


def prompts(terms: Terms, table: Table) -> tuple[Prompt, ...]:
    """Everything that somebody is asked to do now, holds first."""
    return (
        *_holds(terms, table),
        *_locked_out(terms, table),
        *_linked(table),
        *prompts_settling.handed_back(table),
        *_cover_all(terms, table),
        *_PHASES[table.phase](terms, table),
    )


def _holds(terms: Terms, table: Table) -> Iterator[Prompt]:
    for hold in table.holds:
        if hold.where == MAINTENANCE:
            text = f"maintenance, {hold.cause}: leave it with a floorperson"
            yield Prompt("technician", text, answer="maintenance_left")
            continue
        if hold.where == RECORD:
            text = f"the record: {hold.cause}; compare it with what lies on the table, and go on"
            text = f"{text} from it with a floorperson"
            yield Prompt("supervisor", text, answer="record_accepted")
            continue
        if (other := standing(table, hold)) is not None:
            text = f"hold {hold.number}, {hold.where}: {other.number} answers in place of"
            text = f"{text} {other.expected}; plug that in, or accept it with a floorperson"
            yield Prompt("technician", text, answer="device_accepted")
            continue
        if hold.where == EXPOSED:
            clause = terms.ruleset.rulebook.procedures.exposed_early.clause
            what = "confirm that the round is void"
            if hold.cause == ALL_SIX:
                what = "decide whether the round goes on or is void"
            yield Prompt(hold.clears, f"{hold.cause}: {what}", clause, answer="exposure_decided")
            continue
        todo = f"since then: {hold.over}; look, and" if hold.over else "look, put it right, and"
        text = f"hold {hold.number}, {hold.where}: {hold.cause}; {todo} clear it"
        yield Prompt(hold.clears, text, answer="hold_cleared")


def _locked_out(terms: Terms, table: Table) -> Iterator[Prompt]:
    for one in table.credentials:
        if one.locked and not one.withdrawn:
            text = f"the credential of {one.person} is locked: {one.wrong} wrong PINs, last at"
            text = f"{text} {one.device}; find out, and unlock it"
            yield Prompt("supervisor", text, answer="credential_unlocked")
        elif guesses.is_the_floors(terms, one, table.at):
            text = f"{one.wrong} wrong PINs for {one.person} in this shift, last at {one.device}"
            places = guesses.locked_out(terms, one, table.at)
            if places:
                text = f"{text}; locked out at {listed(places)}"
            text = f"{text}: find out who tried, and unlock the credential"
            yield Prompt("supervisor", text, answer="credential_unlocked")
    for place in table.resting:
        if table.at < place.until:
            text = f"the PINs of several people were wrong at {place.place}, where nobody signs on"
            text = f"{text} for a while: find out who tried, and unlock the place"
            yield Prompt("supervisor", text, answer="place_unlocked")


def _linked(table: Table) -> Iterator[Prompt]:
    if table.link is None or table.phase == "closed" or table.link.status == "up":
        return
    played = "" if table.link.status == "stale" else ": the progressive is not offered"
    yield Prompt("floorperson", f"the link is {table.link.status}{played}")


def _cover_all(terms: Terms, table: Table) -> Iterator[Prompt]:
    if table.phase in ("deciding", "revealing") and must_count_hands(table):
        clause = terms.ruleset.rulebook.wagers["cover_all"].clause
        text = "press the green button of the shuffler: it tells how many hands it gave out"
        yield Prompt("dealer", text, clause)


def _revealing(terms: Terms, table: Table) -> Iterator[Prompt]:
    """What the last decisions took is collected before a card is turned over."""
    if terms.ruleset.rulebook.hands.dealer and "dealer" not in table.faces:
        yield from prompts_play.collected(terms, table)
    yield from prompts_settling.revealing(terms, table)
    yield from prompts_play.hands_down(terms, table)


_PHASES = {
    "closed": prompts_cards.closed,
    "opening": prompts_cards.opening,
    "shuffling": prompts_cards.shuffling,
    "betting": prompts_play.betting,
    "locked": prompts_play.locked,
    "dealing": prompts_play.dealing,
    "deciding": prompts_play.deciding,
    "revealing": _revealing,
    "settling": prompts_settling.settling,
    "clearing": prompts_settling.clearing,
}

"""What people are asked to do from the reveal until the last card is in the rack."""

from __future__ import annotations

from collections.abc import Iterator

from controller.rules.cards import name
from controller.rules.paytables import dollars
from controller.table.people import Role
from controller.table.prompt import Prompt
from controller.table.settling import in_turn, to_be_shown, to_be_turned
from controller.table.state import Table
from controller.table.terms import Terms


def revealing(terms: Terms, table: Table) -> Iterator[Prompt]:
    shown = to_be_shown(terms, table)
    for place, count in shown.items():
        up = f" beside {name(table.up_card)}" if place == "dealer" and table.up_card else ""
        yield Prompt("dealer", f"reveal {count} card{'s' if count > 1 else ''} of the {place}{up}")
    if "dealer" not in shown:
        for number in to_be_turned(terms, table)[:1]:
            yield Prompt("dealer", f"turn the hand of seat {number} face up")


def settling(terms: Terms, table: Table) -> Iterator[Prompt]:
    turn = in_turn(table)
    for due in table.due:
        if due.seat != turn or due.result != "win" or not due.validate:
            continue
        if due.claim and not due.order and not due.ordered_by:
            yield Prompt("floorperson", f"wait for the link's word on the hit of seat {due.seat}")
            if table.link is not None and table.link.status not in ("up", "stale"):
                text = f"agree with the other tables what the hit of seat {due.seat} is worth"
                yield Prompt("supervisor", f"the link is {table.link.status}: {text}, and say it")
        what = f"{due.wager} of seat {due.seat}, {dollars(due.returns)}"
        if not due.verified_by:
            yield Prompt("dealer", f"verify the hand and the light: {what}", due.clause)
        elif not due.validated_by:
            role: Role = "supervisor" if due.validate == "supervisor" else "floorperson"
            yield Prompt(role, f"validate: {what}", due.clause)
    for due in table.due:
        if due.seat == turn:
            yield Prompt("dealer", _due_text(due.wager, due.result, due.returns), due.clause)


def _due_text(wager: str, result: str, returns: int) -> str:
    return f"{wager}: collect" if result == "lose" else f"{wager}: {result}, {dollars(returns)}"


def clearing(terms: Terms, table: Table) -> Iterator[Prompt]:
    for due in table.due:
        if due.paid_by == "hand" and not due.documented_by:
            text = f"complete the documents of seat {due.seat}, {dollars(due.returns)}; cards stay"
            yield Prompt("floorperson", text, due.clause)
    if table.void:
        yield Prompt("dealer", f"the round is void ({table.void}): return every wager")
    yield Prompt("dealer", "pick up the cards in order and rack them")

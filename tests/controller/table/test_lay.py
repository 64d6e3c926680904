"""How a table lies, as changes: they lead from one to the next, and no value is lost or made up."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from hypothesis import given
from hypothesis import strategies as some

from controller.library import Library
from controller.table.lay import changed, lay, merged
from controller.table.machine import new_table, step
from controller.tables import terms_of
from tests.controller.test_recorder import script, table_file

LAYS = some.recursive(
    some.booleans() | some.integers() | some.text(max_size=3),
    lambda more: some.dictionaries(some.sampled_from("abc"), more, max_size=3),
    max_leaves=12,
)


@given(*[some.dictionaries(some.sampled_from("abcd"), LAYS, max_size=4)] * 2)
def test_a_change_leads_from_any_lay_to_any_other(
    before: dict[str, Any], after: dict[str, Any]
) -> None:
    change = changed(before, after)
    kept = repr(before)
    assert merged(before, change) == after
    assert repr(before) == kept
    assert (change == {}) == (before == after)


def test_what_lies_there_is_said_and_nothing_else() -> None:
    terms = terms_of(table_file("pa-639a"), Library())
    table = new_table(terms)
    assert lay(table) == {"phase": "closed"}
    lays = [lay(table)]
    for event in script("pa-639a"):
        table = step(terms, table, event).table
        lays.append(lay(table))
    # Whoever sits, and no other seat; and nothing of a seat that is not so.
    assert set(lays[-1]["seats"]) == {"1", "2"}
    seats = [seat for one in lays for seat in one.get("seats", {}).values()]
    assert all(value for seat in seats for value in seat.values())
    phases = [one["phase"] for one in lays]
    assert [b for a, b in pairwise(phases) if a != b] == [
        "opening", "shuffling", "betting", "locked", "dealing", "deciding", "revealing",
        "settling", "clearing", "shuffling",
    ]  # fmt: skip
    # A hand is there with its cards, first face down; all of it is gone in the end.
    assert any(seat.get("dealt") and "cards" not in seat for seat in seats)
    assert any(len(seat.get("cards", "").split()) == seat.get("dealt") == 5 for seat in seats)
    assert any(seat.get("settled") and seat.get("paid") for seat in seats)
    assert any(one.get("places", {}).get("dealer", {}).get("cards") for one in lays)
    assert "places" not in lays[-1]

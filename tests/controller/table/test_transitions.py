"""The one table of transitions: complete, true, and drawn in the docs."""

from __future__ import annotations

from pathlib import Path
from typing import get_args

import pytest

from controller.table import events
from controller.table.diagram import page
from controller.table.machine import new_table, step
from controller.table.transitions import TRANSITIONS
from tests.controller.table.playing import BOOKS, METHODS, AtTheTable, terms_of

DOCS = Path(__file__).resolve().parents[3] / "docs" / "table.md"


def test_every_event_has_its_row() -> None:
    assert set(TRANSITIONS) == set(get_args(events.Event))


def test_only_people_have_roles() -> None:
    for event, rule in TRANSITIONS.items():
        if rule.role is not None:
            assert issubclass(event, events.Act), event


def test_the_docs_have_the_diagram_that_the_table_draws() -> None:
    text = DOCS.read_text(encoding="utf-8")
    assert "\n".join(page()) in text, "run: felt events --diagram, and put it into docs/table.md"


@pytest.mark.parametrize("book", BOOKS)
@pytest.mark.parametrize("method", METHODS)
def test_a_round_goes_only_where_the_table_says(book: str, method: str) -> None:
    at = AtTheTable(terms_of(book, method))
    at.opens().sits(1, 3).plays(1, 3)
    table = new_table(at.terms)
    for event in at.taken:
        after = step(at.terms, table, event).table
        rule = TRANSITIONS[type(event)]
        assert table.phase in rule.phases
        assert rule.may_lead(table.phase, after.phase)
        table = after

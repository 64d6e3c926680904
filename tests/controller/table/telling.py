"""What people at a table are told, for tests to look at."""

from __future__ import annotations

from controller.table.prompts import Prompt, prompts
from tests.controller.table.playing import AtTheTable


def told(at: AtTheTable, answer: str | None = None) -> list[Prompt]:
    """What people are told now, or what of it a kind of event answers."""
    found = prompts(at.terms, at.table)
    return [one for one in found if answer is None or one.answer == answer]


def one(at: AtTheTable, answer: str) -> Prompt:
    [found] = told(at, answer)
    assert found.who == "dealer"
    return found


def by(at: AtTheTable, clause: str) -> Prompt:
    """The one prompt that a clause gives."""
    [found] = [prompt for prompt in told(at) if prompt.clause == clause]
    return found

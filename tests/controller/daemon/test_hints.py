"""The list of what to do when: its page is up to date, and what felt says is in it."""

from __future__ import annotations

import errno
from pathlib import Path

import pytest

from controller.daemon.hints import HINTS, hint, page
from controller.daemon.reveals import OTHER_FACES
from controller.journal.errors import JournalError
from controller.table import events
from drivers.wire.ports import PortSettings, hung_up, stuck, trouble_with
from tests.controller.table.playing import open_table

PAGE = Path(__file__).resolve().parents[3] / "docs" / "what-to-do-when.md"


def test_the_page_is_drawn_from_the_list() -> None:
    drawn = "\n".join(page()) + "\n"
    assert PAGE.read_text(encoding="utf-8") == drawn, "felt doctor --page > docs/what-to-do-when.md"


def test_every_row_is_found_by_its_own_words() -> None:
    for one in HINTS:
        example = one.symptom.replace("...", "X")
        assert hint(example) is not None
        assert "|" not in "".join(one)


@pytest.mark.parametrize(
    ("number", "topic"),
    [
        (errno.ENOENT, "is not there"),
        (errno.EACCES, "may not use"),
        (errno.EIO, "was unplugged"),
    ],
)
def test_trouble_with_a_port_has_a_row(number: int, topic: str) -> None:
    settings = PortSettings("/dev/serial/by-id/shoe")
    reason = trouble_with(settings, OSError(number, "x")).reason
    found = hint(reason)
    assert found is not None
    assert topic in found.symptom
    for other in (hung_up(settings), stuck(settings, 3)):
        assert hint(other.reason) is not None


def test_holds_of_a_real_table_have_rows() -> None:
    at = open_table("pa-639a")
    deck = at.table.deck
    at.does(events.ShuffleFailed, deck=deck, nature="jam")
    at.does(events.ShuffleStarted, deck=deck)
    at.does(events.ShuffleCompleted, deck=deck, count=51)
    at.does(events.ShufflerReported, mode="sort")
    at.does(events.DeviceFaulted, device="shoe", nature="its door is open")
    at.does(events.DeviceFaulted, device="shoe", nature=OTHER_FACES)
    assert at.table.holds
    for hold in at.table.holds:
        assert hint(hold.cause) is not None, hold.cause


def test_what_nobody_has_thought_of_has_no_hint() -> None:
    assert hint("the moon is full") is None
    assert hint("") is None


def test_the_journals_own_remedy_agrees() -> None:
    full = JournalError("journal.db", "the disk is full", "make room, then start again")
    found = hint(str(full))
    assert found is not None
    assert "Make room" in found.action

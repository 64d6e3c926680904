"""What a check says stands on the page, and every duty has its check."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from controller.certify.everything import CHECKS
from drivers.duties import BY_ID, DUTIES, WORKS

PAGE = Path(__file__).parents[3] / "docs" / "protocol.md"


def _plain(text: str) -> str:
    """Without marks of emphasis, and as one line."""
    return re.sub(r"\s+", " ", text.replace("**", ""))


@pytest.mark.parametrize("id_", [one.id for one in CHECKS if one.id not in BY_ID])
def test_its_sentence_stands_on_the_page(id_: str) -> None:
    [check] = [one for one in CHECKS if one.id == id_]
    assert check.says.rstrip(".;") in _plain(PAGE.read_text())


def test_every_duty_is_tried() -> None:
    tried = {check.id for check in CHECKS}
    assert [duty.id for duty in DUTIES if duty.id not in tried] == []
    assert [works.id for works in WORKS if works.id not in tried] == []


def test_no_id_is_given_twice() -> None:
    ids = [check.id for check in CHECKS]
    assert len(set(ids)) == len(ids)


def test_a_required_duty_is_needed_for_play() -> None:
    """What the table can't do without is bronze, but for what only a loss of power shows."""
    grades = {check.id: check for check in CHECKS}
    late = [
        duty.id for duty in DUTIES if duty.need == "required" and grades[duty.id].grade != "bronze"
    ]
    assert late == ["every.boot", "shuffler.cycle_failed", "shuffler.shuffler_state",
                    "shoe.shoe_state"]  # fmt: skip

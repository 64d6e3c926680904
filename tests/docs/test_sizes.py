"""What the docs say of a round's size is what is measured, within a factor."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.sizes import JOURNAL, LOGS, is_true, measured

JOURNAL_PAGE = Path(__file__).parents[2] / "docs" / "journal.md"


def row(of: str) -> str:
    lines = JOURNAL_PAGE.read_text(encoding="utf-8").splitlines()
    (found,) = (line for line in lines if line.startswith(f"| {of}"))
    return found


def test_the_page_says_what_is_measured() -> None:
    """The benchmark compares with these two figures, and fails beyond a factor."""
    for of, (least, most) in (
        ("bytes a round in the journal", JOURNAL),
        ("bytes a round in the device logs", LOGS),
    ):
        assert row(of).endswith(f"| {least:,} to {most:,} |")


@pytest.mark.slow
@pytest.mark.parametrize("book", ["pa-639a", "pa-682a"])
def test_a_round_is_as_large_as_the_page_says(book: str) -> None:
    found = measured(book, rounds=6, seats=7)
    assert is_true(found), found

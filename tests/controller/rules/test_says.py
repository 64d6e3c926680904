"""The words of a rulebook, and those of one that was kept before rulebooks had any."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from controller.library import Library, shipped
from controller.rules.faults import Refused
from controller.rules.ruleset import choose
from controller.rules.wagering import place
from tests.controller.rules.rounds import REQUIRED, folded, library, round_of, settled

BOOKS = ("pa-639a", "s10", "ma", "pa-669a", "pa-682a", "pa-683a")


def older(folder: Path, book: str) -> Library:
    """The library as a record of an earlier felt has it: nothing is said, and folds are one."""
    text = (shipped("rulebooks") / f"{book}.toml").read_text(encoding="utf-8")
    text = text[: text.index("# --- What people are told")]
    text = re.sub(r'(ends = \{ |, )"fold 2" = ("[^"]+"), "fold 3" = "[^"]+"', r"\1fold = \2", text)
    text = re.sub(r"fold = (\"[^\"]+\"), fold = \"[^\"]+\"", r"fold = \1", text)
    text = text.replace('"fold 3" = ', "fold = ")
    (folder / f"{book}.toml").write_text(text, encoding="utf-8")
    return Library(folder)


@pytest.mark.parametrize("book", BOOKS)
def test_every_rulebook_has_words_with_clauses(book: str) -> None:
    says = library().rulebook(book).says
    assert says is not None
    assert library().rulebook(book).words is says


@pytest.mark.parametrize("book", BOOKS)
def test_a_rulebook_of_an_older_record_is_read_and_told_plainly(tmp_path: Path, book: str) -> None:
    rulebook = older(tmp_path, book).rulebook(book)
    assert rulebook.says is None
    for method in ("hand", "manual shoe", "automated shoe"):
        words = rulebook.words.dealt(method)
        up = rulebook.game == "caribbean-stud" and method != "automated shoe"
        assert words.dealer[0].text == ("face up" if up else "face down")
        assert words.stub.clause == ""
    ruleset = choose(rulebook, REQUIRED[book])
    with pytest.raises(Refused) as late:
        place(ruleset, "ante", 1000, down={}, moment="decision 1")
    assert late.value.clause == rulebook.wagers["ante"].clause


def test_a_fold_of_an_older_record_has_one_clause_for_all_streets(tmp_path: Path) -> None:
    books = older(tmp_path, "pa-683a")
    wagers = {"ante": 1000, "raise_1": 1000, "raise_2": 1000}
    played = round_of("pa-683a", community="9h 9d Kc", seats=[folded(3, "Jc Jd", **wagers)])
    done = settled(played, books)
    assert [done.line(3, wager)["clause"] for wager in wagers] == [
        "PA-683a.11(b)",
        "PA-683a.11(d)",
        "PA-683a.11(f)",
    ]

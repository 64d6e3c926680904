"""Readings are values of the rulebook: a board that decides otherwise changes a word in a file."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from controller.library import Library, shipped
from tests.controller.rules.rounds import folded, round_of, seat, settled


def with_reading(folder: Path, book: str, reading: str, value: str) -> Library:
    text = (shipped("rulebooks") / f"{book}.toml").read_text(encoding="utf-8")
    line = next(one for one in text.splitlines() if one.startswith(f"{reading} = "))
    changed = re.sub(r"is = (true|false|\"[^\"]*\")", f"is = {value}", line)
    (folder / f"{book}.toml").write_text(text.replace(line, changed), encoding="utf-8")
    return Library(folder)


FOLDED_STRAIGHT_FLUSH: dict[str, dict[str, Any]] = {
    "pa-639a": round_of(
        "pa-639a",
        {"progressive": "D"},
        dealer="Ks Qd 9h 4c 3s",
        meters={"progressive": {"main": 1_000_000}},
        seats=[
            folded(2, "9d 8d 7d 6d 5d", ante=500),
            seat(4, "Kc Qh 9c 5c 3h", ante=500, bet=1000, progressive=100),
        ],
    ),
    "pa-669a": round_of(
        "pa-669a",
        {"progressive": True},
        community="8h 7d 2c",
        meters={"progressive": {"main": 150_000}},
        seats=[
            folded(2, "Ah Kh Qh", ante=500, blind=500),
            seat(4, "9c 5d 4s", ante=500, blind=500, play=500, progressive=100),
        ],
    ),
}


@pytest.mark.parametrize(("book", "sum_"), [("pa-639a", 30_000), ("pa-669a", 2_500)])
def test_whether_a_folded_hand_triggers_envy(book: str, sum_: int, tmp_path: Path) -> None:
    given = FOLDED_STRAIGHT_FLUSH[book]
    otherwise = with_reading(tmp_path, book, "envy_for_folded_hands", "true")
    assert settled(given).returns(4, "envy") == 0
    assert settled(given, otherwise).returns(4, "envy") == sum_


def test_whether_equal_hands_win_the_bonus(tmp_path: Path) -> None:
    wagers = {"ante": 1000, "raise": 1000}
    tie = [seat(3, "9s 8s 7s 6s Kc", **wagers)]
    given = round_of("pa-682a", dealer="9h 8h 7h 6h 3c 2d", seats=tie)
    otherwise = with_reading(tmp_path, "pa-682a", "win_bonus_on_equal_hands", "false")
    assert settled(given).returns(3, "win_bonus") == 20_000
    assert settled(given, otherwise).lines(3, "win_bonus") == []
    better = round_of("pa-682a", dealer="8h 7h 6h 5h 3c 2d", seats=tie)
    assert settled(better, otherwise).returns(3, "win_bonus") == 20_000


def test_whether_a_folded_hand_can_be_the_highest_for_cover_all(tmp_path: Path) -> None:
    given = round_of(
        "ma",
        {"cover_all": True},
        dealer="Ac Qd 9d 4h 3s",
        seats=[
            folded(1, "Ah Kh Qh Jh Th", ante=500),
            seat(2, "6c 6d 6h Ks 2d", ante=500, bet=1000, cover_all=500),
        ],
    )
    otherwise = with_reading(tmp_path, "ma", "cover_all_counts_folded_hands", "true")
    assert settled(given).returns(2, "cover_all") == 500 + 6 * 500
    assert settled(given, otherwise).returns(2, "cover_all") == 500 + 300 * 500


def test_a_line_says_that_it_was_cut_only_where_it_was() -> None:
    given = round_of(
        "s10", dealer="As Kd 4h 3c 2s", seats=[seat(1, "Ah Qc Js Td 8h", ante=500, bet=1000)]
    )
    for line in settled(given).lines(1):
        assert line["result"] == "lose"
        assert "cut" not in line

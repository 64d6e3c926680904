"""A drill file with a mistake in it is refused: its place, and what to write instead."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from controller.commands.check import checked
from controller.library import Library
from controller.rules.faults import Refused
from controller.school.drill import read, shelf

SOUND = """
title = "A round"
group = "rounds"
place = 1
teaches = "The order of a round."
goal = "Deal one round."
cards = { "seat 1" = "As Kd" }

[table]
file = "pa-639a"
method = "automated shoe"
seats = 2

[[players]]
seat = 1
name = "Ann"
wagers = { ante = 1000, progressive = 100 }

[[happens]]
when = { phase = "dealing" }
fault = { device = "shoe", name = "jam" }

[[wanted]]
action = "cards_racked"
upon = 1
before = ["seat_paid"]
words = "The cards are racked."
clause = "PA-639a.11(d)"

[[never]]
void = true
words = "A round that goes as it should is not void."
"""

#: What somebody wrote in place of what, and what they are told.
MISTAKES = (
    ('goal = "Deal', 'gaol = "Deal', r"gaol: is not known here; known are title, .*goal"),
    ('teaches = "The order of a round."\n', "", r"teaches: is missing"),
    ('group = "rounds"', 'group = "games"', r"group: should be 'rounds' or 'irregularities'"),
    ('"pa-639a"', '"pa-999"', r"table\.file: there is no table 'pa-999'; ma, pa-639a"),
    ("seats = 2", "seats = 9", r"table\.seats: should be less than or equal to 8"),
    ('method = "automated shoe"', 'method = "by magic"', r"table\.method: should be 'hand'"),
    ("seat = 1\n", "seat = 3\n", r"players\[0\]\.seat: there is no seat 3; 1 to 2"),
    ("ante = 1000, prog", "prog", r"players\[0\]\.wagers\.ante: is missing"),
    ("progressive = 100", "jackpot = 100", r"wagers\.jackpot: is no wager of .*; ante, bonus"),
    ("progressive = 100", "progressive = 1.5", r"wagers\.progressive: must be a whole number"),
    ('"seat 1" = "As Kd"', '"seat 2" = "As"', r"cards\.seat 2: is no place with .*; seat 1, "),
    ('"As Kd"', '"As Kx"', r"cards\.seat 1: .*Kx.*; as in"),
    ('"As Kd"', '"As Kd Qd Jd Td 9d"', r"cards\.seat 1: 6 cards; at most 5"),
    ('= "As Kd"', '= "As", dealer = "As"', r"cards\.dealer: a card lies in two places"),
    ('phase = "dealing"', 'phase = "dealing", action = "decided"', r"happens\[0\]\.when: names a"),
    ('phase = "dealing"', 'action = "shuffled"', r"when\.action: there is no act 'shuffled'; "),
    ('name = "jam"', 'name = "jams"', r"happens\[0\]\.fault\.name: there is no fault 'jams'; jam"),
    ('name = "jam"', 'name = "late-wager"', r"fault\.name: a shoe has no fault 'late-wager'; jam"),
    ('device = "shoe"', 'device = "shoes"', r"fault\.name: a shoes has no fault"),
    ('device = "shoe", name = "jam"', 'wire = "shu", name = "lost"', r"fault\.wire: .*; panel, si"),
    ('fault = { device = "shoe", name = "jam" }', "", r"happens\[0\]: nothing happens; says, "),
    ('action = "cards_racked"', 'action = "rack"', r"wanted\[0\]\.action: there is no act 'rack'"),
    ('["seat_paid"]', '["paid"]', r"wanted\[0\]\.before\[0\]: there is no act 'paid'"),
    ("upon = 1", "upon = 2", r"wanted\[0\]\.upon: there is no happening 2; there are 1"),
    ("PA-639a.11(d)", "MA.11(d)", r"clause: 'MA\.11\(d\)' is no clause of pa-639a; PA-639a"),
    ("void = true", 'void = true\nhold = "shoe"', r"never\[0\]: names one thing; hold, void "),
    ("[[wanted]]", "[[wanted]", r"is not TOML"),
)  # fmt: skip


def test_a_sound_one_is_said_in_one_line(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(SOUND, encoding="utf-8")
    (line,) = checked(file, Library())
    assert line == (
        "drill mine: A round; Caribbean Stud Poker, Pennsylvania, automated shoe, 1 players; "
        "1 things happen, 1 acts are wanted"
    )


@pytest.mark.parametrize(("was", "is_", "told"), MISTAKES, ids=lambda text: text[:30])
def test_a_mistake_is_told_with_its_place(was: str, is_: str, told: str, tmp_path: Path) -> None:
    assert was in SOUND
    file = tmp_path / "mine.toml"
    file.write_text(SOUND.replace(was, is_, 1), encoding="utf-8")
    with pytest.raises(Refused) as refused:
        read(file, Library())
    assert str(refused.value).startswith(str(file))
    assert re.search(told, str(refused.value)), str(refused.value)


def test_a_shelf_is_in_its_order_and_not_empty(tmp_path: Path) -> None:
    with pytest.raises(Refused, match="has no drill in it"):
        shelf(Library(), tmp_path)
    with pytest.raises(Refused, match="is not a folder"):
        shelf(Library(), tmp_path / "nowhere")
    for name, place in (("first", 3), ("second", 2)):
        text = SOUND.replace("place = 1", f"place = {place}")
        (tmp_path / f"{name}.toml").write_text(text, encoding="utf-8")
    assert list(shelf(Library(), tmp_path)) == ["second", "first"]

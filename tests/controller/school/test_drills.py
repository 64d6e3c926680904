"""Every drill that felt ships with: who does what the table offers passes it, and who errs fails.

The trainee reads offers and what lies there; the words of a failure are the table's own.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from controller.library import Library
from controller.table.offer import Offer
from tests.controller.school.classroom import drills, held
from tests.controller.school.trainee import Trainee

ROOT = Path(__file__).resolve().parents[3]
NAMES = sorted(path.stem for path in (ROOT / "config" / "drills").glob("*.toml"))

#: What somebody does wrong, once; whether they have done it now.
Slip = Callable[[Trainee, list[Offer]], Awaitable[bool]]


@pytest.mark.parametrize("name", NAMES)
def test_whoever_takes_what_is_offered_passes(name: str) -> None:
    lesson = held(name)
    report = lesson.report
    assert report["passed"], report["reason"]
    assert report["reason"].startswith("Passed: ")
    assert lesson.trainee.refused == []
    assert report["left_out"] == []
    assert {one["verdict"] for one in report["wanted"]} == {"right"}
    assert {row["verdict"] for row in lesson.mine} == {"right"}
    # What the text of a rulebook says is said with its clause.
    assert sum(bool(row["clause"]) for row in lesson.mine) >= 4


# --- Slips --------------------------------------------------------------------


def says(action: str, phase: str, **facts: object) -> Slip:
    """Somebody says what nobody has offered, as the table stands in a phase."""
    said: list[bool] = []

    async def slip(me: Trainee, offers: list[Offer]) -> bool:
        if said or me.running.table.phase != phase:
            return False
        said.append(True)
        await me.does(action, **facts)
        return True

    return slip


def forgets(*actions: str) -> Slip:
    """Somebody does not report what they see, and deals on."""

    async def slip(me: Trainee, offers: list[Offer]) -> bool:
        me.forgets = frozenset(actions)
        return False

    return slip


def counts(chips: int) -> Slip:
    """Somebody counts chips that do not count."""

    done: list[bool] = []

    async def slip(me: Trainee, offers: list[Offer]) -> bool:
        counted = next((one for one in offers if one.acts[0].action == "chips_counted"), None)
        if counted is None or done:
            return False
        done.append(True)
        await me.takes(counted, {"chips": chips})
        return True

    return slip


def reports_late(action: str, after: str) -> Slip:
    """Somebody reports what they see only when the round has gone on."""

    async def slip(me: Trainee, offers: list[Offer]) -> bool:
        me.forgets = frozenset() if after in me.actions else frozenset({action})
        return False

    return slip


#: By drill: the slip, and what is said of it.
SLIPS: dict[str, tuple[Slip, str]] = {
    "caribbean-stud-pennsylvania": (
        says("cards_racked", "deciding"),
        r"Cards racked: refused, .*deciding",
    ),
    "caribbean-stud-massachusetts": (
        says("wager_placed", "dealing", seat=1, wager="ante", amount=1000),
        r"Wager placed: seat 1, wager ante, amount \$10: refused, .*dealing",
    ),
    "caribbean-stud-section-10": (
        says("deck_loaded", "shuffling", deck="A"),
        r"Deck loaded: deck A: refused, .*shuffle",
    ),
    "raise-it-up": (
        says("decided", "deciding", seat=1, choice="wager", amount=7),
        r"Decided: seat 1, choice wager, amount \$0\.07: refused, .*PA-669a",
    ),
    "four-card-prime": (
        says("seat_paid", "revealing", seat=3),
        r"Seat paid: seat 3: refused",
    ),
    "cajun-stud": (
        says("decided", "deciding", seat=1, choice="fold"),
        r"Fold was keyed in, and Ann, at seat 1, has said: wager \$10",
    ),
    "a-hand-to-be-verified": (
        says("seat_paid", "revealing", seat=1),
        r"Seat paid: seat 1: refused",
    ),
    "a-card-face-up": (
        forgets("face_up_card_found"),
        r"it was left out: The card that lies face up at seat 2 .*\(PA-639a\.13\(a\)\)",
    ),
    "two-cards-face-up": (
        forgets("face_up_card_found"),
        r"it was left out: The first card .*\(S10\.\(m\)\(2\)\) \(and \d more\)",
    ),
    "a-misdeal": (
        says("misdeal_reported", "deciding", to="dealer", cards=6),
        r"Only the hand that is misdealt is void \(S10\.\(m\)\(4\)\)",
    ),
    "a-misdeal-pennsylvania": (
        reports_late("misdeal_reported", "decided"),
        r"it came too late: The hand of seat 2 is said to have six .*\(PA-682a\.13\(c\)\)",
    ),
    "an-exposed-card": (
        reports_late("card_exposed", "decided"),
        r"it came too late: It is said that a hole card .*\(MA\.13\(a\)\)",
    ),
    "a-jam": (
        says("cards_dealt", "clearing", to=1),
        r"Cards dealt: to 1: refused, .*clearing",
    ),
    "a-wrong-count": (
        says("cut_made", "shuffling", deck="A", depth=20),
        r"Cut made: deck A, depth 20: refused",
    ),
    "a-late-chip": (
        counts(3),
        r"The count differed from the lights \(PA-639a\.10\(a\)\(2\)\)",
    ),
    "a-player-leaves": (
        forgets("player_left"),
        r"it was left out: It is said that the player of seat 3 .*\(PA-639a\.7\(b\)\)",
    ),
    "a-power-cut": (
        says("deal_pressed", "deciding"),
        r"Deal pressed: refused, .*deciding",
    ),
    "devices-without-power": (
        says("card_exposed", "deciding", where="dealer"),
        r"A device that restarts voids no round",
    ),
}


@pytest.mark.parametrize("name", NAMES)
def test_whoever_errs_fails_and_reads_why(name: str) -> None:
    slip, words = SLIPS[name]
    report = held(name, slip).report
    assert not report["passed"]
    assert report["reason"].startswith("Failed: ")
    assert re.search(words, report["reason"]), report["reason"]


# --- What is on the shelf -------------------------------------------------------


def test_there_is_a_round_of_every_rulebook_and_way_of_dealing() -> None:
    rounds = [one for one in drills().values() if one.given.group == "rounds"]
    assert {one.terms.ruleset.rulebook.id for one in rounds} == set(Library())
    assert {one.terms.method for one in rounds} == {"automated shoe", "manual shoe", "hand"}
    assert len(drills()) >= 12


def test_every_clause_of_a_drill_stands_in_its_text() -> None:
    for name, drill in drills().items():
        book = drill.terms.ruleset.rulebook.id
        file = ROOT / "docs" / "conformance" / f"{book}.csv"
        with file.open(encoding="utf-8", newline="") as opened:
            known = {row["id"] for row in csv.DictReader(opened)}
        said = [one.clause for one in drill.given.wanted]
        said += [one.clause for one in drill.given.never]
        assert [one for one in said if one and one not in known] == [], name

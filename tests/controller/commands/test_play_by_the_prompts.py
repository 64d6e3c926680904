"""Whole rounds of ``felt play`` by people who read the prompts and know nothing else.

Every rulebook and every way of dealing; as it should go, and with each irregularity in it. What the
prompts had people pay and collect is what ``felt settle`` makes of the same round.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tomllib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from controller.library import Library
from controller.rules.cards import names
from controller.rules.roundfile import read_round
from controller.rules.settlement import settle
from tests.controller.commands.reader import Lost, Readers

ROOT = Path(__file__).resolve().parents[3]
BOOKS = ("pa-639a", "s10", "ma", "pa-669a", "pa-682a", "pa-683a")
METHODS = ("automated shoe", "manual shoe", "hand")
#: What the players of each game put down besides the Ante, where the table offers it.
SIDE: dict[str, dict[str, int]] = {
    "pa-639a": {"progressive": 100, "bonus": 500, "five_card_player": 100, "five_card_dealer": 100},
    "s10": {"progressive": 100},
    "ma": {"progressive": 100, "bonus": 500},
    "pa-669a": {"blind": 1000, "progressive": 100, "pair_plus": 500, "six_card": 500},
    "pa-682a": {"prime": 500, "aces": 500, "all_six": 500},
    "pa-683a": {"pocket": 500, "board": 500, "lo_ball": 500, "all_six": 500},
}


def table_of(book: str, method: str, **devices: Any) -> dict[str, Any]:
    text = (ROOT / "config" / "tables" / f"{book}.toml").read_text(encoding="utf-8")
    table = {k: v for k, v in tomllib.loads(text).items() if k not in ("wires", "service")}
    options = {k: v for k, v in table["options"].items() if k != "cover_all"}
    shoe = table["devices"].get("shoe", {})
    found = {"shuffler": {"counts": True}, **({"shoe": shoe} if shoe else {}), **devices}
    kept = {k: v for k, v in found.items() if v is not None}
    return {**table, "method": method, "options": options, "devices": kept}


@pytest.fixture(name="at")
def _at(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Readers]:
    book, method, seed = request.param
    readers = Readers(table_of(book, method), tmp_path, seed)
    readers.plan = {1: {"ante": 1000, **SIDE[book]}, 3: {"ante": 2000}, 5: {"ante": 1000}}
    if book == "pa-669a":
        readers.plan[3]["blind"], readers.plan[5]["blind"] = 2000, 1000
    yield readers
    readers.close()


def everywhere(seed: int, methods: tuple[str, ...] = METHODS) -> pytest.MarkDecorator:
    cases = [(book, method, seed) for book in BOOKS for method in methods]
    return pytest.mark.parametrize("at", cases, ids=lambda c: f"{c[0]}-{c[1]}", indirect=True)


def folds_at_times(at: Readers) -> None:
    at.choose = lambda seat, sums: 0 if at.random.random() < 0.3 else at.random.choice(sums)


ONLY_OF_A_TABLE = (
    "seats",
    "adjacent_boxes",
    "progressive_approval",
    "magic_card",
    "magic_card_every",
    "lucky",
    "lucky_every",
)


def _draw(at: Readers) -> dict[str, int | str]:
    return {k: int(v) if v.isdigit() else v for k, v in at.ended.draws.items()}


def settled(at: Readers) -> Counter[tuple[int, str, str]]:
    """What the round that was just racked comes to by the rules alone."""
    table, book = at.ended, at.table["rulebook"]
    meters = {
        name: {**meter.shows(), **({"reserve": meter.reserve // 100} if meter.reserve else {})}
        for name, meter in at.shown.items()
    }
    given = {
        "rulebook": book,
        "options": {k: v for k, v in at.table["options"].items() if k not in ONLY_OF_A_TABLE},
        "meters": meters,
        **({"draw": _draw(at)} if at.ended.draws else {}),
        **{place: names(at.lies.get(place, [])) for place in ("dealer", "community", "extra")},
        "seats": [
            {
                "seat": seat.number,
                "cards": names(at.lies[seat.number]),
                "folded": seat.folded,
                "wagers": seat.wagers,
            }
            for seat in table.seats
            if seat.wagers
        ],
    }
    found = settle(*read_round(json.dumps(given), Library().rulebook))
    return Counter(
        (seat.seat, line.wager, str(line.returns)) for seat in found.seats for line in seat.lines
    )


@everywhere(1)
def test_rounds_are_played_by_the_prompts_alone(at: Readers) -> None:
    folds_at_times(at)
    for _ in range(4):
        at.told.clear()
        at.play_rounds(1)
        expected = settled(at)
        assert not at.told - expected, "nothing is paid that the rules do not pay, nor twice"
        left = expected - at.told
        # What a fold lost was collected when it was folded.
        assert all(returns == "0" for _, _, returns in left), left
        assert all(at.ended.seat(seat).folded for seat, _, _ in left)


@pytest.mark.parametrize("book", BOOKS)
def test_a_round_without_a_shuffler(book: str, tmp_path: Path) -> None:
    readers = Readers(table_of(book, "manual shoe", shuffler=None), tmp_path, 3)
    blind = {"blind": 1000} if book == "pa-669a" else {}
    readers.plan = {2: {"ante": 1000, **blind}}
    readers.play_rounds(6)  # the stub of the fifth is counted
    assert any("count the stub" in one for one in readers.heard)
    readers.close()


# --- Irregularities ---------------------------------------------------------


def in_phase(at: Readers, phase: str) -> None:
    at.play_until(lambda: bool(at.line["phase"] == phase))


def goes_on(at: Readers, *, returned: bool = True) -> None:
    """The round ends as the prompts have it, every wager accounted for, and another is played."""
    at.play_rounds(1)
    assert all(not seat.wagers for seat in at.ended.seats) is returned
    at.play_rounds(1)


@everywhere(2)
def test_a_round_that_a_floorperson_voids(at: Readers) -> None:
    in_phase(at, "deciding")
    at.says("round_voided", "floorperson", reason="a card fell to the floor")
    assert sum(1 for one in at.line["prompts"] if one["answer"] == "wagers_returned") == 3
    goes_on(at)


@everywhere(3)
def test_a_hand_with_a_card_too_many(at: Readers) -> None:
    in_phase(at, "deciding")
    at.says("misdeal_reported", "dealer", to=3, cards=len(at.lies[3]) + 1)
    pennsylvania = str(at.table["rulebook"]).startswith("pa-")
    goes_on(at, returned=pennsylvania)


@everywhere(4, ("manual shoe", "hand"))
def test_two_cards_that_lie_face_up_in_the_deck(at: Readers) -> None:
    at.play_until(lambda: bool(at.line["phase"] == "dealing" and at.lies))
    for _ in range(2):
        at.pack.pop()
        at.says("face_up_card_found", "dealer")
    goes_on(at)


@everywhere(5)
def test_a_card_that_is_seen_too_early(at: Readers) -> None:
    book = at.table["rulebook"]
    in_phase(at, "deciding")
    where = "community" if book in ("pa-669a", "pa-683a") else "dealer"
    at.says("card_exposed", "dealer", where=where)
    goes_on(at, returned=book not in ("pa-682a", "pa-683a"))


@everywhere(6, ("automated shoe",))
def test_a_shoe_that_jams(at: Readers) -> None:
    at.play_until(lambda: bool(at.line["phase"] == "dealing" and at.lies))
    at.says("device_faulted", device="shoe", nature="jam")
    assert at.line["phase"] == "clearing"
    assert any("remove the cards from the shoe" in one["text"] for one in at.line["prompts"])
    goes_on(at)


@everywhere(7)
def test_a_shuffler_that_jams(at: Readers) -> None:
    at.play_until(lambda: any("into the shuffler" in one for one in at.asked()))
    at.says("shuffle_failed", deck="A", nature="jam")
    goes_on(at, returned=False)


@everywhere(8)
def test_a_shuffler_that_counts_51(at: Readers) -> None:
    at.play_until(lambda: any("into the shuffler" in one for one in at.asked()))
    at.says("shuffle_completed", deck="A", count=51)
    goes_on(at, returned=False)


@everywhere(9)
def test_a_player_who_leaves_in_the_middle(at: Readers) -> None:
    in_phase(at, "deciding")
    at.says("player_left", "dealer", seat=3)
    at.play_rounds(1)


@everywhere(10)
def test_everybody_leaves_and_somebody_comes(at: Readers) -> None:
    at.play_rounds(1)
    for seat in at.plan:
        if any(wager.startswith("five_card") for wager in at.plan[seat]):
            balance = at.ended.seat(seat).balance
            at.says("cashed_out", seat=seat, transfer=f"c{seat}", cents=balance)
        at.says("player_left", "dealer", seat=seat)
    at.plan = {2: {k: v for k, v in at.plan[5].items() if not k.startswith("five")}}
    at.play_rounds(2)
    assert any("spread them out on the table" in one for one in at.heard)


@pytest.mark.parametrize("book", BOOKS)
def test_a_recut_is_ordered(book: str, tmp_path: Path) -> None:
    at = Readers(table_of(book, "manual shoe", shuffler=None), tmp_path, 11)
    blind = {"blind": 1000} if book == "pa-669a" else {}
    at.plan = {2: {"ante": 1000, **blind}}
    in_phase(at, "betting")
    at.says("recut_ordered", "supervisor", reason="it was not done with one hand")
    in_phase(at, "dealing")
    cuts = [one for one in at.events if one["kind"] == "cut_made"]
    assert len(cuts) == 2
    at.play_rounds(2)
    at.close()


@everywhere(12, ("manual shoe",))
def test_a_floorperson_orders_a_shuffle_while_wagers_are_down(at: Readers) -> None:
    at.play_until(lambda: any("lock-out" in one for one in at.asked()))
    line = at.tries("shuffle_ordered", "floorperson", reason="a card was bent")
    known = str(at.table["rulebook"]).startswith("pa-")
    assert bool(line["refused"]) is not known
    goes_on(at, returned=False)


@pytest.mark.parametrize(
    "at", [(b, "hand", 13) for b in ("pa-639a", "s10", "ma", "pa-669a")], ids=str, indirect=True
)
def test_chips_that_do_not_agree_with_the_lights(at: Readers) -> None:
    at.play_until(lambda: any("chips" in one and "verify" in one for one in at.asked()))
    at.says("chips_counted", "dealer", chips=2)
    with pytest.raises(Lost, match=r"the deal waits for|blocks it"):
        at.says("deal_pressed", "dealer")
    goes_on(at, returned=False)


def test_what_is_printed_is_what_they_read(tmp_path: Path) -> None:
    """The same events through the command itself."""
    at = Readers(table_of("s10", "hand"), tmp_path, 14)
    at.plan = {2: {"ante": 1000, "progressive": 100}}
    at.play_rounds(1)
    at.close()
    table = tmp_path / "table.toml"
    source = (ROOT / "config" / "tables" / "s10.toml").read_text(encoding="utf-8")
    table.write_text(source.replace('method = "manual shoe"', 'method = "hand"'), encoding="utf-8")
    lines = "".join(json.dumps(event) + "\n" for event in at.events)
    command = [sys.executable, "-m", "controller", "play", "--table", str(table)]
    done = subprocess.run(
        [*command, "--journal", str(tmp_path / "again.db")],
        input=lines, capture_output=True, text=True, cwd=ROOT, check=True,
    )  # fmt: skip
    last = json.loads(done.stdout.splitlines()[-1])
    assert (last["phase"], last["refused"]) == (at.line["phase"], None)
    assert last["prompts"] == at.line["prompts"]

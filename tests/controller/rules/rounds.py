"""Rounds for tests: written short, settled through the same file format that people use."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from functools import cache
from itertools import combinations
from pathlib import Path
from typing import Any

from controller.library import Library
from controller.rules.cards import RANKS, SUITS
from controller.rules.roundfile import read_round
from controller.rules.settlement import settle

#: What a table must choose before it can play at all, by rulebook.
REQUIRED: dict[str, dict[str, Any]] = {
    "pa-639a": {},
    "s10": {},
    "ma": {},
    "pa-669a": {"pair_plus": "A"},
    "pa-682a": {"bad_beat": "A"},
    "pa-683a": {"ante": "A"},
}

#: One hand of each kind. No two of the five-card hands of one row need the same card twice.
FIVE_CARDS = {
    "royal flush": "Ah Kh Qh Jh Th",
    "straight flush": "9s 8s 7s 6s 5s",
    "four-of-a-kind": "7c 7d 7h 7s 2c",
    "full house": "4c 4d 4h 9c 9d",
    "flush": "Kd Jd 8d 4d 2d",
    "straight": "8c 7d 6h 5s 4c",
    "three-of-a-kind": "6c 6d 6h Ks 2d",
    "two pair": "Jc Jd 5h 5s 2c",
    "pair of aces": "Ac Ad 8h 5s 2c",
    "pair of jacks": "Jc Jd 8h 5s 2c",
    "pair of 10s": "Tc Td 8h 5s 2c",
    "pair of 9s": "9c 9d 8h 5s 2c",
    "pair of 6s": "6c 6d 8h 4s 2c",
    "pair of 5s": "5c 5d 8h 4s 2c",
    "pair of 2s": "2c 2d 8h 6s 5c",
    "ace-king": "As Kc 9d 4h 2c",
    "ace high": "As Qc 9d 4h 2c",
    "king high": "Ks Jc 9d 4h 2c",
    "queen high": "Qs Jc 9d 4h 2c",
    "jack high": "Js Tc 8d 4h 2c",
    "10 high": "Ts 9c 7d 4h 2c",
    "9 high": "9s 8c 6d 4h 2c",
    "8 high": "8s 7c 5d 4h 2c",
    "7 high": "7s 6c 5d 3h 2c",
}


@cache
def library() -> Library:
    """The rulebooks under test; the mutants put changed ones in their place."""
    mutated = os.environ.get("FELT_MUTATED_RULEBOOKS")
    return Library(Path(mutated)) if mutated else Library()


class Settled:
    """A settlement that is easy to ask."""

    def __init__(self, said: dict[str, Any]) -> None:
        self.said = said
        self.order: list[int] = said["order"]
        self.meters: dict[str, dict[str, int]] = said["meters"]
        self.dealer: dict[str, Any] = said["dealer"]

    def lines(self, seat: int, wager: str | None = None) -> list[dict[str, Any]]:
        found = next(one for one in self.said["seats"] if one["seat"] == seat)
        return [line for line in found["lines"] if wager in (None, line["wager"])]

    def line(self, seat: int, wager: str) -> dict[str, Any]:
        (only,) = self.lines(seat, wager)
        return only

    def returns(self, seat: int, wager: str) -> int:
        return sum(line["returns"] for line in self.lines(seat, wager))

    def hand(self, seat: int) -> str:
        return str(next(one["hand"] for one in self.said["seats"] if one["seat"] == seat))


def settled(given: Mapping[str, Any], books: Library | None = None) -> Settled:
    """Settle the file of a round."""
    books = books or library()
    ruleset, played = read_round(json.dumps(given), books.rulebook)
    return Settled(json.loads(json.dumps(settle(ruleset, played).as_json())))


def round_of(
    rulebook: str, options: Mapping[str, Any] | None = None, **parts: Any
) -> dict[str, Any]:
    """The file of a round, with what the rulebook requires chosen."""
    chosen = {**REQUIRED[rulebook], **(options or {})}
    return {"rulebook": rulebook, "options": chosen, **parts}


def seat(number: int, cards: str, /, **wagers: int) -> dict[str, Any]:
    return {"seat": number, "cards": cards, "wagers": wagers}


def folded(number: int, cards: str, /, **wagers: int) -> dict[str, Any]:
    return {**seat(number, cards, **wagers), "folded": True}


def avoiding(ranks: str, used: Iterable[str]) -> str:
    """Cards of these ranks that none of the used ones is, not all of one suit."""
    taken = set(" ".join(used).split())
    found: list[str] = []
    for n, rank in enumerate(ranks):
        # Start each search at another suit, so that no flush comes of it.
        suits = SUITS[n % 4 :] + SUITS[: n % 4]
        one = next(rank + suit for suit in suits if rank + suit not in taken)
        taken.add(one)
        found.append(one)
    assert all(rank in RANKS for rank in ranks)
    return " ".join(found)


def rags(used: Iterable[str]) -> str:
    """Five unused cards worth nothing: no two of a rank, no run, no flush."""
    taken = set(" ".join(used).split())
    left = {r: [r + s for s in SUITS if r + s not in taken] for r in RANKS}
    plenty = sorted((r for r in RANKS if left[r]), key=lambda r: -len(left[r]))
    for ranks in combinations(plenty, 5):
        places = sorted(RANKS.index(r) for r in ranks)
        runs = places[-1] - places[0] == 4 or places == [0, 1, 2, 3, 12]
        suits = {left[r][n % len(left[r])] for n, r in enumerate(ranks)}
        if not runs and len({card[1] for card in suits}) > 1:
            return " ".join(left[r][n % len(left[r])] for n, r in enumerate(ranks))
    raise AssertionError("no rags left")

"""How long a full table takes to settle: seven seats, every wager that the rulebook knows.

The time stands beside the limit that felt sets itself and beside reading the same round from
its file, in one run; only the ratio between the two says something on a shared machine.

    python -m benchmarks.settlement
"""

from __future__ import annotations

import json
import sys
from statistics import median
from time import perf_counter
from typing import Any

from controller.library import Library
from controller.rules.cards import DECK, names
from controller.rules.roundfile import read_round
from controller.rules.settlement import settle

LIMIT = 300e-6
REPETITIONS = 3000
OPTIONS = {
    "progressive": "D",
    "bonus": "A",
    "five_card": True,
    "cover_all": True,
    "progressive_reset": 1_000_000,
    "five_card_reset": 1_000_000,
}
WAGERS = {
    "ante": 500,
    "bet": 1000,
    "bonus": 500,
    "progressive": 100,
    "five_card_player": 100,
    "five_card_dealer": 100,
    "cover_all": 500,
}


def full_table() -> dict[str, Any]:
    """Seven seats and the dealer from a deck that is cut in sevenths, so that hands differ."""
    deck = [DECK[n * 7 % 52] for n in range(52)]
    hands = [names(deck[n : n + 5]) for n in range(0, 40, 5)]
    return {
        "rulebook": "ma",
        "options": OPTIONS,
        "meters": {"progressive": {"main": 1_234_500}, "five_card": {"main": 2_100_000}},
        "dealer": hands[0],
        "draw": {"magic_card": "7d", "lucky": 3},
        "seats": [{"seat": n, "cards": hands[n], "wagers": WAGERS} for n in range(1, 8)],
    }


def main() -> int:
    library = Library()
    text = json.dumps(full_table())
    ruleset, played = read_round(text, library.rulebook)
    settling, reading = [], []
    for _ in range(REPETITIONS):
        start = perf_counter()
        settle(ruleset, played)
        middle = perf_counter()
        read_round(text, library.rulebook, lambda *_: ruleset)
        settling.append(middle - start)
        reading.append(perf_counter() - middle)
    lines = sum(len(seat.lines) for seat in settle(ruleset, played).seats)
    own, file = median(settling), median(reading)
    print(f"settling seven seats, {lines} lines: median {own * 1e6:.0f} us")
    print(f"  of the limit of {LIMIT * 1e6:.0f} us: {own / LIMIT:.2f}")
    print(f"  of reading the round from its file ({file * 1e6:.0f} us): {own / file:.2f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())

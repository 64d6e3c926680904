"""How fast felt ranks five-card hands, beside the evaluators that other people use.

Everyone gets the same hands, in cards of its own that were built beforehand, and is called
through its documented interface, one hand a call. The repetitions take turns, so that whatever
else the machine does hits all of them, and the best one counts. There are no absolute figures
to meet: what is required is a ratio between two numbers of the same run.

    python -m benchmarks.five_card
"""

from __future__ import annotations

import random
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import eval7
import numpy as np
import phevaluator
import pokerkit
import treys

from controller.rules.cards import DECK, name
from controller.rules.odds import bulk
from controller.rules.rankings.five import five

HANDS = 100_000
REPETITIONS = 7
BULK_REQUIRED = 8

Hands = Sequence[Any]


@dataclass
class Contender:
    name: str
    #: Ranks every hand once.
    run: Callable[[], object]
    best: float = float("inf")

    def repeat(self) -> None:
        start = perf_counter()
        self.run()
        self.best = min(self.best, perf_counter() - start)

    @property
    def speed(self) -> float:
        return HANDS / self.best


def calling(evaluate: Callable[..., object], hands: Hands) -> Callable[[], None]:
    def run() -> None:
        for hand in hands:
            evaluate(hand)

    return run


def calling_card_by_card(evaluate: Callable[..., object], hands: Hands) -> Callable[[], None]:
    def run() -> None:
        for a, b, c, d, e in hands:
            evaluate(a, b, c, d, e)

    return run


def calling_with_a_board(evaluate: Callable[..., object], hands: Hands) -> Callable[[], None]:
    def run() -> None:
        nothing: list[int] = []
        for hand in hands:
            evaluate(hand, nothing)

    return run


def contenders(hands: Sequence[tuple[int, ...]]) -> tuple[Contender, list[Contender], Contender]:
    """Felt, its peers, and felt with all hands at once."""

    def built(make: Callable[[str], object]) -> Hands:
        deck = [make(name(card)) for card in DECK]
        return [[deck[card] for card in hand] for hand in hands]

    columns = np.array(hands, np.uint8).T.copy()
    peers = [
        Contender("eval7", calling(eval7.evaluate, built(eval7.Card))),
        Contender(
            "treys",
            calling_with_a_board(treys.Evaluator().evaluate, built(treys.Card.new)),
        ),
        # Its numbers for cards are felt's, and faster than its card objects.
        Contender("phevaluator", calling_card_by_card(phevaluator.evaluate_5cards, hands)),
        Contender(
            "pokerkit",
            calling(
                pokerkit.StandardLookup().get_entry,
                built(lambda text: next(iter(pokerkit.Card.parse(text)))),
            ),
        ),
    ]
    return (
        Contender("felt", calling(five, hands)),
        peers,
        Contender("felt, in bulk", lambda: bulk.five(columns)),
    )


def main() -> int:
    dealer = random.Random(5)
    hands = [tuple(dealer.sample(DECK, 5)) for _ in range(HANDS)]
    felt, peers, in_bulk = contenders(hands)
    for _ in range(REPETITIONS):
        for contender in (felt, *peers, in_bulk):
            contender.repeat()

    print(f"{HANDS:,} five-card hands, the best of {REPETITIONS} repetitions\n")
    print(f"{'':15}{'hands/s':>14}{'felt is':>10}")
    print(f"{felt.name:15}{felt.speed:14,.0f}")
    for peer in peers:
        print(f"{peer.name:15}{peer.speed:14,.0f}{felt.speed / peer.speed:9.2f}x")
    print(f"{in_bulk.name:15}{in_bulk.speed:14,.0f}\n")

    failed = False
    for peer in peers:
        ratio = felt.speed / peer.speed
        failed |= ratio <= 1
        print(f"five-card single vs {peer.name}: {ratio:.2f}x (required > 1)")
    ratio = in_bulk.speed / felt.speed
    failed |= ratio < BULK_REQUIRED
    print(f"five-card bulk vs single: {ratio:.2f}x (required >= {BULK_REQUIRED})")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())

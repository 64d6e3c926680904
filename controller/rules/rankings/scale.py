"""Strengths: one integer scale for each ranking, and the spans of it that have names.

A strength is ``category << 20`` plus up to five four-bit digits that break ties inside the
category, the most significant first. So two hands compare as two integers, a tie is
equality, and "pair of 10s or better" is an interval. Suits never enter a strength, except
where a paytable itself asks for one (see ``six`` and ``three``).

The tables are built once, on import, from what a hand *is* (how its ranks repeat, whether
they run, whether they share a suit) and the order in which a regulation lists the categories.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations_with_replacement
from typing import NamedTuple, TypeVar

from controller.rules.cards import ACE, RANK_NAMES

CATEGORY_SHIFT = 20
TIES = (1 << CATEGORY_SHIFT) - 1

#: One code a rank. Among hands of one size, up to five cards and no rank more than four times,
#: the sums are all different (found by taking the smallest code that keeps them so, rank by
#: rank; a test repeats the search). So a sum names the ranks of a hand without sorting it.
RANK_CODE = (0, 1, 5, 22, 94, 312, 992, 2422, 5624, 12522, 19998, 43258, 79415)
CARD_CODE = tuple(RANK_CODE[card >> 2] for card in range(52))
HIGHEST_CODE = 4 * RANK_CODE[ACE] + RANK_CODE[ACE - 1]


T = TypeVar("T")


class Span(NamedTuple):
    """An interval of strengths, both ends included."""

    low: int
    high: int


@dataclass(frozen=True, slots=True)
class Ranking:
    """One order of hands: how cards become a strength, and what its spans are called."""

    name: str
    #: How many cards it looks at: (fewest, most). Given more than a hand has, it takes the best.
    takes: tuple[int, int]
    strength: Callable[[Sequence[int]], int]
    #: Every span that a paytable may name.
    spans: Mapping[str, Span]
    #: The spans that name a hand, the most particular first.
    categories: tuple[str, ...]
    _pieces: tuple[list[int], list[str | None]] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        spans = [self.spans[category] for category in self.categories]
        object.__setattr__(self, "_pieces", cut(spans, self.categories))

    def called(self, strength: int) -> str:
        """What the regulation calls a hand of this strength."""
        starts, names = self._pieces
        name = names[bisect_right(starts, strength) - 1] if strength >= 0 else None
        if name is None:
            raise ValueError(f"{strength} is not on the scale of {self.name}")
        return name


def cut(spans: Sequence[Span], named: Sequence[T]) -> tuple[list[int], list[T | None]]:
    """The scale cut at the ends of all spans: where each piece starts, and what it is.

    Where spans overlap, the first of them has the piece.
    """
    starts = sorted({0, *(span.low for span in spans), *(span.high + 1 for span in spans)})
    pieces = [
        next((n for n, span in zip(named, spans, strict=True) if span.low <= at <= span.high), None)
        for at in starts
    ]
    return starts, pieces


def pack(category: int, digits: Iterable[int] = ()) -> int:
    """A strength from its category and the ranks that break ties, the best first."""
    strength, shift = category << CATEGORY_SHIFT, CATEGORY_SHIFT
    for digit in digits:
        shift -= 4
        strength |= digit << shift
    return strength


def whole(category: int) -> Span:
    """Every strength of one category."""
    return Span(category << CATEGORY_SHIFT, (category << CATEGORY_SHIFT) | TIES)


def led_by(category: int, low: int, high: int) -> Span:
    """The strengths of a category whose leading rank lies between ``low`` and ``high``."""
    return Span(pack(category, [low]), pack(category, [high + 1]) - 1)


#: What repeated ranks make of a hand, by how often each rank appears, most often first.
_SHAPES = {
    (4,): "four-of-a-kind",
    (3, 2): "full house",
    (3,): "three-of-a-kind",
    (2, 2): "two pair",
    (2,): "pair",
    (): "high card",
}


def shape(ranks: tuple[int, ...]) -> tuple[str, list[int]]:
    """What the ranks alone make, and the ranks in the order in which they break ties."""
    groups = sorted(((ranks.count(rank), rank) for rank in set(ranks)), reverse=True)
    repeated = tuple(n for n, _ in groups if n > 1)
    kind, ties = _SHAPES[repeated], [rank for _, rank in groups]
    top = run_of(ties) if not repeated else None
    return ("straight", [top]) if top is not None else (kind, ties)


def run_of(ranks: Sequence[int]) -> int | None:
    """The highest rank of a run, or None. An ace may also stand below the two, and only there."""
    ordered = sorted(ranks)
    if ordered[-1] - ordered[0] == len(ordered) - 1:
        return ordered[-1]
    if ordered[-1] == ACE and ordered[:-1] == list(range(len(ordered) - 1)):
        return len(ordered) - 2
    return None


def lookup(size: int, order: Sequence[str]) -> tuple[dict[int, int], dict[int, int]]:
    """The strengths of all hands of ``size`` cards, by the sum of their rank codes.

    ``order`` lists the categories from the lowest. Two tables: for hands of mixed suits, and
    for hands of one suit.
    """
    place = {category: n for n, category in enumerate(order)}
    mixed, suited = {}, {}
    for ranks in combinations_with_replacement(range(13), size):
        if ranks[0] == ranks[size - 1] and size > 4:
            continue  # there are only four of a rank
        code = sum(RANK_CODE[rank] for rank in ranks)
        kind, ties = shape(ranks)
        mixed[code] = pack(place[kind], ties)
        if len(set(ranks)) == size:
            kind = "straight flush" if kind == "straight" else "flush"
            suited[code] = pack(place[kind], ties)
    return mixed, suited


def category_spans(order: Sequence[str]) -> dict[str, Span]:
    spans = {category: whole(n) for n, category in enumerate(order)}
    spans["any hand"] = Span(0, whole(len(order) - 1).high)
    return spans


def pair_spans(pair: int) -> dict[str, Span]:
    """The lines that speak of pairs: "pair of 10s or better", "pair of 6s to 10s"."""
    spans = {}
    for low, (_, lowest) in enumerate(RANK_NAMES):
        spans[f"pair of {lowest} or better"] = led_by(pair, low, ACE)
        for high, (_, highest) in enumerate(RANK_NAMES[low + 1 :], low + 1):
            spans[f"pair of {lowest} to {highest}"] = led_by(pair, low, high)
    return spans

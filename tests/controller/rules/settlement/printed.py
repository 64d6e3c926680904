"""The paytables of the six regulations, copied out a second time.

felt pays from config/rulebooks; these figures were taken from the regulations independently of
those files, and every one of them is settled at a table in ``test_printed``. So a slip in either
copy shows, and so does any figure that is changed later.

A payout is ("to", n) or ("to", n, per), ("for", n), ("share", percent, level), ("sum", dollars),
"push" or None.
"""

from __future__ import annotations

from typing import Any

Payout = Any
Table = dict[str, Payout]


def to(*numbers: int) -> list[Payout]:
    return [("to", n) for n in numbers]


def for_1(*numbers: int) -> list[Payout]:
    return [("for", n) for n in numbers]


def meter(percent: int, level: str = "main") -> Payout:
    return ("share", percent, level)


FIVE = (
    "royal flush",
    "straight flush",
    "four-of-a-kind",
    "full house",
    "flush",
    "straight",
    "three-of-a-kind",
    "two pair",
)
#: Hands below two pair, which the tables divide differently.
LOW = ("pair of aces", "pair of jacks", "pair of 10s", "pair of 9s", "pair of 6s", "pair of 5s")
SIX = ("six-card royal in diamonds", "six-card royal in hearts", *FIVE)


def five(payouts: list[Payout], **low: Payout) -> Table:
    table: Table = dict.fromkeys((*FIVE, *LOW, "ace high"))
    table.update(zip(FIVE, payouts, strict=False))
    table.update({name.replace("_", " "): payout for name, payout in low.items()})
    return table


def from_tens(payout: Payout) -> Table:
    return {f"pair_of_{rank}": payout for rank in ("aces", "jacks", "10s")}


BET = five(
    to(100, 50, 20, 7, 5, 4, 3, 2),
    **{name.replace(" ", "_"): ("to", 1) for name in (*LOW, "ace high")},
)

BONUS = {
    "A": five(to(1000, 200, 100, 50, 40, 25, 7, 3), **from_tens(("to", 1))),
    "B": five(to(1000, 200, 100, 50, 40, 25, 6, 3), **from_tens(("to", 1))),
    "C": five(to(1000, 200, 100, 50, 40, 20, 6, 3), **from_tens(("to", 1))),
}

#: Pennsylvania's A to E are Massachusetts' A to E.
PROGRESSIVE = {
    "A": five([meter(100), *for_1(5000, 500, 100, 50, 10, 3, 2)]),
    "B": five([meter(100), meter(10), *for_1(500, 100, 50, 10, 3, 2)]),
    "C": five([meter(100), meter(10), *for_1(200, 50, 40, 30, 9)]),
    "D": five([meter(100), meter(10), *for_1(300, 50, 40, 30, 9)]),
    "E": five([meter(100), meter(10), *for_1(500, 100, 50)]),
}
LEVELS = {
    "F": five([meter(100, "mega"), meter(100, "major"), *for_1(300, 50, 40, 30, 9)]),
    "G": five(
        [meter(100, "mega"), meter(100, "major"), meter(100, "minor"), *for_1(50, 40, 30, 10)]
    ),
    "H": five(
        [meter(100, "mega"), meter(100, "major"), meter(100, "minor"), *for_1(50, 40, 30, 9)]
    ),
}
LINK = {
    "PTMGL01": five([meter(100), meter(10), *for_1(300, 50, 40, 30, 9)]),
    "PTMGL02": five([meter(100), meter(10), *for_1(300, 50, 40, 30, 9)]),
    "PTMGL04": five([meter(100), meter(100), *for_1(300, 50, 40, 30, 9)]),
    "PTMGLML01": five([meter(100, "major"), meter(100, "minor"), *for_1(300, 50, 40, 30, 9)]),
    "PTMGLML02": five(
        [meter(100, "mega"), meter(100, "major"), meter(100, "minor"), *for_1(50, 40, 30, 10)]
    ),
    "PTMGLML03": five(
        [meter(100, "mega"), meter(100, "major"), meter(100, "minor"), *for_1(50, 40, 30, 9)]
    ),
}
SECTION_10 = {
    "10%": five([meter(100), meter(10), ("sum", 500), ("sum", 100), ("sum", 50)]),
    "$5,000": five([meter(100), ("sum", 5000), ("sum", 500), ("sum", 100), ("sum", 50)]),
}

FIVE_CARD = five([meter(100), meter(10), *for_1(500, 100, 50)])

#: Cover All by the number of hands, the dealer's among them.
COVER_ALL = {
    8: to(100, 40, 7, 6, 5, 4, 3),
    7: to(125, 70, 15, 9, 7, 5, 3),
    6: to(150, 80, 17, 12, 9, 7, 3),
    5: to(200, 90, 20, 15, 10, 8, 4),
    4: to(250, 100, 30, 20, 15, 10, 5),
    3: to(300, 125, 40, 30, 20, 17, 6),
    2: to(500, 200, 60, 40, 35, 25, 9),
}

#: Dollars for each dollar of the wager: what a level starts again at.
RESEED = {
    **{column: {"main": 10_000} for column in "ABCDE"},
    "F": {"mega": 10_000, "major": 1_000},
    "G": {"mega": 10_000, "major": 1_000, "minor": 250},
    "H": {"mega": 10_000, "major": 1_000, "minor": 250},
}
#: Percent of each wager by level; the reserve's own.
RATES = {
    "A": {"main": 53, "reserve": 15},
    "B": {"main": 53, "reserve": 15},
    "C": {"main": 25},
    "D": {"main": 21},
    "E": {"main": 65, "reserve": 5},
    "F": {"mega": 11, "major": 10},
    "G": {"mega": 9, "major": 7, "minor": 3},
    "H": {"mega": 10, "major": 8, "minor": 3},
}
LINK_SEED = {
    "PTMGL01": {"main": 10_000},
    "PTMGL02": {"main": 10_000},
    "PTMGL04": {"main": 1_000},
    "PTMGLML01": {"major": 10_000, "minor": 1_000},
    "PTMGLML02": {"mega": 10_000, "major": 1_000, "minor": 250},
    "PTMGLML03": {"mega": 10_000, "major": 1_000, "minor": 250},
}
#: Dollars for another seat's royal flush and straight flush.
LINK_ENVY = {
    "PTMGL01": (1_000, 300),
    "PTMGL02": (5_000, 1_500),
    "PTMGL04": (250, 250),
    "PTMGLML01": (1_000, 300),
    "PTMGLML02": (1_000, 300),
    "PTMGLML03": (1_000, 300),
}

# --- Raise It Up ------------------------------------------------------------

THREE = ("straight flush", "three-of-a-kind", "straight", "flush", "pair", "nothing")
PAIR_PLUS = {
    "A": dict(zip(THREE, [*to(40, 30, 6, 4, 1), None], strict=True)),
    "B": dict(zip(THREE, [*to(40, 25, 6, 4, 1), None], strict=True)),
}
PLAY = five([*to(100, 20, 10, 6, 5, 4, 3), ("to", 3, 2)], **from_tens(("to", 1)))
BLIND = five([*to(1000, 200, 30, 4, 3, 2, 1), "push"], **from_tens("push"))
THREE_CARD_PROGRESSIVE = {
    "ace, king and queen of spades": meter(100),
    "ace, king and queen of hearts": ("for", 500),
    "ace, king and queen of diamonds": ("for", 500),
    "ace, king and queen of clubs": ("for", 500),
    "straight flush": ("for", 70),
    "three-of-a-kind": ("for", 60),
    "straight": ("for", 6),
    "flush": None,
    "pair": None,
    "nothing": None,
}
SIX_CARD = {
    "A": to(1000, 200, 50, 25, 20, 10, 5),
    "B": to(1000, 200, 50, 25, 15, 10, 5),
    "C": to(1000, 200, 100, 20, 15, 9, 8),
    "D": to(1000, 200, 100, 20, 15, 10, 7),
}

# --- Four Card Prime --------------------------------------------------------

TOP_FOUR = ("four-of-a-kind", "straight flush", "three-of-a-kind")
WIN_BONUS = dict(zip(TOP_FOUR, (25, 20, 2), strict=True))
BAD_BEAT = {
    "A": dict(zip(TOP_FOUR, (25, 20, 2), strict=True)),
    "B": dict(zip(TOP_FOUR, (50, 40, 5), strict=True)),
    "C": dict(zip(TOP_FOUR, (100, 50, 5), strict=True)),
    "D": dict(zip(TOP_FOUR, (100, 50, 10), strict=True)),
}
PRIME = {"A": {5: 6, 4: 1}, "B": {5: 5, 4: 1}}
ACES_HANDS = (
    "four aces",
    "four-of-a-kind",
    "royal flush",
    "straight flush",
    "three aces",
    "three-of-a-kind",
    "flush",
    "straight",
    "two pair",
    "two aces",
)
ACES = {
    "A": (500, 100, 50, 30, 20, 10, 5, 4, 2, 1),
    "B": (500, 100, 40, 30, 15, 10, 5, 4, 2, 1),
    "C": (500, 100, 50, 40, 25, 10, 5, 3, 2, 1),
    "D": (500, 100, 50, 30, 20, 10, 5, 3, 2, 1),
    "E": (500, 100, 50, 20, 15, 10, 5, 3, 2, 1),
    "F": (50, 50, 30, 30, 7, 7, 6, 5, 2, 1),
    "G": (50, 50, 30, 30, 9, 9, 6, 4, 2, 1),
    "H": (50, 50, 40, 40, 8, 8, 5, 4, 3, 1),
}
#: The same in Cajun Stud. The first two are the six-card royals.
ALL_SIX = {
    "A": (1000, 1000, 1000, 200, 50, 25, 20, 10, 5),
    "B": (1000, 1000, 1000, 200, 50, 25, 15, 10, 5),
    "C": (1000, 1000, 1000, 200, 100, 20, 15, 9, 8),
    "D": (1000, 1000, 1000, 200, 100, 20, 15, 10, 7),
    "E": (200_000, 20_000, 1000, 200, 50, 20, 15, 10, 5),
}

# --- Cajun Stud -------------------------------------------------------------

CAJUN_PUSH = {"pair of 10s": "push", "pair of 9s": "push", "pair of 6s": "push"}
CAJUN_EVEN = {"pair of aces": ("to", 1), "pair of jacks": ("to", 1)}
CAJUN = {
    "A": {**five(to(500, 100, 40, 10, 6, 4, 3, 2)), **CAJUN_EVEN, **CAJUN_PUSH},
    "B": {
        **five([*to(500, 100, 40, 11, 7, 4, 3), ("to", 3, 2)]),
        **CAJUN_EVEN,
        **CAJUN_PUSH,
    },
    "C": {
        **five([*to(500, 100, 40, 11, 7, 5, 3), ("to", 3, 2)]),
        **CAJUN_EVEN,
        **CAJUN_PUSH,
    },
}
POCKET_HANDS = ("aces", "suited", "unsuited", "pair")
POCKET = {"A": (30, 20, 10, 5), "B": (25, 20, 10, 5), "C": (30, 20, 10, 4)}
BOARD_HANDS = ("mini-royal", "straight flush", "three-of-a-kind", "straight", "flush", "pair")
BOARD = {
    "A": (40, 40, 30, 6, 4, 1),
    "B": (40, 40, 30, 5, 4, 1),
    "C": (50, 40, 30, 5, 4, 1),
    "D": (50, 40, 30, 6, 3, 1),
}
LO_BALL: dict[str, dict[int, Any]] = {
    "A": {7: 100, 8: 50, 9: 15, 10: 5, 11: 1, 12: None},
    "B": {7: 100, 8: 50, 9: 10, 10: 5, 11: 1, 12: "push"},
}

"""Cajun Stud."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

from controller.library import Library
from tests.controller.rules.rounds import FIVE_CARDS, avoiding, round_of, seat, settled
from tests.controller.rules.settlement import printed
from tests.controller.rules.settlement.cases.case import Case, worth
from tests.controller.rules.settlement.cases.four_card_prime import SIX_CARDS, back
from tests.controller.rules.settlement.printed import Payout

REQUIRED = {"ante": 500, "raise_1": 500, "raise_2": 1000, "raise_3": 1500}
POCKETS = {
    "aces": "Ac Ad",
    "suited ace-jack": "Ah Jh",
    "unsuited ace-king": "Ah Kd",
    "2s": "2c 2d",
    "kings": "Kc Kd",
    "ace-ten": "Ah Td",
}
BOARDS = {
    "mini-royal": "Ah Kh Qh",
    "straight flush": "8d 7d 6d",
    "three-of-a-kind": "8c 8d 8h",
    "straight": "Ad 2c 3h",
    "flush": "Kd 9d 4d",
    "pair": "3c 3d Kh",
    "nothing": "Kh 9d 4c",
}
HIGH = {
    7: "7 high",
    8: "8 high",
    9: "9 high",
    10: "10 high",
    11: "jack high",
    12: "queen high",
    13: "king high",
    14: "ace high",
}


def cases() -> Iterator[Case]:
    yield from _required()
    yield from _pocket()
    yield from _board()
    yield from _lo_ball()
    yield from _all_six()


def raised(
    own: str, community: str, options: dict[str, Any] | None = None, extra: str = "", **wagers: int
) -> dict[str, Any]:
    """Seat 3 makes all three Raises."""
    seats = [seat(3, own, **REQUIRED, **wagers)]
    return round_of("pa-683a", options, community=community, extra=extra, seats=seats)


def two_and_three(hand: str) -> tuple[str, str]:
    five = FIVE_CARDS[hand].split()
    return " ".join(five[:2]), " ".join(five[2:])


def _required() -> Iterator[Case]:
    for column, table in printed.CAJUN.items():
        for hand, payout in table.items():
            play = partial(_play_required, column=column, hand=hand, payout=payout)
            outcome = "PA-683a.11(h)(2)" if payout is None else "PA-683a.11(h)(1)"
            clauses = (f"PA-683a.12(a)[{column}]", outcome)
            yield Case("pa-683a", f"ante-{column}-{hand}", clauses, play)


def _play_required(books: Library, column: str, hand: str, payout: Payout) -> None:
    done = settled(raised(*two_and_three(hand), {"ante": column}), books)
    for wager, stake in REQUIRED.items():
        assert done.returns(3, wager) == worth(payout, stake)


def _pocket() -> Iterator[Case]:
    for column, odds in printed.POCKET.items():
        for hand, times in zip(POCKETS, (*odds, odds[-1], None), strict=True):
            play = partial(_play_pocket, column=column, own=POCKETS[hand], times=times)
            clauses = (f"PA-683a.12(b)[{column}]",)
            yield Case("pa-683a", f"pocket-{column}-{hand}", clauses, play)


def _play_pocket(books: Library, column: str, own: str, times: int | None) -> None:
    given = raised(own, avoiding("Q83", [own]), {"pocket": column}, pocket=300)
    assert settled(given, books).returns(3, "pocket") == back(times)


def _board() -> Iterator[Case]:
    for column, odds in printed.BOARD.items():
        for hand, times in zip(BOARDS, (*odds, None), strict=True):
            play = partial(_play_board, column=column, community=BOARDS[hand], times=times)
            clauses = (f"PA-683a.12(c)[{column}]",)
            yield Case("pa-683a", f"board-{column}-{hand}", clauses, play)


def _play_board(books: Library, column: str, community: str, times: int | None) -> None:
    own = avoiding("J5", [community])
    given = raised(own, community, {"board": column}, board=300)
    assert settled(given, books).returns(3, "board") == back(times)


def _lo_ball() -> Iterator[Case]:
    for column, table in printed.LO_BALL.items():
        for high, hand in HIGH.items():
            play = partial(_play_lo_ball, column=column, hand=hand, times=table.get(high))
            clauses = (f"PA-683a.12(d)[{column}]",)
            yield Case("pa-683a", f"lo-ball-{column}-{hand}", clauses, play)


def _play_lo_ball(books: Library, column: str, hand: str, times: Any) -> None:
    done = settled(raised(*two_and_three(hand), {"lo_ball": column}, lo_ball=300), books)
    assert done.returns(3, "lo_ball") == (300 if times == "push" else back(times))


def _all_six() -> Iterator[Case]:
    for column, odds in printed.ALL_SIX.items():
        for hand, times in zip(printed.SIX, (*odds, None), strict=True):
            play = partial(_play_all_six, column=column, cards=SIX_CARDS[hand], times=times)
            clauses = (f"PA-683a.12(e)[{column}]",)
            yield Case("pa-683a", f"all-six-{column}-{hand}", clauses, play)


def _play_all_six(books: Library, column: str, cards: str, times: int | None) -> None:
    own, extra = cards.split()[:2], cards.split()[2:]
    given = raised(
        " ".join(own),
        avoiding("Q83", [cards]),
        {"all_six": column},
        extra=" ".join(extra),
        all_six=300,
    )
    assert settled(given, books).returns(3, "all_six") == back(times)

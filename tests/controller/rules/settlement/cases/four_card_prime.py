"""Four Card Prime."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

from controller.library import Library
from tests.controller.rules.rounds import FIVE_CARDS, avoiding, round_of, seat, settled
from tests.controller.rules.settlement import printed
from tests.controller.rules.settlement.cases.case import SIXTH, Case

#: A hand, and dealer's cards that beat it with the same kind of hand.
FOUR_CARDS = {
    "four-of-a-kind": ("7c 7d 7h 7s 2c", "8c 8d 8h 8s Kc Jd"),
    "straight flush": ("9s 8s 7s 6s 2c", "Qh Jh Th 9h 3c 2d"),
    "three-of-a-kind": ("6c 6d 6h Ks 2d", "8c 8d 8h Qs 3c 2h"),
}
COLOURED = {
    5: ("Kh Jd 8h 5d 2h", "Ks Jc 8s 5c 2s"),
    4: ("Kh Jd 8h 5d 2s", "Ks Jc 8s 5c 2h"),
    3: ("Kh Jd 8h 5c 2s", "Ks Jc 8s 5d 2h"),
}
#: What the Aces Bonus recognises, counting four cards and counting five.
ACES_CARDS = {
    "four aces": ("Ac Ad Ah As 2c", "Ac Ad Ah As 2c"),
    "four-of-a-kind": ("7c 7d 7h 7s Ac", "7c 7d 7h 7s Ac"),
    "royal flush": ("Ah Kh Qh Jh 2c", "Ah Kh Qh Jh Th"),
    "straight flush": ("9s 8s 7s 6s 2c", "9s 8s 7s 6s 5s"),
    "three aces": ("Ac Ad Ah Ks Kd", "Ac Ad Ah Ks Kd"),
    "three-of-a-kind": ("7c 7d 7h Ks Kd", "7c 7d 7h Ks Kd"),
    "flush": ("Ad 9d 6d 2d Ks", "Ad 9d 6d 3d 2d"),
    "straight": ("Ac 2d 3h 4s 9c", "Ac 2d 3h 4s 5c"),
    "two pair": ("Ac Ad 9h 9s 2c", "Ac Ad 9h 9s 2c"),
    "two aces": ("Ac Ad 9h 7s 2c", "Ac Ad 9h 7s 2c"),
    "kings": ("Kc Kd 9h 7s 2c", "Kc Kd 9h 7s 2c"),
}
#: Six cards: five own ones and the All-Six card.
SIX_CARDS = {
    "six-card royal in diamonds": "Ad Kd Qd Jd Td 9d",
    "six-card royal in hearts": "Ah Kh Qh Jh Th 9h",
    **{hand: f"{FIVE_CARDS[hand]} {SIXTH[hand]}" for hand in printed.FIVE},
}


def cases() -> Iterator[Case]:
    yield from _win_and_bad_beat()
    yield from _prime()
    yield from _aces()
    yield from _all_six()


def raised(
    own: str, dealer: str, options: dict[str, Any] | None = None, extra: str = "", **wagers: int
) -> dict[str, Any]:
    """Seat 3 raises twice the Ante."""
    down = {"ante": 500, "raise": 1000, **wagers}
    return round_of("pa-682a", options, dealer=dealer, extra=extra, seats=[seat(3, own, **down)])


def back(times: int | None) -> int:
    """What comes back of 300 cents that win this many times their stake, or lose."""
    return 0 if times is None else 300 + times * 300


def _win_and_bad_beat() -> Iterator[Case]:
    for hand, (own, better) in FOUR_CARDS.items():
        clauses: tuple[str, ...] = ("PA-682a.12(b)", "PA-682a.12(a)", "PA-682a.1[Win Bonus]")
        win = partial(_play_win, own=own, times=printed.WIN_BONUS[hand])
        yield Case("pa-682a", f"win-bonus-{hand}", clauses, win)
        for column, table in printed.BAD_BEAT.items():
            clauses = (
                f"PA-682a.12(c)[{column}]",
                "PA-682a.11(d)(2)(ii)(B)",
                "PA-682a.1[Bad Beat Bonus]",
            )
            lose = partial(_play_bad_beat, column=column, own=own, better=better, times=table[hand])
            yield Case("pa-682a", f"bad-beat-{column}-{hand}", clauses, lose)


def _play_win(books: Library, own: str, times: int) -> None:
    done = settled(raised(own, avoiding("KJ9532", [own])), books)
    assert done.returns(3, "win_bonus") == times * 500
    assert (done.returns(3, "ante"), done.returns(3, "raise")) == (1000, 2000)
    assert done.lines(3, "bad_beat") == []


def _play_bad_beat(books: Library, column: str, own: str, better: str, times: int) -> None:
    done = settled(raised(own, better, {"bad_beat": column}), books)
    assert done.returns(3, "bad_beat") == times * 500
    assert done.line(3, "ante")["result"] == "return"
    assert (done.returns(3, "ante"), done.returns(3, "raise")) == (500, 0)
    assert done.lines(3, "win_bonus") == []


def _prime() -> Iterator[Case]:
    for column, table in printed.PRIME.items():
        for count, hands in COLOURED.items():
            play = partial(_play_prime, column=column, hands=hands, times=table.get(count))
            clauses = (f"PA-682a.12(d)[{column}]",)
            yield Case("pa-682a", f"prime-{column}-{count}", clauses, play)


def _play_prime(books: Library, column: str, hands: tuple[str, str], times: int | None) -> None:
    for own in hands:
        given = raised(own, avoiding("QT9643", [own]), {"prime": column}, prime=300)
        assert settled(given, books).returns(3, "prime") == back(times)


def _aces() -> Iterator[Case]:
    for column, odds in printed.ACES.items():
        for hand, times in zip((*printed.ACES_HANDS, "kings"), (*odds, None), strict=True):
            for reading, own in zip((4, 5), ACES_CARDS[hand], strict=True):
                play = partial(_play_aces, column=column, reading=reading, own=own, times=times)
                clauses = (f"PA-682a.12(e)[{column}]",)
                yield Case("pa-682a", f"aces-{column}-{hand}-{reading}", clauses, play)


def _play_aces(books: Library, column: str, reading: int, own: str, times: int | None) -> None:
    options = {"aces": column, "aces_bonus_cards": reading}
    given = raised(own, avoiding("QT9643", [own]), options, aces=300)
    assert settled(given, books).returns(3, "aces") == back(times)


def _all_six() -> Iterator[Case]:
    for column, odds in printed.ALL_SIX.items():
        for hand, times in zip(printed.SIX, (*odds, None), strict=True):
            play = partial(_play_all_six, column=column, cards=SIX_CARDS[hand], times=times)
            clauses = (f"PA-682a.12(f)[{column}]",)
            yield Case("pa-682a", f"all-six-{column}-{hand}", clauses, play)


def _play_all_six(books: Library, column: str, cards: str, times: int | None) -> None:
    *own, extra = cards.split()
    dealer = avoiding("QT8653", [cards])
    given = raised(" ".join(own), dealer, {"all_six": column}, extra=extra, all_six=300)
    assert settled(given, books).returns(3, "all_six") == back(times)

"""Raise It Up Stud."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from controller.library import Library
from controller.rules.ruleset import choose
from tests.controller.rules.rounds import FIVE_CARDS, avoiding, round_of, seat, settled
from tests.controller.rules.settlement import printed
from tests.controller.rules.settlement.cases.case import SHOWN, SIXTH, Case, worth
from tests.controller.rules.settlement.printed import Payout

THREE_CARDS = {
    "ace, king and queen of spades": "As Ks Qs",
    "ace, king and queen of hearts": "Ah Kh Qh",
    "ace, king and queen of diamonds": "Ad Kd Qd",
    "ace, king and queen of clubs": "Ac Kc Qc",
    "straight flush": "8d 7d 6d",
    "three-of-a-kind": "8c 8d 8h",
    "straight": "8d 7c 6h",
    "flush": "Kd 9d 4d",
    "pair": "3c 3d Kh",
    "nothing": "Kh 9d 4c",
}
ENTRY = {"ante": 500, "blind": 500, "play": 500}


def cases() -> Iterator[Case]:
    for wager, table, clauses in (
        ("play", printed.PLAY, ("PA-669a.12(c)", "PA-669a.12(b)")),
        ("blind", printed.BLIND, ("PA-669a.12(d)",)),
    ):
        for hand, payout in table.items():
            play = partial(_play_required, wager=wager, hand=hand, payout=payout)
            yield Case("pa-669a", f"{wager}-{hand}", clauses, play)
    for column, payouts in printed.SIX_CARD.items():
        for hand, payout in printed.five(payouts).items():
            play = partial(_play_six_card, column=column, hand=hand, payout=payout)
            clause = f"PA-669a.12(f)[{column}]"
            yield Case("pa-669a", f"six-card-{column}-{hand}", (clause,), play)
    for column, pair_plus in printed.PAIR_PLUS.items():
        for hand, payout in pair_plus.items():
            play = partial(_play_pair_plus, column=column, hand=hand, payout=payout)
            clause = f"PA-669a.12(a)[{column}]"
            yield Case("pa-669a", f"pair-plus-{column}-{hand}", (clause,), play)
    yield from _progressive()
    yield Case("pa-669a", "rates", ("PA-669a.12(e)(3)",), _play_rates)


def of_six(hand: str) -> tuple[str, str]:
    """Three own cards and three community cards that make a hand."""
    five = FIVE_CARDS[hand].split()
    return " ".join(five[:3]), " ".join([*five[3:], SIXTH[hand]])


def _play_required(books: Library, wager: str, hand: str, payout: Payout) -> None:
    own, community = of_six(hand)
    done = settled(round_of("pa-669a", community=community, seats=[seat(2, own, **ENTRY)]), books)
    assert done.returns(2, wager) == worth(payout, 500)
    won = printed.PLAY[hand] is not None
    assert done.returns(2, "ante") == (1000 if won else 0)


def _play_six_card(books: Library, column: str, hand: str, payout: Payout) -> None:
    own, community = of_six(hand)
    wagers = {**ENTRY, "six_card": 300}
    given = round_of(
        "pa-669a", {"six_card": column}, community=community, seats=[seat(2, own, **wagers)]
    )
    assert settled(given, books).returns(2, "six_card") == worth(payout, 300)


def _play_pair_plus(books: Library, column: str, hand: str, payout: Payout) -> None:
    own = THREE_CARDS[hand]
    given = round_of(
        "pa-669a",
        {"pair_plus": column},
        community=avoiding("J52", [own]),
        seats=[seat(2, own, **ENTRY, pair_plus=300)],
    )
    assert settled(given, books).returns(2, "pair_plus") == worth(payout, 300)


def _progressive() -> Iterator[Case]:
    for hand, payout in printed.THREE_CARD_PROGRESSIVE.items():
        for stake in (100, 500):
            play = partial(_play_progressive, hand=hand, stake=stake, payout=payout)
            clauses = ["PA-669a.12(e)(1)", "PA-669a.11(i)(3)(i)"]
            if hand.startswith("ace"):
                clauses += [f"PA-669a.12(e)(5)[${stake // 100}]", "PA-669a.12(e)(5)"]
            if hand.endswith("spades"):
                clauses.append("PA-669a.12(e)(3)")
            yield Case("pa-669a", f"progressive-{hand}-{stake}", tuple(clauses), play)


def _play_progressive(books: Library, hand: str, stake: int, payout: Payout) -> None:
    own, other = THREE_CARDS[hand], "Tc 9h 5s"
    wagers = {**ENTRY, "progressive": stake}
    done = settled(
        round_of(
            "pa-669a",
            {"progressive": True},
            community=avoiding("J52", [own, other]),
            meters={"progressive": {"main": SHOWN["main"]}},
            seats=[seat(2, own, **wagers), seat(5, other, **wagers)],
        ),
        books,
    )
    spades, royal = hand.endswith("spades"), hand.startswith("ace")
    assert done.returns(2, "progressive") == worth(payout, stake)
    after = 1_000 * stake if spades else SHOWN["main"]
    assert done.meters == {"progressive": {"main": after}}
    assert done.lines(2, "envy") == []
    dollars = (100 if spades else 25) * stake // 100 if royal else 0
    assert done.returns(5, "envy") == dollars * 100


def _play_rates(books: Library) -> None:
    chosen = choose(books.rulebook("pa-669a"), {"pair_plus": "A", "progressive": True})
    terms = chosen.meters["progressive"]
    assert (terms.seed, terms.reseed, terms.rate) == ({"main": 1000}, {"main": 1000}, {"main": 14})
    assert not terms.has_reserve

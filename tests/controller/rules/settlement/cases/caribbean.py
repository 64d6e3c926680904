"""Caribbean Stud in three jurisdictions."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any, NamedTuple

from controller.library import Library
from controller.rules.ruleset import choose
from tests.controller.rules.rounds import FIVE_CARDS, avoiding, rags, round_of, seat, settled
from tests.controller.rules.settlement import printed
from tests.controller.rules.settlement.cases.case import RESET, SHOWN, Case, is_share, worth
from tests.controller.rules.settlement.printed import Payout

Options = dict[str, Any]

BOOKS = ("pa-639a", "ma", "s10")
ANTE = {"pa-639a": "PA-639a.12(a)", "ma": "MA.11(a)", "s10": "S10.(l)(2)"}
BET = {"pa-639a": "PA-639a.12(b)", "ma": "MA.11(b)", "s10": "S10.(l)(3)"}
WON = {
    "pa-639a": "PA-639a.11(c)(3)(ii)(B)",
    "ma": "MA.10(c)(3)(ii)(b)",
    "s10": "S10.(j)(5)(iii)",
}
FIVE_CARD_OPTIONS: dict[str, Options] = {
    "pa-639a": {"five_card": True},
    "ma": {"five_card": True, "five_card_reset": RESET},
}
#: Where the section on wagers says what wins as well.
BONUS_WINS = {"pa-639a": ("PA-639a.7(d)(3)",)}
FIVE_CARD_WINS = {"pa-639a": ("PA-639a.7(d)(4)",)}
SECTION = {"pa-639a": "PA-639a.12", "ma": "MA.11"}


def cases() -> Iterator[Case]:
    yield from _ante_and_bet()
    yield from _bonus()
    yield from _progressive()
    yield from _restarts()
    yield from _rates()
    yield from _five_card()
    yield from _cover_all()
    yield from _envy()


def beats_ace_king(
    book: str, hand: str, options: Options | None = None, meters: Any = None, **wagers: int
) -> dict[str, Any]:
    """Seat 4 holds the hand, and the dealer has ace-king and nothing more."""
    own = FIVE_CARDS[hand]
    return round_of(
        book,
        options,
        dealer=avoiding("AK543", [own]),
        meters=meters or {},
        seats=[seat(4, own, ante=500, bet=1000, **wagers)],
    )


# --- Ante, Bet, Bonus -------------------------------------------------------


def _ante_and_bet() -> Iterator[Case]:
    for book in BOOKS:
        for hand, payout in {**printed.BET, "ace-king": ("to", 1)}.items():
            if hand == "ace high":
                continue  # it loses to ace-king
            play = partial(_play_bet, book=book, hand=hand, payout=payout)
            yield Case(book, f"bet-{hand}", (ANTE[book], BET[book], WON[book]), play)


def _play_bet(books: Library, book: str, hand: str, payout: Payout) -> None:
    done = settled(beats_ace_king(book, hand), books)
    assert done.dealer == {"hand": "ace-king", "qualifies": True}
    ante, bet = done.line(4, "ante"), done.line(4, "bet")
    assert (ante["result"], ante["odds"], ante["returns"]) == ("win", "1 to 1", 1000)
    assert (bet["result"], bet["returns"]) == ("win", worth(payout, 1000))
    assert (ante["clause"], bet["clause"]) == (ANTE[book], BET[book])


def _bonus() -> Iterator[Case]:
    for book, section in SECTION.items():
        for column, table in printed.BONUS.items():
            for hand, payout in table.items():
                play = partial(_play_bonus, book=book, column=column, hand=hand, payout=payout)
                clauses = (f"{section}(c)[{column}]", *BONUS_WINS.get(book, ()))
                yield Case(book, f"bonus-{column}-{hand}", clauses, play)


def _play_bonus(books: Library, book: str, column: str, hand: str, payout: Payout) -> None:
    done = settled(beats_ace_king(book, hand, {"bonus": column}, bonus=300), books)
    assert done.returns(4, "bonus") == worth(payout, 300)


# --- Progressive ------------------------------------------------------------


class Column(NamedTuple):
    book: str
    name: str
    table: dict[str, Payout]
    clause: str
    options: Options

    def shown(self) -> dict[str, int]:
        return {p[2]: SHOWN[p[2]] for p in self.table.values() if is_share(p)}


def _columns() -> Iterator[Column]:
    for name, table in {**printed.PROGRESSIVE, **printed.LEVELS}.items():
        clause = f"PA-639a.12(d)(1)[{name}]"
        yield Column("pa-639a", name, table, clause, {"progressive": name})
    for name, table in printed.PROGRESSIVE.items():
        options = {"progressive": name, "progressive_reset": RESET}
        yield Column("ma", name, table, f"MA.11(d)[{name}]", options)
    for name, table in printed.LINK.items():
        yield Column("ma", name, table, f"MA.12(l)[{name}:Pays]", {"progressive": name})
    for name, table in printed.SECTION_10.items():
        options = {"progressive": True, "straight_flush": name, "progressive_reset": RESET}
        yield Column("s10", name, table, "S10.(l)(5)", options)


def _progressive() -> Iterator[Case]:
    for column in _columns():
        for hand, payout in column.table.items():
            play = partial(_play_progressive, column=column, hand=hand, payout=payout)
            yield Case(column.book, f"progressive-{column.name}-{hand}", (column.clause,), play)


def _play_progressive(books: Library, column: Column, hand: str, payout: Payout) -> None:
    shown = column.shown()
    meters = {"progressive": shown}
    done = settled(
        beats_ace_king(column.book, hand, column.options, meters, progressive=100), books
    )
    line, after = done.line(4, "progressive"), done.meters["progressive"]
    assert line["returns"] == worth(payout, 100)
    assert line["paid_by"] == ("hand" if is_share(payout) else "rack" if payout else None)
    changed = {level for level, cents in after.items() if cents != shown.get(level, 0)}
    assert changed == ({payout[2]} if is_share(payout) else set())
    if is_share(payout) and payout[1] != 100:
        assert after[payout[2]] == shown[payout[2]] - line["returns"]


def _restarts() -> Iterator[Case]:
    """After a 100% award a level starts again at its seed, for the wager of that table."""
    for book, seeds in (("pa-639a", printed.RESEED), ("ma", printed.LINK_SEED)):
        for column, levels in seeds.items():
            table = {**printed.PROGRESSIVE, **printed.LEVELS, **printed.LINK}[column]
            clauses: tuple[str, ...] = (f"MA.12(l)[{column}:Seed]",)
            if book == "pa-639a":
                clauses = (f"PA-639a.12(d)(4)[{column}]", "PA-639a.12(d)(4)")
            for level in levels:
                hand = next(h for h, p in table.items() if p == ("share", 100, level))
                for stake in (100, 500):
                    play = partial(
                        _play_restart,
                        book=book,
                        column=column,
                        levels=levels,
                        level=level,
                        hand=hand,
                        stake=stake,
                    )
                    yield Case(book, f"restart-{column}-{level}-{stake}", clauses, play)


def _play_restart(
    books: Library,
    *,
    book: str,
    column: str,
    levels: dict[str, int],
    level: str,
    hand: str,
    stake: int,
) -> None:
    shown = {"progressive": {name: SHOWN[name] for name in levels}}
    given = beats_ace_king(book, hand, {"progressive": column}, shown, progressive=stake)
    done = settled(given, books)
    assert done.returns(4, "progressive") == SHOWN[level]
    assert done.meters["progressive"][level] == levels[level] * stake


def _rates() -> Iterator[Case]:
    """Rates and seeds are the rulebook's own; a running table adds them up wager by wager."""
    for column in printed.RATES:
        play = partial(_play_rates, column=column)
        yield Case("pa-639a", f"rates-{column}", (f"PA-639a.12(d)(4)[{column}]",), play)
    yield Case("pa-639a", "rates-five-card", ("PA-639a.12(e)(4)",), _play_five_card_rates)


def _play_rates(books: Library, column: str) -> None:
    terms = choose(books.rulebook("pa-639a"), {"progressive": column}).meters["progressive"]
    reserve = {"reserve": terms.reserve_rate} if terms.has_reserve else {}
    assert {**terms.rate, **reserve} == printed.RATES[column]
    assert terms.seed == printed.RESEED[column]


def _play_five_card_rates(books: Library) -> None:
    terms = choose(books.rulebook("pa-639a"), {"five_card": True}).meters["five_card"]
    assert (terms.seed, terms.reseed) == ({"main": 10_000}, {"main": 0})
    assert (terms.rate, terms.reserve_rate) == ({"main": 13}, 8)
    assert terms.restarts_at == "reserve"


# --- Five Card Hand Bonus, draws, Cover All ---------------------------------


def _five_card() -> Iterator[Case]:
    for book, options in FIVE_CARD_OPTIONS.items():
        clauses = (f"{SECTION[book]}(e)(1)", *FIVE_CARD_WINS.get(book, ()))
        for hand, payout in printed.FIVE_CARD.items():
            own = partial(_play_five_card, book=book, options=options, hand=hand, payout=payout)
            yield Case(book, f"five-card-own-{hand}", clauses, own)
            dealers = partial(
                _play_dealers_five_card, book=book, options=options, hand=hand, payout=payout
            )
            yield Case(book, f"five-card-dealer-{hand}", clauses, dealers)
        draws = partial(_play_draws, book=book, options=options)
        yield Case(book, "draws", (f"{SECTION[book]}(e)(3)",), draws)


def _play_five_card(books: Library, book: str, options: Options, hand: str, payout: Payout) -> None:
    meters = {"five_card": {"main": SHOWN["main"]}}
    done = settled(beats_ace_king(book, hand, options, meters, five_card_player=200), books)
    line = done.line(4, "five_card_player")
    assert line["returns"] == worth(payout, 200)
    assert line["paid_by"] == ("hand" if is_share(payout) else "account" if payout else None)
    high = is_share(payout) or payout == ("for", 500)
    assert line["validate"] == ("floorperson" if high else None)


def _play_dealers_five_card(
    books: Library, book: str, options: Options, hand: str, payout: Payout
) -> None:
    dealer = FIVE_CARDS[hand]
    own = avoiding("KQ863", [dealer])
    done = settled(
        round_of(
            book,
            options,
            dealer=dealer,
            meters={"five_card": {"main": SHOWN["main"]}},
            seats=[seat(4, own, ante=500, bet=1000, five_card_dealer=200)],
        ),
        books,
    )
    assert done.returns(4, "five_card_dealer") == worth(payout, 200)


def _play_draws(books: Library, book: str, options: Options) -> None:
    meters = {"five_card": {"main": SHOWN["main"]}}
    given = beats_ace_king(book, "straight", options, meters, five_card_player=200)
    done = settled({**given, "draw": {"magic_card": "7d", "lucky": 4}}, books)
    assert done.returns(4, "magic_card") == 20 * 200
    assert done.returns(4, "lucky") == 5 * 200
    assert done.line(4, "magic_card")["paid_by"] == "account"


def _cover_all() -> Iterator[Case]:
    for hands, payouts in printed.COVER_ALL.items():
        clauses = (f"MA.12(k)[{hands}]", *(("MA.12(f)",) if hands == 8 else ()))
        for hand, payout in zip(printed.FIVE, [*payouts, None], strict=True):
            play = partial(_play_cover_all, hands=hands, hand=hand, payout=payout)
            yield Case("ma", f"cover-all-{hands}-{hand}", clauses, play)


def _play_cover_all(books: Library, hands: int, hand: str, payout: Payout) -> None:
    used = [FIVE_CARDS[hand]]
    seats = [seat(1, used[0], ante=500, bet=1000, cover_all=500)]
    for number in range(2, hands):
        used.append(rags(used))
        seats.append(seat(number, used[-1], ante=500, bet=1000))
    given = round_of("ma", {"cover_all": True}, dealer=rags(used), seats=seats)
    assert settled(given, books).returns(1, "cover_all") == worth(payout, 500)


# --- Envy -------------------------------------------------------------------


def _envy() -> Iterator[Case]:
    for book, options, stake, sums, clauses in _schedules():
        # A hand below those that the schedule prints brings nothing.
        hands = ("royal flush", "straight flush", "four-of-a-kind")
        for hand, dollars in zip(hands, (*sums, 0), strict=True):
            play = partial(
                _play_envy, book=book, options=options, stake=stake, hand=hand, dollars=dollars
            )
            yield Case(book, f"envy-{options['progressive']}-{stake}-{hand}", clauses, play)


def _schedules() -> Iterator[tuple[str, Options, int, tuple[int, int], tuple[str, ...]]]:
    by_stake = {100: (1000, 300), 500: (5000, 1500)}
    for stake, sums in by_stake.items():
        clauses: tuple[str, ...]
        for column in "DFGH":
            clauses = (f"PA-639a.12(d)(6)[${stake // 100}]", "PA-639a.12(d)(6)")
            yield "pa-639a", {"progressive": column}, stake, sums, clauses
        options: Options = {"progressive": "D", "progressive_reset": RESET}
        table = "table 1" if stake == 100 else "table 2"
        yield "ma", options, stake, sums, (f"MA.11(d)(7)[{table}]", "MA.11(d)(7)")
        for column, as_printed in printed.LINK_ENVY.items():
            clauses = (f"MA.12(l)[{column}:Envy]",)
            yield "ma", {"progressive": column}, stake, as_printed, clauses


def _play_envy(
    books: Library, *, book: str, options: Options, stake: int, hand: str, dollars: int
) -> None:
    holder = FIVE_CARDS[hand]
    other = avoiding("QT862", [holder])
    seeds = {"D": {"main": 0}, **printed.RESEED, **printed.LINK_SEED}[options["progressive"]]
    given = round_of(
        book,
        options,
        dealer=avoiding("AK543", [holder, other]),
        meters={"progressive": {level: SHOWN[level] for level in seeds}},
        seats=[
            seat(2, holder, ante=500, bet=1000),
            seat(5, other, ante=500, bet=1000, progressive=stake),
        ],
    )
    done = settled(given, books)
    assert done.returns(5, "envy") == dollars * 100
    assert done.lines(2, "envy") == []

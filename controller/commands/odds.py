"""``felt odds``: the exact house edge of every wager and paytable."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable
from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction
from typing import Any

from controller.commands.columns import columns
from controller.commands.memory import Memory
from controller.commands.progress import Ticker
from controller.library import Library
from controller.rules.faults import Refused, listed
from controller.rules.odds.result import Edge, Estimate, Hits
from controller.rules.odds.survey import MAIN, Answer, Jackpot, Question, Survey, questions
from controller.rules.paytables import dollars
from controller.rules.rulebook import PRINTED, Published, Rulebook

Figures = dict[str, Any]


def run(given: argparse.Namespace) -> int:
    library = Library(*given.folder)
    wanted = list(library) if given.rulebooks == ["all"] else given.rulebooks
    books = [library.rulebook(name) for name in wanted]
    asked = [(book, _asked(book, given.wager, given.side)) for book in books]
    memory = Memory(fresh=given.fresh)
    found = [odds_of(book, asked_of, memory) for book, asked_of in asked]
    if given.json:
        sys.stdout.write(json.dumps(found[0] if len(found) == 1 else found, indent=2) + "\n")
    else:
        sys.stdout.write("\n".join(line for odds in found for line in readable(odds)) + "\n")
    return 0


def _asked(book: Rulebook, wagers: list[str] | None, side: bool) -> list[Question]:
    everything = [q for q in questions(book) if not side or q.wager != MAIN]
    known = list(dict.fromkeys(question.wager for question in everything))
    for wager in wagers or []:
        if wager not in known:
            why = f"is not a wager of {book.id} with odds of its own"
            if wager in book.wagers:
                why = "is reckoned with the ante"
            raise Refused(f"--wager {wager}", why, f"there are {listed(known)}")
    return [q for q in everything if not wagers or q.wager in wagers]


def odds_of(book: Rulebook, asked: Iterable[Question], memory: Memory) -> Figures:
    """What ``--json`` prints of one rulebook."""
    survey = Survey(book)
    wagers: dict[str, dict[str, Figures]] = {}
    for question in asked:
        figures = _figures_of(book, question, survey, memory)
        place = wagers.setdefault(question.wager, {})
        if question.reading is None:
            place[question.column] = figures
        else:
            # The reading that the published hold fits comes first and speaks for the table.
            figures["aces_bonus_cards"] = question.reading
            first = place.setdefault(question.column, {**figures, "readings": {}})
            first["readings"][str(question.reading)] = figures
    found: Figures = {"rulebook": book.id, "wagers": wagers}
    published = {
        wager: _compared(board, wagers[wager].values())
        for wager, board in book.published.items()
        if wager in wagers
    }
    if published:
        found["published"] = published
    return found


def _figures_of(book: Rulebook, question: Question, survey: Survey, memory: Memory) -> Figures:
    if not question.long:
        return _figures(survey.answer(question))

    def work() -> Figures:
        with Ticker(f"{book.id} {question.wager} {question.column}") as tick:
            return _figures(survey.answer(question, tick))

    return memory.recall(
        [book.game, question.wager, question.column, _depends_on(book, question)], work
    )


def _depends_on(book: Rulebook, question: Question) -> list[Any]:
    """The tables that long odds depend on; rulebooks that print the same share the answer."""
    main = ("bet", "play", "blind", "win_bonus", "bad_beat", "ante")
    names = main if question.wager == MAIN else (question.wager,)
    return [
        (name, sheet.columns, sheet.ranking, sheet.rows)
        for name in names
        for sheet in book.paytables.get(name, [])
    ]


# --- Figures ----------------------------------------------------------------


def percent(fraction: Fraction, places: int = 6) -> float:
    """A fraction in percent, rounded for reading; the exact one stands beside it."""
    exact = Decimal(fraction.numerator * 100) / Decimal(fraction.denominator)
    return float(exact.quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP))


def _figures(answer: Answer) -> Figures:
    figures: Figures = {}
    if answer.edge is not None:
        figures |= _edge(answer.edge)
    if answer.jackpot is not None:
        figures |= _jackpot(answer.jackpot)
    if answer.hits:
        figures["hits"] = {hit.row.hand: _hits(hit) for hit in answer.hits}
    if answer.seed is not None:
        figures["seed"] = answer.seed
    if answer.note:
        figures["note"] = answer.note
    return figures


def _edge(edge: Edge | Estimate) -> Figures:
    if isinstance(edge, Estimate):
        return {
            "edge": f"{edge.loss}/{edge.deals * edge.unit}",
            "percent": percent(edge.edge),
            "exact": False,
            "standard_error_percent": round(edge.standard_error * 100, 6),
            "sampled_deals": edge.deals,
        }
    figures: Figures = {"edge": edge.text, "percent": percent(edge.edge), "exact": True}
    if edge.wagered != edge.deals * edge.unit:
        figures["per_money_wagered"] = {
            "edge": f"{edge.loss}/{edge.wagered}",
            "percent": percent(edge.per_wagered),
        }
        average = Fraction(edge.wagered, edge.deals * edge.unit)
        figures["average_wager"] = percent(average) / 100
    return figures


def _jackpot(jackpot: Jackpot) -> Figures:
    found = jackpot.progressive
    levels = list(dict.fromkeys(hit.row.odds.level for hit in found.shares))
    figures: Figures = {
        "exact": True,
        "fixed_return": str(found.fixed),
        "fixed_return_percent": percent(found.fixed),
        "return_for_each_wager_on_the_meter": {n: str(found.per_unit(n)) for n in levels},
        "seed_in_wagers": dict(jackpot.seeds),
    }
    if jackpot.break_even is not None:
        figures["break_even_level"] = found.top
        figures["break_even_in_wagers"] = str(jackpot.break_even)
    if set(levels) <= set(jackpot.seeds):
        at_seed = 1 - found.returned({level: jackpot.seeds[level] for level in levels})
        figures["edge_at_seed"] = str(at_seed)
        figures["edge_at_seed_percent"] = percent(at_seed)
    if jackpot.envy is not None:
        figures["envy_return_for_each_other_seat"] = str(jackpot.envy)
    return figures


def _hits(hit: Hits) -> Figures:
    probability = hit.probability
    return {
        "odds": str(hit.row.odds),
        "hands": hit.count,
        "of": hit.deals,
        "one_in": percent(1 / probability) / 100 if probability else None,
    }


def _compared(board: Published, tables: Iterable[Figures]) -> Figures:
    """The hold that a board published beside felt's, and whether they agree as far as printed."""
    found = []
    for figures in tables:
        at = figures["per_money_wagered"] if board.of == "money wagered" else figures
        numerator, _, denominator = at["edge"].partition("/")
        found.append(Fraction(int(numerator), int(denominator)))
    low, high = min(found), max(found)
    ends = {"low": (board.low, low), "high": (board.high, high)}
    return {
        "of": board.of,
        **{end: {"published": text, "felt": percent(ours)} for end, (text, ours) in ends.items()},
        "reproduced": all(_agrees(text, ours) for text, ours in ends.values()),
    }


def _agrees(printed: str, ours: Fraction) -> bool:
    places = len(printed.partition(".")[2])
    return Decimal(str(percent(ours, places))) == Decimal(printed)


# --- For people -------------------------------------------------------------


def readable(odds: Figures) -> list[str]:
    lines = [odds["rulebook"], ""]
    edges = [("wager", "table", "house edge", "exactly", "per money wagered", "")]
    jackpots = [("progressive", "table", "fixed return", "break-even meter", "edge at seed")]
    for wager, tables in odds["wagers"].items():
        for column, figures in tables.items():
            for reading, one in figures.get("readings", {None: figures}).items():
                named = "" if column == PRINTED else column
                if "edge" in one:
                    cards = f", {reading} cards" if reading else ""
                    edges.append((wager, named + cards, *_edge_cells(one)))
                else:
                    jackpots.append((wager, named, *_jackpot_cells(one)))
    for table, right in ((edges, (2, 4)), (jackpots, (2, 3, 4))):
        if len(table) > 1:
            lines += [*columns(table, right=right), ""]
    if len(jackpots) > 1:
        lines += ["  break-even and seed for a wager of $1, other levels at their seed", ""]
    for wager, compared in odds.get("published", {}).items():
        lines.append(_published_line(wager, compared))
    return lines


def _edge_cells(figures: Figures) -> tuple[str, str, str, str]:
    wagered = figures.get("per_money_wagered")
    mark = ""
    if not figures["exact"]:
        mark = f"estimate, standard error {figures['standard_error_percent']:.3f}%"
    exactly = figures["edge"] if figures["exact"] else ""
    return (
        f"{figures['percent']:.4f}%",
        exactly,
        f"{wagered['percent']:.4f}%" if wagered else "",
        mark,
    )


def _jackpot_cells(figures: Figures) -> tuple[str, str, str]:
    even = figures.get("break_even_in_wagers")
    meter = dollars(int(Fraction(even) * 100)) if even else ""
    at_seed = figures.get("edge_at_seed_percent")
    return (
        f"{figures['fixed_return_percent']:.4f}%",
        f"{meter} {figures['break_even_level']}" if even else "",
        f"{at_seed:.4f}%" if at_seed is not None else "",
    )


def _published_line(wager: str, compared: Figures) -> str:
    ends = [f"{compared[end]['published']}%" for end in ("low", "high")]
    ours = [f"{compared[end]['felt']:.4f}%" for end in ("low", "high")]
    said = "reproduced"
    if not compared["reproduced"]:
        said = f"NOT reproduced: felt finds {' to '.join(ours)}"
    return f"  published for {wager}: {' to '.join(ends)} of {compared['of']}: {said}"

"""``felt rulebooks``: which rulebooks there are, and what stands in one."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from typing import Any

from controller.commands.columns import columns
from controller.library import Library
from controller.rules.paytables import dollars, odds
from controller.rules.rulebook import PRINTED, Choice, Rulebook


def run(given: argparse.Namespace) -> int:
    library = Library(*given.folder)
    if given.action == "show":
        rulebook = library.rulebook(given.id)
        if given.json:
            sys.stdout.write(json.dumps(as_json(rulebook), indent=2) + "\n")
        else:
            sys.stdout.write("\n".join(readable(rulebook)) + "\n")
        return 0
    books = [library.rulebook(name) for name in library]
    rows = [(book.id, book.title, book.jurisdiction, book.source) for book in books]
    sys.stdout.write("\n".join(columns(rows, indent="")) + "\n")
    return 0


def as_json(rulebook: Rulebook) -> dict[str, Any]:
    return rulebook.model_dump(mode="json", by_alias=True, exclude_none=True)


def readable(rulebook: Rulebook) -> list[str]:
    return [
        f"{rulebook.id}: {rulebook.title}, {rulebook.jurisdiction}",
        f"{rulebook.source}; at most {rulebook.seats.most} seats ({rulebook.seats.clause})",
        "",
        "WAGERS",
        *_wagers(rulebook),
        "",
        "PAYTABLES",
        *_paytables(rulebook),
        *_meters(rulebook),
        *_envy(rulebook),
        *_draws(rulebook),
        "",
        "CHOICES (the names that options use; marked is what only one kind of file has)",
        *_choices(rulebook),
    ]


def _wagers(rulebook: Rulebook) -> list[str]:
    rows = []
    for name, wager in rulebook.wagers.items():
        when = "before 'no more bets'"
        if wager.multiples:
            when = "; ".join(
                f"{moment}: {' or '.join(map(str, times))} x ante"
                for moment, times in wager.multiples.items()
            )
        offered = f"option {wager.offered_by}" if wager.offered_by else "always"
        fold = "lost on a fold" if wager.on_fold == "lose" else "survives a fold"
        rows.append((name, wager.title, offered, when, fold, wager.clause))
    return columns(rows)


def _paytables(rulebook: Rulebook) -> Iterator[str]:
    for name, sheets in rulebook.paytables.items():
        for sheet in sheets:
            clause = sheet.clause.replace("[{column}]", "").replace("[{column}:Pays]", "")
            yield ""
            yield f"  {name} ({clause})"
            heads = [] if sheet.columns == [PRINTED] else [["", *sheet.columns]]
            rows = [[row[0], *(_said(rulebook, cell) for cell in row[1:])] for row in sheet.rows]
            yield from columns([*heads, *rows], indent="    ")


def _said(rulebook: Rulebook, cell: str) -> str:
    return "-" if cell == "n/a" else rulebook.states(odds(cell))


def _meters(rulebook: Rulebook) -> Iterator[str]:
    if not rulebook.meters:
        return
    yield from ("", "METERS (dollars for each dollar of the wager; percent of each wager)")
    rows = []
    for name, meters in rulebook.meters.items():
        for meter in meters:
            for level, terms in meter.levels.items():
                seed = f"option {meter.reset_by}" if meter.reset_by else f"seed ${terms.seed:,}"
                if terms.reseed is not None:
                    seed += f", reseed ${terms.reseed:,}"
                rate = f"option {meter.rate_by}" if meter.rate_by else f"{terms.rate}%"
                reserve = f"reserve {meter.reserve_rate}%" if meter.reserve_rate else ""
                tables = "" if meter.columns == [PRINTED] else ", ".join(meter.columns)
                rows.append((name, tables, level, seed, rate, reserve))
    yield from columns(rows)


def _envy(rulebook: Rulebook) -> Iterator[str]:
    if rulebook.envy:
        yield from ("", "ENVY (by the receiver's wager)")
    for envy in rulebook.envy:
        tables = "" if envy.columns == [PRINTED] else f"tables {', '.join(envy.columns)}"
        heads = ["any" if amount == "any" else dollars(int(amount)) for amount in envy.clauses]
        yield from columns([[tables, *heads], *envy.rows])


def _draws(rulebook: Rulebook) -> Iterator[str]:
    if rulebook.draws:
        yield from ("", "DRAWS")
        rows = [(name, draw.pays, draw.clause) for name, draw in rulebook.draws.items()]
        yield from columns(rows)


def _choices(rulebook: Rulebook) -> list[str]:
    return columns(
        (
            name,
            _takes(rulebook, name, choice),
            _needed(choice),
            {"table": "table file", "round": "round file"}.get(choice.where, ""),
            choice.says,
            choice.clause,
        )
        for name, choice in rulebook.choices.items()
    )


def _takes(rulebook: Rulebook, name: str, choice: Choice) -> str:
    say = dollars if choice.picks == "cents" else str
    match choice.picks:
        case "column":
            return ", ".join(rulebook.columns(name))
        case "offer" | "flag":
            return "false" if choice.never else "true, false"
        case "better odds":
            return f"hands of {choice.table} with better odds"
        case "text":
            return "text"
    bounds = []
    for amounts in {tuple(some): None for some in choice.of_with.values()}:
        tables = [value for value, some in choice.of_with.items() if tuple(some) == amounts]
        bounds.append(f"{' or '.join(map(dollars, amounts))} with {' '.join(tables)}")
    if choice.of is not None:
        bounds.append(", ".join(say(one) if isinstance(one, int) else one for one in choice.of))
    if choice.least:
        bounds.append(f"at least {say(choice.least)}")
    if choice.most is not None:
        bounds.append(f"at most {say(choice.most)}")
    unit = {"cents": "cents", "percent": "percent", "number": "number"}.get(choice.picks, "")
    return f"{unit}: {', '.join(bounds)}" if unit and bounds else unit or ", ".join(bounds)


def _needed(choice: Choice) -> str:
    if choice.required is None:
        return f"{choice.instead} in a table file" if choice.instead else ""
    whose = "required of a table" if choice.required_of == "table" else "required"
    if choice.required == "always":
        return whose
    values = f" {', '.join(choice.required.values)}" if choice.required.values else ""
    return f"{whose} with {choice.required.choice}{values}"

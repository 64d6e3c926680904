"""Whole shifts of play to measure with: from a closed table to a closed table, events alone.

A shift can follow a shift, so a few of them make as many rounds as are wanted; only the stamps
differ. The cards are drawn with a seed: every run measures the same rounds.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Sequence
from itertools import count, cycle
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from controller.library import Library
from controller.table import events
from controller.table.events import Event
from controller.table.terms import Terms
from controller.tables import terms_of
from tests.controller.table.playing import FLOOR, AtTheTable

TABLES = Path(__file__).resolve().parents[1] / "config" / "tables"
BOOKS = sorted(file.stem for file in TABLES.glob("*.toml"))
DAY = 24 * 3_600_000


def table_file(book: str) -> dict[str, Any]:
    return tomllib.loads((TABLES / f"{book}.toml").read_text(encoding="utf-8"))


def terms(book: str) -> Terms:
    return terms_of(table_file(book), Library())


def shift(book: str, rounds: int, players: int, seed: int = 1) -> list[Event]:
    """The events of a table that is opened, played at and closed."""
    at = AtTheTable(terms(book), seed)
    seats = range(1, min(players, at.terms.seats) + 1)
    at.opens().sits(*seats)
    for _ in range(rounds):
        at.plays(*seats)
    for seat in seats:
        if balance := at.table.seat(seat).balance:
            at.does(events.CashedOut, seat=seat, transfer=f"c{seat}", cents=balance)
        at.does(events.PlayerLeft, seat=seat)
    at.does(events.TableClosed, by=FLOOR)
    return at.taken


def day_by_day(shifts: Sequence[Sequence[Event]]) -> Iterator[Event]:
    """One shift a day, the same ones again and again."""
    for day, taken in zip(count(), cycle(shifts), strict=False):
        for event in taken:
            yield replace(event, at=event.at + day * DAY)

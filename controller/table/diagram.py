"""The transition table, drawn: a Mermaid diagram of the phases and a list of the events."""

from __future__ import annotations

from collections.abc import Iterator
from typing import get_args

from msgspec.inspect import StructType, type_info

from controller.table.people import Role
from controller.table.transitions import EVERY, TRANSITIONS, Rule


def named(event: type) -> str:
    """The tag of an event, as the journal has it."""
    info = type_info(event)
    assert isinstance(info, StructType)
    return str(info.tag)


def diagram() -> str:
    """The phases and the events that lead from one to another."""
    arrows: dict[tuple[str, str], list[str]] = {}
    for event, rule in TRANSITIONS.items():
        for start in rule.leads_from or rule.phases:
            for end in rule.leads_to:
                if start != end:
                    arrows.setdefault((start, end), []).append(named(event))
    lines = ["stateDiagram-v2", "    [*] --> closed"]
    for (before, after), kinds in sorted(arrows.items(), key=lambda a: _place(*a[0])):
        shown = kinds if len(kinds) <= 3 else [*kinds[:2], f"and {len(kinds) - 2} more"]
        lines.append(f"    {before} --> {after}: {', '.join(shown)}")
    return "\n".join(lines)


def _place(start: str, end: str) -> tuple[int, int]:
    order = list(map(str, EVERY))
    return order.index(start), order.index(end)


def listing() -> str:
    """Every event as a row: where it may happen, whose act it is, what blocks it."""
    head = ("event", "phases", "by", "blocked by a hold on", "may lead to")
    rows = [f"| {' | '.join(head)} |", "| --- | --- | --- | --- | --- |"]
    rows += [_row(named(event), rule) for event, rule in TRANSITIONS.items()]
    return "\n".join(rows)


def _row(name: str, rule: Rule) -> str:
    phases = "any" if rule.phases == EVERY else ", ".join(rule.phases)
    by = rule.role if rule.role in (None, *get_args(Role)) else "as the rulebook says"
    cells = (f"`{name}`", phases, by or "", ", ".join(rule.blocked_by), ", ".join(rule.leads_to))
    return f"| {' | '.join(cells)} |"


def page() -> Iterator[str]:
    """The generated part of docs/table.md."""
    yield "```mermaid"
    yield diagram()
    yield "```"
    yield ""
    yield listing()

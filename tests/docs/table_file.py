"""What docs/table-file.md says of each key: drawn from the models and from the rulebooks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from controller.library import Library
from controller.reference.keys import Key, of_drivers, of_models, of_rulebooks

#: Blocks of the page, and the keys in each: those that begin so.
SECTIONS = {
    "what is played": ("id", "rulebook", "method", "decks", "ante", "meter_limits", "wrong_pins"),
    "devices": ("devices",),
    "people": ("people",),
    "options": ("options",),
    "service": ("service",),
    "wires": ("wires",),
    "approved": ("approved", "serial_numbers"),
}


def blocks() -> dict[str, str]:
    library, known = Library(), list(of_models())
    found = {
        name: _table(one for one in known if _top(one) in tops) for name, tops in SECTIONS.items()
    }
    # Whatever is new in the models stands on the page too.
    told = {top for tops in SECTIONS.values() for top in tops}
    if left := [one.path for one in known if _top(one) not in told]:
        raise ValueError(f"these keys are in no section of docs/table-file.md: {left}")
    found["driver options"] = _table(of_drivers())
    return {**found, "choices": "\n".join(_choices(library))}


def _top(one: Key) -> str:
    return one.path.partition(".")[0].removesuffix("[]")


def _choices(library: Library) -> Iterator[str]:
    of = list(of_rulebooks(library))
    for id_ in library:
        book = library.rulebook(id_)
        yield f"### {id_}: {book.title}, {book.jurisdiction}"
        yield ""
        yield _table((one for one in of if one.rulebook == id_), is_choice=True)
        yield ""


def _table(some: Iterable[Key], *, is_choice: bool = False) -> str:
    """A row each: the key, what it means, what it may be, what is so without it, an example."""
    head = ("key", "", "may be", "left out", "e.g.")
    rows = [head, ("---",) * len(head)]
    for one in some:
        path = one.name if is_choice else one.path
        says = f"{one.says} {_clause(one)}".strip()
        without = "" if one.left_out == "none" and is_choice else one.left_out
        rows.append((f"`{path}`", says, one.may_be, without, f"`{one.line}`"))
    return "\n".join(f"| {' | '.join(_cell(cell) for cell in row)} |" for row in rows)


def _clause(one: Key) -> str:
    return f"({one.clause})" if one.clause else ""


def _cell(text: str) -> str:
    return text.replace("|", "\\|")

"""The duties on docs/protocol.md: a table for each kind of device, and what is tried with it."""

from __future__ import annotations

from controller.library import Library
from drivers.duties import DUTIES, WORKS
from drivers.duties.shape import Duty
from drivers.wire import messages

_HEAD = (
    "| duty | due | needed | if it does not come, felt | kept without power |",
    "| --- | --- | --- | --- | --- |",
)


def table(device: str) -> str:
    """What one kind of device does by itself; "" for what all of them do."""
    rows = [_row(duty) for duty in DUTIES if duty.device == device]
    return "\n".join((*_HEAD, *rows))


def works() -> str:
    return "\n".join(
        f"{number}. {one.sentence} (`{one.id}`){';' if number < len(WORKS) else '.'}"
        for number, one in enumerate(WORKS, 1)
    )


def terminal_choices() -> str:
    """Which choice of which rulebook gives a terminal something to do."""
    found: list[str] = []
    library = Library()
    for book in library:
        rulebook = library.rulebook(book)
        made = {name: one for name, one in rulebook.wagers.items() if one.on == "terminal"}
        for choice in sorted({one.offered_by for one in made.values() if one.offered_by}):
            wagers = ", ".join(f"`{name}`" for name, one in made.items())
            found.append(f"- `{book}` with `{choice} = true` under `[options]`: {wagers}")
    return "\n".join(found)


def _row(duty: Duty) -> str:
    what = f"`{duty.id}`: {_linked(duty)}"
    without = f"{duty.without}: *{duty.hold}*" if duty.hold else duty.without
    cells = (what, duty.due, _needed(duty), without, duty.keeps or "nothing")
    return f"| {' | '.join(cells)} |"


def _linked(duty: Duty) -> str:
    """The sentence; the message in it leads to where its bytes are."""
    if not duty.message:
        return duty.sentence
    kind = messages.BY_NAME[duty.message]
    link = f"[`{duty.message}`](#0x{kind.code:02x}-{duty.message})"
    return duty.sentence.replace(f"`{duty.message}`", link, 1)


def _needed(duty: Duty) -> str:
    match duty.need:
        case "required":
            return "yes"
        case "optional":
            return "no"
    is_word = duty.given in ("counts", "reads", "offers")
    return f"with `{duty.given}`" if is_word else f"with {duty.given}"

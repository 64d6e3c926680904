"""What a shoe or a shuffler says of its cards and the table does not take: people must know of it.

It has cards that the table knows nothing of, and says so once. Refused and no more, the table would
wait for what the device believes to have done, with everything else in order.
"""

from __future__ import annotations

from controller.table import events
from controller.table.events import Event
from controller.table.state import Table
from controller.table.terms import Terms

NOT_TAKEN = "what it says of its cards was not taken: "
#: A cause that is longer could not be on record.
_WORDS = 500


def unbelieved(terms: Terms, table: Table, event: Event, refused: str) -> tuple[str, str]:
    """The device and what is wrong, after a refusal; nothing where it changes nothing."""
    device = _doubted(terms, table, event)
    return (device, f"{NOT_TAKEN}{refused}"[:_WORDS]) if device else ("", "")


def _doubted(terms: Terms, table: Table, event: Event) -> str:
    if table.phase in ("closed", "opening"):
        return ""  # its cards are those of another day
    match event:
        case events.DeckLoaded():
            return "shoe" if table.phase == "shuffling" else ""
        case events.ShufflerReported(holds=deck) if deck is not None:
            doubtful = _is_unknown(table, deck)
        case events.ShuffleCompleted(deck=deck, count=count):
            doubtful = _is_unknown(table, deck) or (count is None and terms.shuffler_counts is True)
        case events.ShuffleStarted(deck=deck) | events.ShuffleFailed(deck=deck):
            doubtful = _is_unknown(table, deck)
        case _:
            doubtful = False
    return "shuffler" if doubtful else ""


def _is_unknown(table: Table, deck: str) -> bool:
    return deck != events.UNNAMED and all(one.id != deck for one in table.decks)

"""Presses that mean now: one that was kept back for longer than it makes sense is not done.

A device keeps what it has said until felt has it, over a cable that is out and over a felt that is
away. For what happened that is right: a card that was dealt was dealt. But who presses a button
means the table as it stands at that moment, and sees that nothing comes of it. Done a minute later,
it would deal while hands are in the way, lock out wagers that nobody called an end to, or void a
round that was never meant.
"""

from __future__ import annotations

from msgspec import UNSET
from msgspec.structs import replace

from controller.rules.faults import Refused
from controller.table import events

#: Milliseconds for which a press counts: longer than a wire that is in order ever takes to repeat
#: it, and shorter than anybody waits for a button that did nothing.
COUNTS_FOR = 5_000

#: What somebody pressed, in the words of a refusal.
_PRESSES: dict[type[events.Happening], str] = {
    events.LockOutPressed: "the lock-out",
    events.DealPressed: "the deal",
    events.RoundVoided: "the void",
    events.PlayerDecided: "the decision",
}


def waited(event: events.Event, milliseconds: int) -> events.Event:
    """The event, if it waited for so long for those before it: a disk may take its time.

    Only of presses, for which it matters, and only if it does.
    """
    if type(event) not in _PRESSES or event.kept is None:
        return event
    kept = milliseconds + (0 if event.kept is UNSET else event.kept)
    return replace(event, kept=kept) if kept > COUNTS_FOR else event


def must_mean_now(event: events.Event) -> None:
    """Refuse a press that was kept for too long, or nobody knows for how long."""
    what = _PRESSES.get(type(event))
    kept = event.kept
    if what is None or kept is UNSET or (kept is not None and kept <= COUNTS_FOR):
        return
    if kept is None:
        problem = f"{what} was pressed before felt heard of it again, nobody knows how long ago"
    else:
        problem = f"{what} may have been pressed {kept // 1000} s ago"
    raise Refused("", problem, "wait two seconds, and press it again if it is still meant")

"""What the broker inside felt turned away, by kind: counted, and known as long as it goes on."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable
from typing import Literal

Kind = Literal[
    "no account",
    "no word",
    "no connect",
    "crowd",
    "id of another",
    "will of another",
    "topic",
    "filter",
    "kept",
    "too long",
    "not spoken here",
    "held back",
    "not read",
]

#: In words, as they stand after "the broker ... turns away".
WORDS: dict[Kind, str] = {
    "no account": "whoever has no account, or another password",
    "no word": "whoever connects and never says who it is",
    "no connect": "whoever begins with something that is no CONNECT",
    "crowd": "connections that are too many at once",
    "id of another": "client ids that are somebody else's",
    "will of another": "wills in the name of somebody else",
    "topic": "what an account says where it may not",
    "filter": "what an account wants to hear and may not",
    "kept": "what an account wants kept where nothing is kept",
    "too long": "packets that are too long",
    "not spoken here": "packets that nobody here sends",
    "held back": "what an account says faster than it is asked",
    "not read": "an account that does not read what it is sent",
}

#: So many of a kind within so long, and the last not older than that: it goes on.
OFTEN = 5
WITHIN_S = 30.0


class Turned:
    """``said`` gets a sentence at the first of a kind, the tenth, the hundredth, and so on."""

    def __init__(self, now: Callable[[], float], said: Callable[[str], None]) -> None:
        self.counts: Counter[Kind] = Counter()
        self._now = now
        self._said = said
        self._lately: dict[Kind, deque[float]] = {}

    def away(self, kind: Kind, who: str = "") -> None:
        self.counts[kind] += 1
        self._lately.setdefault(kind, deque(maxlen=OFTEN)).append(self._now())
        count = self.counts[kind]
        if count == 10 ** (len(str(count)) - 1):
            times = "for the first time" if count == 1 else f"{count} times by now"
            self._said(f"turned away, {times}: {WORDS[kind]}{f' ({who})' if who else ''}")

    def going_on(self) -> list[Kind]:
        """What happens again and again, now."""
        since = self._now() - WITHIN_S
        return [
            kind
            for kind, lately in self._lately.items()
            if len(lately) == OFTEN and lately[0] > since
        ]

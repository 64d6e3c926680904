"""How often a dealer touches the page in a round, and how long a practised hand takes for it.

Whole rounds with every seat taken are played from the page in a real browser, on a table of its
own process: what is touched is counted, and so are the cards that are keyed in where no shoe reads
them. The time is what the keystroke-level model says of a practised hand, not what this machine
took. Beside it stands the same round, its acts as the journal has them, by ``felt act``.

    python -m benchmarks.touches [--every]
"""

from __future__ import annotations

import argparse
import asyncio
import re
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

from tests.controller.console.dealing import TOUCH, Dealer, dealing
from tests.controller.console.demonstrating import browser, demonstration
from tests.controller.console.recorded import Act, acts_of
from tests.scenarios.test_play import table

#: A dealer's touches in a round, besides the cards that are keyed in.
MOST = 30
#: Operators of the keystroke-level model (Card, Moran and Newell), in seconds: to see what is due
#: and to make up one's mind; to bring the hand to a target, theirs for a mouse; to press a key as a
#: good typist. What is held down adds what it has to be held.
MIND_S, POINT_S, KEY_S, HOLD_S = 1.35, 1.10, 0.20, 1.00
#: Text, way of dealing, seats, and what else the demonstration is told.
USUAL = [
    ("pa-639a", "automated shoe", 7, ()),
    ("pa-639a", "automated shoe", 7, ("--no-faces",)),
    ("pa-669a", "automated shoe", 6, ()),
]
OTHERS = [
    ("ma", "automated shoe", 7, ()),
    ("s10", "automated shoe", 7, ()),
    ("s10", "manual shoe", 7, ()),
    ("pa-639a", "hand", 7, ()),
    ("pa-682a", "hand", 6, ()),
    ("pa-683a", "automated shoe", 6, ()),
    ("pa-683a", "manual shoe", 6, ()),
]
#: A digit of a number that is keyed in: after the first of them there is nothing to think about.
_DIGIT = re.compile(r".*: \d$")
_AS = " --as dealer-1"
#: What the daemon knows of an act, so that nobody says it.
_KNOWN = ("kind", "at", "by", "id")


class Played(NamedTuple):
    seats: int
    touches: int
    cards: int
    page_s: float
    keystrokes: int
    commands: int
    line_s: float


async def played(book: str, method: str, seats: int, words: tuple[str, ...]) -> Played:
    data = table(book, method)
    data["options"]["seats"] = seats
    with tempfile.TemporaryDirectory() as name:
        async with demonstration(Path(name), data, *words) as felt, browser(**TOUCH) as context:
            async with dealing(felt, context) as dealer:
                number = await dealer.plays()
            await felt.ends()
            acts = [one for one in acts_of(felt.folder, number) if one.is_keyed]
    lines = [line(one, set(dealer.keyed)) for one in acts]
    keystrokes = sum(len(one) + 1 for one in lines)
    return Played(
        seats=len({one.body["seat"] for one in acts if one.kind == "wager_placed"}),
        touches=len(dealer.touched),
        cards=len(dealer.keyed),
        page_s=by_hand(dealer),
        keystrokes=keystrokes,
        commands=len(lines),
        line_s=len(lines) * MIND_S + keystrokes * KEY_S,
    )


def by_hand(dealer: Dealer) -> float:
    """To look up before each button and each hand, and then touch by touch."""
    hands = sum(1 for one in dealer.hands if one)
    looks = sum(1 for name in dealer.touched if not _DIGIT.match(name)) + hands
    touches = len(dealer.touched) + len(dealer.keyed)
    return looks * MIND_S + touches * POINT_S + len(dealer.held) * HOLD_S


def line(act: Act, keyed: set[str]) -> str:
    """As somebody types it; cards that a shoe has read are left out."""
    facts = {name: value for name, value in act.body.items() if name not in _KNOWN}
    said = [f"felt act {act.kind}"]
    for name, value in facts.items():
        if value is None or (name == "tender" and value == "chips"):
            continue
        if name in ("card", "cards") and isinstance(value, str):
            if not set(value.split()) & keyed:
                continue
            value = f'"{value}"'  # noqa: PLW2901 - as a shell wants it
        said.append(f"{name}={value}")
    return " ".join(said) + _AS


def main(words: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="benchmarks.touches", description=__doc__)
    parser.add_argument("--every", action="store_true", help="all six texts, each way of dealing")
    given = parser.parse_args([] if words is None else words)
    print("A round from the dealer's page, and the same by felt act, by a practised hand:")
    most = 0
    for book, method, seats, more in [*USUAL, *(OTHERS if given.every else ())]:
        one = asyncio.run(played(book, method, seats, more))
        reads = method == "automated shoe" and "--no-faces" not in more
        how = f"{method}{', reads faces' if reads else ''}"
        cards = f" and {one.cards} cards" if one.cards else ""
        print(f"  {book}, {how}, {one.seats} of {seats} seats play: {one.touches} touches{cards}")
        print(
            f"    {one.page_s:.0f} s at the page; by felt act {one.commands} commands, "
            f"{one.keystrokes} keystrokes, {one.line_s:.0f} s: {one.line_s / one.page_s:.1f} times"
        )
        most = max(most, one.touches)
    print(f"  at most {most} touches besides cards, of {MOST}")
    return 0 if most <= MOST else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

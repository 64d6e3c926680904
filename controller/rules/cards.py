"""The 52 cards, as small integers.

A card is ``rank * 4 + suit``: rank 0 is the two and 12 the ace, suits in the order
clubs, diamonds, hearts, spades. Integers because a hand is evaluated millions of times
when odds are worked out; text appears only where a person reads or types.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

RANKS = "23456789TJQKA"
SUITS = "cdhs"
DECK = tuple(range(52))

CLUBS, DIAMONDS, HEARTS, SPADES = range(4)
TWO, THREE, FOUR, FIVE, SIX, SEVEN, EIGHT, NINE, TEN, JACK, QUEEN, KING, ACE = range(13)

#: What a dealer calls a rank: the singular, then the plural.
RANK_NAMES = (
    ("2", "2s"),
    ("3", "3s"),
    ("4", "4s"),
    ("5", "5s"),
    ("6", "6s"),
    ("7", "7s"),
    ("8", "8s"),
    ("9", "9s"),
    ("10", "10s"),
    ("jack", "jacks"),
    ("queen", "queens"),
    ("king", "kings"),
    ("ace", "aces"),
)

_CARD_OF = {rank + suit: r * 4 + s for r, rank in enumerate(RANKS) for s, suit in enumerate(SUITS)}
_TEXT_OF = tuple(RANKS[card >> 2] + SUITS[card & 3] for card in DECK)


class CardError(ValueError):
    """Text that is not a card, or not a set of cards."""


def card(text: str) -> int:
    """The card that ``text`` names: rank then suit, such as ``As`` or ``Td``."""
    try:
        return _CARD_OF[text]
    except KeyError:
        raise CardError(
            f"{text!r} is not a card; a card is a rank ({' '.join(RANKS)}) "
            f"followed by a suit ({' '.join(SUITS)}), such as As or Td"
        ) from None


def cards(text: str) -> tuple[int, ...]:
    """The cards that ``text`` names, separated by spaces, each at most once."""
    found = tuple(card(word) for word in text.split())
    if len(set(found)) != len(found):
        twice = next(c for n, c in enumerate(found) if c in found[:n])
        raise CardError(f"{name(twice)} appears twice")
    return found


def name(one: int) -> str:
    """The text of one card."""
    return _TEXT_OF[one]


def names(some: Iterable[int]) -> str:
    """The text of several cards, in the order given."""
    return " ".join(_TEXT_OF[one] for one in some)


def rank(one: int) -> int:
    return one >> 2


def suit(one: int) -> int:
    return one & 3


def is_red(one: int) -> bool:
    return one & 3 in (DIAMONDS, HEARTS)


def reds(some: Sequence[int]) -> int:
    """How many of the cards are red."""
    return sum(map(is_red, some))

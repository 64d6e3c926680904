"""The top of the table: where every card and every cent lies, and who hands them to whom.

Devices take and give what lies in their own places, people move the rest. A card is always in
exactly one place, so what a simulated shoe dispenses is what somebody put into it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

DECK_OF_CARDS = 52

#: The dealer's hands, the discard rack, and where a card is that nobody has seen fall.
HANDS, RACK, FLOOR = "hands", "rack", "floor"
#: The devices' own places: inside the shuffler and the shoe, and where a stack comes out.
SHUFFLER, SHOE, TRAY = "shuffler", "shoe", "tray"
_IN_DEVICES = (SHUFFLER, SHOE, TRAY)


class Impossible(RuntimeError):
    """Somebody moves what is not there: a mistake in whoever plays, not in felt."""


@dataclass(frozen=True, slots=True)
class Card:
    deck: str
    #: 4 x rank + suit, as it is on the wire.
    face: int
    face_up: bool = False


class TableTop:
    def __init__(self) -> None:
        #: By place; the card that is dealt next lies first.
        self.piles: dict[str, list[Card]] = {}
        #: Cents by place; all of them together never change but by ``fund``.
        self.money: Counter[str] = Counter()

    # --- Cards, as people handle them -------------------------------------------

    def bring(self, deck: str) -> None:
        """A new deck, in the order of the factory, in the dealer's hands."""
        if self.count_of(deck):
            raise Impossible(f"deck {deck} is on the table already")
        self._pile(HANDS).extend(Card(deck, face) for face in range(DECK_OF_CARDS))

    def remove(self, deck: str) -> None:
        for pile in self.piles.values():
            pile[:] = [card for card in pile if card.deck != deck]

    def gather(self, deck: str) -> None:
        """Every card of the deck that lies outside of a device, into the dealer's hands."""
        for place, pile in list(self.piles.items()):
            if place in (HANDS, FLOOR, *_IN_DEVICES):
                continue
            found = [card for card in pile if card.deck == deck]
            pile[:] = [card for card in pile if card.deck != deck]
            self._pile(HANDS).extend(replace(card, face_up=False) for card in found)

    def put_into_shuffler(self, deck: str) -> None:
        self.gather(deck)
        self._move_deck(deck, HANDS, SHUFFLER)

    def take_from_shuffler(self) -> None:
        self.move(SHUFFLER, HANDS)

    def put_into_shoe(self, deck: str) -> None:
        """From the dealer's hands, or straight out of the shuffler."""
        source = HANDS if any(card.deck == deck for card in self._pile(HANDS)) else SHUFFLER
        self._move_deck(deck, source, SHOE)

    def set_apart(self, deck: str) -> None:
        """A deck that plays no more: out of devices and hands, where nobody deals from it."""
        for place in (HANDS, *_IN_DEVICES):
            self._move_deck(deck, place, RACK)

    def take_stack(self, to: int | str) -> int:
        """The stack that lies in the shoe's tray, to a seat or a place; its number of cards."""
        return self.move(TRAY, to)

    def deal(self, to: int | str, cards: int, source: str = SHOE) -> None:
        self.move(source, to, cards)

    def take_stub(self, source: str = SHOE) -> int:
        return self.move(source, RACK)

    def rack(self) -> None:
        """All that lies on the layout."""
        for place in list(self.piles):
            if place not in (HANDS, FLOOR, RACK, SHUFFLER, SHOE):
                self.move(place, RACK)

    def lose(self, place: int | str, cards: int = 1) -> None:
        self.move(place, FLOOR, cards)

    def turn_up(self, place: int | str, nth: int = 0) -> None:
        """A card that lies the wrong way round."""
        pile = self._pile(place)
        pile[nth] = replace(pile[nth], face_up=True)

    # --- Cards, as anybody handles them -----------------------------------------

    def move(self, source: int | str, to: int | str, cards: int | None = None) -> int:
        """The first cards of one place, in their order, below those of another; how many."""
        pile = self._pile(source)
        some = len(pile) if cards is None else cards
        if some > len(pile):
            raise Impossible(f"{some} cards from {source}, where {len(pile)} lie")
        self._pile(to).extend(pile[:some])
        del pile[:some]
        return some

    def take_out(self, source: int | str, card: Card, to: int | str) -> None:
        """One card from among others."""
        pile = self._pile(source)
        if card not in pile:
            raise Impossible(f"{card} does not lie at {source}")
        pile.remove(card)
        self._pile(to).append(card)

    def arrange(self, place: int | str, cards: Iterable[Card]) -> None:
        """The same cards in another order: what a shuffler does."""
        pile, ordered = self._pile(place), list(cards)
        if Counter(pile) != Counter(ordered):
            raise Impossible(f"the cards at {place} would be other cards")
        pile[:] = ordered

    def exchange(self, deck: str, place: int | str, first: int, faces: Sequence[int]) -> None:
        """Have these faces lie at a place, from its ``first`` card on: they change with others."""
        pile, end = self._pile(place), first + len(faces)
        spare = [n for n, card in enumerate(pile[first:end], first) if card.face not in faces]
        missing = set(faces) - {card.face for card in pile[first:end]}
        for other in self.piles.values():
            for n, card in enumerate(other):
                if spare and card.deck == deck and card.face in missing:
                    missing.discard(card.face)
                    mine = spare.pop(0)
                    other[n], pile[mine] = pile[mine], card

    def cards(self, place: int | str) -> tuple[Card, ...]:
        return tuple(self._pile(place))

    def at(self, place: int | str) -> list[int]:
        """The faces that lie at a seat or a place, in the order in which they came."""
        return [card.face for card in self._pile(place)]

    def count(self, place: int | str) -> int:
        return len(self._pile(place))

    def deck_at(self, place: int | str) -> str:
        """Whose cards lie there; "" if none do."""
        pile = self._pile(place)
        return Counter(card.deck for card in pile).most_common(1)[0][0] if pile else ""

    def count_of(self, deck: str) -> int:
        return sum(card.deck == deck for pile in self.piles.values() for card in pile)

    def _move_deck(self, deck: str, source: str, to: str) -> None:
        pile = self._pile(source)
        self._pile(to).extend(card for card in pile if card.deck == deck)
        pile[:] = [card for card in pile if card.deck != deck]

    def _pile(self, place: int | str) -> list[Card]:
        name = f"seat {place}" if isinstance(place, int) else place
        return self.piles.setdefault(name, [])

    # --- Money ------------------------------------------------------------------

    def fund(self, place: str, cents: int) -> None:
        self.money[place] += cents

    def pay(self, source: str, to: str, cents: int) -> None:
        self.money[source] -= cents
        self.money[to] += cents

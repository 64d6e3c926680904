"""What one table plays with: its ruleset, seats, devices and limits. It never changes in play."""

from __future__ import annotations

from dataclasses import dataclass, field

from controller.rules.faults import Refused, listed
from controller.rules.rulebook import DrawName
from controller.rules.ruleset import Ruleset

HOUR = 3_600_000
#: How long before a deck falls due the dealer is warned.
WARNING = 15 * 60_000

#: Which clause wants a shuffler where cards are dealt from the hand. It holds in every rulebook,
#: those of which no clause is known here included.
_HAND_NEEDS_SHUFFLER = {
    "pa-639a": "PA-639a.9(a)(1)",
    "pa-669a": "PA-669a.9(a)(1)",
    "pa-682a": "PA-682a.9(a)(1)",
    "pa-683a": "PA-683a.9(a)(1)",
    "s10": "S10.(h)(2)(i)",
    "ma": "MA.8(c)(1)",
}


@dataclass(frozen=True, slots=True)
class Terms:
    id: str
    ruleset: Ruleset
    seats: int
    method: str
    decks: int = 1
    #: None without an automated shuffler; otherwise whether it counts.
    shuffler_counts: bool | None = None
    #: Limits on the Ante, in cents.
    least_ante: int = 1
    most_ante: int = 10**9
    #: Draw a card or a seat once in so many rounds.
    draw_every: dict[DrawName, int] = field(default_factory=dict)
    #: The shuffler is a device that reshuffles and counts by itself: its laboratory approval.
    reshuffle_approval: str | None = None
    #: How many cards the automated shoe is set to; the rulebook's number unless it says so.
    stack_of: int | None = None
    #: The approved procedure that people follow after a shuffler failed, where there is one.
    shuffler_procedure: str = ""

    #: Cents above which the levels of a meter do not rise; the rest is overflow.
    meter_limits: dict[str, int] = field(default_factory=dict)

    @property
    def has_shuffler(self) -> bool:
        return self.shuffler_counts is not None

    @property
    def acceptors(self) -> bool:
        return self.ruleset.offers("progressive")

    @property
    def terminals(self) -> bool:
        return self.ruleset.offers("five_card_player")

    @property
    def hand_needs_shuffler(self) -> str:
        """The clause by which dealing from the hand needs a shuffler."""
        return _HAND_NEEDS_SHUFFLER.get(self.ruleset.rulebook.id, "")

    def deck_life(self, method: str) -> int:
        """Milliseconds after which a deck that is dealt this way must be changed."""
        lives = {str(k): v.is_ for k, v in self.ruleset.rulebook.procedures.deck_life_hours.items()}
        return lives[method] * HOUR

    def deck_life_clause(self, method: str) -> str:
        lives = self.ruleset.rulebook.procedures.deck_life_hours
        return {str(k): v.clause for k, v in lives.items()}[method]


def checked(terms: Terms) -> Terms:
    """The same terms; ``Refused`` where the rulebook does not let a table play with them."""
    _seats(terms)
    _method(terms)
    _decks(terms)
    _reshuffling(terms)
    return terms


def _seats(terms: Terms) -> None:
    most = terms.ruleset.rulebook.seats
    chosen = terms.ruleset.options.get("seats", most.most)
    if not 1 <= terms.seats <= most.most:
        raise Refused("seats", f"{terms.seats} seats", f"1 to {most.most}", most.clause)
    if terms.seats > chosen:
        raise Refused("seats", f"{terms.seats} seats", f"the choice is {chosen}", most.clause)


def _method(terms: Terms) -> None:
    procedures = terms.ruleset.rulebook.procedures
    methods = [str(method) for method in procedures.deck_life_hours]
    if terms.method not in methods:
        raise Refused("method", f"{terms.method!r} is no way of dealing", listed(methods))
    if terms.method == "hand" and not terms.has_shuffler:
        raise Refused(
            "method",
            "dealing from the hand needs an automated shuffler",
            "configure a shuffler or a shoe",
            terms.hand_needs_shuffler,
        )
    stack = procedures.stack_of
    if terms.stack_of not in (None, stack.is_):
        problem = f"the shoe deals stacks of {terms.stack_of}"
        raise Refused("stack_of", problem, f"set it to {stack.is_}", stack.clause)


def _decks(terms: Terms) -> None:
    procedures = terms.ruleset.rulebook.procedures
    if terms.decks not in (1, 2):
        clause = procedures.accessory_cards.clause
        raise Refused("decks", f"{terms.decks} decks", "one, or two with a shuffler", clause)
    rule = procedures.second_deck_needs_shuffler
    if terms.decks == 2 and rule.is_ and not terms.has_shuffler:
        raise Refused(
            "decks",
            "two decks need an automated shuffler",
            "configure a shuffler or one deck",
            rule.clause,
        )


def _reshuffling(terms: Terms) -> None:
    if terms.reshuffle_approval is None:
        return
    rule = terms.ruleset.rulebook.procedures.reshuffle_and_count_device
    if rule is None or not rule.is_:
        book = terms.ruleset.rulebook.id
        problem = f"{book} knows no device that reshuffles and counts by itself"
        raise Refused("reshuffle_approval", problem, "leave it out")
    if not terms.reshuffle_approval.strip():
        problem = "a device that reshuffles and counts needs its laboratory's approval"
        raise Refused("reshuffle_approval", problem, "name the approval", rule.clause)
    if not terms.shuffler_counts:
        problem = "a device that reshuffles and counts is a shuffler that counts"
        raise Refused("shuffler_counts", problem, "set it to true", rule.clause)

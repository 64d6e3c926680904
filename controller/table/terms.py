"""What one table plays with: its ruleset, seats, devices and limits. It never changes in play."""

from __future__ import annotations

from dataclasses import dataclass, field

from controller.rules.faults import Refused, listed
from controller.rules.paytables import dollars
from controller.rules.rulebook import DrawName
from controller.rules.ruleset import Ruleset, limit_must_be_high_enough
from controller.rules.wagering import boxes_allowed
from controller.table.people import Role

HOUR = 3_600_000
#: How long before a deck falls due the dealer is warned.
WARNING = 15 * 60_000


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
    #: The approval of an automated shoe, its place and the procedure for its use.
    shoe_approval: str = ""
    #: Cents above which the levels of a meter do not rise; the rest is overflow.
    meter_limits: dict[str, int] = field(default_factory=dict)
    #: Who may act at this table, in which roles; nobody listed: whoever says so.
    people: dict[str, tuple[Role, ...]] = field(default_factory=dict)
    #: After so many wrong PINs in a row at one place a person is locked out there.
    wrong_pins: int = 3

    @property
    def wrong_pins_in_all(self) -> int:
        """After so many of a shift, wherever they were given, a credential is locked everywhere."""
        # Three places may be tried to their end before the person has to mistype.
        return 3 * self.wrong_pins + 1

    @property
    def has_shuffler(self) -> bool:
        return self.shuffler_counts is not None

    @property
    def acceptors(self) -> bool:
        return self.ruleset.offers("progressive")

    @property
    def linked(self) -> bool:
        """Whether the progressive is shared with other tables."""
        return self.acceptors and bool(self.ruleset.options.get("linked"))

    def wager_on(self, meter: str) -> int:
        """The cents of every wager on a meter, which its seeds scale with."""
        # Tables of earlier felts could leave it open; their meters began for a dollar.
        return self.ruleset.wager_on(meter) or 100

    @property
    def terminals(self) -> bool:
        return self.ruleset.offers("five_card_player")

    def is_electronic(self, wager: str) -> bool:
        """Whether a wager is made with the money on a player's account."""
        found = self.ruleset.rulebook.wagers.get(wager)
        return found is not None and found.on == "terminal"

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
    _cover_all(terms)
    _reshuffling(terms)
    _money(terms)
    _people(terms)
    return terms


def _seats(terms: Terms) -> None:
    most = terms.ruleset.rulebook.seats
    chosen = terms.ruleset.options.get("seats", most.most)
    if not 1 <= terms.seats <= most.most:
        raise Refused("seats", f"{terms.seats} seats", f"1 to {most.most}", most.clause)
    if terms.seats > chosen:
        raise Refused("seats", f"{terms.seats} seats", f"the choice is {chosen}", most.clause)
    boxes, clause = boxes_allowed(terms.ruleset)
    if boxes > terms.seats:
        problem = f"{boxes} boxes for one player at a table with {terms.seats} seats"
        raise Refused("adjacent_boxes", problem, f"at most {terms.seats}", clause)


def _cover_all(terms: Terms) -> None:
    mode = terms.ruleset.rulebook.procedures.cover_all_mode
    if mode is not None and terms.ruleset.offers("cover_all") and not terms.has_shuffler:
        problem = f"Cover All needs a shuffler that is set to {mode.is_!r}"
        raise Refused("cover_all", problem, "configure a shuffler, or leave it out", mode.clause)


def _method(terms: Terms) -> None:
    procedures = terms.ruleset.rulebook.procedures
    methods = [str(method) for method in procedures.deck_life_hours]
    if terms.method not in methods:
        raise Refused("method", f"{terms.method!r} is no way of dealing", listed(methods))
    must_be_equipped(terms, terms.method, shuffler=terms.has_shuffler)
    stack = procedures.stack_of
    if terms.stack_of not in (None, stack.is_):
        problem = f"the shoe deals stacks of {terms.stack_of}"
        raise Refused("stack_of", problem, f"set it to {stack.is_}", stack.clause)


def must_be_equipped(terms: Terms, method: str, *, shuffler: bool) -> None:
    """Refuse a way of dealing for which a table lacks a shuffler in service, or an approval."""
    procedures = terms.ruleset.rulebook.procedures
    hand, shoe = procedures.hand_dealing_needs_shuffler, procedures.shoe_needs_approval
    if method == "hand" and hand.is_ and not shuffler:
        raise Refused(
            "method",
            "dealing from the hand needs an automated shuffler in service",
            "configure a shuffler, or deal from a shoe",
            hand.clause,
        )
    lacks = shoe is not None and shoe.is_ and not terms.shoe_approval.strip()
    if method == "automated shoe" and shoe is not None and lacks:
        raise Refused(
            "shoe_approval",
            "an automated shoe needs an approval of the shoe, its place and its procedure",
            "name the approval",
            shoe.clause,
        )


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


def _money(terms: Terms) -> None:
    if terms.least_ante > terms.most_ante:
        least, most = dollars(terms.least_ante), dollars(terms.most_ante)
        raise Refused("ante", f"the least, {least}, is above the most, {most}")
    limit_must_be_high_enough(terms.ruleset, terms.least_ante)
    for name, cents in terms.meter_limits.items():
        meter = terms.ruleset.meters.get(name)
        if meter is None:
            there = f"there are {listed(terms.ruleset.meters)}"
            raise Refused("meter_limits", f"{name!r} is no meter of this table", there)
        start = max(meter.start_cents(level, terms.wager_on(name)) for level in meter.levels)
        if cents < start:
            problem = f"{dollars(cents)} is less than the meter starts with"
            raise Refused(
                f"meter_limits.{name}", problem, f"at least {dollars(start)}", meter.clause
            )


def _people(terms: Terms) -> None:
    """Where people are listed, they can open the table and deal at it."""
    roles = {role for roles in terms.people.values() for role in roles}
    if not terms.people:
        return
    if "dealer" not in roles:
        raise Refused("people", "nobody is a dealer")
    if not roles & {"floorperson", "supervisor"}:
        raise Refused("people", "nobody is a floorperson or a supervisor", "one opens the table")

"""A rulebook: one regulation as data, checked when it is read.

Everything that differs between two jurisdictions playing the same game stands in a TOML file
of this shape; only how hands rank and how a round runs is code. Every value that a clause
prescribes carries the clause, so that whatever felt does can be looked up in the regulation.
"""

from __future__ import annotations

import tomllib
from collections.abc import Collection, Iterator
from typing import Annotated, Literal, Self

from pydantic import Field, ValidationError, model_validator

from controller.rules.faults import Refused, first_fault, listed
from controller.rules.part import Cited, Clause, Method, Part, Role, Said
from controller.rules.paytables import Kind, Odds, PayTable, Row, odds
from controller.rules.rankings import RANKINGS
from controller.rules.says import Says, Settling, plain

Count = Annotated[int, Field(ge=0)]
Percent = Annotated[int, Field(ge=0, le=100)]
Game = Literal["caribbean-stud", "raise-it-up", "four-card-prime", "cajun-stud"]
DrawName = Literal["magic_card", "lucky"]
#: How a wager can end other than by its paytable; a fold at a later street may have its own clause.
Ending = Literal["fold", "fold 2", "fold 3", "lose", "push", "unqualified", "bad beat"]
LevelName = Literal["main", "mega", "major", "minor"]

#: When a wager may be placed: before "no more bets", or at one of the decisions.
BEFORE_NO_MORE_BETS: Literal["no more bets"] = "no more bets"
Decision = Literal["decision 1", "decision 2", "decision 3"]
Moment = Literal["no more bets", "decision 1", "decision 2", "decision 3"]

#: The only column of a table that is printed with one.
PRINTED = "printed"


class Seats(Cited):
    most: Annotated[int, Field(ge=1, le=8)]


class Hands(Part):
    """How many cards each place gets."""

    player: Count
    dealer: Count = 0
    community: Count = 0
    #: The All-Six cards, dealt only when some seat wagered on them.
    extra: Count = 0


class Dealer(Cited):
    """The hand that the dealer needs for the Bet to be played, and what the Bet is without it."""

    qualifies_with: str
    bet_otherwise: Literal["return", "void"]


class Tender(Part):
    """What wagers may be made with: any, or some; always, or where a choice takes it."""

    wagers: list[str] = Field(default_factory=list)
    choice: str | None = None


class Wager(Cited):
    title: str
    #: The multiples of the Ante at each decision; without any it goes down before "no more bets".
    multiples: dict[Decision, list[int]] = Field(default_factory=dict)
    #: Wagers that the seat must have placed first, and the clause where it is not the wager's own.
    needs: list[str] = Field(default_factory=list)
    needs_by: Clause | None = None
    #: The wager that it must equal in amount.
    equals: str | None = None
    #: The paytable that pays it, where that is not the one of its own name.
    paytable: str | None = None
    #: Where it is placed.
    on: Literal["layout", "acceptor", "terminal"] = "layout"
    #: The choice that offers it; a wager without one is always offered.
    offered_by: str | None = None
    #: What a fold does to it.
    on_fold: Literal["lose", "live"]
    #: The clause for each way in which it can end other than by its paytable.
    ends: dict[Ending, Clause] = Field(default_factory=dict)

    @property
    def moments(self) -> tuple[Moment, ...]:
        return tuple(self.multiples) or (BEFORE_NO_MORE_BETS,)

    @property
    def short(self) -> str:
        """Its title without the word that all of them have."""
        title = self.title.replace(" Wager", "").replace(" wager", "")
        return title[:1].upper() + title[1:]


class Sheet(Part):
    """A table as it is printed: rows of hands, columns of payouts.

    ``{column}`` in the clause stands for the column.
    """

    clause: Clause
    columns: list[str] = Field(min_length=1)
    #: The choice whose value is the column. Left out: the choice named as the wager.
    column_by: str | None = None
    #: A ranking; or, for each value of the choice ``ranking_by``, a ranking.
    ranking: str | dict[str, str]
    ranking_by: str | None = None
    rows: list[list[str]] = Field(min_length=1)

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if len(set(self.columns)) != len(self.columns):
            raise ValueError("a column is named twice")
        _rows_fit(self.rows, len(self.columns))
        if isinstance(self.ranking, dict) != (self.ranking_by is not None):
            raise ValueError("several rankings need 'ranking_by', one ranking must not have it")
        for column in self.columns:
            for value in self.ranking if isinstance(self.ranking, dict) else [None]:
                self.table(column, value)
        return self

    def clause_of(self, column: str) -> str:
        return self.clause.replace("{column}", column)

    def table(self, column: str, ranking_for: str | None = None) -> PayTable:
        """One column, ready to be asked."""
        n = self.columns.index(column) + 1
        named = self.ranking[ranking_for or ""] if isinstance(self.ranking, dict) else self.ranking
        return _table(column, self.clause_of(column), named, [(r[0], r[n]) for r in self.rows])


def _rows_fit(rows: list[list[str]], columns: int) -> None:
    for row in rows:
        if len(row) != columns + 1:
            hand = row[0] if row else ""
            raise ValueError(f"the row {hand!r} has {len(row) - 1} payouts for {columns} columns")


def _table(name: str, clause: str, ranking: str, cells: list[tuple[str, str]]) -> PayTable:
    if ranking not in RANKINGS:
        raise ValueError(f"{ranking!r} is not a ranking; felt knows {listed(RANKINGS)}")
    return PayTable(
        name, clause, RANKINGS[ranking], [Row(hand, odds(cell)) for hand, cell in cells]
    )


class Level(Part):
    """One level of a meter: dollars for each dollar of the wager, and percent of each wager."""

    seed: Count | None = None
    #: Left out, it is the seed.
    reseed: Count | None = None
    rate: Percent | None = None


class Meter(Part):
    """How a progressive meter starts, grows and starts again, for some columns of its table."""

    clause: Clause
    columns: list[str] = Field(min_length=1)
    #: The levels, the top one first.
    levels: dict[LevelName, Level] = Field(min_length=1)
    #: Percent of each wager that goes to the reserve.
    reserve_rate: Percent | None = None
    #: After a 100% award the meter restarts at its reseed, which the reserve helps to fund; or
    #: at whatever the reserve holds.
    restarts_at: Literal["reseed", "reserve"] = "reseed"
    #: The choices that set what the regulation leaves to the operator; where there are several
    #: levels, the rate of each.
    reset_by: str | None = None
    rate_by: str | None = None

    @model_validator(mode="after")
    def _fits(self) -> Self:
        rates = [one.rate for one in self.levels.values()]
        if None in rates and self.rate_by is None:
            raise ValueError("a level has no rate, and no choice in 'rate_by' sets it")
        if sum(rate or 0 for rate in rates) + (self.reserve_rate or 0) > 100:
            raise ValueError("more than the whole wager goes to the levels and the reserve")
        return self

    def clause_of(self, column: str) -> str:
        return self.clause.replace("{column}", column)


class Envy(Part):
    """Sums for another seat's hand, by the receiver's own wager in cents, or for "any" wager."""

    wager: str
    columns: list[str] = Field(min_length=1)
    clauses: dict[str, Clause] = Field(min_length=1)
    ranking: str
    rows: list[list[str]] = Field(min_length=1)

    @model_validator(mode="after")
    def _fits(self) -> Self:
        _rows_fit(self.rows, len(self.clauses))
        for amount in self.clauses:
            if amount != "any" and not amount.isdecimal():
                raise ValueError(f"{amount!r} is neither an amount in cents nor 'any'")
            for column in self.columns:
                self.table(column, amount)
        return self

    def table(self, column: str, amount: str) -> PayTable:
        n = list(self.clauses).index(amount) + 1
        clause = self.clauses[amount].replace("{column}", column)
        return _table(f"envy {amount}", clause, self.ranking, [(r[0], r[n]) for r in self.rows])


class Draw(Cited):
    """A bonus that the system draws for: what it pays on the wager it goes with."""

    pays: str
    #: Wagers on the player's own hand, and on the dealer's.
    own: str
    dealers: str

    @model_validator(mode="after")
    def _fits(self) -> Self:
        self.odds()
        return self

    def odds(self) -> Odds:
        return odds(self.pays)


class With(Part):
    """Another choice, made at all or with one of some values."""

    choice: str
    values: list[str] = Field(default_factory=list)


class Choice(Cited):
    """Something that the regulation leaves to the operator, and within which bounds."""

    says: str
    picks: Literal[
        "column", "offer", "cents", "percent", "number", "one of", "flag", "text", "better odds"
    ]
    #: "table" where only a table file has it, "round" where only the file of a finished round has.
    where: Literal["anywhere", "table", "round"] = "anywhere"
    #: Where a table file says it, if that is not among its options.
    instead: str = ""
    #: It may not be left out: always, or with another choice.
    required: Literal["always"] | With | None = None
    #: "table" where a finished round is settled the same without it and may leave it out.
    required_of: Literal["anywhere", "table"] = "anywhere"
    #: It is refused but with this other choice, because the regulation then fixes the value.
    only: With | None = None
    least: int | None = None
    most: int | None = None
    #: "one of", "cents": the values that it may take.
    of: list[str] | list[int] | None = None
    #: "cents": the values that it may take, by the value of another choice.
    of_with: dict[str, list[int]] = Field(default_factory=dict)
    of_with_choice: str | None = None
    #: "flag": what may not be chosen with it.
    forbids: list[With] = Field(default_factory=list)
    #: "flag": the regulation knows it only switched off.
    never: bool = False
    #: "better odds": the paytable whose printed odds are the least.
    table: str | None = None


class PayoutLimit(Cited):
    """A limit that the operator may set on what is won; never on the stake that comes back."""

    covers: list[str] = Field(min_length=1)
    #: One limit for all covered wagers of a seat in a round, or one for each wager.
    over: Literal["round", "wager"]
    least: Annotated[int, Field(ge=0)]
    #: Hands that are neither counted nor cut.
    spares: list[str] = Field(default_factory=list)
    #: The wagers, in minimum Antes, that "the most one patron could win" is reckoned with.
    minimum_wagers: dict[str, int] = Field(min_length=1)
    #: The hands among which the best win is found: own cards first, then others.
    best_hands: list[str] = Field(min_length=1)


class Validation(Cited):
    """Who must validate payouts of a wager: all, or shares of a meter and the highest odds."""

    wagers: list[str] = Field(min_length=1)
    role: Role
    #: Odds "for 1" from which it applies; shares of a meter always.
    from_odds: Count = 0


class Published(Part):
    """The hold that a board published for the tables of a wager, in percent as it printed it."""

    low: Annotated[str, Field(pattern=r"^\d+(\.\d+)?$")]
    high: Annotated[str, Field(pattern=r"^\d+(\.\d+)?$")]
    of: Literal["stake", "money wagered"]


class Readings(Part):
    """Where a text is unclear or at odds with itself: how felt reads it, for a board to settle."""

    #: Whether a folded hand is a qualifying hand for the envy of others: never, always, or where
    #: the rulebook leaves it on the table for a wager of its player.
    envy_for_folded_hands: Said[bool | Literal["left on the table"]] | None = None
    win_bonus_on_equal_hands: Said[bool] | None = None
    cover_all_counts_folded_hands: Said[bool] | None = None


class Steps(Part):
    """The clauses of what people do with the cards before the deal, as prompts cite them.

    A journal keeps the rulebook that it was begun with: one from before these were kept has none,
    and cards are not shown to a first player by it.
    """

    inspected: Clause | None = None
    verified: Clause | None = None
    spread: Clause | None = None
    shown: Clause | None = None
    washed: Clause | None = None
    shuffled: Clause | None = None
    #: One for each act of the cut, in its order.
    cut: list[Clause] = Field(default_factory=list)
    loaded: dict[Method, Clause] = Field(default_factory=dict)

    def of(self, step: str) -> str:
        """The clause of a step of the checklist; nothing where none is kept."""
        return getattr(self, step) or ""


class Procedures(Part):
    """What the regulations order differently and the table has to follow."""

    accessory_cards: Said[list[str]]
    second_deck_needs_shuffler: Said[bool]
    hand_dealing_needs_shuffler: Said[bool]
    second_deck_same_design: Said[bool] | None = None
    steps: Steps = Steps()
    deck_life_hours: dict[Method, Said[int]]
    #: Whether a deck grows old from when it is opened for use, or from its first round.
    deck_life_from: Said[Literal["opening", "first use"]] | None = None
    preshuffled_decks: Said[bool]
    #: The rules under one of which a deck must have been pre-shuffled.
    preshuffled_under: Said[list[str]] | None = None
    extra_shuffle_ordered_by: Said[Role] | None = None
    cut_at_least: Said[int]
    cut: Said[Literal["top to bottom under the cover card", "onto the cover card"]]
    recut_ordered_by: Said[Role]
    idle_spread: Said[Literal["face down", "face up or down"]]
    reshuffle_and_count_device: Said[bool] | None = None
    wrong_count_removes_deck: Said[list[Method]]
    stub_count_every: dict[Method, Said[int]]
    counting_shuffler_waives_stub_count: Said[list[Method]]
    stack_of: Said[int]
    #: Whether a wager may be increased and withdrawn until "no more bets"; left out, it may not.
    wagers_may_change: Said[bool] | None = None
    #: What the shuffler must say that it is set to where Cover All is offered.
    cover_all_mode: Said[str] | None = None
    #: An automated shoe is used with an approval only; left out, none is asked for.
    shoe_needs_approval: Said[bool] | None = None
    leaving_abandons_wagers: Said[bool]
    communicating_forfeits: Said[bool] | None = None
    decisions_in_order: Said[bool]
    folded_cards_collected: Said[Literal["at once", "after all decisions"]]
    #: Wagers for which a folded hand stays on the table, whether the fold has lost them or not.
    folded_hand_stays_for: Said[list[str]] | None = None
    settlement: Said[Literal["seat by seat", "losers, pushes, winners"]]
    shared_jackpot: Said[Literal["each in turn", "equal shares"]] | None = None
    #: Tables of different games on one jackpot have the same paytable, wager and number of decks.
    linked_tables_alike: Said[bool] | None = None
    #: A hand in which a card was replaced wins nothing from a linked meter: its wager goes back.
    linked_on_dealt_cards_only: Said[bool] | None = None
    odds_stated_with: Said[Literal["to or win", "to or for"]] | None = None
    player_misdealt: Said[Literal["all hands void", "that hand void"]]
    dealer_one_short: Said[Literal["all hands void", "one more card"]] | None = None
    exposed_early: Said[Literal["all wagers returned", "side wagers settled"]]
    #: Who must confirm that an exposed card voids the hands; left out, the report is enough.
    exposure_confirmed_by: Said[Role] | None = None
    #: An automated shoe that gives out fewer cards than it should has failed, whoever they are for.
    short_stack_voids_round: Said[bool] | None = None
    failed_device: Said[Literal["covered or signed", "removed"]]


class Rulebook(Part):
    """One regulation."""

    id: Annotated[str, Field(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$")]
    title: str
    jurisdiction: str
    source: str
    game: Game
    seats: Seats
    #: Boxes that one player may wager on; where the operator sets it, a choice says so.
    boxes: Said[int] | None = None
    hands: Hands
    dealer: Dealer | None = None
    tender: Said[dict[str, Tender]]
    #: The clause that lists the kinds of wagers, where one does.
    wager_kinds: Cited | None = None
    wagers: dict[str, Wager] = Field(min_length=1)
    paytables: dict[str, list[Sheet]] = Field(min_length=1)
    meters: dict[str, list[Meter]] = Field(default_factory=dict)
    envy: list[Envy] = Field(default_factory=list)
    draws: dict[DrawName, Draw] = Field(default_factory=dict)
    choices: dict[str, Choice] = Field(default_factory=dict)
    payout_limit: PayoutLimit | None = None
    validation: list[Validation] = Field(default_factory=list)
    readings: Readings = Readings()
    #: By wager; figures to check felt's own odds against, not to settle anything by.
    published: dict[str, Published] = Field(default_factory=dict)
    procedures: Procedures
    #: What people are told. A rulebook in an older record has none; ``words`` has plain ones then.
    says: Says | None = None

    @model_validator(mode="after")
    def _agrees_with_itself(self) -> Self:
        """Every name that one part uses is one that another part defines."""
        for what, among, where, word in self._references():
            if word not in among:
                raise ValueError(f"{where}: {word!r} is not a {what}; there are {listed(among)}")
        for name, sheets in self.paytables.items():
            columns = [column for sheet in sheets for column in sheet.columns]
            if len(set(columns)) != len(columns):
                raise ValueError(f"paytables.{name}: a column is named twice")
        self._cover_all_covers_all()
        self._says_all_that_is_dealt()
        return self

    def _says_all_that_is_dealt(self) -> None:
        """Whatever is dealt or collected by a way of dealing, there are words for it."""
        if self.says is None:
            return
        for method in self.procedures.deck_life_hours:
            words = self.says.dealing.get(method)
            if words is None:
                raise ValueError(f"says.dealing: nothing for a deal from the {method}")
            needs = {
                "dealer": self.hands.dealer,
                "community": self.hands.community,
                "extra": self.hands.extra and not words.last_stack,
                "chips": "progressive" in self.wagers,
                "chips_away": "progressive" in self.wagers,
                "up_card": self.game == "caribbean-stud",
            }
            for name, needed in needs.items():
                if needed and not getattr(words, name):
                    raise ValueError(f"says.dealing.{method}.{name}: is missing")
        if self.hands.community and not self.says.community:
            raise ValueError("says.community: is missing")
        self._says_all_that_is_settled(self.says.settling)

    def _says_all_that_is_settled(self, words: Settling) -> None:
        devices = {wager.on for wager in self.wagers.values()}
        needs: dict[str, object] = {
            "reveal": self.hands.dealer,
            "extra": self.hands.extra,
            "exposed": "cover_all" in self.wagers,
            "exceeded": "cover_all" in self.wagers,
            "cover_all": "cover_all" in self.wagers,
        }
        for name, needed in needs.items():
            if needed and getattr(words, name) is None:
                raise ValueError(f"says.settling.{name}: is missing")
        for name, given in (
            ("verify", words.verify),
            ("validate", words.validate_),
            ("stays", words.stays),
        ):
            for device in devices - {"layout"} - given.keys():
                raise ValueError(f"says.settling.{name}.{device}: is missing")

    def _cover_all_covers_all(self) -> None:
        """Cover All has a column for every number of hands that the seats and the dealer make."""
        hands = {str(seats + 1) for seats in range(1, self.seats.most + 1)}
        if "cover_all" in self.paytables and set(self.columns("cover_all")) != hands:
            raise ValueError(
                f"paytables.cover_all: needs the columns 2 to {self.seats.most + 1}, "
                f"has {listed(self.columns('cover_all'))}"
            )

    def _references(self) -> Iterator[tuple[str, Collection[str], str, str]]:
        """What a word must be, among which, where it stands, and the word."""
        for name, wager in self.wagers.items():
            for other in filter(None, [*wager.needs, wager.equals]):
                yield "wager", self.wagers, f"wagers.{name}", other
            if wager.offered_by:
                yield "choice", self.choices, f"wagers.{name}.offered_by", wager.offered_by
            yield "paytable", self.paytables, f"wagers.{name}", wager.paytable or name
        for name, choice in self.choices.items():
            for condition in (choice.required, choice.only, *choice.forbids):
                if isinstance(condition, With):
                    yield "choice", self.choices, f"choices.{name}", condition.choice
            if choice.picks == "column":
                yield "paytable", self.paytables, f"choices.{name}", name
        for name, meters in self.meters.items():
            set_by = [by for one in meters for by in (one.reset_by, one.rate_by) if by]
            yield from (
                ("choice", self.choices, f"meters.{name}", word) for word in (name, *set_by)
            )
        for envy in self.envy:
            yield "wager", self.wagers, "envy", envy.wager
        for rule in self.validation:
            yield from (("wager", self.wagers, "validation", word) for word in rule.wagers)
        for word in self.words.wagers_kept():
            yield "wager", self.wagers, "says.fold.stays", word
        yield from (("wager", self.wagers, "published", name) for name in self.published)
        for name, draw in self.draws.items():
            yield from (
                ("wager", self.wagers, f"draws.{name}", w) for w in (draw.own, draw.dealers)
            )

    @property
    def words(self) -> Says:
        """What people are told: by this regulation's clauses, or plainly."""
        return self.says or plain(up_card=self.game == "caribbean-stud")

    def states(self, odds: Odds) -> str:
        """Odds in the words that this regulation allows; one knows only "to" and "win"."""
        stated = self.procedures.odds_stated_with
        win = stated is not None and stated.is_ == "to or win"
        return f"win {odds}" if win and odds.kind in (Kind.SUM, Kind.SHARE) else str(odds)

    def columns(self, table: str) -> list[str]:
        """The columns of a table, over all sheets that print it."""
        return [column for sheet in self.paytables[table] for column in sheet.columns]

    def sheet(self, table: str, column: str) -> Sheet:
        """The printed sheet that has a column."""
        return next(sheet for sheet in self.paytables[table] if column in sheet.columns)


def read_rulebook(text: str) -> Rulebook:
    """The rulebook that a TOML text holds; ``Refused`` says what is wrong with it."""
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise Refused("", f"is not TOML: {error}") from None
    try:
        return Rulebook.model_validate(data)
    except ValidationError as error:
        raise first_fault(error, Rulebook) from None

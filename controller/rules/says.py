"""What a regulation has people told at the table, in its own words and with its clauses.

The table adds who, which seat and how much; here stands what is said. A list has an entry for
each card or each street, and its last entry stands for all that follow.
"""

from __future__ import annotations

from functools import cache
from typing import Annotated, Literal, TypeVar, get_args

from pydantic import Field

from controller.rules.part import Cited, Method, Part

Text = Annotated[str, Field(min_length=3)]


class Words(Cited):
    text: Text


W = TypeVar("W", bound=Words)


def nth(words: list[W], number: int) -> W:
    """What is said of this card or street; the last entry stands for all that follow."""
    return words[min(number, len(words)) - 1]


class Stays(Words):
    """Why a folded hand is left on the table: one of these wagers was made."""

    wagers: list[str] = Field(min_length=1)


class Fold(Words):
    """How the wagers that a fold loses are collected, and what becomes of the cards."""

    cards: Text
    stays: list[Stays] = Field(default_factory=list)


class Dealing(Part):
    """From "no more bets" until the stub is away, for one way of dealing."""

    no_more_bets: Words
    #: The progressive chips: counted, and then put away.
    chips: Words | None = None
    chips_away: Words | None = None
    order: Words
    #: Each card that a place gets, or its stack.
    player: list[Words] = Field(min_length=1)
    dealer: list[Words] = Field(default_factory=list)
    community: list[Words] = Field(default_factory=list)
    extra: list[Words] = Field(default_factory=list)
    #: The last stack of Four Card Prime.
    last_stack: list[Words] = Field(default_factory=list)
    #: The rest of the deck is taken out of the automated shoe and dealt by hand.
    goes_on_by_hand: Words | None = None
    #: The dealer's cards are spread, and one is turned up.
    up_card: Words | None = None
    #: It is turned up after the stub is away, not before.
    up_card_last: bool = False
    stub: Words
    #: What is done with a stub that was counted: when it is right, and when it is not.
    stub_counted: Words
    stub_wrong: Words


class Settling(Part):
    """From the reveal until the last card is in the rack."""

    #: The dealer's cards, where there are any; and below what they need to qualify.
    reveal: Words | None = None
    not_qualified: Words | None = None
    turn: Words
    #: The All-Six cards, for the first seat that wagered on them.
    extra: Words | None = None
    #: By the device that took the wager: what the dealer verifies, and who else does.
    verify: dict[Literal["acceptor", "terminal"], list[Words]] = Field(default_factory=dict)
    validate_: dict[Literal["acceptor", "terminal"], Words] = Field(
        default_factory=dict, alias="validate"
    )
    #: The hand of a player who is not paid from the inventory.
    stays: dict[Literal["acceptor", "terminal"], Words] = Field(default_factory=dict)
    #: With Cover All down: the highest hand so far, one that is not any more, and the wager itself.
    exposed: Words | None = None
    exceeded: Words | None = None
    cover_all: Words | None = None
    #: A hand whose wagers are settled, where the text has it by how they ended; and all that is
    #: left in the end.
    cleared: Words
    cleared_when: dict[Literal["lose", "push"], Words] = Field(default_factory=dict)
    rack: Words
    #: A round that the automated shoe did not deal to its end.
    shoe_failed: Words


class Says(Part):
    dealing: dict[Method, Dealing] = Field(min_length=1)
    #: A wager that came after "no more bets".
    late: Words
    #: While players look at their cards and decide: what the dealer sees to.
    sees_to: list[Words] = Field(default_factory=list)
    #: How each player is asked, by street.
    ask: list[Words] = Field(min_length=1)
    #: What holds for the hand of a player who has decided.
    decided: Words | None = None
    #: What a fold loses, by street.
    fold: list[Fold] = Field(min_length=1)
    #: Wagers that were lost for exchanging information.
    forfeit: Words | None = None
    #: The community cards as they are turned over, by street.
    community: list[Words] = Field(default_factory=list)
    settling: Settling

    def wagers_kept(self) -> list[str]:
        """The wagers for which a folded hand is left on the table."""
        return [word for fold in self.fold for stay in fold.stays for word in stay.wagers]

    def dealt(self, method: str) -> Dealing:
        """What is said while cards are dealt this way."""
        return next(words for known, words in self.dealing.items() if known == method)


@cache
def plain(*, up_card: bool) -> Says:
    """What people are told where a rulebook says nothing: what they do, and no clause."""
    down = [_plainly("face down")]
    dealing = Dealing(
        no_more_bets=_plainly("announce 'no more bets' and press lock-out"),
        chips=_plainly("count the progressive chips in front of the inventory"),
        chips_away=_plainly("place the chips in the inventory"),
        order=_plainly("from the player farthest to your left, clockwise"),
        player=down,
        dealer=[_plainly("face up"), *down] if up_card else down,
        community=down,
        extra=down,
        last_stack=down,
        up_card=_plainly("say which card lies face up") if up_card else None,
        stub=_plainly("rack the stub without exposing it"),
        stub_counted=_plainly("rack the stub without exposing it"),
        stub_wrong=_plainly("if it is another number, find out whether cards were misdealt"),
    )
    stacks = dealing.model_copy(update={"dealer": down})
    methods: tuple[Method, ...] = get_args(Method)
    return Says(
        dealing={one: stacks if one == "automated shoe" else dealing for one in methods},
        late=_plainly("no wager is made after 'no more bets'"),
        ask=[_plainly("ask for a wager, or what else the street leaves")],
        fold=[Fold.model_construct(text="collect what the fold lost", cards="rack it", clause="")],
        forfeit=_plainly("all wagers are forfeited: collect them"),
        community=[_plainly("reveal the next community card")],
        settling=_settled_plainly(),
    )


def _settled_plainly() -> Settling:
    verify, stays = _plainly("verify that the hand is a winning hand"), _plainly("the cards stay")
    return Settling(
        reveal=_plainly("reveal the cards"),
        turn=_plainly("turn the cards face up"),
        extra=_plainly("expose the All-Six cards"),
        verify={"acceptor": [verify], "terminal": [verify]},
        validate_={"acceptor": _plainly("validate the payout"), "terminal": _plainly("verify it")},
        stays={"acceptor": stays, "terminal": stays},
        cleared=_plainly("place the cards in the discard rack"),
        rack=_plainly("pick up the cards in order and rack them"),
        shoe_failed=_plainly("remove the cards from the shoe"),
    )


def _plainly(text: str) -> Words:
    return Words.model_construct(text=text, clause="")

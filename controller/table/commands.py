"""What the machine tells devices to do. A device that gets a command twice does it once."""

from __future__ import annotations

from typing import Literal

import msgspec

Lamp = Literal["off", "invite", "placed", "accepted"]
#: What a player may ask for at a terminal, by the message in which it says so.
Request = Literal[
    "wager", "late_wager", "wager_removed", "sat", "left", "buy_in", "cash_out", "decision"
]
#: How far the table is, for who sits at it.
SeatStage = Literal["closed", "between rounds", "betting", "no more bets", "deciding"]
#: Whether a wager can be placed at a seat once betting is open there, and what is in the way.
WagerStands = Literal["offered", "down", "withheld", "needs a player", "needs another wager"]
LinkStatus = Literal["not joined", "up", "stale", "down"]


class Order(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind"):
    #: Set by the machine: the number of the event that caused it, and a count.
    id: str = ""


class StartShuffle(Order, frozen=True, kw_only=True, tag="start_shuffle"):
    deck: str


class Lock(Order, frozen=True, kw_only=True, tag="lock", omit_defaults=True):
    seat: int
    device: Literal["acceptor", "terminal"]
    #: Only its wager is off the table, and betting goes on: this is no lock-out.
    withheld: bool = False


class Unlock(Order, frozen=True, kw_only=True, tag="unlock"):
    seat: int
    device: Literal["acceptor", "terminal"]


class SetLamp(Order, frozen=True, kw_only=True, tag="set_lamp"):
    seat: int
    lamp: Lamp


class ShowOffer(Order, frozen=True, kw_only=True, tag="show_offer"):
    """Whether a wager is on offer in this round, and why not."""

    wager: str
    offered: bool
    why: str = ""


class ShowColumn(Order, frozen=True, kw_only=True, tag="show_column"):
    """The column of a table that this round pays by."""

    wager: str
    column: str
    #: What it pays to 1, the best hand first: for a shuffler that shows it on its own screen.
    pays: tuple[int, ...] = ()


class RequestDraw(Order, frozen=True, kw_only=True, tag="request_draw"):
    draw: Literal["magic_card", "lucky"]
    #: From how many equally likely results.
    among: int


class EnableDeal(Order, frozen=True, kw_only=True, tag="enable_deal"):
    enabled: bool


class ShowWarning(Order, frozen=True, kw_only=True, tag="show_warning"):
    """The dealer's warning lamp: lit while anything is held."""

    lit: bool


class ArmShoe(Order, frozen=True, kw_only=True, tag="arm_shoe"):
    """For exactly the stacks of this round, by their sizes; no other may leave the shoe in it."""

    round: int
    stacks: tuple[int, ...]


class Dispense(Order, frozen=True, kw_only=True, tag="dispense"):
    round: int
    number: int
    cards: int
    to: int | str


class AskShoe(Order, frozen=True, kw_only=True, tag="ask_shoe"):
    """What have you dispensed? A dispense that was not answered is never just sent again."""


class StopShoe(Order, frozen=True, kw_only=True, tag="stop_shoe"):
    pass


class ReturnWager(Order, frozen=True, kw_only=True, tag="return_wager", omit_defaults=True):
    seat: int
    wager: str
    cents: int
    #: From the layout by the dealer's hand, or to the seat's account.
    to: Literal["layout", "account"]
    #: Where another wager lies in the acceptor, and stays: the id of the event that told of this
    #: chip, "" if nobody knows it. None: all that lies there goes back.
    chip: str | None = None


class TakeIn(Order, frozen=True, kw_only=True, tag="take_in"):
    """For the dealer: what a fold or a forfeit takes off the layout now, before settlement."""

    seat: int
    wagers: tuple[str, ...]
    cents: int
    #: Whether the hand goes to the rack as well; it stays where a wager lives on it.
    cards: bool


class CollectWager(Order, frozen=True, kw_only=True, tag="collect_wager"):
    seat: int
    wager: str
    cents: int


class Pay(Order, frozen=True, kw_only=True, tag="pay"):
    seat: int
    wager: str
    cents: int
    paid_by: str
    clause: str


class TakeBack(Order, frozen=True, kw_only=True, tag="take_back"):
    """For the dealer: what a void round takes back of a seat that was settled already."""

    seat: int
    wager: str
    cents: int
    paid_by: str


class ShowMeter(Order, frozen=True, kw_only=True, tag="show_meter"):
    meter: str
    level: str
    cents: int


class ShowWin(Order, frozen=True, kw_only=True, tag="show_win"):
    seat: int
    meter: str
    level: str
    cents: int
    #: The table, and what the level starts again from.
    table: str = ""
    base: int = 0


class TransferPosted(Order, frozen=True, kw_only=True, tag="transfer_posted", omit_defaults=True):
    """The answer to a buy-in or a cash-out, the same for every repeat of it."""

    seat: int
    transfer: str
    cents: int
    balance: int
    #: To a repeat: what the account holds by now, where that is something else.
    now: int | None = None


class RequestRefused(Order, frozen=True, kw_only=True, tag="request_refused"):
    """The table did not take what a player asked for at a terminal, and why."""

    seat: int
    request: Request
    #: The number of the terminal's event.
    told: int
    #: The transfer's id or the wager's name; "" where there is neither.
    named: str
    #: For the player to read.
    reason: str
    balance: int


class ShowBalance(Order, frozen=True, kw_only=True, tag="show_balance"):
    seat: int
    cents: int


class ShowSeat(Order, frozen=True, kw_only=True, tag="show_seat"):
    """For the terminal at a seat: how the seat stands."""

    seat: int
    round: int
    stage: SeatStage
    held: bool
    player: str


class ShowWager(Order, frozen=True, kw_only=True, tag="show_wager"):
    """For the terminal at a seat: a wager that is made there, and what is down on it."""

    seat: int
    wager: str
    title: str
    least: int
    most: int
    down: int
    stands: WagerStands


class ShowDecision(Order, frozen=True, kw_only=True, tag="show_decision"):
    """For the terminal at a seat: what its player may decide now; nothing on street 0."""

    seat: int
    street: int = 0
    title: str = ""
    amounts: tuple[int, ...] = ()
    otherwise: Literal["check", "fold"] = "fold"
    chosen: int = 0


class KeepRound(Order, frozen=True, kw_only=True, tag="keep_round"):
    """For the record: the round as its cards lie in the rack, so that every hand can be rebuilt.

    No device does anything; the journal has it for those who recall the round.
    """

    round: int
    deck: str
    #: Seats and places in the order in which their cards were picked up.
    picked_up: tuple[int | str, ...]
    hands: dict[int, tuple[int, ...]]
    places: dict[str, tuple[int, ...]]
    #: How many cards each hand had, seen or not, and how many were left in the stub.
    dealt: dict[int, int]
    stub: int
    void: str = ""


class SendShare(Order, frozen=True, kw_only=True, tag="send_share"):
    """To the link: what a round added to the shared meter, or a void one takes back.

    Hundredths of a cent by level. The link applies each number of a table once.
    """

    number: int
    round: int
    amounts: dict[str, int]


class ClaimHit(Order, frozen=True, kw_only=True, tag="claim_hit"):
    """To the link: a seat has won a share of the meter; which hit is it, and of how much?"""

    claim: int
    seat: int
    share: str


class ShowLink(Order, frozen=True, kw_only=True, tag="show_link"):
    """For players and the operator: whether the shared meter is fresh, old or out of play."""

    status: LinkStatus


class SetTimer(Order, frozen=True, kw_only=True, tag="set_timer"):
    timer: str
    at: int


Command = (
    StartShuffle
    | Lock
    | Unlock
    | SetLamp
    | ShowOffer
    | ShowColumn
    | RequestDraw
    | EnableDeal
    | ShowWarning
    | ArmShoe
    | Dispense
    | AskShoe
    | StopShoe
    | ReturnWager
    | TakeIn
    | CollectWager
    | Pay
    | TakeBack
    | ShowMeter
    | ShowWin
    | TransferPosted
    | RequestRefused
    | ShowBalance
    | ShowSeat
    | ShowWager
    | ShowDecision
    | KeepRound
    | SendShare
    | ClaimHit
    | ShowLink
    | SetTimer
)

"""All that felt and a device can say to each other: one catalogue for both ends and both wires.

On a serial line a message is its code and its fields; over MQTT it is an object with the same
names. A *command* goes to a device, with an id by which it is done once. An *event* comes from one.
Codes below 0x40 are commands, the others events. A code, once used, keeps its meaning; what is new
gets a new one.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, ClassVar, Literal

import msgspec

from drivers.wire import fields
from drivers.wire.fields import U8, U16, U32, U64, Covered, Field, Flag, Text, U8s, U32s

Lamp = Literal["off", "invite", "placed", "accepted"]
Light = Literal["off", "on", "blink"]
Button = Literal["lock_out", "deal", "void", "floor_key"]
Nature = Literal[
    "jam", "stopped", "incomplete", "door", "lamp", "sensor", "power", "internal", "sort mode"
]
#: What is none of the others says of itself what it is, and its driver is a package of its own.
Kinds = Literal["shuffler", "shoe", "panel", "acceptor", "terminal", "sign", "other"]

#: A count that the device does not keep.
NOT_COUNTED = 255


class Message(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="message"):
    code: ClassVar[int]
    fields: ClassVar[tuple[Field, ...]]
    #: The devices that say it or are told it; none for all of them.
    devices: ClassVar[tuple[str, ...]] = ()


class Command(Message, frozen=True):
    #: Doing it again does no harm: it may be sent to a device that has restarted in between.
    repeatable: ClassVar[bool] = True


class Event(Message, frozen=True):
    #: The field that travels under the session's cover, if there is one.
    secret: ClassVar[str] = ""


# --- Every device -------------------------------------------------------------


class Report(Command, frozen=True, tag="report"):
    """Say how you stand: answered by your state as an event."""

    code = 0x01


class SetWatchdog(Command, frozen=True, tag="set_watchdog"):
    """After so long without a packet from felt, go to the safe state: locked, at rest."""

    code = 0x02
    milliseconds: U16


class Quiesce(Command, frozen=True, tag="quiesce"):
    """Go to the safe state, and start nothing before the next command."""

    code = 0x03


class Fault(Event, frozen=True, tag="fault"):
    code = 0x41
    nature: Nature
    detail: Text = ""


class FaultCleared(Event, frozen=True, tag="fault_cleared"):
    code = 0x42
    nature: Nature


class Door(Event, frozen=True, tag="door"):
    code = 0x43
    open: Flag


class WentSafe(Event, frozen=True, tag="went_safe"):
    """Nothing was heard of felt for as long as the watchdog allows."""

    code = 0x44


# --- Shuffler -----------------------------------------------------------------


class Shuffle(Command, frozen=True, tag="shuffle"):
    code = 0x10
    devices = ("shuffler",)
    repeatable = False
    deck: Text


class SetGame(Command, frozen=True, tag="set_game"):
    """Which game's packets to make, in the shuffler's own words."""

    code = 0x11
    devices = ("shuffler",)
    game: Text


class ShowPayouts(Command, frozen=True, tag="show_payouts"):
    """For the shuffler's own screen: what a wager pays to 1 with so many hands, best hand first."""

    code = 0x12
    devices = ("shuffler",)
    wager: Text
    hands: U8
    payouts: U32s


class CycleStarted(Event, frozen=True, tag="cycle_started"):
    code = 0x50
    devices = ("shuffler",)
    deck: Text


class CycleCompleted(Event, frozen=True, tag="cycle_completed"):
    """The count is 255 where the shuffler does not count."""

    code = 0x51
    devices = ("shuffler",)
    deck: Text
    count: U8


class CycleFailed(Event, frozen=True, tag="cycle_failed"):
    code = 0x52
    devices = ("shuffler",)
    deck: Text
    nature: Literal["jam", "stopped", "incomplete"]


class Mode(Event, frozen=True, tag="mode"):
    """What the shuffler does with a deck, and which one it holds: "" for none, "?" for unknown."""

    code = 0x53
    devices = ("shuffler",)
    mode: Literal["shuffle", "sort", "other"]
    holds: Text


class Game(Event, frozen=True, tag="game"):
    code = 0x54
    devices = ("shuffler",)
    game: Text


class Hands(Event, frozen=True, tag="hands"):
    """How many hands were given out, the dealer's among them."""

    code = 0x55
    devices = ("shuffler",)
    hands: U8


class ShufflerState(Event, frozen=True, tag="shuffler_state"):
    code = 0x56
    devices = ("shuffler",)
    cycle: Literal["idle", "running", "complete", "failed"]
    mode: Literal["shuffle", "sort", "other"]
    holds: Text
    count: U8
    game: Text


# --- Shoe ---------------------------------------------------------------------


class Arm(Command, frozen=True, tag="arm"):
    """The stacks of this round, by their sizes in order. Nothing else may be dispensed in it."""

    code = 0x18
    devices = ("shoe",)
    round: U32
    stacks: U8s


class Dispense(Command, frozen=True, tag="dispense"):
    """The next stack of the round. Its number must follow the last one's."""

    code = 0x19
    devices = ("shoe",)
    repeatable = False
    round: U32
    number: U8
    cards: U8


class Stop(Command, frozen=True, tag="stop"):
    """At once: the round is void, and no longer armed."""

    code = 0x1A
    devices = ("shoe",)


class Loaded(Event, frozen=True, tag="loaded"):
    code = 0x58
    devices = ("shoe",)
    deck: Text
    count: U8


class Dispensed(Event, frozen=True, tag="dispensed"):
    """A stack is out. The faces are there if the shoe reads them, one byte each, covered.

    A card's byte is 4 x rank + suit: ranks from 0 for the two to 12 for the ace; suits 0 clubs,
    1 diamonds, 2 hearts, 3 spades.
    """

    code = 0x59
    devices = ("shoe",)
    secret = "faces"
    round: U32
    number: U8
    cards: U8
    faces: Covered = b""


class Taken(Event, frozen=True, tag="taken"):
    code = 0x5A
    devices = ("shoe",)
    number: U8


class FaceUpCard(Event, frozen=True, tag="face_up_card"):
    """A card lies the wrong way round: in the stack of this number, or 0 for still inside."""

    code = 0x5B
    devices = ("shoe",)
    number: U8


class Stub(Event, frozen=True, tag="stub"):
    """The cards that are left, counted by the shoe."""

    code = 0x5C
    devices = ("shoe",)
    count: U8


class Empty(Event, frozen=True, tag="empty"):
    code = 0x5D
    devices = ("shoe",)


class ShoeState(Event, frozen=True, tag="shoe_state"):
    """The round that it is armed for (0 for none), its last stack, and the cards in that.

    A stack that was ordered and is not out yet is on its way, whatever it waits for; 0 for none.
    """

    code = 0x5E
    devices = ("shoe",)
    round: U32
    last: U8
    last_cards: U8
    inside: U8
    on_its_way: U8


# --- Panel --------------------------------------------------------------------


class Lights(Command, frozen=True, tag="lights"):
    code = 0x20
    devices = ("panel",)
    lock_out: Light
    deal: Light
    warning: Light


class Tone(Command, frozen=True, tag="tone"):
    code = 0x21
    devices = ("panel",)
    tone: Literal["none", "attention", "refused", "win"]


class Pressed(Event, frozen=True, tag="pressed"):
    code = 0x60
    devices = ("panel",)
    button: Button


class LightsRead(Event, frozen=True, tag="lights_read"):
    """What the lamps really show, read back by the panel."""

    code = 0x61
    devices = ("panel",)
    lock_out: Light
    deal: Light
    warning: Light


# --- Acceptors and terminals --------------------------------------------------


class Lock(Command, frozen=True, tag="lock"):
    """Done means locked and read back: nothing more is taken."""

    code = 0x28
    devices = ("acceptor", "terminal")


class Unlock(Command, frozen=True, tag="unlock"):
    code = 0x29
    devices = ("acceptor", "terminal")


class SetLamp(Command, frozen=True, tag="set_lamp"):
    code = 0x2A
    devices = ("acceptor",)
    lamp: Lamp


class Return(Command, frozen=True, tag="return"):
    """Give back all that lies in it: none of it is a wager, or the round is void."""

    code = 0x2B
    devices = ("acceptor",)
    repeatable = False
    cents: U64


class GiveBack(Command, frozen=True, tag="give_back"):
    """Give back the one chip that you told of in this event of this boot; the others stay."""

    code = 0x2C
    devices = ("acceptor",)
    repeatable = False
    boot: U32
    event: U32
    cents: U64


class LockState(Event, frozen=True, tag="lock_state"):
    """The lock changed without a command; or the answer to a report."""

    code = 0x68
    devices = ("acceptor", "terminal")
    locked: Flag


class Wager(Event, frozen=True, tag="wager"):
    """A wager was placed and is held. The tender is "chips", "coupon" or "account"."""

    code = 0x69
    devices = ("acceptor", "terminal")
    wager: Text
    cents: U64
    tender: Text = "chips"


class LateWager(Event, frozen=True, tag="late_wager"):
    """A wager that came when the device was locked: it was given back."""

    code = 0x6A
    devices = ("acceptor", "terminal")
    wager: Text
    cents: U64
    sensed: Literal["before the lock", "after the lock"]


class WagerRemoved(Event, frozen=True, tag="wager_removed"):
    """Taken back by the player while the device was open."""

    code = 0x6B
    devices = ("acceptor", "terminal")
    wager: Text


class LampRead(Event, frozen=True, tag="lamp_read"):
    code = 0x6C
    devices = ("acceptor",)
    lamp: Lamp


class ChipsReturned(Event, frozen=True, tag="chips_returned"):
    """Chips that lie in the return device at the dealer's inventory."""

    code = 0x6D
    devices = ("acceptor",)
    chips: U8


class Returned(Event, frozen=True, tag="returned"):
    """Chips that left it, by the numbers of the `wager` events that told of them, and where to."""

    code = 0x6E
    devices = ("acceptor",)
    events: U32s
    to: Literal["player", "dealer"]


# --- Terminals ----------------------------------------------------------------


class ShowBalance(Command, frozen=True, tag="show_balance"):
    code = 0x30
    devices = ("terminal",)
    cents: U64


class Prompt(Command, frozen=True, tag="prompt"):
    code = 0x31
    devices = ("terminal",)
    text: Text


class Credit(Command, frozen=True, tag="credit"):
    """The answer to a buy-in or a cash-out, with its id, and the balance after it."""

    code = 0x32
    devices = ("terminal",)
    transfer: Text
    cents: U64
    balance: U64


class Offer(Command, frozen=True, tag="offer"):
    """Whether a wager is on offer in this round, and why not."""

    code = 0x33
    devices = ("terminal",)
    wager: Text
    offered: Flag
    why: Text = ""


class Refused(Command, frozen=True, tag="refused"):
    """The table did not take what you said in your event of this number, and why."""

    code = 0x34
    devices = ("terminal",)
    request: Literal[
        "wager", "late_wager", "wager_removed", "sat", "left", "buy_in", "cash_out", "decision"
    ]
    event: U32
    name: Text
    reason: Text
    balance: U64


class SeatState(Command, frozen=True, tag="seat_state"):
    """How the seat stands: the round, and whoever sits there; nobody if that is empty."""

    code = 0x35
    devices = ("terminal",)
    round: U32
    stage: Literal["closed", "between rounds", "betting", "no more bets", "deciding"]
    #: Somebody must come before the table goes on.
    held: Flag
    player: Text


class WagerState(Command, frozen=True, tag="wager_state"):
    """A wager that the rulebook offers on a terminal: what it may be, and what is down on it."""

    code = 0x36
    devices = ("terminal",)
    wager: Text
    called: Text
    least: U64
    most: U64
    down: U64
    #: Whether it can be placed as soon as the terminal is open, and what is in the way.
    stands: Literal["offered", "down", "withheld", "needs a player", "needs another wager"]


class AskDecision(Command, frozen=True, tag="ask_decision"):
    """What the player of the seat may decide now; street 0: nothing."""

    code = 0x37
    devices = ("terminal",)
    street: U8
    called: Text
    amounts: U32s
    otherwise: Literal["check", "fold"]
    #: What the player has chosen to wager, whose chips nobody has seen yet.
    chosen: U64


class Sat(Event, frozen=True, tag="sat"):
    code = 0x70
    devices = ("terminal",)
    player: Text


class Left(Event, frozen=True, tag="left"):
    code = 0x71
    devices = ("terminal",)


class BuyIn(Event, frozen=True, tag="buy_in"):
    code = 0x72
    devices = ("terminal",)
    transfer: Text
    cents: U64


class CashOut(Event, frozen=True, tag="cash_out"):
    code = 0x73
    devices = ("terminal",)
    transfer: Text
    cents: U64


class Decision(Event, frozen=True, tag="decision"):
    code = 0x74
    devices = ("terminal",)
    choice: Literal["wager", "check", "fold"]
    cents: U64 = 0


# --- Sign ---------------------------------------------------------------------


class ShowMeter(Command, frozen=True, tag="show_meter"):
    code = 0x38
    devices = ("sign",)
    meter: Text
    level: Text
    cents: U64


class ShowWin(Command, frozen=True, tag="show_win"):
    code = 0x39
    devices = ("sign",)
    table: Text
    seat: U8
    level: Text
    cents: U64
    base: U64


class ShowNotice(Command, frozen=True, tag="show_notice"):
    """Instead of the meters: the link is down, or the table is out of order."""

    code = 0x3A
    devices = ("sign",)
    notice: Literal["none", "link down", "out of order"]


class Showing(Event, frozen=True, tag="showing"):
    code = 0x78
    devices = ("sign",)
    meter: Text
    level: Text
    cents: U64


# --- Devices of other kinds -----------------------------------------------------


class Show(Command, frozen=True, tag="show"):
    """Show something, in words that the device and its driver have agreed on: "lamp", "green"."""

    code = 0x3C
    devices = ("other",)
    what: Text
    value: Text = ""


class Reading(Event, frozen=True, tag="reading"):
    """Something was read or done at the device, in words that it and its driver have agreed on.

    What nobody else may know is covered, as faces are: the number of a badge.
    """

    code = 0x7C
    devices = ("other",)
    secret = "covered"
    what: Text
    value: Text = ""
    covered: Covered = b""


#: How a device stands: true when it is said, and worth nothing once it was told something since.
STANDINGS = (ShufflerState, ShoeState, LightsRead, LockState, LampRead, Showing)


def _concrete(base: type[Message]) -> tuple[type[Any], ...]:
    return tuple(sub for parent in base.__subclasses__() for sub in parent.__subclasses__())


CATALOGUE: dict[int, type[Message]] = {kind.code: kind for kind in _concrete(Message)}
BY_NAME: dict[str, type[Message]] = {
    str(kind.__struct_config__.tag): kind for kind in CATALOGUE.values()
}
for _kind in CATALOGUE.values():
    _kind.fields = fields.fields_of(_kind)


def name(message: Message | type[Message]) -> str:
    return str(message.__struct_config__.tag)


def to_bytes(message: Message) -> bytes:
    return bytes((message.code,)) + fields.write(message, message.fields)


# Devices say few things and say them often: a lamp that was lit, a lock that is closed.
@lru_cache(maxsize=1024)
def from_bytes(data: bytes) -> Message | None:
    """The message, or none if it is unknown, cut short, too long or has values that can't be."""
    kind = CATALOGUE.get(data[0]) if data else None
    if kind is None:
        return None
    values = fields.read(data[1:], kind.fields)
    return None if values is None else kind(**values)

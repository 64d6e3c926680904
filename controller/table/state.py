"""The table as it stands: frozen values, the whole of what the machine remembers.

Nothing here is derived from the configuration of the table (see ``terms``), so a table is made
from its events and its terms alone, and a snapshot is these values as bytes.
"""

from __future__ import annotations

from typing import Literal

import msgspec

from controller.rules.rulebook import DrawName
from controller.table.commands import Lamp, LinkStatus
from controller.table.people import Role

Phase = Literal[
    "closed",
    "opening",
    "shuffling",
    "betting",
    "locked",
    "dealing",
    "deciding",
    "revealing",
    "settling",
    "clearing",
]

#: What a hold blocks: the deal, as far as it is not over; a new round; or everything but its end.
Blocks = Literal["deal", "round", "play"]

#: Meters count in hundredths of a cent, so that a percent of a cent is a whole number.
PER_CENT = 100
HITS_KEPT = 25
TRANSFERS_KEPT = 127
IDS_KEPT = 256
#: Of each device: one that was exchanged may come back with what it had to say.
BOOTS_KEPT = 4
DEVICES_KEPT = 64
LATE_KEPT = 32


class Deck(msgspec.Struct, frozen=True):
    id: str
    colour: str
    design: str
    route: str
    #: Who did each step of the opening, by step.
    steps: dict[str, str] = {}
    shuffled: Literal["no", "automated", "by hand", "preshuffled"] = "no"
    cut: bool = False
    #: When it first went into play, in milliseconds: the clock of its life, or that runs from
    #: ``received_at``, as the rulebook has it.
    in_play_since: int | None = None
    removed: str = ""
    #: The accessory cards that came with it.
    accessories: tuple[str, ...] = ()
    #: The deck whose place it takes when that one leaves.
    replaces: str = ""
    #: Steps that must be done again because the cards lay on an idle table.
    again: tuple[str, ...] = ()
    #: How many steps of the cut are done; and that a cut was found wrong and must be made again.
    cutting: int = 0
    recut: bool = False
    #: A cycle of the shuffler went wrong: only one that began after that counts.
    spoiled: bool = False
    #: A cycle of the shuffler runs; and the shuffler was opened in it, so that its end is no end.
    cycle_runs: bool = False
    opened: bool = False
    #: When it was opened for use at this table; None of decks from before that was kept.
    received_at: int | None = None


class Transfer(msgspec.Struct, frozen=True):
    """A buy-in or cash-out as it was posted: what a retry is answered with."""

    id: str
    #: Above nothing for a buy-in, below for a cash-out.
    cents: int
    balance: int


class Seat(msgspec.Struct, frozen=True):
    number: int
    player: str | None = None
    #: Cents by wager.
    wagers: dict[str, int] = {}
    #: What each wager was made with, where it was not chips.
    tender: dict[str, str] = {}
    lamp: Lamp = "off"
    acceptor_locked: bool = True
    terminal_locked: bool = True
    dealt: int = 0
    #: The last street that the seat acted on.
    acted: int = 0
    #: Cents that the player chose at the terminal to wager now; no chips were seen yet.
    chosen: int = 0
    folded: bool = False
    #: The hand was misdealt and is void: its wagers went back.
    void: bool = False
    forfeited: bool = False
    left: bool = False
    #: Who decided about the wagers that a player left behind.
    leaving_decided_by: str = ""
    #: Wagers that a fold or a forfeit took off the layout before settlement.
    taken_in: tuple[str, ...] = ()
    #: The faces, once they are turned, and what they are called.
    cards: tuple[int, ...] = ()
    hand: str = ""
    #: Electronic money, in cents.
    balance: int = 0
    transfers: tuple[Transfer, ...] = ()
    #: What lay on the layout before "no more bets" in the last round that was played to its end.
    last: dict[str, int] = {}


class DealStep(msgspec.Struct, frozen=True):
    to: int | str
    cards: int
    #: By the automated shoe, or by the dealer's hands.
    by_shoe: bool = False


class Deal(msgspec.Struct, frozen=True):
    steps: tuple[DealStep, ...] = ()
    done: int = 0
    #: Cards on the layout outside seats, by place.
    placed: dict[str, int] = {}
    #: Cards found face up and set aside, and cards of the extra stack that were racked.
    set_aside: int = 0
    face_up: int = 0
    stub: Literal["in shoe", "racked", "counted"] = "in shoe"
    #: What was counted, and who counted it.
    stub_cards: int | None = None
    stub_by: str = ""
    #: The shoe has other cards left than it should: somebody counts them by hand.
    doubted: bool = False
    #: How many the shoe says it has left after the last stack.
    left: int | None = None
    #: The dealer was one card short and was given the next card of the stub; that happens once.
    completed: bool = False
    #: Cards drawn too soon, face down: the next ones of the plan.
    early: int = 0
    #: The last stack that was ordered, which is the next in the record of a felt that did not note
    #: it; the one that lies in the shoe's exit; and the last that was seen taken out of it.
    ordered: int | None = None
    lies: int = 0
    taken: int = 0
    #: The stack that the shoe was asked about because it did not answer, and the one that its
    #: report answered for.
    asked: int = 0
    told: int = 0
    #: By stack, the faces that the shoe read, sealed.
    sealed: dict[int, str] = {}


class Due(msgspec.Struct, frozen=True):
    """One line of the settlement on its way to the player."""

    seat: int
    wager: str
    result: str
    stake: int
    returns: int
    odds: str | None
    paid_by: str | None
    validate: Role | None
    clause: str
    #: Lines of a later turn are settled when all of the earlier ones are.
    turn: int = 0
    verified_by: str = ""
    validated_by: str = ""
    validated_at: int = 0
    paid: bool = False
    documented_by: str = ""
    #: On a linked meter: the number under which it was claimed, and which hit of all tables it is.
    claim: int = 0
    order: int = 0
    #: Who said what it is worth when the link could not.
    ordered_by: str = ""


class Hold(msgspec.Struct, frozen=True):
    number: int
    cause: str
    #: The device or the seat, as text.
    where: str
    since: int
    blocks: Blocks
    clears: Role
    #: What has become of its cause, while it waits for its person; nothing if it is as it was.
    over: str = ""
    #: Who knows of it, of those who clear it, and since when. It stands all the same.
    seen_by: str = ""
    seen_at: int = 0


class SerialNumber(msgspec.Struct, frozen=True):
    """Which device belongs here by the record, and what the table file named when that was said."""

    number: str
    named: str = ""


class Exchanged(msgspec.Struct, frozen=True):
    """Another device answers: its number, the one that was expected, and the table file's."""

    number: str
    expected: str
    named: str = ""


class Hit(msgspec.Struct, frozen=True):
    at: int
    round: int
    seat: int
    level: str
    cents: int
    #: On a linked meter: which hit of all tables, and where it was if not here.
    order: int = 0
    table: str = ""


class Level(msgspec.Struct, frozen=True):
    #: Hundredths of a cent; what the limit kept out waits beside it.
    holds: int
    overflow: int = 0


class Contribution(msgspec.Struct, frozen=True):
    """What one wager added to one level of its meter, so that exactly that can be taken back."""

    seat: int
    wager: str
    meter: str
    #: A level, or "reserve".
    level: str
    #: Hundredths of a cent, and how much of it the limit sent to the overflow.
    amount: int
    over: int = 0


class Meter(msgspec.Struct, frozen=True):
    name: str
    levels: dict[str, Level]
    reserve: int = 0
    #: Wagers counted in, and their cents.
    wagers_in: int = 0
    cents_in: int = 0
    #: Shares of the meter that were paid; and payouts of any kind on its wagers.
    hits: int = 0
    wins: int = 0
    #: What the table was opened with: percent of each wager by level and for the reserve.
    rate: dict[str, int] = {}
    reserve_rate: int = 0
    #: Cents that a level was first filled with, and that it starts again from.
    base: dict[str, int] = {}
    reset: dict[str, int] = {}
    #: Cents above which a level does not rise; None without a limit.
    limit: int | None = None
    #: Cents that were paid by machine (account) and by attendants (rack and hand).
    machine_paid: int = 0
    attendant_paid: int = 0
    last_hits: tuple[Hit, ...] = ()

    @property
    def cumulative_paid(self) -> int:
        return self.machine_paid + self.attendant_paid

    def shows(self) -> dict[str, int]:
        """Whole cents, as a player sees them."""
        return {name: level.holds // PER_CENT for name, level in self.levels.items()}


class Share(msgspec.Struct, frozen=True):
    """A contribution on its way to the link; it is kept until the link has it."""

    number: int
    at: int
    round: int
    #: Hundredths of a cent by level; below nothing where a void round takes them back.
    amounts: dict[str, int]


class ByHand(msgspec.Struct, frozen=True):
    """A hit that was valued without the link; it is kept until the link has its say."""

    claim: int
    seat: int
    share: str
    cents: int
    by: str


class Link(msgspec.Struct, frozen=True):
    status: LinkStatus = "not joined"
    #: When its last update came.
    heard: int = 0
    #: How many contributions and claims were numbered, and what the link does not have yet.
    sent: int = 0
    waiting: tuple[Share, ...] = ()
    claims: int = 0
    last_hit: int = 0
    by_hand: tuple[ByHand, ...] = ()


class TriedAt(msgspec.Struct, frozen=True):
    """Wrong PINs for one person at one place: since the last right one there, and in all."""

    place: str
    in_a_row: int
    wrong: int
    #: When the last was.
    at: int


class Credential(msgspec.Struct, frozen=True):
    """Wrong PINs of a shift for one person, where the last was tried, and when.

    As an earlier felt counted them there are no ``places``: they are those in a row, anywhere.
    """

    person: str
    wrong: int
    locked: bool
    device: str
    at: int
    #: When the first of them was.
    since: int = 0
    places: tuple[TriedAt, ...] = ()
    #: Nobody has a PIN for it any more.
    withdrawn: bool = False


class Resting(msgspec.Struct, frozen=True):
    """A place where the PINs of several people were guessed: nobody proves there who they are."""

    place: str
    until: int
    #: How often it was shut in this shift, and when last.
    times: int
    at: int


class OnDuty(msgspec.Struct, frozen=True):
    """Who is on duty in a role, and since when."""

    person: str
    since: int


class Late(msgspec.Struct, frozen=True):
    """A wager that came after the lock and went back."""

    at: int
    seat: int
    wager: str
    cents: int
    sensed: str
    #: By the device itself: nobody has it any more.
    given_back: bool = False


class LastHeard(msgspec.Struct, frozen=True):
    """The last event of a device's boot that was taken: its number, and which of that message."""

    boot: int
    seq: int
    place: int = 0


class Back(msgspec.Struct, frozen=True):
    """What an acceptor was ordered to give back, and may not have heard of."""

    at: int
    seat: int
    wager: str
    cents: int
    #: The id of the event that told of this one chip, if it is known.
    chip: str = ""


class HandBack(msgspec.Struct, frozen=True):
    """What the dealer's hand gives back to a player; below nothing, what it takes back."""

    seat: int
    wager: str
    cents: int


class BadgeHeld(msgspec.Struct, frozen=True):
    """A badge that signs nobody on before the PIN was given too."""

    device: str
    person: str
    role: Role
    at: int


class Table(msgspec.Struct, frozen=True):
    phase: Phase = "closed"
    #: The stamp of the last event that was taken.
    at: int = 0
    #: By how many milliseconds the clock went back unannounced, as events showed, since it was last
    #: said that it was set.
    unannounced: int = 0
    #: How many events were taken; commands are numbered after it.
    taken: int = 0
    round: int = 0
    method: str = ""
    shuffler_in_service: bool = True
    shuffler_mode: str = "shuffle"
    shuffler_holds: str | None = None
    shoe_in_service: bool = True
    #: Whether the shoe counts its cards: it said how many when it was loaded.
    shoe_counts: bool = False
    #: Nobody plays at the open table: its cards are to be spread, or lie spread.
    idle: Literal["", "to be spread", "face down", "face up"] = ""
    decks: tuple[Deck, ...] = ()
    #: The deck in play or on its way there; the one of the round before; whose cards the rack has.
    deck: str | None = None
    last_deck: str | None = None
    rack: str | None = None
    seats: tuple[Seat, ...] = ()
    street: int = 0
    deal: Deal = Deal()
    #: What the lock still waits for.
    chips: int | None = None
    draws: dict[str, str] = {}
    draws_due: tuple[DrawName, ...] = ()
    deal_enabled: bool = False
    faces: dict[str, tuple[int, ...]] = {}
    up_card: int | None = None
    #: "" or why the round was void; "side wagers" where those are still settled.
    void: str = ""
    due: tuple[Due, ...] = ()
    order: tuple[int, ...] = ()
    #: What the meters will hold when the last seat is paid, in cents, by meter and level.
    after: dict[str, dict[str, int]] = {}
    holds: tuple[Hold, ...] = ()
    holds_made: int = 0
    #: What the table waits for of its devices, and since when.
    waits: dict[str, int] = {}
    rounds_since_count: int = 0
    meters: dict[str, Meter] = {}
    #: Contributions of this round, to be reversed if it is void.
    contributed: tuple[Contribution, ...] = ()
    #: None where the progressive is this table's own.
    link: Link | None = None
    #: Devices of which nothing is heard, and the wagers not offered in this round, with the reason.
    offline: tuple[str, ...] = ()
    withheld: dict[str, str] = {}
    #: By device: the numbers that are on record, and others that answered and wait for two people.
    serial_numbers: dict[str, SerialNumber] = {}
    exchanged: dict[str, Exchanged] = {}
    late: tuple[Late, ...] = ()
    #: Only of the last moments: what became of it is known after that.
    back: tuple[Back, ...] = ()
    #: What is still to be handed back, until the dealer says that it was, or the cards are racked.
    hand_back: tuple[HandBack, ...] = ()
    #: What the shuffler is set to, and how many hands it says it gave out.
    shuffler_game: str = ""
    hands_counted: int | None = None
    #: Whose cards are in the rack already, in the order in which they went there.
    picked_up: tuple[int | str, ...] = ()
    #: Only those that were tried wrongly, in this shift or since they were last right.
    credentials: tuple[Credential, ...] = ()
    resting: tuple[Resting, ...] = ()
    on_duty: dict[Role, OnDuty] = {}
    #: Whose badge was read last and waits for the PIN; nobody's, if the person has signed on.
    badge: BadgeHeld | None = None
    #: Ids that were taken: the last ones; and of devices, by name, the last of each boot.
    ids: tuple[str, ...] = ()
    #: What those of people were taken for: which act, by whom, and a digest of the rest. A table
    #: from before that was kept does not say.
    bound: dict[str, str] = {}
    heard: dict[str, tuple[LastHeard, ...]] = {}

    def seat(self, number: int) -> Seat:
        return self.seats[number - 1]

    def in_round(self) -> tuple[Seat, ...]:
        """Seats that were dealt in, from the dealer's left."""
        return tuple(seat for seat in self.seats if seat.wagers.get("ante"))

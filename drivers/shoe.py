"""The automated shoe: stacks out of it, and what it says it did when an answer was lost.

A shoe may read the cards. Their faces are uncovered here for no longer than it takes to seal them:
what leaves this module can be opened by nobody before the rules reveal the cards.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, cast, get_args

from controller.table import commands, events
from controller.table.commands import Command
from controller.table.events import Event, Place
from drivers.contract import Moment, Seal, Settings, Told
from drivers.device import PATIENCE, BadSettings, Device, Faces
from drivers.wire import messages
from drivers.wire.handshake import Outcome


class Shoe(Device):
    kind = "shoe"
    hears = frozenset({commands.ArmShoe, commands.Dispense, commands.AskShoe, commands.StopShoe})
    known_options: ClassVar = {
        "tells_taken": "false for a shoe that can't tell when a stack is taken out of its exit",
    }
    relied_on = (messages.Arm, messages.Dispense, messages.Stop)

    def __init__(self, settings: Settings, seal: Seal) -> None:
        super().__init__(settings, seal)
        tells = settings.options.get("tells_taken", True)
        if not isinstance(tells, bool):
            raise BadSettings(f"{settings.name!r}: tells_taken is true or false, not {tells!r}")
        self._tells_taken = tells
        #: The round that it was told last; unknown after a restart of felt.
        self._round: int | None = None
        #: For whom each stack of this round is: a card that lies face up came to somebody.
        self._to: dict[int, int | str] = {}
        #: It was asked what it did, and has not said it yet.
        self._asked = False
        #: How often it was asked how it stands, and has not said so: only the last word counts.
        self._unsaid = 0

    def configure(self) -> Sequence[Told]:
        self._unsaid += 1
        return super().configure()

    def restarted(self) -> None:
        self._unsaid = 0

    def told(self, command: Command) -> Sequence[Told]:
        match command:
            case commands.ArmShoe(round=round_, stacks=stacks):
                self._begin(round_)
                return (Told(messages.Arm(round_, stacks), within=PATIENCE),)
            case commands.Dispense(round=round_, number=number, cards=cards, to=to):
                if round_ != self._round:
                    self._begin(round_)
                self._to[number] = to
                return (Told(messages.Dispense(round_, number, cards)),)
            case commands.AskShoe():
                self._asked = True
                self._unsaid += 1
                return (Told(messages.Report()),)
            case commands.StopShoe():
                return (Told(messages.Stop(), urgent=True),)
        return ()

    def _begin(self, round_: int) -> None:
        self._round = round_
        self._to.clear()

    def said(self, message: messages.Event, moment: Moment, faces: Faces | None) -> Sequence[Event]:
        found: Sequence[Event] = ()
        match message:
            case messages.Loaded(deck, count):
                cards = None if count == messages.NOT_COUNTED else count
                found = (events.DeckLoaded(at=moment.at, deck=deck or events.UNNAMED, cards=cards),)
            case messages.Stub(count) if count != messages.NOT_COUNTED:
                found = (events.StubReported(at=moment.at, cards=count),)
            case messages.Dispensed():
                found = (self._dispensed(message, moment, faces),)
            case messages.Taken(number) if self._tells_taken and number:
                found = (events.StackTaken(at=moment.at, number=number),)
            case messages.FaceUpCard(number):
                found = (self._face_up(number, moment),)
            case messages.ShoeState():
                found = self._stands(message, moment)
        return found

    def _stands(self, state: messages.ShoeState, moment: Moment) -> Sequence[Event]:
        self._unsaid = max(0, self._unsaid - 1)
        if self._unsaid:
            return ()  # from before it was asked again
        self._asked = False
        # What it did in another round says nothing about this one.
        other = self._round is not None and state.round != self._round
        if state.on_its_way and not other:
            return ()  # neither done nor not done: it says so itself when the stack is out
        last, cards = (0, 0) if other else (state.last, state.last_cards)
        inside = None if state.inside == messages.NOT_COUNTED else state.inside
        return (
            events.ShoeReported(
                at=moment.at, last=last, cards=cards, round=state.round, inside=inside
            ),
        )

    def _dispensed(self, message: messages.Dispensed, moment: Moment, faces: Faces | None) -> Event:
        sealed = self.seal(faces()) if faces is not None else ""
        if self._round is not None and message.round != self._round:
            said = f"stack {message.number} of round {message.round} came in round {self._round}"
            return self.faulted(moment, said)
        return events.StackDispensed(
            at=moment.at,
            number=message.number,
            cards=message.cards,
            sealed=sealed,
            lies=self._tells_taken,
        )

    def _face_up(self, number: int, moment: Moment) -> Event:
        to = self._to.get(number)
        if number and to is None:
            # Told before felt restarted: a person must say whose it was.
            return self.faulted(moment, f"a card of stack {number} lies face up")
        if isinstance(to, str) and to not in get_args(Place):
            # A last stack for several places: the dealer's cards are among them.
            to = "dealer"
        where = cast("int | Place | None", to)
        return events.FaceUpCardFound(at=moment.at, by=moment.dealer, where=where)

    def answered(
        self, message: messages.Command, outcome: Outcome, detail: str, moment: Moment
    ) -> Sequence[Event]:
        match message:
            case messages.Dispense(_, number) if outcome == "refused":
                # It has moved nothing: its exit may be occupied. That is no failure yet.
                why = detail or "it does not say why"
                return (events.DispenseRefused(at=moment.at, number=number, reason=why),)
        return super().answered(message, outcome, detail, moment)

    def unclear(self, message: messages.Command, moment: Moment) -> Sequence[Event]:
        match message:
            case messages.Dispense(_, number):
                return (events.DispenseUnanswered(at=moment.at, number=number),)
            case messages.Report():
                self._unsaid = max(0, self._unsaid - 1)
                if self._asked:
                    self._asked = False
                    return (self.faulted(moment, "it does not say what it has dispensed"),)
        return ()

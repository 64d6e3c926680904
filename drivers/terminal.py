"""The wagering terminal at a seat: a player's session, money in and out, wagers and decisions."""

from __future__ import annotations

from collections.abc import Sequence

from controller.table import commands, events
from controller.table.commands import Command
from controller.table.events import Event
from drivers.contract import Moment, Seal, Settings, Told
from drivers.device import PATIENCE, Faces, short
from drivers.seat import SeatDevice
from drivers.wire import messages
from drivers.wire.fields import MAX_LONGS
from drivers.wire.handshake import Outcome

#: An amount to choose from is four bytes on the wire.
MOST_CENTS = 0xFFFF_FFFF


class Terminal(SeatDevice):
    kind = "terminal"
    device = "terminal"
    hears = SeatDevice.hears | {
        commands.ShowBalance,
        commands.TransferPosted,
        commands.RequestRefused,
        commands.ShowOffer,
        commands.ShowSeat,
        commands.ShowWager,
        commands.ShowDecision,
    }

    def __init__(self, settings: Settings, seal: Seal) -> None:
        super().__init__(settings, seal)
        #: Refusals that it did not understand, to be told in words that every terminal knows.
        self._in_other_words: list[messages.Refused] = []

    def told(self, command: Command) -> Sequence[Told]:
        match command:
            case commands.ShowBalance(seat=self.seat, cents=cents):
                return (Told(messages.ShowBalance(cents), within=PATIENCE),)
            case commands.TransferPosted(seat=self.seat, transfer=transfer, cents=cents):
                # Below nothing for a cash-out; the terminal knows which it asked for.
                credit = messages.Credit(short(transfer), abs(cents), command.balance)
                told = [Told(credit, within=PATIENCE)]
                if command.now is not None:
                    told.append(Told(messages.ShowBalance(command.now), within=PATIENCE))
                return told
            case commands.RequestRefused(seat=self.seat):
                return (Told(_refused(command), within=PATIENCE),)
            case commands.ShowOffer(wager=wager, offered=offered, why=why):
                offer = messages.Offer(short(wager), offered, short(why))
                return (Told(offer, within=PATIENCE),)
            case commands.ShowSeat() | commands.ShowWager() | commands.ShowDecision():
                shown = _shown(command)
                return (Told(shown, within=PATIENCE),) if command.seat == self.seat else ()
        return super().told(command)

    def said(self, message: messages.Event, moment: Moment, faces: Faces | None) -> Sequence[Event]:
        at, seat, dealer = moment.at, self.seat, moment.dealer
        match message:
            case messages.Sat(player):
                return (events.PlayerSat(at=at, by=dealer, seat=seat, player=player),)
            case messages.Left():
                return (events.PlayerLeft(at=at, by=dealer, seat=seat),)
            case messages.BuyIn(transfer, cents):
                return (events.BoughtIn(at=at, seat=seat, transfer=transfer, cents=cents),)
            case messages.CashOut(transfer, cents):
                return (events.CashedOut(at=at, seat=seat, transfer=transfer, cents=cents),)
            case messages.Decision(choice, cents):
                return (events.PlayerDecided(at=at, seat=seat, choice=choice, amount=cents),)
        return super().said(message, moment, faces)

    def answered(
        self, message: messages.Command, outcome: Outcome, detail: str, moment: Moment
    ) -> Sequence[Event]:
        if isinstance(message, messages.Refused) and outcome == "unknown":
            self._in_other_words.append(message)
        return super().answered(message, outcome, detail, moment)

    def asks(self) -> Sequence[Told]:
        told: list[Told] = []
        for one in self._in_other_words:
            told.append(Told(messages.Prompt(one.reason), within=PATIENCE))
            told.append(Told(messages.ShowBalance(one.balance), within=PATIENCE))
        self._in_other_words.clear()
        return told


def _shown(
    command: commands.ShowSeat | commands.ShowWager | commands.ShowDecision,
) -> messages.Command:
    match command:
        case commands.ShowSeat():
            player = short(command.player)
            return messages.SeatState(command.round, command.stage, command.held, player)
        case commands.ShowWager():
            return messages.WagerState(
                short(command.wager),
                short(command.title),
                command.least,
                command.most,
                command.down,
                command.stands,
            )
    return messages.AskDecision(
        command.street,
        short(command.title),
        _amounts(command.amounts),
        command.otherwise,
        command.chosen,
    )


def _amounts(cents: tuple[int, ...]) -> tuple[int, ...]:
    """As many as fit, and as large: who wants another says so to the dealer."""
    return tuple(one for one in cents if one <= MOST_CENTS)[:MAX_LONGS]


def _refused(command: commands.RequestRefused) -> messages.Refused:
    return messages.Refused(
        command.request,
        command.told,
        short(command.named),
        short(command.reason),
        command.balance,
    )

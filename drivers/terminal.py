"""The wagering terminal at a seat: a player's session, money in and out, wagers and decisions."""

from __future__ import annotations

from collections.abc import Sequence

from controller.table import commands, events
from controller.table.commands import Command
from controller.table.events import Event
from drivers.contract import Moment, Told
from drivers.device import PATIENCE, Faces, short
from drivers.seat import SeatDevice
from drivers.wire import messages


class Terminal(SeatDevice):
    kind = "terminal"
    device = "terminal"
    hears = SeatDevice.hears | {
        commands.ShowBalance,
        commands.TransferPosted,
        commands.ShowOffer,
    }

    def told(self, command: Command) -> Sequence[Told]:
        match command:
            case commands.ShowBalance(seat=self.seat, cents=cents):
                return (Told(messages.ShowBalance(cents), within=PATIENCE),)
            case commands.TransferPosted(seat=self.seat, transfer=transfer, cents=cents):
                # Below nothing for a cash-out; the terminal knows which it asked for.
                credit = messages.Credit(short(transfer), abs(cents), command.balance)
                return (Told(credit, within=PATIENCE),)
            case commands.ShowOffer(wager=wager, offered=offered, why=why):
                offer = messages.Offer(short(wager), offered, short(why))
                return (Told(offer, within=PATIENCE),)
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

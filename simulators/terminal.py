"""A simulated wagering terminal: a screen with a balance, and a player who touches it.

A transfer that is not answered is asked for again under the same id, as a terminal must. One that
is refused is over; whoever wants it after all asks under another id.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from typing import Any, Literal

from drivers.wire import messages
from drivers.wire.messages import Command, Event
from simulators.device import DONE, Answer, Device

ASK_AGAIN_S = 5.0
MAX_ASKED = 5
MAX_OFFERS = 32
MAX_REFUSALS = 64


class Terminal(Device):
    kind = "terminal"

    def __init__(self, *, seat: int, **more: Any) -> None:
        self.seat = seat
        self.is_locked = True
        #: What its screen shows.
        self.balance = 0
        self.text = ""
        self.offers: dict[str, tuple[bool, str]] = {}
        #: Transfers that were answered, in order.
        self.credited: deque[tuple[str, int]] = deque(maxlen=127)
        #: What was not taken, in order.
        self.refusals: deque[messages.Refused] = deque(maxlen=MAX_REFUSALS)
        self._transfers = 0
        self._open: dict[str, messages.BuyIn | messages.CashOut] = {}
        self._turned_down: dict[str, messages.BuyIn | messages.CashOut] = {}
        super().__init__(**{"name": f"terminal {seat}", **more})

    # --- What a player does -----------------------------------------------------

    def sit(self, player: str) -> None:
        self.tell(messages.Sat(player))

    def leave(self) -> None:
        self.tell(messages.Left())

    def buy_in(self, cents: int) -> str:
        return self._transfer(messages.BuyIn(self._new_id(), cents))

    def cash_out(self, cents: int) -> str:
        return self._transfer(messages.CashOut(self._new_id(), cents))

    def wager(self, wager: str, cents: int) -> None:
        if self.is_locked:
            self.tell(messages.LateWager(wager, cents, "after the lock"))
        else:
            self.tell(messages.Wager(wager, cents, "account"))

    def take_back(self, wager: str) -> None:
        if not self.is_locked:
            self.tell(messages.WagerRemoved(wager))

    def decide(self, choice: Literal["wager", "check", "fold"], cents: int = 0) -> None:
        self.tell(messages.Decision(choice, cents))

    # --- Transfers --------------------------------------------------------------

    def _new_id(self) -> str:
        self._transfers += 1
        return f"{self.name.replace(' ', '-')}-{self.boot}-{self._transfers}"

    def _transfer(self, asked: messages.BuyIn | messages.CashOut) -> str:
        self._open[asked.transfer] = asked
        self._ask(asked, 1)
        return asked.transfer

    def _ask(self, asked: messages.BuyIn | messages.CashOut, time: int) -> None:
        if asked.transfer not in self._open:
            return
        self.tell(asked)
        if time < MAX_ASKED:
            self.after(ASK_AGAIN_S, lambda: self._ask(asked, time + 1))

    # --- What it is told --------------------------------------------------------

    def obey(self, command: Command) -> Answer | None:
        match command:
            case messages.Lock():
                self.is_locked = True
            case messages.Unlock():
                self.is_locked = False
            case messages.ShowBalance(cents):
                self.balance = cents
            case messages.Prompt(text):
                self.text = text
            case messages.Credit(transfer, cents, balance):
                return self._credited(transfer, cents, balance)
            case messages.Refused():
                self._refused(command)
            case messages.Offer(wager, offered, why):
                if len(self.offers) < MAX_OFFERS or wager in self.offers:
                    self.offers[wager] = (offered, why)
            case _:
                return None
        return DONE

    def _credited(self, transfer: str, cents: int, balance: int) -> Answer:
        # Asked for twice, it may have been refused at first: the account has it now.
        asked = self._open.pop(transfer, None) or self._turned_down.pop(transfer, None)
        if asked is not None and asked.cents != cents:
            credit = messages.Credit(transfer, cents, balance)
            return self.refuse(credit, f"{transfer} was about {asked.cents} cents")
        if asked is not None:
            self.credited.append((transfer, cents))
        self.balance = balance
        return DONE

    def _refused(self, refused: messages.Refused) -> None:
        self.refusals.append(refused)
        self.text = refused.reason
        self.balance = refused.balance
        asked = self._open.get(refused.name)
        if asked is not None and messages.name(asked) == refused.request:
            self._turned_down = {refused.name: self._open.pop(refused.name)}

    def report(self) -> Iterable[Event]:
        yield messages.LockState(self.is_locked)

    def go_safe(self) -> None:
        self.is_locked = True

    def forget(self) -> None:
        self.is_locked = True
        self.balance = 0
        self.offers = {}
        self._open = {}
        self._turned_down = {}

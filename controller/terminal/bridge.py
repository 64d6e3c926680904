"""The terminal at its broker: what it does for its player, and whether felt is there for it.

felt never tells a device what is wrong with it. What can be told from here is said in words: to
whoever started the terminal, and to the player who looks at the page.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from math import inf
from pathlib import Path
from typing import Any, NamedTuple

from controller.rules.faults import Refused
from controller.terminal import firmware, messages
from controller.terminal.device import Request, Tablet
from controller.terminal.memory import Memory
from controller.terminal.messages import (
    Act,
    BuyIn,
    CashOut,
    Decide,
    Leave,
    PlaceWager,
    Sit,
    TakeBack,
)
from drivers.wire import envelope, topics
from drivers.wire.broker_accounts import as_device
from drivers.wire.broker_client import Account, TlsFiles
from drivers.wire.frame import Kind
from drivers.wire.topics import Place
from simulators.broker import BrokerPort

#: After so long without a word of felt its player is told so.
SILENT_S = 2.0
#: felt sends its first order right after the handshake; who gets none was turned away.
TURNED_AWAY_S = 3.0
#: So long nobody has greeted it before that is a matter for whoever started it.
UNGREETED_S = 5.0
TICK_S = 0.2


class Trouble(NamedTuple):
    """Why nothing goes on, and what to do about it."""

    why: str
    next_step: str


class _Port(BrokerPort):
    """Counts on where an earlier start in the same boot was, and notes when felt greets it."""

    def __init__(self, account: Account, table: str, device: Tablet, connections: int) -> None:
        super().__init__(account, table, device)
        self._connections = connections
        self.greeted_at: float | None = None

    def _hear(self, place: Place, payload: bytes, retained: bool, now: float) -> None:
        packet = envelope.from_json(payload)
        if packet is not None and packet.kind is Kind.HELLO and not retained:
            self.greeted_at = now
        super()._hear(place, payload, retained, now)


class Bridge:
    """``changed`` is called when the page is to be drawn anew."""

    def __init__(
        self,
        account: Account,
        table: str,
        seat: int,
        key: bytes,
        memory: Memory,
        *,
        name: str = "",
        serial_number: str = "",
        transfers: bool = True,
        said: Callable[..., None] = lambda _what, **_facts: None,
    ) -> None:
        self.table = table
        self.seat = seat
        self.name = name or f"terminal {seat}"
        try:
            topics.slug(table), topics.slug(self.name)
        except ValueError as error:
            raise Refused("--table-id or --name", str(error)) from None
        self.watchers: set[Callable[[], None]] = set()
        self._said = said
        account = as_device(account, table, self.name, key)
        self._account = account
        self.device = Tablet(
            seat=seat,
            name=self.name,
            key=key,
            memory=memory,
            serial_number=serial_number,
            transfers=transfers,
            changed=self._changed,
        )
        self._port = _Port(account, table, self.device, memory.connections)
        self._began = 0.0
        self._trouble: Trouble | None = None

    async def run(self) -> None:
        """Until cancelled."""
        self._began = asyncio.get_running_loop().time()
        async with asyncio.TaskGroup() as group:
            group.create_task(self._port.run(), name="terminal port")
            group.create_task(self._time_passes(), name="terminal time")

    async def _time_passes(self) -> None:
        """At a broker nobody waits for a device's own time: its watchdog, what it asks again."""
        loop = asyncio.get_running_loop()
        while True:
            await asyncio.sleep(TICK_S)
            self.device.advance(loop.time())
            self._port.kick()
            trouble = self.trouble()
            if trouble != self._trouble:
                self._trouble = trouble
                self._changed()
                if trouble is None:
                    self._said("the table is heard", table=self.table, terminal=self.name)
                else:
                    self._said("not at the table", why=trouble.why, next_step=trouble.next_step)

    def _changed(self) -> None:
        for told in tuple(self.watchers):
            told()

    # --- How it stands ------------------------------------------------------------

    def heard_s(self) -> float:
        """How long ago felt was heard: a word that only felt can say."""
        heard = self.device.responder.heard_at
        return inf if heard is None else max(0.0, asyncio.get_running_loop().time() - heard)

    def trouble(self) -> Trouble | None:
        """Why the table is not heard, if it is not."""
        now, state = asyncio.get_running_loop().time(), self._port.state
        if state.status != "open" and state.trouble is not None:
            return Trouble(state.trouble.reason, state.trouble.next_step)
        greeted, heard = self._port.greeted_at, self.device.responder.heard_at
        if greeted is not None and (heard is None or heard < greeted):
            return self._turned_away() if now - greeted >= TURNED_AWAY_S else self._trouble
        if heard is not None:
            if now - heard < SILENT_S:
                return None if self.device.seat_state is not None else self._not_told()
            return Trouble(f"nothing is heard of {self.table}", "see whether felt runs there")
        if now - self._began < UNGREETED_S:
            return Trouble(f"{self.name} has not been greeted by {self.table} yet", "wait a moment")
        why = f"nobody at {self._account} greets {self.name} of {self.table}"
        step = "see that felt runs, and that its table file has this device on this broker"
        return Trouble(why, f"{step}: felt status")

    def _not_told(self) -> Trouble:
        why = f"{self.table} has not said yet how seat {self.seat} stands"
        return Trouble(why, "wait a moment; if it goes on, felt there is older than this terminal")

    def _turned_away(self) -> Trouble:
        digest = firmware.digest().hex()
        why = f"{self.table} turns {self.name} away: it does not have the key that the table has"
        step = (
            f"give both the same key (felt keys); if they have it, approve the firmware {digest} "
            "or the serial number in the table file: felt status says which it is"
        )
        return Trouble(why, step)

    def state(self) -> dict[str, Any]:
        """All that the page shows."""
        device = self.device
        seat = device.seat_state
        offers = {name: why for name, (offered, why) in device.offers.items() if not offered}
        decision = device.decision
        return {
            "table": self.table,
            "seat": self.seat,
            "locked": device.is_locked,
            "stage": "closed" if seat is None else seat.stage,
            "round": 0 if seat is None else seat.round,
            "held": seat is not None and seat.held,
            "player": "" if seat is None else seat.player,
            "balance": device.balance,
            "transfers": device.transfers,
            "wagers": [
                {
                    "wager": one.wager,
                    "called": one.called,
                    "least": one.least,
                    "most": one.most,
                    "down": one.down,
                    "stands": one.stands,
                    "why": offers.get(one.wager, ""),
                }
                for one in device.wagers.values()
            ],
            "decision": None
            if decision is None
            else {
                "street": decision.street,
                "called": decision.called,
                "amounts": list(decision.amounts),
                "otherwise": decision.otherwise,
                "chosen": decision.chosen,
            },
            "requests": [messages.shown(one) for one in reversed(device.requests.values())],
        }

    # --- What the player does -------------------------------------------------------

    def take(self, act: Act) -> Request:
        """Have it told to felt; ``Refused`` says to the player why it is not even asked."""
        request = _ACTS[type(act)](self, act)
        self._port.kick()
        return request

    def _wager(self, act: PlaceWager) -> Request:
        # Closed, it is told as a late one: that it came is on record, and the table says why not.
        if not self.device.is_locked:
            self._must_be(act.round)
        if act.wager not in self.device.wagers:
            raise Refused("", "this wager is not made here")
        return self._asks(act, "wager", lambda: self.device.wager(act.wager, act.cents))

    def _take_back(self, act: TakeBack) -> Request:
        self._must_be(act.round)
        return self._asks(act, "wager_removed", lambda: self.device.take_back(act.wager))

    def _decide(self, act: Decide) -> Request:
        self._must_be(act.round)
        due = self.device.decision
        if due is None or due.street != act.street:
            raise Refused("", "there is nothing to decide now")
        return self._asks(act, "decision", lambda: self.device.decide(act.choice, act.cents))

    def _buy_in(self, act: BuyIn) -> Request:
        self._must_transfer()
        return self._asks(act, "buy_in", lambda: self.device.buy_in(act.cents))

    def _cash_out(self, act: CashOut) -> Request:
        self._must_transfer()
        return self._asks(act, "cash_out", lambda: self.device.cash_out(act.cents))

    def _sit(self, act: Sit) -> Request:
        player = " ".join(act.player.split())
        if not player:
            raise Refused("", "a player has a name or a number")
        return self._asks(act, "sat", lambda: self.device.sit(player))

    def _leave(self, act: Leave) -> Request:
        return self._asks(act, "left", self.device.leave)

    def _asks(self, act: Act, what: str, do: Callable[[], Any]) -> Request:
        return self.device.asks(act.press, what, do)

    def _must_be(self, round_: int) -> None:
        seat = self.device.seat_state
        if seat is not None and seat.round != round_:
            raise Refused("", "that was meant for a round that is over")

    def _must_transfer(self) -> None:
        if not self.device.transfers:
            raise Refused("", "money comes to this terminal at the cage, and goes there")


_ACTS: dict[type[Any], Callable[[Bridge, Any], Request]] = {
    PlaceWager: Bridge._wager,
    TakeBack: Bridge._take_back,
    Decide: Bridge._decide,
    BuyIn: Bridge._buy_in,
    CashOut: Bridge._cash_out,
    Sit: Bridge._sit,
    Leave: Bridge._leave,
}


def account_of(
    broker: str, *, user: str = "", password: str = "", ca: Path | None = None
) -> Account:
    """``HOST:PORT``, as it is given."""
    host, colon, port = broker.rpartition(":")
    if not colon or not host or not port.isdecimal() or not 0 < int(port) <= 65535:
        raise Refused("--broker", f"{broker!r} is no address", "HOST:PORT, as in 10.0.0.5:8883")
    tls = None if ca is None else TlsFiles(str(ca))
    return Account(host.strip("[]"), int(port), user, password, tls)

"""Devices that each break one duty of their kind, or one that every device has."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from drivers.wire import messages
from drivers.wire.frame import Kind, Packet
from drivers.wire.messages import Command, Event, Nature
from drivers.wire.responder import Responder
from simulators.acceptor import Acceptor
from simulators.device import DONE, Answer
from simulators.panel import Panel
from simulators.shoe import Shoe
from simulators.shuffler import Shuffler
from simulators.sign import Sign
from simulators.tabletop import SHOE, TRAY
from simulators.terminal import Terminal
from tests.controller.certify.mutants import Broken, ForgetsResults, breaks

# --- What every device does ---------------------------------------------------------


@breaks("a report brings nothing", "every.report", "works.commands")
class _Blank(Panel):
    def report(self) -> Iterable[Event]:
        return ()


@breaks("it refuses a watchdog", "every.set_watchdog")
class _NoTime(Panel):
    def _carried_out(self, command: Command) -> Answer:
        answer = super()._carried_out(command)
        return ("refused", "no") if isinstance(command, messages.SetWatchdog) else answer


@breaks("it tells no fault", "every.fault")
class _Fine(Panel):
    def fail(self, nature: Nature) -> None:
        return


@breaks("it tells a fault once", "every.fault")
class _Once(Panel):
    def _report(self) -> Iterable[Event]:
        return self.report()


@breaks("a fault is never over", "every.fault_cleared")
class _ForEver(Panel):
    def clear(self) -> None:
        self.trouble.clear()


@breaks("an open door is not in a report", "every.door")
class _Ajar(Panel):
    def _report(self) -> Iterable[Event]:
        return [one for one in super()._report() if not isinstance(one, messages.Door)]


# --- Panels and signs -----------------------------------------------------------------


@breaks("one press is told twice", "panel.pressed", "panel.floor_key")
class _Bounces(Panel):
    def press(self, button: messages.Button) -> None:
        super().press(button)
        super().press(button)


@breaks("it reads back other lamps", "panel.lights_read")
class _Crossed(Panel):
    def _read(self) -> Event:
        return messages.LightsRead(self.lights.deal, self.lights.lock_out, self.lights.warning)


@breaks("it does not read its lamps back", "panel.lights_read")
class _Unread(Panel):
    def obey(self, command: Command) -> Answer | None:
        if isinstance(command, messages.Lights):
            self.lights = command
            return DONE
        return super().obey(command)


@breaks("it refuses lights", "panel.lights")
class _Dark(Panel):
    def obey(self, command: Command) -> Answer | None:
        answer = super().obey(command)
        return ("refused", "no") if isinstance(command, messages.Lights) else answer


@breaks("it refuses tones", "panel.tone")
class _Deaf(Panel):
    def obey(self, command: Command) -> Answer | None:
        return ("refused", "") if isinstance(command, messages.Tone) else super().obey(command)


@breaks("it shows another sum", "sign.show_meter")
class _Rounds(Sign):
    def tell(self, event: Event) -> int:
        if isinstance(event, messages.Showing):
            event = msgspec.structs.replace(event, cents=event.cents // 100 * 100)
        return super().tell(event)


@breaks("a report brings one level", "sign.showing")
class _OneLevel(Sign):
    def report(self) -> Iterable[Event]:
        return list(super().report())[:1]


@breaks("it knows no wins", "sign.show_win")
class _NoWins(Sign):
    def obey(self, command: Command) -> Answer | None:
        return None if isinstance(command, messages.ShowWin) else super().obey(command)


@breaks("it knows no notices", "sign.show_notice")
class _NoNotices(Sign):
    def obey(self, command: Command) -> Answer | None:
        return None if isinstance(command, messages.ShowNotice) else super().obey(command)


# --- Seats ----------------------------------------------------------------------------


@breaks("locked, it is open", "acceptor.lock", "acceptor.lock_state")
class _Unlockable(Acceptor):
    def _lock(self) -> None:
        super()._lock()
        self.is_locked = False


@breaks("it refuses to open", "acceptor.unlock")
class _Shut(Acceptor):
    def obey(self, command: Command) -> Answer | None:
        return ("refused", "") if isinstance(command, messages.Unlock) else super().obey(command)


@breaks("it reads back the lamp before", "acceptor.lamp_read")
class _LampBefore(Acceptor):
    def _light(self, lamp: messages.Lamp) -> None:
        before, self.lamp = self.lamp, lamp
        self.tell(messages.LampRead(before))


@breaks("it refuses its lamp", "acceptor.set_lamp")
class _NoLamp(Acceptor):
    def obey(self, command: Command) -> Answer | None:
        return ("refused", "") if isinstance(command, messages.SetLamp) else super().obey(command)


@breaks("it tells another sum", "acceptor.wager")
class _Cheap(Acceptor):
    def tell(self, event: Event) -> int:
        if isinstance(event, messages.Wager):
            event = msgspec.structs.replace(event, cents=event.cents // 2)
        return super().tell(event)


@breaks("it keeps late chips", "acceptor.late_wager")
class _Keeps(Acceptor):
    def insert(self, cents: int, tender: str = "chips") -> None:
        was, self.is_locked = self.is_locked, False
        super().insert(cents, tender)
        self._sensed(cents, tender)
        self._ahead.clear()
        self.is_locked = was


@breaks("it does not know return", "acceptor.return")
class _NoReturn(Acceptor):
    def obey(self, command: Command) -> Answer | None:
        return None if isinstance(command, messages.Return) else super().obey(command)


@breaks("it gives back another chip", "acceptor.give_back")
class _WrongChip(Acceptor):
    def _give_back_one(self, boot: int, event: int) -> Answer:
        self.tell(messages.Returned((self._out(0),), "player"))
        return DONE


@breaks("it gives back chips of another boot", "acceptor.give_back")
class _AnyBoot(Acceptor):
    def _give_back_one(self, boot: int, event: int) -> Answer:
        return super()._give_back_one(self.boot, event)


@breaks("chips roll to the player", "acceptor.returned")
class _WrongWay(Acceptor):
    def tell(self, event: Event) -> int:
        if isinstance(event, messages.Returned) and event.to == "dealer":
            event = messages.Returned(event.events, "player")
        return super().tell(event)


@breaks("a chip taken out is not told", "acceptor.wager_removed")
class _Unseen(Acceptor):
    def take_back(self) -> None:
        self.inside.clear()
        self._told.clear()


@breaks("it counts a chip too many", "acceptor.chips_returned")
class _Unnumbered(Acceptor):
    def tell(self, event: Event) -> int:
        if isinstance(event, messages.Returned):
            event = messages.ChipsReturned(len(event.events) + 1)
        return super().tell(event)


@breaks("it is never locked", "terminal.lock", "terminal.lock_state")
class _OpenTerminal(Terminal):
    def obey(self, command: Command) -> Answer | None:
        answer = super().obey(command)
        self.is_locked = False
        return answer


@breaks("it never opens", "terminal.unlock", "terminal.wager")
class _ShutTerminal(Terminal):
    def obey(self, command: Command) -> Answer | None:
        answer = super().obey(command)
        self.is_locked = True
        return answer


@breaks("it refuses to show", "terminal.prompt", "terminal.offer")
class _Blind(Terminal):
    def obey(self, command: Command) -> Answer | None:
        if isinstance(command, messages.Prompt | messages.Offer):
            return "refused", "its screen is dark"
        return super().obey(command)


@breaks(
    "it says offers, and knows nothing of them",
    "terminal.seat_state",
    "terminal.wager_state",
    "terminal.ask_decision",
    "terminal.decision",
)
class _NoOffers(Terminal):
    capabilities = "offers"


@breaks("nobody hears of its players", "terminal.sat", "terminal.left", "terminal.cash_out")
class _Silent(Terminal):
    def tell(self, event: Event) -> int:
        of_players = (messages.Sat, messages.Left, messages.CashOut)
        return 0 if isinstance(event, of_players) else super().tell(event)


@breaks("locked, it takes wagers", "terminal.late_wager")
class _Greedy(Terminal):
    def wager(self, wager: str, cents: int) -> None:
        self.tell(messages.Wager(wager, cents, "account"))


@breaks("it tells chips", "terminal.wager", "terminal.wager_removed")
class _Chips(Terminal):
    def wager(self, wager: str, cents: int) -> None:
        self.tell(messages.Wager(wager, cents, "chips"))


@breaks("each transfer has the same id", "terminal.buy_in")
class _OneId(Terminal):
    def _new_id(self) -> str:
        return "t-1"


@breaks("it asks under a new id", "terminal.buy_in")
class _NewIds(Terminal):
    def _ask(self, asked: messages.BuyIn | messages.CashOut, time: int) -> None:
        if time > 1:
            asked = msgspec.structs.replace(asked, transfer=f"{asked.transfer}-{time}")
            self.tell(asked)
            return
        super()._ask(asked, time)


@breaks("it asks on when it was refused", "terminal.refused")
class _Insists(Terminal):
    def _refused(self, refused: messages.Refused) -> None:
        return


@breaks("it knows no credit", "terminal.credit")
class _NoCredit(Terminal):
    def obey(self, command: Command) -> Answer | None:
        return None if isinstance(command, messages.Credit) else super().obey(command)


@breaks("it shows no balance", "terminal.show_balance", "works.commands")
class _NoBalance(Terminal):
    def obey(self, command: Command) -> Answer | None:
        return None if isinstance(command, messages.ShowBalance) else super().obey(command)


# --- Cards ----------------------------------------------------------------------------


@breaks("it gives out what it is not armed for", "shoe.arm", "shoe.stop")
class _Generous(Shoe):
    def _wrong(self, order: messages.Dispense) -> str:
        return ""


@breaks("it gives out an order twice", "shoe.dispensed", "every.once")
class _DealsTwice(Shoe):
    def _started(self) -> Responder:
        made = super()._started()
        made.__class__ = ForgetsResults
        return made

    def _wrong(self, order: messages.Dispense) -> str:
        return "" if order.number == self.last and self.top.count(TRAY) else super()._wrong(order)

    def _give(self, order: messages.Dispense) -> None:
        if self._ordered is order and order.number == self.last:
            self._ordered = None
            self.tell(messages.Dispensed(order.round, order.number, order.cards, b""))
            return
        super()._give(order)


@breaks("it counts the exit as inside", "shoe.dispense")
class _CountsAll(Shoe):
    def report(self) -> Iterable[Event]:
        for one in super().report():
            assert isinstance(one, messages.ShoeState)
            yield msgspec.structs.replace(one, inside=self.top.count(SHOE) + self.top.count(TRAY))


@breaks("it covers no faces", "shoe.faces")
class _Uncovered(Shoe):
    def _started(self) -> Responder:
        made = super()._started()
        made.__class__ = _Plain
        return made


class _Plain(Broken):
    def _oldest_event(self) -> Packet | None:
        if self._keys is None:
            return None
        seq, event = self._events[0]
        return self._signed(Kind.EVENT, seq, messages.to_bytes(event))


@breaks("its stub is one too many", "shoe.stub")
class _OneMore(Shoe):
    def tell(self, event: Event) -> int:
        if isinstance(event, messages.Stub):
            event = messages.Stub(event.count + 1)
        return super().tell(event)


@breaks("it tells no deck", "shoe.loaded")
class _Unloaded(Shoe):
    def tell(self, event: Event) -> int:
        return 0 if isinstance(event, messages.Loaded) else super().tell(event)


@breaks("stop does not stop it", "shoe.stop")
class _Unstoppable(Shoe):
    def obey(self, command: Command) -> Answer | None:
        return DONE if isinstance(command, messages.Stop) else super().obey(command)


@breaks("after a start it has all cards", "shoe.shoe_state")
class _Full(Shoe):
    _fresh = False

    def forget(self) -> None:
        super().forget()
        self._fresh = True

    def report(self) -> Iterable[Event]:
        for one in super().report():
            assert isinstance(one, messages.ShoeState)
            yield msgspec.structs.replace(one, inside=52) if self._fresh else one


@breaks("it tells another stack as taken", "shoe.taken")
class _OtherTaken(Shoe):
    def tell(self, event: Event) -> int:
        if isinstance(event, messages.Taken):
            event = messages.Taken(event.number + 1)
        return super().tell(event)


@breaks("it is empty after each stack", "shoe.empty")
class _AlwaysEmpty(Shoe):
    def tell(self, event: Event) -> int:
        number = super().tell(event)
        if isinstance(event, messages.Dispensed):
            super().tell(messages.Empty())
        return number


@breaks("it tells a face-up card of another stack", "shoe.face_up_card")
class _OtherFaceUp(Shoe):
    def tell(self, event: Event) -> int:
        if isinstance(event, messages.FaceUpCard):
            event = messages.FaceUpCard(event.number + 1)
        return super().tell(event)


@breaks("its state has the game before", "shuffler.set_game")
class _OldGame(Shuffler):
    def report(self) -> Iterable[Event]:
        for one in super().report():
            assert isinstance(one, messages.ShufflerState)
            yield msgspec.structs.replace(one, game="")


@breaks("it shows no payouts, and tells no hands", "shuffler.show_payouts", "shuffler.hands")
class _NoScreen(Shuffler):
    def obey(self, command: Command) -> Answer | None:
        if isinstance(command, messages.ShowPayouts):
            return "refused", "its screen is dark"
        return super().obey(command)

    def press_green(self) -> None:
        return


@breaks("it refuses to shuffle before the cards are there", "shuffler.shuffle")
class _Impatient(Shuffler):
    def _shuffle(self, deck: str) -> Answer:
        return super()._shuffle(deck) if self.holds else ("refused", "it is empty")


@breaks("a cycle begins unsaid", "shuffler.cycle_started")
class _Quiet(Shuffler):
    def tell(self, event: Event) -> int:
        return 0 if isinstance(event, messages.CycleStarted) else super().tell(event)


@breaks("a cycle has another name at its end", "shuffler.cycle_completed")
class _Renames(Shuffler):
    def tell(self, event: Event) -> int:
        if isinstance(event, messages.CycleCompleted):
            event = messages.CycleCompleted("blue", event.count)
        return super().tell(event)


@breaks("it counts wrong", "shuffler.count")
class _Miscounts(Shuffler):
    def tell(self, event: Event) -> int:
        if isinstance(event, messages.CycleCompleted):
            event = messages.CycleCompleted(event.deck, 51)
        return super().tell(event)


@breaks("a jam is a complete cycle", "shuffler.cycle_failed")
class _Hides(Shuffler):
    def tell(self, event: Event) -> int:
        if isinstance(event, messages.CycleFailed):
            event = messages.CycleCompleted(event.deck, 52)
        return super().tell(event)


@breaks("it does not say what lies in it", "shuffler.mode")
class _Secretive(Shuffler):
    def tell(self, event: Event) -> int:
        return 0 if isinstance(event, messages.Mode) else super().tell(event)


@breaks("a new game is not told", "shuffler.game")
class _SameGame(Shuffler):
    def tell(self, event: Event) -> int:
        return 0 if isinstance(event, messages.Game) else super().tell(event)


@breaks("after a start its cycle is complete", "shuffler.shuffler_state")
class _StillDone(Shuffler):
    def forget(self) -> None:
        super().forget()
        self.cycle = "complete"

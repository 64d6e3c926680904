"""What each device goes through at a table, told once, and played over every wire.

A story orders, waits for the effect and goes on. At its end the device has done everything once,
and the table has heard everything once and in order.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from controller.table import commands, events
from controller.table.events import Event
from drivers.acceptor import Acceptor
from drivers.contract import Driver
from drivers.panel import Panel
from drivers.shoe import Shoe
from drivers.shuffler import Shuffler
from drivers.sign import Sign
from drivers.terminal import Terminal
from drivers.wire import messages
from simulators import acceptor, panel, shoe, shuffler, sign, terminal
from simulators.device import Device
from simulators.tabletop import SHOE, TableTop
from tests.drivers.bench import Bench, told
from tests.drivers.people import DANA, driver


@dataclass
class Story:
    """One device, with a place in the middle at which its cable may be pulled."""

    driver: Driver
    device: Device
    tell: Callable[[Bench, Callable[[], None]], None]
    #: What the table must have heard, and the kinds that are compared.
    heard: list[Event]
    #: What the device must have done.
    done: list[messages.Command]
    also: Callable[[], None] = lambda: None
    kinds: tuple[type[Event], ...] = field(init=False)

    def __post_init__(self) -> None:
        # A device that comes back says how it stands: that is heard once more, and no part of this.
        self.kinds = tuple({type(one) for one in self.heard} | {events.DeviceFaulted})

    def play(
        self, bench: Bench, middle: Callable[[], None] = lambda: None, settle: float = 5.0
    ) -> None:
        bench.connected()
        self.tell(bench, middle)
        bench.until(lambda: self._is_over(bench))
        # Nothing more comes.
        bench.run(settle)
        assert bench.heard(*self.kinds) == self.heard
        assert told(self.device, *{type(one) for one in self.done}) == self.done
        assert not self.device.errors
        self.also()

    def _is_over(self, bench: Bench) -> bool:
        """As much was heard and done as there is to hear and to do."""
        done = told(self.device, *{type(one) for one in self.done})
        heard = bench.heard(*self.kinds)
        return len(heard) >= len(self.heard) and len(done) >= len(self.done)


def count(bench: Bench, kind: type[Event]) -> int:
    return len(bench.heard(kind))


def of_the_shuffler() -> Story:
    top = TableTop()
    device = shuffler.Shuffler(top, seed=1)

    def tell(bench: Bench, middle: Callable[[], None]) -> None:
        top.bring("A")
        bench.order(commands.StartShuffle(deck="A"))
        middle()
        top.put_into_shuffler("A")
        bench.until(lambda: count(bench, events.ShuffleCompleted) == 1)
        bench.order(commands.ShowColumn(wager="cover_all", column="3", pays=(300, 125)))
        middle()
        bench.until(lambda: device.screen)
        top.take_from_shuffler()
        top.put_into_shuffler("A")
        bench.order(commands.StartShuffle(deck="A"))
        bench.run(1)
        middle()
        bench.until(lambda: count(bench, events.ShuffleCompleted) == 2)

    cycle: list[Event] = [
        events.ShuffleStarted(at=0, deck="A"),
        events.ShuffleCompleted(at=0, deck="A", count=52),
    ]
    done = [
        messages.Shuffle("A"),
        messages.ShowPayouts("cover_all", 3, (300, 125)),
        messages.Shuffle("A"),
    ]
    return Story(driver(Shuffler), device, tell, cycle * 2, [*done])


def until_dispensed(bench: Bench, order: commands.Dispense) -> None:
    """As the table does it: a stack that is not answered for is asked about, and not ordered again
    unless the shoe says that it did nothing."""
    asked = 0

    def is_out() -> bool:
        nonlocal asked
        if count(bench, events.StackDispensed) == order.number:
            return True
        unanswered = count(bench, events.DispenseUnanswered)
        if unanswered > asked:
            asked = unanswered
            answers = (events.ShoeReported, events.StackDispensed)
            before = len(bench.heard(*answers))
            bench.order(commands.AskShoe())
            bench.until(lambda: len(bench.heard(*answers)) > before)
            said = bench.heard(*answers)[-1]
            if isinstance(said, events.ShoeReported) and said.last == order.number - 1:
                bench.order(order)
        return False

    bench.until(is_out)


def of_the_shoe(*, reads: bool = False) -> Story:
    top = TableTop()
    device = shoe.Shoe(top, reads=reads, seed=1)
    stacks = (5, 5, 3)

    def tell(bench: Bench, middle: Callable[[], None]) -> None:
        top.bring("A")
        top.put_into_shoe("A")
        bench.until(lambda: count(bench, events.DeckLoaded) == 1)
        bench.order(commands.ArmShoe(round=7, stacks=stacks))
        for number, cards in enumerate(stacks, 1):
            order = commands.Dispense(round=7, number=number, cards=cards, to=number)
            bench.order(order)
            middle()
            until_dispensed(bench, order)
            top.take_stack(number)
        bench.order(commands.StopShoe())
        bench.until(lambda: told(device, messages.Stop))

    def also() -> None:
        # Each stack once, from the top of the deck, in order.
        assert list(device.given) == [(7, number, cards) for number, cards in enumerate(stacks, 1)]
        assert [top.at(seat) for seat in (1, 2, 3)] == [
            [0, 1, 2, 3, 4],
            [5, 6, 7, 8, 9],
            [10, 11, 12],
        ]
        assert top.count(SHOE) == 39

    heard: list[Event] = [
        events.DeckLoaded(at=0, deck="A", cards=52),
        *(
            events.StackDispensed(
                at=0,
                number=number,
                cards=cards,
                sealed=f"sealed {cards}" if reads else "",
                lies=True,
            )
            for number, cards in enumerate(stacks, 1)
        ),
    ]
    done = [
        messages.Arm(7, stacks),
        *(messages.Dispense(7, number, cards) for number, cards in enumerate(stacks, 1)),
        messages.Stop(),
    ]
    return Story(driver(Shoe), device, tell, heard, [*done], also)


def of_the_panel() -> Story:
    device = panel.Panel(seed=1)

    def tell(bench: Bench, middle: Callable[[], None]) -> None:
        device.press("lock_out")
        middle()
        bench.order(commands.EnableDeal(enabled=True))
        bench.until(lambda: device.lights.deal == "on")
        device.press("deal")
        device.press("void")
        bench.order(commands.EnableDeal(enabled=False))
        middle()
        bench.until(lambda: device.lights.deal == "off")
        bench.until(lambda: count(bench, events.RoundVoided) == 1)

    reason = "void pressed at the panel, without the floor key"
    heard: list[Event] = [
        events.LockOutPressed(at=0, by=DANA),
        events.DealPressed(at=0, by=DANA),
        events.RoundVoided(at=0, by=DANA, reason=reason),
    ]
    return Story(driver(Panel), device, tell, heard, [])


def of_the_acceptor(seat: int = 3, address: int = 1, *, polled: bool = False) -> Story:
    top = TableTop()
    top.fund(f"player {seat}", 1000)
    device = acceptor.Acceptor(top, seat=seat, address=address, polled=polled, seed=seat)

    def tell(bench: Bench, middle: Callable[[], None]) -> None:
        bench.order(
            commands.Unlock(seat=seat, device="acceptor"),
            commands.SetLamp(seat=seat, lamp="invite"),
        )
        bench.until(lambda: device.lamp == "invite" and not device.is_locked)
        device.insert(100)
        bench.until(lambda: count(bench, events.WagerPlaced) >= 1)
        bench.order(commands.SetLamp(seat=seat, lamp="accepted"))
        middle()
        bench.until(lambda: device.lamp == "accepted")
        bench.order(commands.Lock(seat=seat, device="acceptor"))
        bench.until(lambda: count(bench, events.LockConfirmed) >= 1)
        device.insert(100)
        middle()
        bench.until(lambda: count(bench, events.WagerCameLate) >= 1)
        bench.order(
            commands.ReturnWager(
                seat=seat, wager="progressive", cents=100, to="layout", chip=f"acceptor-{seat}:1:2"
            ),
            commands.SetLamp(seat=seat, lamp="off"),
        )
        bench.until(lambda: device.lamp == "off")

    def also() -> None:
        assert dict(top.money) == {
            f"player {seat}": 900,
            f"acceptor {seat}": 0,
            "inventory": 100,
        }

    heard: list[Event] = [
        events.WagerPlaced(at=0, seat=seat, wager="progressive", amount=100),
        events.LockConfirmed(at=0, seat=seat, device="acceptor"),
        events.WagerCameLate(at=0, seat=seat, wager="progressive", amount=100, given_back=True),
    ]
    done = [
        messages.Unlock(),
        messages.SetLamp("invite"),
        messages.SetLamp("accepted"),
        messages.GiveBack(1, 2, 100),
        messages.SetLamp("off"),
    ]
    return Story(driver(Acceptor, seat, "progressive"), device, tell, heard, [*done], also)


def of_the_terminal() -> Story:
    device = terminal.Terminal(seat=2, seed=1)

    def tell(bench: Bench, middle: Callable[[], None]) -> None:
        device.sit("ann")
        transfer = device.buy_in(5000)
        middle()
        bench.until(lambda: count(bench, events.BoughtIn) >= 1)
        posted = commands.TransferPosted(seat=2, transfer=transfer, cents=5000, balance=5000)
        bench.order(posted)
        bench.until(lambda: device.credited)
        bench.order(commands.Unlock(seat=2, device="terminal"))
        bench.until(lambda: not device.is_locked)
        device.wager("five_card_player", 500)
        bench.until(lambda: count(bench, events.WagerPlaced) == 1)
        bench.order(commands.ShowBalance(seat=2, cents=4500))
        bench.until(lambda: device.balance == 4500)
        bench.order(commands.Lock(seat=2, device="terminal"))
        middle()
        bench.until(lambda: count(bench, events.LockConfirmed) == 1)
        device.decide("wager", 1000)
        device.leave()
        bench.until(lambda: count(bench, events.PlayerLeft) == 1)

    heard: list[Event] = [
        events.PlayerSat(at=0, by=DANA, seat=2, player="ann"),
        events.BoughtIn(at=0, seat=2, transfer="terminal-2-1-1", cents=5000),
        events.WagerPlaced(
            at=0, seat=2, wager="five_card_player", amount=500, tender="game account"
        ),
        events.LockConfirmed(at=0, seat=2, device="terminal"),
        events.PlayerDecided(at=0, seat=2, choice="wager", amount=1000),
        events.PlayerLeft(at=0, by=DANA, seat=2),
    ]
    done = [
        messages.Credit("terminal-2-1-1", 5000, 5000),
        messages.Unlock(),
        messages.ShowBalance(4500),
    ]
    return Story(driver(Terminal, 2), device, tell, heard, [*done])


def of_the_sign() -> Story:
    device = sign.Sign(seed=1)

    def tell(bench: Bench, middle: Callable[[], None]) -> None:
        for cents in (1000, 1010, 1020):
            bench.order(commands.ShowMeter(meter="progressive", level="main", cents=cents))
        middle()
        bench.until(lambda: device.meters == {("progressive", "main"): 1020})
        bench.order(
            commands.ShowWin(
                seat=3, meter="progressive", level="main", cents=1020, table="t", base=1000
            )
        )
        middle()
        bench.until(lambda: device.wins)
        bench.order(commands.ShowOffer(wager="progressive", offered=False, why="meter offline"))
        bench.until(lambda: device.notice == "out of order")

    done = [
        *(messages.ShowMeter("progressive", "main", cents) for cents in (1000, 1010, 1020)),
        messages.ShowWin("t", 3, "main", 1020, 1000),
    ]
    return Story(driver(Sign), device, tell, [], [*done])


STORIES: dict[str, Callable[[], Story]] = {
    "shuffler": of_the_shuffler,
    "shoe": of_the_shoe,
    "shoe that reads": lambda: of_the_shoe(reads=True),
    "panel": of_the_panel,
    "acceptor": of_the_acceptor,
    "terminal": of_the_terminal,
    "sign": of_the_sign,
}

"""They play at a whole table: the daemon as it runs, ptys, in virtual time; people act."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from pathlib import Path
from types import ModuleType
from typing import Any, cast

import pytest

from controller.demo.show import Show
from controller.demo.table import Options
from controller.demo.view import View
from controller.library import Library, shipped
from controller.tables import read_file
from simulators import virtual_time
from simulators.device import Device, firmware_of
from simulators.end import DeviceEnd
from simulators.faults import Faults
from simulators.tabletop import SHOE, SHUFFLER, TRAY, TableTop
from tests.docs import independent_device
from tests.docs.independent_device import IndependentDevice
from tests.foreign import acceptor, panel, shoe, shuffler

STARTS_AT = 1_767_225_600.0
SEATS = 2
FELT = ("controller", "drivers", "simulators")
#: How often a device of this kind looks at its sensors.
LOOKS_S = 0.25


class End(DeviceEnd):
    """The devices' end of a line, with programs on it that know nothing of felt."""

    def __init__(self, hands: Iterable[Device], programs: Iterable[IndependentDevice]) -> None:
        super().__init__(hands)
        self.programs = list(programs)
        self._now = 0.0

    def advance(self, now: float) -> None:
        self._now = now

    def received(self, data: bytes, now: float) -> list[bytes]:
        return [said for one in self.programs if (said := one.feed(data, now))]

    def to_write(self, now: float) -> list[bytes]:
        return [said for one in self.programs if (said := one.tick(now))]

    def wakes_at(self) -> float:
        return self._now + LOOKS_S


class Mechanics:
    def __init__(self, top: TableTop) -> None:
        self._top = top

    def inside(self) -> int:
        return self._top.count(SHOE)

    def is_exit_empty(self) -> bool:
        return not self._top.count(TRAY)

    def give(self, cards: int) -> int:
        return self._top.move(SHOE, TRAY, min(cards, self._top.count(SHOE)))


class Drum:
    """Of a shuffler: its light barrier sees that it is empty before other cards are put in."""

    def __init__(self, top: TableTop) -> None:
        self._top = top
        self._seen = ""

    def inside(self) -> int:
        deck = self._top.deck_at(SHUFFLER)
        if self._seen and deck not in ("", self._seen):
            self._seen = ""
            return 0
        self._seen = deck
        return self._top.count(SHUFFLER)

    def mix(self) -> None:
        self._top.arrange(SHUFFLER, reversed(self._top.cards(SHUFFLER)))


class Button:
    """Whoever presses."""

    name = "panel"

    def __init__(self, program: panel.Panel) -> None:
        self.press = program.press
        self.errors: list[str] = []


class Lid:
    """Whoever puts cards into a shuffler, and takes them out when it is done."""

    name = "shuffler"

    def __init__(self, program: shuffler.Shuffler) -> None:
        self._program = program
        self.errors: list[str] = []

    @property
    def cycle(self) -> str:
        return "running" if self._program.cycle == shuffler.RUNNING else "idle"


class Hand:
    """Whoever puts chips into a slot, and takes those that come out again."""

    def __init__(self, seat: int, top: TableTop) -> None:
        self.name = f"acceptor {seat}"
        self.seat = seat
        self.top = top
        self.rolled = 0
        self.errors: list[str] = []
        self.faults = Faults("acceptor")
        self.program: Any = None

    def insert(self, cents: int) -> None:
        self.top.pay(f"player {self.seat}", self.name, cents)
        self.program.insert(cents)

    def roll(self, chips: list[int]) -> None:
        self.rolled += len(chips)
        self.top.pay(self.name, "inventory", sum(chips))

    def give(self, chips: list[int]) -> None:
        self.top.pay(self.name, f"player {self.seat}", sum(chips))

    def close_door(self) -> None:
        return


def table(folder: Path, rounds: int) -> Show:
    data: dict[str, Any] = read_file(shipped("tables") / "pa-639a.toml")
    data["options"]["seats"] = SEATS
    data["decks"] = 2
    options = Options(seed=1, pause=0.05, broker=False, reads=False, starts_at=STARTS_AT)
    return Show(data, folder, Library(), options, rounds=rounds, view=View())


def nonces(seed: int) -> Any:
    count = iter(range(seed, 1 << 32))
    return lambda: next(count).to_bytes(16, "big")


def with_a_shoe(show: Show) -> shoe.Memory:
    simulated, memory = show.simulated, shoe.Memory()
    port, key = simulated.ports["shoe"], key_of(show, "shoe")
    program = shoe.Shoe(
        Mechanics(simulated.world.top),
        memory,
        key,
        7,
        nonces(1),
        firmware=firmware_of("shoe"),
    )
    port.end = End(port.end.devices, [program])
    return memory


def with_acceptors(show: Show) -> list[Hand]:
    simulated = show.simulated
    port, hands = simulated.ports["acceptors"], []
    for seat in range(1, SEATS + 1):
        hand = Hand(seat, simulated.world.top)
        hand.program = acceptor.Acceptor(
            hand.roll,
            hand.give,
            key_of(show, hand.name),
            7,
            nonces(seat << 16),
            address=seat,
            polled=True,
            firmware=firmware_of("acceptor"),
        )
        simulated.world.acceptors[seat] = cast("Any", hand)
        hands.append(hand)
    port.end = End(cast("Any", hands), [hand.program for hand in hands])
    return hands


def with_a_shuffler(show: Show) -> None:
    simulated = show.simulated
    drum, firmware = Drum(simulated.world.top), firmware_of("shuffler")
    key = key_of(show, "shuffler")
    program = shuffler.Shuffler(drum, key, 7, nonces(2 << 24), firmware=firmware)
    lid = cast("Any", Lid(program))
    simulated.world.shuffler = lid
    simulated.ports["shuffler"].end = End([lid], [program])


def with_a_panel(show: Show) -> None:
    simulated = show.simulated
    key, firmware = key_of(show, "panel"), firmware_of("panel")
    program = panel.Panel(key, 7, nonces(3 << 24), firmware=firmware)
    button = cast("Any", Button(program))
    simulated.world.panel = button
    simulated.ports["panel"].end = End([button], [program])


def key_of(show: Show, name: str) -> bytes:
    file = show.simulated.folder / "secrets" / f"{name.replace(' ', '-')}.key"
    return bytes.fromhex(file.read_text(encoding="ascii"))


def played(show: Show) -> None:
    virtual_time.run(show.run)
    assert show.table is not None
    assert show.differences() == []


def test_they_play_rounds_and_tell_no_deck_from_another(tmp_path: Path) -> None:
    show = table(tmp_path, 3)
    memory, hands = with_a_shoe(show), with_acceptors(show)
    with_a_shuffler(show)
    with_a_panel(show)
    played(show)
    assert show.table is not None
    assert (show.table.round, show.table.holds_made, memory.round) == (3, 0, 3)
    assert sum(hand.rolled for hand in hands) > 0


@pytest.mark.parametrize("module", [shoe, shuffler, panel, acceptor, independent_device])
def test_they_import_nothing_of_felt(module: ModuleType) -> None:
    tree = ast.parse(Path(module.__file__ or "").read_text(encoding="utf-8"))
    found = {node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    for node in ast.walk(tree):
        found |= {one.name for one in node.names} if isinstance(node, ast.Import) else set()
    assert not {one for one in found if one.split(".")[0] in FELT}

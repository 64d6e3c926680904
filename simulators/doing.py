"""What somebody can do at a simulated device, in words: for a command line, a test or a demo.

An act is an object with one name: {"press": "lock_out"}, {"wager": 100}, {"take": 3}. What it takes
stands in one table, and what can't be done is said with what can.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, get_args

from drivers.wire.fields import MAX_LIST
from drivers.wire.messages import Button, Nature
from simulators.acceptor import Acceptor
from simulators.device import Device
from simulators.faults import Fault
from simulators.other import Other
from simulators.panel import Panel
from simulators.shoe import Shoe
from simulators.shuffler import Shuffler
from simulators.sign import Sign
from simulators.tabletop import HANDS, SHOE, SHUFFLER, TableTop
from simulators.terminal import Terminal

KINDS: dict[str, type[Device]] = {
    "shuffler": Shuffler,
    "shoe": Shoe,
    "panel": Panel,
    "acceptor": Acceptor,
    "terminal": Terminal,
    "sign": Sign,
    "other": Other,
}
MAX_CENTS = 10**12


class CantDo(ValueError):
    """Nobody can do that at this device. Says what can be done."""


def made(
    kind: str, top: TableTop, *, seat: int = 1, reads: bool = False, itself: str = "", **more: Any
) -> Device:
    """A simulated device of a kind, with what it needs of the table."""
    match kind:
        case "other":
            return Other(itself or "badge", **more)
        case "shuffler":
            return Shuffler(top, **more)
        case "shoe":
            return Shoe(top, reads=reads, **more)
        case "acceptor":
            return Acceptor(top, seat=seat, **more)
        case "terminal":
            return Terminal(seat=seat, **more)
    return KINDS[kind](**more)


def do(device: Device, act: Mapping[str, Any], seed: int = 0) -> None:
    """Do it, or say why not."""
    acts = acts_of(device, seed)
    if len(act) != 1:
        raise CantDo(f"an act has one name; at a {device.kind}: {', '.join(acts)}")
    [(name, given)] = act.items()
    if name not in acts:
        raise CantDo(f"{name!r} can't be done at a {device.kind}; there are: {', '.join(acts)}")
    try:
        acts[name](given)
    except (TypeError, KeyError, ValueError, RuntimeError) as error:
        if isinstance(error, CantDo):
            raise
        raise CantDo(f"{name}: {error}") from None


def acts_of(device: Device, seed: int = 0) -> dict[str, Callable[[Any], None]]:
    acts: dict[str, Callable[[Any], None]] = {
        "fault": lambda said: device.faults.switch_on(Fault.said(_text(said), seed)),
        "no_fault": lambda said: device.faults.switch_off(_text(said)),
        "fail": lambda nature: device.fail(_one_of(nature, get_args(Nature))),
        "clear": lambda _: device.clear(),
        "door": lambda how: (
            device.open_door()
            if _one_of(how, ("open", "closed")) == "open"
            else device.close_door()
        ),
        "restart": lambda _: device.restart(),
    }
    match device:
        case Shuffler():
            acts |= _at_the_shuffler(device)
        case Shoe():
            acts |= _at_the_shoe(device)
        case Panel():
            acts["press"] = lambda button: device.press(_one_of(button, get_args(Button)))
        case Acceptor():
            acts["wager"] = lambda given: device.insert(*_cents_and_tender(given))
            acts["take_back"] = lambda _: device.take_back()
        case Terminal():
            acts |= _at_the_terminal(device)
        case Other():
            acts["reading"] = lambda given: device.read(*_reading(given))
    return acts


def _reading(given: Any) -> tuple[str, str, bytes]:
    """A word, or an object with ``what`` was read, its ``value``, and what is ``covered``."""
    said = {"what": given} if isinstance(given, str) else dict(given)
    covered = str(said.pop("covered", "")).encode()
    if len(covered) > MAX_LIST:
        raise CantDo(f"covered: at most {MAX_LIST} bytes")
    what, value = _text(said.pop("what")), str(said.pop("value", ""))
    if said:
        raise CantDo("a reading has what, value and covered")
    return what, value, covered


def _at_the_shuffler(device: Shuffler) -> dict[str, Callable[[Any], None]]:
    top = device.top

    def put(deck: Any) -> None:
        if not top.count_of(_text(deck)):
            top.bring(deck)
        top.put_into_shuffler(deck)

    return {
        "put": put,
        "take": lambda _: top.take_from_shuffler(),
        "lose": lambda cards: top.lose(SHUFFLER, _whole(cards)),
        "mode": lambda mode: device.set_mode(_one_of(mode, ("shuffle", "sort", "other"))),
        "green": lambda _: device.press_green(),
    }


def _at_the_shoe(device: Shoe) -> dict[str, Callable[[Any], None]]:
    top = device.top

    def load(deck: Any) -> None:
        if not top.count_of(_text(deck)):
            top.bring(deck)
        top.gather(deck)
        cards = list(top.cards(HANDS))
        device.random.shuffle(cards)
        top.arrange(HANDS, cards)
        top.put_into_shoe(deck)

    def take(to: Any) -> None:
        top.take_stack(to if isinstance(to, int) else _text(to))

    return {
        "load": load,
        "take": take,
        "stub": lambda _: _ignored(top.take_stub()),
        "lose": lambda cards: top.lose(SHOE, _whole(cards)),
        "turn_up": lambda nth: top.turn_up(SHOE, _whole(nth)),
    }


def _at_the_terminal(device: Terminal) -> dict[str, Callable[[Any], None]]:
    return {
        "sit": lambda player: device.sit(_text(player)),
        "leave": lambda _: device.leave(),
        "buy_in": lambda cents: _ignored(device.buy_in(_whole(cents))),
        "cash_out": lambda cents: _ignored(device.cash_out(_whole(cents))),
        "wager": lambda given: device.wager(_text(given["wager"]), _whole(given["cents"])),
        "take_back": lambda wager: device.take_back(_text(wager)),
        "decide": lambda given: device.decide(
            _one_of(given["choice"], ("wager", "check", "fold")), _whole(given.get("cents", 0))
        ),
    }


def _cents_and_tender(given: Any) -> tuple[int, str]:
    if isinstance(given, Mapping):
        return _whole(given["cents"]), _text(given.get("tender", "chips"))
    return _whole(given), "chips"


def _text(given: Any) -> str:
    if not isinstance(given, str) or not given:
        raise CantDo(f"{given!r} is no text")
    return given


def _whole(given: Any) -> int:
    if not isinstance(given, int) or isinstance(given, bool) or not 0 <= given <= MAX_CENTS:
        raise CantDo(f"{given!r} is no whole number that can be here")
    return given


def _one_of(given: Any, words: tuple[Any, ...]) -> Any:
    if given not in words:
        raise CantDo(f"{given!r} is none of {', '.join(words)}")
    return given


def _ignored(_: object) -> None:
    return

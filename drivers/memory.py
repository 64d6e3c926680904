"""What a driver remembers, as JSON: so that a replay can begin in the middle of a log.

A driver keeps plain values in its attributes: numbers, words, lists, what it last told the device.
They are written down as they are and put back into a driver of the same kind. Anything else can't
be: then there is no memory, and a replay begins earlier.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from typing import Any

from drivers.contract import Driver
from drivers.readback import ReadBack
from drivers.wire import messages
from drivers.wire.line import Unmemorable

#: What is set when a driver is made, and stays.
_GIVEN = frozenset({"settings"})


__all__ = ["Unmemorable", "give", "of", "packed", "renewed", "unpacked"]


def of(driver: Driver) -> dict[str, Any]:
    """What a driver remembers, or ``Unmemorable``."""
    return {
        name: packed(value)
        for name, value in vars(driver).items()
        # What it can call was given to it, too: it is no memory.
        if name not in _GIVEN and not callable(value)
    }


def give(driver: Driver, memory: dict[str, Any]) -> None:
    """Have a driver remember it; ``Unmemorable`` if it is no driver's memory."""
    for name, value in memory.items():
        if name in _GIVEN or (not hasattr(driver, name)):
            raise Unmemorable(name)
        setattr(driver, name, unpacked(value))


def renewed(memory: dict[str, Any]) -> dict[str, Any]:
    """As this felt writes it: an earlier one has not written down what it did not know of."""
    return {name: packed(unpacked(value)) for name, value in memory.items()}


def packed(value: object) -> Any:
    """A plain value as JSON, or ``Unmemorable``."""
    if value is None or isinstance(value, bool | int | float | str):
        return value
    for kind, word, written in _WRITTEN:
        if isinstance(value, kind):
            return {word: written(value)}
    raise Unmemorable(type(value).__name__)


def unpacked(value: Any) -> Any:
    """The value again, or ``Unmemorable`` if it is none."""
    if value is None or isinstance(value, bool | int | float | str):
        return value
    try:
        ((word, held),) = value.items()
        return _READ[word](held)
    except (KeyError, TypeError, ValueError, AttributeError):
        raise Unmemorable(str(value)[:40]) from None


def _all(values: Iterable[object]) -> list[Any]:
    return [packed(one) for one in values]


def _pairs(values: dict[object, object]) -> list[Any]:
    return [[packed(key), packed(one)] for key, one in values.items()]


def _read_back(held: dict[str, Any]) -> ReadBack[Any]:
    made: ReadBack[Any] = ReadBack()
    vars(made).update({name: unpacked(one) for name, one in held.items()})
    return made


#: Values that are more than a word or a number: how each is called, and how it is written.
_WRITTEN: tuple[tuple[type, str, Callable[[Any], Any]], ...] = (
    (bytes, "bytes", bytes.hex),
    (messages.Message, "message", lambda value: messages.to_bytes(value).hex()),
    (tuple, "tuple", _all),
    (list, "list", _all),
    (deque, "deque", _all),
    # In an order of its own, so that the same memory is the same text.
    (set, "set", lambda value: _all(sorted(value, key=repr))),
    (dict, "dict", _pairs),
    (
        ReadBack,
        "read back",
        lambda value: {name: packed(one) for name, one in vars(value).items()},
    ),
)
_READ: dict[str, Callable[[Any], Any]] = {
    "bytes": bytes.fromhex,
    "message": lambda held: messages.from_bytes(bytes.fromhex(held)),
    "tuple": lambda held: tuple(map(unpacked, held)),
    "list": lambda held: list(map(unpacked, held)),
    "deque": lambda held: deque(map(unpacked, held)),
    "set": lambda held: set(map(unpacked, held)),
    "dict": lambda held: {unpacked(key): unpacked(one) for key, one in held},
    "read back": _read_back,
}

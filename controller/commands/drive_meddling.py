"""What somebody at the bench has ``felt drive`` do beside the commands of a table.

An act is an object with one name, as ``felt simulate`` takes them.
"""

from __future__ import annotations

import asyncio
import itertools
import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import msgspec

from controller.commands.bench import say
from controller.commands.drive_wires import MAX_NOISE, DriveBroker, DriveSerial, noise
from drivers.wire import frame, messages
from drivers.wire.fields import Field
from drivers.wire.frame import MAX_FRAME, MAX_PAYLOAD, Kind, Packet
from drivers.wire.station import Station

if TYPE_CHECKING:
    from controller.commands.drive import Bench

Port = DriveSerial | DriveBroker
#: A cable that is out for longer is forgotten at the bench.
MAX_CUT_S = 3600.0
_COMMANDS = {
    name: kind for name, kind in messages.BY_NAME.items() if issubclass(kind, messages.Command)
}
_ids = itertools.count(int.from_bytes(os.urandom(3), "big") << 8)


class CantDo(ValueError):
    """It can't be done. Says why, and what can."""


def meddle(bench: Bench, port: Port, act: dict[str, Any]) -> bool:
    """Do it, or say why not. False if it is a command of the table."""
    if "kind" in act or len(act) != 1:
        return False
    [(name, given)] = act.items()
    if name not in ACTS:
        say({"refused": f"{name!r}: what can be tried is {', '.join(ACTS)}"})
        return True
    try:
        ACTS[name](bench, port, given)
    except CantDo as why:
        say({"refused": f"{name}: {why}"})
    return True


def _tell(bench: Bench, port: Port, given: Any) -> None:
    """A message of the protocol, or the bytes of one, as a command in this session."""
    if isinstance(given, str):
        _send(bench, _raw(given))
        return
    if not isinstance(given, dict) or given.get("message") not in _COMMANDS:
        raise CantDo(f"a message is one of {', '.join(_COMMANDS)}, or hexadecimal digits")
    said = {key: value for key, value in given.items() if key != "message"}
    try:
        message = msgspec.convert(said, _COMMANDS[given["message"]])
    except msgspec.ValidationError as error:
        raise CantDo(str(error)) from None
    _send(bench, message)


def _send(bench: Bench, message: messages.Command) -> None:
    if not bench.attachment.is_present:
        raise CantDo("the device is not there")
    deadline = asyncio.get_running_loop().time() + 2.0
    bench.attachment.station.send(next(_ids) & 0xFFFF_FFFF, message, deadline=deadline)


def _raw(digits: str) -> messages.Command:
    """A command that is in no catalogue: its code, and whatever comes after that."""
    try:
        data = bytes.fromhex(digits)
    except ValueError:
        raise CantDo(f"{digits!r} is neither a message nor hexadecimal digits") from None
    if not 0 < len(data) <= MAX_PAYLOAD - 4:
        raise CantDo(f"a message has 1 to {MAX_PAYLOAD - 4} bytes")
    rest = Field("rest", "bytes", lambda value: value, lambda data, at: (data[at:], len(data)))
    made = msgspec.defstruct(
        "Raw",
        [("rest", bytes)],
        bases=(messages.Command,),
        frozen=True,
        tag=f"0x{data[0]:02X}",
        namespace={"code": data[0], "fields": (rest,)},
    )
    command = made(data[1:])
    assert isinstance(command, messages.Command)
    return command


def _station(bench: Bench) -> Station:
    station = bench.attachment.station
    if not isinstance(station, Station):
        raise CantDo("hardware off the shelf has no such thing")
    return station


def _bytes(bench: Bench, port: Port, given: Any) -> None:
    try:
        data = bytes.fromhex(given)
    except (TypeError, ValueError):
        raise CantDo(f"{given!r} is no string of hexadecimal digits") from None
    if not data or len(data) > 20 * MAX_FRAME:
        raise CantDo(f"1 to {20 * MAX_FRAME} bytes at a time")
    port.put_in(data)


def _noise(bench: Bench, port: Port, given: Any) -> None:
    if not isinstance(given, int) or isinstance(given, bool) or not 0 < given <= MAX_NOISE:
        raise CantDo(f"how many bytes? 1 to {MAX_NOISE}")
    port.put_in(noise(given) + b"\0")


def _cut(bench: Bench, port: Port, given: Any) -> None:
    if not isinstance(given, int | float) or isinstance(given, bool) or not 0 < given <= MAX_CUT_S:
        raise CantDo(f"for how many seconds? Up to {MAX_CUT_S:.0f}")
    port.goes_out(out=True)
    say({"cable": "out", "seconds": given})

    def back() -> None:
        port.goes_out(out=False)
        say({"cable": "in"})
        port.kick()

    asyncio.get_running_loop().call_later(given, back)


def _hello(bench: Bench, port: Port, given: Any) -> None:
    station = _station(bench)
    station.lose(asyncio.get_running_loop().time(), "a new session was asked for at the bench")


def _earlier(bench: Bench, port: Port, given: Any) -> None:
    again = port.earlier(_station(bench).session)
    if not again:
        raise CantDo('there was no session before this one: {"hello": true} begins the next')
    for data in again[-16:]:
        port.put_in(data)


def _other_felt(bench: Bench, port: Port, given: Any) -> None:
    """A hello of somebody else, who does not have the key."""
    address = _station(bench).address
    payload = b"\x01" + os.urandom(16)
    packet = Packet(Kind.HELLO, address, 200, 0, payload)
    if isinstance(port, DriveBroker):
        raise CantDo("at a broker nobody but felt may say that")
    port.put_in(frame.to_bytes(packet))


ACTS: dict[str, Callable[[Bench, Port, Any], None]] = {
    "tell": _tell,
    "bytes": _bytes,
    "noise": _noise,
    "cut": _cut,
    "hello": _hello,
    "earlier": _earlier,
    "other_felt": _other_felt,
}

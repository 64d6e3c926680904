"""What recorded devices did, as a script that can be played again to a felt that runs.

Bytes can't be said twice: sessions, nonces and tags are made anew each time. So a log is read for
what its devices meant: who they were, what they said and when, what they answered to which command,
when they were silent, unplugged or restarted. Faces are uncovered with the recorded session's key,
if it is given, to be covered again under the new one. What was no frame stays what it was.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

import msgspec

from controller.daemon.blackbox import LETS_GO
from controller.technician.logs import Logged, Run, Wire
from drivers.wire import envelope, frame, handshake, messages, topics
from drivers.wire.devicelog import Bytes, Quiet, Remark
from drivers.wire.frame import Kind, Packet
from drivers.wire.handshake import Identity, Result
from drivers.wire.keys import SessionKeys, proven

#: So often felt asked in vain before a device is taken to have been silent: a frame may get lost.
SILENT_AFTER = 3
#: What stands between two zeros and is longer can't be told apart from noise without end.
MAX_PIECE = 4096

Key = Callable[[str], bytes | None]


@dataclass(slots=True, kw_only=True)
class Step:
    """Something that happened, with when and where it stands in the record."""

    #: What comes first of what has the same time.
    turn: ClassVar[int] = 0
    at_us: int
    where: str


@dataclass(slots=True, kw_only=True)
class Arrives(Step):
    """A device is greeted and says who it is: for the first time, again, or in a new life."""

    device: str
    identity: Identity
    is_new_life: bool


@dataclass(slots=True, kw_only=True)
class Told(Step):
    """A command that felt gave, and what the device answered to it; none if nothing."""

    turn = 2
    device: str
    #: As it was written, without its id.
    message: bytes
    result: Result | None = None
    #: How long the answer took.
    after_us: int = 0
    #: The felt that is played to has given it too.
    is_heard: bool = False


@dataclass(slots=True, kw_only=True)
class Says(Step):
    """An event of a device, under the number that it had."""

    device: str
    seq: int
    #: As it was written, but that its faces are uncovered.
    message: bytes
    #: It has faces, which travel covered.
    covers: bool = False


@dataclass(slots=True, kw_only=True)
class Silent(Step):
    """From here on the device answered nothing, until then; for good if it is none."""

    device: str
    until_us: int | None


@dataclass(slots=True, kw_only=True)
class Noise(Step):
    """Bytes that were nothing, or only a part of something."""

    wire: str
    data: bytes
    #: At a broker, the topic.
    channel: str = ""


@dataclass(slots=True, kw_only=True)
class Plug(Step):
    """A cable was pulled out or plugged in; or a device left its broker or came back to it."""

    wire: str
    is_in: bool
    device: str = ""


@dataclass(slots=True)
class Part:
    """A device as the script has it."""

    name: str
    wire: str
    address: int
    polled: bool
    #: When it first said who it is; none if it never did.
    first_us: int | None = None


@dataclass(slots=True)
class Script:
    steps: list[Step] = field(default_factory=list)
    parts: dict[str, Part] = field(default_factory=dict)
    #: What can't be played, and why.
    remarks: list[str] = field(default_factory=list)

    @property
    def first_us(self) -> int:
        return min((one.at_us for one in self.steps), default=0)

    def add(self, steps: Iterable[Step]) -> None:
        """Into their order. At one moment felt's orders come last: they follow from the rest."""
        self.steps = sorted((*self.steps, *steps), key=lambda one: (one.at_us, one.turn))


def places(given: Mapping[str, Any]) -> dict[int, str]:
    """The devices of a wire by their addresses, as a table file places them."""
    found: dict[int, str] = {}
    for index, name in enumerate(given.get("devices", ()), 1):
        seat = str(name).partition(" ")[2]
        found[int(seat) if seat.isdecimal() else index] = str(name)
    return found


def of_run(run: Run, key: Key) -> Script:
    """``key`` gives the key of a device by its name, if it is known."""
    script = Script()
    for wire in run.wires.values():
        if not wire.given.get("devices"):
            script.remarks.append(f"{wire.name}: its log does not say what is on it: not played")
        elif wire.given.get("speaks", "felt") != "felt":
            speaks = wire.given["speaks"]
            script.remarks.append(f"{wire.name}: not played, its devices speak {speaks}")
        else:
            _Reading(wire, script, key).read()
    script.add(())
    for part in script.parts.values():
        if part.first_us is None:
            script.remarks.append(f"{part.name}: never said who it is in this record: not played")
    return script


class _Device:
    """What is known of a device while its log is read."""

    def __init__(self, part: Part, key: bytes | None) -> None:
        self.part = part
        self.key = key
        self.boot: int | None = None
        self.session: int | None = None
        self.nonce = b""
        self.keys: SessionKeys | None = None
        #: Commands by their ids, and when each was last given.
        self.told: dict[int, tuple[Told, int]] = {}
        self.said: set[tuple[int, int]] = set()
        #: When felt first asked what was not answered, and how often it has asked since.
        self.asked_us = 0
        self.asked = 0
        self.asked_at = ""


class _Reading:
    def __init__(self, wire: Wire, script: Script, key: Key) -> None:
        self._wire = wire
        self._script = script
        given = wire.given
        self._at_broker = bool(given.get("mqtt"))
        placed = places(given)
        is_bus = not self._at_broker and (len(placed) > 1 or bool(given.get("rs485")))
        self._devices: dict[int | str, _Device] = {}
        for address, name in placed.items():
            at = envelope.ADDRESS if self._at_broker else address
            part = Part(name, wire.name, at, is_bus)
            script.parts[name] = part
            place = topics.slug(name) if self._at_broker else address
            self._devices[place] = _Device(part, key(name))
        self._held = {"in": bytearray(), "out": bytearray()}
        self._is_open = False
        self._logged: Logged | None = None

    def read(self) -> None:
        if self._wire.begins_late:
            name = self._wire.name
            self._script.remarks.append(f"{name}: its log begins late, the first part is gone")
        for logged in self._wire.records():
            self._logged = logged
            match logged.record:
                case Bytes(direction=direction, data=data, channel=channel):
                    if channel:
                        self._published(direction, data, channel)
                    else:
                        self._bytes(direction, data)
                case Quiet(devices=devices):
                    self._answered({one.address for one in devices})
                case Remark(word="port", text=text):
                    self._port(text)
                case Remark(word="table", text=text) if text == LETS_GO:
                    # felt ended here; the one that is played to need not.
                    break
                case Remark(word="gap", text=text):
                    self._script.remarks.append(f"{self._where}: {self._wire.name}: {text}")
        self._cut_off()
        for device in self._devices.values():
            if device.asked >= SILENT_AFTER and device.boot is not None:
                self._add(self._silence(device, None))

    # --- Bytes ------------------------------------------------------------------

    @property
    def _where(self) -> str:
        return f"{self._logged.file}:{self._logged.line}" if self._logged else ""

    @property
    def _at_us(self) -> int:
        return self._logged.at_us if self._logged else 0

    def _add(self, step: Step) -> None:
        self._script.steps.append(step)

    def _bytes(self, direction: str, data: bytes) -> None:
        held = self._held[direction]
        held += data
        while (end := held.find(0)) >= 0 or len(held) > MAX_PIECE:
            end = end if end >= 0 else MAX_PIECE
            piece = bytes(held[: end + 1])
            del held[: end + 1]
            packet = frame.from_bytes(piece[:-1]) if piece.endswith(b"\0") else None
            if packet is not None and packet.address in self._devices:
                self._packet(self._devices[packet.address], packet)
            elif direction == "in" and len(piece) > 1:
                self._noise(piece)

    def _published(self, direction: str, data: bytes, channel: str) -> None:
        place = topics.place_of(channel)
        device = self._devices.get(place.device) if place else None
        if place is None or device is None:
            return
        if place.what == "state":
            self._present(device, data)
            return
        packet = envelope.from_json(data)
        if packet is not None:
            self._packet(device, packet)
        elif direction == "in":
            self._noise(data, channel)

    def _noise(self, data: bytes, channel: str = "") -> None:
        made = Noise(
            at_us=self._at_us, where=self._where, wire=self._wire.name, data=data, channel=channel
        )
        self._add(made)

    def _cut_off(self) -> None:
        """What came of a frame that never became whole."""
        if self._held["in"]:
            self._noise(bytes(self._held["in"]))
        for held in self._held.values():
            held.clear()

    def _port(self, text: str) -> None:
        is_open = text.startswith("open ")
        if not is_open and not text.startswith("absent, "):
            return
        self._cut_off()
        if self._at_broker:
            if not is_open and self._is_open:
                self._script.remarks.append(
                    f"{self._where}: {self._wire.name}: felt lost its broker: not played"
                )
        elif is_open != self._is_open and (self._is_open or self._script_has_begun()):
            # Not the first opening, which is felt's own start.
            self._plug(is_in=is_open)
        self._is_open = is_open
        self._nobody_waits()

    def _answered(self, quiet: set[int]) -> None:
        """These were asked and had nothing to say. At a broker they are counted by their places."""
        for place, (address, device) in enumerate(self._devices.items(), 1):
            if (place if self._at_broker else address) in quiet:
                device.asked = 0

    def _nobody_waits(self) -> None:
        for device in self._devices.values():
            device.asked = 0

    def _script_has_begun(self) -> bool:
        return any(isinstance(s, Plug) and s.wire == self._wire.name for s in self._script.steps)

    def _plug(self, *, is_in: bool, device: str = "") -> None:
        made = Plug(
            at_us=self._at_us, where=self._where, wire=self._wire.name, is_in=is_in, device=device
        )
        self._add(made)

    def _present(self, device: _Device, data: bytes) -> None:
        presence = topics.presence_from_json(data)
        if presence is not None and device.boot is not None:
            if not presence.is_alive:
                self._plug(is_in=False, device=device.part.name)
            elif presence.state == "ready":
                self._plug(is_in=True, device=device.part.name)
        device.asked = 0

    # --- Packets ----------------------------------------------------------------

    def _packet(self, device: _Device, packet: Packet) -> None:
        if not packet.kind.from_device:
            self._asked(device, packet)
            return
        if packet.kind is not Kind.IDENTITY and packet.session != device.session:
            return  # felt did not listen to it: there was no such session
        if device.asked >= SILENT_AFTER and device.boot is not None:
            self._add(self._silence(device, self._at_us))
        device.asked = 0
        match packet.kind:
            case Kind.IDENTITY:
                self._identity(device, packet)
            case Kind.EVENT:
                self._event(device, packet)
            case Kind.RESULT:
                result = handshake.result_from_bytes(packet.payload)
                if result is not None and result.command in device.told:
                    told, last_us = device.told[result.command]
                    if told.result is None:
                        told.result = result
                        told.after_us = self._at_us - last_us

    def _asked(self, device: _Device, packet: Packet) -> None:
        if packet.kind is Kind.ACK:
            return
        if not device.asked:
            device.asked_us, device.asked_at = self._at_us, self._where
        device.asked += 1
        if packet.kind is Kind.HELLO:
            hello = handshake.hello_from_bytes(packet.payload)
            device.nonce = hello.nonce if hello else b""
        elif packet.kind is Kind.COMMAND:
            number = int.from_bytes(packet.payload[:4], "big")
            known = device.told.get(number)
            if known is None:
                told = Told(
                    at_us=self._at_us,
                    where=self._where,
                    device=device.part.name,
                    message=packet.payload[4:],
                )
                self._add(told)
            else:
                told = known[0]
            device.told[number] = (told, self._at_us)

    def _silence(self, device: _Device, until_us: int | None) -> Silent:
        return Silent(
            at_us=device.asked_us,
            where=device.asked_at,
            device=device.part.name,
            until_us=until_us,
        )

    def _identity(self, device: _Device, packet: Packet) -> None:
        read = handshake.identity_from_bytes(packet.payload) if packet.payload else None
        if read is None:
            return  # it asks for a hello: what follows says who it is now
        identity, written, proof = read
        device.keys = None
        if device.key is not None and proven(device.key, device.nonce, written, proof):
            device.keys = SessionKeys.agreed(device.key, device.nonce, identity.nonce)
        new_life = device.boot is not None and identity.boot != device.boot
        device.boot = identity.boot
        device.session = packet.session
        if device.part.first_us is None:
            device.part.first_us = self._at_us
        words = (w for w in identity.capabilities.split() if not w.startswith("kept:"))
        plain = msgspec.structs.replace(identity, capabilities=" ".join(words))
        made = Arrives(
            at_us=self._at_us,
            where=self._where,
            device=device.part.name,
            identity=plain,
            is_new_life=new_life,
        )
        self._add(made)

    def _event(self, device: _Device, packet: Packet) -> None:
        if device.boot is None or (device.boot, packet.seq) in device.said:
            return
        device.said.add((device.boot, packet.seq))
        written, covers = packet.payload, False
        message = messages.from_bytes(written)
        if isinstance(message, messages.Dispensed) and message.faces:
            covers = device.keys is not None
            faces = device.keys.cover(message.faces, packet.seq) if device.keys else b""
            if not covers:
                self._without_faces(device.part.name)
            written = messages.to_bytes(msgspec.structs.replace(message, faces=faces))
        made = Says(
            at_us=self._at_us,
            where=self._where,
            device=device.part.name,
            seq=packet.seq,
            message=written,
            covers=covers,
        )
        self._add(made)

    def _without_faces(self, name: str) -> None:
        said = (
            f"{name}: the record was made with another key, so its faces can't be uncovered: "
            "they are left out, as by a shoe that does not read"
        )
        if said not in self._script.remarks:
            self._script.remarks.append(said)


def told_of(script: Script, device: str) -> Iterator[Told]:
    return (one for one in script.steps if isinstance(one, Told) and one.device == device)

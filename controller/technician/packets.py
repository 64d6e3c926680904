"""The log of a wire on which felt's own protocol is spoken, read for what its devices meant.

Who they were, what they said and when, what they answered to which command, when they were silent
or restarted. Faces are uncovered with the recorded session's key, if it is given, to be covered
again under the new one. What was no frame stays what it was.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import msgspec

from controller.technician.logs import Wire
from controller.technician.reading import Reading
from controller.technician.script import (
    Arrives,
    GivenUp,
    Part,
    Says,
    Script,
    Silent,
    Told,
    places,
)
from drivers.wire import envelope, frame, handshake, messages, topics
from drivers.wire.frame import Kind, Packet
from drivers.wire.keys import SessionKeys, proven

#: So often felt asked in vain before a device is taken to have been silent: a frame may get lost.
SILENT_AFTER = 3
#: What stands between two zeros and is longer can't be told apart from noise without end.
MAX_PIECE = 4096

Key = Callable[[str], bytes | None]


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
        #: The command that it began with, if it was one; and when felt asked last and before that.
        self.asked_told: Told | None = None
        self.last_us = self.before_us = 0
        #: Where felt greeted it instead.
        self.given_up: GivenUp | None = None
        #: Since when there was no word from it in its session: it may have ended its life then.
        self.wordless_us: int | None = None


class PacketReading(Reading):
    def __init__(self, wire: Wire, script: Script, key: Key) -> None:
        super().__init__(wire, script)
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

    # --- Bytes ------------------------------------------------------------------

    def bytes_(self, direction: str, data: bytes, channel: str) -> None:
        if channel:
            self._published(direction, data, channel)
            return
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
                self.noise(piece)

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
            self.noise(data, channel)

    def _cut_off(self) -> None:
        """What came of a frame that never became whole."""
        if self._held["in"]:
            self.noise(bytes(self._held["in"]))
        for held in self._held.values():
            held.clear()

    def port(self, *, is_open: bool) -> None:
        self._cut_off()
        for device in self._devices.values():
            device.asked = 0
            if not is_open:
                self._no_word(device)

    def end(self) -> None:
        self._cut_off()
        for device in self._devices.values():
            if device.asked >= SILENT_AFTER and device.boot is not None:
                self._silence(device, None)

    def quiet(self, addresses: set[int]) -> None:
        """At a broker they are counted by their places."""
        for place, (address, device) in enumerate(self._devices.items(), 1):
            if (place if self._at_broker else address) in addresses:
                device.asked = 0
                device.wordless_us = None

    def _present(self, device: _Device, data: bytes) -> None:
        presence = topics.presence_from_json(data)
        if presence is not None and device.boot is not None:
            if not presence.is_alive:
                self.plug(is_in=False, device=device.part.name)
                self._no_word(device)
            elif presence.state == "ready":
                self.plug(is_in=True, device=device.part.name)
        device.asked = 0

    # --- Packets ----------------------------------------------------------------

    def _packet(self, device: _Device, packet: Packet) -> None:
        if not packet.kind.from_device:
            self._asked(device, packet)
            return
        if packet.kind is not Kind.IDENTITY and packet.session != device.session:
            return  # felt did not listen to it: there was no such session
        if device.asked >= SILENT_AFTER and device.boot is not None:
            self._silence(device, self.at_us)
        device.asked = 0
        match packet.kind:
            case Kind.IDENTITY if not packet.payload:
                return  # it asks for a hello: what follows says who it is now
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
                        told.after_us = self.at_us - last_us
        device.wordless_us = None

    def _no_word(self, device: _Device) -> None:
        if device.wordless_us is None:
            device.wordless_us = self.at_us

    def _asked(self, device: _Device, packet: Packet) -> None:
        if packet.kind is Kind.ACK:
            return
        self._no_word(device)
        if not device.asked:
            device.asked_us, device.asked_at = self.at_us, self.where
            device.last_us, device.asked_told = self.at_us, None
            device.given_up = None
        device.before_us, device.last_us = device.last_us, self.at_us
        device.asked += 1
        if packet.kind is Kind.HELLO:
            hello = handshake.hello_from_bytes(packet.payload)
            device.nonce = hello.nonce if hello else b""
            if device.asked > 1 and device.given_up is None:
                name = device.part.name
                device.given_up = GivenUp(at_us=self.at_us, where=self.where, device=name)
        elif packet.kind is Kind.COMMAND:
            number = int.from_bytes(packet.payload[:4], "big")
            known = device.told.get(number)
            if known is None:
                told = Told(
                    at_us=self.at_us,
                    where=self.where,
                    device=device.part.name,
                    message=packet.payload[4:],
                )
                self.add(told)
                if device.asked == 1:
                    device.asked_told = told
            else:
                told = known[0]
            device.told[number] = (told, self.at_us)

    def _silence(self, device: _Device, until_us: int | None) -> None:
        # It ended between the last that was not answered and the one that was. In the middle
        # neither a felt that is a little late nor one that is early meets it.
        ends_us = (device.before_us + device.last_us) // 2
        made = Silent(
            at_us=device.asked_us,
            where=device.asked_at,
            device=device.part.name,
            until_us=until_us,
            ends_us=None if until_us is None else ends_us,
        )
        if device.asked_told is not None:
            made.told = device.asked_told
            made.told.silence = made
        self.add(made)
        if device.given_up is not None:
            made.given_up = device.given_up
            self.add(device.given_up)

    def _identity(self, device: _Device, packet: Packet) -> None:
        read = handshake.identity_from_bytes(packet.payload)
        if read is None:
            return
        identity, written, proof = read
        device.keys = None
        if device.key is not None and proven(device.key, device.nonce, written, proof):
            device.keys = SessionKeys.agreed(device.key, device.nonce, identity.nonce)
        new_life = device.boot is not None and identity.boot != device.boot
        device.boot = identity.boot
        device.session = packet.session
        if device.part.first_us is None:
            device.part.first_us = self.at_us
        words = (w for w in identity.capabilities.split() if not w.startswith("kept:"))
        plain = msgspec.structs.replace(identity, capabilities=" ".join(words))
        made = Arrives(at_us=self.at_us, where=self.where, device=device.part.name, identity=plain)
        if new_life:
            # What is greeted here has been alive since its last life ended.
            since_us = self.at_us if device.wordless_us is None else device.wordless_us
            new = replace(made, at_us=since_us, is_new_life=True)
            self.add(new)
            waiting = (told for told, _ in device.told.values() if told.result is None)
            told = next((one for one in waiting if one.at_us >= since_us), None)
            if told is not None:
                told.restart = new
        self.add(made)

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
            at_us=self.at_us,
            where=self.where,
            device=device.part.name,
            seq=packet.seq,
            message=written,
            covers=covers,
        )
        self.add(made)

    def _without_faces(self, name: str) -> None:
        said = (
            f"{name}: the record was made with another key, so its faces can't be uncovered: "
            "they are left out, as by a shoe that does not read"
        )
        if said not in self._script.remarks:
            self._script.remarks.append(said)

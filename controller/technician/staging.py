"""The ports and the broker at which a recorded table is played to a felt that runs.

A serial wire is a pty under a name that stays: to felt it is a port. A device at a broker connects
there as the device did. The table file that belongs to it is written beside the ports.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import tty
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from math import inf
from pathlib import Path
from typing import Any

from controller.daemon import secrets
from controller.daemon.wiring import BROKER_PORT, EMBEDDED
from controller.replay import RULEBOOK_TEXT
from controller.rules.faults import Refused
from controller.tables import in_toml
from controller.technician.acting import Act
from controller.technician.doing import Doing
from controller.technician.logs import Run, apart
from controller.technician.playing import Player, Tally
from controller.technician.script import Part, Script
from drivers.dialects.other_end import OtherEnd
from drivers.wire import envelope, frame
from drivers.wire.broker_accounts import as_device
from drivers.wire.broker_client import Account
from drivers.wire.broker_door import HOST
from drivers.wire.frame import Packet, Splitter
from drivers.wire.handshake import Identity
from drivers.wire.mqtt_device import MqttDevice
from drivers.wire.responder import Responder
from drivers.wire.topics import Place

READ_BYTES = 4096
#: The player is woken at least so often, and never at once again.
LOOKS_S = 0.05
LEAST_S = 0.0005
#: A broker that is not there is tried again after so long.
AGAIN_S = 0.25


class PlayedPort:
    """A pty under a name; ``listens`` makes who hears felt's bytes, anew for each plugging in."""

    def __init__(self, link: Path, listens: Callable[[], Callable[[bytes], None]]) -> None:
        self.link = link
        self._listens = listens
        self._heard = listens()
        self._master = self._slave = -1

    def plug_in(self) -> None:
        if self._master >= 0:
            return
        self._master, self._slave = os.openpty()
        for descriptor in (self._master, self._slave):
            tty.setraw(descriptor)
        os.set_blocking(self._master, False)
        self._heard = self._listens()
        try:
            self.link.unlink(missing_ok=True)
            self.link.symlink_to(os.ttyname(self._slave))
        except OSError as error:
            raise Refused(str(self.link), f"can't be made: {error.strerror}") from None
        asyncio.get_running_loop().add_reader(self._master, self._readable)

    def unplug(self) -> None:
        """The adapter is gone, and its name with it."""
        if self._master < 0:
            return
        asyncio.get_running_loop().remove_reader(self._master)
        for descriptor in (self._master, self._slave):
            os.close(descriptor)
        self._master = self._slave = -1
        self.link.unlink(missing_ok=True)

    def write(self, data: bytes) -> None:
        # What does not fit is lost, as on a line whose other end does not read.
        with contextlib.suppress(BlockingIOError):
            if self._master >= 0:
                os.write(self._master, data)

    def _readable(self) -> None:
        try:
            data = os.read(self._master, READ_BYTES)
        except BlockingIOError:
            return
        self._heard(data)


class PlayedAtBroker(MqttDevice):
    """A recorded device at a broker: it is there, and the player speaks for it."""

    def __init__(
        self,
        account: Account,
        table: str,
        name: str,
        device: Responder,
        heard: Callable[[Packet], None],
    ) -> None:
        # A broker inside felt comes with it: whoever waits long would count as missing by then.
        super().__init__(account, table, name, device, jitter=lambda least, _: min(least, AGAIN_S))
        self._heard = heard

    @property
    def own(self) -> str:
        """What all of its topics begin with."""
        return self._topic("")

    def say(self, packet: Packet) -> None:
        self._guarded(lambda: self._answer(packet, self._here().loop.time()))

    def noise(self, topic: str, data: bytes) -> None:
        self._guarded(lambda: self._say(topic, data, self._here().loop.time()))

    def _speak(self, now: float) -> bool:
        return False

    def _wakes_at(self) -> float:
        return inf

    def _hear(self, place: Place, payload: bytes, retained: bool, now: float) -> None:
        packet = envelope.from_json(payload)
        if packet is not None and not retained and str(place) == self._topic("cmd"):
            self._heard(packet)


class Theatre:
    """Implements the player's ``Stage``."""

    def __init__(
        self,
        folder: Path,
        run: Run,
        script: Script,
        *,
        broker: Account | None,
        key: Callable[[str], bytes],
        people: Doing,
    ) -> None:
        self._table = run.table
        self._broker = broker
        self._key = key
        self._people = people
        self._stirred = asyncio.Event()
        self._parts = script.parts
        self._echoing = script.echoing
        self._by_address = {
            (one.wire, one.address): one.name
            for one in script.parts.values()
            if one.first_us is not None
        }
        self._at_broker: dict[str, PlayedAtBroker] = {}
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._group: asyncio.TaskGroup | None = None
        self.player: Player | None = None
        self.ports: dict[str, PlayedPort] = {}
        ends = {one.wire: one.end for one in script.parts.values()}
        for name, end in ends.items():
            if not run.wires[name].given.get("mqtt"):
                link = link_of(folder, name)
                listens = (
                    partial(self._packets, name)
                    if end is None
                    else partial(self._requests, name, end)
                )
                self.ports[name] = PlayedPort(link, listens)

    # --- As the player sees it --------------------------------------------------

    def send(self, part: Part, said: Packet | bytes) -> None:
        if part.wire in self.ports:
            data = said if isinstance(said, bytes) else frame.to_bytes(said)
            self.ports[part.wire].write(data)
        elif part.name in self._at_broker and isinstance(said, Packet):
            self._at_broker[part.name].say(said)

    def noise(self, wire: str, data: bytes, channel: str) -> None:
        if wire in self.ports:
            self.ports[wire].write(data)
            return
        for name, one in self._at_broker.items():
            if self._parts[name].wire == wire and channel.startswith(one.own):
                one.noise(channel, data)

    def plug(self, wire: str, device: str, *, is_in: bool) -> None:
        if wire in self.ports:
            port = self.ports[wire]
            port.plug_in() if is_in else port.unplug()
        elif is_in:
            self._connect(device)
        else:
            self._leave(device)

    def reborn(self, device: str, identity: Identity) -> None:
        if self._parts[device].wire not in self.ports:
            self._leave(device)
            self._connect(device)

    def act(self, act: Act) -> None:
        assert self._group is not None
        self._group.create_task(self._acted(act), name=act.said)

    async def _acted(self, act: Act) -> None:
        problem = await asyncio.to_thread(self._people.done, act)
        self._now(lambda player, now: player.acted(act, problem, now))

    # --- As felt sees it --------------------------------------------------------

    def _packets(self, wire: str) -> Callable[[bytes], None]:
        splitter = Splitter()

        def heard(data: bytes) -> None:
            for packet in splitter.feed(data):
                if isinstance(packet, Packet):
                    name = self._by_address.get((wire, packet.address))
                    if name is not None:
                        self._now(partial(Player.received, device=name, packet=packet))

        return heard

    def _requests(self, wire: str, end: OtherEnd) -> Callable[[bytes], None]:
        held = bytearray()

        def heard(data: bytes) -> None:
            held.extend(data)
            for request in end.requests(held):
                if wire in self._echoing:
                    self.ports[wire].write(request.frame)
                name = self._by_address.get((wire, request.unit))
                if name is not None:
                    self._now(partial(Player.asked, device=name, request=request))

        return heard

    def _now(self, then: Callable[..., None]) -> None:
        assert self.player is not None
        then(self.player, now=asyncio.get_running_loop().time())
        self._stirred.set()

    def _connect(self, name: str) -> None:
        player, group = self.player, self._group
        assert player is not None
        assert group is not None
        device = player.devices.get(name)
        if self._broker is None or name in self._tasks or not isinstance(device, Responder):
            return
        made = PlayedAtBroker(
            as_device(self._broker, self._table, name, self._key(name)),
            self._table,
            name,
            device,
            lambda packet: self._now(lambda p, now: p.received(name, packet, now)),
        )
        self._at_broker[name] = made
        self._tasks[name] = group.create_task(made.run(), name=f"played {name}")

    def _leave(self, name: str) -> None:
        task = self._tasks.pop(name, None)
        self._at_broker.pop(name, None)
        if task is not None:
            task.cancel()

    # --- Running ----------------------------------------------------------------

    async def run(self, player: Player, *, stays: bool) -> Tally:
        """Until the script is over; ``stays``: until cancelled."""
        self.player = player
        loop = asyncio.get_running_loop()
        try:
            async with asyncio.TaskGroup() as self._group:
                for port in self.ports.values():
                    port.plug_in()
                for name in player.devices:
                    if self._parts[name].wire not in self.ports:
                        self._connect(name)
                while not player.tally.is_over or stays:
                    player.advance(loop.time())
                    wait = min(max(player.wakes_at() - loop.time(), LEAST_S), LOOKS_S)
                    self._stirred.clear()
                    with contextlib.suppress(TimeoutError):
                        async with asyncio.timeout(wait):
                            await self._stirred.wait()
                for name in list(self._tasks):
                    self._leave(name)
        finally:
            self._people.close()
            for port in self.ports.values():
                port.unplug()
        return player.tally


# --- The table file -------------------------------------------------------------


def link_of(folder: Path, wire: str) -> Path:
    return folder / f"tty-{wire}"


def is_embedded(given: Mapping[str, Any]) -> bool:
    """Whether the broker is in the daemon itself."""
    return str(given.get("mqtt", "")).partition(":")[0] == EMBEDDED


def broker_for(run: Run, named: str) -> Account | None:
    """Where the devices connect that were at a broker; ``named`` as HOST:PORT, or "" for none."""
    given = [wire.given for wire in run.wires.values() if wire.given.get("mqtt")]
    if not given:
        return None
    inside = next((one for one in given if is_embedded(one)), None)
    said = named or (str(inside["mqtt"]).replace(EMBEDDED, HOST) if inside else "")
    host, _, port = said.partition(":")
    if not host or (port and not port.isdecimal()):
        wires = ", ".join(n for n, wire in run.wires.items() if wire.given.get("mqtt"))
        problem = f"{named!r} is no host and port" if named else f"{wires} was at a broker"
        raise Refused("--broker", problem, "HOST:PORT of the one that felt will use")
    return Account(host, int(port) if port else BROKER_PORT)


def keys_for(folder: Path, names: Iterable[str]) -> None:
    """Keys for a table on the bench, as far as there are none."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    for name in (secrets.FACES, *names):
        secrets.make_key(folder, name)


def keys_of(folder: Path, given: Path, names: Iterable[str]) -> None:
    """The keys of another table, linked, so that none of them lies on the bench.

    Keys and no more: its people's PINs stay where they are, and the bench asks for none.
    """
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    for name in names:
        secrets.key(given, name)
        link = folder / f"{secrets.slug(name)}.key"
        link.unlink(missing_ok=True)
        link.symlink_to(secrets.file_of(given, link.name).absolute())
    secrets.make_key(folder, secrets.FACES)


def table_file(
    folder: Path, run: Run, terms: Mapping[str, Any], secrets_: Path, broker: Account | None
) -> str:
    """A table file for a felt that these devices are played to; ``broker`` if it is another one."""
    wires: dict[str, dict[str, Any]] = {}
    beside: dict[str, Any] = {"approved": {}}
    for name, wire in run.wires.items():
        given, more = apart(wire.given)
        for section, known in more.items():
            beside.setdefault(section, {}).update(known)
        if given.get("serial"):
            given["serial"] = str(link_of(folder, name).absolute())
        if given.get("mqtt") and broker is not None:
            given["mqtt"] = f"{broker.host}:{broker.port}"
            # That one is on the bench: it knows neither this user nor these certificates.
            given.pop("user", None)
            given.pop("tls", None)
        wires[name] = given
    whole = {
        **{key: value for key, value in terms.items() if key != RULEBOOK_TEXT},
        "service": {
            "state": str((folder / "state").absolute()),
            "runtime": str((folder / "run").absolute()),
            "secrets": str(secrets_.absolute()),
        },
        "wires": wires,
        **beside,
    }
    return in_toml(whole)

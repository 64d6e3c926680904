"""From the configuration to running wires: lines and their stations, drivers and their keys."""

from __future__ import annotations

import os
import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from controller.daemon import secrets
from controller.daemon.configuration import Configuration, Device
from controller.daemon.configuration import Wire as WireSettings
from controller.daemon.sealing import Sealer
from controller.rules.faults import Refused
from drivers.attachment import Attachment
from drivers.contract import Driver, Health, Settings
from drivers.device import BadSettings
from drivers.dialects import lines
from drivers.finding import NoDriver, driver
from drivers.wire import mqtt
from drivers.wire.broker_accounts import WATCH, Accounts
from drivers.wire.broker_client import Account, TlsFiles
from drivers.wire.broker_door import HOST
from drivers.wire.capture import Capture
from drivers.wire.keys import NONCE_BYTES, proven
from drivers.wire.line import Correspondent, Line, Spoken
from drivers.wire.ports import PortSettings
from drivers.wire.serial import SerialPort
from drivers.wire.station import Station, Timing

#: The wager that an acceptor takes, and that a terminal offers, where nothing else is said.
WAGERS = {"acceptor": "progressive", "terminal": "five_card_player"}

#: On a bus: how soon a device is asked again that had something to say, and that had not.
BUS_POLL_S = 0.05
BUS_POLL_MOST_S = 0.25
#: For a broker that no port is named of.
BROKER_PORT = 1883

#: Instead of a host: a broker inside the daemon, for a table that has none.
EMBEDDED = "embedded"

Nonce = Callable[[], bytes]
#: Somewhere between two numbers, so that everything that was lost does not come back at once.
Jitter = Callable[[float, float], float]


def nonce() -> bytes:
    return os.urandom(NONCE_BYTES)


class _Trouble(Protocol):
    @property
    def reason(self) -> str: ...
    @property
    def next_step(self) -> str: ...


class SerialWire(SerialPort):
    """A serial port, as the supervisor wants to know it."""

    def trouble(self) -> Health | None:
        state = self.state
        return _health(state.status, state.since, state.trouble, self.settings.path)


class BrokerWire(mqtt.MqttWire):
    """The connection to a broker, as the supervisor wants to know it."""

    def trouble(self) -> Health | None:
        state = self.state
        return _health(state.status, state.since, state.trouble, str(self.account))


def _health(status: str, since: float, trouble: _Trouble | None, what: str) -> Health | None:
    if status == "open":
        return None
    if trouble is None:
        return Health("connecting", since, f"{what} is being opened", "wait a moment")
    return Health("absent", since, trouble.reason, trouble.next_step)


@dataclass(frozen=True, slots=True)
class Wired:
    """A wire that is ready to run, and what is attached to it."""

    wire: SerialWire | BrokerWire
    attachments: tuple[Attachment, ...]
    #: Who may come to the broker, if felt runs it itself.
    accounts: Accounts | None = None


class Wiring:
    """Makes the wires of one table."""

    def __init__(
        self,
        configuration: Configuration,
        sealer: Sealer,
        make_nonce: Nonce = nonce,
        jitter: Jitter = random.uniform,
        *,
        run: str = "",
    ) -> None:
        """``run`` names this start of felt, so that what devices are told has ids of its own."""
        self._run = run
        self._configuration = configuration
        self._sealer = sealer
        self._nonce = make_nonce
        self._jitter = jitter
        #: By their names: to find a driver takes longer than all else, and a bus has seven alike.
        self._found: dict[str, type[Driver]] = {}

    def wire(self, name: str, tap: Capture, on_turn: Callable[[], None]) -> Wired:
        given = self._configuration.daemon.wires[name]
        devices = [one for one in self._configuration.devices.values() if one.wire == name]
        try:
            if given.mqtt:
                return self._broker(given, devices, tap, on_turn)
            return self._serial(given, devices, tap, on_turn)
        except Refused:
            raise  # a key or a password, which says itself what is missing
        except (BadSettings, NoDriver, ValueError) as error:
            raise Refused(f"wires.{name}", str(error), "see docs/adding-a-driver.md") from None

    # --- Serial lines -----------------------------------------------------------

    def _serial(
        self,
        given: WireSettings,
        devices: Sequence[Device],
        tap: Capture,
        on_turn: Callable[[], None],
    ) -> Wired:
        settings = port_of(given)
        line, attachments = self._line(given, settings, devices)
        wire = SerialWire(settings, line, on_turn=on_turn, tap=tap, jitter=self._jitter)
        return Wired(wire, attachments)

    def line(self, name: str) -> tuple[Spoken, tuple[Attachment, ...]]:
        """A serial line as it is spoken on, and its devices, without a port."""
        given = self._configuration.daemon.wires[name]
        devices = [one for one in self._configuration.devices.values() if one.wire == name]
        return self._line(given, port_of(given), devices)

    def _line(
        self, given: WireSettings, settings: PortSettings, devices: Sequence[Device]
    ) -> tuple[Spoken, tuple[Attachment, ...]]:
        line, stations = self._spoken(given, settings, devices)
        return line, self._attached(given, devices, stations)

    def _spoken(
        self, given: WireSettings, settings: PortSettings, devices: Sequence[Device]
    ) -> tuple[Spoken, Sequence[Correspondent]]:
        if given.speaks != "felt":
            placed = [(one.address, self._settings(given, one)) for one in devices]
            line = lines.speaking(given.speaks, placed, self._first_boot(devices))
            return line, line.stations
        is_bus = len(devices) > 1 or given.rs485
        timing = timing_for(settings, is_bus=is_bus)
        stations = [self._station(one, timing, is_bus) for one in devices]
        return Line(stations), stations

    def _first_boot(self, devices: Sequence[Device]) -> int:
        # Such devices don't count their starts: seconds are above all numbers used before.
        return int(time.time())

    def _station(self, device: Device, timing: Timing, is_bus: bool) -> Station:
        return Station(
            device.address,
            self._key(device),
            self._nonce,
            timing=timing,
            polled=is_bus,
            whose=self._whose,
        )

    # --- Brokers ----------------------------------------------------------------

    def _broker(
        self,
        given: WireSettings,
        devices: Sequence[Device],
        tap: Capture,
        on_turn: Callable[[], None],
    ) -> Wired:
        configuration = self._configuration
        host, port = broker_of(given)
        accounts = self._accounts(devices) if host == EMBEDDED else None
        account = (
            self._account(given, host, port) if accounts is None else accounts.as_felt(HOST, port)
        )
        stations = {
            one.name: mqtt.station(self._key(one), self._nonce, whose=self._whose)
            for one in devices
        }
        wire = BrokerWire(
            account,
            configuration.terms.id,
            stations,
            on_turn=on_turn,
            tap=tap,
            jitter=self._jitter,
        )
        attachments = self._attached(given, devices, list(stations.values()))
        return Wired(wire, attachments, accounts)

    def _account(self, given: WireSettings, host: str, port: int) -> Account:
        password, tls = "", given.tls
        if given.user:
            password = secrets.password(self._configuration.secrets, "broker")
        files = TlsFiles(tls.ca, tls.certificate, tls.key) if tls else None
        return Account(host, port, user=given.user, password=password, tls=files)

    def _accounts(self, devices: Sequence[Device]) -> Accounts:
        folder = self._configuration.secrets
        keys = {one.name: self._key(one) for one in devices}
        watch = secrets.password_if_there(folder, WATCH)
        return Accounts(self._configuration.terms.id, keys, watch=watch)

    # --- Devices ----------------------------------------------------------------

    def _attached(
        self, given: WireSettings, devices: Sequence[Device], stations: Sequence[Correspondent]
    ) -> tuple[Attachment, ...]:
        return tuple(
            Attachment(self._driver(given, device), station, run=self._run)
            for device, station in zip(devices, stations, strict=True)
        )

    def _driver(self, given: WireSettings, device: Device) -> Driver:
        settings = self._settings(given, device)
        if given.speaks != "felt":
            settings = lines.for_driver(given.speaks, settings)
        name = given.driver or device.kind
        if name not in self._found:
            self._found[name] = driver(name)
        return self._found[name](settings, self._sealer.seal)

    def _settings(self, given: WireSettings, device: Device) -> Settings:
        approved = self._configuration.daemon.approved.get(device.kind, ())
        return Settings(
            name=device.name,
            seat=device.seat,
            wager=WAGERS.get(device.kind, ""),
            serial_number=self._configuration.daemon.serial_numbers.get(device.name, ""),
            firmware=tuple(approved),
            options=dict(given.options),
        )

    def _whose(self, nonce: bytes, written: bytes, proof: bytes) -> str:
        """The device of this table with whose key a proof was made, whoever made it."""
        folder = self._configuration.secrets
        for name in self._configuration.proving:
            key = secrets.key_if_there(folder, name)
            if key is not None and proven(key, nonce, written, proof):
                return name
        return ""

    def _key(self, device: Device) -> bytes:
        return secrets.key(self._configuration.secrets, device.name)


def port_of(given: WireSettings) -> PortSettings:
    """A serial port as the table file says it."""
    return PortSettings(
        given.serial,
        baud=given.baud,
        parity=given.parity,
        stop_bits=given.stop_bits,
        rs485=given.rs485,
    )


def broker_of(given: WireSettings) -> tuple[str, int]:
    """Host and port of a broker, or ``ValueError``."""
    host, colon, port = given.mqtt.rpartition(":")
    if not colon:
        return given.mqtt, BROKER_PORT
    if not port.isdecimal() or not 0 < int(port) < 1 << 16:
        raise ValueError(f"{given.mqtt!r} is no host and port")
    return host, int(port)


def timing_for(settings: PortSettings, *, is_bus: bool) -> Timing:
    if not is_bus:
        return Timing.for_line(settings.byte_s)
    return Timing.for_line(settings.byte_s, bus=True, poll=BUS_POLL_S, poll_most=BUS_POLL_MOST_S)

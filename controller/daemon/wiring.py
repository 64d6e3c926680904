"""From the configuration to running wires: lines and their stations, drivers and their keys."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from controller.daemon import secrets
from controller.daemon.configuration import Configuration, Device
from controller.daemon.configuration import Wire as WireSettings
from controller.daemon.sealing import Sealer
from drivers.attachment import Attachment
from drivers.contract import Driver, Health, Settings
from drivers.finding import driver
from drivers.wire.keys import NONCE_BYTES
from drivers.wire.line import Line
from drivers.wire.ports import PortSettings
from drivers.wire.serial import SerialPort, Tap
from drivers.wire.station import Station, Timing

#: The wager that an acceptor takes, and that a terminal offers, where nothing else is said.
WAGERS = {"acceptor": "progressive", "terminal": "five_card_player"}

#: On a bus a mute device must not keep the line from the others for long.
BUS_ANSWER_S = 0.1
BUS_POLL_S = 0.1

Nonce = Callable[[], bytes]


def nonce() -> bytes:
    return os.urandom(NONCE_BYTES)


class SerialWire(SerialPort):
    """A serial port, as the supervisor wants to know it."""

    def trouble(self) -> Health | None:
        if self.state.status == "open":
            return None
        trouble = self.state.trouble
        if trouble is None:
            return Health("connecting", self.state.since, f"{self.settings.path} is being opened")
        return Health("absent", self.state.since, trouble.reason, trouble.next_step)


@dataclass(frozen=True, slots=True)
class Wired:
    """A wire that is ready to run, and what is attached to it."""

    name: str
    wire: SerialWire
    attachments: tuple[Attachment, ...]


def settings_of(configuration: Configuration, device: Device) -> Settings:
    given = configuration.daemon.wires[device.wire]
    return Settings(
        name=device.name,
        seat=device.seat,
        wager=WAGERS.get(device.kind, ""),
        firmware=tuple(configuration.daemon.approved.get(device.kind, ())),
        options=dict(given.options),
    )


def serial_wire(
    configuration: Configuration,
    name: str,
    sealer: Sealer,
    on_turn: Callable[[], None],
    *,
    tap: Tap | None = None,
    make_nonce: Nonce = nonce,
) -> Wired:
    given = configuration.daemon.wires[name]
    devices = [one for one in configuration.devices.values() if one.wire == name]
    is_bus = len(devices) > 1 or given.rs485
    stations = {
        device.name: Station(
            device.address,
            secrets.key(configuration.secrets, device.name),
            make_nonce,
            timing=_timing(given, is_bus=is_bus),
            polled=is_bus,
        )
        for device in devices
    }
    port = SerialWire(
        PortSettings(
            given.serial,
            baud=given.baud,
            parity=given.parity,
            stop_bits=given.stop_bits,
            rs485=given.rs485,
        ),
        Line(stations.values()),
        on_turn=on_turn,
        tap=tap,
    )
    attachments = tuple(
        Attachment(_driver(configuration, device, sealer), stations[device.name])
        for device in devices
    )
    return Wired(name, port, attachments)


def _driver(configuration: Configuration, device: Device, sealer: Sealer) -> Driver:
    options: Mapping[str, str | int | bool] = configuration.daemon.wires[device.wire].options
    kind = str(options.get("driver", device.kind))
    return driver(kind)(settings_of(configuration, device), sealer.seal)


def _timing(given: WireSettings, *, is_bus: bool) -> Timing:
    """By how long the bytes of a request and its answer are on the way."""
    on_the_way = 2 * 64 * 10 / given.baud
    if not is_bus:
        return Timing(answer=0.25 + on_the_way, answer_least=0.03 + on_the_way)
    answer = BUS_ANSWER_S + on_the_way
    return Timing(
        answer=answer,
        answer_least=min(0.03, BUS_ANSWER_S) + on_the_way,
        answer_most=answer,
        poll=BUS_POLL_S,
    )

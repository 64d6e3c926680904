"""What the daemon needs to know beyond the table itself: where its files are, and which wires.

It stands in the table file, in sections of its own, so that a change of a port is not a change of
the terms that the table plays by. Secrets are never in it: they are files in one folder, which
systemd hands over as credentials.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from controller.daemon import options
from controller.library import Library
from controller.rules.faults import Refused, first_fault, ranged
from controller.table.people import Role
from controller.table.terms import Terms
from controller.tables import DAEMON_SECTIONS, named, read_file, table_part, terms_of
from drivers.finding import NoDriver, driver
from drivers.wire.handshake import KIND

#: What a device's name can be; seats count from 1.
KINDS_WITH_SEAT = ("acceptor", "terminal")
KINDS = ("shuffler", "shoe", "panel", "sign", *KINDS_WITH_SEAT)
#: Devices of one kind that a vendor's driver brings, told apart by a number.
MAX_ALIKE = 32

Digest = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]


#: As long as a device can say it.
Number = Annotated[str, Field(min_length=1, max_length=24)]


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class Service(_Part):
    #: The folder of the journal and the device logs.
    state: str = ""
    #: The folder of the control socket.
    runtime: str = ""
    #: The folder of keys and passwords; systemd's credentials if it is left out.
    secrets: str = ""
    #: The folder that keeps how far the journal goes, apart from it. If it is left out: that of the
    #: secrets, where one is given here; else one of its own beside all tables' folders.
    heads: str = ""
    #: How much a device log may grow, and how many are kept, for each wire.
    log_megabytes: Annotated[int, Field(ge=1, le=1024)] = 16
    logs_kept: Annotated[int, Field(ge=1, le=1000)] = 30
    #: Write out polls that say nothing, too: for who suspects a cable. The logs grow tenfold.
    log_every_poll: bool = False
    #: Who at this PC may act, by the name of a user or a group, in which roles. Root and the
    #: service's own user may in all of them; whoever else gets through may only look.
    operators: dict[str, list[Role]] = Field(default_factory=dict)
    #: The group that may connect to the control socket.
    control_group: str = ""
    #: The roles in which a badge alone signs somebody on. In the others the PIN is asked for, too.
    badge_alone: list[Role] = Field(default_factory=list)
    #: The user that the pages run as: it says from which address somebody acts.
    console_user: str = "felt-console"
    #: Digests of approved programs, as `felt signature` prints them. Left out, it is compared
    #: with what was recorded in the secrets folder, if anything was.
    approved_program: list[Digest] = Field(default_factory=list)
    #: Serves metrics over HTTP, on this PC only; not at all if it is 0.
    metrics_port: Annotated[int, Field(ge=0, le=65535)] = 0


class Tls(_Part):
    ca: str
    certificate: str = ""
    key: str = ""


class Wire(_Part):
    """A line or a broker, and the devices on it."""

    #: A port by its stable name, for a serial line.
    serial: str = ""
    baud: Annotated[int, Field(ge=300, le=4_000_000)] = 115_200
    parity: Literal["none", "even", "odd"] = "none"
    stop_bits: Literal[1, 2] = 1
    rs485: bool = False
    #: What is spoken on a serial line: felt's own protocol, or that of a device off the shelf.
    speaks: Literal["felt", "modbus", "cctalk"] = "felt"
    #: Host and port of a broker, or "embedded" for one inside the daemon.
    mqtt: str = ""
    user: str = ""
    tls: Tls | None = None
    devices: Annotated[list[str], Field(min_length=1, max_length=32)]
    #: The driver, if it is not the one of the device's own kind.
    driver: str = ""
    #: For the driver and the dialect: what only this kind of device has.
    options: dict[str, str | int | bool] = Field(default_factory=dict)


class DaemonFile(_Part):
    service: Service = Service()
    wires: dict[Annotated[str, Field(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$")], Wire] = Field(
        default_factory=dict
    )
    #: Digests of approved firmware, by kind of device.
    approved: dict[str, list[Digest]] = Field(default_factory=dict)
    #: The serial number of each device that belongs here, by the device's name. Of one that is left
    #: out, the number that it had when the table was opened.
    serial_numbers: dict[str, Number] = Field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Device:
    """A device of the configuration: which kind, at which seat, on which wire."""

    name: str
    kind: str
    seat: int | None
    wire: str
    address: int


@dataclass(frozen=True, slots=True)
class Configuration:
    file: Path
    terms: Terms
    #: The part of the file that the table's journal keeps.
    data: Mapping[str, Any]
    daemon: DaemonFile
    devices: Mapping[str, Device]

    @property
    def state(self) -> Path:
        return Path(self.daemon.service.state or f"/var/lib/felt/{self.terms.id}")

    @property
    def runtime(self) -> Path:
        return Path(self.daemon.service.runtime or f"/run/felt/{self.terms.id}")

    @property
    def secrets(self) -> Path:
        given = self.daemon.service.secrets or os.environ.get("CREDENTIALS_DIRECTORY", "")
        return Path(given or f"/etc/felt/secrets/{self.terms.id}")

    @property
    def heads(self) -> Path:
        """Apart from the journal: whoever puts back a copy of its folder leaves this one alone."""
        given = self.daemon.service.heads or self.daemon.service.secrets
        return Path(given or f"/var/lib/felt-heads/{self.terms.id}")

    @property
    def proving(self) -> tuple[str, ...]:
        """The devices that prove who they are, by a key: those off the shelf can't."""
        wires = self.daemon.wires
        return tuple(n for n, one in self.devices.items() if wires[one.wire].speaks == "felt")

    @property
    def journal(self) -> Path:
        return self.state / "journal.db"

    @property
    def logs(self) -> Path:
        return self.state / "logs"

    @property
    def socket(self) -> Path:
        return self.runtime / "control.sock"


def read(file: Path, library: Library) -> Configuration:
    """The configuration in a file, or ``Refused`` with the file, the place and the next step."""
    data = read_file(file)
    with named(file):
        return configured(data, library, file)


def configured(data: Mapping[str, Any], library: Library, file: Path) -> Configuration:
    table = table_part(data)
    terms = terms_of(table, library)
    try:
        daemon = DaemonFile.model_validate(
            {key: data[key] for key in DAEMON_SECTIONS if key in data}
        )
    except ValidationError as error:
        raise first_fault(error, DaemonFile) from None
    devices = {device.name: device for device in devices_of(daemon, terms)}
    _check_approved(daemon, devices.values())
    _check_numbers(daemon, devices)
    options.check(daemon.wires, devices.values())
    if missing := [name for name in needed(terms) if name not in devices]:
        raise Refused(
            "wires",
            f"this table needs {ranged(by_kind(missing))}, and no wire carries "
            f"{'them' if len(missing) > 1 else 'it'}",
            "list what is missing under devices of a [wires.NAME]; docs/wiring.md shows how",
        )
    return Configuration(file, terms, table, daemon, devices)


def needed(terms: Terms) -> Iterator[str]:
    """The devices without which a table of these terms can't play."""
    yield "panel"
    if terms.has_shuffler:
        yield "shuffler"
    if terms.method == "automated shoe":
        yield "shoe"
    for seat in range(1, terms.seats + 1):
        if terms.acceptors:
            yield f"acceptor {seat}"
        if terms.terminals:
            yield f"terminal {seat}"


def by_kind(names: Iterable[str]) -> list[str]:
    """All acceptors, then all terminals: seat by seat they are many words."""
    order = {kind: place for place, kind in enumerate(KINDS)}
    return sorted(names, key=lambda name: order.get(name.partition(" ")[0], -1))


def devices_of(daemon: DaemonFile, terms: Terms) -> Iterator[Device]:
    seen: dict[str, str] = {}
    ports: dict[str, str] = {}
    for wire, given in daemon.wires.items():
        where = f"wires.{wire}"
        if bool(given.serial) == bool(given.mqtt):
            raise Refused(where, "says neither or both of serial and mqtt", "give one of them")
        if given.serial:
            # A port has several names; udev's are links to the one of the kernel.
            port = os.path.realpath(given.serial)
            if port in ports:
                problem = f"{given.serial} is the port of {ports[port]} already"
                step = "give each wire its own port, or list the devices on one wire"
                raise Refused(f"{where}.serial", problem, step)
            ports[port] = f"wires.{wire}"
        placed: dict[int, str] = {}
        for name in given.devices:
            if name in seen:
                problem = f"{name!r} is on wires.{seen[name]} already"
                raise Refused(f"{where}.devices", problem, "take it off one of them")
            seen[name] = wire
            device = _device(name, wire, given, terms)
            if given.serial and (other := placed.setdefault(device.address, name)) != name:
                problem = f"{other!r} and {name!r} both have address {device.address}"
                step = "put one of the two on another wire"
                if _seats_come_later(given.devices):
                    step = "list the devices at seats first, in the order of their seats"
                raise Refused(f"{where}.devices", problem, step)
            yield device


def _seats_come_later(names: list[str]) -> bool:
    """Whether a device without a seat is listed before one that has one."""
    with_seat = [name.partition(" ")[2] != "" for name in names]
    return with_seat != sorted(with_seat, reverse=True)


def _device(name: str, wire: str, given: Wire, terms: Terms) -> Device:
    """A device at a seat has the number of the seat for its address, wherever it is connected;
    any other has its place among the devices of its wire, from 1."""
    kind, _, seat = name.partition(" ")
    where = f"wires.{wire}.devices"
    if kind not in KINDS and given.driver:
        return _brought(name, wire, given)
    known = (
        "shuffler, shoe, panel, sign, or acceptor and terminal with a seat; "
        "of another kind with the driver that brings it"
    )
    if kind not in KINDS or (kind in KINDS_WITH_SEAT) != bool(seat):
        raise Refused(where, f"{name!r} is no device of a table", known)
    if not seat:
        address = given.devices.index(name) + 1
        return Device(name, kind, None, wire, address)
    if not seat.isdecimal() or not 1 <= int(seat) <= terms.seats:
        raise Refused(where, f"{name!r} is at no seat", f"seats 1 to {terms.seats}")
    return Device(name, kind, int(seat), wire, int(seat))


def _brought(name: str, wire: str, given: Wire) -> Device:
    """A device of a kind that its driver brings: by that word, with a number if there are more."""
    kind, _, number = name.partition(" ")
    try:
        brings = driver(given.driver).kind
    except NoDriver as why:
        step = "install the package that brings it: docs/adding-a-driver.md"
        raise Refused(f"wires.{wire}.driver", str(why), step) from None
    numbered = not number or (number.isdecimal() and 1 <= int(number) <= MAX_ALIKE)
    if kind != brings or not numbered or not re.fullmatch(KIND, kind):
        problem = f"{name!r} is no device of the driver {given.driver!r}"
        known = f'its devices are called "{brings}", or "{brings} 1" to "{brings} {MAX_ALIKE}"'
        raise Refused(f"wires.{wire}.devices", problem, known)
    return Device(name, kind, None, wire, given.devices.index(name) + 1)


def _check_approved(daemon: DaemonFile, devices: Iterable[Device]) -> None:
    known = [*KINDS, *sorted({one.kind for one in devices}.difference(KINDS))]
    for kind in daemon.approved:
        if kind not in known:
            raise Refused(f"approved.{kind}", "is no kind of device", ", ".join(known))


def _check_numbers(daemon: DaemonFile, devices: Mapping[str, Device]) -> None:
    for name in daemon.serial_numbers:
        if name not in devices:
            problem = "is no device on any wire of this file"
            raise Refused(f"serial_numbers.{name}", problem, ", ".join(devices))

"""Whatever is plugged in is on record, once for each time."""

from __future__ import annotations

from pathlib import Path

import pytest

from controller.daemon.appearing import RECORDED, Appearing, parsed, seen
from controller.table import events
from tests.controller.daemon.house import House, table_file


def plugged(folder: Path, name: str, **facts: str) -> None:
    (folder / name).mkdir(parents=True)
    for fact, text in facts.items():
        (folder / name / fact).write_text(f"{text}\n")


def test_usb_and_serial_devices_are_seen_and_consoles_are_not(tmp_path: Path) -> None:
    usb, tty = tmp_path / "usb", tmp_path / "tty"
    plugged(usb, "1-1.4", idVendor="0403", idProduct="6001", product="FT232R", serial="A5\x1b0")
    plugged(usb, "1-1.4:1.0")
    plugged(tty, "tty7")
    plugged(tty, "ttyUSB0/device")
    assert seen(usb, tty) == {
        "usb 1-1.4": "usb 1-1.4: 0403:6001 FT232R A5?0",
        "serial ttyUSB0": "serial port ttyUSB0",
    }
    assert seen(tmp_path / "none", tmp_path / "none") == {}


def kernel(*facts: str) -> bytes:
    return "\0".join(("add@/devices/x", *facts)).encode()


def test_the_kernels_word_is_understood() -> None:
    usb = ("SUBSYSTEM=usb", "DEVTYPE=usb_device", "PRODUCT=403/6001/600")
    path = "DEVPATH=/devices/pci0000:00/usb1/1-1"
    assert parsed(kernel("ACTION=add", path, *usb)) == ("usb 1-1", "usb 1-1: 403/6001/600")
    tty = "DEVPATH=/devices/usb1/1-1/1-1:1.0/ttyUSB0/tty/ttyUSB0"
    found = parsed(kernel("ACTION=add", tty, "SUBSYSTEM=tty"))
    assert found == ("serial ttyUSB0", "serial port ttyUSB0")


@pytest.mark.parametrize(
    "message",
    [
        b"",
        b"\0\0\0",
        b"\xff\xfe\0ACTION=add",
        kernel("ACTION=remove", "DEVPATH=/devices/usb1/1-1", "SUBSYSTEM=usb"),
        kernel("ACTION=add", "DEVPATH=/devices/usb1/1-1", "SUBSYSTEM=usb", "DEVTYPE=usb_interface"),
        kernel("ACTION=add", "DEVPATH=/devices/virtual/tty/tty9", "SUBSYSTEM=tty"),
        kernel("ACTION=add", "DEVPATH=", "SUBSYSTEM=tty"),
        kernel("ACTION=add", "DEVPATH=/devices/net/eth0", "SUBSYSTEM=net"),
    ],
)
def test_what_is_something_else_is_nothing_new(message: bytes) -> None:
    assert parsed(message) is None


@pytest.mark.rule("R37")
async def test_a_new_device_leaves_an_entry_each_time_it_comes(tmp_path: Path) -> None:
    async with House(table_file(tmp_path)).running() as house:
        service = house.service
        appearing = Appearing(service.core, service.clock, service.said)
        stick = {"usb 1-1": "usb 1-1: 0951:1666 DataTraveler"}
        for there in ({}, stick, stick, {}, stick):
            appearing.compare(dict(there))
        appearing.appeared("usb 1-1", "the kernel tells of it too")
        await service.core.ping()
        what = [one.what for one in house.recorded(events.DeviceAppeared)]
        assert what == ["usb 1-1: 0951:1666 DataTraveler"] * 2
        assert ("plugged in", {"what": what[0]}) in house.said


async def test_a_flood_of_them_does_not_fill_the_journal(tmp_path: Path) -> None:
    async with House(table_file(tmp_path)).running() as house:
        service = house.service
        appearing = Appearing(service.core, service.clock, service.said)
        for n in range(500):
            appearing.appeared(f"usb {n}", f"usb {n}")
        await service.core.ping()
        assert len(house.recorded(events.DeviceAppeared)) == RECORDED

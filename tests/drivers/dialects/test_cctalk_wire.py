"""Acceptors at two seats, on a real port: from the chip in the slot to the event at the table."""

from __future__ import annotations

import asyncio
import os
import tty

from controller.table import commands, events
from drivers.acceptor import Acceptor
from drivers.contract import Settings
from drivers.dialects.cctalk import acceptor_line
from simulators.cctalk import Bus, CoinAcceptor, attach
from tests.drivers.dialects.desk import desk
from tests.drivers.people import driver

WAGER = "progressive"


async def test_acceptors_of_another_maker() -> None:
    acceptors = [CoinAcceptor(2), CoinAcceptor(3)]
    master, port = os.openpty()
    tty.setraw(port)
    os.set_blocking(master, False)
    detach = attach(Bus(acceptors), master)
    devices = [
        (seat, Settings(f"acceptor {seat}", seat=seat, wager=WAGER, options={"coins": "1:500"}))
        for seat in (1, 2)
    ]
    drivers = [driver(Acceptor, seat=seat, wager=WAGER) for seat in (1, 2)]
    clock = asyncio.get_running_loop()
    try:
        async with desk(acceptor_line(devices, boot=1), drivers, os.ttyname(port)) as table:
            await table.until(lambda: table.all_ready)
            for seat in (1, 2):
                opening = commands.Unlock(id=f"u{seat}", seat=seat, device="acceptor")
                table.carry_out(opening)
            await table.until(lambda: all(a.accepting and a.enabled for a in acceptors))
            await table.until(lambda: acceptors[1].insert(1, clock.time()) == "taken")
            await table.until(lambda: table.count(events.WagerPlaced) == 1)
            placed = next(e for e in table.told if isinstance(e, events.WagerPlaced))
            assert (placed.seat, placed.wager, placed.amount) == (2, WAGER, 500)
            confirmed = table.count(events.LockConfirmed)
            for seat in (1, 2):
                table.carry_out(commands.Lock(id=f"l{seat}", seat=seat, device="acceptor"))
            await table.until(lambda: table.count(events.LockConfirmed) == confirmed + 2)
            assert not any(acceptor.accepting for acceptor in acceptors)
            assert not table.count(events.DeviceFaulted)
            assert [acceptor.complaints for acceptor in acceptors] == [[], []]
    finally:
        detach()
        os.close(master)
        os.close(port)

"""How the simulated devices stand, against how the table has them."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

from controller.table.offers import Device, is_open
from controller.table.state import Seat, Table
from simulators.acceptor import Acceptor
from tests.scenarios.kill.live import LiveTable
from tests.scenarios.kill.people import People

#: Only so that a test ends, however busy the machine is: most often it is milliseconds.
WITHIN_S = 300.0


def astray(live: LiveTable, table: Table) -> Iterator[str]:
    """What stands otherwise than the table says."""
    for seat in table.seats:
        acceptor = live.world.acceptors.get(seat.number)
        terminal = live.world.terminals.get(seat.number)
        kinds: tuple[Device, Device] = ("acceptor", "terminal")
        for device, kind in zip((acceptor, terminal), kinds, strict=True):
            if device is not None and device.is_locked is is_open(table, seat.number, kind):
                yield f"{device.name} is {'locked' if device.is_locked else 'open'}"
        if acceptor is not None and not _is_lit(acceptor, seat):
            yield f"{acceptor.name} shows {acceptor.lamp} where {seat.lamp} is ordered"
        if terminal is not None and terminal.balance != seat.balance:
            yield f"{terminal.name} shows {terminal.balance} of {seat.balance} cents"
    deal = live.world.panel.lights.deal
    if (deal == "on") != table.deal_enabled:
        yield f"the deal button's lamp is {deal}"
    sign = next(one for one in live.simulated.at_broker if one.name == "sign")
    for meter in table.meters.values():
        for level, cents in meter.shows().items():
            shown = sign.meters.get((meter.name, level))  # type: ignore[attr-defined]
            if shown != cents:
                yield f"the sign shows {shown} for {meter.name} {level}, which is at {cents}"


def _is_lit(acceptor: Acceptor, seat: Seat) -> bool:
    """As ordered, or by itself for a chip that it has just taken."""
    return acceptor.lamp == seat.lamp or (bool(acceptor.inside) and acceptor.lamp == "placed")


async def stand_as_ordered(live: LiveTable, people: People) -> Table:
    """Wait until every device is where the table has it; nobody acts meanwhile."""
    loop = asyncio.get_running_loop()
    deadline = loop.time() + WITHIN_S
    while True:
        table = await people.sees()
        found = list(astray(live, table))
        if not found and not table.offline:
            return table
        assert loop.time() < deadline, (found, table.offline, live.daemon.last_words())
        await asyncio.sleep(0.1)

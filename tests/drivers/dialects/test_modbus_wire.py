"""felt's panel on a real port, with pymodbus's server as the module at the end of the cable."""

from __future__ import annotations

from pymodbus.server import ModbusSerialServer
from pymodbus.simulator import DataType, SimData, SimDevice

from controller.table import commands, events
from drivers.contract import Settings
from drivers.dialects.modbus import panel_line
from drivers.panel import Panel
from tests.drivers.dialects.cable import cable
from tests.drivers.dialects.desk import desk
from tests.drivers.people import driver

COILS, INPUTS = 1, 2


def module() -> SimDevice:
    def bits() -> list[SimData]:
        return [SimData(0, values=[False] * 16, datatype=DataType.BITS)]

    registers = [SimData(0, values=[0], datatype=DataType.REGISTERS)]
    return SimDevice(1, simdata=(bits(), bits(), registers, registers))


async def test_a_panel_on_a_module_of_another_maker() -> None:
    with cable() as (felts, modules):
        server = ModbusSerialServer(module(), port=modules, baudrate=9600)
        await server.serve_forever(background=True)
        line = panel_line([(1, Settings("panel"))], boot=1)
        try:
            async with desk(line, [driver(Panel)], felts) as table:
                await table.until(lambda: table.all_ready)
                panel = table.attachments[0]
                assert panel.health(0.0).status == "degraded"

                async def lit(*lamps: bool) -> bool:
                    return await server.async_getValues(1, COILS, 0, 3) == list(lamps)

                # At rest the panel shows that the table is locked.
                await table.until(lambda: lit(True, False, False))
                for button, kind in ((0, events.LockOutPressed), (1, events.DealPressed)):
                    await server.async_setValues(1, INPUTS, button, [True])
                    await table.until(lambda kind=kind: table.count(kind) == 1)  # type: ignore[misc]
                    await server.async_setValues(1, INPUTS, button, [False])
                table.carry_out(commands.EnableDeal(id="d1", enabled=True))
                await table.until(lambda: lit(True, True, False))
                assert not table.count(events.DeviceFaulted)
        finally:
            await server.shutdown()  # type: ignore[no-untyped-call]

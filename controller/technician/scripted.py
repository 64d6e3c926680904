"""The script of a recorded run: all of its wires, each by what is spoken there."""

from __future__ import annotations

from controller.technician.logs import Run
from controller.technician.packets import Key, PacketReading
from controller.technician.requests import RequestReading
from controller.technician.script import Script
from drivers.dialects.other_end import other_end


def of_run(run: Run, key: Key) -> Script:
    """``key`` gives the key of a device by its name, if it is known."""
    script = Script()
    for wire in run.wires.values():
        if not wire.given.get("devices"):
            script.remarks.append(f"{wire.name}: its log does not say what is on it: not played")
        elif (speaks := wire.given.get("speaks", "felt")) == "felt":
            PacketReading(wire, script, key).read()
        else:
            try:
                end = other_end(speaks, wire.given.get("options", {}))
            except ValueError as error:
                script.remarks.append(f"{wire.name}: not played, its {speaks}: {error}")
            else:
                RequestReading(wire, script, end).read()
    script.add(())
    for part in script.parts.values():
        if part.first_us is None:
            script.remarks.append(f"{part.name}: never said anything in this record: not played")
    return script

"""A table file with all its wires, for what is tried with one."""

from __future__ import annotations

from pathlib import Path

TABLE = Path(__file__).parents[3] / "config" / "tables" / "pa-639a.toml"
ID = "pa-639a-1"

WIRES = """
[wires.rack]
serial = "/dev/felt/rack"
devices = ["shuffler", "shoe"]

[wires.panel]
serial = "/dev/felt/panel"
speaks = "modbus"
baud = 9600
devices = ["panel"]

[wires.seats]
mqtt = "{broker}"
{more}
devices = [{devices}]
"""


def table_file(
    folder: Path, *, broker: str = "localhost:1883", more: str = "", service: str = ""
) -> Path:
    names = [f"{kind} {seat}" for kind in ("acceptor", "terminal") for seat in range(1, 8)]
    devices = ", ".join(f'"{name}"' for name in names)
    text = TABLE.read_text() + WIRES.format(broker=broker, more=more, devices=devices)
    file = folder / "table.toml"
    file.write_text(text + (f"[service]\n{service}\n" if service else ""))
    return file

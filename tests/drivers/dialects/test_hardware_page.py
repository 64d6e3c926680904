"""docs/hardware.md names every option of the dialects, with its default."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from drivers.dialects import cctalk, modbus

PAGE = Path(__file__).resolve().parents[3] / "docs" / "hardware.md"


def written(value: object) -> str:
    if value is msgspec.NODEFAULT or value == "":
        return ""
    return f"`{str(value).lower() if isinstance(value, bool) else value}`"


@pytest.mark.parametrize("options", [modbus.Wiring, cctalk.Options])
def test_every_option_is_on_the_page_with_its_default(options: type[msgspec.Struct]) -> None:
    lines = PAGE.read_text(encoding="utf-8").splitlines()
    rows = {tuple(cell.strip() for cell in line.split("|")[1:3]) for line in lines}
    for field in msgspec.structs.fields(options):
        assert (f"`{field.name}`", written(field.default)) in rows

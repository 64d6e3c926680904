"""Which pages there are, and what should stand in them."""

from __future__ import annotations

from pathlib import Path

from tests.docs import asyncapi, blocks, protocol, table_file, wireshark
from tests.scenarios import page as faults

DOCS = Path(__file__).resolve().parents[2] / "docs"
PROTOCOL = DOCS / "protocol.md"
ASYNCAPI = DOCS / "asyncapi.yaml"
TABLE_FILE = DOCS / "table-file.md"
DISSECTOR = DOCS / "wireshark" / "felt.lua"


PAGES = (PROTOCOL, ASYNCAPI, DISSECTOR, faults.PAGE, TABLE_FILE)


def written() -> dict[Path, str]:
    page = PROTOCOL.read_text(encoding="utf-8")
    program = DISSECTOR.read_text(encoding="utf-8")
    return {
        PROTOCOL: blocks.filled(page, protocol.blocks()),
        ASYNCAPI: asyncapi.text(),
        DISSECTOR: wireshark.filled(program),
        faults.PAGE: faults.page(),
        TABLE_FILE: blocks.filled(TABLE_FILE.read_text(encoding="utf-8"), table_file.blocks()),
    }

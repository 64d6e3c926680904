"""Which pages there are, and what should stand in them."""

from __future__ import annotations

from pathlib import Path

from tests.docs import asyncapi, blocks, protocol, wireshark
from tests.scenarios import page as faults

DOCS = Path(__file__).resolve().parents[2] / "docs"
PROTOCOL = DOCS / "protocol.md"
ASYNCAPI = DOCS / "asyncapi.yaml"
DISSECTOR = DOCS / "wireshark" / "felt.lua"


PAGES = (PROTOCOL, ASYNCAPI, DISSECTOR, faults.PAGE)


def written() -> dict[Path, str]:
    page = PROTOCOL.read_text(encoding="utf-8")
    program = DISSECTOR.read_text(encoding="utf-8")
    return {
        PROTOCOL: blocks.filled(page, protocol.blocks()),
        ASYNCAPI: asyncapi.text(),
        DISSECTOR: wireshark.filled(program),
        faults.PAGE: faults.page(),
    }

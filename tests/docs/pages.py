"""Which pages there are, and what should stand in them."""

from __future__ import annotations

from pathlib import Path

from tests.docs import asyncapi, blocks, certify, protocol, table_file, vectors, wireshark
from tests.scenarios import page as faults

DOCS = Path(__file__).resolve().parents[2] / "docs"
PROTOCOL = DOCS / "protocol.md"
ASYNCAPI = DOCS / "asyncapi.yaml"
CERTIFY = DOCS / "certify.md"
TABLE_FILE = DOCS / "table-file.md"
DISSECTOR = DOCS / "wireshark" / "felt.lua"
REFERENCE = DOCS / "reference-device"
VECTORS = REFERENCE / "vectors.json"
CATALOGUE = REFERENCE / "catalogue.json"
CODES = REFERENCE / "core" / "codes.h"
CONSTANTS = REFERENCE / "test" / "vectors.c"


PAGES = (
    PROTOCOL, CERTIFY, ASYNCAPI, DISSECTOR, VECTORS, CATALOGUE, CODES, CONSTANTS, faults.PAGE,
    TABLE_FILE,
)  # fmt: skip


def written() -> dict[Path, str]:
    page = PROTOCOL.read_text(encoding="utf-8")
    program = DISSECTOR.read_text(encoding="utf-8")
    return {
        PROTOCOL: blocks.filled(page, protocol.blocks()),
        CERTIFY: blocks.filled(CERTIFY.read_text(encoding="utf-8"), certify.blocks()),
        ASYNCAPI: asyncapi.text(),
        DISSECTOR: wireshark.filled(program),
        VECTORS: vectors.text(),
        CATALOGUE: vectors.catalogue(),
        CODES: vectors.codes(),
        CONSTANTS: vectors.table_for_c(),
        faults.PAGE: faults.page(),
        TABLE_FILE: blocks.filled(TABLE_FILE.read_text(encoding="utf-8"), table_file.blocks()),
    }

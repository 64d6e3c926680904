"""All benchmarks, one after another: ``make bench``."""

from __future__ import annotations

import sys

from benchmarks import (
    console,
    daemon,
    five_card,
    heads,
    journal,
    machine,
    mqtt,
    odds,
    recovery,
    replay,
    settlement,
    sizes,
    tables,
    touches,
    wire,
)

PARTS = (
    five_card,
    settlement,
    machine,
    journal,
    heads,
    recovery,
    wire,
    replay,
    sizes,
    mqtt,
    daemon,
    console,
    tables,
    odds,
    touches,
)

sys.exit(max([part.main() for part in PARTS]))

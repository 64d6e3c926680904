"""All benchmarks, one after another: ``make bench``."""

from __future__ import annotations

import sys

from benchmarks import (
    daemon,
    five_card,
    journal,
    machine,
    mqtt,
    odds,
    recovery,
    replay,
    settlement,
    tables,
    touches,
    wire,
)

PARTS = (
    five_card,
    settlement,
    machine,
    journal,
    recovery,
    wire,
    replay,
    mqtt,
    daemon,
    tables,
    odds,
    touches,
)

sys.exit(max([part.main() for part in PARTS]))

"""All benchmarks, one after another: ``make bench``."""

from __future__ import annotations

import sys

from benchmarks import five_card, journal, machine, odds, recovery, settlement

PARTS = (five_card, settlement, machine, journal, recovery, odds)

sys.exit(max([part.main() for part in PARTS]))

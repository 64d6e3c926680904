"""All benchmarks, one after another: ``make bench``."""

from __future__ import annotations

import sys

from benchmarks import five_card, journal, odds, settlement

sys.exit(max([five_card.main(), settlement.main(), journal.main(), odds.main()]))

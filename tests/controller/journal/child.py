"""A process that appends to a journal until it is killed, and says which entries it was given.

python -m tests.controller.journal.child J.db [SECONDS BETWEEN COMMITS]
"""

from __future__ import annotations

import sys
import time

from controller.journal import journal as module
from controller.journal.journal import Journal
from tests.controller.journal.making import TABLE, records


def main(path: str, pause: float = 0) -> None:
    module.LOG_FRAMES = 16
    journal = Journal.open(path, TABLE)
    while True:
        seq = journal.head.seq + 1
        entries = journal.append(records(seq, 1 + seq % 3))
        print(entries[-1].seq, flush=True)
        time.sleep(pause)


if __name__ == "__main__":
    main(sys.argv[1], *map(float, sys.argv[2:]))

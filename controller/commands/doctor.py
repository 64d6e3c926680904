"""``felt doctor``: what is in order on this PC and what is not, a line each."""

from __future__ import annotations

import argparse
import json
import sys

from controller.library import Library

FAILED = 1


def run(given: argparse.Namespace) -> int:
    if given.page:
        from controller.daemon.hints import page  # noqa: PLC0415

        sys.stdout.write("\n".join(page()) + "\n")
        return 0
    from controller.daemon.doctor import examined  # noqa: PLC0415

    failed = False
    for one in examined(given.table, Library(*given.folder), given.socket):
        failed |= one.verdict == "fail"
        if given.json:
            sys.stdout.write(json.dumps(one._asdict()) + "\n")
        else:
            step = f"\n      -> {one.next_step}" if one.next_step else ""
            sys.stdout.write(f"{one.verdict:4}  {one.what}: {one.found}{step}\n")
        sys.stdout.flush()
    return FAILED if failed else 0

"""The words of ``felt terminal``."""

from __future__ import annotations

from pathlib import Path
from typing import Any


def add(commands: Any) -> None:
    terminal = commands.add_parser(
        "terminal",
        help="be the wagering terminal of a seat, on a tablet",
        description="Be the wagering terminal of a seat: to felt a device at the broker, with a "
        "key of its own; to the tablet at the seat a page. It knows nothing else of the table.",
    )
    terminal.add_argument(
        "--table-id", metavar="ID", required=True, help="the table's id, as in its file"
    )
    terminal.add_argument("--seat", metavar="N", type=int, required=True, help="its seat")
    terminal.add_argument(
        "--device", metavar="NAME", default="", help="what the table calls it (terminal N)"
    )
    terminal.add_argument(
        "--broker", metavar="HOST:PORT", required=True, help="where the table's broker is"
    )
    terminal.add_argument("--user", metavar="NAME", default="", help="its account at the broker")
    terminal.add_argument(
        "--password-file", metavar="FILE", type=Path, help="the account's password"
    )
    terminal.add_argument(
        "--ca", metavar="FILE", type=Path, help="the authority of the broker's certificate, in PEM"
    )
    terminal.add_argument(
        "--key", metavar="FILE", type=Path, required=True, help="the key that felt has too"
    )
    terminal.add_argument(
        "--memory", metavar="FILE", type=Path,
        help="what it must know after a power cut (beside the key)",
    )  # fmt: skip
    terminal.add_argument(
        "--serial-number", metavar="S", default="", help="its number, if the table asks for one"
    )
    terminal.add_argument(
        "--no-transfers", action="store_true",
        help="money comes and goes elsewhere: no buy-in and no cash-out on the page",
    )  # fmt: skip
    terminal.add_argument(
        "--listen", metavar="HOST:PORT", default="127.0.0.1:8450",
        help="where the tablet finds it (127.0.0.1:8450); elsewhere than on this PC only with TLS",
    )  # fmt: skip
    terminal.add_argument(
        "--spare-ports", metavar="N", type=int, default=0,
        help="try so many ports after a taken one",
    )  # fmt: skip
    terminal.add_argument("--certificate", metavar="FILE", type=Path, help="for TLS, in PEM")
    terminal.add_argument(
        "--certificate-key", metavar="FILE", type=Path, help="that goes with it, in PEM"
    )
    terminal.add_argument(
        "--name", metavar="NAME", action="append", default=[],
        help="another name that the tablet knows this PC by (repeatable)",
    )  # fmt: skip
    terminal.add_argument(
        "--until-stdin-ends", action="store_true", help="end with whoever started it"
    )

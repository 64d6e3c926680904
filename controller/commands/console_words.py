"""The words of ``felt console``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

CERTIFICATE = "certificate"


def add(commands: Any) -> None:
    console = commands.add_parser(
        "console",
        help="serve the pages of the tables that run here",
        description="Serve the pages of tables that run on this PC, to browsers. It speaks to "
        "tables through their control sockets only, and waits for those that are not there.",
    )
    console.add_argument(
        "--table", metavar="TABLE.toml", type=Path, action="append", default=[],
        help="a table, by its file (repeatable; with neither: all that run here)",
    )  # fmt: skip
    console.add_argument(
        "--socket", metavar="PATH", type=Path, action="append", default=[],
        help="a table, by its control socket (repeatable)",
    )  # fmt: skip
    console.add_argument(
        "--school", metavar="PATH", type=Path, help="a school that is kept here, by its socket"
    )
    console.add_argument(
        "--listen", metavar="HOST:PORT", default="127.0.0.1:8400",
        help="where browsers find it (127.0.0.1:8400); elsewhere than on this PC only with TLS",
    )  # fmt: skip
    console.add_argument(
        "--spare-ports",
        metavar="N",
        type=int,
        default=0,
        help="try so many ports after a taken one",
    )
    console.add_argument("--certificate", metavar="FILE", type=Path, help="for TLS, in PEM")
    console.add_argument("--key", metavar="FILE", type=Path, help="that goes with it, in PEM")
    console.add_argument(
        "--name", metavar="NAME", action="append", default=[],
        help="another name that browsers know this PC by (repeatable)",
    )  # fmt: skip
    console.add_argument(
        "--idle", metavar="FACE=SECONDS", action="append", default=[],
        help="how long a session lasts that nobody touches: dealer=300 (repeatable)",
    )  # fmt: skip
    console.add_argument(
        "--until-stdin-ends", action="store_true", help="end with whoever started it"
    )
    kinds = console.add_subparsers(dest="action", metavar="ACTION")
    made = kinds.add_parser(
        CERTIFICATE,
        help="make a certificate of one's own for TLS",
        description="Make an authority and a certificate of one's own, and say how a tablet "
        "trusts it.",
    )
    made.add_argument(
        "names", metavar="NAME", nargs="+", help="name or address by which tablets reach this PC"
    )
    made.add_argument(
        "--into", metavar="FOLDER", type=Path, default=Path("/etc/felt/console"),
        help="where the files go (/etc/felt/console)",
    )  # fmt: skip

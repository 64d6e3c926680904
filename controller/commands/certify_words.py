"""The words of ``felt certify``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

KINDS = ("shuffler", "shoe", "panel", "acceptor", "terminal", "sign")
GRADES = ("bronze", "silver", "gold")


def add(commands: Any) -> None:
    certify = commands.add_parser(
        "certify",
        help="hold a maker's device against the protocol, and grade it",
        description="Try every duty of docs/protocol.md with a device, and every fault of its "
        "wire. What somebody has to do at it is asked for, or done by a hook. See docs/certify.md. "
        "Ends with 0 if the grade that was wanted is reached, with 1 if not, and with 2 if there "
        "was nothing to try.",
    )
    certify.add_argument(
        "device", metavar="DEVICE", nargs="?", help=", ".join(KINDS) + "; ? lists the checks"
    )
    at = certify.add_mutually_exclusive_group()
    at.add_argument("--port", metavar="PATH", help="the serial port that it is on")
    at.add_argument("--mqtt", metavar="HOST[:PORT]", help="the broker that it is at")
    certify.add_argument("--baud", type=int, default=115_200, help="of the line (115200)")
    certify.add_argument("--address", type=int, default=1, help="on the line (1)")
    certify.add_argument("--bus", action="store_true", help="it is polled, as on RS-485")
    certify.add_argument("--table", metavar="ID", default="bench", help="of the topics (bench)")
    certify.add_argument("--name", help="at the broker; without it the kind, and the seat")
    certify.add_argument("--seat", type=int, help="of an acceptor or a terminal")
    certify.add_argument("--user", default="", help="at the broker")
    certify.add_argument("--password-file", metavar="F", type=Path, help="at the broker")
    certify.add_argument("--key-file", metavar="F", type=Path, help="64 hexadecimal digits")
    certify.add_argument(
        "--firmware", metavar="F", type=Path, help="the program in it, to compare its digest"
    )
    certify.add_argument("--deck", default="red", help="the name of the deck that is used (red)")
    certify.add_argument("--wager", default="", help="that an acceptor takes, or a terminal offers")
    hands = certify.add_mutually_exclusive_group()
    hands.add_argument(
        "--start",
        metavar="COMMAND",
        help="the device is this process: start it, and give it acts as JSON lines",
    )
    hands.add_argument(
        "--hook", metavar="COMMAND", help="run this for each act, with the act as its last argument"
    )
    hands.add_argument("--alone", action="store_true", help="nobody is there: ask for nothing")
    certify.add_argument(
        "--kill", action="store_true", help="with --start: a loss of power is a kill, and a start"
    )
    certify.add_argument(
        "--want", choices=GRADES, default="gold", help="the grade for exit code 0 (gold)"
    )
    certify.add_argument(
        "--only", metavar="ID", action="append", default=[], help="only this check (repeatable)"
    )
    certify.add_argument("--report", metavar="FILE", type=Path, help="write the report as JSON")
    certify.add_argument(
        "--sign-with",
        metavar="FILE",
        type=Path,
        help="sign the report with this key; one that is not there is made",
    )
    certify.add_argument("--json", action="store_true", help="print the report as JSON, at the end")
    certify.add_argument("--verify", metavar="FILE", type=Path, help="check a report's signature")
    certify.add_argument("--with-key", metavar="KEY", default="", help="NAME+ID+BASE64, to verify")

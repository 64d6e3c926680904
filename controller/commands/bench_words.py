"""The words of the commands for the bench: a simulated device, and a driver without a table."""

from __future__ import annotations

from pathlib import Path
from typing import Any


def add(commands: Any) -> None:
    """The words of ``felt simulate`` and ``felt drive``."""
    simulate = commands.add_parser(
        "simulate",
        help="a simulated device on a port of its own",
        description="A simulated device on a pty, or at a broker, until interrupted. What somebody "
        'does at it comes as JSON lines on standard input: {"press": "lock_out"}, {"wager": 100}, '
        '{"fault": "jam"}, {"restart": true}.',
    )
    kinds = ("shuffler", "shoe", "panel", "acceptor", "terminal", "sign", "other")
    simulate.add_argument("device", metavar="DEVICE", choices=kinds, help=", ".join(kinds))
    simulate.add_argument("--port", metavar="PATH", type=Path, help="a name for the pty")
    simulate.add_argument("--mqtt", metavar="HOST[:PORT]", help="at this broker, not on a pty")
    simulate.add_argument("--table", metavar="ID", default="bench", help="of the topics (bench)")
    simulate.add_argument(
        "--kind", metavar="WORD", default="badge", help="what an other device is (badge)"
    )
    simulate.add_argument("--bus", action="store_true", help="speak only when polled")
    simulate.add_argument("--reads", action="store_true", help="a shoe that reads the cards")
    simulate.add_argument("--serial-number", metavar="S", default="", help="SIM- and its name")
    simulate.add_argument("--protocol", type=int, default=1, help="that it says it speaks (1)")
    simulate.add_argument("--seed", type=int, default=0, help="the same seed, the same device")
    simulate.add_argument(
        "--fault",
        metavar="NAME[=NUMBER][@SECOND][%CHANCE]",
        action="append",
        default=[],
        help="something goes wrong (repeatable); ? lists them",
    )

    drive = commands.add_parser(
        "drive",
        help="one driver on one wire, without a table",
        description="Connect one driver to its device and print what is said both ways and what "
        "the driver makes of it, a JSON line each. Commands of the table come as JSON lines on "
        "standard input, as `felt events` describes them; and what is to be tried with the "
        'device: {"tell": {"message": "report"}}, {"tell": "3f"}, {"bytes": "00ff"}, '
        '{"noise": 100}, {"cut": 60}, {"hello": true}, {"earlier": true}.',
    )
    drive.add_argument("driver", metavar="DRIVER", help="the driver's name; ? lists them")
    at = drive.add_mutually_exclusive_group()
    at.add_argument("--port", metavar="PATH", help="the serial port that the device is on")
    at.add_argument("--mqtt", metavar="HOST[:PORT]", help="the broker that it is at")
    drive.add_argument("--table", metavar="ID", default="bench", help="of the topics (bench)")
    drive.add_argument("--name", help="of the device at the broker; without it the kind and seat")
    drive.add_argument("--user", default="", help="at the broker")
    drive.add_argument("--password-file", metavar="F", type=Path, help="at the broker")
    drive.add_argument("--bus", action="store_true", help="poll it, as on RS-485")
    drive.add_argument(
        "--speaks",
        choices=("felt", "modbus", "cctalk"),
        default="felt",
        help="what the line speaks (felt); the dialect's options as --option",
    )
    drive.add_argument(
        "--no-polls", action="store_true", help="leave out polls and answers that say nothing"
    )
    drive.add_argument("--wager", default="", help="that an acceptor takes, or a terminal offers")
    drive.add_argument(
        "--option",
        metavar="NAME=VALUE",
        action="append",
        default=[],
        help="for the driver (repeatable)",
    )

    for one in (simulate, drive):
        one.add_argument("--baud", type=int, default=115_200, help="of the line (115200)")
        one.add_argument(
            "--address",
            type=int,
            default=None,
            help="on the line (as at a table: the seat's number, or 1)",
        )
        one.add_argument("--seat", type=int, default=None, help="of an acceptor or a terminal")
        one.add_argument("--key-file", metavar="F", type=Path, help="64 hexadecimal digits")
        one.add_argument("--seconds", type=float, default=None, help="end by itself after so many")

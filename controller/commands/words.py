"""The words of the commands that concern a running table, and the PC that it runs on.

Apart from the rest of the command line, because all of them find their table in the same way.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from controller.commands.arguments import takes_rulebooks


def add(commands: Any) -> None:
    status = commands.add_parser(
        "status",
        help="how a running table stands",
        description="How a running table stands. The exit code is 0 if all is well, 1 if not.",
    )
    status.add_argument("--json", action="store_true", help="print JSON")

    act = commands.add_parser(
        "act",
        help="do something at a running table, or list what can be done",
        description="Do an action at a running table, or take what it offers; without one, list "
        "what can be done now.",
    )
    act.add_argument("action", metavar="ACTION", nargs="?", help="none: what can be done now")
    act.add_argument(
        "--all",
        action="store_true",
        help="list all actions, possible now or not; with ACTION, all that it takes",
    )
    act.add_argument(
        "given",
        metavar="NAME=VALUE",
        nargs="*",
        help="what the action takes; behind take, the offer comes first",
    )
    act.add_argument("--as", dest="as_", metavar="PERSON[:ROLE]", default="", help="who does it")
    act.add_argument("--id", help="under the same id it is taken once")
    act.add_argument(
        "--pin-stdin", action="store_true", help="read PINs from standard input, one a line"
    )
    act.add_argument("--json", action="store_true", help="print JSON")

    watch = commands.add_parser(
        "watch",
        help="print what happens at a running table",
        description="Print every event of a running table as it happens, until interrupted.",
    )
    watch.add_argument("--json", action="store_true", help="print JSON, a line each")

    doctor = commands.add_parser(
        "doctor",
        help="check this PC and a table on it",
        description="Check ports, broker, clock, disk, journal, secrets and packages, and say "
        "what to do next. The exit code is 0 if nothing failed, 1 if something did.",
    )
    doctor.add_argument("--json", action="store_true", help="print JSON")
    doctor.add_argument("--page", action="store_true", help="print docs/what-to-do-when.md")

    signature = commands.add_parser(
        "signature",
        help="digests of program, packages, rulebooks and configuration",
        description="Print digests of what felt is; the same that a running table gives.",
    )
    signature.add_argument("--key", metavar="FILE", type=Path, help="sign with the key in FILE")
    signature.add_argument("--running", action="store_true", help="ask the running table")
    signature.add_argument("--record", action="store_true", help="keep them as the approved ones")
    signature.add_argument("--json", action="store_true", help="print JSON")

    driver = commands.add_parser(
        "driver",
        help="list the drivers, add one of a vendor, or take it away",
        description="Drivers of vendors, beside the felt of the Debian package. Without "
        "more words, list all drivers that there are.",
    )
    doing = driver.add_subparsers(dest="action", metavar="ACTION")
    adding = doing.add_parser(
        "add",
        help="unpack wheels where every table's felt finds them",
        description="Unpack a driver's wheel, with those of what it needs, where the felt of every "
        "table on this PC finds it. One of the same name is replaced.",
    )
    adding.add_argument("wheels", metavar="WHEEL", nargs="+", type=Path)
    removing = doing.add_parser("remove", help="take a package away again")
    removing.add_argument("name", metavar="PACKAGE", help="as the wheel is called")

    keys = commands.add_parser(
        "keys",
        help="the keys of a table's devices: new, list, rotate, retire",
        description="The keys of a table's devices, each in a file of its own. new makes those "
        "that are missing, list shows what is in use, rotate gives a device another key, and "
        "retire takes away the key of a device that the table has no more.",
    )
    keys.add_argument(
        "action",
        metavar="new|list|rotate|retire",
        help="or a folder, in which those that are missing are made",
    )
    keys.add_argument("device", metavar="DEVICE", nargs="?", default="", help="as in 'acceptor 3'")
    keys.add_argument(
        "--secrets", metavar="DIR", type=Path, help="where they are (/etc/felt/secrets/ID)"
    )

    pin = commands.add_parser(
        "pin", help="set somebody's PIN", description="Set the PIN of one of a table's people."
    )
    pin.add_argument("person", metavar="PERSON", help="an id among the people of the table file")
    pin.add_argument("--stdin", action="store_true", help="read it from standard input")
    pin.add_argument(
        "--withdraw", action="store_true", help="take it away: the person does nothing without one"
    )

    badge = commands.add_parser(
        "badge",
        help="give somebody a badge",
        description="Give one of a table's people a badge, in place of the one before; without a "
        "person, list whose badges there are.",
    )
    badge.add_argument("person", metavar="PERSON", nargs="?", help="an id of the table file")
    badge.add_argument("--stdin", action="store_true", help="read its number from standard input")
    badge.add_argument(
        "--withdraw", action="store_true", help="take it away: who holds it signs nobody on"
    )

    for command in (status, act, watch, doctor, signature):
        command.add_argument("--socket", type=Path, help="the table's control socket")
    for command in (keys, pin, badge):
        command.add_argument(
            "--table", metavar="TABLE.toml", type=Path, required=True, help="its table file"
        )
    for command in (status, act, watch, doctor, signature):
        command.add_argument(
            "--table", metavar="TABLE.toml", type=Path, help="its table file (the one that runs)"
        )
    takes_rulebooks(doctor, signature, keys, pin, badge)

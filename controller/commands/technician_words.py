"""The words of the technician's commands: device logs, and their replay."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from controller.commands.arguments import takes_rulebooks


def add(commands: Any) -> None:
    """The words of ``felt log``, ``felt replay`` and ``felt bundle``."""
    log = commands.add_parser(
        "log",
        help="look at device logs, cut, count, compare, and keep as a test",
        description="Device logs: every byte between felt and its devices.",
    )
    kinds = log.add_subparsers(dest="action", metavar="ACTION", required=True)
    show = kinds.add_parser("show", help="print them in their order in time, all wires together")
    cut = kinds.add_parser("cut", help="a stretch of all wires and the journal, in one file")
    note = kinds.add_parser("note", help="write what was done at a device into its log")
    stats = kinds.add_parser(
        "stats",
        help="repeats, late answers, silences, times: a line a device, the worst first",
    )
    redact = kinds.add_parser("redact", help="a copy without serial numbers, ports and notes")
    diff = kinds.add_parser(
        "diff",
        help="what was said otherwise in two logs, and what took longer",
        description="Compare what was said in two logs, folders or cuts. The exit code is 0 if it "
        "is the same, whatever firmware and times are, and 1 if not.",
    )
    promote = kinds.add_parser("promote", help="make a test of a cut")

    show.add_argument("--only", choices=("in", "out"), help="only from devices, or only to them")
    show.add_argument(
        "--message",
        action="append",
        metavar="KIND",
        help="wager, poll, event, refused, garbage, port ... (repeatable)",
    )
    show.add_argument("--bytes", action="store_true", help="the bytes as well")
    show.add_argument("--follow", action="store_true", help="go on with what is written")
    show.add_argument(
        "--lines", metavar="N", type=int, default=10, help="so many before, with --follow (10)"
    )
    show.add_argument("--colours", choices=("auto", "always", "never"), default="auto")

    cut.add_argument("--out", metavar="CUT.zip", type=Path, required=True)
    cut.add_argument("--table", metavar="TABLE.toml", type=Path, help="put the table file in")

    note.add_argument("--text", required=True, help="what was done")
    redact.add_argument("log", metavar="LOG", type=Path, help="a log, a folder or a cut")
    redact.add_argument("out", metavar="OUT", type=Path, help="a log, or a folder for several")
    diff.add_argument("first", metavar="A", type=Path)
    diff.add_argument("second", metavar="B", type=Path)
    diff.add_argument(
        "--times", action="store_true", help="the times of every kind of question, not only others"
    )

    _of_promote(promote)

    replay = commands.add_parser(
        "replay",
        help="run recorded bytes through felt as it is now",
        description="Run device logs, or a cut, through felt as it is now, in virtual time. The "
        "exit code is 0 if it does what was recorded, 1 if not.",
    )
    replay.add_argument("--secrets", metavar="DIR", type=Path, help="keys: tags are checked too")
    replay.add_argument("--exact", action="store_true", help="felt may not have been late at all")
    replay.add_argument(
        "--jobs", metavar="N", type=int, help="stretches at once (one for each processor)"
    )
    replay.add_argument("--speed", metavar="real|N", help="as fast as it was, or N times that")
    replay.add_argument("--step", action="store_true", help="wait for Enter after each event")
    replay.add_argument("--break-on", metavar="TEXT", help="wait at records that have it")
    replay.add_argument("--show", action="store_true", help="print each record")
    replay.add_argument("--json", action="store_true", help="print JSON")

    _of_replay(replay)

    bundle = commands.add_parser(
        "bundle",
        help="all that support needs of a table, in one file",
        description="Versions, configuration, health, last rounds and device logs of a table in "
        "one file, without secrets, with a list of what is in it.",
    )
    bundle.add_argument("--table", metavar="TABLE.toml", type=Path, required=True)
    bundle.add_argument("--out", metavar="BUNDLE.zip", type=Path, required=True)

    for one in (show, note, stats):
        one.add_argument("--wire", action="append", metavar="NAME", help="only this (repeatable)")
        one.add_argument(
            "--device", action="append", metavar="NAME", help="only 'acceptor 3' (repeatable)"
        )
    for one in (show, cut, note, stats, replay):
        one.add_argument("logs", metavar="LOG", nargs="+", type=Path, help="files or folders")
    for one in (show, cut, stats, replay):
        one.add_argument(
            "--from", dest="from_", metavar="WHEN", help="round:12, entry:345, 30.5, 04:05:06"
        )
        one.add_argument("--until", metavar="WHEN", help="the same, or 2026-02-03T04:05:06")
    for one in (show, cut, stats):
        one.add_argument("--round", type=int, help="this one")
    for one in (show, stats, diff):
        one.add_argument("--json", action="store_true", help="print JSON; show: a line each")
    stats.add_argument(
        "--plots",
        action="store_true",
        help="of each device when it spoke, and how fast it answered",
    )
    for one in (cut, replay):
        one.add_argument("--journal", metavar="J.db", type=Path, help="beside the logs' folder")
        one.add_argument("--run", metavar="ID", help="this start of felt (the last one)")
    takes_rulebooks(cut, promote, replay, bundle)


def _of_promote(promote: Any) -> None:
    promote.add_argument("cut", metavar="CUT.zip", type=Path)
    promote.add_argument("--case", metavar="NAME", required=True)
    promote.add_argument("--because", required=True, help="what the case is for")
    promote.add_argument(
        "--differs",
        action="store_true",
        help="felt was wrong then: where it does otherwise now is what is expected",
    )
    promote.add_argument("--into", metavar="DIR", type=Path, default=Path("tests/logs"))


def _of_replay(replay: Any) -> None:
    """Words for what goes beyond the record."""
    onward = replay.add_argument_group("on from a difference")
    onward.add_argument(
        "--continue-with-simulator",
        action="store_true",
        help="where felt does something else, play that round to its end on simulated devices",
    )
    onward.add_argument(
        "--keep", metavar="DIR", type=Path, help="keep the journal and the logs of that in here"
    )

    into = replay.add_argument_group("into a felt that runs")
    into.add_argument(
        "--into",
        metavar="DIR",
        type=Path,
        help="play the recorded devices at ports in this folder, where a table file is written too",
    )
    into.add_argument("--acts", action="store_true", help="also do what people did")
    into.add_argument(
        "--pins",
        metavar="FILE",
        type=Path,
        help='PINs of the table that is played to, PERSON = "PIN" on each line; asked for if it '
        "asks for any and this is not given",
    )
    into.add_argument("--broker", metavar="HOST:PORT", default="", help="for devices at a broker")
    into.add_argument(
        "--patience", metavar="SECONDS", type=float, help="for what felt does not do; 10 at first"
    )
    into.add_argument("--strict", action="store_true", help="end where felt does something else")
    into.add_argument("--stay", action="store_true", help="stay connected until interrupted")

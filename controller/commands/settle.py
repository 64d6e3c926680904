"""``felt settle``: what the rulebook says about a finished round."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from controller.commands.columns import columns
from controller.library import Library
from controller.rules.cards import names
from controller.rules.faults import Refused
from controller.rules.paytables import dollars
from controller.rules.roundfile import read_round
from controller.rules.rulebook import Rulebook
from controller.rules.ruleset import Ruleset, choose
from controller.rules.settlement import Round, Settlement, settle


def run(given: argparse.Namespace) -> int:
    desk = Desk(Library(*given.folder))
    if given.round == "-":
        return desk.stream()
    ruleset, played = desk.read(_text(Path(given.round)), given.round)
    settlement = settle(ruleset, played)
    if given.readable or (sys.stdout.isatty() and not given.json):
        sys.stdout.write("\n".join(readable(ruleset, played, settlement)) + "\n")
    else:
        sys.stdout.write(json.dumps(settlement.as_json(), indent=2) + "\n")
    return 0


class Desk:
    """Settles rounds one after another; the same options are worked out once."""

    def __init__(self, library: Library) -> None:
        self._library = library
        self._chosen: dict[tuple[str, str], Ruleset] = {}

    def read(self, text: str, source: str = "") -> tuple[Ruleset, Round]:
        try:
            return read_round(text, self._library.rulebook, self._choose)
        except Refused as refused:
            if not source:
                raise
            where = f"{source}: {refused.field}" if refused.field else source
            raise Refused(where, refused.problem, refused.allowed, refused.clause) from None

    def _choose(self, rulebook: Rulebook, options: dict[str, Any]) -> Ruleset:
        key = rulebook.id, json.dumps(options, sort_keys=True)
        if key not in self._chosen:
            self._chosen[key] = choose(rulebook, options)
        return self._chosen[key]

    def stream(self) -> int:
        """One round a line in, one settlement a line out; a bad round is an error line."""
        code = 0
        for line in sys.stdin.buffer:
            if not line.strip():
                continue
            try:
                said = settle(*self.read(_decoded(line))).as_json()
            except Refused as refused:
                said, code = {"error": str(refused)}, 2
            sys.stdout.write(json.dumps(said) + "\n")
            sys.stdout.flush()
        return code


def _decoded(line: bytes) -> str:
    try:
        return line.decode()
    except UnicodeDecodeError:
        raise Refused("", "this is not a text in UTF-8") from None


def _text(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except OSError as error:
        raise Refused(str(file), f"can't be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise Refused(str(file), "is not a text in UTF-8") from None


# --- For people -------------------------------------------------------------


def readable(ruleset: Ruleset, played: Round, settlement: Settlement) -> list[str]:
    """The settlement as a floorperson reads it out."""
    book = ruleset.rulebook
    lines = [f"{book.title}, {book.jurisdiction} ({book.id})", ""]
    for place, some in (
        ("dealer", played.dealer),
        ("community", played.community),
        ("All-Six", played.extra),
    ):
        if some:
            lines.append(f"  {place}: {names(some)}{_dealers(place, settlement)}")
    seats = {seat.number: seat for seat in played.seats}
    for settled in settlement.seats:
        seat = seats[settled.seat]
        folded = ", folded" if seat.folded else ""
        lines += ["", f"Seat {seat.number}: {names(seat.cards)}  {settled.hand}{folded}"]
        table = [("wager", "stake", "result", "odds", "returns", "paid by", "validate", "clause")]
        for line in settled.lines:
            stake = dollars(line.stake) if line.stake else ""
            odds = (line.odds or "") + (f", cut by {dollars(line.cut)}" if line.cut else "")
            table.append(
                (
                    line.wager,
                    stake,
                    line.result.value,
                    odds,
                    dollars(line.returns),
                    line.paid_by or "",
                    line.validate or "",
                    line.clause,
                )
            )
        lines += columns(table, right=(1, 4))
        lines.append(_sum(settled.lines))
    if settlement.meters:
        lines += ["", "Meters"]
        lines += columns(
            [
                (name, level, dollars(played.meters[name].get(level, 0)), "->", dollars(cents))
                for name, levels in settlement.meters.items()
                for level, cents in levels.items()
            ],
            right=(2, 4),
        )
    return lines


def _dealers(place: str, settlement: Settlement) -> str:
    if place != "dealer" or settlement.dealer is None:
        return ""
    qualifies = settlement.dealer.qualifies
    said = {True: ", qualifies", False: ", does not qualify", None: ""}[qualifies]
    return f"  {settlement.dealer.hand}{said}"


def _sum(lines: Any) -> str:
    staked = sum(line.stake for line in lines)
    back = sum(line.returns for line in lines)
    net = back - staked
    sign = "+" if net > 0 else "-" if net < 0 else ""
    return f"  staked {dollars(staked)}, returned {dollars(back)}: {sign}{dollars(abs(net))}"

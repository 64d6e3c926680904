"""Does at a running table what people did at the recorded one, through its control socket.

Where the table asks for PINs, those are the bench's: nobody needs to know what a dealer keys in on
the floor. They come from a file that nobody else may read, or are asked for on the terminal; they
are kept in memory alone, and go nowhere but into the socket.
"""

from __future__ import annotations

import getpass
import stat
import sys
import time
import tomllib
from pathlib import Path
from typing import Any

from controller.daemon import pins
from controller.daemon.client import Answered, Client, Unanswered
from controller.rules.faults import Refused
from controller.technician.acting import Act

#: The table may still be on its way to where it takes this: it is asked again after so long.
AGAIN_S = 0.5
#: A table that answers late is slow, and not unwilling. So often it is asked.
MAX_LATE = 10


class Pins:
    """By who they are of; ``asks`` for those that are not known."""

    def __init__(self, known: dict[str, str], *, asks: bool) -> None:
        self._known = known
        self._asks = asks

    def of(self, person: str) -> str | None:
        if person not in self._known and self._asks:
            self._known[person] = getpass.getpass(f"PIN of {person} at the bench: ")
        return self._known.get(person)

    def was_wrong(self, person: str) -> None:
        """Not to be given again: wrong ones lock a credential."""
        self._known.pop(person, None)

    def __repr__(self) -> str:
        return f"Pins({', '.join(self._known)})"


def pins_from(file: Path | None) -> Pins:
    """Of a file with ``PERSON = "PIN"`` on each line, or of nobody."""
    asks = sys.stdin.isatty()
    if file is None:
        return Pins({}, asks=asks)
    try:
        mode = stat.S_IMODE(file.stat().st_mode)
        known: dict[str, Any] = tomllib.loads(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise Refused(str(file), f"can't be read: {error.strerror}") from None
    except ValueError:
        # What is wrong in it is not said: it would be shown.
        raise Refused(str(file), "is not TOML", 'PERSON = "PIN" on each line') from None
    if mode & 0o077:
        raise Refused(str(file), f"others may read or write it ({mode:03o})", f"chmod 600 {file}")
    for person, pin in known.items():
        if not isinstance(pin, str) or not pin.isdecimal():
            step = f'{person} = "PIN", of {pins.LEAST} to {pins.MOST} digits in quotes'
            raise Refused(str(file), f"has no PIN for {person}", step)
    return Pins(known, asks=asks)


class Doing:
    """``patience`` is how long the table may take to come to where it takes an act."""

    def __init__(self, socket: Path, given: Pins, patience: float) -> None:
        self._socket = socket
        self._pins = given
        self._patience = patience
        #: One for all: who has proved who they are need not do it again.
        self._client: Client | None = None

    def done(self, act: Act) -> str:
        """Why it could not be done, or nothing. Blocks."""
        until, late = time.monotonic() + self._patience, 0
        while True:
            try:
                self._ask(act)
            except Unanswered as error:
                self.close()
                problem = str(error)
            except Answered as error:
                if act.was_refused and error.code == "refused":
                    return ""  # as it was
                problem = str(error)
                if error.code not in ("refused", "busy", "late"):
                    return problem
                if error.code == "late" and (late := late + 1) < MAX_LATE:
                    # It may be at its self-check, and who asks again sees the end of that.
                    until = time.monotonic() + self._patience
                    continue
            except Refused as error:
                return str(error)
            else:
                return ""
            if time.monotonic() >= until:
                return problem
            time.sleep(AGAIN_S)

    def close(self) -> None:
        if self._client is not None:
            self._client.close()
            self._client = None

    def _ask(self, act: Act) -> None:
        if self._client is None:
            self._client = Client(self._socket)
        who: dict[str, str | None] = {"as_": f"{act.by.id}:{act.by.role}"}
        asked: list[tuple[str, str]] = []
        # One for the person, one for the second person of an act for two.
        for name, person in (("pin", act.by.id), ("second_pin", act.second)):
            try:
                self._client.ask(act.action, act.given, **who)
            except Answered as error:
                if error.code != "pin":
                    self._forget(asked, error)
                    raise
            else:
                return
            pin = self._pins.of(person)
            if not pin:
                step = f"put it into the file of --pins: {person} = ..."
                raise Refused("", f"the table asks for the PIN of {person}", step)
            who[name] = pin
            asked.append((name, person))
        try:
            self._client.ask(act.action, act.given, **who)
        except Answered as error:
            self._forget(asked, error)
            raise

    def _forget(self, asked: list[tuple[str, str]], error: Answered) -> None:
        if error.code == "not allowed" and asked:
            self._pins.was_wrong(asked[-1][1])

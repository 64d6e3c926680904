"""Asks a running table: the command line's end of the control socket. No loop, no heavy imports."""

from __future__ import annotations

import contextlib
import json
import os
import socket
import stat
import tempfile
import tomllib
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from controller.rules.faults import Refused, listed

RUN = Path("/run/felt")
SOCKET = "control.sock"
#: An answer is awaited for so long; changes of a quiet table as long as they take.
ANSWER_S = 35.0
MAX_ANSWER = 64 << 20


class Unanswered(Refused):
    """Nobody serves the socket."""


class Answered(Refused):
    """The service did not do it; ``code`` says what kind of reason it has."""

    def __init__(self, code: str, error: str) -> None:
        super().__init__("", error)
        self.code = code


def own_run() -> Path:
    """Where tables are found that somebody runs for themselves: demonstrations."""
    given = os.environ.get("XDG_RUNTIME_DIR", "")
    if given:
        return Path(given) / "felt"
    return Path(tempfile.gettempdir()) / f"felt-{os.getuid()}"


def is_own(folder: Path) -> bool:
    """Whether it is a folder of this user alone: in others, anybody could have put a socket."""
    try:
        found = folder.lstat()
    except OSError:
        return False
    return stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid() and not found.st_mode & 0o077


def _demonstrations() -> list[Path]:
    """Those that answer: one that was killed leaves its name behind."""
    folder = own_run()
    if not is_own(folder):
        return []
    return [one for one in sorted(folder.glob(f"*/{SOCKET}")) if _answers(one)]


def _answers(path: Path) -> bool:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as asked:
        asked.settimeout(ANSWER_S)
        try:
            asked.connect(str(path))
        except OSError:
            return False
    return True


def find(table: Path | None, given: Path | None) -> Path:
    """The socket of a table: by its own name, by the table file, or the only one that runs.

    Where none does, that of the only demonstration of the same user.
    """
    if given is not None:
        return given
    if table is not None:
        return _of_table(table)
    if named := os.environ.get("FELT_SOCKET"):
        return Path(named)
    # A demonstration stands in nobody's way: it is meant where no other table runs.
    running = sorted(RUN.glob(f"*/{SOCKET}")) or _demonstrations()
    if len(running) == 1:
        return running[0]
    if not running:
        problem = f"no table runs under {RUN}, and no felt demo of yours"
        raise Unanswered("", problem, "say --table or --socket")
    names = listed(one.parent.name for one in running)
    raise Refused("", f"several tables run here: {names}", "say --table or --socket")


def _of_table(file: Path) -> Path:
    """Without reading the table file whole: asking must work when the file is wrong."""
    try:
        data = tomllib.loads(file.read_text(encoding="utf-8"))
        runtime = data.get("service", {}).get("runtime")
        return Path(runtime or RUN / data["id"]) / SOCKET
    except OSError as error:
        raise Refused(str(file), f"can't be read: {error.strerror}") from None
    except (ValueError, KeyError, TypeError, AttributeError):
        raise Refused(str(file), "is not a table file", "felt check says more") from None


class Client:
    def __init__(self, path: Path) -> None:
        self.path = path
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._socket.settimeout(ANSWER_S)
        self._asked = 0
        try:
            self._socket.connect(str(path))
        except OSError as error:
            self._socket.close()
            table = path.parent.name if path.parent.parent == RUN else "TABLE"
            step = f"start it: systemctl start felt@{table}, or felt run --config TABLE.toml"
            if isinstance(error, PermissionError):
                step = "ask for the group that the socket belongs to"
            problem = f"nobody answers at {path}: {error.strerror or error}"
            raise Unanswered("", problem, step) from None
        self._lines = self._socket.makefile("rb")

    def ask(self, action: str, given: dict[str, Any] | None = None, **who: str | None) -> Any:
        """The result; ``Answered`` with the reason if there is none. ``as_``, pin, second_pin."""
        self._asked += 1
        request = {"id": self._asked, "action": action, "with": given or {}}
        request |= {name.rstrip("_"): value for name, value in who.items() if value}
        # Where it has gone, it may have said why before: that is read.
        with contextlib.suppress(OSError):
            self._socket.sendall(json.dumps(request).encode() + b"\n")
        answer = self._line()
        if not answer.get("ok"):
            raise Answered(str(answer.get("code")), str(answer.get("error")))
        return answer["result"]

    def changes(self) -> Iterator[dict[str, Any]]:
        """What happens from now on, after ``watch`` was asked for."""
        self._socket.settimeout(None)
        while True:
            yield self._line()["change"]

    def _line(self) -> dict[str, Any]:
        try:
            line = self._lines.readline(MAX_ANSWER)
        except TimeoutError:
            raise Unanswered("", f"{self.path} does not answer", "felt doctor says more") from None
        except OSError as error:
            raise Unanswered("", f"{self.path} is gone: {error.strerror}") from None
        if not line.endswith(b"\n"):
            raise Unanswered("", f"{self.path} was closed", "the service has stopped")
        answer: dict[str, Any] = json.loads(line)
        return answer

    def close(self) -> None:
        self._lines.close()
        self._socket.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

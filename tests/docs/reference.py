"""The reference device, built and run: docs/reference-device as programs on ptys."""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import subprocess
import time
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "docs" / "reference-device"
BUILD = ROOT / "build" / "reference-device"
KINDS = ("shoe", "shuffler", "acceptor", "panel")
#: Only so that a test ends, however busy the machine is.
AT_LAST_S = 300.0
LOOK_S = 0.01


@cache
def built(*targets: str) -> Path:
    """The folder with the programs, made by the makefile of the page; made once for all tests."""
    BUILD.mkdir(parents=True, exist_ok=True)
    with (BUILD / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        names = [f"{BUILD}/{one}" for one in targets] or ["all"]
        done = subprocess.run(
            ["make", "-s", "-C", str(SOURCE), f"BUILD={BUILD}", *names],
            capture_output=True, text=True, check=False,
        )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return BUILD


def digest(kind: str) -> bytes:
    return hashlib.sha256((built() / f"felt-{kind}").read_bytes()).digest()


class Program:
    """One program with its devices. Its memory is a file, and outlives it."""

    def __init__(
        self,
        kind: str,
        folder: Path,
        *,
        addresses: tuple[int, ...] = (1,),
        bus: bool = False,
        key: Path | str | None = None,
    ) -> None:
        self.kind = kind
        self.port = folder / f"tty-{kind}"
        numbers = ",".join(map(str, addresses))
        self._words = [str(built() / f"felt-{kind}"), "--port", str(self.port)]
        self._words += ["--memory", str(folder / f"{kind}-%.memory"), "--address", numbers]
        self._words += ["--bus"] if bus else []
        self._words += ["--key", str(key)] if key else []
        self._errors = folder / f"{kind}.err"
        self.lines: list[str] = []
        self._rest = b""
        self._process: subprocess.Popen[bytes] | None = None
        self.switch_on()

    def switch_on(self) -> None:
        with self._errors.open("ab") as errors:
            self._process = subprocess.Popen(
                self._words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors
            )
        assert self._process.stdout is not None
        os.set_blocking(self._process.stdout.fileno(), False)
        before = len(self.lines)
        end = time.monotonic() + AT_LAST_S
        while not any(line.startswith("port ") for line in self.heard()[before:]):
            assert self._process.poll() is None, self._errors.read_text()
            assert time.monotonic() < end
            time.sleep(LOOK_S)

    def cut_power(self) -> None:
        """At once, wherever it is; what it has stored is there when it is switched on again."""
        assert self._process is not None
        self._process.kill()
        self._ended()

    def end(self) -> None:
        """In good order, and without a word of a sanitizer."""
        if self._process is None:
            return
        assert self._process.poll() is None, self._errors.read_text()
        self.heard()
        self._process.terminate()
        code = self._ended()
        assert (code, self._errors.read_text()) == (0, "")

    def _ended(self) -> int:
        assert self._process is not None
        code = self._process.wait(AT_LAST_S)
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                pipe.close()
        self._process = None
        return code

    def act(self, *words: object) -> None:
        """Somebody does something at it."""
        assert self._process is not None
        assert self._process.stdin is not None
        self._process.stdin.write(" ".join(map(str, words)).encode() + b"\n")
        self._process.stdin.flush()

    def heard(self) -> list[str]:
        """What it has done so far, as lines."""
        assert self._process is not None
        assert self._process.stdout is not None
        while data := self._process.stdout.read():
            *lines, self._rest = (self._rest + data).split(b"\n")
            self.lines += [line.decode() for line in lines]
        return self.lines


@contextlib.contextmanager
def program(kind: str, folder: Path, **more: object) -> Iterator[Program]:
    made = Program(kind, folder, **more)  # type: ignore[arg-type]
    try:
        yield made
        made.end()
    finally:
        with contextlib.suppress(AssertionError):
            made.end()

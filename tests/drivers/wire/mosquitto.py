"""A real broker for a test: its own process, its own files, a port of its own.

The one that Debian starts as a service is left alone.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path

from drivers.wire.broker_client import Account, TlsFiles

PROGRAM = shutil.which("mosquitto", path=f"{os.environ.get('PATH', '')}:/usr/sbin") or "mosquitto"
#: Only so that a test ends if the broker does not start at all, or does not end.
STARTS_WITHIN_S = 300.0
ENDS_WITHIN_S = 300.0
#: Ports that the system gives to nobody by itself: while a broker is down, nobody connects from its
#: own, and it can have it again.
PORTS = range(16_384, 32_768)

OPEN_TO_ALL = ("allow_anonymous true",)


def free_port() -> int:
    while True:
        port = secrets.choice(PORTS)
        with socket.socket() as found, contextlib.suppress(OSError):
            found.bind(("127.0.0.1", port))
            return port


class Mosquitto:
    def __init__(
        self,
        folder: Path,
        settings: Sequence[str] = OPEN_TO_ALL,
        *,
        listener: Sequence[str] = (),
        host: str = "127.0.0.1",
    ) -> None:
        self.port = free_port()
        self.host = host
        self.log = folder / "mosquitto.log"
        self._file = folder / "mosquitto.conf"
        self._process: subprocess.Popen[bytes] | None = None
        data = folder / "data"
        data.mkdir(exist_ok=True)
        lines = [
            "persistence true",
            f"persistence_location {data}/",
            "autosave_interval 1",
            f"log_dest file {self.log}",
            # As root it would become another user, who may not read a test's folder.
            *(["user root"] if os.geteuid() == 0 else []),
            *settings,
            f"listener {self.port} 127.0.0.1",
            *listener,
        ]
        self._file.write_text("\n".join(lines) + "\n")

    def account(self, user: str = "", password: str = "", tls: TlsFiles | None = None) -> Account:
        return Account(self.host, self.port, user, password, tls)

    def start(self) -> None:
        self._process = subprocess.Popen(
            [PROGRAM, "-c", str(self._file)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        deadline = time.monotonic() + STARTS_WITHIN_S
        while True:
            try:
                socket.create_connection(("127.0.0.1", self.port), timeout=60).close()
                return
            except OSError:
                said = self.log.read_text() if self.log.exists() else ""
                assert self._process.poll() is None, f"the broker ended: {said}"
                assert time.monotonic() < deadline, f"the broker does not start: {said}"
                time.sleep(0.01)

    def kill(self) -> None:
        """Like a power cut: nothing is written any more."""
        self._end(signal.SIGKILL)

    def stop(self) -> None:
        self._end(signal.SIGTERM)

    def hang(self) -> None:
        self._running().send_signal(signal.SIGSTOP)

    def go_on(self) -> None:
        self._running().send_signal(signal.SIGCONT)

    @property
    def is_running(self) -> bool:
        return self._process is not None

    def _running(self) -> subprocess.Popen[bytes]:
        assert self._process is not None
        return self._process

    def _end(self, how: signal.Signals) -> None:
        process = self._running()
        process.send_signal(signal.SIGCONT)
        process.send_signal(how)
        process.wait(timeout=ENDS_WITHIN_S)
        self._process = None

"""The door of the broker inside felt: where connections come in, and who gets past it.

Whoever connects has three seconds to say who it is. Until then it is a socket with a little memory:
no task, no stream, nothing of amqtt. So many of them are looked at in a while and no more, the rest
waits in the system; if too many are silent at once, the one that has been longest goes. So somebody
who opens connections as fast as he can costs felt a bounded part of its time, and those who are in
do not notice.
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import Callable
from dataclasses import dataclass, field

from drivers.wire import broker_packets as packets
from drivers.wire.broker_accounts import Accounts, Rights
from drivers.wire.broker_packets import Connect, Malformed
from drivers.wire.broker_turned import Kind, Turned

#: Of this PC only.
HOST = "127.0.0.1"
#: Connections that the system keeps for us until it is their turn.
BACKLOG = 512
#: So many are let in at a time, and then nobody for so long: 400 a second.
AT_A_TIME = 20
REST_S = 0.05
#: Out of files, or worse: nobody is let in for so long.
TROUBLE_S = 1.0
#: Connections that have not said who they are.
MAX_SILENT = 64
#: How often they are looked at, and how often one may be silent then. Looks are counted and not
#: seconds: a PC that stood still has heard nobody, and it is nobody's fault.
LOOK_S = 1.0
MAX_LOOKS = 3

Admit = Callable[[socket.socket, Connect, Rights, bytes], None]


@dataclass(slots=True, eq=False)
class _Caller:
    """Somebody who has not said who he is."""

    sock: socket.socket
    heard: bytearray = field(default_factory=bytearray)
    looks: int = 0


class Door:
    """``admit`` gets a connection, what it said of itself, its rights, and what it said after."""

    def __init__(self, accounts: Accounts, turned: Turned, admit: Admit) -> None:
        self._accounts = accounts
        self._turned = turned
        self._admit = admit
        self._loop = asyncio.get_running_loop()
        self._socket: socket.socket | None = None
        # In the order in which they came.
        self._silent: dict[_Caller, None] = {}
        self._left = AT_A_TIME
        self._resting: asyncio.TimerHandle | None = None
        self._looking: asyncio.TimerHandle | None = None

    def open(self, port: int) -> int:
        """Listen, and say at which port. Raises OSError if it is taken."""
        # By its name: only of such a one does asyncio ask that small packets go at once.
        sock = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        try:
            sock.setblocking(False)
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            sock.bind((HOST, port))
            sock.listen(BACKLOG)
        except OSError:
            sock.close()
            raise
        self._socket = sock
        self._loop.add_reader(sock, self._somebody_comes)
        return int(sock.getsockname()[1])

    def close(self) -> None:
        for timer in (self._resting, self._looking):
            if timer is not None:
                timer.cancel()
        self._resting = self._looking = None
        if self._socket is not None:
            self._loop.remove_reader(self._socket)
            self._socket.close()
            self._socket = None
        for caller in list(self._silent):
            self._let_go(caller)

    # --- Coming in ----------------------------------------------------------------

    def _somebody_comes(self) -> None:
        assert self._socket is not None
        if self._resting is None:
            self._resting = self._loop.call_later(REST_S, self._rested)
        while self._left > 0:
            try:
                sock, _ = self._socket.accept()
            except (BlockingIOError, InterruptedError, ConnectionAbortedError):
                return
            except OSError:
                self._resting.cancel()
                self._resting = self._loop.call_later(TROUBLE_S, self._rested)
                break
            self._left -= 1
            self._came(sock)
        self._loop.remove_reader(self._socket)
        self._left = 0

    def _rested(self) -> None:
        self._resting = None
        if self._left <= 0 and self._socket is not None:
            self._loop.add_reader(self._socket, self._somebody_comes)
        self._left = AT_A_TIME

    def _came(self, sock: socket.socket) -> None:
        sock.setblocking(False)
        if len(self._silent) >= MAX_SILENT:
            self._turn_away(next(iter(self._silent)), "crowd")
        caller = _Caller(sock)
        self._silent[caller] = None
        self._loop.add_reader(sock, self._says, caller)
        if self._looking is None:
            self._looking = self._loop.call_later(LOOK_S, self._look)

    def _look(self) -> None:
        self._looking = self._loop.call_later(LOOK_S, self._look) if self._silent else None
        for caller in list(self._silent):
            caller.looks += 1
            if caller.looks > MAX_LOOKS:
                self._turn_away(caller, "no word")

    # --- Who it is ----------------------------------------------------------------

    def _says(self, caller: _Caller) -> None:
        try:
            data = caller.sock.recv(packets.MAX_CONNECT)
        except (BlockingIOError, InterruptedError):
            return
        except OSError:
            data = b""
        if not data:
            self._turn_away(caller, "no word")
            return
        caller.heard += data
        try:
            found = packets.connect(caller.heard)
        except packets.Unspoken:
            self._refuse(caller, packets.OTHER_VERSION, "no connect")
        except Malformed:
            self._turn_away(caller, "no connect")
        else:
            if found is not None:
                self._judge(caller, *found)

    def _judge(self, caller: _Caller, connect: Connect, length: int) -> None:
        rights = self._accounts.entitled(connect.user, connect.password)
        if rights is None:
            # A name that nobody has may be anything, so it is not repeated.
            self._refuse(caller, packets.BAD_LOGIN, "no account")
        elif self._accounts.is_borrowed(connect.client_id, rights):
            self._refuse(caller, packets.BAD_ID, "id of another", rights.user)
        elif connect.will_topic and connect.will_topic not in rights.keeps:
            self._refuse(caller, packets.BAD_LOGIN, "will of another", rights.user)
        else:
            self._loop.remove_reader(caller.sock)
            del self._silent[caller]
            self._admit(caller.sock, connect, rights, bytes(caller.heard[length:]))

    def _refuse(self, caller: _Caller, code: int, kind: Kind, who: str = "") -> None:
        with contextlib.suppress(OSError):
            caller.sock.send(packets.connack(code))
        self._turn_away(caller, kind, who)

    def _turn_away(self, caller: _Caller, kind: Kind, who: str = "") -> None:
        self._turned.away(kind, who)
        self._let_go(caller)

    def _let_go(self, caller: _Caller) -> None:
        self._loop.remove_reader(caller.sock)
        del self._silent[caller]
        caller.sock.close()

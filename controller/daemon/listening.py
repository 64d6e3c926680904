"""Sockets that systemd has opened for the service, and hands over by name (``sd_listen_fds(3)``).

A socket unit holds the address: nobody else can take it, who connects while felt starts or restarts
waits instead of being turned away, and felt itself needs no right to open it.
"""

from __future__ import annotations

import os
import socket
from collections.abc import MutableMapping

from controller.rules.faults import Refused

#: Where they begin, and what says how many there are, for whom, and what they are called.
FIRST = 3
_COUNT, _FOR, _NAMES = "LISTEN_FDS", "LISTEN_PID", "LISTEN_FDNAMES"
_ALL = (_COUNT, _FOR, _NAMES)


def handed_over(
    known: frozenset[str], environment: MutableMapping[str, str] = os.environ
) -> dict[str, socket.socket]:
    """The sockets by their names; ``Refused`` if one is not known, or does not listen.

    They are taken once: programs that felt starts do not see them.
    """
    count, owner, names = (environment.pop(one, "") for one in _ALL)
    if owner != str(os.getpid()) or not count.isdecimal():
        return {}
    found: dict[str, socket.socket] = {}
    called = names.split(":") if names else []
    for place in range(int(count)):
        name = called[place] if place < len(called) else "unknown"
        one = socket.socket(fileno=FIRST + place)
        one.set_inheritable(False)
        problem = ""
        if name not in known or name in found:
            problem = "is not a socket that felt serves, or comes twice"
        elif not one.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN):
            problem = "does not listen"
        if problem:
            for socket_ in (one, *found.values()):
                socket_.close()
            step = f"FileDescriptorName={' or '.join(sorted(known))} and ListenStream= in its unit"
            raise Refused(f"the socket {name!r} of systemd", problem, step)
        one.setblocking(False)
        found[name] = one
    return found

"""Who is at the other end of a local socket: the system knows, and nobody can claim otherwise."""

from __future__ import annotations

import contextlib
import grp
import os
import pwd
import socket
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from controller.daemon.access import ROLES, Caller
from controller.table.people import Role

_CREDENTIALS = struct.Struct("3i")
#: Not in Python's socket module yet: the groups that the process at the other end is in.
_SO_PEERGROUPS = 59
_MAX_GROUPS = 65536
ROOT = 0


@dataclass(frozen=True, slots=True)
class Peer:
    pid: int
    uid: int
    gids: frozenset[int]

    @property
    def name(self) -> str:
        try:
            return pwd.getpwuid(self.uid).pw_name
        except KeyError:
            return str(self.uid)


def peer_of(connection: socket.socket) -> Peer:
    given = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size)
    pid, uid, gid = _CREDENTIALS.unpack(given)
    return Peer(pid, uid, frozenset({gid, *_more_groups(connection, uid, gid)}))


def _more_groups(connection: socket.socket, uid: int, gid: int) -> Sequence[int]:
    with contextlib.suppress(OSError):
        given = connection.getsockopt(socket.SOL_SOCKET, _SO_PEERGROUPS, 4 * _MAX_GROUPS)
        return struct.unpack(f"{len(given) // 4}I", given)
    # An older system tells only the first group: then what its user is in counts.
    try:
        return os.getgrouplist(pwd.getpwuid(uid).pw_name, gid)
    except KeyError:
        return ()


def roles_of(peer: Peer, operators: Mapping[str, Sequence[Role]]) -> frozenset[Role]:
    """The roles that may be acted in from there; none may only look."""
    if _keeps_secrets(peer):
        return frozenset(ROLES)
    may: set[Role] = set()
    for name, roles in operators.items():
        if peer.name == name or _gid(name) in peer.gids:
            may.update(roles)
    return frozenset(may)


def _keeps_secrets(peer: Peer) -> bool:
    return peer.uid in (ROOT, os.geteuid())


def _gid(name: str) -> int:
    try:
        return grp.getgrnam(name).gr_gid
    except KeyError:
        return -1


def is_trusted(peer: Peer, console: str) -> bool:
    """Root, the service's own user, or that of the pages: it says where those that ask it are."""
    return _keeps_secrets(peer) or (bool(console) and peer.name == console)


def caller_of(peer: Peer, operators: Mapping[str, Sequence[Role]]) -> Caller:
    return Caller(
        f"control socket, user {peer.name}",
        roles_of(peer, operators),
        keeps_secrets=_keeps_secrets(peer),
    )

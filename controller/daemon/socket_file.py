"""The file of a socket: who serves it, its mode and group, and what becomes of one left behind."""

from __future__ import annotations

import contextlib
import fcntl
import grp
import os
import socket
import stat
from pathlib import Path

from controller.rules.faults import Refused

MODE = 0o660


def locked(path: Path) -> int:
    """The right to serve this socket: the system's lock, which ends with the process."""
    lock = path.with_suffix(".lock")
    try:
        handle = os.open(lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    except OSError as error:
        step = "make the folder, or set service.runtime"
        raise Refused(str(lock), f"can't be written: {error.strerror}", step) from None
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(handle)
        problem = "is served by another felt"
        raise Refused(str(path), problem, "a table has one: stop the other one first") from None
    return handle


def bound(path: Path, group: str) -> socket.socket:
    """Bound beside its place and moved there, so that it never stands there open to others."""
    with contextlib.suppress(FileNotFoundError):
        if not stat.S_ISSOCK(path.lstat().st_mode):
            raise Refused(str(path), "is there and is no socket", "move it away")
    beside = path.with_name(f".{path.name}")
    made = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        beside.unlink(missing_ok=True)
        made.bind(str(beside))
        beside.chmod(MODE)
        if group:
            os.chown(beside, -1, grp.getgrnam(group).gr_gid)
        beside.replace(path)
    except KeyError:
        made.close()
        beside.unlink(missing_ok=True)
        raise Refused("service.control_group", f"there is no group {group!r}") from None
    except OSError as error:
        made.close()
        beside.unlink(missing_ok=True)
        raise Refused(str(path), f"can't be made: {error.strerror}") from None
    return made

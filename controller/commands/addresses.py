"""Where a page is served: ``--listen`` of ``felt console`` and ``felt terminal``."""

from __future__ import annotations

from controller.rules.faults import Refused


def address_of(text: str, usual: int) -> tuple[str, int]:
    host, colon, port = text.rpartition(":")
    if not colon or not host or not port.isdecimal() or int(port) > 65535:
        raise Refused("--listen", f"{text!r} is no address", f"HOST:PORT, as in 127.0.0.1:{usual}")
    return host.strip("[]"), int(port)

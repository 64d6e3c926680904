"""A cable between two serial ports that are really there: two terminals and what joins them."""

from __future__ import annotations

import asyncio
import os
import tty
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def cable() -> Iterator[tuple[str, str]]:
    """The names of two ports; what is written to one can be read from the other."""
    loop = asyncio.get_running_loop()
    pairs = [os.openpty(), os.openpty()]
    (one, one_port), (other, other_port) = pairs

    def join(source: int, sink: int) -> None:
        os.set_blocking(source, False)
        loop.add_reader(source, lambda: os.write(sink, os.read(source, 1024)))

    try:
        for port in (one_port, other_port):
            # No echo, no line editing; and kept open, or a port that is closed hangs up for good.
            tty.setraw(port)
        join(one, other)
        join(other, one)
        yield os.ttyname(one_port), os.ttyname(other_port)
    finally:
        for master, port in pairs:
            loop.remove_reader(master)
            os.close(port)
            os.close(master)

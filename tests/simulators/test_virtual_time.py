"""Time that jumps: nothing is late, nothing is skipped, and being stuck is said."""

from __future__ import annotations

import asyncio
import os
import threading
import time
import tty

import pytest

from simulators import virtual_time
from simulators.virtual_time import Stuck, VirtualTimeLoop, run


def test_hours_pass_without_being_waited_for() -> None:
    async def day() -> float:
        loop = asyncio.get_running_loop()
        for _ in range(24):
            await asyncio.sleep(3600)
        return loop.time()

    assert run(day) == 24 * 3600


def test_things_happen_in_the_order_of_their_times() -> None:
    async def play() -> list[str]:
        happened: list[str] = []
        loop = asyncio.get_running_loop()
        for name, at in (("third", 3.0), ("first", 1.0), ("second", 2.0)):
            loop.call_later(at, happened.append, name)
        await asyncio.sleep(5)
        return happened

    assert run(play) == ["first", "second", "third"]


def test_time_stands_still_while_a_thread_works() -> None:
    async def play() -> tuple[float, list[str]]:
        happened: list[str] = []
        loop = asyncio.get_running_loop()
        loop.call_later(0.001, happened.append, "a timer")
        await asyncio.to_thread(time.sleep, 0.05)
        happened.append("the thread")
        return loop.time(), happened

    at, happened = run(play)
    assert at == 0
    assert happened == ["the thread"]


def test_time_stands_still_while_bytes_are_on_their_way(monkeypatch: pytest.MonkeyPatch) -> None:
    """A pty hands bytes on when the system gets to it; a time-out must not come before them."""
    # The thread that writes them may not be given the processor for a while.
    monkeypatch.setattr(virtual_time, "LOST_AFTER", 300.0)

    async def play() -> tuple[bytes, float]:
        loop = asyncio.get_running_loop()
        assert isinstance(loop, VirtualTimeLoop)
        reader, writer = os.openpty()
        tty.setraw(writer)
        got: asyncio.Future[bytes] = loop.create_future()
        count = [5]
        loop.on_their_way.append(lambda: count[0])

        def readable() -> None:
            data = os.read(reader, 100)
            count[0] -= len(data)
            got.set_result(data)

        loop.add_reader(reader, readable)
        try:
            # Written behind the loop's back, after it has looked.
            late = threading.Thread(target=_write_late, args=[writer])
            late.start()
            data = await asyncio.wait_for(got, 0.01)
            late.join()
            return data, loop.time()
        finally:
            loop.remove_reader(reader)
            os.close(reader)
            os.close(writer)

    assert run(play) == (b"bytes", 0.0)


def _write_late(writer: int) -> None:
    time.sleep(0.05)
    os.write(writer, b"bytes")


def test_bytes_that_are_lost_are_not_waited_for_for_ever() -> None:
    async def play() -> float:
        loop = asyncio.get_running_loop()
        assert isinstance(loop, VirtualTimeLoop)
        loop.on_their_way.append(lambda: 1)
        await asyncio.sleep(1)
        return loop.time()

    assert run(play) == 1


def test_a_loop_in_which_nothing_can_happen_any_more_says_so() -> None:
    async def waits_for_nothing() -> None:
        await asyncio.Event().wait()

    with pytest.raises(Stuck, match="nothing is ready"):
        run(waits_for_nothing)


def test_files_are_read_in_the_order_in_which_they_were_listened_to() -> None:
    """Not of their numbers: which thread is first to open one is left to chance."""

    async def play() -> tuple[list[int], list[int]]:
        loop = asyncio.get_running_loop()
        pipes = [os.pipe() for _ in range(5)]
        turns = [pipes[n][0] for n in (3, 0, 4, 1, 2)]
        read: list[int] = []

        def readable(fd: int) -> None:
            os.read(fd, 1)
            read.append(fd)

        for reader in turns:
            loop.add_reader(reader, readable, reader)
        for _, writer in reversed(pipes):
            os.write(writer, b"x")
        await asyncio.sleep(1)
        for reader, writer in pipes:
            loop.remove_reader(reader)
            os.close(reader)
            os.close(writer)
        return turns, read

    turns, read = run(play)
    assert read == turns


def test_what_threads_do_is_known_in_the_order_in_which_it_was_begun() -> None:
    async def play() -> list[str]:
        known: list[str] = []

        async def does(name: str, seconds: float) -> None:
            await asyncio.to_thread(time.sleep, seconds)
            known.append(name)

        await asyncio.gather(does("first", 0.02), does("second", 0.0), does("third", 0.01))
        return known

    assert run(play) == ["first", "second", "third"]


def test_a_thread_that_waits_for_another_does_not_keep_its_end_from_being_known() -> None:
    async def play() -> list[str]:
        ended = threading.Event()

        async def waits() -> str:
            assert await asyncio.to_thread(ended.wait, 20)
            return "waited"

        async def ends() -> str:
            await asyncio.to_thread(lambda: None)
            ended.set()
            return "ended"

        return list(await asyncio.gather(waits(), ends()))

    assert run(play) == ["waited", "ended"]


def test_an_error_in_a_thread_is_raised_where_it_is_waited_for() -> None:
    async def play() -> None:
        await asyncio.to_thread(os.stat, "/no such file")

    with pytest.raises(FileNotFoundError):
        run(play)


@pytest.mark.parametrize("slow", [0.0, 0.05])
def test_bytes_are_read_before_it_is_known_what_a_thread_did(slow: float) -> None:
    """Whichever of them the system was quicker with."""

    async def play() -> list[str]:
        loop = asyncio.get_running_loop()
        assert isinstance(loop, VirtualTimeLoop)
        reader, writer = os.pipe()
        order: list[str] = []
        count = [1]
        loop.on_their_way.append(lambda: count[0])

        def readable() -> None:
            count[0] -= len(os.read(reader, 1))
            order.append("bytes")

        loop.add_reader(reader, readable)
        late = threading.Timer(slow, os.write, [writer, b"x"])
        late.start()
        await asyncio.to_thread(time.sleep, 0.02)
        order.append("thread")
        late.join()
        loop.remove_reader(reader)
        os.close(reader)
        os.close(writer)
        return order

    assert run(play) == ["bytes", "thread"]

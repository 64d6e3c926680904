"""The loop of a replay: its clock stands until it is moved, and all that is due is done at once."""

from __future__ import annotations

import asyncio
from math import inf

import pytest

from controller.technician.stepped import SteppedLoop


def test_what_follows_is_done_before_the_replay_goes_on() -> None:
    loop, done = SteppedLoop(), []

    def replay() -> None:
        heard: asyncio.Future[str] = loop.create_future()
        heard.add_done_callback(lambda one: done.append(one.result()))
        heard.add_done_callback(lambda _: loop.call_soon(done.append, "and what follows"))
        heard.set_result("heard")
        assert done == []
        loop.settle()
        assert done == ["heard", "and what follows"]

    loop.run_call(replay)


def test_timers_wait_for_the_clock_and_keep_their_order() -> None:
    loop = SteppedLoop()
    done: list[str] = []

    def replay() -> None:
        loop.call_at(2.0, done.append, "second")
        loop.call_at(1.0, done.append, "first")
        gone = loop.call_at(0.5, done.append, "never")
        assert loop.next_timer() == 0.5
        gone.cancel()
        assert loop.next_timer() == 1.0
        loop.move_to(0.9)
        loop.settle()
        assert done == []
        loop.move_to(2.0)
        loop.settle()
        assert done == ["first", "second"]
        assert loop.next_timer() == inf

    loop.run_call(replay)


def test_a_timer_can_go_off_early_and_the_clock_stands() -> None:
    loop = SteppedLoop()
    done: list[float] = []

    def replay() -> None:
        for at in (1.2, 1.4):
            loop.call_at(at, lambda: done.append(loop.time()))
        loop.move_to(1.0)
        loop.settle(due_by=1.2)
        assert (done, loop.next_timer()) == ([1.0], 1.4)

    loop.run_call(replay)


def test_the_clock_never_goes_back() -> None:
    loop = SteppedLoop()
    loop.move_to(5.0)
    loop.move_to(4.0)
    assert loop.time() == 5.0
    loop.close()


def test_a_task_can_run_within_the_replay() -> None:
    loop, done = SteppedLoop(), []

    async def waits() -> None:
        await asyncio.sleep(1.0)
        done.append(asyncio.get_running_loop().time())

    def replay() -> None:
        task = loop.create_task(waits())
        loop.settle()
        loop.move_to(1.0)
        loop.settle()
        assert task.done()

    loop.run_call(replay)
    assert done == [1.0]


def test_what_the_replay_raises_comes_out_and_the_loop_is_closed() -> None:
    loop = SteppedLoop()

    def replay() -> None:
        raise ValueError("enough")

    with pytest.raises(ValueError, match="enough"):
        loop.run_call(replay)
    assert loop.is_closed()

"""The console before a table that plays: from the journal to the pixel, and what the table pays.

The table, its devices and its people are in this process; the console is one of its own, as it
always is, and a real browser has five pages open. Table, console and browser are as nice as their
units make them: on a table's PC the table comes first. Each figure is held against its goal, or
against the same table without the console, in the same run.

    python -m benchmarks.console [--rounds 30] [--seconds 10]
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import os
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from statistics import fmean, median
from typing import Any

from playwright.async_api import Page

from benchmarks.daemon import Watch, ms, p
from controller.demo import performer
from controller.recorder import Taken
from controller.table.events import Event
from simulators import shoe, shuffler
from tests.controller.console.chromium import browser, room
from tests.controller.console.served import process
from tests.controller.console.simulated import Simulated, simulated
from tests.scenarios.test_play import table

BOOK = "pa-639a"
ROUNDS, SECONDS = 30, 10.0
#: What is asked for: from commit to pixel; a lock-out against one with no page open; the share of a
#: processor that it takes from the table; the first load.
PIXEL_S = 0.100
SLOWER = 1.1
SHARE = 0.03
FIRST_BYTES, FIRST_S = 250_000, 1.0
#: One of each face, and two dealers.
FACES = ("dealer", "dealer", "bench", "sign", "")
#: Of people who wait for nothing, and of people at their own pace.
QUICK, USUAL = 0.002, performer.PEOPLE_S
FLOODS = 4
#: As the units of console and kiosk have it; and how deep a browser's processes start each other.
NICE, GENERATIONS = 5, 4
#: And as the table's own unit has it, where that is allowed.
TABLES_NICE = -5

#: In a page, before anything else of it: when which entry was drawn, and how long drawing took.
NOTES = """
  window.drawn = []; window.took = [];
  const frame = window.requestAnimationFrame.bind(window);
  window.requestAnimationFrame = (draw) => frame((now) => {
    const began = performance.now();
    draw(now);
    window.took.push(performance.now() - began);
  });
  const Socket = window.WebSocket;
  window.WebSocket = class extends Socket {
    constructor(...given) {
      super(...given);
      this.addEventListener("message", ({data}) => {
        if (!data.startsWith('{"kind":"picture"')) return;
        const {seq} = JSON.parse(data).picture;
        // Drawn in the next frame, and seen when that one is over.
        const now = () => performance.timeOrigin + performance.now();
        frame(() => frame(() => window.drawn.push([seq, now()])));
      });
    }
  };
"""


@contextlib.asynccontextmanager
async def five_pages(at: Simulated) -> AsyncIterator[list[Page]]:
    """Each in a window of its own: one that lies behind another is not drawn."""
    socket = at.show.simulated.configuration.socket
    async with contextlib.AsyncExitStack() as stack:
        address, _ = await stack.enter_async_context(process("--socket", socket))
        chromium = await stack.enter_async_context(browser())
        make_nice()
        found = []
        for face in FACES:
            context = await stack.enter_async_context(room(chromium))
            await context.add_init_script(NOTES)
            page = await context.new_page()
            await page.goto(f"{address}{face}/{at.name}" if face else address)
            await page.wait_for_selector("main :first-child")
            found.append(page)
        yield found


def make_nice() -> None:
    """Everything that this process has started, as systemd/felt-console.service has it."""
    started = {os.getpid()}
    for _ in range(GENERATIONS):
        for stat in Path("/proc").glob("[0-9]*/stat"):
            with contextlib.suppress(OSError):
                pid, parent = (
                    int(stat.parent.name),
                    int(stat.read_text().rpartition(")")[2].split()[1]),
                )
                if parent in started:
                    started.add(pid)
    for pid in started - {os.getpid()}:
        with contextlib.suppress(OSError):
            for thread in Path(f"/proc/{pid}/task").iterdir():
                os.setpriority(os.PRIO_PROCESS, int(thread.name), NICE)


# --- Lock-out ---------------------------------------------------------------------


async def lock_outs(rounds: int, *, pages: bool, burst: bool) -> list[float]:
    """From the finger on the button to the last device that has locked, in seconds."""
    shuffler.Shuffler.cycle_s, shoe.Shoe.dispense_s = 0.1, 0.02
    performer.PATIENCE_S = 0.25
    async with contextlib.AsyncExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        data = table(BOOK, "automated shoe")
        at = await stack.enter_async_context(simulated(folder, data, rounds=rounds, pause=QUICK))
        watch = Watch(at.service)
        panel = at.show.simulated.world.panel
        press = panel.press

        def pressed(button: Any) -> None:
            watch.press(button)
            press(button)

        # The finger on the button starts the watch.
        panel.press = pressed  # type: ignore[method-assign]
        assert at.show.bench is not None
        people = at.show.bench.performer
        people.goes.clear()  # until everybody is there who looks
        if pages:
            await stack.enter_async_context(five_pages(at))
        if burst:
            await stack.enter_async_context(flooded(at))
        people.goes.set()
        await at.is_over()
    return watch.locks


@contextlib.asynccontextmanager
async def flooded(at: Simulated) -> AsyncIterator[None]:
    """Requests as fast as they are answered, from processes of their own."""
    socket = at.show.simulated.configuration.socket
    words = ("-m", "benchmarks.console", "--flood")
    async with process("--socket", socket) as (address, _):
        some = [
            await asyncio.create_subprocess_exec(sys.executable, *words, address)
            for _ in range(FLOODS)
        ]
        make_nice()
        try:
            yield
        finally:
            for one in some:
                with contextlib.suppress(ProcessLookupError):
                    one.kill()
                await one.wait()


async def flood(address: str) -> None:
    host, port = address.removeprefix("http://").rstrip("/").split(":")
    request = f"GET /api/tables HTTP/1.1\r\nhost: {host}:{port}\r\n\r\n".encode()
    while True:
        with contextlib.suppress(OSError):
            reader, writer = await asyncio.open_connection(host, int(port))
            while True:
                writer.write(request * 50)
                await writer.drain()
                if not await reader.read(1 << 20):
                    break
            writer.close()


# --- Pixels, and what it costs -------------------------------------------------------


async def pixels(at: Simulated, pages: list[Page], seconds: float) -> tuple[list[float], float]:
    """From an entry that is in the journal until each page has it; and how long one is drawn."""
    committed: list[tuple[int, float]] = []

    def told(_event: Event, _taken: Taken) -> None:
        committed.append((at.service.core.seq, time.time()))

    at.service.listen(told)
    await asyncio.sleep(seconds)
    took: list[float] = []
    found: list[float] = []
    for page in pages:
        drawn = await page.evaluate("window.drawn.map(([seq, at]) => [seq, at / 1000])")
        took += await page.evaluate("window.took")
        for seq, when in committed:
            if (seen := next((at for entry, at in drawn if entry >= seq), None)) is not None:
                found.append(max(0.0, seen - when))
    return found, median(took) / 1000


async def shares(at: Simulated, seconds: float) -> tuple[list[float], list[float]]:
    """Of a processor: what this process takes while nobody looks, and while five pages do."""
    without, with_pages = [], []
    async with five_pages(at) as pages:
        addresses = [page.url for page in pages]
        for _ in range(3):
            for page in pages:
                await page.goto("about:blank")
            without.append(await share(seconds))
            for page, address in zip(pages, addresses, strict=True):
                await page.goto(address)
            with_pages.append(await share(seconds))
    return without, with_pages


async def share(seconds: float) -> float:
    began, used = time.perf_counter(), time.process_time()
    await asyncio.sleep(seconds)
    return (time.process_time() - used) / (time.perf_counter() - began)


async def first_load(at: Simulated) -> tuple[int, float]:
    """Bytes until the dealer's page shows its table, and seconds; in a browser without a cache."""
    socket = at.show.simulated.configuration.socket
    async with (
        process("--socket", socket) as (address, _),
        browser() as chromium,
        room(chromium) as context,
    ):
        page = await context.new_page()
        found = 0.0

        def more(facts: dict[str, Any]) -> None:
            nonlocal found
            found += facts.get("encodedDataLength", 0)

        def frame(facts: dict[str, Any]) -> None:
            nonlocal found
            found += len(facts["response"]["payloadData"]) if not seen else 0

        seen = False
        network = await context.new_cdp_session(page)
        await network.send("Network.enable")
        network.on("Network.loadingFinished", more)
        network.on("Network.webSocketFrameReceived", frame)
        began = time.perf_counter()
        await page.goto(f"{address}dealer/{at.name}")
        await page.wait_for_selector(".seat")
        took, seen = time.perf_counter() - began, True
        await page.wait_for_load_state("networkidle")
        return int(found), took


async def measured(given: argparse.Namespace) -> int:
    late = []
    with contextlib.suppress(PermissionError):
        os.setpriority(os.PRIO_PROCESS, 0, TABLES_NICE)
    alone = await lock_outs(given.rounds, pages=False, burst=False)
    for what, looks, burst in (("five pages", True, False), ("five pages, flooded", True, True)):
        found = await lock_outs(given.rounds, pages=looks, burst=burst)
        slower = p(found, 99) / p(alone, 99)
        late.append(slower > SLOWER)
        print(
            f"lock-out with {what}: p50 {ms(p(found, 50))}, p99 {ms(p(found, 99))}; "
            f"without p50 {ms(p(alone, 50))}, p99 {ms(p(alone, 99))}: {slower:.2f} of it, "
            f"{SLOWER:g} allowed"
        )
    with tempfile.TemporaryDirectory() as name:
        data = table(BOOK, "automated shoe")
        async with simulated(Path(name), data, rounds=10_000, pause=USUAL) as at:
            size, took = await first_load(at)
            print(
                f"first load of the dealer's page: {size / 1000:.0f} kB of {FIRST_BYTES / 1000:.0f}"
                f" allowed, table seen after {took:.2f} s of {FIRST_S:g} allowed"
            )
            async with five_pages(at) as pages:
                found, drawing = await pixels(at, pages, 3 * given.seconds)
            worst = p(found, 95)
            print(
                f"journal to pixel, five pages, {len(found)} times: p50 {ms(p(found, 50))}, "
                f"p95 {ms(worst)} of {ms(PIXEL_S)} allowed; a picture is drawn in {ms(drawing)}"
            )
            without, with_pages = await shares(at, given.seconds)
            more = fmean(with_pages) - fmean(without)
            print(
                f"the table's process with five pages: {more:+.1%} of a processor, {SHARE:.0%} "
                f"allowed ({fmean(without):.1%} without, devices and people with it)"
            )
    return int(any(late) or size > FIRST_BYTES or worst > PIXEL_S or more > SHARE)


def main(words: Sequence[str] = ()) -> int:
    parser = argparse.ArgumentParser(description="The console before a table that plays.")
    parser.add_argument("--rounds", type=int, default=ROUNDS, help="for each kind of lock-out")
    parser.add_argument("--seconds", type=float, default=SECONDS, help="at each thing for so long")
    parser.add_argument("--flood", metavar="ADDRESS", help=argparse.SUPPRESS)
    given = parser.parse_args(words)
    if given.flood:
        asyncio.run(flood(given.flood))
    return asyncio.run(measured(given))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

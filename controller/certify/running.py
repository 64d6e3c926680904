"""One conformance run: every check that is for this device, each within its time."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable

from controller.certify.bench import Bench
from controller.certify.verdict import (
    GRADES,
    Broken,
    Check,
    Do,
    Grade,
    NotForIt,
    NotTried,
    Result,
    Silent,
    Verdict,
)

#: So long the wire may take to be there at all.
OPENS_S = 15.0
#: How often a device that does not answer is switched off and on before the run ends.
REVIVALS = 2

#: So long it may take to be asked anew.
FRESH_S = 60.0

_End = tuple[Verdict, str, str]


class NoDevice(Exception):
    """Nobody is there to be certified. Why, and the next step."""

    def __init__(self, why: str, next_step: str) -> None:
        super().__init__(f"{why}; {next_step}")
        self.why, self.next_step = why, next_step


async def meet(bench: Bench) -> None:
    """Wait for the wire, and for somebody on it."""
    talk = bench.talk
    end = talk.now + OPENS_S
    while (trouble := talk.medium.trouble()) is not None:
        if talk.now >= end:
            raise NoDevice(*trouble)
        await asyncio.sleep(0.05)
    while await talk.greet_once(within=0.5) is None:
        if talk.now >= end:
            raise NoDevice(
                f"nobody answers a hello at address {talk.medium.address} on {talk.medium}",
                "check its power, its cable, its address, and whether it is polled (--bus)",
            )


async def run(
    bench: Bench, checks: Iterable[Check], tell: Callable[[Result], None]
) -> list[Result]:
    """Try them all. ``tell`` gets each result as it is known."""
    talk = bench.talk
    results: list[Result] = []
    ended: dict[Do, _End] = {}
    revivals = REVIVALS
    is_gone = ""
    for check in checks:
        if not check.is_for(bench.kind, bench.medium.wire):
            continue
        began = talk.now
        if is_gone:
            end: _End = ("not tried", is_gone, "")
        elif check.do in ended:
            end = ended[check.do]
        else:
            end = ended[check.do] = await _tried(bench, check)
        verdict, found, about = end
        if about and about != check.id:
            verdict, found = "passed", ""
        result = Result(check, verdict, found, talk.now - began)
        results.append(result)
        tell(result)
        doubtful = verdict == "failed" or (verdict == "not tried" and not check.hand)
        if doubtful and not is_gone and not await _answers(bench):
            is_gone = "it does not answer any more"
            if revivals and await _revived(bench):
                revivals, is_gone = revivals - 1, ""
    return [_looked_at(result, talk.seen, tell) for result in results]


def _looked_at(result: Result, seen: dict[str, str], tell: Callable[[Result], None]) -> Result:
    """What was noted by the way counts as well."""
    noted = seen.get(result.check.id)
    if noted is None or result.verdict == "failed":
        return result
    worse = Result(result.check, "failed", noted, result.seconds)
    tell(worse)
    return worse


async def _tried(bench: Bench, check: Check) -> _End:
    if not check.is_bare:
        try:
            async with asyncio.timeout(FRESH_S):
                await bench.fresh()
        except (Broken, TimeoutError) as broken:
            return "not tried", f"it can't be brought to a fresh start: {broken}", ""
    end: _End = ("passed", "", "")
    try:
        async with asyncio.timeout(check.within):
            await check.do(bench)
    except Broken as broken:
        end = ("failed", str(broken), broken.about)
    except NotTried as why:
        end = ("not tried", str(why), "")
    except NotForIt as why:
        end = ("not for it", str(why), "")
    except TimeoutError:
        end = ("failed", f"it had not ended after {check.within:.0f} s", "")
    finally:
        bench.talk.holds = bench.talk.deaf = bench.talk.may_miss = False
    return end


async def _answers(bench: Bench) -> bool:
    try:
        await bench.talk.greet()
    except Silent:
        return False
    except Broken:
        return True
    return True


async def _revived(bench: Bench) -> bool:
    try:
        await bench.power("it does not answer any more: switch it off, and on again")
        await bench.up()
    except (Broken, NotTried, NotForIt):
        return False
    return True


def grade(results: Iterable[Result]) -> Grade | None:
    """The highest of which nothing is missing, nor of those below it; none if there is none."""
    reached: Grade | None = None
    missing = {
        result.check.grade for result in results if result.verdict in ("failed", "not tried")
    }
    for one in GRADES:
        if one in missing:
            break
        reached = one
    return reached

"""Events: their numbers, their order, and that each is kept until it is acknowledged."""

from __future__ import annotations

from controller.certify.bench import USUAL_WATCHDOG_MS, Bench
from controller.certify.talk import STILL_S
from controller.certify.verdict import Broken, Check
from drivers.wire import messages
from drivers.wire.frame import Kind

KEPT_EVENTS = 64
#: How long the cable is out while something happens.
OUT_S = 60.0
REPEATS = 4


async def _some(bench: Bench) -> int:
    """Events wait that are not acknowledged; how many were told before them."""
    talk = bench.talk
    talk.holds = True
    mark = len(talk.told)
    for _ in range(2):
        await talk.command(messages.Report())
    if not await talk.until(lambda: len(talk.told) > mark, 2.0):
        raise Broken("a report brings no event")
    return mark


async def _in_order(bench: Bench) -> None:
    """One at a time, each again until it is acknowledged, and then the next."""
    talk = bench.talk
    mark = await _some(bench)
    await talk.listen(1.2)
    if talk.polled:
        await talk.poll(0)
    came = talk.told[mark:]
    if len(came) != 1:
        raise Broken(f"event {came[1].seq} came before event {came[0].seq} was acknowledged")
    talk.holds = False
    await talk.settle()
    for one, other in zip(talk.told[mark:], talk.told[mark + 1 :], strict=False):
        if other.seq != one.seq + 1:
            raise Broken(f"event {other.seq} came after event {one.seq}")


async def _again(bench: Bench) -> None:
    talk = bench.talk
    mark = await _some(bench)
    oldest = talk.told[mark]
    await talk.listen(0.25 * (REPEATS + 2))
    pauses = [b - a for a, b in zip(oldest.at, oldest.at[1:], strict=False)]
    if len(pauses) < REPEATS - 1:
        raise Broken(f"an event that nobody acknowledged came {len(oldest.at)} times in 1.5 s")
    for one in pauses:
        talk.repeats.took(one)
    if outside := talk.repeats.outside():
        raise Broken(outside)


async def _acknowledged(bench: Bench) -> None:
    talk = bench.talk
    mark = await _some(bench)
    oldest = talk.told[mark]
    came = len(oldest.at)
    talk.ack(oldest.seq)
    if talk.polled:
        await talk.poll(oldest.seq)
        await talk.poll(oldest.seq)
    # One may have been under way.
    await talk.listen(1.0)
    if len(oldest.at) > came + 1:
        raise Broken(f"event {oldest.seq} was acknowledged, and comes again")


async def _acknowledged_by_poll(bench: Bench) -> None:
    talk = bench.talk
    mark = await _some(bench)
    oldest = talk.told[mark]
    await talk.poll(oldest.seq)
    came = len(oldest.at)
    await talk.listen(1.0)
    if len(oldest.at) > came + 1:
        raise Broken(f"a poll acknowledged event {oldest.seq}, and it comes again")


async def _false_ack(bench: Bench) -> None:
    """An acknowledgement with a wrong tag is none."""
    talk = bench.talk
    mark = await _some(bench)
    oldest = talk.told[mark]
    right = talk.request(Kind.ACK, b"", seq=oldest.seq)
    talk.say(right._replace(tag=bytes(8)))
    await talk.listen(0.1)
    came = len(oldest.at)
    await talk.listen(1.0)
    if len(oldest.at) == came:
        raise Broken(f"an ACK with a wrong tag made it forget event {oldest.seq}")


async def _over_sessions(bench: Bench) -> None:
    talk = bench.talk
    mark = await _some(bench)
    waits = talk.told[mark]
    await talk.greet()
    came = len(waits.at)
    talk.holds = False
    await talk.settle()
    if len(waits.at) == came:
        raise Broken(f"event {waits.seq} waited, and did not come in the next session")
    if waits.message is None:
        raise Broken(f"event {waits.seq} is no message of the page: {waits.raw.hex()}")


async def _over_a_cut(bench: Bench) -> None:
    """It happens while the cable is out: at the least the watchdog does."""
    talk = bench.talk
    await bench.open()
    mark = len(talk.told)
    await talk.command(messages.Report())
    talk.deaf = True
    await talk.listen(OUT_S)
    talk.deaf = False
    await talk.greet()
    told = await bench.follows(mark)
    if len({one.seq for one in told}) != len(told):
        raise Broken("an event came under two numbers")
    safe = [one for one in told if isinstance(one.message, messages.WentSafe)]
    if len(safe) != 1:
        raise Broken(
            f"the cable was out for {OUT_S:.0f} s with a watchdog of {USUAL_WATCHDOG_MS} ms, and "
            f"went_safe came {len(safe)} times"
        )
    after = await bench.follows(len(talk.told))
    if after:
        raise Broken(f"after a cut it told {bench.name_of(after[0])} once more")


async def _keeps_64(bench: Bench) -> None:
    talk = bench.talk
    await talk.settle()
    each = len(await bench.told_by(messages.Report()))
    if not each:
        raise Broken("a report brings no event")
    mark, last = len(talk.told), talk.told[-1].seq
    talk.holds = True
    reports = KEPT_EVENTS // each + 4
    for _ in range(reports):
        await talk.command(messages.Report())
    talk.may_miss = True
    talk.holds = False
    came = [one.seq for one in await bench.follows(mark)]
    wanted = list(range(last + 1, last + 1 + KEPT_EVENTS))
    if came[:KEPT_EVENTS] != wanted:
        kept = next((n for n, (a, b) in enumerate(zip(came, wanted, strict=False)) if a != b),
                    len(came))  # fmt: skip
        raise Broken(f"of {reports * each} events that waited it kept {kept} in order")
    after = await bench.told_by(messages.Report())
    next_one = last + reports * each + 1
    if not after or after[0].seq != next_one:
        seq = after[0].seq if after else "none"
        raise Broken(
            f"{reports * each} events were told where {KEPT_EVENTS} have room: the next one must "
            f"have number {next_one}, and has {seq}"
        )


async def _only_asked(bench: Bench) -> None:
    """On a bus: nothing is said unasked, whatever waits."""
    talk = bench.talk
    await _some(bench)
    said = await talk.listen(2.0)
    if said:
        raise Broken(f"nobody asked, and it said {said[0].kind.name}")
    first, second = await talk.poll(0), await talk.poll(0)
    if first.kind is not Kind.EVENT or second.seq != first.seq:
        raise Broken("a poll is not answered by its oldest event until that is acknowledged")
    talk.holds = False
    await talk.settle()
    if (await talk.poll()).kind is not Kind.IDLE:
        raise Broken("nothing waits, and a poll is not answered by IDLE")
    await talk.listen(STILL_S)


CHECKS = (
    Check("every.events", "bronze", "", _in_order),
    Check(
        "link.again",
        "bronze",
        "On a line of its own, the device sends it at once, again after 250 ms until it is "
        "acknowledged, and then the next one at once.",
        _again,
        wires=("line", "mqtt"),
    ),
    Check(
        "link.acknowledged",
        "bronze",
        "An ACK with number n, or a POLL whose payload is n, acknowledges all events up to n.",
        _acknowledged,
    ),
    Check(
        "link.acknowledged-by-poll",
        "silver",
        "An ACK with number n, or a POLL whose payload is n, acknowledges all events up to n.",
        _acknowledged_by_poll,
        wires=("line", "mqtt"),
    ),
    Check(
        "link.false-ack",
        "silver",
        "Every packet after the handshake carries a tag that only felt and this device can make.",
        _false_ack,
        wires=("line", "mqtt"),
    ),
    Check(
        "link.numbers",
        "silver",
        "New sessions do not change the numbers.",
        _over_sessions,
    ),
    Check("works.event-once", "silver", "", _over_a_cut, within=OUT_S + 60),
    Check("link.keeps-64", "gold", "A device keeps at least 64 events.", _keeps_64, within=120.0),
    Check("works.bus", "silver", "", _only_asked, wires=("bus",)),
)

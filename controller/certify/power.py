"""A loss of power: what a device knows before it, and what it must not know after it."""

from __future__ import annotations

from controller.certify.bench import LOCKS, STARTS_S, Bench
from controller.certify.talk import STILL_S
from controller.certify.verdict import Broken, Check, Silent
from drivers.wire import handshake, messages
from drivers.wire.frame import Kind

#: Longer than its first watchdog, which nobody has set.
FIRST_WATCHDOG_S = 3.0


async def _boot(bench: Bench) -> None:
    talk = bench.talk
    await talk.settle()
    before = list(talk.boots)
    await bench.power()
    await bench.up()
    after = (await talk.greet()).boot
    if after in before:
        raise Broken(f"its boot was {after} before it was switched off, and is {after} again")


async def _asks_for_a_hello(bench: Bench) -> None:
    """Without a session it says nothing but that it has none."""
    talk = bench.talk
    await talk.settle()
    await bench.power()
    end = talk.now + STARTS_S
    poll = talk.polling()
    talk.holds = True
    while talk.now < end:
        mark = len(talk.log)
        talk.say(poll)
        answer = await talk.first(lambda one: True, 0.5, mark)
        if answer is None:
            continue
        if answer.kind is not Kind.IDENTITY or answer.payload:
            raise Broken(f"without a session it answers a poll with {answer.kind.name}")
        if answer.session or answer.seq:
            raise Broken(
                f"its IDENTITY without payload has session {answer.session} and seq {answer.seq}"
            )
        return
    raise Silent(f"switched on again, it says nothing to a poll for {STARTS_S:.0f} s")


async def _only_in_a_session(bench: Bench) -> None:
    """What it has to tell after its start waits for a session."""
    talk = bench.talk
    talk.holds = True
    await talk.command(messages.Report())
    await bench.power()
    # What was on its way as the power went.
    await talk.listen(0.2)
    said = await talk.listen(3.0)
    if any(one.kind is Kind.EVENT for one in said):
        raise Broken("it told an event after its start before anybody had greeted it")
    await bench.up()


async def _numbers(bench: Bench) -> None:
    """Events waited as the power went: they are gone, or kept with boot and numbers."""
    talk = bench.talk
    await talk.settle()
    talk.holds = True
    await talk.command(messages.Report())
    await talk.until(lambda: False, 0.3)
    waiting, boot = talk.told[-1].seq if talk.told else 0, talk.boots[-1]
    await bench.power()
    await bench.up()
    identity = await talk.greet()
    kept = handshake.kept(identity)
    talk.holds = False
    await bench.prepare()
    await bench.told_by(messages.Report())
    told = talk.told
    if not told:
        raise Broken("a report brings no event after a start")
    if identity.boot == boot:
        if not kept:
            raise Broken(f"boot {boot} again, and it keeps no events from before")
        return
    if told[0].seq != 1:
        raise Broken(
            f"boot {identity.boot} begins with event {told[0].seq}, and not with 1 (before the "
            f"start event {waiting} waited)"
        )


async def _starts_safe(bench: Bench) -> None:
    await bench.open()
    await bench.power()
    await bench.up()
    await bench.talk.greet()
    if not await bench.is_locked():
        raise Broken("it was open as its power went, and is open after its start")


async def _first_watchdog(bench: Bench) -> None:
    talk = bench.talk
    await bench.power()
    await bench.up()
    await talk.greet()
    await talk.settle()
    await bench.open()
    mark = len(talk.told)
    talk.holds = True
    await talk.poll()
    said = talk.when_said
    await talk.listen(FIRST_WATCHDOG_S + 1.5)
    talk.holds = False
    await talk.poll()
    await bench.follows(mark)
    safe = [one for one in talk.told[mark:] if isinstance(one.message, messages.WentSafe)]
    if not safe:
        raise Broken("nobody has set its watchdog, and it does not bite after 3 s")
    if not talk.polled and safe[0].at[0] - said < FIRST_WATCHDOG_S * 0.9:
        raise Broken(
            f"nobody has set its watchdog, and it bites after {safe[0].at[0] - said:.1f} s"
        )


async def _report_after_a_start(bench: Bench) -> None:
    """It stands as it says, after a start too."""
    await bench.power()
    await bench.up()
    await bench.talk.greet()
    await bench.talk.listen(STILL_S)
    await bench.prepare()
    if not await bench.state():
        raise Broken("after a start a report brings nothing")


CHECKS = (
    Check("every.boot", "gold", "", _boot, hand="power", within=500.0),
    Check("works.boot", "gold", "", _boot, hand="power", within=500.0),
    Check(
        "power.asks",
        "gold",
        "To any packet from felt with its address but a HELLO it answers with an IDENTITY without "
        "payload, session 0 and seq 0: 9 bytes of block.",
        _asks_for_a_hello,
        hand="power",
        within=500.0,
    ),
    Check(
        "power.only-in-a-session",
        "gold",
        "Only in a session may an event be sent.",
        _only_in_a_session,
        hand="power",
        within=500.0,
    ),
    Check(
        "power.numbers",
        "gold",
        "A device numbers its events from 1 at each start, and keeps each until it is "
        "acknowledged, in order.",
        _numbers,
        hand="power",
        within=500.0,
    ),
    Check(
        "power.safe",
        "gold",
        "A device is in its safe state from its start as well.",
        _starts_safe,
        LOCKS,
        hand="power",
        within=500.0,
    ),
    Check(
        "power.watchdog",
        "gold",
        "Before the first one a device takes 3000.",
        _first_watchdog,
        hand="power",
        within=500.0,
    ),
    Check(
        "power.report",
        "gold",
        "After a restart they are gone, unless the device keeps them without power, and it says "
        "how it stands when it is asked.",
        _report_after_a_start,
        hand="power",
        within=500.0,
    ),
)

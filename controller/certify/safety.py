"""The watchdog and the safe state, and another felt on the same wire."""

from __future__ import annotations

from controller.certify.bench import LOCKS, WATCHDOG_MS, Bench
from controller.certify.verdict import Broken, Check
from drivers.wire import messages
from drivers.wire.frame import Kind
from drivers.wire.keys import KEY_BYTES

#: After the watchdog's time: so long it may take to say so.
LATE_S = 1.0


async def _open_with_a_watchdog(bench: Bench) -> int:
    talk = bench.talk
    await bench.obeys(messages.SetWatchdog(WATCHDOG_MS))
    await bench.open()
    if bench.kind in LOCKS and await bench.is_locked():
        raise Broken("it was told to unlock, and says that it is locked")
    await talk.poll()
    return len(talk.told)


def _safes(bench: Bench, mark: int) -> int:
    return sum(isinstance(one.message, messages.WentSafe) for one in bench.talk.told[mark:])


async def _goes_safe(bench: Bench) -> None:
    """The cable is out: it is safe after the watchdog's time, and says so, once."""
    talk = bench.talk
    mark = await _open_with_a_watchdog(bench)
    # An acknowledgement would be a word from felt.
    talk.holds = True
    said = talk.when_said
    await talk.listen(WATCHDOG_MS / 1000 + LATE_S)
    for one in talk.told[mark:]:
        if isinstance(one.message, messages.WentSafe):
            bench.watchdogs.took(one.at[0] - said)
    talk.holds = False
    await talk.poll()
    await bench.follows(mark)
    if (count := _safes(bench, mark)) != 1:
        raise Broken(
            f"nothing was said for {WATCHDOG_MS / 1000 + LATE_S:g} s with a watchdog of "
            f"{WATCHDOG_MS} ms, and went_safe came {count} times"
        )
    if outside := bench.watchdogs.outside():
        raise Broken(outside)
    if bench.kind in LOCKS and not await bench.is_locked():
        raise Broken("it said went_safe, and is not locked")


async def _once(bench: Bench) -> None:
    talk = bench.talk
    mark = await _open_with_a_watchdog(bench)
    talk.deaf = True
    await talk.listen(3 * WATCHDOG_MS / 1000 + LATE_S)
    talk.deaf = False
    await talk.poll()
    await bench.follows(mark)
    if (count := _safes(bench, mark)) != 1:
        raise Broken(f"one silence of three watchdogs, and went_safe came {count} times")


async def _not_by_hellos(bench: Bench) -> None:
    """Hellos and wrong tags are no words from felt."""
    talk = bench.talk
    mark = await _open_with_a_watchdog(bench)
    end = talk.now + 2 * WATCHDOG_MS / 1000 + LATE_S
    while talk.now < end:
        talk.say(talk.polling()._replace(tag=bytes(8)))
        await talk.listen(WATCHDOG_MS / 4000)
    await bench.follows(mark)
    if not _safes(bench, mark):
        raise Broken("polls with a wrong tag keep its watchdog from biting")
    mark = await _open_with_a_watchdog(bench)
    talk.holds = True
    end = talk.now + 2 * WATCHDOG_MS / 1000 + LATE_S
    while talk.now < end:
        await talk.greet_once(within=0.1)
        await talk.listen(WATCHDOG_MS / 4000)
    talk.holds = False
    await talk.poll()
    await bench.follows(mark)
    if not _safes(bench, mark):
        raise Broken("hellos keep its watchdog from biting")


async def _stays_open(bench: Bench) -> None:
    """As long as it is polled, it stays as it was told."""
    talk = bench.talk
    mark = await _open_with_a_watchdog(bench)
    end = talk.now + 2.5 * WATCHDOG_MS / 1000
    await talk.until(lambda: talk.now >= end, 60.0)
    if _safes(bench, mark):
        raise Broken(f"it was polled twice a second, and its watchdog of {WATCHDOG_MS} ms bit")


async def _quiesces(bench: Bench) -> None:
    await bench.open()
    await bench.obeys(messages.Quiesce())
    if bench.kind in LOCKS and not await bench.is_locked():
        raise Broken("it was told to quiesce, and is not locked")


async def _opens_by_itself(bench: Bench) -> None:
    """A session alone opens nothing."""
    talk = bench.talk
    await bench.obeys(messages.Quiesce())
    await talk.greet()
    if await bench.is_locked():
        await talk.poll()
        if not await bench.is_locked():
            raise Broken("it opened though nobody told it to")
        return
    raise Broken("it was told to quiesce and greeted again, and is not locked")


async def _another_felt(bench: Bench) -> None:
    """Somebody without the key says hello and gives orders; then felt comes back."""
    talk = bench.talk
    each = len(await bench.told_by(messages.Report()))
    right, waits = talk.key, len(talk.told)
    talk.holds = True
    id_ = talk.new_id()
    await talk.command(messages.Report(), id_)
    await talk.until(lambda: len(talk.told) > waits, 2.0)
    if len(talk.told) == waits:
        raise Broken("a report brings no event")
    talk.key = bytes(KEY_BYTES) if any(right) else bytes((1,)) * KEY_BYTES
    # What it says to that felt is under keys that nobody here has.
    talk.judges = False
    try:
        if await talk.greet_once() is None:
            raise Broken("it answers no hello while another felt has a session with it")
        mark = len(talk.log)
        for request in (talk.commanding(messages.Report()), talk.request(Kind.POLL, bytes(4))):
            talk.say(request)
        await talk.listen(0.5)
        answers = [one.packet for one in talk.log[mark:]]
        wrong = [one for one in answers if getattr(one, "kind", None) in (Kind.RESULT, Kind.IDLE)]
        if wrong:
            raise Broken("it obeys another felt, which does not have its key")
    finally:
        talk.key, talk.judges = right, True
    before = len(talk.told[waits].at)
    await talk.greet()
    await talk.command(messages.Report(), id_)
    talk.holds = False
    told = await bench.follows(waits)
    if len(told[0].at) == before:
        raise Broken("another felt greeted it, and an event that waited is gone")
    if len(told) > each:
        raise Broken("another felt greeted it, and a command was carried out again")


CHECKS = (
    Check("every.safe", "bronze", "", _goes_safe),
    Check("works.safe", "silver", "", _goes_safe),
    Check("every.went_safe", "bronze", "", _once),
    Check(
        "safe.hellos",
        "silver",
        "When for that long no packet with a right tag and the right session has come (a HELLO has "
        "no tag, so it does not count), the device goes to its safe state and tells the event "
        "`went_safe`, once;",
        _not_by_hellos,
    ),
    Check(
        "safe.polled",
        "bronze",
        "felt polls at least every second while all is well.",
        _stays_open,
    ),
    Check("every.quiesce", "bronze", "", _quiesces),
    Check("safe.session", "bronze", "A session alone opens nothing.", _opens_by_itself, LOCKS),
    Check(
        "link.another-felt",
        "silver",
        "It is in session from then on, and the session before is over.",
        _another_felt,
    ),
)

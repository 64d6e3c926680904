"""Requests: numbers, tags, answers, and that a command is carried out once."""

from __future__ import annotations

from controller.certify.bench import STATES, USUAL_WATCHDOG_MS, Bench
from controller.certify.verdict import Broken, Check, Silent
from drivers.wire import messages
from drivers.wire.frame import Garbage, Kind, Packet
from drivers.wire.messages import Command

KEPT_RESULTS = 16
#: No device knows it.
UNKNOWN = {"code 0x3F": bytes((0x3F,)), "a command without a message": b""}
#: Messages that are none: cut short, too long, and with a value that its type does not have.
NOT_MESSAGES = {
    "set_watchdog without its time": bytes((0x02,)),
    "set_watchdog with half of its time": bytes((0x02, 0x0B)),
    "set_watchdog with a byte too many": bytes((0x02, 0x0B, 0xB8, 0x00)),
    "report with a byte too many": bytes((0x01, 0x00)),
}
#: A command of each kind, as it is sent to a device that is well and has nothing in it. What may be
#: answered to it is its duty's; here it is answered at all, and the device goes on.
WORDS: dict[str, tuple[Command, ...]] = {
    "shuffler": (messages.SetGame("Caribbean Stud"),
                 messages.ShowPayouts("bad_beat", 5, (500, 100, 40))),
    "shoe": (messages.Arm(1207, (5, 5, 5)), messages.Stop()),
    "panel": (messages.Lights("off", "blink", "off"), messages.Tone("attention"),
              messages.Tone("none")),
    "acceptor": (messages.Unlock(), messages.SetLamp("invite"), messages.Lock(),
                 messages.Return(100)),
    "terminal": (messages.Unlock(), messages.ShowBalance(25_000), messages.Prompt("Hello"),
                 messages.Offer("progressive", True, ""), messages.Lock()),
    "sign": (messages.ShowMeter("progressive", "royal flush", 12_345_678),
             messages.ShowWin("table 4", 3, "royal flush", 12_345_678, 5_000_000),
             messages.ShowNotice("link down"), messages.ShowNotice("none")),
}  # fmt: skip
#: Those that a device may not know.
MAY_NOT_KNOW = (messages.ShowPayouts, messages.SetGame, messages.Tone, messages.Return)
#: A command that is for another kind of device.
FOREIGN: dict[str, Command] = {
    kind: messages.Tone("none") if kind != "panel" else messages.ShowNotice("none")
    for kind in STATES
}


async def _answers_once(bench: Bench) -> None:
    """The same request again: the same answer, and nothing is done."""
    talk = bench.talk
    each = len(await bench.told_by(messages.Report()))
    mark = len(talk.told)
    packet = talk.commanding(messages.Report())
    first = await talk.insist(packet)
    again = await talk.ask(packet)
    if again is None:
        raise Broken("a request that was repeated is not answered again")
    if again != first:
        raise Broken("a request that was repeated is answered in another way")
    came = len(await bench.follows(mark))
    if came != each:
        raise Broken(f"a report brings {each} events, and one that was repeated {came}")


async def _old_number(bench: Bench) -> None:
    talk = bench.talk
    old = talk.commanding(messages.Report())
    await talk.insist(old)
    await talk.settle()
    await talk.poll()
    mark = len(talk.told)
    talk.say(old)
    await bench.nothing_follows("a request with a lower number than the last came", since=mark)
    new = talk.request(Kind.COMMAND, talk.new_id().to_bytes(4, "big") + b"\x01", seq=1)
    talk.say(new)
    await bench.nothing_follows("request 1 came again, with another command", since=mark)


async def _number_skips(bench: Bench) -> None:
    talk = bench.talk
    await talk.poll()
    talk.seq += 1000
    if await talk.ask(talk.polling()) is None:
        raise Broken("a request whose number left some out is not answered")


async def _wrong_tag(bench: Bench) -> None:
    """Not the tag, not the session: one bit is enough."""
    talk = bench.talk
    mark = len(talk.told)
    right = talk.commanding(messages.Report())
    for place in (0, 7):
        tag = bytearray(right.tag)
        tag[place] ^= 1
        talk.say(right._replace(tag=bytes(tag)))
        await bench.nothing_follows(f"byte {place} of a tag was wrong", since=mark)
    other = talk.request(Kind.COMMAND, right.payload, seq=right.seq, session=talk.session % 255 + 1)
    talk.say(other)
    await bench.nothing_follows("a command had another session's number", since=mark)
    talk.say(right._replace(seq=right.seq + 1))
    await bench.nothing_follows("a number was changed under a tag", since=mark)
    changed = right.payload[:-1] + b"\x03"
    talk.say(right._replace(payload=changed))
    await bench.nothing_follows("a command was changed under its tag", since=mark)
    if await talk.ask(talk.commanding(messages.Report())) is None:
        raise Broken("after wrong tags it does not answer the right one")


async def _replay(bench: Bench) -> None:
    talk = bench.talk
    old = [talk.commanding(messages.Report()), talk.polling()]
    for packet in old:
        await talk.insist(packet)
    await talk.settle()
    number = talk.session
    await talk.greet()
    mark = len(talk.told)
    for packet in old:
        talk.say(packet)
    await bench.nothing_follows(f"frames of session {number} came again in the next", since=mark)
    # Sessions are numbered round: the same number does not make it the same session.
    talk.session = number - 1
    await talk.greet()
    mark = len(talk.told)
    for packet in old:
        talk.say(packet)
    what = f"frames of an earlier session {number} came again in another with this number"
    await bench.nothing_follows(what, since=mark)


async def _begins_at_one(bench: Bench) -> None:
    talk = bench.talk
    for _ in range(5):
        await talk.poll()
    await talk.greet()
    if await talk.ask(talk.polling()) is None:
        raise Broken("request 1 of a new session is not answered")


async def _once(bench: Bench) -> None:
    """A command's answer is lost with its session: it comes again, under the same id."""
    talk = bench.talk
    id_ = talk.new_id()
    mark = len(talk.told)
    first = await talk.command(messages.Report(), id_)
    did = len(await bench.follows(mark))
    if not did:
        raise Broken("a report was answered and brought no event")
    await talk.greet()
    mark = len(talk.told)
    again = await talk.command(messages.Report(), id_)
    more = await bench.follows(mark)
    if more:
        raise Broken(
            f"a command that came again in the next session was carried out again: "
            f"{bench.name_of(more[0])}"
        )
    if again != first:
        raise Broken(f"its result was {first.outcome}, and {again.outcome} the second time")


async def _keeps_results(bench: Bench) -> None:
    talk = bench.talk
    ids = [talk.new_id() for _ in range(KEPT_RESULTS)]
    for id_ in ids:
        await bench.told_by(messages.Report(), id_)
    await talk.greet()
    for back, id_ in enumerate(ids):
        mark = len(talk.told)
        await talk.command(messages.Report(), id_)
        if await bench.follows(mark):
            raise Broken(f"it has forgotten the command that was its last but {15 - back}")


async def _lost_answer(bench: Bench) -> None:
    """The cable is pulled as a command is sent, and is in again later: as felt has it done."""
    talk = bench.talk
    mark = len(talk.told)
    id_ = talk.new_id()
    talk.deaf = True
    talk.say(talk.commanding(messages.Report(), id_))
    await talk.listen(USUAL_WATCHDOG_MS / 1000 + 2)
    talk.deaf = False
    await talk.greet()
    await talk.command(messages.Report(), id_)
    told = [one for one in await bench.follows(mark) if isinstance(one.message, _ANY_STATE)]
    once = len([o for o in await bench.told_by(messages.Report())
                if isinstance(o.message, _ANY_STATE)])  # fmt: skip
    if len(told) != once:
        raise Broken(f"a report brought {len(told)} states over a cut, and {once} without one")


_ANY_STATE = tuple(state for states in STATES.values() for state in states)


async def _unknown(bench: Bench) -> None:
    for what, said in UNKNOWN.items():
        if not said and bench.medium.wire == "mqtt":
            continue  # there is no such packet
        mark = len(bench.talk.told)
        result = await bench.talk.command(said)
        if result.outcome != "unknown":
            raise Broken(f"{what} is answered with {result.outcome}, and not with unknown")
        if told := await bench.follows(mark):
            raise Broken(f"{what} made it tell {bench.name_of(told[0])}")


async def _foreign(bench: Bench) -> None:
    foreign = FOREIGN[bench.kind]
    result = await bench.talk.command(foreign)
    if result.outcome != "unknown":
        raise Broken(
            f"{messages.name(foreign)}, which is not for a {bench.kind}, is answered with "
            f"{result.outcome}"
        )


async def _no_message(bench: Bench) -> None:
    for what, said in NOT_MESSAGES.items():
        mark = len(bench.talk.told)
        result = await bench.talk.command(said)
        if result.outcome != "unknown":
            raise Broken(f"{what} is answered with {result.outcome}, and not with unknown")
        if told := await bench.follows(mark):
            raise Broken(f"{what} made it tell {bench.name_of(told[0])}")


async def _commands(bench: Bench) -> None:
    for command in WORDS[bench.kind]:
        result = await bench.talk.command(command)
        if result.outcome == "unknown" and not isinstance(command, MAY_NOT_KNOW):
            raise Broken(f"it does not know {messages.name(command)}")
        await bench.talk.settle()
    state = await bench.state()
    if missing := bench.shares(state, *STATES[bench.kind]):
        raise Broken(f"a report does not bring {messages.name(missing[0])}")


async def _report(bench: Bench) -> None:
    await bench.obeys(messages.Report())
    state = await bench.state()
    if missing := bench.shares(state, *STATES[bench.kind]):
        raise Broken(f"a report does not bring {messages.name(missing[0])}")


async def _set_watchdog(bench: Bench) -> None:
    await bench.obeys(messages.SetWatchdog(USUAL_WATCHDOG_MS))


async def _poll(bench: Bench) -> None:
    """On a line of its own a poll is answered by IDLE even while events wait."""
    talk = bench.talk
    talk.holds = True
    mark = len(talk.told)
    await talk.command(messages.Report())
    await talk.until(lambda: len(talk.told) > mark, 2.0)
    packet = talk.polling(0)
    answer = await talk.ask(packet)
    if answer is None:
        raise Broken("a poll is not answered while events wait")
    if answer.payload:
        raise Broken(f"its IDLE has a payload: {answer.payload.hex()}")


async def _not_its_address(bench: Bench) -> None:
    talk = bench.talk
    await talk.settle()
    mark = len(talk.told)
    address = talk.medium.address % 247 + 1
    heard: list[Packet] = []
    usual = talk.medium.on_heard

    def hear(one: Packet | Garbage, now: float) -> None:
        if isinstance(one, Packet) and (one.address == address or one.kind is Kind.IDENTITY):
            heard.append(one)
        usual(one, now)

    talk.medium.on_heard = hear
    try:
        elsewhere = talk.commanding(messages.Report())._replace(address=address)
        talk.say(elsewhere)
        talk.say(Packet(Kind.HELLO, address, 7, 0, bytes((1, *range(16)))))
        await bench.nothing_follows(f"address {address} was spoken to", since=mark)
        if heard:
            raise Broken(f"address {address} was spoken to, and it answered: {heard[0].kind.name}")
    finally:
        talk.medium.on_heard = usual
    if await talk.ask(talk.polling()) is None:
        raise Silent("it does not answer after another address was spoken to")


async def _echo(bench: Bench) -> None:
    """What devices send is nothing to a device: another on the bus, or an echo."""
    talk = bench.talk
    answer = await talk.poll()
    mark = len(talk.told)
    talk.say(answer)
    await bench.nothing_follows("its own words came back to it", since=mark)
    if await talk.ask(talk.polling()) is None:
        raise Broken("its own words came back to it, and it does not answer any more")


async def _passive(bench: Bench) -> None:
    """It is looked for in all that it says; what was found is known at the end."""


async def _in_time(bench: Bench) -> None:
    for _ in range(50):
        await bench.talk.poll()
    if bench.medium.wire == "mqtt":
        return  # how long the broker takes is not the device's
    if outside := bench.talk.answers.outside():
        raise Broken(outside)


CHECKS = (
    Check(
        "link.begins-at-one",
        "bronze",
        "forgets the last request's number and answer: the session's requests begin at 1 again;",
        _begins_at_one,
        is_bare=True,
    ),
    Check("every.answer", "bronze", "", _answers_once),
    Check("every.unknown", "bronze", "", _unknown),
    Check("works.unknown", "bronze", "", _unknown),
    Check("works.commands", "bronze", "", _commands),
    Check("every.report", "bronze", "", _report),
    Check("every.set_watchdog", "bronze", "", _set_watchdog),
    Check(
        "link.tag",
        "bronze",
        "Every packet after the handshake carries a tag that only felt and this device can make.",
        _passive,
    ),
    Check(
        "link.own",
        "bronze",
        "A message that is too short, too long or has a value that its type does not have is not "
        "that message.",
        _passive,
    ),
    Check(
        "link.foreign",
        "bronze",
        "not a message that this device knows",
        _foreign,
    ),
    Check(
        "link.wrong-tag",
        "bronze",
        "drops it unless the session is the current one and the tag is right: it says nothing, and "
        "does nothing;",
        _wrong_tag,
    ),
    Check("link.lower", "silver", "if it is lower: drops it.", _old_number),
    Check(
        "link.higher",
        "silver",
        "if the number is higher than the last request's: carries it out, answers, and keeps the "
        "answer;",
        _number_skips,
    ),
    Check("works.replay", "silver", "", _replay),
    Check("every.once", "bronze", "", _once),
    Check(
        "link.results",
        "gold",
        "So a device keeps the results of its last 16 commands by their ids, for as long as it "
        "runs.",
        _keeps_results,
    ),
    Check("works.command-once", "silver", "", _lost_answer),
    Check(
        "link.message",
        "silver",
        "A message that is too short, too long or has a value that its type does not have is not "
        "that message.",
        _no_message,
        wires=("line", "bus"),
    ),
    Check(
        "link.idle",
        "bronze",
        "POLL is answered by IDLE even while events wait; they have their own way.",
        _poll,
        wires=("line", "mqtt"),
    ),
    Check(
        "link.address",
        "silver",
        "Drop what is not for your address, and every kind that devices send: on a bus that is "
        "another device, or the echo of your own words.",
        _not_its_address,
        wires=("line", "bus"),
    ),
    Check(
        "link.echo",
        "silver",
        "Drop what is not for your address, and every kind that devices send: on a bus that is "
        "another device, or the echo of your own words.",
        _echo,
        wires=("line", "bus"),
    ),
    Check("link.in-time", "gold", "Begin to answer within 20 ms.", _in_time),
)

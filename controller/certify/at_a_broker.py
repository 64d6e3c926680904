"""What is different over MQTT: deadlines, states that are retained, and JSON."""

from __future__ import annotations

import json

from controller.certify.bench import Bench
from controller.certify.talk import DEADLINE_MS, STILL_S
from controller.certify.verdict import Broken, Check, Wire
from drivers.wire import messages
from drivers.wire.frame import Deadline, Kind, Packet

MQTT: tuple[Wire, ...] = ("mqtt",)


def _late(bench: Bench, id_: int, deadline: Deadline) -> Packet:
    payload = id_.to_bytes(4, "big") + messages.to_bytes(messages.Report())
    return bench.talk.request(Kind.COMMAND, payload, deadline=deadline)


async def _too_late(bench: Bench) -> None:
    talk = bench.talk
    await talk.greet()
    await talk.poll()
    await talk.listen(0.5)
    id_, mark = talk.new_id(), len(talk.told)
    late = _late(bench, id_, Deadline(0, 1))
    answer = await talk.insist(late)
    outcome = talk.result(answer, late).outcome
    if outcome != "refused":
        raise Broken(f"a command came after its deadline, and was answered with {outcome}")
    if told := await bench.follows(mark):
        raise Broken(f"a command came after its deadline, and it told {bench.name_of(told[0])}")
    again = await talk.command(messages.Report(), id_)
    if again.outcome != "done":
        raise Broken(
            f"a command that was too late came again in time, and was answered with {again.outcome}"
        )
    await talk.settle()


async def _of_no_request(bench: Bench) -> None:
    talk = bench.talk
    for _ in range(12):
        await talk.poll()
    late = _late(bench, talk.new_id(), Deadline(1, DEADLINE_MS))
    outcome = talk.result(await talk.insist(late), late).outcome
    if outcome != "refused":
        raise Broken(
            f"a command's deadline counts from a request of which 11 came since, and it was "
            f"answered with {outcome}"
        )


async def _under_the_tag(bench: Bench) -> None:
    talk = bench.talk
    mark = len(talk.told)
    right = _late(bench, talk.new_id(), Deadline(0, DEADLINE_MS))
    talk.say(right._replace(deadline=Deadline(0, DEADLINE_MS * 2)))
    await bench.nothing_follows("a deadline was changed under its tag", since=mark)


async def _no_packets(bench: Bench) -> None:
    talk = bench.talk
    mark = len(talk.told)
    right = talk.medium.coded(talk.commanding(messages.Report()))
    more = json.dumps({**json.loads(right), "more": 1}).encode()
    wrong = {
        "a property that is not in the schema": more,
        "half an object": right[:-5],
        "no JSON": b"\xff\xfe",
        "an array": b"[]",
        "nothing": b"",
        "more than 4096 bytes": right[:-1] + b" " * 4096 + b"}",
    }
    for what, data in wrong.items():
        talk.say_bytes(data)
        await bench.nothing_follows(f"{what} came", since=mark)
    if await talk.ask(talk.polling()) is None:
        raise Broken("after what is no packet it does not answer a good request")


async def _state(bench: Bench) -> None:
    presence = bench.talk.presence
    if presence is None:
        raise Broken("there is no retained state of it")
    if presence.state != "ready":
        raise Broken(f"it is connected, and its state says {presence.state}")
    boot = (await bench.talk.greet()).boot
    if presence.boot != boot:
        raise Broken(f"its state says boot {presence.boot}, and its identity {boot}")


async def _own_event(bench: Bench) -> None:
    """One came that is not on the page: it was acknowledged, and the next one followed."""
    talk = bench.talk
    await bench.act({"own_event": True}, "make it send an event of your own, not on the page")
    await talk.listen(STILL_S)
    own = [n for n, one in enumerate(talk.told) if one.message is None]
    if not own:
        raise Broken("no event came that is not on the page")
    one = talk.told[own[-1]]
    came = len(one.at)
    await talk.listen(1.0)
    if len(one.at) > came + 1:
        raise Broken(f"event {one.seq} was acknowledged, and comes again")


CHECKS = (
    Check(
        "mqtt.state",
        "bronze",
        "publishes `ready`, retained: from now on it can be greeted;",
        _state,
        wires=MQTT,
    ),
    Check(
        "mqtt.deadline",
        "silver",
        "A command that comes later, or whose `after` it no longer has, is answered with `refused` "
        "and not kept among the results: nothing was done, and felt may still want it.",
        _too_late,
        wires=MQTT,
    ),
    Check(
        "mqtt.after",
        "silver",
        "The device keeps the time of arrival of its last 8 requests of the session, the hello "
        "counted in.",
        _of_no_request,
        wires=MQTT,
    ),
    Check(
        "mqtt.tag",
        "silver",
        "The bytes of a command's tag are",
        _under_the_tag,
        wires=MQTT,
    ),
    Check(
        "mqtt.schema",
        "silver",
        "Properties that are not in the schema make it no packet.",
        _no_packets,
        wires=MQTT,
    ),
    Check("works.own-event", "gold", "", _own_event, wires=MQTT, hand="own"),
)

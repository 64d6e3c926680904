"""Who it is: HELLO and IDENTITY, proof and nonce."""

from __future__ import annotations

import hashlib
import itertools

from controller.certify.bench import Bench
from controller.certify.talk import STILL_S
from controller.certify.verdict import Broken, Check, NotTried, Silent
from drivers.wire import frame, handshake, messages
from drivers.wire.frame import Kind, Packet
from drivers.wire.handshake import PROTOCOL
from drivers.wire.keys import KEY_BYTES, SessionKeys

GREETINGS = 6
#: Nonces that have so many bytes alike in the same places are no 16 random bytes.
ALIKE = 8


async def _identity(bench: Bench) -> None:
    greeted = await bench.talk.greet_once()
    if greeted is None:
        raise Silent("it does not answer a hello within a second")
    identity = greeted.identity
    if not greeted.is_proven:
        raise Broken("its proof is not made with this key over what the page says")
    if identity.protocol != PROTOCOL:
        raise Broken(f"it speaks protocol {identity.protocol}, and not {PROTOCOL}")
    if identity.kind != bench.kind:
        raise Broken(f"it says that it is a {identity.kind}, and not a {bench.kind}")
    if greeted.packet.seq != 0:
        raise Broken(f"its IDENTITY has seq {greeted.packet.seq}, and not 0")


async def _wrong_key(bench: Bench) -> None:
    """Another key makes another proof; and whoever has it is not obeyed."""
    talk = bench.talk
    right = talk.key
    wrong = bytes((right[0] ^ 1,)) + right[1:]
    talk.key, talk.judges = wrong, False
    try:
        greeted = await talk.greet_once()
        if greeted is None:
            raise Silent("it does not answer a hello within a second")
        if greeted.is_proven:
            raise Broken("its proof is right under a key with a wrong byte")
        mark = len(talk.told)
        request = talk.commanding(messages.Report())
        talk.say(request)
        await _not_obeyed(bench, "a command was signed with a wrong key", mark)
    finally:
        talk.key, talk.judges = right, True


async def _not_obeyed(bench: Bench, what: str, mark: int) -> None:
    """What it may say all the same is that it has no session."""
    said = [one for one in await bench.talk.listen(STILL_S) if one.kind is not Kind.IDENTITY]
    if said:
        raise Broken(f"{what}, and it said {said[0].kind.name}")
    if told := bench.talk.told[mark:]:
        raise Broken(f"{what}, and it told {bench.name_of(told[0])}")


async def _before_a_tag(bench: Bench) -> None:
    talk = bench.talk
    greeted = await talk.greet_once()
    if greeted is None:
        raise Silent("it does not answer a hello within a second")
    right = talk.keys
    talk.keys = SessionKeys(bytes(KEY_BYTES), bytes(KEY_BYTES))
    mark = len(talk.told)
    request = talk.commanding(messages.Report())
    talk.keys = right
    talk.say(request)
    await bench.nothing_follows("the first request of a session had a wrong tag", since=mark)


async def _nonces(bench: Bench) -> None:
    nonces = [(await bench.talk.greet()).nonce for _ in range(GREETINGS)]
    if len(set(nonces)) < len(nonces):
        raise Broken(f"the nonce {nonces[-1].hex()} came twice in {GREETINGS} sessions")
    for one, other in itertools.pairwise(nonces):
        if sum(a == b for a, b in zip(one, other, strict=True)) >= ALIKE:
            raise Broken(f"two nonces are nearly the same: {one.hex()} and {other.hex()}")


async def _twice(bench: Bench) -> None:
    talk = bench.talk
    greeted = await talk.greet_once()
    if greeted is None or talk.keys is None:
        raise Silent("it does not answer a hello within a second")
    await talk.command(messages.Report())
    await talk.settle()
    hello = talk.greeting
    mark = len(talk.log)
    talk.say(hello)
    again = await talk.first(lambda one: one.kind is Kind.IDENTITY, 1.0, mark)
    if again is None:
        raise Broken("the same hello came again, and it did not answer it")
    if again != greeted.packet:
        raise Broken("the same hello came again, and it answered with another IDENTITY")
    if await talk.ask(talk.polling()) is None:
        raise Broken("the same hello came again, and its session did not go on")


async def _other_protocol(bench: Bench) -> None:
    talk = bench.talk
    greeted = await talk.greet_once(protocol=PROTOCOL + 1)
    if greeted is None:
        raise Broken(f"greeted with protocol {PROTOCOL + 1}, it does not answer")
    if greeted.identity.protocol != PROTOCOL:
        raise Broken(f"greeted with another protocol, it says {greeted.identity.protocol}")
    mark = len(talk.told)
    talk.say(talk.commanding(messages.Report()))
    await _not_obeyed(bench, "a session of another protocol was begun with it", mark)


async def _hello_of_another_length(bench: Bench) -> None:
    talk = bench.talk
    await talk.greet()
    for length in (0, 16, 18):
        payload = bytes((PROTOCOL, *range(length - 1)))[:length]
        mark = len(talk.told)
        talk.say_bytes(frame.to_bytes(Packet(Kind.HELLO, talk.medium.address, 9, 0, payload)))
        said = await talk.listen(STILL_S)
        if any(one.kind is Kind.IDENTITY for one in said):
            raise Broken(f"a hello of {length} bytes was answered")
        del talk.told[mark:]
    if await talk.ask(talk.polling()) is None:
        raise Broken("after a hello of another length its session did not go on")


async def _kept(bench: Bench) -> None:
    talk = bench.talk
    talk.holds = True
    mark = len(talk.told)
    result = await talk.command(messages.Report())
    if result.outcome != "done":
        raise Broken(f"it answers report with {result.outcome}")
    await talk.until(lambda: len(talk.told) > mark, 2.0)
    identity = await talk.greet()
    kept = handshake.kept(identity)
    if not kept:
        raise Broken(f"events waited, and its capabilities {identity.capabilities!r} say no kept:N")
    talk.holds = False
    await talk.settle()
    if (last := talk.told[-1].seq) != kept:
        raise Broken(f"it said kept:{kept}, and the last that waited was event {last}")
    again = await talk.greet()
    if handshake.kept(again):
        raise Broken(f"nothing waits, and its capabilities say {again.capabilities!r}")


async def _the_same_one(bench: Bench) -> None:
    first, second = await bench.talk.greet(), await bench.talk.greet()
    for name in ("kind", "model", "serial_number", "firmware", "boot"):
        one, other = getattr(first, name), getattr(second, name)
        if one != other:
            raise Broken(f"its {name} was {one!r}, and {other!r} in the next session")


async def _firmware(bench: Bench) -> None:
    identity = await bench.talk.greet()
    if not any(identity.firmware):
        raise Broken("its firmware digest is 32 zeros")
    if not bench.given.firmware:
        raise NotTried("nobody said which program is in it: --firmware FILE")
    if identity.firmware != bench.given.firmware:
        raise Broken(
            f"its digest is {identity.firmware.hex()}, and the program's "
            f"{bench.given.firmware.hex()}"
        )


def digest_of(program: bytes) -> bytes:
    return hashlib.sha256(program).digest()


CHECKS = (
    Check("every.identity", "bronze", "", _identity, is_bare=True),
    Check(
        "link.same",
        "bronze",
        "`boot` goes up by one at every start, and is kept without power.",
        _the_same_one,
    ),
    Check("works.identified", "bronze", "", _wrong_key),
    Check(
        "link.proves",
        "bronze",
        "felt proves itself by the tag of its first request. Until then a device does nothing for "
        "it.",
        _before_a_tag,
    ),
    Check(
        "link.nonce",
        "silver",
        "`nonce` is the device's: 16 random bytes, new for every session. It must be "
        "unpredictable; a counter is not enough.",
        _nonces,
    ),
    Check(
        "link.twice",
        "silver",
        "The one exception: a HELLO that is byte for byte the last one is a broker delivering it "
        "twice. It gets the same IDENTITY again, byte for byte, and the session goes on.",
        _twice,
    ),
    Check(
        "link.protocol",
        "silver",
        "A device that is greeted with another protocol answers all the same, with its own, and "
        "makes no keys",
        _other_protocol,
    ),
    Check(
        "link.hello-length",
        "silver",
        "On every HELLO with its address whose payload has 17 bytes, the device",
        _hello_of_another_length,
        wires=("line", "bus"),
    ),
    Check(
        "link.kept",
        "silver",
        "A device that has events waiting adds `kept:N`, N being the number of the last of them.",
        _kept,
    ),
    Check(
        "link.firmware",
        "gold",
        "`firmware` is the SHA-256 of the program that runs in the device.",
        _firmware,
    ),
)

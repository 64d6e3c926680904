"""What recorded devices did, as a script that can be played again to a felt that runs.

Bytes can't be said twice: sessions, nonces and tags are made anew each time. So a log is read for
what its devices meant, and that is in here: who they were, what they said and when, what they
answered to which command, when they were silent, unplugged or restarted. A device off the shelf has
no sessions. It is what it answers, so its answers are in here as they changed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from math import inf
from typing import Any, ClassVar

from drivers.dialects.other_end import OtherEnd
from drivers.wire.handshake import Identity, Result


@dataclass(slots=True, kw_only=True)
class Step:
    """Something that happened, with when and where it stands in the record."""

    #: What comes first of what has the same time.
    turn: ClassVar[int] = 0
    at_us: int
    where: str


@dataclass(slots=True, kw_only=True)
class Arrives(Step):
    """A device is greeted and says who it is, for the first time or again; or it restarts."""

    device: str
    identity: Identity
    #: It was not greeted here: its last life is over.
    is_new_life: bool = False
    #: It lives already, because felt gave the command with which it restarted.
    is_begun: bool = False


@dataclass(slots=True, kw_only=True)
class Told(Step):
    """A command that felt gave, and what the device answered to it; none if nothing."""

    turn = 2
    device: str
    #: As it was written, without its id.
    message: bytes
    result: Result | None = None
    #: How long the answer took.
    after_us: int = 0
    #: The felt that is played to has given it too.
    is_heard: bool = False
    #: It was the first of all that the device did not answer then.
    silence: Silent | None = None
    #: With this it restarted, and did not answer; answered in its new life.
    restart: Arrives | None = None


@dataclass(slots=True, kw_only=True)
class Says(Step):
    """An event of a device, under the number that it had."""

    device: str
    seq: int
    #: As it was written, but that its faces are uncovered.
    message: bytes
    #: It has faces, which travel covered.
    covers: bool = False


@dataclass(slots=True, kw_only=True)
class Silent(Step):
    """From here on the device answered nothing, until then; for good if it is none."""

    device: str
    until_us: int | None
    #: When it could have answered again.
    ends_us: int | None = None
    #: The command with which it began, if it was one: answered when it was over.
    told: Told | None = None
    #: felt has asked what it did not answer.
    is_begun: bool = False
    #: Where felt gave it up, if it had asked it something else before.
    given_up: GivenUp | None = None

    def seconds(self, since: Step) -> float:
        end_us = self.until_us if self.ends_us is None else self.ends_us
        return inf if end_us is None else (end_us - since.at_us) / 1e6


@dataclass(slots=True, kw_only=True)
class GivenUp(Step):
    """felt has asked a silent device often enough, and only greets it from here on.

    After how long hangs on how quickly devices answered before: it is another time in each run, and
    from here counts for how long the table waits for the device.
    """

    device: str


@dataclass(slots=True, kw_only=True)
class Noise(Step):
    """Bytes that were nothing, or only a part of something."""

    wire: str
    data: bytes
    #: At a broker, the topic.
    channel: str = ""


@dataclass(slots=True, kw_only=True)
class Plug(Step):
    """A cable was pulled out or plugged in; or a device left its broker or came back to it."""

    wire: str
    is_in: bool
    device: str = ""


@dataclass(slots=True, kw_only=True)
class Met(Step):
    """A device in a dialect answers: for the first time, or again after it did not."""

    device: str


@dataclass(slots=True, kw_only=True)
class Shows(Step):
    """From here on a device in a dialect answers otherwise when it is asked for this."""

    device: str
    #: In words of its dialect, as ``Request`` has them.
    what: str
    #: As it came.
    answer: bytes
    #: It reads as felt has set it.
    is_as_set: bool = False
    #: What it says when it is told to set something.
    is_done: bool = False
    #: So often it was answered before there was another answer.
    looks: int = 1
    #: How long the first answer took.
    after_us: int = 0
    #: It was so from the beginning.
    is_first: bool = False
    then: Shows | None = None


@dataclass(slots=True, kw_only=True)
class Spoils(Step):
    """The next requests to a device in a dialect got this, which was no answer, or nothing."""

    device: str
    answers: tuple[bytes, ...]


@dataclass(slots=True, kw_only=True)
class LeftAlone(Step):
    """felt asked a device in a dialect nothing for so long, as it does when it has turned it away.

    It does that by its own clock, as it misses what is silent.
    """

    device: str
    until_us: int


@dataclass(slots=True, kw_only=True)
class Ordered(Step):
    """What felt set at a device in a dialect, by name, as far as it was otherwise before."""

    turn = 2
    device: str
    sets: dict[str, int]
    #: What the device said to it; nothing if it did not.
    answer: bytes = b""
    #: By felt's clock, as lamps blink: it is not waited for.
    is_own: bool = False
    is_heard: bool = False


@dataclass(slots=True)
class Part:
    """A device as the script has it."""

    name: str
    wire: str
    address: int
    polled: bool
    #: When it first said who it is; none if it never did.
    first_us: int | None = None
    #: What it speaks, if that is not felt's own protocol.
    end: OtherEnd | None = None
    #: In a dialect, all that it was ever asked.
    asked: set[str] = field(default_factory=set)


@dataclass(slots=True)
class Script:
    steps: list[Step] = field(default_factory=list)
    parts: dict[str, Part] = field(default_factory=dict)
    #: Wires on which felt hears itself.
    echoing: set[str] = field(default_factory=set)
    #: What can't be played, and why.
    remarks: list[str] = field(default_factory=list)

    @property
    def first_us(self) -> int:
        return min((one.at_us for one in self.steps), default=0)

    def add(self, steps: Iterable[Step]) -> None:
        """Into their order. At one moment felt's orders come last: they follow from the rest."""
        self.steps = sorted((*self.steps, *steps), key=lambda one: (one.at_us, one.turn))


def places(given: Mapping[str, Any]) -> dict[int, str]:
    """The devices of a wire by their addresses, as a table file places them."""
    found: dict[int, str] = {}
    for index, name in enumerate(given.get("devices", ()), 1):
        seat = str(name).partition(" ")[2]
        found[int(seat) if seat.isdecimal() else index] = str(name)
    return found


def told_of(script: Script, device: str) -> Iterator[Told]:
    return (one for one in script.steps if isinstance(one, Told) and one.device == device)

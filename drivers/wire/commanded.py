"""Commands that wait for one device: the urgent ones first, each up to its deadline.

felt's own protocol and those of devices off the shelf have this in common.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import deque
from dataclasses import dataclass
from math import inf
from typing import Generic, Literal, TypeVar

from drivers.wire import messages
from drivers.wire.frame import Packet
from drivers.wire.notices import Notice, NotSent, Unclear

#: Commands that may wait for one device: more means that it does not keep up.
MAX_WAITING = 64

Stage = Literal["silent", "identified", "ready", "refused"]


@dataclass(slots=True)
class Waiting:
    """A command that waits for its turn, or for its answer."""

    command: int
    message: messages.Command
    deadline: float
    urgent: bool


W = TypeVar("W", bound=Waiting)


class Commanded(ABC, Generic[W]):
    """Commands for one device, the urgent ones first, and what is to be said of it."""

    def __init__(self) -> None:
        self.stage: Stage = "silent"
        #: At which other address of its line somebody answers, while it is silent itself.
        self.elsewhere: int | None = None
        #: Packets that came in its name and were not sealed by it in this session, ever; and what
        #: was not even looked at, because more came than it may say.
        self.unproven = 0
        self.unheard = 0
        self._commanding: W | None = None
        self._urgent: deque[W] = deque()
        self._ordinary: deque[W] = deque()
        #: Acknowledgements that are to be sent, where they are packets of their own.
        self._acks: deque[Packet] = deque(maxlen=4)
        #: What happened since it was last asked for; always this list, so that who has many
        #: stations can look at theirs at once.
        self.pending: list[Notice] = []

    @property
    def place(self) -> str:
        """Where on its line it is spoken to; nothing where it has no address."""
        return ""

    @abstractmethod
    def wakes_at(self) -> float:
        """When it has something to put on the line, if nothing comes in before."""

    def notices(self) -> list[Notice]:
        """What happened since this was last asked."""
        happened = self.pending[:]
        self.pending.clear()
        return happened

    def urgency(self, now: float) -> int:
        """How much it wants the line: 3 for a lock-out, 2 for a command, 1 for the rest, 0 not."""
        if self.wakes_at() > now:
            return 0
        if self.stage == "ready":
            if self._urgent or (self._commanding and self._commanding.urgent):
                return 3
            if self._ordinary or self._commanding or self._acks:
                return 2
        return 1

    def _has_room(self, command: int, message: messages.Command) -> bool:
        """Whether one more may wait; a notice if not."""
        if len(self._urgent) + len(self._ordinary) < MAX_WAITING:
            return True
        self.pending.append(NotSent(command, message, f"{MAX_WAITING} commands wait already"))
        return False

    def _queue(self, waiting: W) -> None:
        (self._urgent if waiting.urgent else self._ordinary).append(waiting)

    def _first_deadline(self) -> float:
        return min((one.deadline for one in (*self._urgent, *self._ordinary)), default=inf)

    def _take_overdue(self, now: float) -> list[W]:
        """Those whose time is over; they do not wait any more."""
        overdue: list[W] = []
        for queue in (self._urgent, self._ordinary):
            if queue:
                for waiting in [one for one in queue if one.deadline <= now]:
                    queue.remove(waiting)
                    overdue.append(waiting)
        return overdue


def expired(waiting: Waiting, *, was_sent: bool) -> Notice:
    """What is said of a command whose time is over."""
    if was_sent:
        return Unclear(waiting.command, waiting.message, "the device did not answer in time")
    return NotSent(waiting.command, waiting.message, "the device was not there in time")

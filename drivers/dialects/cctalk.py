"""Acceptors that speak ccTalk, the standard of coin acceptors: up to seven on one line.

Locked is the resting state here too: an acceptor that is found is locked before it is asked who it
is. Its lock is the master inhibit, which is read back; which coins it takes is set again before
every unlocking, as most acceptors forget that when they restart, and then take none.

Money hangs on a checksum of eight bits. So a change in what an acceptor has counted is believed
when it was read twice.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Annotated, Any, ClassVar

import msgspec
from msgspec import Meta

from drivers.contract import Settings
from drivers.dialects import cctalk_frame as frame
from drivers.dialects.cctalk_events import (
    EVENTS_BYTES,
    FAULTS,
    ORDINARY,
    Readings,
    Result,
    Since,
    inhibited_coin,
    since,
)
from drivers.dialects.options import own_options
from drivers.dialects.polled import VERIFY, Ask, Fate, Job, Pace, PolledLine, PolledStation
from drivers.wire import messages
from drivers.wire.handshake import PROTOCOL, Identity
from drivers.wire.notices import Refused

BAUD = 9600
#: Where a coin acceptor is when it comes from the factory.
ADDRESS = 2

#: What an acceptor must say of its category.
COIN_ACCEPTOR = "coin acceptor"
#: Positions that can be inhibited one by one.
COINS = 16
#: A coin that was in the chute when the lock closed is credited within so many seconds.
CHUTE = 1.0
#: So often the events are read for two readings that agree.
READS = 4

UNCLEAR = "it does not say clearly what it took"
#: What no such acceptor can do, and why.
BEYOND_IT: dict[type[messages.Command], str] = {
    messages.SetLamp: "it has no lamp",
    messages.SetWatchdog: "its own watchdog, if it has one, can't be set",
}

Milliseconds = Annotated[int, Meta(ge=1, le=10_000)]


class Options(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    #: What each position is worth, in cents: "1:500 2:2500". Positions not named are not taken.
    coins: str
    tender: Annotated[str, Meta(min_length=1, max_length=24)] = "chips"
    #: Of the first device on the line; the others follow.
    first_address: Annotated[int, Meta(ge=2, le=249)] = ADDRESS
    poll_ms: Milliseconds = 100
    answer_ms: Milliseconds = 100

    @classmethod
    def of(cls, settings: Settings) -> Options:
        """From a device's options; ValueError if something in them can't be."""
        try:
            options = msgspec.convert(own_options(settings, cls), cls)
        except msgspec.ValidationError as error:
            raise ValueError(f"{settings.name}: {error}") from None
        if not settings.wager:
            raise ValueError(f"{settings.name}: the wager that it takes is not named")
        if not options.cents:
            raise ValueError(f'{settings.name}: coins are written "1:500 2:2500"')
        return options

    @property
    def cents(self) -> dict[int, int]:
        """By position; empty if it is not written as it should be."""
        pairs = [re.fullmatch(r"(\d{1,2}):([1-9]\d{0,9})", word) for word in self.coins.split()]
        worth = {int(pair[1]): int(pair[2]) for pair in pairs if pair is not None}
        wrong = len(worth) < len(pairs) or any(not 1 <= place <= COINS for place in worth)
        return {} if wrong else worth

    @property
    def pace(self) -> Pace:
        return Pace(answer=self.answer_ms / 1000, poll=self.poll_ms / 1000)


class Acceptor(PolledStation):
    remembers: ClassVar[tuple[str, ...]] = (
        "_locked",
        "_locked_at",
        "_was_open",
        "_backlog",
        "_faults",
        "_suspect",
    )

    def __init__(self, address: int, wager: str, options: Options, boot: int) -> None:
        super().__init__(address, boot, options.pace)
        #: Where it is on a ccTalk line, on which 1 is felt.
        self.bus_address = options.first_address + address - 1
        self.wager = wager
        self.tender = options.tender
        self.cents = options.cents
        #: As felt believes. False from the moment that it may have opened.
        self._locked = True
        self._locked_at = 0.0
        #: The table had it open, and has not locked it since: found again, it is locked by us.
        self._was_open = False
        self._seen: Readings | None = None
        #: Found while it was identified; told when it was accepted.
        self._backlog: list[tuple[messages.Event, int]] = []
        #: What it was told to be wrong with it, and nothing has shown to be right again.
        self._faults: set[messages.Nature] = set()
        #: Its lock changed by itself, which only a restart explains.
        self._suspect = False

    @property
    def place(self) -> str:
        return f"address {self.bus_address}"

    # --- What the base asks for -----------------------------------------------

    def identify(self, now: float) -> Job[tuple[Identity, bool] | Refused]:
        yield self._request(frame.SIMPLE_POLL)
        if why := (yield from self._lock(now)):
            return Refused(f"it can't be locked: {why}", "use one that has a master inhibit")
        category = frame.text_of((yield self._request(frame.CATEGORY, answer=frame.TEXT)))
        if category.lower() != COIN_ACCEPTOR:
            return Refused(f"it is a {category!r}, not a coin acceptor", "plug in the right device")
        maker = frame.text_of((yield self._request(frame.MANUFACTURER, answer=frame.TEXT)))
        product = frame.text_of((yield self._request(frame.PRODUCT, answer=frame.TEXT)))
        number = frame.data_of((yield self._request(frame.SERIAL_NUMBER, answer=3, optional=True)))
        software = frame.text_of(
            (yield self._request(frame.SOFTWARE, answer=frame.TEXT, optional=True))
        )
        readings = yield from self._read_events()
        if readings is None:
            return Refused(UNCLEAR, "use one that keeps its events")
        restarted = self._catch_up(readings, now)
        self._verify_at = now + VERIFY
        serial = str(int.from_bytes(number, "little")) if number else f"at {self.bus_address}"
        identity = Identity(
            protocol=PROTOCOL,
            kind="acceptor",
            model=f"{maker} {product}".strip()[:24] or "coin acceptor",
            serial_number=serial,
            firmware=bytes(32),
            boot=self.boot,
            capabilities=" ".join(["unproven", "lampless", *software.split()])[:48].strip(),
            nonce=bytes(16),
        )
        return identity, restarted

    def look_after(self, now: float) -> Job[None]:
        backlog, self._backlog = self._backlog, []
        self._tell_all(backlog)
        readings = yield from self._read_events()
        if readings is None:
            self.lose(now, UNCLEAR)
            return
        happened = since(self._seen or Readings(), readings)
        if happened.restarted:
            self.lose(now, "it has restarted")
            return
        self._seen = readings
        self._tell_all(self._events_of(happened, self._locked, now))

    def verify(self, now: float) -> Job[None]:
        locked = yield from self._is_locked()
        if locked is not self._locked:
            self._suspect = True
            self.lose(now, "its lock changed by itself")

    def carry_out(self, message: messages.Command, now: float) -> Job[Fate]:
        match message:
            case messages.Lock() | messages.Quiesce():
                self._was_open = False
                why = yield from self._lock(now)
            case messages.Unlock():
                why = yield from self._unlock(now)
            case messages.Report():
                why = yield from self._report()
            case messages.Return() | messages.GiveBack():
                why = "what it took is in its box"
            case _:
                return "unknown", BEYOND_IT.get(type(message), "")
        return ("refused", why) if why else ("done", "")

    def own_memory(self) -> dict[str, Any]:
        seen = None if self._seen is None else self._seen.to_bytes().hex()
        return {**super().own_memory(), "seen": seen}

    def recall_own(self, own: dict[str, Any]) -> None:
        super().recall_own(own)
        self._seen = None if own["seen"] is None else Readings.of(bytes.fromhex(own["seen"]))

    def _report(self) -> Job[str]:
        locked = yield from self._is_locked()
        if locked is None:
            return "it does not say whether it is locked"
        self.tell(messages.LockState(locked=locked))
        return ""

    # --- The lock -------------------------------------------------------------

    def _lock(self, now: float) -> Job[str]:
        """Why it is not locked; nothing if it is."""
        yield self._request(frame.SET_MASTER_INHIBIT, b"\0")
        locked = yield from self._is_locked()
        if not locked:
            return "it reads as open after the lock"
        if not self._locked or not self._locked_at:
            self._locked_at = now
        self._locked = True
        return ""

    def _unlock(self, now: float) -> Job[str]:
        mask = sum(1 << place - 1 for place in self.cents).to_bytes(COINS // 8, "little")
        if frame.data_of((yield self._request(frame.SET_INHIBITS, mask))) is None:
            return "it does not take the coins it is told"
        self._locked = False
        self._was_open = True
        if frame.data_of((yield self._request(frame.SET_MASTER_INHIBIT, b"\1"))) is None:
            why = yield from self._lock(now)
            return why or "it does not unlock"
        locked = yield from self._is_locked()
        if locked is not False:
            why = yield from self._lock(now)
            return why or "it reads as locked after the unlocking"
        self._faults_are_over()
        return ""

    def _is_locked(self) -> Job[bool | None]:
        data = frame.data_of((yield self._request(frame.READ_MASTER_INHIBIT, answer=1)))
        return None if data is None else not data[0] & 1

    # --- What it took ---------------------------------------------------------

    def _read_events(self) -> Job[Readings | None]:
        """What it has counted, by two readings that agree or one that says what is known."""
        last = self._seen
        for _ in range(READS):
            data = frame.data_of((yield self._request(frame.READ_EVENTS, answer=EVENTS_BYTES)))
            readings = None if data is None else Readings.of(data)
            if readings is None or readings == last:
                return readings
            last = readings
        return None

    def _catch_up(self, readings: Readings, now: float) -> bool:
        """After an absence: what it took meanwhile, and whether it has restarted."""
        if self._seen is None:
            # What was before felt came is not felt's: nobody could say what of it is known.
            self._seen = readings
            return False
        happened = since(self._seen, readings)
        self._seen = readings
        restarted = happened.restarted or self._suspect
        self._suspect = False
        if restarted:
            self.new_boot()
        self._backlog += self._events_of(happened, not self._was_open, now)
        self._was_open = False
        return restarted

    def _events_of(
        self, happened: Since, locked: bool, now: float
    ) -> list[tuple[messages.Event, int]]:
        """As messages, each with the number of events that are missing before it."""
        told: list[tuple[messages.Event, int]] = []
        if happened.missed:
            why = f"{happened.missed} events are lost: count the chips"
            told.append((messages.Fault(nature="internal", detail=why), happened.missed))
        for result in happened.results:
            told += [(message, 0) for message in self._messages_of(result, locked, now)]
        return told

    def _messages_of(self, result: Result, locked: bool, now: float) -> list[messages.Event]:
        if result.coin:
            return self._credit(result.coin, locked, now)
        turned_away = inhibited_coin(result.code)
        cents = self.cents.get(turned_away or 0)
        if cents is not None and locked:
            return [messages.LateWager(wager=self.wager, cents=cents, sensed="after the lock")]
        if turned_away or result.code in ORDINARY:
            return []
        nature, detail = FAULTS.get(result.code, ("internal", f"error {result.code}"))
        return [messages.Fault(nature=nature, detail=detail)]

    def _credit(self, coin: int, locked: bool, now: float) -> list[messages.Event]:
        cents = self.cents.get(coin)
        if cents is None:
            why = f"a credit for coin {coin}, which has no worth here"
            return [messages.Fault(nature="internal", detail=why)]
        # It holds what it has credited, and can't give it back: this is no late wager, which went
        # back. If it came too late for the table, people must give it back.
        wager = messages.Wager(wager=self.wager, cents=cents, tender=self.tender)
        if not locked:
            return [wager]
        when = "as it was locked" if now - self._locked_at <= CHUTE else "after the lock"
        why = f"it took {cents} cents {when}: if they are no wager, give them back by hand"
        return [wager, messages.Fault(nature="internal", detail=why)]

    def _tell_all(self, told: list[tuple[messages.Event, int]]) -> None:
        for message, missed in told:
            if isinstance(message, messages.Fault):
                self._faults.add(message.nature)
            self.tell(message, missed)

    def _fault(self, nature: messages.Nature, detail: str) -> None:
        self._tell_all([(messages.Fault(nature=nature, detail=detail), 0)])

    def _faults_are_over(self) -> None:
        """The table opens it again, and it opens: whoever cleared its hold has seen to it."""
        for nature in sorted(self._faults):
            self.tell(messages.FaultCleared(nature=nature))
        self._faults.clear()

    def _request(
        self, header: int, data: bytes = b"", *, answer: int = 0, optional: bool = False
    ) -> Ask:
        return frame.ask(self.bus_address, header, data, answer=answer, optional=optional)


def acceptor_line(devices: Sequence[tuple[int, Settings]], boot: int) -> PolledLine:
    """A line with acceptors, by their places on it from 1."""
    return PolledLine(
        Acceptor(address, settings.wager, Options.of(settings), boot)
        for address, settings in devices
    )

"""A wagering terminal for felt, at a broker: an example for whoever writes one.

    python3 terminal.py --broker HOST[:PORT] --table ID --name "terminal 3" --memory FILE
        [--key-file F] [--user U --password-file F] [--ca FILE]

Nothing but Python's own library is in it. The player's finger is its standard input, a line each:
sit NAME, leave, buy_in CENTS, cash_out CENTS, wager NAME CENTS, take_back NAME, decide check|fold,
decide wager CENTS, door open|closed, fail NATURE, clear, own_event; or as JSON: {"sit": "Smith"}.
What its screen would show it prints.
"""

from __future__ import annotations

import argparse
import hashlib
import hmac
import json
import os
import re
import sys
import threading
import time
from collections import OrderedDict, deque
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any

import packets
from memory import Memory
from mqtt import Connection, Lost, Message
from packets import NoMessage, Session, keyed

REPEAT_S = 0.25
ASK_AGAIN_S = 5.0
FIRST_WATCHDOG_MS = 3000
KEPT_EVENTS, KEPT_RESULTS, KEPT_REQUESTS = 64, 16, 8
AGAIN_S, AGAIN_MOST_S = 0.25, 5.0
#: Between two looks at the clock and at what the player does.
LOOK_S = 0.02
NATURES = packets.NATURES[:-1]
#: A code that the catalogue does not have: whatever a maker wants to say to its own people.
OWN_EVENT = 0x7F


class Refused(Exception):
    """A command that can't be done now, or an act."""


class Terminal:
    """Packets and times in, packets out. It knows neither broker nor player."""

    def __init__(self, serial: str, key: bytes, memory: Memory) -> None:
        self.memory = memory
        self._serial, self._key = serial, key
        self._firmware = firmware()
        self.is_locked = True
        self._is_safe = True
        self._watchdog_ms = FIRST_WATCHDOG_MS
        self._heard_at = 0.0
        self._session: Session | None = None
        self._hello: dict[str, Any] = {}
        self._identity: dict[str, Any] = {}
        self._last_request = 0
        self._last_answer: dict[str, Any] | None = None
        self._received: deque[tuple[int, float]] = deque(maxlen=KEPT_REQUESTS)
        self._results: OrderedDict[int, tuple[str, str]] = OrderedDict()
        self._event_at = 0.0
        self._asked_at: dict[str, float] = {}
        self.faults: set[str] = set()
        self.door_is_open = False

    # --- What it says -------------------------------------------------------------------

    def tell(self, name: str, **fields: Any) -> int:
        """Something happened; it is kept, under this number, until felt has it."""
        message = {"message": name, **fields}
        packets.to_bytes(message)  # raises, before anything is kept
        return self._kept(message)

    def tell_own(self, payload: bytes) -> int:
        """An event that is not in the catalogue: felt can't write its bytes, so they are sent."""
        return self._kept({"payload": payload.hex()})

    def _kept(self, message: dict[str, Any]) -> int:
        number = self.memory.next_event
        self.memory.next_event += 1
        if len(self.memory.events) < KEPT_EVENTS:
            self.memory.events.append((number, message))
        self.memory.keep()
        return number

    def transfer(self, name: str, cents: int) -> None:
        """Money in or out, under an id that was never used: asked for until it is answered."""
        transfer = f"{self._serial}-{self.memory.next_transfer}"
        self.memory.next_transfer += 1
        self.memory.transfers[transfer] = {"request": name, "cents": cents}
        self._asked_at[transfer] = time.monotonic()
        self.tell(name, transfer=transfer, cents=cents)

    def next_packet(self, now: float) -> dict[str, Any] | None:
        """What is due: an event, at once and every quarter of a second."""
        if not self._is_safe and now - self._heard_at >= self._watchdog_ms / 1000:
            self._go_safe()
            self.tell("went_safe")
        for transfer, asked in self.memory.transfers.items():
            if now - self._asked_at.get(transfer, 0.0) >= ASK_AGAIN_S and self._session:
                self._asked_at[transfer] = now
                self.tell(asked["request"], transfer=transfer, cents=asked["cents"])
        if self._session is None or not self.memory.events or now < self._event_at:
            return None
        self._event_at = now + REPEAT_S
        number, message = self.memory.events[0]
        if "payload" in message:
            own = bytes.fromhex(message["payload"])
            return self._packet("event", number, self._session.tag("event", number, own), **message)
        tag = self._session.tag("event", number, packets.to_bytes(message))
        return self._packet("event", number, tag, message=message)

    def _packet(self, kind: str, seq: int, tag: str, **more: Any) -> dict[str, Any]:
        assert self._session is not None
        return {"kind": kind, "session": self._session.number, "seq": seq, "tag": tag, **more}

    # --- What it hears ------------------------------------------------------------------

    def received(self, packet: dict[str, Any], now: float) -> dict[str, Any] | None:
        """A packet from felt; the answer to it, if it has one."""
        if packet["kind"] == "hello":
            return self._greeted(packet, now)
        if self._session is None:
            return {"kind": "identity", "session": 0}
        payload = self._signed_payload(packet, self._session)
        if payload is None:
            return None
        self._heard_at = now
        if packet["kind"] == "ack":
            self._forget(packet["seq"])
            return None
        if packet["seq"] > self._last_request:
            self._last_request = packet["seq"]
            answer = self._command if packet["kind"] == "command" else self._polled
            self._last_answer = answer(packet, payload, now)
            self._received.append((packet["seq"], now))
        return self._last_answer if packet["seq"] == self._last_request else None

    def _signed_payload(self, packet: dict[str, Any], session: Session) -> bytes | None:
        """The bytes of the payload; none if nobody has signed them for this session."""
        payload, more = self._signed_part(packet)
        if payload is None or packet["session"] != session.number:
            return None
        right = session.tag(packet["kind"], packet["seq"], payload, more)
        return payload if hmac.compare_digest(packet["tag"], right) else None

    def _signed_part(self, packet: dict[str, Any]) -> tuple[bytes | None, bytes]:
        """The bytes of the payload, and of the deadline behind it; none if they can't be known."""
        if packet["kind"] == "ack":
            return b"", b""
        if packet["kind"] == "poll":
            return packet["acknowledged"].to_bytes(4, "big"), b""
        more = packet["after"].to_bytes(4, "big") + packet["deadline_ms"].to_bytes(4, "big")
        head = packet["id"].to_bytes(4, "big")
        if "payload" in packet:
            return head + bytes.fromhex(packet["payload"]), more
        try:
            return head + packets.to_bytes(packet["message"]), more
        except NoMessage:
            return None, more

    def _greeted(self, hello: dict[str, Any], now: float) -> dict[str, Any]:
        if hello == self._hello:
            return self._identity  # a broker has delivered it twice
        memory, felt_nonce = self.memory, bytes.fromhex(hello["nonce"])
        nonce = os.urandom(16)
        kept = f" kept:{memory.next_event - 1}" if memory.events else ""
        said = {
            "protocol": packets.PROTOCOL, "kind": "terminal", "model": "example terminal",
            "serial_number": self._serial, "firmware": self._firmware.hex(), "boot": memory.boot,
            "capabilities": f"offers{kept}", "nonce": nonce.hex(),
        }  # fmt: skip
        coded = bytes((packets.PROTOCOL, packets.TERMINAL))
        coded += packets.text(said["model"], 24) + packets.text(self._serial, 24) + self._firmware
        coded += memory.boot.to_bytes(4, "big") + packets.text(said["capabilities"], 48) + nonce
        proof = keyed(self._key, b"felt identity", felt_nonce, coded)[:16]
        tag_key = keyed(self._key, b"felt tag", felt_nonce, nonce)
        same = hello["protocol"] == packets.PROTOCOL
        self._session = Session(hello["session"], tag_key) if same else None
        self._hello, self._last_request, self._last_answer = hello, 0, None
        self._event_at = 0.0
        self._received.clear()
        self._received.append((0, now))
        identity = {**said, "proof": proof.hex()}
        self._identity = {"kind": "identity", "session": hello["session"], "identity": identity}
        return self._identity

    def _polled(self, packet: dict[str, Any], payload: bytes, now: float) -> dict[str, Any]:
        assert self._session is not None
        self._forget(packet["acknowledged"])
        return self._packet("idle", packet["seq"], self._session.tag("idle", packet["seq"], b""))

    def _forget(self, number: int) -> None:
        events = self.memory.events
        if events and events[0][0] <= number:
            self.memory.events = [one for one in events if one[0] > number]
            self._event_at = 0.0
            self.memory.keep()

    def _command(self, packet: dict[str, Any], payload: bytes, now: float) -> dict[str, Any]:
        assert self._session is not None
        result = self._results.get(packet["id"])
        if result is None:
            since = dict(self._received).get(packet["after"])
            if since is None or now > since + packet["deadline_ms"] / 1000:
                result = ("refused", "it came too late")  # and felt may still want it
            else:
                result = self._results[packet["id"]] = self._carried_out(payload[4:])
                while len(self._results) > KEPT_RESULTS:
                    self._results.popitem(last=False)
        outcome, detail = result
        coded = payload[:4] + bytes((packets.OUTCOMES.index(outcome),)) + packets.text(detail)
        tag = self._session.tag("result", packet["seq"], coded)
        said = {"id": packet["id"], "outcome": outcome, "detail": detail}
        return self._packet("result", packet["seq"], tag, **said)

    # --- What it is told ----------------------------------------------------------------

    def _carried_out(self, data: bytes) -> tuple[str, str]:
        try:
            message = packets.command(data)
        except NoMessage:
            return "unknown", ""
        name = message.pop("message")
        if name not in ("report", "set_watchdog", "quiesce", "lock"):
            self._is_safe = False
        do = getattr(self, f"_on_{name}", None)
        if do is not None:
            do(**message)
        else:
            show(name, **message)
        return "done", ""

    def _on_report(self) -> None:
        self.tell("lock_state", locked=self.is_locked)
        for nature in sorted(self.faults):
            self.tell("fault", nature=nature, detail="")
        if self.door_is_open:
            self.tell("door", open=True)

    def _on_set_watchdog(self, milliseconds: int) -> None:
        self._watchdog_ms = milliseconds

    def _on_quiesce(self) -> None:
        self._go_safe()

    def _on_lock(self) -> None:
        self.is_locked = True
        show("locked")

    def _on_unlock(self) -> None:
        self.is_locked = False
        show("open")

    def _on_credit(self, transfer: str, cents: int, balance: int) -> None:
        asked = self.memory.transfers.pop(transfer, None)
        self.memory.keep()
        if asked is not None and asked["request"] == "cash_out":
            show("pays", cents=cents)
        show("balance", cents=balance)

    def _on_refused(self, request: str, event: int, name: str, reason: str, balance: int) -> None:
        if self.memory.transfers.get(name, {}).get("request") == request:
            del self.memory.transfers[name]
            self.memory.keep()
        show("not taken", request=request, event=event, name=name, why=reason, balance=balance)

    def _go_safe(self) -> None:
        self._is_safe = self.is_locked = True
        show("locked")


def firmware() -> bytes:
    """The digest of the program: all of its files, in the order of their names."""
    files = sorted(Path(__file__).parent.glob("*.py"))
    return hashlib.sha256(b"".join(one.read_bytes() for one in files)).digest()


def show(what: str, **more: Any) -> None:
    sys.stdout.write(json.dumps({"shows": what, **more}) + "\n")
    sys.stdout.flush()


# --- What the player does --------------------------------------------------------------


def act(terminal: Terminal, line: str) -> None:
    verb, given = _said(line)
    match (verb, *given):
        case ("sit", player):
            terminal.tell("sat", player=player)
        case ("leave", *_):
            terminal.tell("left")
        case ("buy_in" | "cash_out", cents):
            terminal.transfer(verb, int(cents))
        case ("wager", wager, cents) if terminal.is_locked:
            sensed = "after the lock"
            terminal.tell("late_wager", wager=wager, cents=int(cents), sensed=sensed)
        case ("wager", wager, cents):
            terminal.tell("wager", wager=wager, cents=int(cents), tender="account")
        case ("take_back", wager) if not terminal.is_locked:
            terminal.tell("wager_removed", wager=wager)
        case ("decide", choice, *cents):
            terminal.tell("decision", choice=choice, cents=int(cents[0]) if cents else 0)
        case _:
            act_at_any(terminal, verb, str(given[0]) if given else "")


def act_at_any(terminal: Terminal, verb: str, how: str) -> None:
    """What can be done at every device."""
    match verb:
        case "own_event":
            terminal.tell_own(bytes((OWN_EVENT,)))
        case "door" if how in ("open", "closed"):
            terminal.door_is_open = how == "open"
            terminal.tell("door", open=terminal.door_is_open)
        case "fail" if how in NATURES:
            terminal.faults.add(how)
            terminal.tell("fault", nature=how, detail="as it was told on its bench")
        case "clear":
            for nature in sorted(terminal.faults):
                terminal.tell("fault_cleared", nature=nature)
            terminal.faults.clear()
        case _:
            raise Refused(f"nobody can do that here, or not now: {verb[:40]} {how[:40]}")


def _said(line: str) -> tuple[str, list[Any]]:
    """Words, or an object with one name: {"wager": {"wager": "five_card", "cents": 100}}."""
    if not line.lstrip().startswith("{"):
        verb, *words = line.split() or [""]
        return verb, [" ".join(words)] if verb == "sit" else words
    ((verb, given),) = json.loads(line).items()
    return verb, list(given.values()) if isinstance(given, dict) else [given]


def read_lines(into: SimpleQueue[str]) -> None:
    for line in sys.stdin:
        into.put(line)


def take_acts(terminal: Terminal, lines: SimpleQueue[str]) -> None:
    while True:
        try:
            act(terminal, lines.get_nowait())
        except Empty:
            return
        except (Refused, NoMessage, ValueError, TypeError) as why:
            sys.stdout.write(json.dumps({"refused": str(why)}) + "\n")
            sys.stdout.flush()


# --- At the broker ----------------------------------------------------------------------


class Place:
    """The terminal's topics, and its account."""

    def __init__(self, given: argparse.Namespace, key: bytes) -> None:
        self.host, _, port = given.broker.partition(":")
        self.port = int(port or 1883)
        name = re.sub("[^a-z0-9]", "-", given.name.lower())
        table = re.sub("[^a-z0-9]", "-", given.table.lower())
        self.topic = f"felt/{table}/{name}"
        self.ca = given.ca
        # felt's own broker knows a device by its key.
        self.user = given.user or f"{table}/{name}"
        secret = keyed(key, b"felt broker").hex()[:48]
        self.password = given.password_file.read_text().strip() if given.password_file else secret
        self.connection = 0

    def connected(self, boot: int) -> Connection:
        self.connection += 1

        def state(word: str) -> bytes:
            said = {"state": word, "boot": boot, "connection": self.connection}
            return json.dumps(said).encode()

        at = f"{self.topic}/state"
        made = Connection(
            self.host, self.port, self.user, (at, state("lost")),
            user=self.user, password=self.password, ca=self.ca,
        )  # fmt: skip
        made.publish(at, state("init"), retain=True)
        made.subscribe(f"{self.topic}/cmd")
        made.publish(at, state("ready"), retain=True)
        return made

    def say(self, connection: Connection, packet: dict[str, Any]) -> None:
        place = {"identity": "info", "event": "event"}.get(packet["kind"], "ack")
        connection.publish(f"{self.topic}/{place}", json.dumps(packet).encode())


def serve(terminal: Terminal, place: Place, lines: SimpleQueue[str]) -> None:
    """Until the connection is lost."""
    connection = place.connected(terminal.memory.boot)
    while True:
        take_acts(terminal, lines)
        heard = connection.receive(LOOK_S)
        now = time.monotonic()
        packet = heard_by(heard, f"{place.topic}/cmd")
        if packet is not None and (answer := terminal.received(packet, now)) is not None:
            place.say(connection, answer)
        if (event := terminal.next_packet(now)) is not None:
            place.say(connection, event)


def heard_by(message: Message | None, topic: str) -> dict[str, Any] | None:
    """What is kept at the topic was said to nobody: commands never are."""
    if message is None or message.retained or message.topic != topic:
        return None
    return packets.packet(message.payload)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--broker", required=True, metavar="HOST[:PORT]")
    parser.add_argument("--table", required=True, metavar="ID")
    parser.add_argument("--name", required=True, help='as the table calls it: "terminal 3"')
    parser.add_argument("--memory", required=True, type=Path)
    parser.add_argument("--serial-number", default="E-1")
    parser.add_argument("--key-file", type=Path, help="without it the key of the bench")
    parser.add_argument("--user", default="")
    parser.add_argument("--password-file", type=Path)
    parser.add_argument("--ca", default="", help="the broker's authority, for TLS")
    given = parser.parse_args()
    key = bytes.fromhex(given.key_file.read_text().strip()) if given.key_file else bytes(32)
    terminal = Terminal(given.serial_number, key, Memory(given.memory))
    place = Place(given, key)
    lines: SimpleQueue[str] = SimpleQueue()
    threading.Thread(target=read_lines, args=(lines,), daemon=True).start()
    pause = AGAIN_S
    while True:
        began = time.monotonic()
        try:
            serve(terminal, place, lines)
        except Lost as why:
            show("no broker", why=str(why))
        if time.monotonic() - began > AGAIN_MOST_S:
            pause = AGAIN_S
        # Its watchdog runs meanwhile, and the player goes on.
        until = time.monotonic() + pause
        while (now := time.monotonic()) < until:
            take_acts(terminal, lines)
            terminal.next_packet(now)
            time.sleep(LOOK_S)
        pause = min(2 * pause, AGAIN_MOST_S)


if __name__ == "__main__":
    main()

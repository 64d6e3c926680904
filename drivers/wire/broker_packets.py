"""As much of MQTT 3.1.1 as the door of the broker inside felt looks at, before amqtt sees a packet.

Only what decides whether a packet passes is read. What has no place in felt's conversation (quality
of service 2, MQTT 5, a second CONNECT) is malformed here.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

#: Kinds of packets, as they stand in the first four bits.
CONNECT, PUBLISH, PUBACK, SUBSCRIBE, UNSUBSCRIBE, PINGREQ, DISCONNECT = 1, 3, 4, 8, 10, 12, 14
#: A packet begins with a byte for its kind and up to four for its length.
LONGEST_FRONT = 5
#: The longest CONNECT: names, a password, and a will as short as ours.
MAX_CONNECT = 2048
#: Not a filter, by the standard, so whoever gets it refuses it: in place of one without rights.
NO_FILTER = b"#/#"

_PROTOCOL, _LEVEL = b"MQTT", 4
_CLEAN, _WILL, _WILL_QOS, _WILL_RETAIN, _PASSWORD, _USER = 0x02, 0x04, 0x18, 0x20, 0x40, 0x80
_PUBLISH_QOS, _RETAIN = 0x06, 0x01

#: Answers to a CONNECT that is not taken: what is spoken, the id, the password.
OTHER_VERSION, BAD_ID, BAD_LOGIN = 1, 2, 4


class Malformed(Exception):
    """No packet of MQTT, or none that anybody here would send."""


class Unspoken(Malformed):
    """Another version of MQTT."""


class Connect(NamedTuple):
    client_id: str
    user: str
    password: bytes
    clean: bool
    keepalive: int
    will_topic: bytes = b""
    will: bytes = b""
    will_retained: bool = False

    def packet(self, client_id: str) -> bytes:
        """As it is handed on: under the account's own id, without its secrets.

        Nor with a time in which it must say something: that is watched here. The one who gets this
        would give up in the middle of a packet.
        """
        flags = _CLEAN if self.clean else 0
        body = _string(client_id.encode())
        if self.will_topic:
            flags |= _WILL | 0x08 | (_WILL_RETAIN if self.will_retained else 0)
            body += _string(self.will_topic) + _string(self.will)
        return framed(CONNECT << 4, _string(_PROTOCOL) + bytes([_LEVEL, flags, 0, 0]) + body)


class Publish(NamedTuple):
    topic: bytes
    #: 0 if nobody waits for an acknowledgement.
    number: int
    retained: bool
    payload: bytes


def framed(first: int, body: bytes) -> bytes:
    length, front = len(body), bytearray([first])
    while True:
        length, low = divmod(length, 128)
        front.append(low | (0x80 if length else 0))
        if not length:
            return bytes(front) + body


def front_of(data: bytes | bytearray, most: int) -> tuple[int, int] | None:
    """The length of a packet's front and of its body; none if more is needed to tell."""
    length = 0
    for place, byte in enumerate(data[1:LONGEST_FRONT]):
        length |= (byte & 0x7F) << 7 * place
        if length > most:
            raise Malformed(f"a packet of more than {most} bytes")
        if not byte & 0x80:
            return place + 2, length
    if len(data) >= LONGEST_FRONT:
        raise Malformed("a length that never ends")
    return None


def connect(data: bytes | bytearray) -> tuple[Connect, int] | None:
    """The packet that comes first, and its length; none as long as it is not all there."""
    if data and data[0] != CONNECT << 4:
        raise Malformed("the first packet is no CONNECT")
    front = front_of(data, MAX_CONNECT)
    if front is None or len(data) < sum(front):
        return None
    begin, length = front
    return _connect(_Body(bytes(data[begin : begin + length]))), begin + length


def _connect(body: _Body) -> Connect:
    name, level, flags = body.string(), body.byte(), body.byte()
    if name != _PROTOCOL or level != _LEVEL:
        raise Unspoken("not MQTT 3.1.1")
    keepalive = body.number()
    client_id = body.text()
    will_topic = will = b""
    if flags & _WILL:
        will_topic, will = body.string(), body.string()
        if not will_topic or flags & _WILL_QOS > 0x08:
            raise Malformed("a will without a topic, or of another quality of service")
    user = body.text() if flags & _USER else ""
    password = body.string() if flags & _PASSWORD else b""
    if flags & 0x01 or (flags & _PASSWORD and not flags & _USER) or not body.is_over:
        raise Malformed("flags that can't be, or more than there should be")
    retained = bool(flags & _WILL_RETAIN)
    clean = bool(flags & _CLEAN)
    return Connect(client_id, user, password, clean, keepalive, will_topic, will, retained)


def connack(code: int) -> bytes:
    return bytes([0x20, 2, 0, code])


def puback(number: int) -> bytes:
    return bytes([PUBACK << 4, 2]) + number.to_bytes(2, "big")


def publish(first: int, data: bytes) -> Publish:
    qos = (first & _PUBLISH_QOS) >> 1
    if qos > 1:
        raise Malformed("quality of service 2")
    body = _Body(data)
    topic = body.string()
    number = body.number() if qos else 0
    if qos and not number:
        raise Malformed("a publish without its number")
    return Publish(topic, number, bool(first & _RETAIN), body.rest())


def without_retain(first: int) -> int:
    return first & ~_RETAIN


def topic_of(packet: bytes) -> bytes:
    """Of a PUBLISH that is whole."""
    begin = next(place for place in range(1, LONGEST_FRONT) if not packet[place] & 0x80) + 1
    return _Body(packet[begin:]).string()


def is_acknowledged(packet: bytes) -> bool:
    return bool(packet[0] & _PUBLISH_QOS)


class Filter(NamedTuple):
    topic: bytes
    qos: int


def subscribe(data: bytes) -> tuple[int, list[Filter]]:
    """Its number, and what is to be heard, each at least once at the most."""
    body = _Body(data)
    number, found = body.number(), []
    while not body.is_over:
        topic, qos = body.string(), body.byte()
        if qos > 2:
            raise Malformed("a quality of service that there is not")
        found.append(Filter(topic, min(qos, 1)))
    if not number or not found:
        raise Malformed("nothing to be heard")
    return number, found


def subscribing(number: int, filters: Iterable[Filter]) -> bytes:
    body = b"".join(_string(one.topic) + bytes([one.qos]) for one in filters)
    return framed(SUBSCRIBE << 4 | 2, number.to_bytes(2, "big") + body)


def unsubscribe(data: bytes) -> tuple[int, list[bytes]]:
    """Its number, and what is not to be heard any more."""
    body = _Body(data)
    number, found = body.number(), []
    while not body.is_over:
        found.append(body.string())
    if not number or not found:
        raise Malformed("nothing that was heard")
    return number, found


def unsubscribing(number: int, topics: Iterable[bytes]) -> bytes:
    body = b"".join(map(_string, topics))
    return framed(UNSUBSCRIBE << 4 | 2, number.to_bytes(2, "big") + body)


def is_text(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def _string(data: bytes) -> bytes:
    return len(data).to_bytes(2, "big") + data


class _Body:
    """What is in a packet, from its beginning on."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0

    @property
    def is_over(self) -> bool:
        return self._at == len(self._data)

    def _take(self, count: int) -> bytes:
        taken = self._data[self._at : self._at + count]
        if len(taken) < count:
            raise Malformed("a packet that ends too early")
        self._at += count
        return taken

    def byte(self) -> int:
        return self._take(1)[0]

    def number(self) -> int:
        return int.from_bytes(self._take(2), "big")

    def string(self) -> bytes:
        return self._take(self.number())

    def text(self) -> str:
        try:
            return self.string().decode()
        except UnicodeDecodeError:
            raise Malformed("a name that is no text") from None

    def rest(self) -> bytes:
        return self._take(len(self._data) - self._at)

"""Who may come to the broker inside felt, and what they may say and hear there.

The rights are those that ``config/broker/set-up`` gives at mosquitto: an account TABLE/DEVICE for
each device, which writes and reads below its own name and nowhere else; one for felt, which alone
says what felt says; and one to look on, if somebody has put a password for it beside the keys. A
device's password is made of its key, so that whoever has the key has it too, and nobody has to hand
one out. felt's is drawn at each start, and leaves the process for nowhere but its own connection.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from drivers.wire import topics
from drivers.wire.broker_client import Account
from drivers.wire.topics import FELT, HEARD, Place, What

#: Under this name people look on.
WATCH = "watch"
#: What a device's password is made of, beside its key. Part of the protocol: a maker does the same.
PURPOSE = b"felt broker"
PASSWORD_DIGITS = 48
#: As long as those that ``set-up`` draws.
PASSWORD_BYTES = PASSWORD_DIGITS // 2

#: What a device says, and what of it the broker keeps for whoever comes later.
SAYS: tuple[What, ...] = ("info", "ack", "event", "status", "state")
KEPT: tuple[What, ...] = ("status", "state")
#: What felt says in its own name; all of it is kept.
FELT_SAYS: tuple[What, ...] = ("state", "head")


def password_of(key: bytes) -> str:
    """A device's password at felt's own broker. It gives away nothing of the key."""
    return hmac.digest(key, PURPOSE, hashlib.sha256).hex()[:PASSWORD_DIGITS]


def user_of(table: str, name: str) -> str:
    return f"{topics.slug(table)}/{topics.slug(name)}"


def client_id_of(table: str, name: str) -> str:
    """As every end of felt's says who it is."""
    return f"felt-{topics.slug(table)}-{topics.slug(name)}"


def as_device(account: Account, table: str, name: str, key: bytes) -> Account:
    """The account of a device. One that was named by somebody stays as it is."""
    if account.user:
        return account
    return replace(account, user=user_of(table, name), password=password_of(key))


@dataclass(frozen=True, slots=True)
class Rights:
    """Of one account. Topics are bytes, as they come in packets."""

    user: str
    client_id: str
    password: str = field(repr=False)
    says: frozenset[bytes] = frozenset()
    keeps: frozenset[bytes] = frozenset()
    hears: frozenset[bytes] = frozenset()
    #: Everything that begins so is heard as well; nothing if it is empty.
    hears_below: bytes = b""
    #: What it is told to do: each of these earns it answers.
    commanded: bytes = b""
    #: felt itself is not held back.
    is_felt: bool = False

    def may_hear(self, topic: bytes) -> bool:
        """A topic, or a filter of topics: one with wildcards reaches no further than it says."""
        return topic in self.hears or bool(self.hears_below and topic.startswith(self.hears_below))


class Accounts:
    """Of the devices of one table at one broker. ``renew`` gives felt another secret."""

    def __init__(self, table: str, keys: Mapping[str, bytes], *, watch: str = "") -> None:
        self._table = topics.slug(table)
        self._felt = ""
        self._slugs = [topics.slug(name) for name in keys]
        devices = map(self._device, self._slugs, keys.values())
        self._all = {one.user: one for one in devices}
        if watch and WATCH not in self._slugs:
            below = f"{topics.ROOT}/{self._table}/".encode()
            looker = self._rights(WATCH, watch)
            self._all[looker.user] = replace(looker, hears_below=below)
        self.renew()

    def __len__(self) -> int:
        return len(self._all)

    def renew(self) -> None:
        """Another secret for felt: whoever had the port meanwhile may have been told the last."""
        own = self._topics(FELT, FELT_SAYS)
        one = replace(
            self._rights(FELT, secrets.token_hex(PASSWORD_BYTES)),
            says=frozenset((*own, *self._each(("cmd",)))),
            keeps=frozenset(own),
            hears=frozenset((*own, *self._each(HEARD))),
            is_felt=True,
        )
        self._felt = one.password
        self._all[one.user] = one

    def as_felt(self, host: str, port: int) -> Account:
        return Account(host, port, f"{self._table}/{FELT}", self._felt)

    def entitled(self, user: str, password: bytes) -> Rights | None:
        """Whose account that is; none if it is nobody's, or not the password."""
        rights = self._all.get(user)
        # As long for no account as for a wrong password, though names are no secret.
        known = rights.password if rights is not None else self._felt
        right = hmac.compare_digest(known.encode(), password)
        return rights if right else None

    def is_borrowed(self, client_id: str, rights: Rights) -> bool:
        """Whether somebody says that he is another one of this table."""
        return client_id != rights.client_id and any(
            one.client_id == client_id for one in self._all.values()
        )

    # --- Made of ----------------------------------------------------------------

    def _device(self, slug: str, key: bytes) -> Rights:
        (commanded,) = self._topics(slug, ("cmd",))
        return replace(
            self._rights(slug, password_of(key)),
            says=frozenset(self._topics(slug, SAYS)),
            keeps=frozenset(self._topics(slug, KEPT)),
            hears=frozenset((commanded, *self._topics(slug, ("state",)))),
            commanded=commanded,
        )

    def _rights(self, slug: str, password: str) -> Rights:
        return Rights(f"{self._table}/{slug}", client_id_of(self._table, slug), password)

    def _topics(self, slug: str, whats: Iterable[What]) -> list[bytes]:
        return [str(Place(self._table, slug, what)).encode() for what in whats]

    def _each(self, whats: Iterable[What]) -> Iterator[bytes]:
        for slug in self._slugs:
            yield from self._topics(slug, whats)

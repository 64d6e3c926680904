"""Sealed faces: what a reading shoe saw, kept so that only the reveal can open it.

Authenticated encryption, with a key of its own for each round. felt has that key from before the
first stack until the last reveal of the round; then it is overwritten, in memory and on the disk.
So whoever takes the disk, or reads the memory, opens the hand that is being played and no other.

Auditors may have to know in a dispute what nobody has turned over. So each seal carries its round's
key as well, for the one who has the auditors' key (X25519), and felt has only its public half.
"""

from __future__ import annotations

import base64
import os
from collections.abc import Callable
from pathlib import Path
from threading import Lock

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from controller.daemon import secrets
from controller.rules.faults import Refused

KEY_BYTES = 32
_NONCE_BYTES = 12
_TAG_BYTES = 16
#: A point of the curve, and the round's key sealed for the auditors.
_ESCROW_BYTES = KEY_BYTES + KEY_BYTES + _TAG_BYTES
#: For a key that is used once and never again.
_ONCE = bytes(_NONCE_BYTES)
#: The key of the round that is played, in the folder of the journal: sealed itself.
ROUND = "round.key"

Random = Callable[[int], bytes]


class Kept:
    """Where the key of a round outlives a restart: one file, overwritten in its place.

    In its place, so that the one before is not left behind somewhere on the disk.
    """

    def __init__(self, file: Path, key: bytes, random: Random = os.urandom) -> None:
        self._file = file
        self._cipher = ChaCha20Poly1305(key)
        self._random = random

    def load(self) -> bytearray | None:
        """The key, or nothing if there is none that can be read."""
        try:
            data = base64.b64decode(self._file.read_bytes().strip(), validate=True)
            nonce, rest = data[:_NONCE_BYTES], data[_NONCE_BYTES:]
            found = bytearray(self._cipher.decrypt(nonce, rest, b"felt round"))
        except (OSError, ValueError, InvalidTag):
            return None
        return found if len(found) == KEY_BYTES else None

    def keep(self, key: bytes | bytearray) -> None:
        nonce = self._random(_NONCE_BYTES)
        data = base64.b64encode(nonce + self._cipher.encrypt(nonce, bytes(key), b"felt round"))
        handle = os.open(self._file, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            # Less than a sector: it is the old one or the new one.
            os.pwrite(handle, data + b"\n", 0)
            os.ftruncate(handle, len(data) + 1)
            os.fsync(handle)
        finally:
            os.close(handle)


class Sealer:
    def __init__(self, auditors: bytes, random: Random = os.urandom, kept: Kept | None = None):
        """``auditors`` is the public half of their key."""
        self._auditors = auditors
        self._random = random
        self._kept = kept
        #: Of two that write, the one that comes last writes what counts.
        self._writing = Lock()
        #: Whether anything was sealed with the key that is in use.
        self.is_used = False
        found = kept.load() if kept is not None else None
        self._key = found or bytearray(random(KEY_BYTES))
        self._escrow = b""
        if found is None:
            self.keep()
        else:
            self.is_used = True  # so it is exchanged before the next round

    def seal(self, faces: bytes) -> str:
        self.is_used = True
        if not self._escrow:
            self._escrow = _for_auditors(self._auditors, bytes(self._key), self._random)
        nonce = self._random(_NONCE_BYTES)
        sealed = ChaCha20Poly1305(self._key).encrypt(nonce, faces, self._escrow)
        return base64.b64encode(self._escrow + nonce + sealed).decode()

    def open(self, sealed: str) -> tuple[int, ...]:
        """The faces, a byte each as the wire has them. Only for cards that the rules reveal."""
        try:
            return _opened(bytes(self._key), sealed)
        except (ValueError, InvalidTag):
            problem = "the faces can't be opened: they were sealed with another key"
            raise Refused("sealed", problem, "key in what was turned") from None

    def forget(self) -> None:
        """Take another key, and overwrite the one before; ``keep`` does it on the disk."""
        self._key[:] = self._random(KEY_BYTES)
        self._escrow = b""
        self.is_used = False

    def keep(self) -> None:
        """Put the key that is in use on the disk, in the place of the one before. It may take
        long, and may fail like any write."""
        if self._kept is not None:
            with self._writing:
                self._kept.keep(self._key)


def of_table(folder: Path, state: Path, random: Random = os.urandom) -> Sealer:
    """With the keys of a secrets folder, and the round's key beside the journal."""
    auditors, rounds = keys(folder)
    file = state / ROUND
    try:
        # What the disk has is not a matter of the seed of a simulated table.
        return Sealer(auditors, random, Kept(file, rounds))
    except OSError as error:
        raise Refused(str(file), f"can't be written: {error.strerror}") from None


def keys(folder: Path) -> tuple[bytes, bytes]:
    """The auditors' public key, and the one that seals the key of a round on the disk.

    Where the auditors' own lies in the folder, both follow from it.
    """
    if secrets.file_of(folder, secrets.AUDITORS).exists():
        return secrets.public(folder), secrets.key(folder, secrets.ROUNDS)
    whole = secrets.key(folder, secrets.FACES)
    return public_of(whole), _derived(whole, b"felt rounds")


def public_of(private: bytes) -> bytes:
    return X25519PrivateKey.from_private_bytes(private).public_key().public_bytes_raw()


def _for_auditors(auditors: bytes, key: bytes, random: Random) -> bytes:
    once = X25519PrivateKey.from_private_bytes(random(KEY_BYTES))
    point = once.public_key().public_bytes_raw()
    shared = once.exchange(X25519PublicKey.from_public_bytes(auditors))
    cipher = ChaCha20Poly1305(_derived(shared, b"felt faces" + point + auditors))
    return point + cipher.encrypt(_ONCE, key, point)


def _opened(key: bytes, sealed: str) -> tuple[int, ...]:
    data = base64.b64decode(sealed, validate=True)
    escrow, nonce = data[:_ESCROW_BYTES], data[_ESCROW_BYTES : _ESCROW_BYTES + _NONCE_BYTES]
    rest = data[_ESCROW_BYTES + _NONCE_BYTES :]
    return tuple(ChaCha20Poly1305(key).decrypt(nonce, rest, escrow))


def _derived(key: bytes, what: bytes) -> bytes:
    return HKDF(hashes.SHA256(), KEY_BYTES, salt=None, info=what).derive(key)


# --- For auditors -------------------------------------------------------------


def opened_by_auditors(private: bytes, sealed: str) -> tuple[int, ...]:
    """The faces of any round, for who has the auditors' key; ``Refused`` for anybody else."""
    try:
        data = base64.b64decode(sealed, validate=True)
        if len(data) < _ESCROW_BYTES:
            # From before rounds had keys of their own: all were sealed with this one.
            nonce, rest = data[:_NONCE_BYTES], data[_NONCE_BYTES:]
            return tuple(ChaCha20Poly1305(private).decrypt(nonce, rest, b"felt"))
        point, wrapped = data[:KEY_BYTES], data[KEY_BYTES:_ESCROW_BYTES]
        shared = X25519PrivateKey.from_private_bytes(private).exchange(
            X25519PublicKey.from_public_bytes(point)
        )
        whole = _derived(shared, b"felt faces" + point + public_of(private))
        return _opened(ChaCha20Poly1305(whole).decrypt(_ONCE, wrapped, point), sealed)
    except (ValueError, InvalidTag):
        problem = "the faces can't be opened with this key"
        raise Refused("sealed", problem, "give the one that was the auditors' then") from None

"""Proof of who speaks: a key that felt and one device share, and what is made of it.

At the handshake each side gives a nonce, and the device proves that it has the key. From both
nonces a key is made that holds for this session alone; every later packet carries a tag made with
it. A box plugged in between can pass packets on or lose them, which is noticed as silence. It can't
make one, change one, or use one again.
"""

from __future__ import annotations

import hashlib
import hmac
from dataclasses import dataclass

from drivers.wire.frame import TAG_BYTES, Packet

KEY_BYTES = 32
NONCE_BYTES = 16
PROOF_BYTES = 16

#: For bringing up a device on the bench: everybody knows it, so it proves nothing. A driver that
#: runs with it says that it is degraded.
BENCH_KEY = bytes(KEY_BYTES)


@dataclass(frozen=True, slots=True)
class SessionKeys:
    tag: bytes
    #: For the faces that a shoe reads: they travel and are captured under this one only.
    faces: bytes

    @classmethod
    def agreed(cls, key: bytes, ours: bytes, theirs: bytes) -> SessionKeys:
        """The keys of a session: ``ours`` is felt's nonce, ``theirs`` the device's."""
        return cls(_made(key, b"felt tag", ours, theirs), _made(key, b"felt faces", ours, theirs))

    def tagged(self, packet: Packet) -> Packet:
        # By hand: every packet goes through here, and its own constructor takes twice as long.
        kind, address, session, seq, payload, _, deadline = packet
        signed = (kind, address, session, seq, payload, self.sign(packet), deadline)
        return tuple.__new__(Packet, signed)

    def sign(self, packet: Packet) -> bytes:
        return _made(self.tag, packet.signed_part)[:TAG_BYTES]

    def signed(self, packet: Packet) -> bool:
        return hmac.compare_digest(self.sign(packet), packet.tag)

    def cover(self, faces: bytes, seq: int) -> bytes:
        """Cover faces that travel in event ``seq``, or uncover them: it is the same thing.

        A session never has two events with one number, so no stretch of the stream is used twice.
        """
        stream = _made(self.faces, seq.to_bytes(4, "big"))
        if len(faces) > len(stream):
            raise ValueError(f"{len(faces)} faces are more than a stack has")
        return bytes(a ^ b for a, b in zip(faces, stream, strict=False))


def proof(key: bytes, ours: bytes, identity: bytes) -> bytes:
    """What a device sends with its identity, which ends with its own nonce."""
    return _made(key, b"felt identity", ours, identity)[:PROOF_BYTES]


def proven(key: bytes, ours: bytes, identity: bytes, given: bytes) -> bool:
    return hmac.compare_digest(proof(key, ours, identity), given)


def _made(key: bytes, *parts: bytes) -> bytes:
    return hmac.digest(key, b"".join(parts), hashlib.sha256)

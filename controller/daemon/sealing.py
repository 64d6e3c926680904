"""Sealed faces: what a reading shoe saw, kept so that only the reveal can open it.

Authenticated encryption with the service's own key. The seal is bound to nothing but itself; that a
stack is the one it was dealt as follows from the journal, which is chained.
"""

from __future__ import annotations

import base64
import os
from collections.abc import Callable

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305

from controller.rules.faults import Refused

_NONCE_BYTES = 12


class Sealer:
    def __init__(self, key: bytes, random: Callable[[int], bytes] = os.urandom) -> None:
        self._cipher = ChaCha20Poly1305(key)
        self._random = random

    def seal(self, faces: bytes) -> str:
        nonce = self._random(_NONCE_BYTES)
        return base64.b64encode(nonce + self._cipher.encrypt(nonce, faces, b"felt")).decode()

    def open(self, sealed: str) -> tuple[int, ...]:
        """The faces, a byte each as the wire has them. Only for cards that the rules reveal."""
        try:
            data = base64.b64decode(sealed, validate=True)
            nonce, rest = data[:_NONCE_BYTES], data[_NONCE_BYTES:]
            return tuple(self._cipher.decrypt(nonce, rest, b"felt"))
        except (ValueError, InvalidTag):
            raise Refused(
                "sealed", "the faces can't be opened", "was the key of the faces changed?"
            ) from None

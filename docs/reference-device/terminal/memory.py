"""What a terminal keeps without power: a file that is written whole, or not at all."""

from __future__ import annotations

import json
import os
import secrets
from pathlib import Path
from typing import Any


class Memory:
    """The boot, the events that wait, and the transfers that are not answered."""

    def __init__(self, file: Path) -> None:
        self._file = file
        try:
            said = json.loads(file.read_text(encoding="utf-8"))
        except FileNotFoundError:
            # Nobody knows which boots there were: one that none of them can have been.
            said = {"boot": secrets.randbits(32)}
        self.boot: int = said["boot"]
        #: Oldest first, as numbers and messages.
        self.events: list[tuple[int, dict[str, Any]]] = [(n, m) for n, m in said.get("events", ())]
        self.next_event: int = said.get("next_event", 1)
        #: By their ids: what was asked for.
        self.transfers: dict[str, dict[str, Any]] = said.get("transfers", {})
        self.next_transfer: int = said.get("next_transfer", 1)
        if not self.events:
            self.boot = (self.boot + 1) % 2**32
            self.next_event = 1
        self.keep()

    def keep(self) -> None:
        new = self._file.with_suffix(".new")
        with new.open("w", encoding="utf-8") as file:
            json.dump({k: v for k, v in vars(self).items() if not k.startswith("_")}, file)
            file.flush()
            os.fsync(file.fileno())
        new.replace(self._file)

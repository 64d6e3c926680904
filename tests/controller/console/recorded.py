"""What a dealer's touches became: the acts of a round, as they stand in the journal."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from controller.journal.reader import Reader


class Act(NamedTuple):
    kind: str
    #: All of it, as it was written.
    body: dict[str, Any]
    #: Why it was refused, if it was.
    refused: str

    @property
    def is_keyed(self) -> bool:
        """Told by the dealer: with who it was, or under a name that says so."""
        by = self.body.get("by") or {}
        return by.get("role") == "dealer" or str(self.body.get("id")).startswith("key/dealer")


def acts_of(folder: Path, number: int) -> Iterator[Act]:
    """Everything from the last card of the round before to the last card of this one."""
    rounds, body = 1, dict[str, Any]()
    with Reader.look(folder / "state" / "journal.db") as journal:
        for one in journal.entries():
            if one.kind == "event":
                body = json.loads(one.body)
            elif one.kind == "decision":
                if rounds == number:
                    yield Act(body["kind"], body, json.loads(one.body)["refused"])
                rounds += body["kind"] == "cards_racked"

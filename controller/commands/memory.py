"""What took long to work out is kept, and found again as long as nothing it depends on changed."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import controller.rules


class Memory:
    """Answers by what they depend on. A cache that can't be read or written is only slower."""

    def __init__(self, folder: Path | None = None, *, fresh: bool = False) -> None:
        self._folder = folder or _cache_folder()
        self._fresh = fresh
        self._software = _digest_of_the_rules()

    def recall(self, key: Any, work: Callable[[], dict[str, Any]]) -> dict[str, Any]:
        """What ``work`` gives, or what it gave for the same key and the same software."""
        named = json.dumps([self._software, key], sort_keys=True)
        file = self._folder / f"{hashlib.sha256(named.encode()).hexdigest()}.json"
        if not self._fresh:
            try:
                kept: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
                return kept
            except (OSError, ValueError):
                pass
        found = work()
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            part = file.with_suffix(f".{os.getpid()}.part")
            part.write_text(json.dumps(found), encoding="utf-8")
            part.replace(file)
        except OSError:
            pass
        return found


def _cache_folder() -> Path:
    home = os.environ.get("XDG_CACHE_HOME")
    return (Path(home) if home else Path.home() / ".cache") / "felt" / "odds"


def _digest_of_the_rules() -> str:
    """All of ``controller.rules``: whatever changes there may change any odds."""
    digest = hashlib.sha256()
    for folder in controller.rules.__path__:
        for file in sorted(Path(folder).rglob("*.py")):
            digest.update(file.read_bytes())
    return digest.hexdigest()

"""What is too much for one request: numbers, texts and lists that no act of a table ever has.

JSON has no end of digits, and of names in names. What is beyond this is refused before anything
reads it, with where it stands and how much would do.
"""

from __future__ import annotations

from typing import Any

from controller.journal.entry import MAX_INTEGER

#: As long as the longest words of an event, with room; and what a list or an object holds.
MAX_TEXT = 2048
MAX_ITEMS = 256
MAX_NAME = 64
MAX_DEEP = 8


def beyond(given: Any, where: str = "with", deep: int = 0) -> str:
    """What of it is too much, in words; nothing, if it is within bounds."""
    match given:
        case int() | float() if abs(given) > MAX_INTEGER:
            return f"{where}: a number is at most {MAX_INTEGER:,}"
        case str() if len(given) > MAX_TEXT:
            return f"{where}: a text is at most {MAX_TEXT:,} characters, not {len(given):,}"
        case list() | dict():
            return _many(given, where, deep)
    return ""


def _many(given: list[Any] | dict[Any, Any], where: str, deep: int) -> str:
    if len(given) > MAX_ITEMS:
        return f"{where}: at most {MAX_ITEMS} at once, not {len(given):,}"
    if deep >= MAX_DEEP:
        return f"{where}: at most {MAX_DEEP} deep"
    if isinstance(given, list):
        named = [(f"{where}[{n}]", one) for n, one in enumerate(given)]
    else:
        if any(len(str(name)) > MAX_NAME for name in given):
            return f"{where}: a name is at most {MAX_NAME} characters"
        named = [(f"{where}.{name}", one) for name, one in given.items()]
    return next((found for name, one in named if (found := beyond(one, name, deep + 1))), "")

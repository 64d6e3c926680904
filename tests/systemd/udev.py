"""A small reader of udev rules: enough to say whether udev would take a line.

`udevadm verify` does this from systemd 254 on; the systemd that felt is made for is older.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_TOKEN = re.compile(r'\s*([A-Z]+)(\{[^}]+\})?\s*(==|!=|\+=|-=|:=|=)\s*"([^"]*)"\s*(,|$)')
_COMPARED = frozenset({"==", "!="})
_GIVEN = frozenset({"=", "+=", "-=", ":="})

#: What can be compared, what can be given, and what needs a name in braces.
COMPARED = frozenset({"ACTION", "ATTR", "ATTRS", "DRIVER", "DRIVERS", "ENV", "KERNEL", "KERNELS",
                      "SUBSYSTEM", "SUBSYSTEMS", "TAG", "TEST"})  # fmt: skip
GIVEN = frozenset({"ATTR", "ENV", "GROUP", "LABEL", "MODE", "OWNER", "SYMLINK", "TAG"})
BRACED = frozenset({"ATTR", "ATTRS", "ENV"})


def faults(text: str) -> Iterator[str]:
    """What udev would not take, a line each."""
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip() and not line.lstrip().startswith("#"):
            yield from (f"line {number}: {fault}" for fault in _faults(line.rstrip()))


def _faults(line: str) -> Iterator[str]:
    at, compares, gives = 0, False, False
    while at < len(line):
        found = _TOKEN.match(line, at)
        if found is None:
            yield f"is no rule from {line[at:]!r} on"
            return
        key, name, operator, value, _ = found.groups()
        at = found.end()
        compares |= operator in _COMPARED
        gives |= operator in _GIVEN
        known = COMPARED if operator in _COMPARED else GIVEN
        if key not in known:
            yield f"{key} can't stand before {operator}"
        if (key in BRACED) != bool(name):
            yield f"{key}{name or ''} has braces too many or too few"
        if key == "MODE" and not re.fullmatch("0[0-7]{3}", value):
            yield f"{value} is no mode"
    if not (compares and gives):
        yield "compares nothing, or does nothing"

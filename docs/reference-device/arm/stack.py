"""The deepest way through the program, from gcc's call graphs: stack.py FILE.ci ...

A call through a pointer ends in one of the functions that the core was given by an application:
the memory asks what to keep, the conversation does the rest. The functions of the hardware are not
in it, nor is what interrupts them.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

#: Where a program enters the core.
ENTRIES = ("felt_start", "felt_begin", "felt_step", "felt_tell", "felt_keep")
#: What the parts of the core call through pointers.
CALLED = {"memory": ("keep",), "session": ("command", "report", "go_safe")}
INDIRECT = "__indirect_call"

NODE = re.compile(r'node: { title: "([^"]+)" label: "[^"]*?\\n(\d+) bytes')
EDGE = re.compile(r'edge: { sourcename: "([^"]+)" targetname: "([^"]+)"')


def short(title: str) -> str:
    return title.rpartition(":")[2]


def main(files: list[str]) -> None:
    bytes_of: dict[str, int] = {}
    calls: dict[str, set[str]] = {}
    for file in files:
        text = Path(file).read_text(encoding="utf-8").replace(INDIRECT, f"by {Path(file).stem}")
        bytes_of |= {title: int(count) for title, count in NODE.findall(text)}
        for source, target in EDGE.findall(text):
            calls.setdefault(source, set()).add(target)
    for part, names in CALLED.items():
        calls[f"by {part}"] = {title for title in bytes_of if short(title) in names}

    def deepest(title: str, above: tuple[str, ...]) -> tuple[int, tuple[str, ...]]:
        if title in above:
            return 0, ()
        here = (*above, title)
        below = [deepest(one, here) for one in calls.get(title, ())]
        count, way = max(below, default=(0, ()))
        return bytes_of.get(title, 0) + count, (title, *way)

    sys.stdout.write("Functions with the most stack (bytes):\n")
    for title, count in sorted(bytes_of.items(), key=lambda one: -one[1])[:8]:
        sys.stdout.write(f"{count:8}  {short(title)}\n")
    sys.stdout.write("The deepest way in from each entry, without the hardware's own functions:\n")
    for entry in ENTRIES:
        count, way = deepest(entry, ())
        names = [short(one) for one in way if not one.startswith("by ")]
        sys.stdout.write(f"{count:8}  {' > '.join(names)}\n")


main(sys.argv[1:])

"""Compiles sources anew and says which compiled files hold something else.

A program of its own, of which Python's own library is all it needs: what somebody has planted may
crash who reads it, and compiling keeps a whole process busy. It is given pairs of a compiled file
and its source, a line of JSON each, and answers each with a line, ``true`` if they belong together.
"""

from __future__ import annotations

import contextlib
import json
import marshal
import os
import re
import resource
import sys
from pathlib import Path
from types import CodeType
from typing import Any

HEADER_BYTES = 16
#: Of memory: what is planted may ask for all of it.
MAX_BYTES = 1 << 30

_OPTIMISED = re.compile(r"\.opt-([12])\.pyc$")
#: All of a piece of code that has a part in what it does, and where its lines are said to be.
_FIELDS = (
    "co_name",
    "co_qualname",
    "co_argcount",
    "co_posonlyargcount",
    "co_kwonlyargcount",
    "co_nlocals",
    "co_stacksize",
    "co_flags",
    "co_code",
    "co_names",
    "co_varnames",
    "co_freevars",
    "co_cellvars",
    "co_firstlineno",
    "co_linetable",
    "co_exceptiontable",
)


def same(one: Any, other: Any) -> bool:
    """Whether two constants are the same, of the same type, however deep they are."""
    if type(one) is not type(other):
        return False
    if isinstance(one, CodeType):
        return all(getattr(one, field) == getattr(other, field) for field in _FIELDS) and same(
            one.co_consts, other.co_consts
        )
    if isinstance(one, tuple):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, frozenset):
        kept = [sorted(map(_named, each)) for each in (one, other)]
        return kept[0] == kept[1]
    # Also the sign of a zero, which is equal to the other zero.
    return repr(one) == repr(other)


def _named(value: Any) -> str:
    return f"{type(value).__name__} {value!r}"


def belongs(compiled: str, source: str) -> bool:
    optimised = _OPTIMISED.search(compiled)
    kept = marshal.loads(Path(compiled).read_bytes()[HEADER_BYTES:])
    text = Path(source).read_bytes()
    level = int(optimised[1]) if optimised else 0
    return same(kept, compile(text, source, "exec", dont_inherit=True, optimize=level))


def main() -> None:
    with contextlib.suppress(OSError):
        os.nice(10)  # where the service may: the table comes first
    with contextlib.suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_AS, (MAX_BYTES, MAX_BYTES))
    for line in sys.stdin:
        compiled, source = json.loads(line)
        try:
            answer = belongs(compiled, source)
        except Exception:
            # Whatever it is that is kept there, it is not what Python makes of the source.
            answer = False
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()

"""What Python would run in place of a source, and whether it was made of it.

Beside each source Python keeps what it compiled, and runs that as long as it claims the age and the
length of the source, or its hash, or nothing at all. Nothing proves that it was made of it: who can
write there can have a table run what no source says. So a signature over sources alone is not one
over what is run.

A file that claims a hash, or nothing, came with a package: it is signed like any other. One that
claims an age was made on this PC and differs from one PC to the next: it is compiled again, and
counts as foreign unless that gives the same.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from controller.daemon import recompiling
from controller.rules.faults import Refused

CACHE = "__pycache__"
SUFFIX = ".pyc"

#: Packages bring their tests along. No source that is signed imports them, and there are many.
TESTS = "tests"
#: How long all of them may take. A packed PC compiles some hundred in a few seconds.
PATIENCE_S = 300.0
#: So often what reads them may crash over one of them before the rest is not looked at any more.
MAX_CRASHES = 8
#: Answers that are kept, by what both files hold.
MAX_KNOWN = 20_000

_known: dict[tuple[bytes, bytes], bool] = {}


def sorted_out(files: Iterable[Path]) -> tuple[list[Path], list[Path]]:
    """Of compiled files: those to be signed, and among them those that are foreign."""
    signed: list[Path] = []
    made: list[tuple[Path, Path]] = []
    for file in files:
        if file.parent.name != CACHE:
            # In the place of a source, where only a module without one would have it.
            signed.append(file)
        elif (source := _source_of(file)) is not None:
            flags, is_current = _claims(file, source)
            if flags:
                signed.append(file)
            elif is_current:
                made.append((file, source))
    foreign = list(_foreign(made))
    return signed + foreign, foreign


def _source_of(file: Path) -> Path | None:
    """The source in whose place this Python would run it, whatever its optimisation."""
    tag = re.escape(sys.implementation.cache_tag or "")
    match = re.fullmatch(rf"(.+)\.{tag}(\.opt-[12])?\.pyc", file.name)
    if match is None:
        return None
    source = file.parent.parent / f"{match[1]}.py"
    if TESTS in source.parent.parts or not source.is_file():
        return None
    return source


def _claims(file: Path, source: Path) -> tuple[int, bool]:
    """Its flags, and whether Python takes its age and length for those of the source."""
    try:
        with file.open("rb") as opened:
            header = opened.read(recompiling.HEADER_BYTES)
        status = source.stat()
    except OSError as error:
        raise Refused(str(file), f"can't be read: {error.strerror}") from None
    if len(header) < recompiling.HEADER_BYTES or header[:4] != importlib.util.MAGIC_NUMBER:
        return 0, False  # Python makes it anew
    flags, age, length = (int.from_bytes(header[at : at + 4], "little") for at in (4, 8, 12))
    is_current = (age, length) == (int(status.st_mtime) & 0xFFFF_FFFF, status.st_size & 0xFFFF_FFFF)
    return flags, is_current


def _foreign(made: list[tuple[Path, Path]]) -> Iterator[Path]:
    names = {pair: _contents(*pair) for pair in made}
    unknown = [pair for pair in made if names[pair] not in _known]
    if len(_known) + len(unknown) > MAX_KNOWN:
        _known.clear()
    for pair, answer in zip(unknown, _compiled_again(unknown), strict=True):
        _known[names[pair]] = answer
    yield from (file for file, source in made if not _known.get(names[file, source], False))


def _contents(file: Path, source: Path) -> tuple[bytes, bytes]:
    try:
        # The name says for which optimisation it is.
        kept = hashlib.sha256(file.name.encode() + b"\0" + file.read_bytes())
        return kept.digest(), hashlib.sha256(source.read_bytes()).digest()
    except OSError as error:
        raise Refused(str(file), f"can't be read: {error.strerror}") from None


def _compiled_again(pairs: list[tuple[Path, Path]]) -> list[bool]:
    """For each whether it belongs to its source; one that crashes who reads it does not."""
    answers: list[bool] = []
    for _ in range(MAX_CRASHES):
        left = pairs[len(answers) :]
        if not left:
            break
        lines = "".join(json.dumps([str(file), str(source)]) + "\n" for file, source in left)
        # From its source, as Python runs every program that it is given by its file.
        program = [sys.executable, "-I", "-B", "-S", str(Path(recompiling.__file__))]
        try:
            ran = subprocess.run(
                program,
                input=lines,
                capture_output=True,
                text=True,
                timeout=PATIENCE_S,
                check=False,
            )
        except (OSError, subprocess.SubprocessError) as error:
            raise Refused(program[-1], f"can't be run: {error}", "try again") from None
        answers += [line == "true" for line in ran.stdout.splitlines()]
        if len(answers) < len(pairs):
            answers.append(False)
    return answers + [False] * (len(pairs) - len(answers))

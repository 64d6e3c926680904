"""A compiled file that was planted beside a source is run by Python, and is found."""

from __future__ import annotations

import asyncio
import importlib.metadata
import importlib.util
import marshal
import os
import py_compile
import shutil
import subprocess
import sys
from pathlib import Path
from py_compile import PycInvalidationMode

import pytest

from controller.daemon import recompiling, signature
from controller.library import shipped
from tests.controller.daemon.house import table_file

HONEST = "SAID = 'honest'\n"
EVIL = "SAID = 'evil! '\n"  # as long as the honest one


@pytest.fixture
def program(tmp_path: Path) -> Path:
    """A program of one module, with nothing compiled."""
    for own in signature.OWN:
        (tmp_path / own).mkdir()
    (tmp_path / "controller" / "cli.py").write_text(HONEST)
    return tmp_path


def planted(program: Path, mode: PycInvalidationMode) -> Path:
    """Compiled from another source, with the claims of the real one."""
    source = program / "controller" / "cli.py"
    other = program / "other.py"
    other.write_text(EVIL)
    status = source.stat()
    os.utime(other, ns=(status.st_atime_ns, status.st_mtime_ns))
    at = Path(importlib.util.cache_from_source(str(source)))
    py_compile.compile(str(other), str(at), dfile=str(source), invalidation_mode=mode)
    other.unlink()
    if mode is PycInvalidationMode.CHECKED_HASH:
        claimed = importlib.util.source_hash(source.read_bytes())
        data = at.read_bytes()
        at.write_bytes(data[:8] + claimed + data[16:])
    return at


def said_by(program: Path) -> str:
    """What Python runs if it is told to run the program."""
    code = "import sys; sys.path.insert(0, sys.argv[1]); import controller.cli as c; print(c.SAID)"
    words = [sys.executable, "-I", "-B", "-S", "-c", code, str(program)]
    return subprocess.run(words, check=True, capture_output=True, text=True).stdout.strip()


@pytest.mark.rule("R35")
@pytest.mark.parametrize("mode", list(PycInvalidationMode))
def test_what_is_run_in_place_of_a_source_changes_the_signature(
    program: Path, mode: PycInvalidationMode
) -> None:
    before = signature.program(program)
    at = planted(program, mode)
    # It is as bad as it looks: the source says otherwise.
    assert said_by(program) == "evil!"
    after = signature.program(program)
    assert after.digest != before.digest
    if mode is PycInvalidationMode.TIMESTAMP:
        assert after.foreign == (at.relative_to(program).as_posix(),)
    at.unlink()
    assert signature.program(program) == before


@pytest.mark.rule("R35")
def test_what_python_makes_of_the_sources_changes_nothing(program: Path) -> None:
    source = program / "controller" / "cli.py"
    source.write_text((Path(signature.ROOT) / "controller" / "cli.py").read_text())
    before = signature.program(program)
    for level in (0, 1, 2):
        at = py_compile.compile(str(source), optimize=level)
        assert at is not None
        assert signature.program(program) == before
    # Of an earlier source: Python makes it anew, and does not run it.
    source.write_text(HONEST)
    assert said_by(program) == "honest"
    assert signature.program(program).foreign == ()


@pytest.mark.parametrize("data", [b"", b"short", b"\0" * 64])
def test_what_python_does_not_run_is_no_part_of_it(program: Path, data: bytes) -> None:
    before = signature.program(program)
    at = Path(importlib.util.cache_from_source(str(program / "controller" / "cli.py")))
    at.parent.mkdir()
    at.write_bytes(data)
    assert said_by(program) == "honest"
    assert signature.program(program) == before


@pytest.mark.rule("R35")
def test_one_that_asks_for_all_memory_is_foreign_and_the_others_are_not(program: Path) -> None:
    names = ["a.py", "cli.py", "z.py"]
    for name in names:
        source = program / "controller" / name
        source.write_text(HONEST)
        py_compile.compile(str(source))
    at = Path(importlib.util.cache_from_source(str(program / "controller" / "cli.py")))
    # A tuple of two thousand million.
    at.write_bytes(at.read_bytes()[: recompiling.HEADER_BYTES] + b"(\xff\xff\xff\x7f" * 100)
    assert signature.program(program).foreign == (at.relative_to(program).as_posix(),)


@pytest.mark.rule("R35")
@pytest.mark.parametrize("name", ["json.py", "json/__init__.py", "controller/cli.pyc", "os.pyc"])
def test_a_module_that_nobody_asked_for_is_signed(program: Path, name: str) -> None:
    before = signature.program(program)
    (program / name).parent.mkdir(exist_ok=True)
    (program / name).write_bytes(b"")
    assert signature.program(program).digest != before.digest


@pytest.mark.parametrize(
    ("one", "other"),
    [("x = 0", "x = False"), ("x = 0.0", "x = -0.0"), ("x = (1, 2)", "x = (1, True)")],
)
def test_constants_that_only_look_equal_are_told_apart(one: str, other: str) -> None:
    made = [compile(text, "x.py", "exec") for text in (one, other, one)]
    assert recompiling.same(made[0], made[2])
    assert not recompiling.same(made[0], made[1])


def test_sets_are_the_same_in_any_order() -> None:
    text = "def f(x): return x in {'dealer', 'floorperson', 'supervisor', 'technician'}"
    made_of = f"marshal.dumps(compile({text!r}, 'x', 'exec'))"
    code = f"import marshal, sys; sys.stdout.buffer.write({made_of})"
    ways = [
        subprocess.run(
            [sys.executable, "-c", code],
            check=True,
            capture_output=True,
            env={**os.environ, "PYTHONHASHSEED": seed},
        ).stdout
        for seed in ("1", "2", "3")
    ]
    made = [marshal.loads(way) for way in ways]
    assert recompiling.same(made[0], made[1])
    assert recompiling.same(made[0], made[2])


@pytest.mark.rule("R35")
def test_what_a_package_does_not_list_is_signed_if_it_would_be_run(tmp_path: Path) -> None:
    noted = tmp_path / "thing-1.dist-info"
    for folder in (noted, tmp_path / "thing"):
        folder.mkdir()
    (noted / "METADATA").write_text("Metadata-Version: 2.1\nName: thing\nVersion: 1\n")
    (noted / "RECORD").write_text("thing/__init__.py,,\nsingle.py,,\nthing-1.dist-info/RECORD,,\n")
    for name in ("thing/__init__.py", "single.py"):
        (tmp_path / name).write_text(HONEST)
    thing = importlib.metadata.Distribution.at(noted)

    def signed() -> signature.Part:
        return signature.tree(signature._installed(thing))

    before = signed()
    assert before.files == 2
    for name in ("thing/__init__.py", "single.py"):
        py_compile.compile(str(tmp_path / name))
    assert signed() == before
    # Python looks for these before it looks for sources.
    library = tmp_path / "thing" / "__init__.abi3.so"
    library.write_bytes(b"")
    assert signed().files == 3
    library.unlink()
    at = Path(importlib.util.cache_from_source(str(tmp_path / "single.py")))
    at.write_bytes(at.read_bytes().replace(b"honest", b"evil! "))
    assert signed().foreign == (at.relative_to(tmp_path).as_posix(),)


@pytest.mark.rule("R34", "R35")
async def test_a_table_is_not_opened_with_it_and_everybody_who_asks_is_told(tmp_path: Path) -> None:
    copied = tmp_path / "copied"
    for own in signature.OWN:
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(signature.ROOT / own, copied / own, ignore=ignored)
    shutil.copytree(shipped("rulebooks").parent, copied / "config")
    (tmp_path / "table").mkdir()
    file = table_file(tmp_path / "table")
    # What is planted does what the source does, and something more.
    source = copied / "controller" / "rules" / "cards.py"
    changed = copied / "changed.py"
    changed.write_text(source.read_text().replace('"""', '"""!', 1)[:-1])
    status = source.stat()
    assert changed.stat().st_size == status.st_size
    os.utime(changed, ns=(status.st_atime_ns, status.st_mtime_ns))
    at = importlib.util.cache_from_source(str(source))
    py_compile.compile(str(changed), at, doraise=True)
    changed.unlink()
    problem = f"{Path(at).relative_to(copied).as_posix()} is not made of its source"

    async def felt(*words: str) -> tuple[int | None, str]:
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-B", "-m", "controller", *words, "--table", str(file),
            cwd=copied, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT,
        )  # fmt: skip
        out, _ = await process.communicate()
        return process.returncode, out.decode()

    assert problem in (await felt("signature"))[1]
    code, said = await felt("doctor")
    assert code != 0
    assert problem in said
    assert signature.FOREIGN in said
    assert (await felt("keys", str(tmp_path / "table" / "secrets")))[0] == 0
    running = await asyncio.create_subprocess_exec(
        sys.executable, "-B", "-m", "controller", "run", "--config", str(file),
        cwd=copied, stdout=asyncio.subprocess.PIPE,
    )  # fmt: skip
    assert running.stdout is not None
    try:
        while b'"ready"' not in (line := await running.stdout.readline()):
            assert line
        code, said = await felt("act", "table_opened", "--as", "floor-1")
        assert code != 0
        assert problem in said
    finally:
        running.terminate()
        await running.communicate()

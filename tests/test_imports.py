"""Imports point one way, and what is pure stays pure.

``rules <- table <- journal <- daemon -> drivers``, and the simulators see nothing of felt but the
wire. Of all that, the console knows the client of the control socket and nothing else, and the
terminal, which is a device, not even that. The rules
and the table read no clock, no file, no socket and no random source: what they need of the world
comes in as an event.
"""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("controller", "drivers", "simulators")
#: Whatever begins with one of these is in this repository.
OURS = frozenset({*PACKAGES, "tests", "benchmarks"})

#: The standard library as far as it only computes.
# fmt: off
PURE = frozenset({
    "__future__", "abc", "bisect", "collections", "collections.abc", "dataclasses", "enum",
    "fractions", "functools", "hashlib", "heapq", "itertools", "json", "math", "operator", "re",
    "string", "textwrap", "tomllib", "types", "typing", "unicodedata",
})
# fmt: on


class Place(NamedTuple):
    """What a package, or a module, may import."""

    #: Packages of ours, with all that is below them.
    ours: tuple[str, ...]
    #: Modules of ours, and nothing below or beside them.
    exactly: tuple[str, ...] = ()
    #: Reads no clock, file, socket or random source: of the standard library only ``PURE``.
    pure: bool = False
    #: For a pure place, the packages of others.
    theirs: tuple[str, ...] = ()


RULES = "controller.rules"
TABLE = "controller.table"
JOURNAL = "controller.journal"
LIBRARY = "controller.library"
TABLES = "controller.tables"
DRAWS = "controller.draws"
REPLAY = "controller.replay"
RECALLING = "controller.recalling"
RECORDER = "controller.recorder"
DAEMON = "controller.daemon"
CONSOLE = "controller.console"
TERMINAL = "controller.terminal"
#: What felt says of itself, in logs and signatures.
VERSION = "controller.__version__"
#: Notes which files are loaded, from the first one on.
LOADING = "controller.loading"

BELOW_DAEMON = (RULES, TABLE, JOURNAL, LIBRARY, TABLES, DRAWS, REPLAY, RECALLING, RECORDER)

#: A module is in the place with the longest name that it begins with.
PLACES = {
    "controller.rules.odds": Place((RULES,), pure=True, theirs=("numpy", "pydantic")),
    RULES: Place((RULES,), pure=True, theirs=("pydantic",)),
    TABLE: Place((RULES, TABLE), pure=True, theirs=("msgspec",)),
    JOURNAL: Place((RULES, TABLE, JOURNAL)),
    LIBRARY: Place((RULES, LIBRARY)),
    TABLES: Place((RULES, TABLE, LIBRARY, TABLES)),
    DRAWS: Place((RULES, TABLE, DRAWS)),
    REPLAY: Place((RULES, TABLE, JOURNAL, LIBRARY, TABLES, REPLAY)),
    RECALLING: Place((RULES, TABLE, JOURNAL, LIBRARY, REPLAY, RECALLING)),
    RECORDER: Place((RULES, TABLE, JOURNAL, LIBRARY, TABLES, REPLAY, RECORDER)),
    DAEMON: Place((*BELOW_DAEMON, DAEMON, "drivers"), exactly=(VERSION, LOADING)),
    LOADING: Place(()),
    # Of a table it knows what the control socket tells, and nothing else.
    CONSOLE: Place((CONSOLE,), exactly=(VERSION, f"{RULES}.faults", f"{DAEMON}.client")),
    "controller.demo": Place(
        (*BELOW_DAEMON, DAEMON, "controller.demo", "drivers", "simulators"),
        exactly=("controller.terminal.firmware",),
    ),
    # A device: of felt it knows the wire, and how the console keeps its door.
    TERMINAL: Place(
        (TERMINAL, "drivers.wire", "simulators"),
        exactly=(
            VERSION,
            f"{RULES}.faults",
            *(f"{CONSOLE}.{door}" for door in ("assets", "guard", "limits")),
        ),
    ),
    "controller.school": Place(
        (*BELOW_DAEMON, DAEMON, "controller.demo", "controller.school", "drivers", "simulators")
    ),
    "controller.reference": Place(
        (RULES, LIBRARY, TABLES, "controller.reference"),
        exactly=(f"{DAEMON}.configuration", "drivers.finding"),
    ),
    "controller.technician": Place(
        (*BELOW_DAEMON, DAEMON, "controller.technician", "drivers"), exactly=(VERSION,)
    ),
    "controller.cli": Place(PACKAGES),
    "controller.commands": Place(PACKAGES),
    "controller.__main__": Place(PACKAGES),
    "drivers": Place(
        ("drivers",), exactly=(f"{TABLE}.events", f"{TABLE}.commands", f"{TABLE}.people")
    ),
    "drivers.wire": Place(("drivers.wire",)),
    "simulators": Place(("simulators", "drivers.wire")),
}
#: Importing any module runs this one too, so it imports nothing of ours.
TOP = Place((), pure=True)

#: Builtins that reach out of the program, or into it in ways that cannot be read here.
# fmt: off
REACHING = frozenset({
    "__import__", "breakpoint", "compile", "eval", "exec", "exit", "input", "open", "print", "quit",
})

#: What a pure place may not name, wherever it comes from.
IMPURE = frozenset(
    f"{owner}.{name}"
    for owner, names in {
        "datetime": ("now", "today", "utcnow"),
        "date": ("today",),
        "os": ("environ", "getenv", "getpid", "open", "urandom"),
        "sys": ("argv", "stderr", "stdin", "stdout"),
        "time": ("monotonic", "monotonic_ns", "perf_counter", "sleep", "time", "time_ns"),
        "random": ("choice", "randint", "random", "sample", "shuffle"),
        "secrets": ("choice", "randbelow", "token_bytes"),
        "uuid": ("uuid1", "uuid4"),
        "socket": ("socket",),
        "pathlib": ("Path",),
        "numpy": ("DataSource", "datetime64", "fromfile", "genfromtxt", "load", "loadtxt",
                  "memmap", "random", "save", "savetxt", "savez", "savez_compressed"),
        "pydantic": ("DirectoryPath", "FilePath", "NewPath", "SocketPath",
                     "FutureDate", "FutureDatetime", "PastDate", "PastDatetime"),
    }.items()
    for name in names
)
# fmt: on

#: Methods that nothing but a path or an array has.
IMPURE_METHODS = frozenset({"read_bytes", "read_text", "tofile", "write_bytes", "write_text"})


class Import(NamedTuple):
    line: int
    #: The module after ``import`` or ``from``, without dots in front.
    module: str
    #: What ``from module import`` takes out of it.
    names: tuple[str, ...] = ()


def violations(source: str, module: str, *, package: bool = False) -> list[str]:
    """What ``source`` does that ``module`` may not do, one line each, in order.

    ``package`` says that it is the ``__init__`` of a package, for imports relative to it.
    """
    place = place_of(module)
    if place is None:
        return [f"{module} has no place in PLACES, so nobody knows what it may import"]
    tree = ast.parse(source)
    imports = list(imports_of(tree, module, package=package))
    found = {(i.line, f"imports {shown(i)}") for i in imports if not allowed(i, place)}
    if place.pure:
        found.update(effects(tree, imports))
    return [f"{module}:{line}: {what}" for line, what in sorted(found)]


def place_of(module: str) -> Place | None:
    if module == "controller":
        return TOP
    names = [name for name in PLACES if below(module, name)]
    return PLACES[max(names, key=len)] if names else None


def below(module: str, package: str) -> bool:
    return module == package or module.startswith(f"{package}.")


def shown(what: Import) -> str:
    return f"{what.module} ({', '.join(what.names)})" if what.names else what.module


def imports_of(tree: ast.Module, module: str, *, package: bool) -> Iterator[Import]:
    """Every import, at the top or in a function, for types only or not."""
    for node in ast.walk(tree):
        match node:
            case ast.Import(names=names):
                for alias in names:
                    yield Import(node.lineno, alias.name)
            case ast.ImportFrom(module=name, names=names, level=level):
                base = absolute(name or "", level, module, package=package)
                yield Import(node.lineno, base, tuple(alias.name for alias in names))
            case ast.Call(
                func=ast.Name(id="import_module" | "__import__")
                | ast.Attribute(attr="import_module"),
                args=[ast.Constant(value=str(name)), *_],
            ):
                yield Import(node.lineno, name)


def absolute(name: str, level: int, module: str, *, package: bool) -> str:
    """The module that ``name`` with ``level`` dots in front of it means in ``module``."""
    if level == 0:
        return name
    parts = module.split(".")
    kept = parts[: len(parts) - level + package]
    return ".".join([*kept, name] if name else kept)


def allowed(what: Import, place: Place) -> bool:
    if what.module.partition(".")[0] in OURS:
        # ``from controller.table import events`` imports controller.table.events.
        members = [f"{what.module}.{name}" for name in what.names]
        return permitted(what.module, place) or (
            bool(members) and all(permitted(member, place) for member in members)
        )
    return (
        not place.pure
        or what.module in PURE
        or any(below(what.module, name) for name in place.theirs)
    )


def permitted(module: str, place: Place) -> bool:
    return module in place.exactly or any(below(module, name) for name in place.ours)


def effects(tree: ast.Module, imports: Sequence[Import]) -> Iterator[tuple[int, str]]:
    """Where the source names what reads the world or writes to it, as far as names tell."""
    for what in imports:
        for full in (what.module, *(f"{what.module}.{name}" for name in what.names)):
            for name in IMPURE:
                if below(full, name):
                    yield what.line, f"uses {name}"
    known = aliases(tree)
    bound = bindings(tree)
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Name(id=name)) if name in REACHING:
                yield node.lineno, f"calls {name}()"
            case ast.Name(id=name, ctx=ast.Load()) if name in REACHING - bound:
                yield node.lineno, f"calls {name}()"
            case ast.Attribute(attr=name) if name in IMPURE_METHODS:
                yield node.lineno, f"uses .{name}"
            case ast.Attribute():
                full = f".{dotted(node, known)}"
                for name in IMPURE:
                    if full.endswith(f".{name}"):
                        yield node.lineno, f"uses {name}"


def aliases(tree: ast.Module) -> dict[str, str]:
    """Names that an import binds, and what they stand for: ``np`` for ``numpy``."""
    known = {}
    for node in ast.walk(tree):
        match node:
            case ast.Import(names=names):
                known.update({alias.asname: alias.name for alias in names if alias.asname})
            case ast.ImportFrom(module=str(base), names=names, level=0):
                known.update({a.asname or a.name: f"{base}.{a.name}" for a in names})
    return known


def bindings(tree: ast.Module) -> set[str]:
    """Names that the source itself gives a meaning to."""
    names = set()
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name, ctx=ast.Store()):
                names.add(name)
            case ast.arg(arg=name) | ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                names.add(name)
    return names


def dotted(node: ast.expr, known: dict[str, str]) -> str:
    """``numpy.random.default_rng`` for ``np.random.default_rng``; what has no name is a ``?``."""
    match node:
        case ast.Attribute(value=value, attr=attr):
            return f"{dotted(value, known)}.{attr}"
        case ast.Name(id=name):
            return known.get(name, name)
    return "?"


def floats(source: str) -> list[str]:
    """Where ``source`` makes a number that is not exact, one line each, in order."""
    found = set()
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Constant(value=float() | complex() as value):
                found.add((node.lineno, f"has the number {value!r}"))
            case ast.Call(func=ast.Name(id="float" | "round" | "complex" as name)):
                found.add((node.lineno, f"calls {name}()"))
    return [f"{line}: {what}" for line, what in sorted(found)]


class Module(NamedTuple):
    name: str
    path: Path
    package: bool


def modules() -> list[Module]:
    """Every module of the three packages."""
    found = []
    for path in sorted(p for name in PACKAGES for p in (ROOT / name).rglob("*.py")):
        parts = path.relative_to(ROOT).with_suffix("").parts
        package = parts[-1] == "__init__"
        found.append(Module(".".join(parts[:-1] if package else parts), path, package))
    return found


def exact_modules() -> list[Module]:
    """The rules without the odds: what money goes through."""
    odds = "controller.rules.odds"
    return [m for m in modules() if below(m.name, RULES) and not below(m.name, odds)]


def brings_numpy(names: Sequence[str], folder: Path) -> str:
    """The first of the modules whose import brings numpy in, or nothing."""
    script = (
        "import importlib, sys\n"
        "for name in sys.argv[1:]:\n"
        "    importlib.import_module(name)\n"
        "    if 'numpy' in sys.modules:\n"
        "        print(name)\n"
        "        break\n"
    )
    command = [sys.executable, "-c", script, *names]
    run = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    return run.stdout.strip()


# The tree as it stands.


def test_the_modules_are_found() -> None:
    names = [module.name for module in modules()]
    assert {"controller", "controller.rules", "controller.rules.cards", "drivers"} <= set(names)
    assert "controller.rules.cards" in [module.name for module in exact_modules()]


def test_imports_point_one_way_and_the_pure_is_pure() -> None:
    found = []
    for module in modules():
        source = module.path.read_text(encoding="utf-8")
        found += violations(source, module.name, package=module.package)
    assert not found, "\n".join(found)


def test_no_float_touches_money() -> None:
    found = []
    for module in exact_modules():
        lines = floats(module.path.read_text(encoding="utf-8"))
        found += [f"{module.name}:{line}" for line in lines]
    assert not found, "\n".join(found)


def test_numpy_is_imported_for_odds_only() -> None:
    assert brings_numpy([module.name for module in exact_modules()], ROOT) == ""


# The checks themselves: each must be able to fail.


@pytest.mark.parametrize(
    ("module", "source"),
    [
        ("controller.rules.paytables", "import os"),
        ("controller.rules.paytables", "import os.path as p"),
        ("controller.rules.paytables", "import random"),
        ("controller.rules.paytables", "import time"),
        ("controller.rules.paytables", "from datetime import datetime"),
        ("controller.rules.paytables", "from decimal import Decimal"),
        ("controller.rules.paytables", "from pathlib import Path"),
        ("controller.rules.paytables", "import importlib"),
        ("controller.rules.paytables", "import collections.abc, socket"),
        ("controller.rules.paytables", "import numpy as np"),
        ("controller.rules.paytables", "def f():\n    import numpy"),
        ("controller.rules.paytables", "from typing import *; import pydantic_settings"),
        ("controller.rules.oddsmaker", "import numpy"),
        ("controller.rules.paytables", "from controller import table"),
        ("controller.rules.paytables", "from controller.table.events import Event"),
        ("controller.rules.paytables", "from ..table import events"),
        ("controller.rules.paytables", "from .. import table"),
        ("controller.rules.paytables", "from controller import __version__"),
        ("controller.rules.paytables", "import drivers.wire"),
        ("controller.rules.paytables", "import tests.conformance"),
        (
            "controller.rules.paytables",
            "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import controller.table",
        ),
        ("controller.rules.odds.exact", "from scipy import stats"),
        ("controller.rules.odds.exact", "from controller.table import state"),
        ("controller.table.machine", "import pydantic"),
        ("controller.table.machine", "import numpy"),
        ("controller.table.machine", "import asyncio"),
        ("controller.table.machine", "from controller.journal import append"),
        ("controller.table.machine", "from controller.rules import cards; import controller"),
        ("controller.table.machine", "from controller import rules, daemon"),
        ("controller.journal.store", "from controller.daemon import clock"),
        ("controller.journal.store", "import drivers"),
        ("controller.library", "from controller.table import state"),
        ("controller.rules.rulebook", "from controller.library import Library"),
        ("controller.table.machine", "from controller import library"),
        ("controller.daemon.loop", "from controller.console import pages"),
        ("controller.daemon.loop", "import simulators.shoe"),
        ("controller.daemon.loop", "import importlib\nimportlib.import_module('simulators')"),
        ("controller.daemon.loop", "from importlib import import_module as i; __import__('tests')"),
        ("controller.console.pages", "from simulators import shoe"),
        ("controller.console.pages", "from controller.commands import odds"),
        ("controller.console.pages", "from controller.daemon import secrets"),
        ("controller.console.pages", "from controller.journal.reader import Reader"),
        ("controller.console.pages", "from controller.table import state"),
        ("controller.console.pages", "import drivers"),
        ("controller.cli", "import tests"),
        ("controller", "from controller.rules import cards"),
        ("controller", "import os"),
        ("controller.elsewhere", "pass"),
        ("drivers.shoe", "import controller"),
        ("drivers.shoe", "import controller.table"),
        ("drivers.shoe", "from controller.table import state"),
        ("drivers.shoe", "from controller.table import events, machine"),
        ("drivers.shoe", "from controller.table import *"),
        ("drivers.shoe", "from controller.table.events.more import Event"),
        ("drivers.shoe", "from controller.rules.cards import card"),
        ("drivers.shoe", "from controller.daemon import clock"),
        ("drivers.wire.link", "from controller.journal import append"),
        ("drivers.shoe", "import simulators"),
        ("simulators.shoe", "import drivers"),
        ("simulators.shoe", "from drivers import shoe"),
        ("simulators.shoe", "from drivers import wire, shoe"),
        ("simulators.shoe", "from drivers.wired import link"),
        ("simulators.shoe", "from controller.table.events import Event"),
    ],
)
def test_an_import_against_the_direction_is_found(module: str, source: str) -> None:
    assert violations(source, module) != []


@pytest.mark.parametrize(
    ("module", "source"),
    [
        ("controller.rules.paytables", "from collections.abc import Sequence\nimport re, tomllib"),
        ("controller.rules.paytables", "from collections import abc"),
        ("controller.rules.paytables", "from pydantic.fields import Field"),
        ("controller.rules.paytables", "from . import cards\nfrom .rankings.five import FIVE"),
        ("controller.rules.odds", "import numpy as np"),
        ("controller.rules.odds.exact", "from numpy.typing import NDArray"),
        (
            "controller.table.machine",
            "from controller import rules\nfrom controller.rules import x",
        ),
        ("controller.table.machine", "from ..rules.cards import card\nfrom . import events"),
        ("controller.journal.store", "import os, time\nfrom controller.table import state"),
        ("controller.library", "import pathlib\nfrom controller.rules.rulebook import Rulebook"),
        ("controller.daemon.loop", "import drivers.shoe, controller.journal, asyncio"),
        ("controller.daemon.loop", "from controller.library import Library"),
        ("controller.console.pages", "from controller.daemon.client import Answered"),
        ("controller.cli", "import controller.console, simulators, drivers, sys"),
        ("drivers.shoe", "from controller.table import commands, events\nimport serial"),
        ("drivers.shoe", "from controller.table.events import Event\nfrom .wire import link"),
        (
            "simulators.shoe",
            "from drivers.wire.link import Link\nfrom drivers import wire\nimport os",
        ),
        ("simulators.shoe", "from simulators import faults\nimport random"),
    ],
)
def test_an_import_along_the_direction_is_not(module: str, source: str) -> None:
    assert violations(source, module) == []


def test_a_relative_import_in_a_package_starts_at_the_package() -> None:
    assert violations("from .events import Event", "controller.table", package=True) == []
    assert violations("from ..rules import cards", "controller.table", package=True) == []
    assert violations("from ..daemon import loop", "controller.table", package=True) == [
        "controller.table:1: imports controller.daemon (loop)"
    ]
    assert violations("from . import daemon", "controller.cli") == []
    assert violations("from . import daemon", "controller.table") == [
        "controller.table:1: imports controller (daemon)"
    ]


@pytest.mark.parametrize("module", ["controller.rules.paytables", "controller.table.machine"])
@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("open('x')", "calls open()"),
        ("input()", "calls input()"),
        ("print(1)", "calls print()"),
        ("eval('1')", "calls eval()"),
        ("exec('1')", "calls exec()"),
        ("__import__('os')", "calls __import__()"),
        ("breakpoint()", "calls breakpoint()"),
        ("write = print", "calls print()"),
        ("def f(say=print): ...", "calls print()"),
        ("def f(open): ...\nopen('x')", "calls open()"),
        ("datetime.now()", "uses datetime.now"),
        ("f = datetime.datetime.now", "uses datetime.now"),
        ("date.today()", "uses date.today"),
        ("os.environ['HOME']", "uses os.environ"),
        ("time.monotonic()", "uses time.monotonic"),
        ("self.random.shuffle(deck)", "uses random.shuffle"),
        ("events.time.time()", "uses time.time"),
        ("sys.stdout.write('x')", "uses sys.stdout"),
        ("(folder / 'x').read_text()", "uses .read_text"),
        ("path.write_bytes(b'')", "uses .write_bytes"),
    ],
)
def test_an_effect_in_a_pure_place_is_found(module: str, source: str, said: str) -> None:
    assert any(line.endswith(said) for line in violations(source, module))


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("import numpy as np\nnp.random.default_rng()", "uses numpy.random"),
        ("import numpy\nnumpy.load('x')", "uses numpy.load"),
        ("from numpy import random", "uses numpy.random"),
        ("from numpy import random as r\nr.default_rng()", "uses numpy.random"),
        ("import numpy.random", "uses numpy.random"),
        ("import numpy.random.mtrand", "uses numpy.random"),
        ("from numpy.random import default_rng", "uses numpy.random"),
        ("from pydantic import FilePath", "uses pydantic.FilePath"),
        ("import pydantic as p\nx: p.PastDate", "uses pydantic.PastDate"),
        ("array.tofile('x')", "uses .tofile"),
    ],
)
def test_an_effect_through_an_allowed_package_is_found(source: str, said: str) -> None:
    assert any(line.endswith(said) for line in violations(source, "controller.rules.odds.exact"))


@pytest.mark.parametrize(
    "source",
    [
        "import re\nre.compile('x')",
        "seat.open()\ntable.print()",
        "def f(input):\n    return input + 1",
        "event.time\nstamp.time.hours\nround.now",
        "import numpy as np\nnp.zeros(52)",
    ],
)
def test_what_only_looks_like_an_effect_is_not(source: str) -> None:
    assert violations(source, "controller.rules.odds.exact") == []


def test_effects_are_the_business_of_the_rest() -> None:
    source = "import os, time\nprint(open('x'), os.environ, time.time())"
    for module in ("controller.journal.store", "controller.daemon.loop", "drivers.wire.serial"):
        assert violations(source, module) == []


def test_a_violation_names_module_and_line() -> None:
    source = "import re\nimport os\n\nprint(re, os)\nimport drivers\n"
    assert violations(source, "controller.table.machine") == [
        "controller.table.machine:2: imports os",
        "controller.table.machine:4: calls print()",
        "controller.table.machine:5: imports drivers",
    ]


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("x = 0.5", ["1: has the number 0.5"]),
        ("x = 1e3", ["1: has the number 1000.0"]),
        ("x = -2.\ny = 1j", ["1: has the number 2.0", "2: has the number 1j"]),
        ("float('1')", ["1: calls float()"]),
        ("x = 1\ny = round(x / 3, 2)", ["2: calls round()"]),
        ("def f(rate=.7): ...", ["1: has the number 0.7"]),
    ],
)
def test_a_float_is_found(source: str, said: list[str]) -> None:
    assert floats(source) == said


@pytest.mark.parametrize(
    "source", ["x = 1", "x = '0.5'", "isinstance(x, float)", "table.round()", "x = True // 2"]
)
def test_what_is_exact_is_not(source: str) -> None:
    assert floats(source) == []


def test_a_module_that_brings_numpy_in_is_found(tmp_path: Path) -> None:
    (tmp_path / "exact.py").write_text("import re\n")
    (tmp_path / "careful.py").write_text("def odds():\n    import numpy\n")
    (tmp_path / "direct.py").write_text("import numpy\n")
    (tmp_path / "through.py").write_text("import direct\n")
    assert brings_numpy(["exact", "careful"], tmp_path) == ""
    assert brings_numpy(["exact", "direct"], tmp_path) == "direct"
    assert brings_numpy(["exact", "through", "careful"], tmp_path) == "through"

"""The code of the rules with one operator, constant or condition changed.

Each mutant is a copy of the tree with one changed module; the tests that answer for the module
run on it until the first failure.
"""

from __future__ import annotations

import ast
import copy
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parents[2]
RULES = ROOT / "controller" / "rules"
TIMEOUT = 300

#: Which tests answer for which modules, by the first part of their path below the rules.
TESTS = {
    "rankings": ["rankings", "test_paytables.py"],
    "settlement": ["settlement"],
    "odds": ["odds"],
    "cards.py": ["test_cards.py", "test_roundfile.py"],
    "faults.py": ["test_faults.py", "test_roundfile.py", "../test_library.py", "test_ruleset.py"],
    "paytables.py": ["test_paytables.py", "settlement"],
    "roundfile.py": ["test_roundfile.py"],
    "rulebook.py": ["../test_library.py", "settlement", "test_wagering.py"],
    "ruleset.py": ["test_ruleset.py", "settlement", "test_wagering.py"],
    "wagering.py": ["test_wagering.py", "test_roundfile.py"],
}

_COMPARED = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}
_RECKONED = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Add,
    ast.FloorDiv: ast.Mult,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
    ast.BitXor: ast.BitAnd,
}


class Mutant(NamedTuple):
    module: Path
    line: int
    what: str
    source: str

    def __str__(self) -> str:
        return f"{self.module.relative_to(ROOT)}:{self.line}: {self.what}"


def mutants(module: Path) -> Iterator[Mutant]:
    """All mutants of one module."""
    tree = ast.parse(module.read_text(encoding="utf-8"))
    annotations = _not_run(tree)
    for n, node in enumerate(ast.walk(tree)):
        if id(node) in annotations:
            continue
        for what, change in _changes(node):
            changed = copy.deepcopy(tree)
            twin = next(other for m, other in enumerate(ast.walk(changed)) if m == n)
            change(twin)
            line = getattr(node, "lineno", 0)
            yield Mutant(module, line, what, ast.unparse(ast.fix_missing_locations(changed)))


def _not_run(tree: ast.AST) -> set[int]:
    """Nodes that mean nothing at run time, or only words: annotations, docstrings, messages."""
    found: set[int] = set()
    for node in ast.walk(tree):
        skipped: list[ast.AST | None] = []
        if isinstance(node, ast.arg | ast.AnnAssign):
            skipped.append(node.annotation)
        if isinstance(node, ast.FunctionDef):
            skipped.append(node.returns)
        if isinstance(node, ast.Raise | ast.Assert):
            skipped.append(node)
        for part in filter(None, skipped):
            found |= {id(inner) for inner in ast.walk(part)}
    return found


def _changes(node: ast.AST) -> Iterator[tuple[str, Callable[[Any], object]]]:
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        other = _COMPARED[type(node.ops[0])]
        yield (
            f"{type(node.ops[0]).__name__} -> {other.__name__}",
            lambda t: t.ops.__setitem__(0, other()),
        )
    elif isinstance(node, ast.BinOp) and type(node.op) in _RECKONED:
        reckoned = _RECKONED[type(node.op)]
        yield (
            f"{type(node.op).__name__} -> {reckoned.__name__}",
            lambda t: setattr(t, "op", reckoned()),
        )
    elif isinstance(node, ast.BoolOp):
        swapped = ast.Or if isinstance(node.op, ast.And) else ast.And
        yield f"-> {swapped.__name__}", lambda t: setattr(t, "op", swapped())
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield (
            "not x -> not not x",
            lambda t: setattr(t, "operand", ast.UnaryOp(ast.Not(), t.operand)),
        )
    elif isinstance(node, ast.Constant) and isinstance(node.value, bool):
        yield f"{node.value} -> {not node.value}", lambda t: setattr(t, "value", not t.value)
    elif isinstance(node, ast.Constant) and isinstance(node.value, int):
        yield f"{node.value} -> {node.value + 1}", lambda t: setattr(t, "value", t.value + 1)


def tests_for(module: Path) -> list[str]:
    part = module.relative_to(RULES).parts[0]
    return [f"tests/controller/rules/{path}" for path in TESTS[part]]


def workplace(folder: Path) -> Path:
    """A copy of what the tests of the rules need."""
    for part in ("controller", "config", "tests", "docs/conformance"):
        shutil.copytree(ROOT / part, folder / part, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", folder)
    return folder


def survives(mutant: Mutant, place: Path) -> bool:
    """Whether no test in this workplace notices."""
    module = place / mutant.module.relative_to(ROOT)
    original = module.read_text(encoding="utf-8")
    module.write_text(mutant.source, encoding="utf-8")
    # It checks millions of hands where the other tests of the rankings need a few.
    skipped = ["--ignore=tests/controller/rules/rankings/test_every_hand.py"]
    command = [sys.executable, "-m", "pytest", "-x", "-q", "--no-header", "-p", "no:cacheprovider"]
    try:
        done = subprocess.run(
            [*command, "-m", "not slow and not attack", *skipped, *tests_for(mutant.module)],
            cwd=place,
            env={"PATH": "/usr/bin:/bin", "PYTHONPATH": str(place), "PYTHONDONTWRITEBYTECODE": "1"},
            capture_output=True,
            timeout=TIMEOUT,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return False  # it hangs, which is noticed
    finally:
        module.write_text(original, encoding="utf-8")
    return done.returncode == 0

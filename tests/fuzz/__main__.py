"""Runs the fuzzer over every target, for so many seconds each: ``make fuzz SECONDS=20``.

    python -m tests.fuzz [--seconds N] [TARGET ...]

What it has learnt stays in build/fuzz and is where the next run begins. An input that fails is
written there too; ``python -m tests.fuzz --replay FILE TARGET`` runs it again.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from importlib import import_module
from pathlib import Path

from tests.fuzz.targets import TARGETS, seeds

FOLDER = Path("build/fuzz")
#: Longer inputs find nothing that shorter ones do not: the longest frame has 219 bytes.
LONGEST = 1024
#: Memory, in megabytes: whatever grows with its input is found before this.
MEMORY_MB = 1024


def run_here(name: str, arguments: list[str]) -> None:
    """Does not return: the fuzzer ends the process."""
    fuzzer = import_module("atheris")
    for module in [key for key in sys.modules if key.startswith(("drivers.", "tests.fuzz"))]:
        # Imported again below, with the fuzzer watching which branches are taken.
        del sys.modules[module]
    with fuzzer.instrument_imports(include=["drivers"]):
        target = import_module("tests.fuzz.targets").TARGETS[name]
    fuzzer.Setup([sys.argv[0], *arguments], target)
    fuzzer.Fuzz()


def run_beside(name: str, seconds: int) -> int:
    corpus = FOLDER / name
    corpus.mkdir(parents=True, exist_ok=True)
    for number, seed in enumerate(seeds(name)):
        (corpus / f"seed-{number}").write_bytes(seed)
    command = [
        sys.executable,
        *("-m", "tests.fuzz", "--here", name, str(corpus)),
        f"-max_total_time={seconds}",
        f"-max_len={LONGEST}",
        f"-rss_limit_mb={MEMORY_MB}",
        f"-artifact_prefix={FOLDER}/{name}-",
        "-timeout=10",
        "-print_final_stats=1",
        "-verbosity=0",
    ]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    done = [line for line in run.stderr.splitlines() if "number_of_executed_units" in line]
    count = done[0].split()[-1] if done else "?"
    print(f"{name:14} {count:>10} inputs in {seconds} s: {'FAILED' if run.returncode else 'ok'}")
    if run.returncode:
        print(run.stdout[-4000:], run.stderr[-4000:], sep="\n")
    return run.returncode


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz")
    parser.add_argument("--seconds", type=int, default=20)
    parser.add_argument("--replay", type=Path)
    parser.add_argument("targets", nargs="*", default=[])
    given = parser.parse_args()
    names = given.targets or list(TARGETS)
    if unknown := set(names) - set(TARGETS):
        parser.error(f"no such target: {', '.join(sorted(unknown))}")
    if given.replay:
        for name in names:
            TARGETS[name](given.replay.read_bytes())
        return 0
    return max(run_beside(name, given.seconds) for name in names)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--here"]:
        run_here(sys.argv[2], sys.argv[3:])
    sys.exit(main())

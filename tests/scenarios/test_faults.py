"""Every fault of the menu, at every place and in every phase: what the requirements name follows.

What is expected stands in ``outcomes.toml``, with the clause and the reason, and on docs/faults.md.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from controller.library import shipped
from simulators.faults import MENU
from tests.conformance.lists import read_lists
from tests.scenarios.outcomes import expected, expected_at, places, rows
from tests.scenarios.rigged import PHASES, Case, played

ROOT = Path(__file__).resolve().parents[2]
HOLD_CARDS = ("shuffler", "shoe")


def _every_case() -> Iterator[Case]:
    for fault in MENU:
        for where in places(fault):
            for phase in PHASES:
                yield Case(fault, where, phase)


def _sample() -> Iterator[Case]:
    """One case of each fault, the next phase and another place each time."""
    for turn, fault in enumerate(MENU):
        some = list(places(fault))
        yield Case(fault, some[turn % len(some)], PHASES[turn % len(PHASES)])


def _elsewhere() -> Iterator[Case]:
    """The devices that hold cards, at every other table and with every other way of dealing."""
    of = {kind: [fault for fault in MENU if kind in MENU[fault].of] for kind in HOLD_CARDS}
    for table in sorted(path.stem for path in shipped("tables").glob("*.toml")):
        for method in ("automated shoe", "manual shoe", "hand"):
            if (table, method) == ("pa-639a", "automated shoe"):
                continue
            for where, faults in of.items():
                if where == "shoe" and method != "automated shoe":
                    continue
                for fault in faults:
                    if fault == "false-count" and method != "automated shoe":
                        # Found by a stub count: within five rounds, or where it is waived never.
                        continue
                    for phase in ("shuffling", "dealing"):
                        yield Case(fault, where, phase, table, method)


EVERY, SAMPLE, ELSEWHERE = list(_every_case()), list(_sample()), list(_elsewhere())


def as_expected(case: Case) -> None:
    found = played(case)
    differs = expected_at(case).differs(found.now, found.later)
    told = f"{found.now} and then {found.later}, held for {found.causes}"
    assert not differs, f"{differs}; there was {told}"
    assert not found.wrong
    assert {role for _, role in found.cleared} <= {"floorperson"}


@pytest.mark.parametrize("case", SAMPLE, ids=str)
def test_a_fault_comes_to_what_is_asked_for(case: Case) -> None:
    as_expected(case)


@pytest.mark.slow
@pytest.mark.parametrize("case", EVERY, ids=str)
def test_every_fault_in_every_phase_comes_to_what_is_asked_for(case: Case) -> None:
    as_expected(case)


@pytest.mark.slow
@pytest.mark.parametrize("case", ELSEWHERE, ids=str)
def test_every_table_and_way_of_dealing_comes_to_the_same(case: Case) -> None:
    as_expected(case)


def test_the_sample_has_every_fault_and_every_phase() -> None:
    assert {case.fault for case in SAMPLE} == set(MENU)
    assert {case.phase for case in SAMPLE} == set(PHASES)


def test_the_file_has_every_fault_and_no_other() -> None:
    assert set(expected()) == {(case.fault, case.where, case.phase) for case in EVERY}


def test_every_clause_in_the_file_is_one() -> None:
    clauses = {one.id for some in read_lists(ROOT / "docs/conformance").values() for one in some}
    named = {clause for part in ("fault", "elsewhere") for row in rows(part) for clause in row.by}
    assert named <= clauses

"""Each device that breaks a duty is found, and the duty is named."""

from __future__ import annotations

import itertools

import pytest

from controller.certify.everything import CHECKS
from controller.certify.running import grade
from tests.controller.certify import mutants_of_kinds
from tests.controller.certify.desk import certified
from tests.controller.certify.mutants import MUTANTS

#: Nothing of it is used but that it has put its devices with the others.
assert mutants_of_kinds
#: Of those that are tried each time, and not only in the long run.
SAMPLE = list(itertools.islice(MUTANTS, 0, None, 4))


def _is_named(wrong: str) -> None:
    mutant = MUTANTS[wrong]
    results, _ = certified(mutant.make(), wire=mutant.wire, only=mutant.found | mutant.also)
    failed = {one.check.id: one for one in results if one.verdict == "failed"}
    assert failed.keys() >= mutant.found
    for id_ in mutant.found:
        assert failed[id_].check.says
        assert failed[id_].found


@pytest.mark.parametrize("wrong", SAMPLE)
def test_it_is_named(wrong: str) -> None:
    _is_named(wrong)


@pytest.mark.slow
@pytest.mark.parametrize("wrong", [one for one in MUTANTS if one not in SAMPLE])
def test_each_is_named(wrong: str) -> None:
    _is_named(wrong)


@pytest.mark.slow
@pytest.mark.parametrize("wrong", MUTANTS)
def test_it_is_not_gold(wrong: str) -> None:
    """All checks together find it too, whatever the ones before have done to it."""
    mutant = MUTANTS[wrong]
    results, _ = certified(mutant.make(), wire=mutant.wire)
    failed = {one.check.id for one in results if one.verdict == "failed"}
    assert failed >= mutant.found
    assert grade(results) != "gold"


def test_every_check_can_fail() -> None:
    can = frozenset(itertools.chain.from_iterable(one.found for one in MUTANTS.values()))
    assert [check.id for check in CHECKS if check.id not in can] == []

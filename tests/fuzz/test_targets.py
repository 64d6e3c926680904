"""The targets of the fuzzer hold for what they begin with, and can fail."""

from __future__ import annotations

import pytest

from drivers.wire import messages
from tests.fuzz import targets
from tests.fuzz.targets import TARGETS, seeds


@pytest.mark.parametrize("name", TARGETS)
def test_the_seeds_pass(name: str) -> None:
    assert seeds(name)
    for seed in seeds(name):
        TARGETS[name](seed)
        TARGETS[name](seed[:-1])
    TARGETS[name](b"")


def test_a_target_fails_when_the_code_does(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(messages, "to_bytes", lambda message: b"")
    with pytest.raises(AssertionError):
        targets.message(b"\x01")

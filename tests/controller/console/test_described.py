"""What the console serves to programs is as it is described: asked by what knows only that.

Schemathesis makes requests of the description: such as fit it, and such as do not. Nothing may come
back that is not described, and no error of the console's own.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis import GenerationMode
from schemathesis.checks import CHECKS, load_all_checks

from controller.console import house, limits
from controller.console.openapi import described
from controller.table import events
from tests.controller.console.browser import asked, cookie_of
from tests.controller.console.served import served

#: Of each operation and each kind: enough to fill in every field, and to break each.
EXAMPLES = 12
#: Too many requests in too short a time are refused, which is tried elsewhere.
FREELY = limits.Rate(1_000_000, 1_000_000)
#: A POST without an Origin is refused for that, whatever else is missing.
NOT_HERE = ("missing_required_header", "unsupported_method", "positive_data_acceptance")


def asks_everything(address: str, cookie: str) -> Counter[str]:
    """On loopback, and in order; how many requests it made."""
    load_all_checks()
    checks = [
        one
        for name, one in zip(CHECKS.get_all_names(), CHECKS.get_all(), strict=True)
        if name not in NOT_HERE
    ]
    schema: Any = schemathesis.openapi.from_dict(described())
    headers = {"Origin": address.rstrip("/"), "Cookie": cookie}
    made: Counter[str] = Counter()
    for found in schema.get_all_operations():
        operation = found.ok()
        # What takes nothing but a name can't be given what does not fit.
        modes = list(GenerationMode) if operation.method == "post" else [GenerationMode.POSITIVE]
        for mode in modes:

            @settings(
                max_examples=EXAMPLES, deadline=None, database=None, derandomize=True,
                phases=[Phase.explicit, Phase.generate], suppress_health_check=list(HealthCheck),
            )  # fmt: skip
            @given(case=operation.as_strategy(generation_mode=mode))
            def asks(label: str, case: Any) -> None:
                made[label] += 1
                case.call_and_validate(address.rstrip("/"), headers=headers, checks=checks)

            asks(operation.label)
    return made


async def test_whatever_is_asked_is_answered_as_described(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for rate in ("REQUESTS", "SIGN_ONS"):
        monkeypatch.setattr(house, rate, FREELY)
    async with served(tmp_path) as at:
        cookie = cookie_of(await asked(at.address, "GET", "/"))
        made = await asyncio.to_thread(asks_everything, at.address, cookie)
        # A question that takes nothing is asked once; what takes something, in many ways.
        described_ones = [
            (f"{method.upper()} {path}", method)
            for path, item in described()["paths"].items()
            for method in item
            if method in ("get", "post")
        ]
        assert set(made) == {name for name, _ in described_ones}
        assert all(made[name] > 10 for name, method in described_ones if method == "post"), made
        assert [event for event, _ in at.said if event == "server"] == []
        # Nobody has come in by chance, and nothing was done.
        assert not at.house.recorded(events.SignedOn)
        assert not at.house.recorded(events.DeckReceived)
        assert (await at.asked("GET", "/health")).status == 200

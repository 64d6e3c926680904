"""What is only written down: it is taken in every phase and changes nothing."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from controller.table import events
from tests.controller.table.playing import AtTheTable, open_table, terms_of

ATTEMPT = {"person": "eve", "device": "control", "attempt": "stop", "reason": "not hers to stop"}
APPEARED = {"what": "usb 1-1.4: 0403:6001"}


@pytest.mark.parametrize(
    ("kind", "facts"), [(events.AttemptRefused, ATTEMPT), (events.DeviceAppeared, APPEARED)]
)
def test_it_is_taken_in_any_phase_and_leaves_the_table_as_it_is(
    kind: type[Any], facts: dict[str, str]
) -> None:
    closed = AtTheTable(terms_of("pa-639a"))
    for at in (closed, open_table("pa-639a"), open_table("pa-639a").shuffles().antes(1).locks()):
        before = at.table
        assert at.does(kind, **facts) == ()
        same = {"at": at.table.at, "taken": at.table.taken}
        assert msgspec.structs.replace(before, **same) == at.table

"""No test of the terminal leaves a connection, a task or a thread behind."""

import pytest

from controller.daemon import supervisor
from tests.drivers.wire.conftest import broker
from tests.drivers.wire.plugs import AT_LAST_S
from tests.leaks import no_task_left, nothing_left_open, tasks_are_ended

__all__ = ["broker", "no_task_left", "nothing_left_open", "tasks_are_ended"]


@pytest.fixture(autouse=True)
def nobody_is_missed(monkeypatch: pytest.MonkeyPatch) -> None:
    """However long a device takes to start, or to speak: one that is missed takes its wagers off
    the offer for a whole round.
    """
    monkeypatch.setattr(supervisor, "GRACE_S", AT_LAST_S)
    monkeypatch.setattr(supervisor, "GRACE_AT_START_S", AT_LAST_S)

"""No test of the terminal leaves a connection, a task or a thread behind."""

from tests.drivers.wire.conftest import broker
from tests.leaks import no_task_left, nothing_left_open, tasks_are_ended

__all__ = ["broker", "no_task_left", "nothing_left_open", "tasks_are_ended"]

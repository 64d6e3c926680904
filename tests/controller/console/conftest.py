"""No test of the console leaves a connection, a task or a thread behind."""

from tests.leaks import no_task_left, nothing_left_open, tasks_are_ended

__all__ = ["no_task_left", "nothing_left_open", "tasks_are_ended"]

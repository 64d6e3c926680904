"""Every scenario gives back what it took."""

from tests.leaks import no_task_left, nothing_left_open, tasks_are_ended

__all__ = ["no_task_left", "nothing_left_open", "tasks_are_ended"]

"""What every test has at hand: clause marks that are checked, and pytest under test."""

import pytest
from hypothesis import HealthCheck, settings

#: One long wait for others. At the end it would be all that is left, with a processor idle.
FIRST = "tests/test_wheel.py"

# Other people's work on the machine is no reason for a test to fail.
settings.register_profile("felt", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("felt")

pytest_plugins = ["tests.conformance.plugin", "pytester"]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items.sort(key=lambda item: not item.nodeid.startswith(FIRST))

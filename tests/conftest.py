"""What every test has at hand: clause marks that are checked, and pytest under test."""

from hypothesis import settings

# Other people's work on the machine is no reason for a test to fail.
settings.register_profile("felt", deadline=None)
settings.load_profile("felt")

pytest_plugins = ["tests.conformance.plugin", "pytester"]

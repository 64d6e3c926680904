"""Every try of an attack is counted by its family; the table of them is printed at the end.

``--security`` writes the table into docs/security.md, where it says what was tried of felt as it
stands. Everything goes on in folders of the test's own and on the loopback interface only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

DOCUMENT = Path(__file__).parents[2] / "docs" / "security.md"
BEGIN, END = "<!-- attacks -->", "<!-- /attacks -->"
#: Under this name a test's counts travel in its report, from whichever process ran it.
PROPERTY = "attack"

Tally = Callable[[str, int, int], None]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--security", action="store_true", help="keep the table in docs/security.md")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents:
            item.add_marker(pytest.mark.attack)


@pytest.fixture
def tally(record_property: Callable[[str, object], None]) -> Tally:
    """``tally(family, tries, bad)``: so many tries of a kind, and those that did harm or went by
    unseen. A bad one fails the test as well, after it was counted."""

    def count(family: str, tries: int, bad: int) -> None:
        record_property(PROPERTY, (family, tries, bad))
        assert tries > 0, f"{family}: nothing was tried"
        assert bad == 0, f"{family}: {bad} of {tries} tries did harm"

    return count


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    rows = list(_table(terminalreporter))
    if len(rows) <= 2:
        return
    terminalreporter.section("attacks")
    for row in rows:
        terminalreporter.write_line(row)
    if config.getoption("--security", False):
        before, _, rest = DOCUMENT.read_text().partition(BEGIN)
        _, _, after = rest.partition(END)
        DOCUMENT.write_text("\n".join([before + BEGIN, *rows, END + after]))


def _table(reporter: pytest.TerminalReporter) -> Iterator[str]:
    counts: dict[str, tuple[int, int]] = {}
    for outcome in ("passed", "failed"):
        for report in reporter.stats.get(outcome, []):
            for name, value in report.user_properties:
                if name == PROPERTY and report.when == "call":
                    family, tries, bad = value
                    before = counts.get(family, (0, 0))
                    counts[family] = (before[0] + tries, before[1] + bad)
    yield "| family | tries | bad outcomes |"
    yield "| --- | --- | --- |"
    for family, (tries, bad) in sorted(counts.items()):
        yield f"| {family} | {tries:,} | {bad} |"

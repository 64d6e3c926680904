"""People at a table that is killed under them: they wait for it, unless it will never come back."""

from __future__ import annotations

from collections.abc import Callable

from controller.demo.crew import Act, Do
from controller.demo.people import People as _People
from controller.demo.people import Stuck, Window, table_of
from controller.table.state import Table
from controller.table.wagers import accepted
from tests.scenarios.kill.live import LiveTable

__all__ = ["People", "Stuck", "Window", "table_of"]


class People(_People):
    """``moment`` is told what is about to happen, for whoever wants to strike right then."""

    pause_s = 0.01
    patience_s = 1.5
    #: Only so that a test ends.
    stuck_s = 300.0

    def __init__(
        self,
        live: LiveTable,
        window: Window,
        *,
        seed: int,
        moment: Callable[[str], None] = lambda _: None,
    ) -> None:
        super().__init__(window, live.world, live.configuration.terms, live.kick, seed)
        self._live = live
        self._told_of = moment

    def moment(self, what: str) -> None:
        self._told_of(what)

    def unanswered(self) -> None:
        daemon = self._live.daemon
        if (code := daemon.code) is not None:
            raise AssertionError(f"the daemon ended with {code}:\n{daemon.last_words()}")

    def next_act(self, table: Table) -> Act | None:
        return super().next_act(table) or self._extra_chip(table)

    def where(self, table: Table) -> str:
        return f"{super().where(table)}\n{self._live.daemon.last_words()}"

    def _extra_chip(self, table: Table) -> Do | None:
        """An acceptor whose power was cut forgot to tell of a chip: whoever put it in has it back.

        The dealer of a demonstration waits for the acceptor to say whose it is.
        """
        more = self._live.world.chips() - accepted(table)
        if table.phase != "locked" or more <= 0 or table.late:
            return None
        without = (one for one in table.seats if "progressive" not in one.wagers)
        seat = next(without, table.seats[0]).number
        return Do("give back", seat=seat, cents=self._live.chip)

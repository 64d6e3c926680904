"""The shuffler: which deck it shuffles, how many cards it counted, and what else it does with them.

Only a cycle that the shuffler itself calls complete is told as one. A cycle whose end nobody heard,
because the shuffler restarted or stopped answering, is told as incomplete.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Literal

from controller.table import commands, events
from controller.table.commands import Command
from controller.table.events import Event
from drivers.contract import BadgeSeen, Moment, Seal, Settings, Told
from drivers.device import PATIENCE, Device, Faces, short
from drivers.wire import messages
from drivers.wire.messages import NOT_COUNTED


class Shuffler(Device):
    kind = "shuffler"
    hears = frozenset({commands.StartShuffle, commands.ShowColumn})
    known_options: ClassVar = {"game": "the game that it is set to, in its own words"}
    relied_on = (messages.Shuffle, messages.SetGame)

    def __init__(self, settings: Settings, seal: Seal) -> None:
        super().__init__(settings, seal)
        #: The deck whose cycle has begun and not ended, as far as was heard.
        self._running: str | None = None
        #: What it said last: a report of sort mode may come without it.
        self._holds: str | None = None
        #: Told as a failed cycle already: the fault that goes with it is no other one.
        self._failed: set[str] = set()

    def configure(self) -> Sequence[Told]:
        watchdog, report = super().configure()
        game = self.settings.options.get("game")
        return (watchdog, Told(messages.SetGame(str(game))), report) if game else (watchdog, report)

    def told(self, command: Command) -> Sequence[Told]:
        match command:
            case commands.StartShuffle(deck=deck):
                return (Told(messages.Shuffle(deck), within=PATIENCE),)
            case commands.ShowColumn(wager=wager, column=column, pays=pays) if column.isdecimal():
                return (Told(messages.ShowPayouts(short(wager), int(column), pays)),)
        return ()

    def said(self, message: messages.Event, moment: Moment, faces: Faces | None) -> Sequence[Event]:
        found: list[Event] = []
        match message:
            case messages.CycleStarted(deck):
                self._running = deck = deck or events.UNNAMED
                self._failed.clear()
                found.append(events.ShuffleStarted(at=moment.at, deck=deck))
            case messages.CycleCompleted(deck, count):
                self._running = None
                counted = None if count == NOT_COUNTED else count
                deck = deck or events.UNNAMED
                found.append(events.ShuffleCompleted(at=moment.at, deck=deck, count=counted))
            case messages.CycleFailed(deck, nature):
                self._failed.add(nature)
                found.append(self._cycle_failed(deck, nature, moment))
            case messages.Mode(mode, holds):
                found.append(self._reported(mode, holds, moment))
            case messages.Game(game):
                found.append(events.ShufflerSet(at=moment.at, game=game))
            case messages.Hands(hands):
                found.append(events.HandsCounted(at=moment.at, hands=hands))
            case messages.ShufflerState():
                found += self._stands(message, moment)
        return found

    def _heard(
        self, message: messages.Event, moment: Moment, faces: Faces | None
    ) -> Sequence[Event | BadgeSeen]:
        match message:
            case messages.Fault("sort mode"):
                return (self._reported("sort", self._holds or "", moment),)
            case messages.Fault(nature) if nature in self._failed:
                return ()
            case messages.FaultCleared(nature):
                self._failed.discard(nature)
        return super()._heard(message, moment, faces)

    def _reported(
        self, mode: Literal["shuffle", "sort", "other"], holds: str, moment: Moment
    ) -> Event:
        self._holds = holds or None
        return events.ShufflerReported(at=moment.at, mode=mode, holds=self._holds)

    def _stands(self, state: messages.ShufflerState, moment: Moment) -> Sequence[Event]:
        found: list[Event] = []
        if self._running is not None and state.cycle != "running":
            found.append(self._cycle_failed(self._running, "incomplete", moment))
        found.append(self._reported(state.mode, state.holds, moment))
        if state.game:
            found.append(events.ShufflerSet(at=moment.at, game=state.game))
        return found

    def _cycle_failed(
        self, deck: str, nature: Literal["jam", "stopped", "incomplete"], moment: Moment
    ) -> Event:
        self._running = None
        return events.ShuffleFailed(at=moment.at, deck=deck or events.UNNAMED, nature=nature)

    def unclear(self, message: messages.Command, moment: Moment) -> Sequence[Event]:
        if isinstance(message, messages.Shuffle):
            return (self._cycle_failed(message.deck, "incomplete", moment),)
        return ()

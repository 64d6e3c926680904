"""A simulated shuffler: it takes its time, and counts what somebody put into it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal

from drivers.wire import messages
from drivers.wire.messages import NOT_COUNTED, Command, Event
from simulators.device import ACCEPTED, DONE, Answer, Device
from simulators.tabletop import DECK_OF_CARDS, SHUFFLER, TableTop

CYCLE_S = 4.0


class Shuffler(Device):
    kind = "shuffler"
    capabilities = "counts"
    #: How long a cycle takes; whoever is in a hurry has one that is faster.
    cycle_s = CYCLE_S

    def __init__(self, top: TableTop, *, counts: bool = True, game: str = "", **more: Any) -> None:
        self.top = top
        self.counts = counts
        self.game = game
        self.mode: Literal["shuffle", "sort", "other"] = "shuffle"
        self.cycle: Literal["idle", "running", "complete", "failed"] = "idle"
        self.last_count = NOT_COUNTED
        #: On its own screen: what a wager pays with so many hands.
        self.screen: dict[tuple[str, int], tuple[int, ...]] = {}
        #: The deck that it shuffles, or will as soon as the cards are in it.
        self.deck = ""
        self._told_holds = ""
        super().__init__(**more)

    # --- What people do to it ---------------------------------------------------

    def set_mode(self, mode: Literal["shuffle", "sort", "other"]) -> None:
        self.mode = mode
        self.tell(messages.Mode(mode, self.holds))

    def press_green(self) -> None:
        """The dealer's hand was taken: it says how many hands it gave out."""
        hands = sum(1 for place, pile in self.top.piles.items() if pile and _is_hand(place))
        self.tell(messages.Hands(hands))

    @property
    def holds(self) -> str:
        return self.top.deck_at(SHUFFLER)

    def stands(self, game: str, *, runs: bool = False, is_done: bool = False) -> None:
        """It has been at work: its cycle runs, or is done, on the cards that are in it."""
        self.game = game
        self._told_holds = self.holds
        if runs:
            self.deck, self.cycle = self.holds, "running"
            self.after(self.cycle_s / 2, self._midway)
        elif is_done:
            self.cycle = "complete"
            self.last_count = self.top.count(SHUFFLER) if self.counts else NOT_COUNTED

    # --- A cycle ----------------------------------------------------------------

    def obey(self, command: Command) -> Answer | None:
        match command:
            case messages.Shuffle(deck):
                return self._shuffle(deck)
            case messages.SetGame(game):
                self.game = game
                self.tell(messages.Game(game))
                return DONE
            case messages.ShowPayouts(wager, hands, payouts):
                self.screen[wager, hands] = payouts
                return DONE
        return None

    def _shuffle(self, deck: str) -> Answer:
        if self.door_is_open:
            return "refused", "its door is open"
        if self.mode != "shuffle":
            return "refused", f"it is in mode {self.mode}"
        if self.trouble:
            return "refused", f"{', '.join(sorted(self.trouble))} is not cleared"
        if self.cycle == "running" and deck != self.deck:
            return self.refuse(messages.Shuffle(deck), f"it shuffles deck {self.deck}")
        if self.cycle != "running":
            self.deck, self.cycle = deck, "idle"
            self._begin()
        return ACCEPTED

    def look(self) -> None:
        if self.faults.strikes("sort-mode", self.now):
            self.set_mode("sort")
        if self.holds != self._told_holds:
            self._told_holds = self.holds
            self.tell(messages.Mode(self.mode, self.holds))
        self._begin()

    def _begin(self) -> None:
        """Ordered, and the cards are in it."""
        if self.cycle != "idle" or not self.deck or self.holds != self.deck:
            return
        self.cycle = "running"
        self.tell(messages.CycleStarted(self.deck))
        self.after(self.cycle_s / 2, self._midway)

    def _midway(self) -> None:
        if self.faults.strikes("jam", self.now):
            self._fail("jam")
        elif self.faults.strikes("stop", self.now):
            self._fail("stopped")
        else:
            self.after(self.cycle_s / 2, self._complete)

    def _fail(self, nature: Literal["jam", "stopped"]) -> None:
        self.cycle = "failed"
        self.tell(messages.CycleFailed(self.deck, nature))
        self.fail(nature)
        self.deck = ""

    def _complete(self) -> None:
        if fault := self.faults.strikes("wrong-count", self.now):
            self.top.lose(SHUFFLER, min(int(fault.number), self.top.count(SHUFFLER)))
        cards = list(self.top.cards(SHUFFLER))
        self.random.shuffle(cards)
        self.top.arrange(SHUFFLER, cards)
        self.cycle = "complete"
        count = DECK_OF_CARDS if self.faults.strikes("false-count", self.now) else len(cards)
        self.last_count = count if self.counts else NOT_COUNTED
        self.tell(messages.CycleCompleted(self.deck, self.last_count))
        self.deck = ""

    # --- How it stands ----------------------------------------------------------

    def report(self) -> Iterable[Event]:
        yield messages.ShufflerState(self.cycle, self.mode, self.holds, self.last_count, self.game)

    def go_safe(self) -> None:
        """A cycle that runs is finished: half a shuffle is worth less than none."""

    def forget(self) -> None:
        self.cycle = "idle"
        self.deck = ""
        self.last_count = NOT_COUNTED


def _is_hand(place: str) -> bool:
    return place == "dealer" or place.startswith("seat ")

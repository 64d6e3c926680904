"""The table top of a demonstration: what people do with cards, chips and buttons has consequences.

The simulated devices lie on it. What felt says happened is not believed here: cards move because
somebody moves them, and chips because somebody pays.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import get_args

from controller.demo.crew import Do
from controller.demo.players import Choice
from controller.table import events
from controller.table.dealing import all_six
from controller.table.plan import LAST_STACK
from controller.table.state import Table
from drivers.wire.messages import Button
from simulators.acceptor import Acceptor
from simulators.device import Device
from simulators.panel import Panel
from simulators.shoe import Shoe
from simulators.shuffler import Shuffler
from simulators.tabletop import HANDS, RACK, SHOE, SHUFFLER, TRAY, TableTop
from simulators.terminal import Terminal

CHOICES: dict[str, Choice] = {choice: choice for choice in get_args(Choice)}
BUTTONS: dict[str, Button] = {button: button for button in get_args(Button)}


@dataclass(slots=True)
class World:
    top: TableTop
    chance: random.Random
    panel: Panel
    shuffler: Shuffler | None = None
    shoe: Shoe | None = None
    acceptors: dict[int, Acceptor] = field(default_factory=dict)
    terminals: dict[int, Terminal] = field(default_factory=dict)
    #: Chips that rolled to the dealer and are put away, or went back to a player.
    _put_away: int = 0

    def at(self, place: int | str) -> list[int]:
        return self.top.at(place)

    def stub(self) -> int:
        return self.top.count(self._source())

    def chips(self) -> int:
        return sum(one.rolled for one in self.acceptors.values()) - self._put_away

    def do(self, act: Do) -> Device | None:
        """Do it; the device that somebody did it to, which may have something to say."""
        match act:
            case Do("press", name=button):
                return self._press(button)
            case Do("chip", seat=seat, cents=cents):
                self.top.fund(f"player {seat}", cents)
                self.acceptors[seat].insert(cents)
                return self.acceptors[seat]
            case Do("buy in" | "wager at terminal" | "decide at terminal"):
                return self._at_terminal(act)
            case Do("give back", seat=seat, cents=cents):
                self.top.pay("inventory", f"player {seat}", cents)
                self._put_away += 1
                return None
        return self._cards(act)

    def _at_terminal(self, act: Do) -> Device:
        terminal = self.terminals[act.seat]
        if act.what == "buy in":
            terminal.buy_in(act.cents)
        elif act.what == "wager at terminal":
            terminal.wager(act.name, act.cents)
        else:
            terminal.decide(CHOICES[act.name], act.cents)
        return terminal

    def _press(self, button: str) -> Device:
        if button == "green" and self.shuffler is not None:
            self.shuffler.press_green()
            return self.shuffler
        self.panel.press(BUTTONS[button])
        return self.panel

    def _cards(self, act: Do) -> Device | None:
        top = self.top
        match act:
            case Do("bring", name=deck):
                # One of that name that plays no more was taken away long ago.
                top.remove(deck)
                top.bring(deck)
            case Do("shuffle"):
                top.gather(act.name)
                cards = list(top.cards(HANDS))
                self.chance.shuffle(cards)
                top.arrange(HANDS, cards)
            case Do("put into shuffler", name=deck):
                return self._shuffle(deck)
            case Do("put into shoe", name=deck):
                return self._load(deck)
            case Do("deal", name=to, cards=cards):
                place: int | str = int(to) if to.isdecimal() else to
                top.deal(place, cards, self._source())
            case Do("take stub" | "rack cards"):
                return self._racked(all_cards=act.what == "rack cards")
            case Do("put right", name=where):
                return self._put_right(where)
            case Do("take out" | "empty"):
                return self._emptied(act)
        return None

    def _emptied(self, act: Do) -> Device | None:
        """A device, to be taken away; or the shoe and the rack, for cards that are spread."""
        if act.what == "empty":
            self.top.move(act.name, HANDS)
            return self.shoe if act.name == SHOE else self.shuffler
        self.top.gather(act.name)
        self.top.move(SHOE, HANDS)
        return self.shoe

    def _racked(self, *, all_cards: bool) -> Device | None:
        """The stub; or it and all that lies on the layout."""
        if all_cards:
            self._put_away += self.chips()
            self.top.rack()
        self.top.take_stub(self._source())
        return self.shoe

    def _shuffle(self, deck: str) -> Device | None:
        """Into the shuffler, in place of what lies there."""
        top = self.top
        if self.shuffler is not None and self.shuffler.cycle == "running":
            return self.shuffler  # nobody gets at the cards in it
        if top.deck_at(SHOE) == deck:
            # It was loaded before anybody knew that it must be shuffled once more.
            top.move(SHOE, HANDS)
            return self.shoe
        inside = top.deck_at(SHUFFLER)
        if inside != deck:
            if inside:
                top.take_from_shuffler()
            top.put_into_shuffler(deck)
        return self.shuffler

    def _load(self, deck: str) -> Device | None:
        """Into the automated shoe, or into the dealer's hand."""
        top = self.top
        if self.shuffler is not None and self.shuffler.cycle == "running":
            return self.shuffler  # nobody gets at the cards in it
        if self.shoe is None:
            if top.deck_at(SHUFFLER) == deck:
                top.take_from_shuffler()
            return self.shuffler
        if top.deck_at(SHOE) != deck:
            top.put_into_shoe(deck)
        return self.shoe

    def _source(self) -> str:
        """Where the dealer takes cards from."""
        return SHOE if self.shoe is not None and self.top.count(SHOE) else HANDS

    def _put_right(self, where: str) -> Device | None:
        """What is done at a device before a hold on it is cleared; a technician may be needed."""
        device: Device | None = None
        if where == "shuffler" and self.shuffler is not None:
            device = self.shuffler
            self.shuffler.clear()
            if self.shuffler.mode != "shuffle":
                self.shuffler.set_mode("shuffle")
        elif where == "shoe" and self.shoe is not None:
            device = self.shoe
            self.shoe.clear()
        elif where == "panel":
            device = self.panel
        elif where.startswith("deck "):
            self.top.set_apart(where.removeprefix("deck "))
            return self.shoe or self.shuffler
        elif where.startswith(("lamp of seat ", "acceptor ")):
            device = self.acceptors.get(int(where.rpartition(" ")[2]))
            if device is not None:
                device.clear()
        if device is not None:
            for fault in ("lamp", "door"):
                device.faults.switch_off(fault)
            device.close_door()
        return device

    def set_aside(self, where: int | str | None) -> None:
        """The dealer puts a card that came face up beside the others."""
        place = TRAY if where is None else where
        for card in self.top.cards(place):
            if card.face_up:
                self.top.take_out(place, card, RACK)
                return

    def stack_came(self, table: Table, event: events.StackDispensed) -> Device | None:
        """The dealer takes a stack out of the tray and puts it where it belongs.

        ``table`` is the table before it came.
        """
        if not self.top.count(TRAY) or self.shoe is None:
            return None
        steps = table.deal.steps
        if table.phase != "dealing" or not 1 <= event.number <= len(steps):
            self.top.move(TRAY, RACK)
            return self.shoe
        to = steps[event.number - 1].to
        if to == LAST_STACK:
            for place in ("extra", "dealer") if all_six(table) else ("dealer",):
                if self.top.count(TRAY):
                    self.top.move(TRAY, place, 1)
            self.top.move(TRAY, RACK)
        else:
            self.top.take_stack(to)
        return self.shoe

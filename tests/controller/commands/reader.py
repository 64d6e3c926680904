"""People at a table who know no rule: they do what the prompts of ``felt play`` ask for.

All that they see is the line that an event led to, the cards that lie in front of them and the
chips that players put down. Devices answer their commands as devices do.
"""

from __future__ import annotations

import json
import random
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from controller.commands.play import said
from controller.journal.journal import Journal
from controller.library import Library
from controller.recorder import Recorder
from controller.rules.cards import DECK, name, names

PEOPLE = {
    "dealer": "dealer-1",
    "floorperson": "floor-1",
    "supervisor": "supervisor-1",
    "technician": "technician-1",
}
#: What a table may be asked for before a round ends, many times over.
MOST_STEPS = 600
MONEY = r"\$([\d,]+(?:\.\d\d)?)"


def cents(text: str) -> int:
    dollars, _, rest = text.replace(",", "").partition(".")
    return int(dollars) * 100 + int(rest or 0)


PLACES = {"the dealer's hand": "dealer", "the community cards": "community", "All-Six": "extra"}


class Lost(AssertionError):
    """The prompts did not say what to do next, or what they said was refused."""


class Readers:
    """A table with everybody at it."""

    def __init__(self, table: dict[str, Any], folder: Path, seed: int) -> None:
        self.table = table
        self.method: str = table["method"]
        self._journal = Journal.at(folder / "journal.db", table["id"])
        self._recorder = Recorder(self._journal, table, Library())
        self.random = random.Random(seed)
        self.now = 1_700_000_000_000
        self.events: list[dict[str, Any]] = []
        self.line: dict[str, Any] = {"prompts": [{"who": "floorperson", "text": "",
            "clause": "", "seat": None, "answer": "table_opened"}], "phase": "closed"}  # fmt: skip
        #: Orders of the devices that were not answered yet.
        self._orders: list[dict[str, Any]] = []
        #: By seat, what the player puts down before "no more bets".
        self.plan: dict[int, dict[str, int]] = {}
        self.choose: Callable[[int, list[int]], int] = lambda seat, sums: sums[0]
        self.pack: list[int] = []
        self.lies: dict[int | str, list[int]] = {}
        self._rounds = 0
        self._decks: list[str] = []
        self.bet: dict[tuple[int, str], int] = {}
        #: What players got and lost, by seat and wager, as the prompts had it.
        self.told: Counter[tuple[int, str, str]] = Counter()
        #: Everything that anybody was asked for, in its order.
        self.heard: list[str] = []
        #: The table when the last round was over, and the meters when it was dealt: for those who
        #: check what became of it.
        self.ended = self._recorder.table
        self.shown = self._recorder.table.meters

    def close(self) -> None:
        self._journal.close()

    # --- Events -----------------------------------------------------------------

    def says(self, kind: str, by: str | None = None, **facts: Any) -> dict[str, Any]:
        """An event that is taken; what it led to is read."""
        line = self.tries(kind, by, **facts)
        if line["refused"]:
            raise Lost(f"{kind} {facts}: {line['refused']}; asked was {self.asked()}")
        return line

    def tries(self, kind: str, by: str | None = None, **facts: Any) -> dict[str, Any]:
        self.now += 1000
        event: dict[str, Any] = {"kind": kind, "at": self.now, **facts}
        if by is not None:
            event["by"] = {"id": PEOPLE[by], "role": by}
        taken = self._recorder.take_text(json.dumps(event).encode())
        line = json.loads(json.dumps(said(self._recorder, taken)))
        if not line["refused"]:
            self.events.append(event)
            self.line = line
            self._orders += line["commands"]
            self.heard += [one["text"] for one in line["prompts"]]
        return dict(line)

    def asked(self) -> list[str]:
        return [f"{one['who']}: {one['text']} [{one['answer']}]" for one in self.line["prompts"]]

    # --- One thing after the other ----------------------------------------------

    def play_until(self, done: Callable[[], bool]) -> None:
        for _ in range(MOST_STEPS):
            if done():
                return
            self.step()
        raise Lost(f"the prompts lead in circles: {self.asked()}")

    def play_rounds(self, count: int) -> None:
        """Until so many more rounds are in the rack."""
        wanted = self._rounds + count
        self.play_until(lambda: self._rounds >= wanted)

    def step(self) -> None:
        if self._device_answers():
            return
        for prompt in self.line["prompts"]:
            if prompt["answer"]:
                getattr(self, f"_{prompt['answer']}", self._plain)(prompt)
                return
        for prompt in self.line["prompts"]:
            if self._without_words(prompt):
                return
        raise Lost(f"nobody knows what to do: {self.asked()}")

    def _plain(self, prompt: dict[str, Any]) -> None:
        """An act about a seat, a deck, or nothing at all."""
        facts: dict[str, Any] = {}
        deck = re.search(r"\bdeck (\w+)\b", prompt["text"])
        if prompt["seat"] is not None:
            facts["seat"] = prompt["seat"]
        elif deck:
            facts["deck"] = deck[1]
        self.says(prompt["answer"], prompt["who"], **facts)

    # --- Devices ----------------------------------------------------------------

    def _device_answers(self) -> bool:
        while self._orders:
            order = self._orders.pop(0)
            match order["kind"]:
                case "lock":
                    if not order.get("withheld") and self.line["phase"] == "locked":
                        facts = {"seat": order["seat"], "device": order["device"]}
                        self.says("lock_confirmed", **facts)
                        return True
                case "request_draw":
                    drawn = "7d" if order["draw"] == "magic_card" else "dealer"
                    self.says("drawn", draw=order["draw"], result=drawn)
                    return True
                case "dispense":
                    number = order["number"]
                    self._draw(order["to"], order["cards"])
                    facts = {"number": number, "cards": order["cards"], "lies": True}
                    self.says("stack_dispensed", **facts)
                    return True
        return False

    def _without_words(self, prompt: dict[str, Any]) -> bool:
        """What is done at a device, whose word answers."""
        text = prompt["text"]
        if found := re.search(r"deck (\w+): put the cards into the shuffler", text):
            self.says("shuffle_completed", deck=found[1], count=52)
        elif found := re.search(r"take stack (\d+) out of the shoe: .* to (?:seat (\d+))?", text):
            self.says("stack_taken", number=int(found[1]))
        elif found := re.search(r"deck (\w+): .*(?:into|in) the automated shoe", text):
            self._loads(found[1])
        elif "green button" in text:
            hands = sum(1 for place in self.lies if isinstance(place, int)) + 1
            self.says("hands_counted", hands=hands)
        elif found := re.search(r"deck (\w+).*shuffler", text):
            self.says("shuffler_reported", mode="shuffle", holds=found[1])
        else:
            return False
        return True

    def _draw(self, to: int | str, count: int) -> None:
        drawn = [self.pack.pop() for _ in range(count)]
        if to == "last stack":
            if any("all_six" in plan for plan in self.plan.values()):
                self.lies["extra"] = [drawn.pop(0)]
            self.lies["dealer"].append(drawn.pop(0))
        else:
            self.lies.setdefault(to, []).extend(drawn)

    # --- Before the deal --------------------------------------------------------

    def _deck_received(self, prompt: dict[str, Any]) -> None:
        deck = "ABCDEFGH"[len(self._decks)]
        self._decks.append(deck)
        colour = ("red", "blue")[len(self._decks) % 2]
        self.says("deck_received", "dealer", deck=deck, colour=colour, design="bee")

    def _player_sat(self, prompt: dict[str, Any]) -> None:
        for seat in self.plan:
            self.says("player_sat", "dealer", seat=seat, player=f"player {seat}")
            if any(wager.startswith("five_card") for wager in self.plan[seat]):
                self.says("bought_in", seat=seat, transfer=f"t{seat}", cents=100_000)

    def _cards_spread(self, prompt: dict[str, Any]) -> None:
        self.says("cards_spread", "dealer", faces="face down")

    def _cut_made(self, prompt: dict[str, Any]) -> None:
        deck = re.search(r"\bdeck (\w+)", prompt["text"])
        assert deck
        self.says("cut_made", "dealer", deck=deck[1], depth=self.random.randrange(10, 52))

    def _deck_loaded(self, prompt: dict[str, Any]) -> None:
        deck = re.search(r"\bdeck (\w+)", prompt["text"])
        assert deck
        self._loads(deck[1])

    def _loads(self, deck: str) -> None:
        self.says("deck_loaded", deck=deck)
        self.pack = self.random.sample(DECK, 52)
        self.lies = {}

    def _rack_cleared(self, prompt: dict[str, Any]) -> None:
        self.says("rack_cleared", "dealer")

    def _wager_placed(self, prompt: dict[str, Any]) -> None:
        """Players put down what they came for, as soon as Antes are taken."""
        self.bet = {}
        for seat, wagers in self.plan.items():
            for wager, amount in wagers.items():
                self.says("wager_placed", seat=seat, wager=wager, amount=amount)
                self.bet[seat, wager] = amount

    def _deal_pressed(self, prompt: dict[str, Any]) -> None:
        self.shown = self._recorder.table.meters
        self.says("deal_pressed", "dealer")

    def _chips_counted(self, prompt: dict[str, Any]) -> None:
        chips = sum(1 for wagers in self.plan.values() if "progressive" in wagers)
        self.says("chips_counted", "dealer", chips=chips)

    # --- Deal and decisions -----------------------------------------------------

    def _cards_dealt(self, prompt: dict[str, Any]) -> None:
        found = re.search(r"(\d+ cards?|card \d+) to (seat (\d+)|[^,]+)", prompt["text"])
        assert found, prompt
        to = int(found[3]) if found[3] else PLACES[found[2]]
        count = 1 if found[1].startswith("card ") else int(found[1].split()[0])
        self._draw(to, count)
        self.says("cards_dealt", "dealer", to=to, cards=count)

    def _up_card_shown(self, prompt: dict[str, Any]) -> None:
        self.says("up_card_shown", "dealer", card=name(self.lies["dealer"][0]))

    def _stub_counted(self, prompt: dict[str, Any]) -> None:
        self.says("stub_counted", "dealer", cards=len(self.pack))

    def _decided(self, prompt: dict[str, Any]) -> None:
        seat, text = prompt["seat"], prompt["text"]
        if "as the player has left" in text:
            choice = "check" if "check" in text else "fold"
            self.says("decided", "dealer", seat=seat, choice=choice)
            return
        sums = [cents(one) for one in re.findall(MONEY, text)]
        amount = self.choose(seat, sums)
        if amount:
            self.says("decided", "dealer", seat=seat, choice="wager", amount=amount)
            self.bet[seat, "decision"] = self.bet.get((seat, "decision"), 0) + amount
            return
        choice = "check" if "check" in text else "fold"
        self.says("decided", "dealer", seat=seat, choice=choice)

    # --- Reveal and settlement --------------------------------------------------

    def _revealed(self, prompt: dict[str, Any]) -> None:
        text = prompt["text"]
        if text.startswith("dealer"):
            self.says("revealed", "dealer", where="dealer", cards=names(self.lies["dealer"]))
        elif "All-Six" in text:
            self.says("revealed", "dealer", where="extra", cards=names(self.lies["extra"]))
        else:
            shown = sum(1 for one in self.events[self._locked() :] if one["kind"] == "revealed")
            last = "the last" in text
            cards = self.lies["community"][shown:] if last else [self.lies["community"][shown]]
            self.says("revealed", "dealer", where="community", cards=names(cards))

    def _locked(self) -> int:
        """Where this round begins among the events."""
        places = [n for n, one in enumerate(self.events) if one["kind"] == "lock_out_pressed"]
        return places[-1]

    def _hand_turned(self, prompt: dict[str, Any]) -> None:
        seat = prompt["seat"]
        self.says("hand_turned", "dealer", seat=seat, cards=names(self.lies[seat]))

    def _hand_verified(self, prompt: dict[str, Any]) -> None:
        self._about_a_wager(prompt)

    def _payout_validated(self, prompt: dict[str, Any]) -> None:
        self._about_a_wager(prompt)

    def _about_a_wager(self, prompt: dict[str, Any]) -> None:
        found = re.match(r"seat (\d+), (\w+),", prompt["text"])
        assert found, prompt
        facts = {"seat": int(found[1]), "wager": found[2]}
        self.says(prompt["answer"], prompt["who"], **facts)

    def _seat_paid(self, prompt: dict[str, Any]) -> None:
        """Chips go where the prompts of this seat say, and the seat is done."""
        for one in self.line["prompts"]:
            if one["answer"] == "seat_paid":
                assert one["seat"] == prompt["seat"], self.asked()
                self.told[one["seat"], *_payment(one["text"])] += 1
        self.says("seat_paid", "dealer", seat=prompt["seat"])

    def _cards_racked(self, prompt: dict[str, Any]) -> None:
        self.ended = self._recorder.table
        self.says("cards_racked", "dealer")
        self._rounds += 1

    def _hold_cleared(self, prompt: dict[str, Any]) -> None:
        found = re.search(r"hold (\d+)", prompt["text"])
        assert found, prompt
        facts = {"hold": int(found[1]), "reason": "looked at it and put it right"}
        self.says("hold_cleared", prompt["who"], **facts)

    def _exposure_decided(self, prompt: dict[str, Any]) -> None:
        self.says("exposure_decided", prompt["who"], reason="it was seen", void=True)

    def _wagers_abandoned(self, prompt: dict[str, Any]) -> None:
        self.says("wagers_abandoned", prompt["who"], seat=prompt["seat"], lost=True)


def _payment(text: str) -> tuple[str, str]:
    """The wager that a prompt is about, and how much of it reaches the player."""
    what = text.split(": ", 1)[1]
    if found := re.match(rf"(?:collect|return) the (\w+), {MONEY}", what):
        return found[1], "0" if what.startswith("collect") else str(cents(found[2]))
    wager, amount = re.match(r"\w+", what), re.search(MONEY, what.rsplit(": ", 1)[1])
    assert wager, text
    assert amount, text
    return wager[0], str(cents(amount[1]))

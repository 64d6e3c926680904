"""Somebody who takes offers and knows no rule: fills in what is asked for, within its bounds."""

from __future__ import annotations

import random
from typing import Any

from controller.table import events
from controller.table.events import Happening
from controller.table.offer import Ask, Offer
from controller.table.people import Person, Role
from controller.table.transitions import TRANSITIONS

KINDS: dict[str, type[Happening]] = {str(kind.__struct_config__.tag): kind for kind in TRANSITIONS}


class Filling:
    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self._names = 0

    def events(self, offer: Offer, at: int) -> list[Any]:
        """The events that come of an offer, with all that it asks for."""
        fields = [dict(act.given) for act in offer.acts]
        by = self._person(offer.who)
        for ask in offer.asks:
            # What a shoe may have read is keyed in here: nothing has read it.
            if ask.required or ask.shape == "cards" or self.random.random() < 0.5:
                fields[ask.act][ask.name] = self.value(ask)
        made = []
        for act, given in zip(offer.acts, fields, strict=True):
            kind: Any = KINDS[act.action]
            person = {"by": by} if issubclass(kind, events.Act) else {}
            made.append(kind(at=at, **given, **person))
        return made

    def value(self, ask: Ask) -> Any:  # noqa: PLR0911
        match ask.shape:
            case "cards":
                assert ask.choices is not None
                assert ask.count is not None
                known = ask.includes.split()
                others = [str(one) for one in ask.choices if one not in known]
                cards = known + self.random.sample(others, ask.count - len(known))
                return " ".join(self.random.sample(cards, len(cards)))
            case "cents" | "count":
                if ask.choices is not None:
                    return self.random.choice(ask.choices)
                assert ask.least is not None
                most = ask.most if ask.most is not None else ask.least + 10_000
                return self.random.choice([ask.least, most, self.random.randint(ask.least, most)])
            case "name":
                self._names += 1
                proposed = ask.choices or ()
                new = f"{'x' * self.random.randint(1, 3)}{self._names}"[: ask.most]
                return self.random.choice([*proposed, new])
            case "words":
                assert ask.most is not None
                return "w" * self.random.randint(ask.least or 1, ask.most)
            case "flag":
                return self.random.random() < 0.5
            case "second":
                assert ask.choices is not None
                role: Any = self.random.choice(ask.choices)
                return Person(f"another {role}", role)
            case _:
                assert ask.choices is not None
                return self.random.choice(ask.choices)

    def _person(self, who: Role) -> Person:
        stands_in: tuple[Role, ...] = ("floorperson", "supervisor")
        role = self.random.choice(stands_in) if who == "floorperson" else who
        # Two names, so that who did one part may not be the one who has to do the other.
        return Person(f"{role} at work", role)

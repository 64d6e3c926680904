"""Who is played by whom: the dealer, the floor and each seat, by the crew or by a person at a page.

What a person plays, the crew leaves alone and waits for. Of the dealer's part some is done by hand
and no page could do it: cards go into the shuffler because somebody puts them there. Whoever plays
the dealer from a page has hands that follow, unless they would rather do that themselves.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, NamedTuple, get_args

from controller.rules.faults import Refused, listed
from controller.table.people import Role

By = Literal["simulated", "me"]
Choice = Literal["wager", "check", "fold"]

DEALER, FLOOR = "dealer", "floor"
#: Who acts in these roles is the floor, whoever it is.
OF_THE_FLOOR: tuple[Role, ...] = tuple(role for role in get_args(Role) if role != "dealer")


class Decision(NamedTuple):
    """What the player of a seat says on a street of a round."""

    round: int
    street: int
    choice: Choice
    cents: int


def seat_part(number: int) -> str:
    return f"seat {number}"


def part_of_role(role: Role) -> str:
    return DEALER if role == "dealer" else FLOOR


class Cast:
    def __init__(self, seats: Iterable[int]) -> None:
        parts = (DEALER, FLOOR, *(seat_part(seat) for seat in seats))
        self.by: dict[str, By] = dict.fromkeys(parts, "simulated")
        #: Whether the hands of a dealer who is played from a page do what they are prompted to.
        self.hands_follow = True
        #: Somebody has done something here: what happens is no longer the crew's alone to answer.
        self.is_touched = False
        self._decisions: dict[int, Decision] = {}
        #: By seat, the round for which its wagers are down.
        self._ready: dict[int, int] = {}

    def play(self, part: str, by: By) -> None:
        if part not in self.by:
            raise Refused("who", f"nobody at this table is {part!r}", listed(self.by))
        self.is_touched = True
        self.by[part] = by

    def is_me(self, part: str) -> bool:
        return self.by.get(part) == "me"

    # --- What the player of a seat says to the dealer ----------------------------

    def decide(self, seat: int, decision: Decision) -> None:
        self._decisions[seat] = decision

    def decided(self, seat: int, round_: int, street: int) -> Decision | None:
        """What the seat's player has said about this street, if anything."""
        said = self._decisions.get(seat)
        return said if said is not None and said[:2] == (round_, street) else None

    def is_ready(self, seat: int, round_: int) -> None:
        """All that it wagers in this round is down, or nothing is."""
        self._ready[seat] = round_

    def awaits_wagers(self, seat: int, round_: int) -> bool:
        return self.is_me(seat_part(seat)) and self._ready.get(seat) != round_

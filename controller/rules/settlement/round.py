"""A finished round: the cards that were shown and the wagers that were down."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from controller.rules.wagering import patron

Cards = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Seat:
    number: int
    #: Empty where a folded hand was racked unseen; then nothing rests on it.
    cards: Cards
    #: Cents by wager, only what was wagered.
    wagers: Mapping[str, int]
    folded: bool = False
    #: Who plays it, where one player may have several; None stands for somebody of his own.
    player: str | None = None

    @property
    def owner(self) -> str | int:
        """What the seats of one player have in common, however the name is spelled."""
        return self.number if self.player is None else patron(self.player)

    def staked(self, wager: str) -> int:
        return self.wagers.get(wager, 0)


@dataclass(frozen=True, slots=True)
class Round:
    seats: tuple[Seat, ...]
    #: Dealt in and not settled here: void hands, and hands that are not turned yet. They count
    #: where a prize is divided or a column goes by the number of hands.
    beside: tuple[Seat, ...] = ()
    dealer: Cards = ()
    community: Cards = ()
    #: The All-Six cards.
    extra: Cards = ()
    #: What each meter shows when settlement begins, by level; reserve beside them.
    meters: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    magic_card: int | None = None
    lucky: int | Literal["dealer"] | None = None

    def right_to_left(self) -> list[Seat]:
        """From the dealer's far right, counter-clockwise: the highest seat first."""
        return sorted(self.seats, key=lambda seat: -seat.number)

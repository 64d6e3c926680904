"""What an odds calculation hands back: counts that can be checked by hand, not percentages.

A published house edge is rounded and leaves open what it is a share of. These results keep
the number of deals and offer both usual conventions, loss over the Ante and loss over all
the money wagered.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from controller.rules.paytables import Row

#: Told from time to time what is being counted, how much is done and how much there is.
Progress = Callable[[str, int, int], None]


def silent(what: str, done: int, total: int) -> None:
    """The progress of someone who does not want to know."""


@dataclass(frozen=True, slots=True)
class Edge:
    """What the player loses over all deals, each with a stake of one.

    3 to 2 makes half units. To stay with integers the stake is divided into ``unit`` parts,
    and ``loss`` and ``wagered`` count parts.
    """

    loss: int
    deals: int
    wagered: int
    unit: int = 1

    exact: ClassVar[bool] = True

    @property
    def edge(self) -> Fraction:
        """The loss per Ante, or per stake of a side wager."""
        return Fraction(self.loss, self.deals * self.unit)

    @property
    def per_wagered(self) -> Fraction:
        """The loss per unit of all the money wagered, raises included."""
        return Fraction(self.loss, self.wagered)

    @property
    def text(self) -> str:
        """The edge as loss over deals, not reduced: the denominator shows what was counted."""
        if self.loss % self.unit == 0:
            return f"{self.loss // self.unit}/{self.deals}"
        return f"{self.loss}/{self.deals * self.unit}"


@dataclass(frozen=True, slots=True)
class Estimate:
    """The same from a sample of the deals, with the standard error of ``edge``."""

    loss: int
    deals: int
    wagered: int
    standard_error: float
    unit: int = 1

    exact: ClassVar[bool] = False

    @property
    def edge(self) -> Fraction:
        """The mean loss per stake in the sample."""
        return Fraction(self.loss, self.deals * self.unit)

    @property
    def text(self) -> str:
        """In percent with its standard error: a fraction would look like a count."""
        return f"{float(self.edge):.3%} ± {self.standard_error:.3%}"


@dataclass(frozen=True, slots=True)
class Hits:
    """How many of the deals are paid by one row of a paytable."""

    row: Row
    count: int
    deals: int

    @property
    def probability(self) -> Fraction:
        return Fraction(self.count, self.deals)

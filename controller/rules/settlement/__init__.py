"""Settlement of a finished round: what every wager returns, in what order, by which clause."""

from __future__ import annotations

from controller.rules.rulebook import Game
from controller.rules.ruleset import Ruleset
from controller.rules.settlement.cajun import Cajun
from controller.rules.settlement.caribbean import Caribbean
from controller.rules.settlement.four_card_prime import FourCardPrime
from controller.rules.settlement.lines import Line, Result, SeatSettlement, Settlement
from controller.rules.settlement.raise_it_up import RaiseItUp
from controller.rules.settlement.round import Round, Seat

_GAMES: dict[Game, type[Caribbean] | type[RaiseItUp] | type[FourCardPrime] | type[Cajun]] = {
    "caribbean-stud": Caribbean,
    "raise-it-up": RaiseItUp,
    "four-card-prime": FourCardPrime,
    "cajun-stud": Cajun,
}


def settle(ruleset: Ruleset, played: Round) -> Settlement:
    """Settle a round that the ruleset allows, see ``controller.rules.roundfile``."""
    return _GAMES[ruleset.rulebook.game](ruleset, played).settle()


__all__ = ["Line", "Result", "Round", "Seat", "SeatSettlement", "Settlement", "settle"]

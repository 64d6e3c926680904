"""The file of a finished round: what ``felt settle`` reads, checked in every detail.

The shape of the file is checked by pydantic; whether the round can have happened under its
rulebook is checked here and in ``wagering``. The first thing wrong is told, with its place.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from controller.rules.cards import CardError, card, cards, name
from controller.rules.faults import Refused, first_fault, listed
from controller.rules.paytables import dollars
from controller.rules.rulebook import Rulebook
from controller.rules.ruleset import Ruleset, choose
from controller.rules.settlement.round import Cards, Round, Seat
from controller.rules.wagering import place


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class DrawPart(_Part):
    magic_card: str | None = None
    #: A seat or "dealer"; checked in ``_lucky``, which words it better than a union would.
    lucky: Any = None


class SeatPart(_Part):
    seat: int
    cards: str
    folded: bool = False
    wagers: dict[str, int]


class RoundPart(_Part):
    rulebook: str
    options: dict[str, Any] = Field(default_factory=dict)
    meters: dict[str, dict[str, int]] = Field(default_factory=dict)
    dealer: str = ""
    community: str = ""
    extra: str = ""
    draw: DrawPart | None = None
    seats: list[SeatPart]


def read_round(
    text: str,
    rulebook_of: Callable[[str], Rulebook],
    chosen: Callable[[Rulebook, dict[str, Any]], Ruleset] = choose,
) -> tuple[Ruleset, Round]:
    """The round that a JSON text describes and the ruleset it was played by, or ``Refused``."""
    part = _shape(text)
    ruleset = _under("options", chosen, rulebook_of(part.rulebook), part.options)
    seen: dict[int, str] = {}
    seats = tuple(
        _under(f"seats[{n}]", _seat, ruleset, seat, seen) for n, seat in enumerate(part.seats)
    )
    _each_seat_once(seats)
    _one_progressive_amount(ruleset, seats)
    return ruleset, Round(
        seats=seats,
        dealer=_place("dealer", part.dealer, ruleset.rulebook.hands.dealer, seen),
        community=_place("community", part.community, ruleset.rulebook.hands.community, seen),
        extra=_place("extra", part.extra, _extras(ruleset, seats), seen),
        meters=_under("meters", _meters, ruleset, part.meters),
        **_under("draw", _draw, ruleset, part.draw),
    )


def _under(field: str, do: Callable[..., Any], *given: Any) -> Any:
    """Do something that belongs to a field, so that a refusal says where it was."""
    try:
        return do(*given)
    except Refused as refused:
        raise refused.under(field) from None


def _shape(text: str) -> RoundPart:
    try:
        data = json.loads(text, object_pairs_hook=_no_key_twice, parse_constant=_no_constant)
    except json.JSONDecodeError as error:
        where = f"line {error.lineno} column {error.colno}"
        raise Refused("", f"this is not JSON: {error.msg} at {where}") from None
    except RecursionError:
        raise Refused("", "this is not a round: it is nested too deeply") from None
    except Refused:
        raise
    except ValueError:
        raise Refused("", "this is not a round: a number in it has thousands of digits") from None
    if not isinstance(data, dict):
        raise Refused("", "this is not a round: a round is a JSON object with a rulebook and seats")
    try:
        return RoundPart.model_validate(data)
    except ValidationError as error:
        raise first_fault(error, RoundPart) from None


def _no_key_twice(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        keys = [key for key, _ in pairs]
        raise Refused(next(k for k in keys if keys.count(k) > 1), "is given twice")
    return found


def _no_constant(text: str) -> Any:
    raise Refused("", f"this is not JSON: {text} is not a number")


# --- Cards ------------------------------------------------------------------


def _extras(ruleset: Ruleset, seats: Iterable[Seat]) -> int:
    wagered = any(seat.staked("all_six") for seat in seats)
    return ruleset.rulebook.hands.extra if wagered else 0


def _place(field: str, text: str, count: int, seen: dict[int, str], called: str = "") -> Cards:
    """The cards of one place: the right number, none of them seen elsewhere."""
    try:
        found = cards(text)
    except CardError as error:
        raise Refused(field, str(error)) from None
    if len(found) != count:
        has = f"{len(found)} card{'' if len(found) == 1 else 's'}"
        why = " where no seat wagered on them" if field == "extra" and count == 0 else ""
        raise Refused(field, f"has {has}{why}", f"must have {count or 'none'}")
    for one in found:
        if one in seen:
            raise Refused(field, f"{name(one)} is also in {seen[one]}", "each card exists once")
        seen[one] = called or field
    return found


# --- Seats ------------------------------------------------------------------


def _seat(ruleset: Ruleset, part: SeatPart, seen: dict[int, str]) -> Seat:
    _is_a_seat(ruleset, "seat", part.seat)
    called = f"the hand of seat {part.seat}"
    found = _place("cards", part.cards, ruleset.rulebook.hands.player, seen, called)
    wagers = _under("wagers", _wagers, ruleset, part.wagers)
    _folded_or_not(ruleset, part.folded, wagers)
    return Seat(number=part.seat, cards=found, wagers=wagers, folded=part.folded)


def _is_a_seat(ruleset: Ruleset, field: str, number: int) -> None:
    seats = ruleset.rulebook.seats
    if not 1 <= number <= seats.most:
        raise Refused(
            field, f"{number} is not a seat", f"seats are 1 to {seats.most}", seats.clause
        )


def _wagers(ruleset: Ruleset, given: dict[str, int]) -> dict[str, int]:
    kinds = ruleset.rulebook.wagers
    for kind, amount in given.items():
        if kind not in kinds:
            place(ruleset, kind, amount, down={})  # says that there is no such wager
        if amount < 0:
            raise Refused(kind, f"{amount} cents is less than nothing", "0 means not wagered")
    down: dict[str, int] = {}
    for kind in kinds:  # a rulebook lists them in the order in which they go down
        if amount := given.get(kind, 0):
            place(ruleset, kind, amount, down=down)
            down[kind] = amount
    for kind, wager in kinds.items():
        entry = not wager.multiples and (wager.equals or not wager.needs)
        if entry and kind not in down:
            raise Refused(
                kind, "is missing; without it no cards are dealt to the seat", clause=wager.clause
            )
    return down


def _folded_or_not(ruleset: Ruleset, folded: bool, wagers: dict[str, int]) -> None:
    """A seat that made its last wager stayed in the round, and one that did not has folded."""
    last = [kind for kind, wager in ruleset.rulebook.wagers.items() if wager.multiples][-1]
    clause = ruleset.rulebook.words.ask[-1].clause or ruleset.rulebook.wagers[last].clause
    if folded and last in wagers:
        raise Refused("folded", f"the seat made its {last} wager", "must be false", clause)
    if not folded and last not in wagers:
        raise Refused("folded", f"the seat has no {last} wager", "must be true", clause)


def _each_seat_once(seats: tuple[Seat, ...]) -> None:
    if not seats:
        raise Refused("seats", "is empty", "a round has at least one seat")
    numbers = [seat.number for seat in seats]
    for n, number in enumerate(numbers):
        if number in numbers[:n]:
            raise Refused(f"seats[{n}].seat", f"seat {number} is given twice")


def _one_progressive_amount(ruleset: Ruleset, seats: tuple[Seat, ...]) -> None:
    amounts = sorted({stake for seat in seats if (stake := seat.staked("progressive"))})
    if len(amounts) > 1:
        raise Refused(
            "seats",
            f"the progressive wagers differ: {listed(map(dollars, amounts))}",
            "one table offers one amount",
            ruleset.rulebook.choices["progressive_wager"].clause,
        )


# --- Meters and draws -------------------------------------------------------


def _meters(ruleset: Ruleset, given: dict[str, dict[str, int]]) -> dict[str, dict[str, int]]:
    for meter in given:
        if meter not in ruleset.meters:
            raise Refused(
                meter,
                "is no meter of this table: the wager is not offered or has none",
                f"its meters are {listed(ruleset.meters)}",
            )
    for meter, terms in ruleset.meters.items():
        levels = [*terms.levels, *(["reserve"] if terms.has_reserve else [])]
        shown = given.get(meter)
        if shown is None:
            raise Refused(meter, "is missing", f"must show {listed(terms.levels)}", terms.clause)
        for level, cents in shown.items():
            if level not in levels:
                raise Refused(
                    f"{meter}.{level}", "is no level", f"levels: {listed(levels)}", terms.clause
                )
            if cents < 0:
                raise Refused(f"{meter}.{level}", f"{cents} cents is less than nothing")
        for level in terms.levels:
            if level not in shown:
                raise Refused(
                    f"{meter}.{level}", "is missing", f"levels: {listed(levels)}", terms.clause
                )
    return given


def _draw(ruleset: Ruleset, part: DrawPart | None) -> dict[str, Any]:
    if part is None or part == DrawPart():
        return {}
    if not ruleset.rulebook.draws or not ruleset.offers("five_card_player"):
        raise Refused("", "nothing is drawn where the Five Card Hand Bonus is not offered")
    drawn: dict[str, Any] = {"lucky": _lucky(ruleset, part.lucky)}
    if part.magic_card is not None:
        try:
            drawn["magic_card"] = card(part.magic_card)
        except CardError as error:
            raise Refused("magic_card", str(error)) from None
    return drawn


def _lucky(ruleset: Ruleset, drawn: Any) -> int | Literal["dealer"] | None:
    if drawn is None:
        return None
    if drawn == "dealer":
        return "dealer"
    if isinstance(drawn, bool) or not isinstance(drawn, int):
        raise Refused("lucky", f"{drawn!r} is neither a seat nor 'dealer'")
    _is_a_seat(ruleset, "lucky", drawn)
    return drawn

"""The operator's choices: each within its own bounds, and beside the others.

What the regulation forbids, or asks for and does not get, is refused with the clause that says so.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from controller.rules.faults import Refused, listed
from controller.rules.paytables import Odds, dollars, odds
from controller.rules.rulebook import PRINTED, Choice, Meter, Rulebook, With

Options = Mapping[str, Any]


def choices_made(rulebook: Rulebook, options: Options, *, of_a_table: bool) -> dict[str, Any]:
    """The choices that these options make; what is switched off is not made."""
    made = _made(rulebook, options, of_a_table)
    _nothing_required_is_missing(rulebook, made, of_a_table)
    for name in made:
        _goes_with_the_others(rulebook, name, made)
    for name in rulebook.meters:
        if name in made:
            _rates_fit(rulebook, name, made, of_a_table)
    return made


# --- One choice at a time ---------------------------------------------------


def _made(rulebook: Rulebook, options: Options, of_a_table: bool) -> dict[str, Any]:
    """The choices that were made, each within its own bounds."""
    made = {}
    for name, value in options.items():
        choice = rulebook.choices.get(name)
        if choice is None or (choice.where == "table" and not of_a_table):
            raise _unknown(rulebook, name, of_a_table)
        if choice.where == "round" and of_a_table:
            problem = "is not an option of a table file, which says it once and elsewhere"
            raise Refused(name, problem, f"set {choice.instead} and leave this out", choice.clause)
        try:
            _in_bounds(rulebook, name, choice, value)
        except Refused as refused:
            raise refused.under(name) from None
        if value is not False:
            made[name] = value
    return made


def _unknown(rulebook: Rulebook, name: str, of_a_table: bool) -> Refused:
    for fixed, wager in (("progressive", "progressive"), ("five_card", "five_card")):
        if name in (f"{fixed}_reset", f"{fixed}_rate") and wager in rulebook.meters:
            meter = rulebook.meters[wager][0]
            return Refused(
                name,
                "is not the operator's to choose; the regulation fixes it with the paytable",
                clause=meter.clause.partition("[")[0],
            )
    elsewhere = "round" if of_a_table else "table"
    known = [n for n, c in rulebook.choices.items() if c.where != elsewhere]
    return Refused(name, f"is not a choice of {rulebook.id}", f"its choices are {listed(known)}")


def _in_bounds(rulebook: Rulebook, name: str, choice: Choice, value: object) -> None:
    match choice.picks:
        case "column":
            columns = rulebook.columns(name)
            if value is not False and value not in columns:
                raise _not_among(value, columns, "a paytable", choice)
        case "one of":
            assert choice.of is not None
            if isinstance(value, bool) or value not in choice.of:
                raise _not_among(value, choice.of, "a value", choice)
        case "offer" | "flag":
            if not isinstance(value, bool):
                raise Refused("", f"{value!r} is not true or false", clause=choice.clause)
            if value and choice.never:
                problem = f"{rulebook.id} does not provide that {choice.says}"
                raise Refused("", problem, clause=choice.clause)
        case "text":
            if not isinstance(value, str) or not value.strip():
                raise Refused("", f"{value!r} is not a text", clause=choice.clause)
        case "better odds":
            _none_worse(rulebook, choice, value)
        case "percent" if isinstance(value, Mapping):
            _level_rates(rulebook, name, choice, value)
        case "cents" | "percent" | "number":
            _amount(choice, value)


def _not_among(value: object, allowed: Any, what: str, choice: Choice) -> Refused:
    return Refused("", f"{value!r} is not {what}", f"there are {listed(allowed)}", choice.clause)


def _amount(choice: Choice, value: object) -> None:
    if isinstance(value, bool) or not isinstance(value, int):
        raise Refused("", f"{value!r} is not a whole number", clause=choice.clause)
    said = _say(choice, value)
    least = choice.least if choice.least is not None else 0
    most = 100 if choice.picks == "percent" and choice.most is None else choice.most
    if value < least:
        allowed = f"at least {_say(choice, least)}"
        raise Refused("", f"{said} is too little", allowed, choice.clause)
    if most is not None and value > most:
        raise Refused("", f"{said} is too much", f"at most {_say(choice, most)}", choice.clause)


def _say(choice: Choice, value: int) -> str:
    match choice.picks:
        case "cents":
            return dollars(value)
        case "percent":
            return f"{value}%"
    return str(value)


def _level_rates(rulebook: Rulebook, name: str, choice: Choice, value: Options) -> None:
    """A rate for each level, in whole percent: a level that never rises is no progressive."""
    meters = [one for some in rulebook.meters.values() for one in some if one.rate_by == name]
    levels = {level: None for one in meters if len(one.levels) > 1 for level in one.levels}
    if not levels:
        _amount(choice, value)  # says that one number is asked for
    for level, rate in value.items():
        if level not in levels:
            raise Refused(level, "is no level", f"levels: {listed(levels)}", choice.clause)
        try:
            _amount(choice.model_copy(update={"least": 1}), rate)
        except Refused as refused:
            raise refused.under(level) from None


def _none_worse(rulebook: Rulebook, choice: Choice, value: object) -> None:
    """Every hand that is named is paid no less than printed."""
    assert choice.table is not None
    if not isinstance(value, Mapping):
        raise Refused("", "must be a table of hands and odds", clause=choice.clause)
    printed = rulebook.paytables[choice.table][0]
    least = {row[0]: [odds(cell) for cell in row[1:]] for row in printed.rows}
    for hand, cell in value.items():
        if hand not in least:
            raise _not_among(hand, least, "a hand of this table", choice)
        try:
            better = odds(cell)
        except (ValueError, TypeError) as error:
            raise Refused(hand, str(error), clause=choice.clause) from None
        for floor in least[hand]:
            if not _no_less(better, floor):
                raise Refused(
                    hand, f"{cell!r} is less than printed", f"at least {floor}", choice.clause
                )


def _no_less(better: Odds, printed: Odds) -> bool:
    """Whether odds of the same kind pay at least as much."""
    return (
        better.kind is printed.kind
        and better.level == printed.level
        and better.number * printed.per >= printed.number * better.per
    )


# --- One choice beside the others -------------------------------------------


def _holds(condition: With, made: Options) -> bool:
    value = made.get(condition.choice)
    return value is not None and (not condition.values or str(value) in condition.values)


def _nothing_required_is_missing(rulebook: Rulebook, made: Options, of_a_table: bool) -> None:
    for name, choice in rulebook.choices.items():
        if name in made or choice.required is None:
            continue
        if "table" in (choice.where, choice.required_of) and not of_a_table:
            continue
        if choice.required == "always":
            why = ""
        elif _holds(choice.required, made):
            why = f" with {choice.required.choice} {made[choice.required.choice]}".replace(
                " True", ""
            )
        else:
            continue
        raise Refused(
            name,
            f"must be chosen{why}: {choice.says}",
            _bounds(rulebook, name, made),
            choice.clause,
        )


def _bounds(rulebook: Rulebook, name: str, made: Options) -> str:
    choice = rulebook.choices[name]
    if choice.picks == "column":
        return f"one of {listed(rulebook.columns(name))}"
    if choice.picks == "cents" and (amounts := amounts_allowed(rulebook, name, made)):
        return f"one of {listed(amounts)} cents"
    if choice.of is not None:
        return f"one of {listed(choice.of)}"
    if choice.least is not None:
        return f"at least {_say(choice, choice.least)}"
    return ""


def _goes_with_the_others(rulebook: Rulebook, name: str, made: Options) -> None:
    choice, value = rulebook.choices[name], made[name]
    if choice.only and choice.only.choice in made and not _holds(choice.only, made):
        other = choice.only.choice
        raise Refused(
            name,
            f"can't be chosen with {other} {made[other]}, whose figures are printed",
            f"only with {other} {listed(choice.only.values)}",
            choice.clause,
        )
    for forbidden in choice.forbids:
        if _holds(forbidden, made):
            other = forbidden.choice
            allowed = [c for c in rulebook.columns(other) if c not in forbidden.values]
            raise Refused(
                other,
                f"{made[other]} may not be chosen when {choice.says}",
                f"allowed are {listed(allowed)}",
                choice.clause,
            )
    if choice.picks == "cents":
        amounts = amounts_allowed(rulebook, name, made)
        if amounts is not None and value not in amounts:
            text = f"allowed are {listed(map(dollars, amounts))}"
            raise Refused(name, f"{dollars(value)} is not offered", text, choice.clause)


def amounts_allowed(rulebook: Rulebook, name: str, made: Options) -> list[int] | None:
    """The cents that a choice may take beside the others; None where any will do."""
    choice = rulebook.choices[name]
    if choice.of_with_choice:
        beside = choice.of_with.get(str(made.get(choice.of_with_choice)))
        if beside is not None:
            return beside
    return [int(one) for one in choice.of] if choice.of is not None else None


def amount_choice(rulebook: Rulebook, wager: str) -> str:
    """The name of the choice that fixes a wager's amount; not every wager has it."""
    return f"{rulebook.wagers[wager].paytable or wager}_wager"


def amounts_taken(rulebook: Rulebook, wager: str, made: Options) -> list[int] | None:
    """The cents that may be wagered on one wager; None where any will do."""
    choice = amount_choice(rulebook, wager)
    if choice not in rulebook.choices:
        return None
    fixed: int | None = made.get(choice)
    return [fixed] if fixed is not None else amounts_allowed(rulebook, choice, made)


# --- Tables and meters ------------------------------------------------------


def column_of(rulebook: Rulebook, table: str, made: Options) -> str | None:
    """The column of a table that the choices take; None where the round decides it."""
    first = rulebook.paytables[table][0]
    if first.columns == [PRINTED]:
        return PRINTED
    if first.column_by or rulebook.choices[table].picks == "column":
        return str(made.get(first.column_by or table, ""))
    return None


def meter_of(rulebook: Rulebook, name: str, made: Options) -> Meter:
    """What is printed of a meter for the table that was chosen."""
    column = column_of(rulebook, name, made)
    return next(meter for meter in rulebook.meters[name] if column in meter.columns)


def _rates_fit(rulebook: Rulebook, name: str, made: Options, of_a_table: bool) -> None:
    """Each level has its own rate, and together they are neither too little nor over the wager."""
    meter = meter_of(rulebook, name, made)
    if meter.rate_by is None or meter.rate_by not in made:
        return
    given, clause = made[meter.rate_by], rulebook.choices[meter.rate_by].clause
    if isinstance(given, Mapping):
        _levels_match(meter, given, clause)
        whole = sum(given.values())
    elif len(meter.levels) > 1 and of_a_table:
        # Of a finished round, one number is what the levels had together.
        problem = f"{given}% does not say what each of {listed(meter.levels)} gets"
        example = ", ".join(f"{level} = ..." for level in meter.levels)
        raise Refused(meter.rate_by, problem, f"give each its own: {{ {example} }}", clause)
    else:
        whole = given
    least, reserve = rulebook.choices[meter.rate_by].least or 0, meter.reserve_rate or 0
    if whole < least:
        allowed = f"at least {least}%, all levels together"
        raise Refused(meter.rate_by, f"{whole}% is too little", allowed, clause)
    if whole + reserve > 100:
        problem = f"{whole + reserve}% is more than the whole wager"
        beside = f", {reserve}% for the reserve among it" if reserve else ""
        raise Refused(meter.rate_by, problem, f"at most 100%{beside}", clause)


def _levels_match(meter: Meter, given: Options, clause: str) -> None:
    assert meter.rate_by is not None
    if len(meter.levels) == 1:
        problem = "this meter has one level"
        raise Refused(meter.rate_by, problem, "give one number of percent", clause)
    for level in [*given, *meter.levels]:
        if level not in meter.levels or level not in given:
            problem = "is missing" if level in meter.levels else "is no level of this paytable"
            allowed = f"levels: {listed(meter.levels)}"
            raise Refused(f"{meter.rate_by}.{level}", problem, allowed, clause)

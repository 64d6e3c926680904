"""The operator's choices: each within its own bounds, and beside the others.

What the regulation forbids, or asks for and does not get, is refused with the clause that says so.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from controller.rules.faults import Refused, listed
from controller.rules.paytables import Odds, dollars, odds
from controller.rules.rulebook import Choice, Rulebook, With

Options = Mapping[str, Any]


def choices_made(rulebook: Rulebook, options: Options, *, of_a_table: bool) -> dict[str, Any]:
    """The choices that these options make; what is switched off is not made."""
    made = _made(rulebook, options, of_a_table)
    _nothing_required_is_missing(rulebook, made, of_a_table)
    for name in made:
        _goes_with_the_others(rulebook, name, made)
    return made


# --- One choice at a time ---------------------------------------------------


def _made(rulebook: Rulebook, options: Options, of_a_table: bool) -> dict[str, Any]:
    """The choices that were made, each within its own bounds."""
    made = {}
    for name, value in options.items():
        choice = rulebook.choices.get(name)
        if choice is None or (choice.where == "table" and not of_a_table):
            raise _unknown(rulebook, name, of_a_table)
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
    known = [n for n, c in rulebook.choices.items() if of_a_table or c.where == "anywhere"]
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
        case "cents" | "percent" | "number":
            _amount(choice, value)


def _not_among(value: object, allowed: Any, what: str, choice: Choice) -> Refused:
    return Refused("", f"{value!r} is not {what}", f"there are {listed(allowed)}", choice.clause)


def _amount(choice: Choice, value: object) -> None:
    if isinstance(value, bool) or not isinstance(value, int):
        raise Refused("", f"{value!r} is not a whole number", clause=choice.clause)
    say = {"cents": dollars, "percent": "{}%".format}.get(choice.picks, str)
    least = choice.least if choice.least is not None else 0
    most = 100 if choice.picks == "percent" and choice.most is None else choice.most
    if value < least:
        raise Refused("", f"{say(value)} is too little", f"at least {say(least)}", choice.clause)
    if most is not None and value > most:
        raise Refused("", f"{say(value)} is too much", f"at most {say(most)}", choice.clause)


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
        if choice.where == "table" and not of_a_table:
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
            _bounds(rulebook, name, choice),
            choice.clause,
        )


def _bounds(rulebook: Rulebook, name: str, choice: Choice) -> str:
    if choice.picks == "column":
        return f"one of {listed(rulebook.columns(name))}"
    if choice.of is not None:
        return f"one of {listed(choice.of)}"
    if choice.least is not None:
        say = dollars if choice.picks == "cents" else str
        return f"at least {say(choice.least)}"
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

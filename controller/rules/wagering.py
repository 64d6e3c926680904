"""Whether a wager may go down: its kind, its moment, its amount, what it is made with.

The running table asks this for every chip, and a finished round is checked with it, so both
refuse the same things for the same reasons.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Collection, Mapping

from controller.rules.choices import amount_choice
from controller.rules.faults import Refused, listed
from controller.rules.paytables import dollars
from controller.rules.rulebook import BEFORE_NO_MORE_BETS, Moment, Wager
from controller.rules.ruleset import Ruleset
from controller.rules.says import nth


def place(
    ruleset: Ruleset,
    name: str,
    amount: int,
    *,
    down: Mapping[str, int],
    moment: Moment | None = None,
    tender: str = "chips",
) -> None:
    """Raise ``Refused`` unless the wager may go down at a seat that has ``down`` already.

    Without a moment the question is asked of a finished round: whether there was one. What is down
    on the same wager before "no more bets" is added to: it may be increased until then.
    """
    wager = _offered(ruleset, name)
    if moment is not None and moment not in wager.moments:
        late = moment != BEFORE_NO_MORE_BETS
        clause = ruleset.rulebook.words.late.clause if late else ""
        raise Refused(name, _too_early_or_late(wager, moment), clause=clause or wager.clause)
    _made_with(ruleset, name, tender)
    if amount <= 0:
        raise Refused(name, f"{amount} cents is not a wager", "an amount above 0")
    if name in down and not (moment == BEFORE_NO_MORE_BETS and may_change(ruleset)):
        raise Refused(name, "is down already and can't be changed", clause=wager.clause)
    for other in wager.needs:
        if not down.get(other):
            clause = wager.needs_by or wager.clause
            raise Refused(name, f"needs {_a(other)} at the same seat", clause=clause)
    _amount_fits(ruleset, name, amount, down, moment)


def may_change(ruleset: Ruleset) -> bool:
    """Whether wagers may be increased and withdrawn before "no more bets"."""
    rule = ruleset.rulebook.procedures.wagers_may_change
    return rule is not None and rule.is_


def increase(
    ruleset: Ruleset, name: str, amount: int, *, down: Mapping[str, int], tender: str = "chips"
) -> int:
    """What is down on a wager with so much more, before "no more bets"; ``Refused`` if it can't."""
    had = down.get(name, 0)
    if had and may_change(ruleset) and ruleset.amounts_of(name):
        clause = ruleset.rulebook.wagers[name].clause
        raise Refused(name, "is down already, and its amount is fixed", clause=clause)
    total = had + amount if amount > 0 else amount
    place(ruleset, name, total, down=down, moment=BEFORE_NO_MORE_BETS, tender=tender)
    return total


def _a(wager: str) -> str:
    return f"{'an' if wager[0] in 'aeiou' else 'a'} {wager}"


def _offered(ruleset: Ruleset, name: str) -> Wager:
    wager = ruleset.rulebook.wagers.get(name)
    if wager is None:
        kinds = ruleset.rulebook.wager_kinds
        raise Refused(
            name,
            f"is not a wager of {ruleset.rulebook.id}",
            f"its wagers are {listed(ruleset.rulebook.wagers)}",
            kinds.clause if kinds else "",
        )
    if not ruleset.offers(name):
        raise Refused(
            name,
            f"is not offered: the option {wager.offered_by!r} is not chosen",
            f"offered are {listed(ruleset.offered)}",
            wager.clause,
        )
    return wager


def _too_early_or_late(wager: Wager, moment: Moment) -> str:
    if wager.moments == (BEFORE_NO_MORE_BETS,):
        return "comes after 'no more bets'"
    when = "before 'no more bets'" if moment == BEFORE_NO_MORE_BETS else f"at {moment}"
    return f"can't be made {when}, only at {listed(wager.moments)}"


def _made_with(ruleset: Ruleset, name: str, tender: str) -> None:
    rule = ruleset.rulebook.tender
    instruments = rule.is_.get(tender)
    if instruments is None:
        raise Refused(
            name, f"can't be made with {tender}", f"only with {listed(rule.is_)}", rule.clause
        )
    if instruments.wagers and name not in instruments.wagers:
        raise Refused(
            name,
            f"can't be made with a {tender}",
            f"only {listed(instruments.wagers)}",
            rule.clause,
        )
    if instruments.choice and not ruleset.options.get(instruments.choice):
        raise Refused(name, f"this table takes no {tender}", clause=rule.clause)


def _amount_fits(
    ruleset: Ruleset, name: str, amount: int, down: Mapping[str, int], moment: Moment | None
) -> None:
    wager = ruleset.rulebook.wagers[name]
    if wager.equals and amount != down[wager.equals]:
        same = down[wager.equals]
        raise Refused(
            name,
            f"{dollars(amount)} is not the same as the {wager.equals}",
            f"allowed is {dollars(same)}",
            wager.clause,
        )
    if wager.multiples:
        _is_multiple(ruleset, name, amount, down["ante"], moment)
    allowed = ruleset.amounts_of(name)
    if allowed is not None and amount not in allowed:
        raise Refused(
            name,
            f"{dollars(amount)} is not the amount of this wager",
            f"allowed is {listed(map(dollars, allowed))}",
            ruleset.rulebook.choices[amount_choice(ruleset.rulebook, name)].clause,
        )


def _is_multiple(
    ruleset: Ruleset, name: str, amount: int, ante: int, moment: Moment | None
) -> None:
    wager = ruleset.rulebook.wagers[name]
    times = {n for at, ns in wager.multiples.items() if moment in (None, at) for n in ns}
    if amount not in {n * ante for n in times}:
        said = " or ".join(str(n) for n in sorted(times))
        allowed = " or ".join(dollars(n * ante) for n in sorted(times))
        raise Refused(
            name,
            f"{dollars(amount)} is not {said} times the ante of {dollars(ante)}",
            f"allowed is {allowed}",
            _asked_by(ruleset, wager, moment),
        )


def _asked_by(ruleset: Ruleset, wager: Wager, moment: Moment | None) -> str:
    """The clauses that say how much may be wagered at this decision, or at any."""
    streets = [int(at[-1]) for at in wager.multiples if moment in (None, at)]
    clauses = [nth(ruleset.rulebook.words.ask, street).clause for street in streets]
    return ", ".join(clauses) if all(clauses) else wager.clause


def patron(name: str) -> str:
    """What the spellings of one person's name have in common: one patron is one patron."""
    return " ".join(unicodedata.normalize("NFKC", name).casefold().split())


def are_adjacent(boxes: Collection[int]) -> bool:
    return not boxes or max(boxes) - min(boxes) < len(boxes)


def boxes_allowed(ruleset: Ruleset) -> tuple[int, str]:
    """On how many adjacent boxes one player may wager, with the clause."""
    fixed, chosen = ruleset.rulebook.boxes, ruleset.rulebook.choices.get("adjacent_boxes")
    if fixed is not None:
        return fixed.is_, fixed.clause
    assert chosen is not None
    return ruleset.options["adjacent_boxes"], chosen.clause


def may_take_boxes(ruleset: Ruleset, boxes: Collection[int]) -> None:
    """Raise ``Refused`` unless one player may wager on these boxes in one round."""
    most, clause = boxes_allowed(ruleset)
    if len(boxes) > most:
        raise Refused("boxes", f"one player has {len(boxes)}", f"at most {most}", clause)
    if not are_adjacent(boxes):
        raise Refused("boxes", f"{listed(sorted(boxes))} are not next to each other", "", clause)

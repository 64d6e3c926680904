"""An offer that somebody fills in: what they say, checked against what was asked for.

The machine has the last word about each act. But whoever says something that was not asked for did
not mean this offer, or not as it was shown to them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from controller.rules.cards import CardError, card, cards, names
from controller.rules.faults import Refused, listed
from controller.rules.paytables import dollars
from controller.table.offer import Ask, Deed, Offer


def filled(offer: Offer, fields: Mapping[str, Any]) -> tuple[Deed, ...]:
    """The acts of an offer with everything that they take; ``Refused`` where it does not fit."""
    known = {ask.name for ask in offer.asks}
    for name in fields:
        if name not in known:
            raise Refused(name[:64], f"is not asked for by {offer.title!r}", listed(known))
    given = [dict(deed.given) for deed in offer.acts]
    for ask in offer.asks:
        if ask.name in fields and not _is_left_out(ask, fields[ask.name]):
            given[ask.act][ask.name] = _fitting(ask, fields[ask.name])
        elif ask.required:
            raise Refused(ask.name, "is missing", ask.words)
    return tuple(Deed(deed.action, facts) for deed, facts in zip(offer.acts, given, strict=True))


def _is_left_out(ask: Ask, value: Any) -> bool:
    return not ask.required and value in ("", None)


def _fitting(ask: Ask, value: Any) -> Any:
    match ask.shape:
        case "cards":
            return _cards(ask, value)
        case "cents" | "count" | "seat":
            return _number(ask, value)
        case "words" | "name":
            return _words(ask, value)
        case "flag":
            if not isinstance(value, bool):
                raise Refused(ask.name, f"{_short(value)} is neither yes nor no")
            return value
        case "second":
            return _second(ask, value)
        case "choice" | "person":
            if ask.choices is not None and value not in ask.choices:
                raise Refused(ask.name, f"{_short(value)} is none of them", listed(ask.choices))
            return value


def _cards(ask: Ask, value: Any) -> str:
    if not isinstance(value, str):
        raise Refused(ask.name, f"{_short(value)} is no card", "as in: As Kd 10h")
    try:
        told = cards(value)
    except CardError as error:
        raise Refused(ask.name, str(error)) from None
    if ask.count is not None and len(told) != ask.count:
        raise Refused(ask.name, f"{len(told)} cards", ask.words)
    known = _each(ask.includes.split())
    may = known | _each(ask.choices or ())
    if ask.choices is not None and (others := [one for one in told if one not in may]):
        raise Refused(ask.name, f"{names(others)} lies elsewhere", "look again")
    if missing := known - set(told):
        raise Refused(ask.name, f"{names(sorted(missing))} is among them", "look again")
    return names(told)


def _each(written: Iterable[int | str]) -> set[int]:
    return {card(str(one)) for one in written}


def _number(ask: Ask, value: Any) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise Refused(ask.name, f"{_short(value)} is no number", ask.words)
    said = dollars if ask.shape == "cents" else str
    if ask.choices is not None:
        if value not in ask.choices:
            some = listed(said(int(one)) for one in ask.choices)
            raise Refused(ask.name, f"{said(value)} is none of them", some)
        return value
    low, high = ask.least, ask.most
    if (low is not None and value < low) or (high is not None and value > high):
        bounds = [f"at least {said(low)}"] if low is not None else []
        bounds += [f"at most {said(high)}"] if high is not None else []
        raise Refused(ask.name, f"{said(value)} is out of bounds", ", ".join(bounds))
    if ask.step and (value - (low or 0)) % ask.step:
        raise Refused(ask.name, f"{said(value)} is none of them", f"in steps of {said(ask.step)}")
    return value


def _words(ask: Ask, value: Any) -> str:
    if not isinstance(value, str):
        raise Refused(ask.name, f"{_short(value)} is no text", ask.words)
    least, most = ask.least or 0, ask.most
    if len(value) < least or (most is not None and len(value) > most):
        raise Refused(ask.name, f"{len(value)} characters", f"{least} to {most}")
    return value


def _second(ask: Ask, value: Any) -> Any:
    role = value.get("role") if isinstance(value, dict) else None
    if ask.choices is not None and role not in ask.choices:
        raise Refused(ask.name, f"{_short(value)} can't be the second", listed(ask.choices))
    return value


def _short(value: Any) -> str:
    return repr(value)[:64]

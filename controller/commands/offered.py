"""What a table offers now, at a command line: listed, and filled in."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from controller.commands.columns import columns, folded
from controller.rules.faults import Refused, listed
from controller.rules.paytables import dollars

#: What each group of offers is called.
GROUPS = {
    "due": "due now",
    "may": "also possible",
    "irregular": "if it has happened",
    "floor": "for the floor",
}
#: Choices that are named one by one; of more only the number.
_NAMED = 8


def lines(said: dict[str, Any]) -> Iterator[str]:
    """Everything that can be done, with who does it and what it takes."""
    yield f"{said['phase']}, round {said['round']}; take one: felt act take OFFER [NAME=VALUE ...]"
    for group, title in GROUPS.items():
        some = [one for one in said["offers"] if one["group"] == group]
        if not some:
            continue
        yield ""
        yield title
        rows = [(one["id"], one["who"], one["title"], one["clause"]) for one in some]
        for line, one in zip(columns(rows), some, strict=True):
            yield line
            for text in (*map(takes, one["asks"]), one["follows"]):
                yield from folded("      ", text) if text else ()


def takes(ask: dict[str, Any]) -> str:
    """One thing that an offer asks for, as it is written behind it."""
    word = f"{ask['name']}=..."
    word = word if ask["required"] else f"[{word}]"
    return f"{word}  {ask['words']}{_bounds(ask)}"


def _bounds(ask: dict[str, Any]) -> str:
    if ask["shape"] == "cards":
        return ", as in As Kd" if ask["required"] else ", where no shoe has read them"
    said = _cents if ask["shape"] == "cents" else str
    choices = ask["choices"]
    if ask["shape"] == "second":
        return f", as PERSON:ROLE ({listed(choices)})"
    if choices is not None and len(choices) <= _NAMED:
        return f": {listed(map(said, choices))}"
    if ask["shape"] in ("cents", "count") and ask["least"] is not None:
        most = f" to {said(ask['most'])}" if ask["most"] is not None else " or more"
        return f": {said(ask['least'])}{most}"
    return ""


def _cents(cents: int) -> str:
    return f"{cents} ({dollars(cents)})"


def named(offers: Sequence[dict[str, Any]], words: Sequence[str]) -> dict[str, Any]:
    """The offer that the first word begins the id of."""
    step = "felt act lists what is offered now"
    if not words or "=" in words[0]:
        raise Refused("", "take which offer?", step)
    found = [one for one in offers if one["id"].startswith(words[0])]
    if len(found) != 1:
        problem = "several offers begin so" if found else "is not offered now"
        raise Refused(words[0], problem, step)
    return found[0]


def fields(offer: dict[str, Any], words: Sequence[str]) -> dict[str, Any]:
    """NAME=VALUE words as what the offer asks for."""
    asks = {one["name"]: one for one in offer["asks"]}
    found: dict[str, Any] = {}
    for word in words:
        name, equals, text = word.partition("=")
        if not equals:
            raise Refused("", f"{word!r} is not NAME=VALUE", f"it asks for {listed(asks)}")
        if name not in asks:
            raise Refused(name, f"{offer['title']!r} does not ask for it", listed(asks))
        found[name] = _value(asks[name], text)
    return found


def _value(ask: dict[str, Any], text: str) -> Any:
    match ask["shape"]:
        case "cents" | "count" | "seat":
            if not text.isdecimal():
                raise Refused(ask["name"], f"{text!r} is no number", ask["words"])
            return int(text)
        case "flag":
            if text.lower() not in ("true", "false", "yes", "no"):
                raise Refused(ask["name"], f"{text!r} is neither yes nor no")
            return text.lower() in ("true", "yes")
        case "second":
            id_, _, role = text.partition(":")
            return {"id": id_, "role": role}
        case _:
            return text

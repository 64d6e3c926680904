"""``felt act``: whatever people do at a running table, from the command line.

What can be done now, the table itself offers, and says what each offer asks for; it says so of its
actions too. So values are typed as they are on the page, and an action that a newer felt has is
known here as well.
"""

from __future__ import annotations

import argparse
import getpass
import json
import secrets
import sys
from collections.abc import Iterator, Sequence
from typing import Any

from controller.commands import offered
from controller.commands.columns import columns, folded
from controller.daemon.client import Answered, Client, find
from controller.rules.faults import Refused, listed

REFUSED = 1
TAKE = "take"
#: What every act may be given: the id under which it is done once, and what was seen.
FOR_ALL = ("id", "round", "seq")


def run(given: argparse.Namespace) -> int:
    with Client(find(given.table, given.socket)) as client:
        if given.action is None and not given.all:
            return _offers(client, as_json=given.json)
        known = {one["action"]: one for one in client.ask("actions")["actions"]}
        if given.all or given.action is None:
            return _list(known, given.action, as_json=given.json)
        if given.action not in known:
            raise Refused("", f"there is no action {given.action!r}", "felt act --all lists them")
        facts = (
            _taken(client, given.given)
            if given.action == TAKE
            else values(known[given.action], given.given)
        )
        fields, _ = _properties(known[given.action])
        if given.id or "id" in fields:
            # Under an id it is done once, whatever becomes of the answer.
            facts["id"] = given.id or secrets.token_hex(8)
        try:
            done = _ask(client, given, facts)
        except Answered as answered:
            if answered.code == "late" and "id" in facts:
                step = f"say it again with --id {facts['id']}: it is done once"
                raise Refused("", "nobody knows yet whether it was done", step) from None
            if answered.code not in ("refused", "not allowed", "stale"):
                raise
            sys.stderr.write(f"felt act: {answered}\n")
            return REFUSED
    _show(given, done)
    return 0


def _ask(client: Client, given: argparse.Namespace, facts: dict[str, Any]) -> Any:
    pins = [line.strip() for line in sys.stdin] if given.pin_stdin else []
    who: dict[str, str | None] = {"as_": given.as_}
    who |= dict(zip(("pin", "second_pin"), pins, strict=False))
    # One for the person, one for the second person of an act for two.
    for _ in range(2):
        try:
            return client.ask(given.action, facts, **who)
        except Answered as answered:
            if answered.code != "pin" or given.pin_stdin or not sys.stdin.isatty():
                raise
            name = "second_pin" if who.get("pin") else "pin"
            who[name] = getpass.getpass(f"{str(answered).removeprefix('pin: ')}: ")
    return client.ask(given.action, facts, **who)


def _show(given: argparse.Namespace, done: dict[str, Any]) -> None:
    if given.json or "seq" not in done:
        sys.stdout.write(json.dumps(done, indent=2) + "\n")
        return
    again = ", as it was already" if done.get("repeated") else ""
    lines = [f"entry {done['seq']}: {done['phase']}, round {done['round']}{again}"]
    lines += columns((one["who"], one["text"]) for one in done.get("prompts", ()))
    sys.stdout.write("\n".join(lines) + "\n")


def _offers(client: Client, *, as_json: bool) -> int:
    said = client.ask("offers")
    if as_json:
        sys.stdout.write(json.dumps(said, indent=2) + "\n")
    else:
        sys.stdout.write("\n".join(offered.lines(said)) + "\n")
    return 0


def _taken(client: Client, words: Sequence[str]) -> dict[str, Any]:
    """What ``take`` is given: the offer that was named, of the table as it stands."""
    said = client.ask("offers")
    offer = offered.named(said["offers"], words)
    return {
        "offer": offer["id"],
        "fields": offered.fields(offer, words[1:]),
        "round": said["round"],
        "seq": said["seq"],
    }


def _list(known: dict[str, dict[str, Any]], only: str | None, *, as_json: bool) -> int:
    """All actions, by whose they are; of one also what each of its values may be."""
    if only is not None and only not in known:
        raise Refused("", f"there is no action {only!r}", "felt act --all lists them")
    some = list(known.values()) if only is None else [known[only]]
    if as_json:
        sys.stdout.write(json.dumps(some, indent=2) + "\n")
        return 0
    lines = in_groups(some) if only is None else in_whole(some[0])
    sys.stdout.write("\n".join(lines) + "\n")
    return 0


def in_groups(actions: list[dict[str, Any]]) -> Iterator[str]:
    groups: dict[str, list[dict[str, Any]]] = {}
    for one in actions:
        groups.setdefault(_whose(one), []).append(one)
    for whose, some in groups.items():
        yield f"{whose}:"
        for one in some:
            takes = " ".join([one["action"], *_signature(one)])
            yield from folded("  ", takes, indent=len(one["action"]) + 3)
            yield from folded("      ", one["does"])
        yield ""
    yield from folded("", "What is in [brackets] may be left out. felt act --all ACTION says more.")


def in_whole(action: dict[str, Any]) -> Iterator[str]:
    yield " ".join([action["action"], *_signature(action)])
    yield from folded("    ", action["does"])
    yield from folded("    ", f"for: {_whose(action)}")
    fields, required = _properties(action)
    rows = [
        (
            f"{name}=...",
            f"{_shape(field)}{', in cents' if name in _CENTS else ''}",
            "" if name in required else "may be left out",
        )
        for name, field in fields.items()
        if name not in FOR_ALL
    ]
    yield from columns(rows, indent="    ")


def _whose(action: dict[str, Any]) -> str:
    return ", ".join(action["roles"]) or "anyone"


#: What a value is, by the type that a schema has for it.
_SHAPES = {
    "integer": "a whole number",
    "boolean": "yes or no",
    "array": "several, with commas between",
    "string": "text",
}
#: A bound that is there so that there is one.
_MANY = 10**9
#: What a number counts, where its name does not say it.
_CENTS = ("amount", "cents")


def _shape(field: dict[str, Any]) -> str:
    """What may be given for a field, in words, from its schema."""
    kinds = [one for one in (field, *field.get("anyOf", ())) if one.get("type") != "null"]
    choices = [str(one) for kind in kinds for one in kind.get("enum", ())]
    if choices:
        return " or ".join(choices)
    if any("$ref" in kind for kind in kinds):
        return "PERSON:ROLE"
    found: dict[str, Any] = next((kind for kind in kinds if "type" in kind), {})
    least, most = found.get("minimum"), found.get("maximum")
    bounds = f", {least} to {most}" if least is not None and most is not None else ""
    if most is not None and most > _MANY:
        bounds = f", {least} or more"
    return _SHAPES.get(found.get("type", ""), "text") + bounds


def _properties(action: dict[str, Any]) -> tuple[dict[str, Any], list[str]]:
    schema = action["takes"]
    if "$ref" in schema:
        schema = schema["$defs"][schema["$ref"].rpartition("/")[2]]
    return schema.get("properties", {}), schema.get("required", [])


def _signature(action: dict[str, Any]) -> list[str]:
    fields, required = _properties(action)
    return [name if name in required else f"[{name}]" for name in fields if name not in FOR_ALL]


def values(action: dict[str, Any], words: Sequence[str]) -> dict[str, Any]:
    """NAME=VALUE words as what the action takes."""
    fields, _ = _properties(action)
    found: dict[str, Any] = {}
    for word in words:
        name, equals, text = word.partition("=")
        if not equals:
            raise Refused("", f"{word!r} is not NAME=VALUE", f"it takes {listed(fields)}")
        if name not in fields:
            raise Refused(name, f"{action['action']} does not take it", listed(fields))
        found[name] = _value(name, fields[name], text)
    return found


def _value(name: str, field: dict[str, Any], text: str) -> Any:
    kinds = [field, *field.get("anyOf", ())]
    types = {one.get("type") for one in kinds} | {_type_of_enum(one) for one in kinds}
    if "integer" in types and text.lstrip("-").isdecimal():
        return int(text)
    if "boolean" in types:
        if text.lower() not in ("true", "false", "yes", "no"):
            raise Refused(name, f"{text!r} is neither yes nor no")
        return text.lower() in ("true", "yes")
    if "array" in types:
        return [int(one) if one.isdecimal() else one for one in text.split(",") if one]
    if any("$ref" in one for one in kinds):
        # A person, as everywhere on this command line.
        id_, _, role = text.partition(":")
        return {"id": id_, "role": role}
    return text


def _type_of_enum(field: dict[str, Any]) -> str:
    return "integer" if any(isinstance(one, int) for one in field.get("enum", ())) else ""

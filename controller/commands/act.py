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
from collections.abc import Sequence
from typing import Any

from controller.commands import offered
from controller.commands.columns import columns
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
        if given.action is None:
            return _list(known, as_json=given.json)
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


def _list(known: dict[str, dict[str, Any]], *, as_json: bool) -> int:
    if as_json:
        sys.stdout.write(json.dumps(list(known.values()), indent=2) + "\n")
        return 0
    rows = [
        (name, " ".join(_signature(one)), ", ".join(one["roles"]) or "anyone", one["does"])
        for name, one in known.items()
    ]
    sys.stdout.write("\n".join(columns(rows, indent="")) + "\n")
    return 0


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

"""The keys of a table file, from the models that read it and from the rulebooks' choices."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from pydantic import BaseModel

from controller.daemon.configuration import KINDS, DaemonFile
from controller.library import Library, shipped
from controller.reference.meanings import DRIVERS, MEANINGS, OPTIONS, OWN_NAMES
from controller.rules.faults import Refused, listed
from controller.rules.paytables import dollars
from controller.rules.rulebook import Choice, Rulebook, With
from controller.tables import TableFile, read_file, toml
from drivers.finding import driver

#: What stands for a name of one's own, by the key that has such names below it.
_NAMES = {
    "meter_limits": "METER",
    "service.operators": "USER",
    "wires": "NAME",
    "wires.NAME.options": "OPTION",
    "approved": "KIND",
    "serial_numbers": "DEVICE",
}
#: What the models know as a text or a number, in words.
_TYPES = {
    "string": "text",
    "integer": "a whole number",
    "boolean": "true or false",
    "object": "a section",
}
_PATTERNS = {
    "^[a-z0-9]+(-[a-z0-9]+)*$": "small letters, digits, hyphens",
    "^[0-9a-f]{64}$": "a SHA-256 digest in hexadecimal",
}
REQUIRED = "required"


@dataclass(frozen=True, slots=True)
class Key:
    path: str
    says: str
    #: What it may be, and what is so if it is left out.
    may_be: str
    left_out: str
    #: Its value in an example, and the whole paths of what goes with it.
    example: Any
    beside: Mapping[str, Any] = field(default_factory=dict)
    #: Of an option: the rulebook whose choice it is, and the clause.
    rulebook: str = ""
    clause: str = ""

    @property
    def name(self) -> str:
        """As it is written in its section."""
        return self.path.rpartition(".")[2]

    @property
    def line(self) -> str:
        """The example as a line of the file."""
        return f"{OWN_NAMES.get(self.name, self.name)} = {toml(self.example)}"

    @property
    def otherwise(self) -> str:
        """What is so if it is left out, as the end of a sentence."""
        if not self.left_out:
            return "under a name of your own"
        return self.left_out if "required" in self.left_out else f"left out: {self.left_out}"

    @property
    def section(self) -> str:
        """Where it is written, as the file has it; nothing for the top of the file."""
        above = self.path.rpartition(".")[0]
        return f"[[{above.removesuffix('[]')}]]" if above.endswith("[]") else above and f"[{above}]"


def keys(library: Library) -> list[Key]:
    """All of them: of the table, of its service, and the choices of each rulebook."""
    return [*of_models(), *of_drivers(), *of_rulebooks(library)]


def wanted(all_: list[Key], text: str) -> list[Key]:
    """The key of this path, with those below it; or all whose own name it is."""
    path = text.strip("[]").removesuffix(".")
    found = [one for one in all_ if f"{one.path}.".replace("[].", ".").startswith(f"{path}.")]
    found = found or [one for one in all_ if one.name == path]
    if not found:
        step = f"felt check --explain lists them; sections: {listed(_sections(all_))}"
        raise Refused("", f"a table file has no key {text!r}", step)
    return found


def _sections(all_: list[Key]) -> list[str]:
    return list(dict.fromkeys(one.path.partition(".")[0] for one in all_ if "." in one.path))


# --- From the models ----------------------------------------------------------


def of_models() -> Iterator[Key]:
    for model in (TableFile, DaemonFile):
        for path, schema, left_out in _walked(model):
            meaning = MEANINGS.get(path)
            if meaning is None:
                continue  # a test names it
            said = meaning.left_out or left_out
            yield Key(path, meaning.says, _may_be(schema), said, meaning.example, meaning.beside)


def paths() -> list[str]:
    """Every key that the models have."""
    return [path for model in (TableFile, DaemonFile) for path, _, _ in _walked(model)]


def _walked(model: type[BaseModel]) -> Iterator[tuple[str, dict[str, Any], str]]:
    whole = model.model_json_schema()
    yield from _below("", whole, whole["$defs"])


def _below(
    path: str, schema: dict[str, Any], known: dict[str, Any]
) -> Iterator[tuple[str, dict[str, Any], str]]:
    """What is below a path: each key's own path, what it may be, and what it is if left out."""
    for name, one in schema.get("properties", {}).items():
        here = f"{path}.{name}" if path else name
        is_required = name in schema.get("required", ())
        found = _resolved(one, known)
        yield here, found, REQUIRED if is_required else _default(one)
        if found.get("type") == "array":
            yield from _below(f"{here}[]", _resolved(found["items"], known), known)
        elif here in _NAMES:
            own = f"{here}.{_NAMES[here]}"
            each = _resolved(_each(found), known)
            yield own, each, ""
            yield from _below(own, each, known)
        else:
            yield from _below(here, found, known)


def _each(schema: dict[str, Any]) -> dict[str, Any]:
    """What each of the names of one's own has."""
    patterns: dict[str, Any] = schema.get("patternProperties", {})
    each = next(iter(patterns.values()), None) or schema["additionalProperties"]
    return dict(each)


def _resolved(schema: dict[str, Any], known: dict[str, Any]) -> dict[str, Any]:
    some = [one for one in schema.get("anyOf", ()) if one.get("type") != "null"]
    found = some[0] if len(some) == 1 else schema
    if "$ref" in found:
        found = known[found["$ref"].rpartition("/")[2]]
    return dict(found)


def _default(schema: dict[str, Any]) -> str:
    value = schema.get("default")
    return toml(value) if isinstance(value, str | int | bool) and value != "" else ""


def _may_be(schema: dict[str, Any]) -> str:
    if "enum" in schema:
        return " or ".join(toml(one) for one in schema["enum"])
    if "anyOf" in schema:
        return " or ".join(_may_be(one) for one in schema["anyOf"])
    if schema.get("type") == "array":
        of = _may_be(schema["items"])
        return f"a list: {of}" if of else "a list of sections"
    said = _PATTERNS.get(schema.get("pattern", ""), _TYPES.get(schema.get("type", ""), ""))
    least, most = schema.get("minimum"), schema.get("maximum")
    if least is not None:
        said += f", {least} to {most}" if most is not None else f", {least} or more"
    return said


# --- From the drivers -----------------------------------------------------------


def of_drivers() -> Iterator[Key]:
    """The options of a wire that felt's own drivers know, by kind of device."""
    for kind in KINDS:
        for name, what in options_of(kind).items():
            example = DRIVERS.get((kind, name), "")
            may_be = "true or false" if isinstance(example, bool) else "text"
            says = f"Of the {kind}: {what}."
            yield Key(f"wires.NAME.options.{name}", says, may_be, "as its driver has it", example)


def options_of(kind: str) -> Mapping[str, str]:
    """What felt's driver of this kind of device knows, each with what it means."""
    found: Mapping[str, str] = getattr(driver(kind), "known_options", {})
    return found


# --- From the rulebooks ---------------------------------------------------------


def of_rulebooks(library: Library) -> Iterator[Key]:
    ours = {}
    for file in sorted(shipped("tables").glob("*.toml")):
        data = read_file(file)
        ours[data["rulebook"]] = data["options"]
    for id_ in library:
        book = library.rulebook(id_)
        for name, choice in book.choices.items():
            if choice.where != "round":
                yield _of_choice(book, name, choice, ours.get(id_, {}))


def _of_choice(book: Rulebook, name: str, choice: Choice, ours: Mapping[str, Any]) -> Key:
    usual = ours.get(name, _plain_example(book, name, choice))
    example, beside = OPTIONS.get((book.id, name), (usual, {}))
    return Key(
        f"options.{name}",
        f"{choice.says[:1].upper()}{choice.says[1:]}.",
        _picks(book, name, choice),
        _without(choice),
        example,
        {f"options.{other}": value for other, value in beside.items()},
        book.id,
        choice.clause,
    )


def _plain_example(book: Rulebook, name: str, choice: Choice) -> Any:
    """Of a rulebook that felt did not come with."""
    if choice.picks == "column":
        return next(iter(book.columns(name)))
    if choice.of:
        return choice.of[0]
    return not choice.never if choice.picks in ("offer", "flag") else choice.least or 1


def _picks(book: Rulebook, name: str, choice: Choice) -> str:
    said = {
        "column": "a paytable: ",
        "offer": "true or false",
        "flag": "only false" if choice.never else "true or false",
        "cents": "cents",
        "percent": "percent of the wager",
        "number": "a whole number",
        "one of": "",
        "text": "text",
        "better odds": "hands, each with its odds",
    }[choice.picks]
    if choice.picks == "column":
        return said + " or ".join(toml(one) for one in book.columns(name))
    if choice.of is not None:
        in_cents = choice.picks == "cents"
        return " or ".join(
            f"{one} ({dollars(int(one))})" if in_cents else toml(one) for one in choice.of
        )
    if choice.least is not None:
        said += f", {choice.least} to {choice.most}" if choice.most else f", {choice.least} or more"
    return said


def _without(choice: Choice) -> str:
    match choice.required:
        case "always":
            return REQUIRED
        case With(choice=other, values=values):
            return f"required with {other}" + (f" {listed(values)}" if values else "")
    return "as printed" if choice.picks == "better odds" else "none"

"""What a person is told when felt refuses: which field, what is wrong, what is allowed."""

from __future__ import annotations

from collections.abc import Iterable
from types import UnionType

from pydantic import BaseModel, ValidationError


class Refused(ValueError):
    """Input that felt does not take: the reason for a person, and the clause that forbids it."""

    def __init__(self, field: str, problem: str, allowed: str = "", clause: str = "") -> None:
        self.field = field
        self.problem = problem
        self.allowed = allowed
        self.clause = clause
        text = f"{field}: {problem}" if field else problem
        if allowed:
            text += f"; {allowed}"
        if clause:
            text += f" ({clause})"
        super().__init__(text)

    def under(self, field: str) -> Refused:
        """The same refusal, seen from one level further out."""
        inner = f"{field}.{self.field}" if self.field else field
        return Refused(inner, self.problem, self.allowed, self.clause)


def listed(words: Iterable[object]) -> str:
    """Words as a list that a person reads; says so when there are none."""
    return ", ".join(str(word) for word in words) or "none"


def ranged(names: Iterable[str]) -> str:
    """Names as a list, with neighbours drawn together: "shoe, acceptor 1 to 7"."""
    found: list[tuple[str, int, int]] = []
    for name in names:
        kind, _, number = name.rpartition(" ")
        if not kind or not number.isdecimal():
            found.append((name, 0, 0))
        elif found and found[-1][0] == kind and found[-1][2] == int(number) - 1:
            found[-1] = (kind, found[-1][1], int(number))
        else:
            found.append((kind, int(number), int(number)))
    return listed(
        f"{kind} {first} to {last}" if last > first else f"{kind} {first}" if first else kind
        for kind, first, last in found
    )


#: pydantic's names for what can be wrong, in words for the people who write these files.
_PROBLEMS = {
    "missing": "is missing",
    "extra_forbidden": "is not known here",
    "int_type": "must be a whole number",
    "bool_type": "must be true or false",
    "string_type": "must be text",
    "list_type": "must be a list",
    "dict_type": "must be a table of names and values",
    "model_type": "must be a table of names and values",
    "model_attributes_type": "must be a table of names and values",
}


def first_fault(error: ValidationError, model: type[BaseModel]) -> Refused:
    """The first thing that pydantic found, in felt's words.

    A key that is not known comes before one that is missing: most often it is that one, misspelt.
    """
    found = error.errors(include_url=False)
    fault = next((one for one in found if one["type"] == "extra_forbidden"), found[0])
    where = _place(fault["loc"])
    kind = fault["type"]
    if kind == "extra_forbidden":
        return Refused(where, _PROBLEMS[kind], _known_keys(model, fault["loc"]))
    if kind == "value_error":
        return Refused(where, str(fault["ctx"]["error"]))
    problem = _PROBLEMS.get(kind)
    if problem is None:
        problem = fault["msg"].replace("Input should", "should")
    if kind not in ("missing",) and not isinstance(fault["input"], dict | list):
        problem += f", not {fault['input']!r}"
    return Refused(where, problem)


def _place(loc: tuple[int | str, ...]) -> str:
    text = ""
    for part in loc:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else part
    return text


def _known_keys(model: type[BaseModel], loc: tuple[int | str, ...]) -> str:
    """The keys that would have been known at this place, as far as the model tells."""
    here: object = model
    for part in loc[:-1]:
        here = _below(here, part)
    found = _model_of(here)
    if found is None:
        return ""
    keys = (field.alias or name for name, field in found.model_fields.items())
    return f"known are {listed(keys)}"


def _below(kind: object, part: int | str) -> object:
    """The type one step further in, or None where it can't be told."""
    model = _model_of(kind)
    if model is not None:
        for name, field in model.model_fields.items():
            if part == (field.alias or name):
                return field.annotation
        return None
    # A list or a table of parts: whatever stands at the place is one of them.
    inner = getattr(kind, "__args__", (None,))
    return inner[-1]


def _model_of(kind: object) -> type[BaseModel] | None:
    """The model that a type is, or may be where it may be left out as well."""
    among = getattr(kind, "__args__", ()) if isinstance(kind, UnionType) else (kind,)
    for one in among:
        if isinstance(one, type) and issubclass(one, BaseModel):
            return one
    return None

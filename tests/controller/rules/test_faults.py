"""What a person is told: the place, the problem, what was given and what would be known."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from controller.rules.faults import Refused, first_fault, listed


class Part(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class Box(Part):
    number: int
    is_: str = Field(default="open", alias="is")


class Shelf(Part):
    name: str
    sealed: bool = False
    box: Box | None = None
    boxes: list[Box] = Field(default_factory=list)
    by_name: dict[str, Box] = Field(default_factory=dict)
    loose: dict[str, int] = Field(default_factory=dict)
    most: int = Field(default=1, ge=1)


def fault(**given: Any) -> str:
    with pytest.raises(ValidationError) as caught:
        Shelf.model_validate(given)
    return str(first_fault(caught.value, Shelf))


@pytest.mark.parametrize(
    ("given", "says"),
    [
        # What is missing was not given, so nothing is quoted.
        ({}, "name: is missing"),
        ({"name": 5}, "name: must be text, not 5"),
        ({"name": "a", "sealed": 1}, "sealed: must be true or false, not 1"),
        ({"name": "a", "most": "7"}, "most: must be a whole number, not '7'"),
        ({"name": "a", "most": 0}, "most: should be greater than or equal to 1, not 0"),
        ({"name": "a", "box": 3}, "box: must be a table of names and values, not 3"),
        ({"name": "a", "loose": 3}, "loose: must be a table of names and values, not 3"),
        ({"name": "a", "boxes": 3}, "boxes: must be a list, not 3"),
        # A whole table or list is too much to quote.
        ({"name": {"a": 1}}, "name: must be text"),
        ({"name": ["a"]}, "name: must be text"),
        ({"name": "a", "boxes": [{"number": "x"}]}, "boxes[0].number: must be a whole number, "),
        ({"name": "a", "by_name": {"b": {}}}, "by_name.b.number: is missing"),
    ],
)
def test_a_fault_says_where_what_and_what_was_given(given: dict[str, Any], says: str) -> None:
    said = fault(**given)
    assert said == says or (says.endswith(" ") and said.startswith(says))


BOX_KEYS = "known are number, is"


@pytest.mark.parametrize(
    ("given", "says"),
    [
        (
            {"nome": "a"},
            "nome: is not known here; known are name, sealed, box, boxes, by_name, loose, most",
        ),
        ({"box": {"number": 1, "is_": "shut"}}, f"box.is_: is not known here; {BOX_KEYS}"),
        ({"boxes": [{"number": 1, "x": 2}]}, f"boxes[0].x: is not known here; {BOX_KEYS}"),
        ({"by_name": {"b": {"number": 1, "x": 2}}}, f"by_name.b.x: is not known here; {BOX_KEYS}"),
    ],
)
def test_an_unknown_key_is_answered_with_the_known_ones(given: dict[str, Any], says: str) -> None:
    assert fault(**{"name": "a", **given}) == says


def test_known_keys_are_found_under_an_alias() -> None:
    class Outer(Part):
        inner: Box = Field(alias="in")

    with pytest.raises(ValidationError) as caught:
        Outer.model_validate({"in": {"number": 1, "x": 2}})
    assert str(first_fault(caught.value, Outer)) == f"in.x: is not known here; {BOX_KEYS}"


def test_where_the_model_does_not_tell_no_keys_are_claimed() -> None:
    with pytest.raises(ValidationError) as caught:
        Shelf.model_validate({"name": "a", "box": {"number": 1, "x": 2}})
    # Asked of a model that knows nothing of the place.
    assert str(first_fault(caught.value, Box)) == "box.x: is not known here"


def test_a_refusal_reads_as_one_line() -> None:
    assert str(Refused("", "no")) == "no"
    whole = Refused("a", "is wrong", "try b", "X.1")
    assert str(whole) == "a: is wrong; try b (X.1)"
    assert str(whole.under("top")) == "top.a: is wrong; try b (X.1)"
    assert str(Refused("", "is wrong").under("top")) == "top: is wrong"


def test_an_empty_list_says_so() -> None:
    assert listed([]) == "none"
    assert listed(["a", 2]) == "a, 2"

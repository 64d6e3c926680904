"""What every part of a rulebook is made of: checked values, and the clauses that they come from."""

from __future__ import annotations

from typing import Annotated, Generic, Literal, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

#: What a rulebook writes for a clause where the text has none, and what people read then.
NOT_STATED = "not stated"
READING = "not stated in the text; felt's reading"


def _cited(clause: str) -> str:
    return READING if clause == NOT_STATED else clause


Clause = Annotated[str, Field(min_length=3), AfterValidator(_cited)]
Role = Literal["dealer", "floorperson", "supervisor"]
Method = Literal["hand", "manual shoe", "automated shoe"]


class Part(BaseModel):
    """A part of a rulebook: frozen, nothing converted, no unknown keys."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, populate_by_name=True)


class Cited(Part):
    clause: Clause


T = TypeVar("T")


class Said(Cited, Generic[T]):
    """A value with the clause that prescribes it, or the reading that settles it."""

    is_: T = Field(alias="is")

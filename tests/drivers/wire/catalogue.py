"""Any message of the catalogue, for property tests: made from what its fields say of themselves."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from drivers.wire import messages
from drivers.wire.fields import MAX_LIST, MAX_LONGS, MAX_TEXT_BYTES, Field
from drivers.wire.messages import CATALOGUE, Message

#: What a text is cut to, so that it fits: a message with a longer one is not the same afterwards.
TEXTS = st.text(max_size=MAX_TEXT_BYTES).map(
    lambda text: text.encode(errors="ignore")[:MAX_TEXT_BYTES].decode(errors="ignore")
)

VALUES: dict[str, st.SearchStrategy[Any]] = {
    "u8": st.integers(0, 2**8 - 1),
    "u16": st.integers(0, 2**16 - 1),
    "u32": st.integers(0, 2**32 - 1),
    "u64": st.integers(0, 2**63 - 1),
    "flag": st.booleans(),
    "text": TEXTS,
    "u8s": st.lists(st.integers(0, 255), max_size=MAX_LIST).map(tuple),
    "u32s": st.lists(st.integers(0, 2**32 - 1), max_size=MAX_LONGS).map(tuple),
    "covered": st.binary(max_size=MAX_LIST),
}

LONGEST: dict[str, Any] = {
    "u8": 255,
    "u16": 2**16 - 1,
    "u32": 2**32 - 1,
    "u64": 2**63 - 1,
    "flag": True,
    "text": "x" * MAX_TEXT_BYTES,
    "u8s": (255,) * MAX_LIST,
    "u32s": (2**32 - 1,) * MAX_LONGS,
    "covered": b"\xff" * MAX_LIST,
}


def value(field: Field) -> st.SearchStrategy[Any]:
    return st.sampled_from(field.words) if field.words else VALUES[field.type]


def any_of(kind: type[Message]) -> st.SearchStrategy[Message]:
    return st.builds(kind, **{field.name: value(field) for field in kind.fields})


def any_message() -> st.SearchStrategy[Message]:
    return st.sampled_from(list(CATALOGUE.values())).flatmap(any_of)


def any_command() -> st.SearchStrategy[messages.Command]:
    kinds = [kind for kind in CATALOGUE.values() if issubclass(kind, messages.Command)]
    return st.sampled_from(kinds).flatmap(any_of)  # type: ignore[arg-type]


def longest(kind: type[Message]) -> Message:
    return kind(
        **{
            field.name: field.words[-1] if field.words else LONGEST[field.type]
            for field in kind.fields
        }
    )

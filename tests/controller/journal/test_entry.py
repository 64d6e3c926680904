"""The chain: each entry's link says all that came before it."""

from __future__ import annotations

from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.journal import verifier
from controller.journal.entry import (
    MAX_BODY_BYTES,
    Header,
    Record,
    as_entries,
    chained,
    check_header,
    link,
)
from controller.journal.errors import Unfit

whole = st.integers(0, (1 << 63) - 1)
kinds = st.from_regex(r"[a-z][a-z0-9_-]{0,31}", fullmatch=True)
some_records = st.builds(Record, kinds, st.binary(max_size=80), whole, st.none() | whole)


def test_a_link_by_hand() -> None:
    before = bytes(range(32))
    spelled = (
        before
        + bytes.fromhex("0000000000000007")  # seq
        + bytes.fromhex("00000000000003e8")  # at
        + bytes.fromhex("01" + "0000000000000003")  # of a round, which is 3
        + bytes.fromhex("05")
        + b"event"
        + b"the body"
    )
    assert link(before, Record("event", b"the body", 1000, 3), 7) == sha256(spelled).digest()


def test_a_link_without_a_round_by_hand() -> None:
    spelled = bytes(32) + bytes(7) + b"\1" + bytes(8) + b"\0" + bytes(8) + b"\4note"
    assert link(bytes(32), Record("note", b"", 0), 1) == sha256(spelled).digest()


def test_the_header_by_hand() -> None:
    spelled = b"felt journal" + bytes.fromhex("00000001" + "00000000000003e8" + "0003") + b"T-1"
    assert Header("T-1", 1000).link == sha256(spelled).digest()


@given(some_records, st.integers(1, 1 << 40), st.binary(min_size=32, max_size=32))
def test_the_verifier_reckons_the_same_by_its_own_hand(
    record: Record, seq: int, before: bytes
) -> None:
    own = verifier.entry_link(before, seq, record.at, record.kind, record.round, record.body)
    assert own == link(before, record, seq)


@given(st.text(min_size=1, max_size=16), whole)
def test_and_the_same_header(table: str, created: int) -> None:
    assert verifier.header_link(1, created, table) == Header(table, created).link


@given(some_records, some_records)
def test_records_that_differ_have_links_that_differ(one: Record, other: Record) -> None:
    assert (link(bytes(32), one, 1) == link(bytes(32), other, 1)) == (one == other)


def test_kind_and_body_do_not_run_into_each_other() -> None:
    assert link(bytes(32), Record("ab", b"c", 0), 1) != link(bytes(32), Record("a", b"bc", 0), 1)


def test_a_round_of_zero_is_a_round() -> None:
    assert link(bytes(32), Record("a", b"", 0, 0), 1) != link(bytes(32), Record("a", b"", 0), 1)


@given(st.lists(some_records, min_size=2, max_size=5))
def test_every_link_depends_on_all_before_it(some: list[Record]) -> None:
    head = Header("T", 0).link
    whole_chain = as_entries(chained(0, head, some))
    assert [entry.seq for entry in whole_chain] == list(range(1, len(some) + 1))
    altered = [some[0]._replace(body=some[0].body + b"!"), *some[1:]]
    for entry, other in zip(whole_chain, as_entries(chained(0, head, altered)), strict=True):
        assert entry.link != other.link


@pytest.mark.parametrize(
    ("record", "said"),
    [
        (Record("", b"", 0), "'' is no kind"),
        (Record("Event", b"", 0), "'Event' is no kind"),
        (Record("événement", b"", 0), "is no kind"),
        (Record("a" * 33, b"", 0), "is no kind"),
        (Record("event", b"", -1), "its time is -1"),
        (Record("event", b"", 1 << 63), "its time is"),
        (Record("event", b"", True), "its time is True"),
        (Record("event", b"", 0, -1), "its round is -1"),
        (Record("event", b"", 0, 1 << 63), "its round is"),
        (Record("event", b"", 0, True), "its round is True"),
        (Record("event", bytes(MAX_BODY_BYTES + 1), 0), "its body has 1048577 bytes"),
        # What the types forbid, for a caller who does not check them.
        (Record("event", "text", 0), "its body is str"),  # type: ignore[arg-type]
        (Record("event", b"", 1.5), "its time is 1.5"),  # type: ignore[arg-type]
    ],
)
def test_what_can_not_be_an_entry_is_refused(record: Record, said: str) -> None:
    with pytest.raises(Unfit, match=said):
        chained(0, bytes(32), [Record("event", b"", 0), record])


def test_too_many_records_for_one_commit_are_refused() -> None:
    with pytest.raises(Unfit, match="65537 records: are too many for one commit"):
        chained(0, bytes(32), [Record("event", b"", 0)] * 65537)


@pytest.mark.parametrize("header", [Header("", 0), Header("x" * 65, 0), Header("T", -1)])
def test_a_header_that_can_not_be_is_refused(header: Header) -> None:
    with pytest.raises(Unfit):
        check_header(header)

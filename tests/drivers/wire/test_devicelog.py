"""A device log: what is written is read, and of what is damaged all that is left is read."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from drivers.wire import describe, devicelog, logreading
from drivers.wire.devicelog import (
    FORMAT,
    Bytes,
    Clock,
    Damage,
    Header,
    Quiet,
    Record,
    Remark,
    line_of,
    lines_of,
)
from drivers.wire.logreading import MAX_LINE, read_records
from tests.drivers.wire.stretches import SPANS, polled

DOCS = Path(__file__).resolve().parents[3] / "docs" / "device-log.md"
TIMES = st.integers(0, 10**15)
TEXTS = st.text(min_size=1, max_size=60)


records: st.SearchStrategy[Record] = st.one_of(
    st.builds(
        Bytes,
        TIMES,
        st.sampled_from(["in", "out"]),
        st.binary(min_size=1, max_size=300),
        st.text(max_size=60),
        st.text(max_size=20),
    ),
    st.builds(Remark, TIMES, st.sampled_from(["port", "device", "note", "gap"]), TEXTS),
    st.builds(Clock, TIMES, st.integers(0, 10**18)),
    st.builds(Quiet, TIMES, SPANS, st.lists(polled, min_size=1, max_size=7).map(tuple)),
    st.builds(
        Header,
        st.just(FORMAT),
        st.lists(
            st.tuples(st.sampled_from(["table", "line", "device", "utc"]), TEXTS), max_size=5
        ).map(tuple),
    ),
)


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("logs") / "shoe.000001.log"


def read(path: Path, text: str | bytes) -> list[Record | Damage]:
    path.write_bytes(text if isinstance(text, bytes) else text.encode(errors="surrogatepass"))
    return list(read_records(path))


@given(st.lists(records, max_size=8))
def test_what_is_written_is_read(path: Path, written: list[Record]) -> None:
    text = "".join(map(line_of, written))
    assert read(path, text) == written


@given(records)
def test_a_record_is_a_line_without_anything_for_a_terminal(record: Record) -> None:
    text = line_of(record)
    assert text.endswith("\n")
    lines = text[:-1].split("\n")
    assert all(line.isprintable() for line in lines)
    assert len(lines) == 1 + (len(record.facts) if isinstance(record, Header) else 0)


@given(st.lists(records, min_size=1, max_size=8), st.data())
def test_of_a_log_cut_short_all_whole_lines_are_read(
    path: Path, written: list[Record], data: st.DataObject
) -> None:
    lines = [line_of(record) for record in written if not isinstance(record, Header)]
    whole = "".join(lines).encode(errors="surrogatepass")
    cut = data.draw(st.integers(0, len(whole)))
    found = read(path, whole[:cut])
    ended = whole[:cut].count(b"\n")
    expected = [record for record in written if not isinstance(record, Header)][:ended]
    assert found[:ended] == expected
    assert [one.what for one in found[ended:] if isinstance(one, Damage)] in ([], ["cut short"])


@given(st.lists(records, min_size=1, max_size=6), st.data())
def test_a_compressed_log_cut_short_is_read_as_far_as_it_goes(
    path: Path, written: list[Record], data: st.DataObject
) -> None:
    packed = gzip.compress("".join(map(line_of, written)).encode(errors="surrogatepass"))
    compressed = path.with_name("shoe.000002.log.gz")
    compressed.write_bytes(packed)
    assert list(read_records(compressed)) == written
    compressed.write_bytes(packed[: data.draw(st.integers(0, len(packed) - 1))])
    list(read_records(compressed))


@settings(max_examples=300)
@given(st.binary(max_size=400))
def test_whatever_is_in_a_file_nothing_raises(path: Path, data: bytes) -> None:
    read(path, data)
    compressed = path.with_name("shoe.000003.log.gz")
    compressed.write_bytes(data)
    list(read_records(compressed))


@given(st.lists(records, min_size=2, max_size=6), st.data())
def test_one_altered_byte_costs_two_records_at_the_most(
    path: Path, written: list[Record], data: st.DataObject
) -> None:
    body = [record for record in written if not isinstance(record, Header)]
    whole = bytearray("".join(map(line_of, body)).encode(errors="surrogatepass"))
    if not whole:
        return
    at = data.draw(st.integers(0, len(whole) - 1))
    whole[at] = data.draw(st.integers(0, 255))
    found = read(path, bytes(whole))
    assert sum(record in found for record in body) >= len(body) - 2


@pytest.mark.parametrize(
    ("line", "what"),
    [
        ("nonsense", "no time and word at its beginning"),
        ("      0.00000 in     00", "no time and word at its beginning"),
        ("      0.000000 in     0", "no whole bytes in hexadecimal"),
        ("      0.000000 in     0G", "no whole bytes in hexadecimal"),
        ("      0.000000 in", "no whole bytes in hexadecimal"),
        ("      0.000000 in0000", "no time and word at its beginning"),
        ("      0.000000 note   ", "a note that says nothing"),
        ("      0.000000 in ", "no whole bytes in hexadecimal"),
        ("      0.000000 fly    00", "'fly' is no kind of record"),
        ("      0.000000 clock  noon", "a clock without its time"),
        (r"      0.000000 note   \q", r"'\\q' is no escape"),
        (r"      0.000000 note   \Uffffffff", r"'\\Uffffffff' is no character"),
        ("# felt device log 2", "a log of another format: '# felt device log 2'"),
        ("\x00" * 4096, "no time and word at its beginning"),
    ],
)
def test_damage_says_where_and_what_and_reading_goes_on(path: Path, line: str, what: str) -> None:
    good = Remark(5, "note", "good")
    found = read(path, f"{line_of(good)}{line}\n{line_of(good)}")
    assert found == [good, Damage(path, 2, what), good]


def test_what_is_no_text_or_far_too_long_is_damage(path: Path) -> None:
    good = line_of(Remark(5, "note", "good")).encode()
    found = read(path, good + b"\xff\xfe\n" + b"x" * (3 * MAX_LINE) + b"\n" + good)
    assert [one.what for one in found if isinstance(one, Damage)] == ["not text", "far too long"]
    assert len(found) == 4


def test_a_file_that_is_not_there_is_damage(tmp_path: Path) -> None:
    (found,) = read_records(tmp_path / "none.log")
    assert isinstance(found, Damage)
    assert "No such file" in found.what


@pytest.mark.parametrize(
    "write",
    [
        lambda: devicelog.bytes_line(0, "in", b""),
        lambda: devicelog.bytes_line(-1, "in", b"x"),
        lambda: devicelog.remark_line(0, "note", ""),
        lambda: devicelog.header_line(Header(FORMAT, (("Table", "x"),))),
        lambda: devicelog.header_line(Header(FORMAT, (("ta:ble", "x"),))),
    ],
)
def test_the_writer_is_strict(write: object) -> None:
    with pytest.raises(ValueError, match=r"."):
        write()  # type: ignore[operator]


def test_the_example_in_the_docs_is_a_log(path: Path) -> None:
    text = DOCS.read_text(encoding="utf-8")
    example = text.split("```\n")[1]
    found = read(path, example)
    assert not [one for one in found if isinstance(one, Damage)]
    header, *rest = found
    assert isinstance(header, Header)
    named = ["table", "line", "port", "device", "felt", "rulebook", "run", "wire"]
    keys = [*named, "wires", "utc", "monotonic", "part"]
    assert [key for key, _ in header.facts] == keys
    assert header.fact("table") == "T12"
    kinds = [one.word if isinstance(one, Remark) else type(one).__name__ for one in rest]
    assert kinds == ["port", *["Bytes"] * 4, "note", "Clock", "port", "Quiet", "gap"]
    # And its comments are what felt says of these bytes.
    say = describe.frames()
    for one in rest:
        if isinstance(one, Bytes):
            assert say(one.direction, one.data) == one.comment
    # Written again it is the same, letter for letter.
    assert "".join(lines_of(one for one in found if not isinstance(one, Damage))) == example


HEADER = Header(FORMAT, (("table", "T12"), ("line", "shoe")))
CHECKED = st.lists(records.filter(lambda one: not isinstance(one, Header)), min_size=1, max_size=6)


def checked(some: list[Record]) -> list[str]:
    return [line.removesuffix("\n") for line in lines_of([HEADER, *some])]


@given(CHECKED)
def test_what_is_written_with_its_checks_is_read(path: Path, written: list[Record]) -> None:
    assert read(path, "\n".join([*checked(written), ""])) == [HEADER, *written]


@given(CHECKED, st.data())
def test_one_altered_letter_is_named_at_its_line_and_nowhere_else(
    path: Path, written: list[Record], data: st.DataObject
) -> None:
    lines = checked(written)
    which = data.draw(st.integers(1, len(written)))
    line = lines[which]
    is_bytes = isinstance(written[which - 1], Bytes)
    end = line.find("  ; ") if is_bytes and "  ; " in line else len(line)
    at = data.draw(st.integers(0, end - 1))
    other = data.draw(st.sampled_from("0123456789abcdefz").filter(lambda one: one != line[at]))
    lines[which] = line[:at] + other + line[at + 1 :]
    header_lines = 1 + len(HEADER.facts)
    found = read(path, "\n".join([*lines, ""]))
    (damage,) = [one for one in found if isinstance(one, Damage)]
    assert damage.line == header_lines + which
    assert [one for one in found[1:] if not isinstance(one, Damage)] == [
        one for number, one in enumerate(written, 1) if number != which
    ]


@given(CHECKED.filter(lambda some: len(some) > 1), st.data())
def test_a_line_that_was_taken_out_is_noticed_at_the_next(
    path: Path, written: list[Record], data: st.DataObject
) -> None:
    lines = checked(written)
    which = data.draw(st.integers(1, len(written) - 1))
    del lines[which]
    found = read(path, "\n".join([*lines, ""]))
    damaged = [one.line for one in found if isinstance(one, Damage)]
    assert damaged == [1 + len(HEADER.facts) + which]


def test_whoever_edits_a_log_takes_out_the_check(path: Path) -> None:
    some = [Bytes(n, "in", bytes([n]) * 3, "said") for n in (1, 2, 3)]
    lines = checked(list(some))
    time, _, rest = lines[2].split(maxsplit=2)
    lines[2] = f"{time:>14} {rest.replace('020202', '070707')}"
    edited = Bytes(2, "in", b"\7\7\7", "said")
    assert read(path, "\n".join([*lines, ""])) == [HEADER, some[0], edited, some[2]]


def test_a_note_of_somebody_else_stands_between_checks(path: Path) -> None:
    """Written by another process, which does not know the check before it."""
    some = [Bytes(n, "in", bytes([n])) for n in (1, 2)]
    lines = checked(list(some))
    lines.insert(2, line_of(Remark(1, "note", "looked at")).removesuffix("\n"))
    found = read(path, "\n".join([*lines, ""]))
    assert found == [HEADER, some[0], Remark(1, "note", "looked at"), some[1]]
    lines[3] = lines[3].replace("02", "03", 1)
    assert isinstance(read(path, "\n".join([*lines, ""]))[-1], Damage)


def test_an_altered_header_is_noticed_at_the_first_record(path: Path) -> None:
    lines = checked([Bytes(1, "in", b"x"), Bytes(2, "in", b"y")])
    text = "\n".join([*lines, ""]).replace("T12", "T13")
    _, first, second = read(path, text)
    assert isinstance(first, Damage)
    assert second == Bytes(2, "in", b"y")


def test_from_a_place_in_the_middle_its_own_check_counts_too(path: Path) -> None:
    lines = checked([Bytes(n, "in", bytes([n])) for n in (1, 2, 3, 4)])
    path.write_text("\n".join([*lines, ""]))
    place = 1 + len(HEADER.facts) + 3
    assert [one for _, one in logreading.read_numbered(path, since=place)][1:] == [
        Bytes(3, "in", b"\3"),
        Bytes(4, "in", b"\4"),
    ]
    lines[3] = lines[3].replace(" 03", " 05")
    path.write_text("\n".join([*lines, ""]))
    _, (line, damage), _ = logreading.read_numbered(path, since=place)
    assert (line, type(damage)) == (place, Damage)


@given(
    st.builds(Quiet, TIMES, SPANS, st.lists(polled, min_size=1, max_size=7).map(tuple)),
    st.data(),
)
def test_a_quiet_stretch_stands_for_bytes_and_is_whole_or_none(
    path: Path, record: Quiet, data: st.DataObject
) -> None:
    """Its time is like that of any record; all that is counted has a sum."""
    written = line_of(record)
    at = data.draw(st.integers(written.index("quiet"), len(written) - 2))
    other = data.draw(st.characters(codec="ascii").filter(lambda c: c not in (written[at], "\n")))
    (found,) = read(path, written[:at] + other + written[at + 1 :]) or (None,)
    assert found is None or isinstance(found, Damage) or found == record

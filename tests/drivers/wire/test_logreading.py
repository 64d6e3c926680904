"""Most lines of a device log are read in a fast way, which sees what the slow one sees."""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from unittest import mock

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from drivers.wire import logreading
from drivers.wire.devicelog import (
    FORMAT,
    Bytes,
    Checks,
    Damage,
    Header,
    Polled,
    Quiet,
    Record,
    Remark,
    line_of,
    lines_of,
    quiet_text,
)
from drivers.wire.logreading import ALTERED, read_handfuls, read_numbered, read_records
from drivers.wire.quietreading import quiet_of
from tests.drivers.wire.stretches import SPANS, polled

HEADER = Header(FORMAT, (("table", "T12"), ("line", "shoe")))
HEADER_LINES = 3
TIMES = st.integers(0, 10**13)
PLAIN = st.text(st.characters(min_codepoint=32, max_codepoint=126), max_size=30)
quiets = st.builds(Quiet, TIMES, SPANS, st.lists(polled, min_size=1, max_size=4).map(tuple))
usual: st.SearchStrategy[Record] = st.one_of(
    st.builds(
        Bytes,
        TIMES,
        st.sampled_from(["in", "out"]),
        st.binary(min_size=1, max_size=20),
        PLAIN | st.text(max_size=10),
    ),
    st.builds(Remark, TIMES, st.just("table"), PLAIN.filter(bool)),
    quiets,
)
#: What an editor, a cable or somebody with ideas may put into a line.
ALTERATIONS = st.lists(
    st.tuples(
        st.integers(0, 200),
        st.integers(0, 2),
        st.sampled_from(
            [*"0123456789abcdefABF xX#-+_.,;:=@~e\t\r\0\\é\u0663\u00a0", "  ; ", " = "]
        ),
    ),
    min_size=1,
    max_size=3,
)
NEVER = re.compile(rb"(?!)")


def altered(text: str, changes: list[tuple[int, int, str]]) -> str:
    for place, length, put in changes:
        at = place % (len(text) + 1)
        text = text[:at] + put + text[at + length :]
    return text


@contextmanager
def slowly() -> Iterator[None]:
    with mock.patch.object(logreading, "_USUAL", NEVER):
        yield


def both(path: Path, text: str, since: int = 0, having: bytes = b"") -> list[object]:
    """What is read of it, in both ways the same."""
    path.write_text(text, encoding="utf-8", newline="")
    fast_end, slow_end = logreading.Tail(), logreading.Tail()
    fast = list(read_numbered(path, having, since, fast_end))
    with slowly():
        slow = list(read_numbered(path, having, since, slow_end))
    assert fast == slow
    assert [type(one) for _, one in fast] == [type(one) for _, one in slow]
    assert fast_end.check == slow_end.check
    return [one for _, one in fast]


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("logs") / "shoe.000001.log"


@given(st.lists(usual, min_size=1, max_size=6))
def test_what_is_written_is_read_the_same_in_both_ways(path: Path, written: list[Record]) -> None:
    assert both(path, "".join(lines_of([HEADER, *written]))) == [HEADER, *written]


@settings(max_examples=400)
@given(st.lists(usual, min_size=1, max_size=4), st.integers(0, 3), ALTERATIONS)
def test_an_altered_line_is_seen_the_same_in_both_ways(
    path: Path, written: list[Record], which: int, changes: list[tuple[int, int, str]]
) -> None:
    header, *lines = lines_of([HEADER, *written])
    which %= len(lines)
    lines[which] = altered(lines[which].removesuffix("\n"), changes) + "\n"
    both(path, "".join([header, *lines]))


@settings(max_examples=400)
@given(st.lists(usual, min_size=2, max_size=4), st.integers(0, 3), ALTERATIONS, st.booleans())
def test_so_is_one_with_a_check_that_fits_or_is_not_known(
    path: Path,
    written: list[Record],
    which: int,
    changes: list[tuple[int, int, str]],
    fits: bool,
) -> None:
    """It is no seal: the check of what was altered can be made to fit, and a slip may do so."""
    lines = [line_of(one) for one in written]
    which %= len(lines)
    lines[which] = altered(lines[which].removesuffix("\n"), changes) + "\n"
    checks = Checks()
    try:
        text = "".join(map(checks.line, [line_of(HEADER), *lines]))
    except ValueError:  # there is no time left
        return
    if not fits:
        text = text.replace("# table: T12\n", "nothing\n")
    both(path, text)


@settings(max_examples=400)
@given(quiets, ALTERATIONS)
@example(Quiet(0, 1, (Polled(1, 2, 3, 4, 5, 6, 0.5, 0.5),)), [(0, 1, "03")])
@example(Quiet(0, 1, (Polled(1, 2, 3, 4, 5, 6, 0.5, 0.5),)), [(13, 0, "999")])
@example(Quiet(0, 1, (Polled(1, 2, 3, 4, 5, 6, 0.5, 0.5),)), [(35, 0, "0" * 20)])
@example(Quiet(0, 1, (Polled(1, 2, 3, 4, 5, 6, 0.5, 0.5),)), [(35, 0, "0" * 25)])
def test_so_is_a_quiet_stretch_with_sum_and_check_that_fit(
    path: Path, record: Quiet, changes: list[tuple[int, int, str]]
) -> None:
    said = altered(quiet_text(record), changes)
    line = f"      1.000000 quiet  {said} = {zlib.crc32(said.encode()):08x}\n"
    checks = Checks()
    both(path, "".join([checks.line(line_of(HEADER)), checks.line(line)]))


@given(quiets.filter(lambda one: "e" not in quiet_text(one).replace("polls in", "")))
def test_a_stretch_is_read_fast_and_to_the_last_digit(record: Quiet) -> None:
    said = quiet_text(record).encode()
    assert quiet_of(record.at_us, b"%b = %08x" % (said, zlib.crc32(said))) == record


def test_what_felt_writes_is_read_in_the_fast_way(path: Path) -> None:
    """Else the tests above would compare the slow way with itself."""
    stretch = Quiet(5, 100, tuple(Polled(n, 9, 9, 4, 0, 4, 0.03, 0.25) for n in range(1, 8)))
    written: list[Record] = [
        Remark(1, "port", "open"),
        Bytes(2, "out", b"\x04\x00", "poll 1"),
        Bytes(3, "in", b"\x04"),
        Remark(4, "table", "entry 3 round 0 closed"),
        stretch,
        Bytes(6, "in", b"\x05", "event"),
    ]
    path.write_text("".join(lines_of([HEADER, *written])))
    with mock.patch.object(logreading, "_record", side_effect=logreading._record) as slow:
        found = list(read_handfuls(path))
    assert slow.call_count == 1
    # And nobody has to ask for each of them.
    assert [len(one) for one in found] == [1, 1, 5]


@pytest.mark.parametrize("letter", range(4))
def test_a_check_in_capitals_is_not_the_one_that_was_written(path: Path, letter: int) -> None:
    some: list[Record] = [Bytes(n, "in", bytes([n])) for n in range(60)]
    header, *lines = lines_of([HEADER, *some])
    which = next(n for n, line in enumerate(lines) if n and line[15 + letter].isalpha())
    at = 15 + letter
    lines[which] = lines[which][:at] + lines[which][at].upper() + lines[which][at + 1 :]
    damage = [one for one in both(path, "".join([header, *lines])) if isinstance(one, Damage)]
    assert [one.line for one in damage] == [HEADER_LINES + 1 + which]


def test_words_beside_the_bytes_that_are_no_text_cost_no_bytes(path: Path) -> None:
    """They are not under the check: the bytes are the truth."""
    some: list[Record] = [Bytes(n, "in", b"x", "said") for n in (1, 2)]
    text = "".join(lines_of([HEADER, *some])).encode()
    path.write_bytes(text[:-2] + b"\xff\n")
    assert list(read_records(path)) == [HEADER, some[0], Bytes(2, "in", b"x", "sai\ufffd")]
    path.write_bytes(text[:-2].replace(b"78  ; sai", b"79  ; sai") + b"\xff\n")
    (damage,) = [one for one in read_records(path) if isinstance(one, Damage)]
    assert damage.what.startswith(ALTERED)


@given(
    st.lists(
        usual.map(line_of)
        | st.sampled_from(["\n", "# remark\n", "x" * 70_000 + "\n", "no line\n", line_of(HEADER)]),
        min_size=1,
        max_size=8,
    ),
    st.integers(0, 12),
    st.sampled_from([b"", b" table ", b"0"]),
    st.sampled_from(["", "# felt device log 1", "      0.0000"]),
)
def test_from_any_line_on_and_for_any_word_both_read_the_same(
    path: Path, lines: list[str], since: int, having: bytes, end: str
) -> None:
    """However the file comes in."""
    checks = Checks()
    with_checks = [checks.line(one) if "." in one[:40] else one for one in lines]
    found = both(path, "".join(with_checks) + end, since, having)
    with mock.patch.object(logreading, "_BLOCK", 50):
        assert [one for _, one in read_numbered(path, having, since)] == found


@given(st.lists(usual, min_size=1, max_size=20), st.integers(0, 30), st.integers(20, 400))
def test_what_is_passed_over_is_what_was_not_asked_for(
    path: Path, written: list[Record], since: int, block: int
) -> None:
    """Blocks without it are not even taken apart."""
    path.write_text("".join(lines_of([HEADER, *written])), encoding="utf-8")
    whole = list(read_numbered(path))
    with mock.patch.object(logreading, "_BLOCK", block):
        marks = list(read_numbered(path, having=b" table  "))
        later = list(read_numbered(path, since=since))
    said = [line_of(one) for _, one in whole if not isinstance(one, Damage)]
    asked = [one for one, line in zip(whole, said, strict=True) if " table  " in line]
    assert marks[1:] == asked
    assert later[1:] == [one for one in whole[1:] if one[0] >= since]

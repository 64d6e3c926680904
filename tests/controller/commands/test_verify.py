"""A journal against heads that were kept elsewhere: what is sound in itself, and not the one."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from controller.cli import main
from controller.daemon.heads import Signer
from controller.journal.entry import HEAD, Head, Record
from controller.journal.headfile import HeadFile
from controller.journal.journal import Journal
from tests.controller.journal.forging import anew

SEED = bytes(range(32))
TABLE = "pa-639a-1"


class Kept:
    """A journal, and a witness who was shown a head after every tenth entry."""

    def __init__(self, folder: Path, entries: int = 40) -> None:
        self.path = folder / "journal.db"
        self.log = folder / "witness.txt"
        self.copies: dict[int, Path] = {}
        with Journal.create(self.path, TABLE, 1_790_000_000_000_000_000) as journal:
            signer = Signer(SEED, journal.header)
            self.key = str(signer.key)
            self.file = HeadFile(folder / "t.head", SEED)
            self.file.begin(journal.header)
            journal.kept = self.file.keep
            for n in range(1, entries + 1):
                kind, body = "event", b"wager %d" % n
                if n % 8 == 0:
                    kind, body = HEAD, str(signer.note(journal.head)).encode()
                journal.append([Record(kind, body, n)])
                if n % 10 == 0:
                    with self.log.open("a", encoding="utf-8") as log:
                        log.write(f"{signer.note(journal.head)}\n")
            self.last: Head = journal.head
        self.file.close()


@pytest.fixture
def kept(tmp_path: Path) -> Kept:
    return Kept(tmp_path)


def verified(capsys: pytest.CaptureFixture[str], *words: str | Path) -> tuple[int, str]:
    code = main(["verify", *map(str, words)])
    done = capsys.readouterr()
    return code, done.out + done.err


def test_it_goes_on_from_every_head(kept: Kept, capsys: pytest.CaptureFixture[str]) -> None:
    code, said = verified(capsys, kept.path, "--head", kept.log, "--key", kept.key)
    assert code == 0, said
    assert "it goes on from 4 of 4 heads, 4 of them signed by felt/pa-639a-1" in said
    assert "signed by felt/pa-639a-1 up to entry 39" in said
    code, said = verified(capsys, kept.path, "--head", kept.log)
    assert code == 0
    assert "no signature was checked" in said


def test_the_head_file_is_one_too(kept: Kept, capsys: pytest.CaptureFixture[str]) -> None:
    code, said = verified(capsys, kept.path, "--head", kept.file.path)
    assert code == 0, said
    assert "it goes on from 2 of 2 heads" in said


def test_what_verify_printed_is_one_too(
    kept: Kept, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _, said = verified(capsys, kept.path)
    noted = tmp_path / "noted"
    noted.write_text(said)
    assert verified(capsys, kept.path, "--head", noted)[0] == 0


@pytest.mark.parametrize("back", [1, 9, 30, 39])
def test_one_that_was_turned_back_has_less(
    tmp_path: Path, back: int, capsys: pytest.CaptureFixture[str]
) -> None:
    kept = Kept(tmp_path)
    (tmp_path / "other").mkdir()
    shorter = Kept(tmp_path / "other", 40 - back)
    code, said = verified(capsys, shorter.path, "--head", kept.log)
    assert code == 1
    assert f"of entry 40: the journal ends with entry {40 - back}" in said
    assert "sound in itself, and not the journal that those heads are of" in said
    # By itself nothing is to be seen of it.
    assert verified(capsys, shorter.path)[0] == 0


def test_one_that_was_chained_anew_is_seen_without_any_head(
    kept: Kept, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its own signed notes say what the entries before them were."""
    anew(kept.path, 11, lambda body: body.replace(b"wager", b"award"))
    code, said = verified(capsys, kept.path)
    assert code == 1
    assert "DAMAGED entry 16" in said
    assert "the head that was signed here is not that of the entries before it" in said
    code, said = verified(capsys, kept.path, "--head", kept.log)
    assert "of entry 20: that entry is another one in this journal" in said
    assert "of entry 10: that" not in said


def test_a_tail_that_was_chained_anew_is_seen_by_the_head(
    kept: Kept, capsys: pytest.CaptureFixture[str]
) -> None:
    """After the last note; which the head file covers."""
    code, _ = verified(capsys, kept.path, "--head", kept.file.path)
    assert code == 0
    with Journal.open(kept.path, TABLE) as journal:
        journal.append([Record("event", b"one more", 41)])
    head = kept.log.with_name("head")
    with Journal.open(kept.path, TABLE) as journal:
        head.write_text(f"head {journal.head.seq} {journal.head.link.hex()}")
    anew(kept.path, 41, lambda _: b"one less")
    Journal.open(kept.path, TABLE).close()  # felt puts the ledger of its pages right
    assert verified(capsys, kept.path)[0] == 0
    code, said = verified(capsys, kept.path, "--head", head)
    assert code == 1
    assert "of entry 41: that entry is another one" in said


def test_signatures_of_somebody_else_count_for_nothing(
    kept: Kept, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with Journal.open(kept.path, TABLE) as journal:
        other = Signer(bytes(32), journal.header)
    code, said = verified(capsys, kept.path, "--head", kept.log, "--key", str(other.key))
    assert code == 1
    assert "is not signed by felt/pa-639a-1" in said
    assert "the head in entry 40 is not signed by" in said


def test_a_journal_whose_notes_were_taken_out_is_seen_with_the_key(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    kept = Kept(tmp_path, 7)
    code, said = verified(capsys, kept.path, "--key", kept.key)
    assert code == 1
    assert "no head in it is signed by felt/pa-639a-1" in said


def test_another_journal_s_heads_are_named(
    kept: Kept, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = tmp_path / "other.db"
    Journal.create(other, TABLE, 1).close()
    code, said = verified(capsys, other, "--head", kept.log)
    assert code == 1
    assert "is of felt/pa-639a-1/1790000000000000000; this journal is felt/pa-639a-1/1" in said


def test_what_holds_no_head_is_said_in_words(
    kept: Kept, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    empty = tmp_path / "empty"
    empty.touch()
    for words, said in (
        (("--head", empty), "has no head in it"),
        (("--head", tmp_path / "none"), "No such file"),
        (("--head", tmp_path), "Is a directory"),
        (("--key", "felt"), "is no key"),
        (("--key", str(kept.key).replace("+", "-")), "is no key"),
    ):
        code, text = verified(capsys, kept.path, *words)
        assert code == 2, text
        assert said in text
    shutil.copy(kept.path, empty)
    # A binary file, with notes between its other bytes.
    code, text = verified(capsys, kept.path, "--head", empty)
    assert "heads" in text

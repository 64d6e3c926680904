"""The lists of clauses: well formed, complete, and every section with its title."""

from __future__ import annotations

import tomllib
from collections import Counter
from pathlib import Path

import pytest

from tests.conformance.lists import CLASSES, COLUMNS, ORDER, ListError, read_lists
from tests.conformance.report import sectioned

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "conformance"
HEAD = ",".join(COLUMNS)
ROW = "X.1,enforce,dealer,One,seen"

SIZES = {"pa-639a": 169, "s10": 120, "ma": 187, "pa-669a": 145, "pa-682a": 152, "pa-683a": 159}


def test_the_lists_are_these_in_this_order() -> None:
    assert tuple(read_lists(FOLDER)) == ORDER


def test_no_clause_of_the_six_rulebooks_is_missing() -> None:
    sizes = {name: len(clauses) for name, clauses in read_lists(FOLDER).items()}
    assert sizes.pop("requirements") == 40
    assert sizes == SIZES
    assert sum(sizes.values()) == 932


def test_the_requirements_are_complete() -> None:
    ids = [clause.id for clause in read_lists(FOLDER)["requirements"]]
    assert ids == [f"R{number}" for number in range(1, 41)]


def test_ids_are_unique_over_all_lists() -> None:
    ids = Counter(clause.id for clauses in read_lists(FOLDER).values() for clause in clauses)
    assert [name for name, times in ids.items() if times > 1] == []


def test_ids_begin_with_their_rulebook() -> None:
    for name, clauses in read_lists(FOLDER).items():
        start = "R" if name == "requirements" else f"{name}.".lower()
        assert [c.id for c in clauses if not c.id.lower().startswith(start.lower())] == []


def test_classes_are_known_and_all_in_use() -> None:
    used = {clause.kind for clauses in read_lists(FOLDER).values() for clause in clauses}
    assert used == set(CLASSES) == {"enforce", "prompt", "config", "record", "physical"}


def test_no_field_has_blanks_around_it() -> None:
    for clauses in read_lists(FOLDER).values():
        for clause in clauses:
            assert [field for field in clause if field != field.strip()] == []


def test_every_section_has_a_title() -> None:
    titles = tomllib.loads((FOLDER / "titles.toml").read_text(encoding="utf-8"))
    lists = read_lists(FOLDER)
    assert set(titles) == set(lists)
    for name, clauses in lists.items():
        sections = titles[name]["sections"]
        pairs = [pair for pair, _ in sectioned(clauses, sections)]
        assert all(title for _, title in pairs)
        assert list(dict.fromkeys(title for _, title in pairs)) == list(sections.values())


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "the first line is not id,class,actor,behaviour,evidence"),
        ("id,class\nX.1,enforce\n", "the first line is not"),
        (f"{HEAD}\nX.1,enforce,dealer,One\n", "a.csv:2: not 5 fields"),
        (f"{HEAD}\n{ROW},more\n", "a.csv:2: not 5 fields"),
        (f"{HEAD}\nX.1,enforce,dealer,,seen\n", "a.csv:2: not 5 fields"),
        (f"{HEAD}\n{ROW}\n\n", "a.csv:3: not 5 fields"),
        (f"{HEAD}\nX.1,enforced,dealer,One,seen\n", "a.csv:2: 'enforced' is not one of enforce"),
        (f"{HEAD}\n{ROW}\n{ROW}\n", "X.1 is already in a.csv"),
    ],
)
def test_a_malformed_list_is_refused(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "a.csv").write_text(text)
    with pytest.raises(ListError) as refused:
        read_lists(tmp_path)
    assert said in str(refused.value)


def test_a_clause_in_two_lists_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(f"{HEAD}\n{ROW}\n")
    (tmp_path / "b.csv").write_text(f"{HEAD}\n{ROW}\n")
    with pytest.raises(ListError, match=r"b\.csv: X\.1 is already in a\.csv"):
        read_lists(tmp_path)


def test_a_folder_without_lists_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ListError, match="no list of clauses"):
        read_lists(tmp_path)

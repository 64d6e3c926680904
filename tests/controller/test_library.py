"""Where rulebooks are found, and what is said of those that are wrong."""

from __future__ import annotations

import csv
import re
from pathlib import Path

import pytest

from controller.library import Library, read_file, shipped
from controller.rules.faults import Refused

ROOT = Path(__file__).resolve().parents[2]
BOOKS = ["ma", "pa-639a", "pa-669a", "pa-682a", "pa-683a", "s10"]


def text(book: str) -> str:
    return (shipped("rulebooks") / f"{book}.toml").read_text(encoding="utf-8")


def saved(folder: Path, name: str, content: str) -> Path:
    file = folder / f"{name}.toml"
    file.write_text(content, encoding="utf-8")
    return file


def test_felt_ships_with_six_rulebooks() -> None:
    assert list(Library()) == BOOKS
    assert [Library().rulebook(name).id for name in BOOKS] == BOOKS


def test_an_operators_folder_comes_first(tmp_path: Path) -> None:
    mine = text("pa-639a").replace('title = "Caribbean Stud Poker"', 'title = "House Stud"')
    saved(tmp_path, "pa-639a", mine)
    library = Library(tmp_path)
    assert library.rulebook("pa-639a").title == "House Stud"
    assert list(library) == BOOKS


def test_an_unknown_rulebook_is_refused_with_the_known_ones() -> None:
    with pytest.raises(Refused, match=r"no rulebook 'nj'; there are ma, pa-639a"):
        Library().rulebook("nj")


def test_a_folder_that_is_none(tmp_path: Path) -> None:
    with pytest.raises(Refused, match="is not a folder"):
        Library(tmp_path / "nowhere").rulebook("ma")


@pytest.mark.parametrize(
    ("find", "put", "says"),
    [
        ('game = "caribbean-stud"', 'game = "baccarat"', "game: should be 'caribbean-stud'"),
        (
            'game = "caribbean-stud"',
            'game = "caribbean-stud"\nlimit = 5',
            "limit: is not known here",
        ),
        ("[seats]\nmost = 7", "[seats]\nmost = 9", "seats.most"),
        (
            "[seats]\nmost = 7",
            "[seats]\nmany = 7",
            "seats.many: is not known here; known are clause, most",
        ),
        ("[seats]\nmost = 7\n", "[seats]\n", "seats.most: is missing"),
        ('"5 to 1"],\n    ["straight", "4', '"5 two 1"],\n    ["straight", "4', "is not a payout"),
        ('["flush", "5 to 1"]', '["colour", "5 to 1"]', "'colour' is not a hand"),
        ('["flush", "5 to 1"]', '["flush"]', "has 0 payouts for 1 columns"),
        ('["flush", "5 to 1"]', '["straight flush", "5 to 1"]', "can never be paid"),
        ('ranking = "five"', 'ranking = "nine"', "'nine' is not a ranking"),
        ('columns = ["A", "B", "C"]', 'columns = ["A", "B", "B"]', "named twice"),
        ('columns = ["D", "E"]', 'columns = ["C", "E"]', "a column is named twice"),
        ('offered_by = "bonus"', 'offered_by = "luck"', "'luck' is not a choice"),
        ('needs = ["ante"]', 'needs = ["blind"]', "'blind' is not a wager"),
        ("rate = 53", "rate = 153", "rate"),
        ('wager = "progressive"', 'wager = "envy"', "'envy' is not a wager"),
        ("{ 100 = ", "{ one = ", "neither an amount in cents"),
        ('pays = "20 for 1"', 'pays = "20"', "is not a payout"),
        ("[hands]", "[hands", "is not TOML"),
        ("[says.dealing.hand]", "[says.dealing.feet]", "says.dealing.feet"),
        (
            'stays = [\n    { wagers = ["five_card_player"]',
            'stays = [\n    { wagers = ["luck"]',
            "'luck'",
        ),
        ("chips_away = ", "chips_gone = ", "chips_gone: is not known here; known are no_more_bets"),
        ("up_card = { text", "goes_on_by_hand = { text", "manual shoe.up_card: is missing"),
        ('text = "collect the forfeited wagers"', 'text = ""', "says.fold[0].text"),
    ],
)
def test_a_rulebook_with_something_wrong_is_refused_with_its_place(
    tmp_path: Path, find: str, put: str, says: str
) -> None:
    assert find in text("pa-639a")
    file = saved(tmp_path, "pa-639a", text("pa-639a").replace(find, put, 1))
    with pytest.raises(Refused) as caught:
        read_file(file)
    assert says in str(caught.value)
    assert str(caught.value).startswith(str(file))


def test_a_value_that_no_clause_states_is_called_a_reading(tmp_path: Path) -> None:
    mine = text("pa-639a").replace('clause = "PA-639a.2(a)"', 'clause = "not stated"', 1)
    seats = read_file(saved(tmp_path, "pa-639a", mine)).seats
    assert seats.clause == "not stated in the text; felt's reading"
    with pytest.raises(Refused, match="clause"):
        read_file(saved(tmp_path, "pa-639a", mine.replace('clause = "not stated"', 'clause = ""')))


def test_cover_all_has_a_column_for_every_number_of_hands(tmp_path: Path) -> None:
    for find, put in (("most = 7 ", "most = 6 "), ('columns = ["8",', 'columns = ["9",')):
        assert find in text("ma")
        file = saved(tmp_path, "ma", text("ma").replace(find, put, 1))
        with pytest.raises(Refused, match=r"paytables\.cover_all: needs the columns 2 to"):
            read_file(file)


def test_a_file_is_named_after_its_rulebook(tmp_path: Path) -> None:
    with pytest.raises(Refused, match="differs from the file's name"):
        read_file(saved(tmp_path, "pa-1", text("pa-639a")))


def test_a_file_that_can_not_be_read(tmp_path: Path) -> None:
    with pytest.raises(Refused, match="can't be read: No such file"):
        read_file(tmp_path / "pa-639a.toml")
    binary = tmp_path / "ma.toml"
    binary.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(Refused, match="not a text in UTF-8"):
        read_file(binary)


@pytest.mark.parametrize("book", BOOKS)
def test_every_clause_that_a_rulebook_cites_is_in_its_list(book: str) -> None:
    with (ROOT / "docs" / "conformance" / f"{book}.csv").open(encoding="utf-8") as file:
        known = {row["id"] for row in csv.DictReader(file)}
    rulebook = Library().rulebook(book)
    cited = set(re.findall(r'"((?:PA-\d+a|S10|MA)\.[^"{]+)"', text(book)))
    cited = {clause for said in cited for clause in said.split(", ")}
    for sheets in rulebook.paytables.values():
        cited |= {sheet.clause_of(column) for sheet in sheets for column in sheet.columns}
    for meters in rulebook.meters.values():
        cited |= {meter.clause_of(column) for meter in meters for column in meter.columns}
    assert cited
    assert cited <= known

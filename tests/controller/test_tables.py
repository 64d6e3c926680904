"""Table files: what they state, and what is said of those that are wrong."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

from controller.cli import main
from controller.library import Library
from controller.rules.faults import Refused
from controller.tables import read_file, read_table, terms_of

TABLES = Path(__file__).resolve().parents[2] / "config" / "tables"


def data(book: str = "pa-639a", **changes: Any) -> dict[str, Any]:
    found = tomllib.loads((TABLES / f"{book}.toml").read_text(encoding="utf-8"))
    return {**found, **changes}


def says(given: dict[str, Any]) -> str:
    with pytest.raises(Refused) as caught:
        terms_of(given, Library())
    return str(caught.value)


@pytest.mark.parametrize("book", sorted(file.stem for file in TABLES.glob("*.toml")))
def test_a_shipped_file_states_its_terms(book: str) -> None:
    given = data(book)
    terms = terms_of(given, Library())
    assert (terms.id, terms.ruleset.rulebook.id, terms.method) == (
        f"{book}-1",
        book,
        given["method"],
    )
    assert terms.seats == given["options"]["seats"]
    assert (terms.least_ante, terms.most_ante) == (500, 50_000)
    assert terms.people == {one["id"]: tuple(one["roles"]) for one in given["people"]}
    assert terms.shuffler_counts is True


def test_everything_that_terms_know_can_be_stated() -> None:
    shuffler = {"counts": True, "reshuffle_approval": "LAB-1", "procedure": "SOP 4"}
    given = data(
        devices={"shuffler": shuffler, "shoe": {"approval": "PGCB 7", "stack_of": 5}},
        meter_limits={"progressive": 5_000_000},
        wrong_pins=5,
    )
    terms = terms_of(given, Library())
    assert (terms.reshuffle_approval, terms.shuffler_procedure) == ("LAB-1", "SOP 4")
    assert (terms.shoe_approval, terms.stack_of) == ("PGCB 7", 5)
    assert terms.meter_limits == {"progressive": 5_000_000}
    assert terms.wrong_pins == 5
    assert terms.draw_every == {"magic_card": 50, "lucky": 40}
    bare = terms_of(data("s10", devices={}, people=[]), Library())
    assert (bare.shuffler_counts, bare.people, bare.stack_of) == (None, {}, None)
    assert bare.wrong_pins == 3


COUNTING = {"counts": True}


def limited(book: str, least: int, limit: int, **options: Any) -> dict[str, Any]:
    given = data(book, ante={"least": least, "most": 50_000})
    return {**given, "options": {**given["options"], "payout_limit": limit, **options}}


@pytest.mark.parametrize(
    ("book", "least", "floor"),
    [
        # Ante and Bet: 1 and 2 x 100 Antes. Four wagers at 500. Aces Bonus 50 and All-Six 1,000.
        pytest.param("s10", 5_000, 1_005_000, marks=pytest.mark.rule("S10.(l)(4)")),
        pytest.param("pa-683a", 5_000, 10_000_000, marks=pytest.mark.rule("PA-683a.12(f)")),
        pytest.param("pa-682a", 5_000, 5_250_000, marks=pytest.mark.rule("PA-682a.12(g)")),
        pytest.param("s10", 500, 500_000, marks=pytest.mark.rule("S10.(l)(4)")),
        pytest.param("pa-683a", 500, 5_000_000, marks=pytest.mark.rule("PA-683a.12(f)")),
        pytest.param("pa-682a", 500, 5_000_000, marks=pytest.mark.rule("PA-682a.12(g)")),
    ],
)
def test_a_payout_limit_is_reckoned_from_the_tables_own_minimum(
    book: str, least: int, floor: int
) -> None:
    assert terms_of(limited(book, least, floor), Library()).ruleset.payout_limit == floor
    assert says(limited(book, least, floor - 1)).startswith("options.payout_limit: ")
    # No second minimum beside it, even the same.
    said = says(limited(book, least, floor, minimum_ante=least))
    assert said.startswith("options.minimum_ante: ")
    assert "set ante.least" in said


def test_a_limit_of_a_meter_is_not_below_its_start() -> None:
    for limit in (1, 999_999):
        said = says(data(meter_limits={"progressive": limit}))
        assert said.startswith("meter_limits.progressive: ")
        assert "at least $10,000" in said
    assert terms_of(data(meter_limits={"progressive": 1_000_000}), Library())


def test_what_a_table_can_not_offer_is_said_where_it_stands_in_the_file() -> None:
    given = data()
    given["options"] |= {"seats": 3, "adjacent_boxes": 4}
    where = "options.adjacent_boxes: 4 boxes for one player at a table with 3 seats; at most 3"
    assert says(given).startswith(where)
    said = says(data("ma", devices={"shoe": {"approval": "146/7"}}))
    assert said.startswith("options.cover_all: Cover All needs a shuffler that is set to")


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"decks": 2, "devices": {}}, "decks: two decks need an automated shuffler"),
        (
            {"method": "hand", "devices": {}},
            "method: dealing from the hand needs an automated shuffler",
        ),
        (
            {"devices": {"shuffler": COUNTING, "shoe": {"stack_of": 4}}},
            "devices.shoe.stack_of: the shoe deals stacks of 4; set it to 5 (PA-639a.10(b))",
        ),
        (
            {"devices": {"shuffler": {"counts": True, "reshuffle_approval": ""}}},
            "devices.shuffler.reshuffle_approval: a device that reshuffles and counts needs",
        ),
        (
            {"devices": {"shuffler": {"counts": False, "reshuffle_approval": "LAB-1"}}},
            "devices.shuffler.counts: a device that reshuffles and counts is a shuffler that",
        ),
        (
            {"ante": {"least": 600, "most": 500}},
            "ante: the least, $6, is above the most, $5",
        ),
        (
            {"meter_limits": {"jackpot": 5}},
            "meter_limits: 'jackpot' is no meter of this table; there are progressive, five_card",
        ),
        (
            {"devices": {"shuffler": {"counts": True, "brand": "x"}}},
            "devices.shuffler.brand: is not known here; known are counts, reshuffle_approval",
        ),
    ],
)
def test_what_the_rulebook_does_not_allow_is_refused_at_its_place(
    changes: dict[str, Any], said: str
) -> None:
    assert says(data(**changes)).startswith(said)


@pytest.mark.rule("MA.9(a)")
@pytest.mark.parametrize("shoe", [{}, {"approval": ""}, {"approval": " "}])
def test_in_massachusetts_an_automated_shoe_needs_its_approval(shoe: dict[str, str]) -> None:
    given = data("ma", devices={"shuffler": COUNTING, "shoe": shoe})
    said = says(given)
    assert said.startswith("devices.shoe.approval: an automated shoe needs an approval")
    assert said.endswith("(MA.9(a))")
    # Nothing is asked for where the cards come otherwise.
    for method in ("hand", "manual shoe"):
        terms_of({**given, "method": method}, Library())
    named = terms_of(data("ma"), Library())
    assert named.shoe_approval


def person(name: str, *roles: str) -> dict[str, Any]:
    return {"id": name, "name": name.title(), "roles": list(roles)}


@pytest.mark.parametrize(
    ("people", "said"),
    [
        (
            [person("dealer-1", "dealer"), person("floor-1", "king")],
            "people[1].roles[0]: should be 'dealer', 'floorperson', 'supervisor', 'technician'",
        ),
        (
            [
                person("dealer-1", "dealer"),
                person("floor-1", "floorperson"),
                person("dealer-1", "auditor"),
            ],
            "people[2].id: 'dealer-1' is listed twice",
        ),
        ([person("dealer-1", "dealer"), person("floor-1")], "people[1].roles: "),
        ([person("floor-1", "floorperson")], "people: nobody is a dealer"),
        ([person("dealer-1", "dealer")], "people: nobody is a floorperson or a supervisor"),
        ([{"id": "dealer-1", "roles": ["dealer"]}], "people[0].name: is missing"),
        (
            [{**person("dealer-1", "dealer"), "pin": "1234"}],
            "people[0].pin: is not known here; known are id, name, roles",
        ),
    ],
)
def test_a_list_of_people_with_something_wrong(people: list[dict[str, Any]], said: str) -> None:
    assert says(data(people=people)).startswith(said)


def test_one_person_may_have_several_roles() -> None:
    people = [person("dealer-1", "dealer", "floorperson")]
    assert terms_of(data(people=people), Library()).people == {
        "dealer-1": ("dealer", "floorperson")
    }


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (None, "can't be read"),
        (b"\xff", "is not a text in UTF-8"),
        (b"[options", "is not TOML"),
        (b'id = "t"', "table.toml: rulebook: is missing"),
    ],
)
def test_a_file_that_is_none_is_refused_with_its_name(
    tmp_path: Path, content: bytes | None, said: str
) -> None:
    file = tmp_path / "table.toml"
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(Refused) as caught:
        read_table(file, Library())
    assert str(file) in str(caught.value)
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("saved", "told"),
    [
        ("utf-8-sig", "begins with a byte order mark (BOM); save it as UTF-8 without a BOM"),
        ("utf-16", "is not a text in UTF-8, but in UTF-16, as editors on Windows save it"),
        ("latin-1", "is not a text in UTF-8"),
    ],
)
@pytest.mark.parametrize("what", ["tables", "rulebooks"])
def test_a_file_that_an_editor_has_saved_otherwise_is_named_as_what_it_is(
    saved: str, told: str, what: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "pa-639a.toml"
    text = (TABLES.parent / what / "pa-639a.toml").read_text(encoding="utf-8")
    file.write_bytes(f"# \u00e9\n{text.encode('ascii', 'ignore').decode()}".encode(saved))
    assert main(["check", str(file)]) == 2
    assert f"{file}: {told}" in capsys.readouterr().err


def test_line_ends_of_windows_are_line_ends(tmp_path: Path) -> None:
    file = tmp_path / "table.toml"
    file.write_bytes((TABLES / "pa-639a.toml").read_bytes().replace(b"\n", b"\r\n"))
    assert read_file(file) == read_file(TABLES / "pa-639a.toml")

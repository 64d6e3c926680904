"""The command ``felt``, run as people run it."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from controller.library import shipped
from tests.controller.inside import Done, felt
from tests.controller.rules.rounds import round_of, seat

ROUNDS = sorted(shipped("rounds").glob("*.json"))
BAD = round_of("pa-639a", dealer="As Kd 9h 4c", seats=[seat(3, "Qs Js Ts 9s 8s", ante=5, bet=10)])
GOOD = {**BAD, "dealer": "As Kd 9h 4c 2s"}


def process(*words: str | Path, stdin: str = "") -> Done:
    """As a program of its own; everything else is the same without the start of one."""
    command = [sys.executable, "-m", "controller", *map(str, words)]
    done = subprocess.run(command, input=stdin, capture_output=True, text=True, check=False)
    return Done(done.returncode, done.stdout, done.stderr)


def saved(folder: Path, given: Any) -> Path:
    file = folder / "round.json"
    file.write_text(given if isinstance(given, str) else json.dumps(given), encoding="utf-8")
    return file


# --- settle -----------------------------------------------------------------


def test_settle_prints_the_settlement_as_json(tmp_path: Path) -> None:
    done = process("settle", saved(tmp_path, GOOD))
    assert (done.returncode, done.stderr) == (0, "")
    said = json.loads(done.stdout)
    assert list(said) == ["rulebook", "dealer", "order", "seats", "meters"]
    ante, bet = said["seats"][0]["lines"]
    assert (ante["returns"], bet["returns"]) == (10, 510)
    assert list(bet) == [
        "wager",
        "result",
        "stake",
        "odds",
        "returns",
        "paid_by",
        "validate",
        "clause",
    ]


@pytest.mark.parametrize("file", ROUNDS, ids=lambda file: file.stem)
def test_the_example_rounds_are_settled_readably(file: Path) -> None:
    done = felt("settle", "--readable", file)
    assert done.returncode == 0
    assert f"({json.loads(file.read_text())['rulebook']})" in done.stdout
    for seat_given in json.loads(file.read_text())["seats"]:
        assert f"Seat {seat_given['seat']}: {seat_given['cards']}" in done.stdout


def test_every_rulebook_has_an_example_round() -> None:
    assert [file.stem for file in ROUNDS] == [
        "ma",
        "pa-639a",
        "pa-669a",
        "pa-682a",
        "pa-683a",
        "s10",
    ]


@pytest.mark.parametrize("given", [BAD, "{", "[]"])
@pytest.mark.parametrize("run", [felt, process])
def test_a_bad_round_says_one_line_and_prints_nothing(
    tmp_path: Path, given: Any, run: Callable[..., Done]
) -> None:
    file = saved(tmp_path, given)
    done = run("settle", file)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"felt settle: {file}: ")
    assert done.stderr.count("\n") == 1
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("name", ["nowhere.json", "."])
def test_a_file_that_can_not_be_read(tmp_path: Path, name: str) -> None:
    done = felt("settle", tmp_path / name)
    assert (done.returncode, done.stdout) == (2, "")
    assert "can't be read" in done.stderr


def test_a_round_that_is_not_text(tmp_path: Path) -> None:
    file = tmp_path / "round.json"
    file.write_bytes(b"\xff\xfe")
    assert "not a text in UTF-8" in felt("settle", file).stderr


def test_a_stream_settles_line_by_line_and_goes_on_after_a_bad_round() -> None:
    lines = "\n".join([json.dumps(GOOD), "nonsense", "", json.dumps(BAD), json.dumps(GOOD)])
    done = process("settle", "-", stdin=lines)
    said = [json.loads(line) for line in done.stdout.splitlines()]
    assert done.returncode == 2
    assert [next(iter(one)) for one in said] == ["rulebook", "error", "error", "rulebook"]
    assert "has 4 cards" in said[2]["error"]
    assert said[0] == said[3]
    assert felt("settle", "-", stdin=json.dumps(GOOD)).returncode == 0
    assert felt("settle", "-").stdout == ""


# --- rulebooks, check -------------------------------------------------------


def test_rulebooks_lists_and_shows() -> None:
    done = felt("rulebooks")
    assert done.returncode == 0
    assert [line.split()[0] for line in done.stdout.splitlines()][:2] == ["ma", "pa-639a"]
    shown = felt("rulebooks", "show", "pa-639a").stdout
    for word in ("five_card_player", "1,000 to 1", "progressive_wager", "PA-639a.12(d)(3)"):
        assert word in shown
    choices = {line.split()[0]: line for line in shown.splitlines() if line.strip()}
    assert "required of a table with five_card" in choices["five_card_wager"]
    assert "$1 or $5 with D F G H" in choices["progressive_wager"]
    limits = felt("rulebooks", "show", "pa-682a").stdout
    assert "ante.least in a table file" in limits
    as_json = json.loads(felt("rulebooks", "show", "s10", "--json").stdout)
    assert as_json["choices"]["progressive_rate"]["least"] == 70


@pytest.mark.rule("S10.(l)(1)")
def test_section_10_is_shown_without_the_word_for() -> None:
    shown = felt("rulebooks", "show", "s10").stdout
    tables = shown[shown.index("PAYTABLES") : shown.index("METERS")]
    assert " for " not in tables
    assert "win $5,000" in tables
    assert "100 to 1" in tables


def test_an_unknown_rulebook() -> None:
    done = felt("rulebooks", "show", "nj")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("felt rulebooks: rulebook: there is no rulebook 'nj'; there are")


def test_check_says_what_is_sound_and_what_is_not(tmp_path: Path) -> None:
    good = shipped("rulebooks") / "s10.toml"
    bad = tmp_path / "s10.toml"
    bad.write_text(good.read_text().replace("most = 7", "most = 77", 1))
    done = felt("check", good, bad)
    assert done.returncode == 2
    assert done.stdout.startswith(f"{good}: Caribbean Stud Poker")
    assert done.stderr.startswith(f"felt check: {bad}: seats.most")


def test_check_tells_of_a_progressive_that_gives_more_than_it_takes(tmp_path: Path) -> None:
    """Increment and fixed prizes as printed; the prizes of each table reckoned by hand."""
    file = tmp_path / "t.toml"
    for book, changes, said in [
        # 624 x 500, 3,744 x 100 and 5,108 x 50 of 2,598,960 hands, beside the increment.
        ("s10", {}, "70% to the meter and 36.2% back in fixed prizes, 106.2% in all (S10.(l)(6))"),
        ("pa-639a", {'"D"': '"A"'}, "(PA-639a.12(d)(4)[A])"),
        ("pa-639a", {}, None),
        ("pa-669a", {}, None),
    ]:
        text = (shipped("tables") / f"{book}.toml").read_text()
        for old, new in changes.items():
            text = text.replace(old, new, 1)
        file.write_text(text)
        done = felt("check", file)
        assert done.returncode == 0
        table, *notes = done.stdout.splitlines()
        assert table.startswith(f"{file}: table {book}-1")
        assert len(notes) == (said is not None)
        assert said is None or said in notes[0]


def test_a_rulebook_of_ones_own_is_used(tmp_path: Path) -> None:
    book = (shipped("rulebooks") / "s10.toml").read_text()
    (tmp_path / "house.toml").write_text(
        book.replace('id = "s10"', 'id = "house"').replace("100 to 1", "200 to 1")
    )
    given = {**GOOD, "rulebook": "house"}
    given["seats"] = [seat(3, "Ac Kc Qc Jc Tc", ante=5, bet=10)]
    done = felt("settle", saved(tmp_path, given), "--rulebooks", tmp_path)
    assert json.loads(done.stdout)["seats"][0]["lines"][1]["returns"] == 2010
    assert "house" in felt("rulebooks", "--rulebooks", tmp_path).stdout


# --- odds -------------------------------------------------------------------


def test_odds_of_side_wagers_as_json(tmp_path: Path) -> None:
    done = felt("odds", "pa-682a", "--wager", "aces", "--wager", "prime", "--json")
    assert done.returncode == 0
    said = json.loads(done.stdout)
    assert said["rulebook"] == "pa-682a"
    assert set(said["wagers"]) == {"aces", "prime"}
    aces = said["wagers"]["aces"]["A"]
    assert aces["edge"] == aces["readings"]["4"]["edge"]
    assert 1.10 < aces["percent"] < 1.11
    assert aces["readings"]["5"]["percent"] > 40
    assert said["published"]["aces"]["reproduced"] is True
    assert said["published"]["prime"]["reproduced"] is True


def test_odds_say_which_published_figures_they_do_not_reproduce() -> None:
    done = felt("odds", "pa-683a", "--side")
    assert "published for board: 2.14% to 7.1% of stake: NOT reproduced" in done.stdout
    assert done.stdout.count(": reproduced") == 3


def test_odds_of_a_wager_that_is_reckoned_with_the_ante() -> None:
    done = felt("odds", "pa-639a", "--wager", "bet")
    assert (done.returncode, done.stdout) == (2, "")
    assert "is reckoned with the ante; there are ante, bonus" in done.stderr


def test_progressives_show_hits_and_a_break_even_meter() -> None:
    said = json.loads(felt("odds", "pa-669a", "--wager", "progressive", "--json").stdout)
    figures = said["wagers"]["progressive"]["printed"]
    spades = figures["hits"]["ace, king and queen of spades"]
    assert (spades["hands"], spades["of"]) == (1, 22100)
    assert figures["break_even_in_wagers"] == "10080"


# --- felt itself ------------------------------------------------------------


def test_a_reader_that_goes_away_is_no_error() -> None:
    command = f"{sys.executable} -m controller rulebooks show ma | head -1; echo ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
    assert done.stdout.splitlines()[-1] == "0"
    assert done.stderr == ""


def test_settling_does_not_load_what_only_odds_need() -> None:
    code = (
        "import sys; from controller.cli import main; "
        f"main(['settle', {str(ROUNDS[0])!r}]); sys.exit('numpy' in sys.modules)"
    )
    assert (
        subprocess.run([sys.executable, "-c", code], capture_output=True, check=False).returncode
        == 0
    )


# --- play, recall, verify, events -------------------------------------------

TABLES = Path(__file__).resolve().parents[2] / "config" / "tables"


@pytest.mark.parametrize("file", sorted(TABLES.glob("*.toml")), ids=lambda file: file.stem)
def test_the_table_files_are_sound(file: Path) -> None:
    done = felt("check", file)
    assert done.returncode == 0
    assert f"table {file.stem}-1:" in done.stdout


@pytest.mark.parametrize(
    ("find", "put", "says"),
    [
        ("decks = 1", "decks = 3", "decks: should be less than or equal to 2"),
        ("decks = 1", "decks = 1\ncolour = 2", "colour: is not known here"),
        ("seats = 7", "seats = 8", "options.seats: 8 is too much; at most 7 (PA-639a.2(a))"),
        ("adjacent_boxes = 1\n", "", "options.adjacent_boxes: must be chosen"),
        ("magic_card_every = 50\n", "", "options.magic_card_every: must be chosen"),
        ("counts = true", "counts = 1", "devices.shuffler.counts: must be true or false"),
        ("least = 500", "least = 60_000", "ante: the least"),
        ("[options]", "[options", "is not TOML"),
        ('rulebook = "pa-639a"', 'rulebook = "nj"', "there is no rulebook 'nj'"),
    ],
)
def test_a_table_file_with_something_wrong(tmp_path: Path, find: str, put: str, says: str) -> None:
    good = (TABLES / "pa-639a.toml").read_text(encoding="utf-8")
    assert find in good
    file = tmp_path / "table.toml"
    file.write_text(good.replace(find, put, 1), encoding="utf-8")
    done = felt("check", file)
    assert (done.returncode, done.stdout) == (2, "")
    assert says in done.stderr


@pytest.mark.rule("PA-639a.3(b)", "PA-639a.9(a)(1)")
def test_two_decks_and_dealing_by_hand_need_a_shuffler(tmp_path: Path) -> None:
    good = (TABLES / "pa-639a.toml").read_text(encoding="utf-8")
    bare = good.replace("[devices]\nshuffler = { counts = true }\n", "")
    for find, put in (("decks = 1", "decks = 2"), ('"automated shoe"', '"hand"')):
        file = tmp_path / "table.toml"
        file.write_text(bare.replace(find, put), encoding="utf-8")
        assert "shuffler" in felt("check", file).stderr
        file.write_text(good.replace(find, put), encoding="utf-8")
        assert felt("check", file).returncode == 0


@pytest.mark.parametrize(
    ("book", "seated", "says"),
    [
        ("pa-639a", "terminal", "choose five_card under [options], or take it off its wire"),
        ("pa-639a", "acceptor", "choose progressive under [options], or take it off its wire"),
        ("pa-682a", "terminal", "no wager of pa-682a is made there; take it off its wire"),
    ],
)
def test_a_device_that_the_table_has_no_use_for_is_said(
    tmp_path: Path, book: str, seated: str, says: str
) -> None:
    lines = (TABLES / f"{book}.toml").read_text(encoding="utf-8").splitlines()
    asked = ("five_card", "progressive")
    bare = "\n".join(line for line in lines if not line.startswith(asked))
    bare = bare.replace('method = "automated shoe"', 'method = "manual shoe"')
    wires = ("panel", "shuffler", f"{seated} 1", f"{seated} 2")
    for number, name in enumerate(wires):
        bare += f'\n[wires.w{number}]\nserial = "/dev/none{number}"\ndevices = ["{name}"]\n'
    file = tmp_path / "table.toml"
    file.write_text(bare, encoding="utf-8")
    done = felt("check", file)
    assert (done.returncode, done.stderr) == (0, "")
    told = f"{seated} 1 to 2: nothing to do, no wager of this table is made there ({says})"
    assert f"{file}: {told}\n" in done.stdout


OPENING = [
    {"kind": "table_opened", "at": 1, "by": {"id": "floor-1", "role": "floorperson"}},
    {"kind": "deal_pressed", "at": 2, "by": {"id": "dealer-1", "role": "dealer"}},
    {"kind": "nonsense", "at": 3},
]


def play(folder: Path, lines: list[dict[str, Any]]) -> Done:
    words = ("--table", TABLES / "s10.toml", "--journal", folder / "j.db", "-")
    return felt("play", *words, stdin="\n".join(map(json.dumps, lines)))


def test_play_prints_a_line_for_each_event_and_goes_on_where_it_stopped(tmp_path: Path) -> None:
    done = play(tmp_path, OPENING)
    assert done.returncode == 0
    opened, refused, unknown = [json.loads(line) for line in done.stdout.splitlines()]
    assert (opened["phase"], opened["refused"]) == ("opening", None)
    assert "is not for the phase opening" in refused["refused"]
    assert "this is not an event" in unknown["refused"]
    again = [json.loads(line) for line in play(tmp_path, OPENING[:1]).stdout.splitlines()]
    assert "not for the phase opening" in again[0]["refused"]
    assert again[0]["seq"] > unknown["seq"]


def test_verify_finds_one_flipped_byte(tmp_path: Path) -> None:
    play(tmp_path, OPENING)
    journal = tmp_path / "j.db"
    sound = felt("verify", journal)
    assert sound.returncode == 0
    assert sound.stdout.splitlines()[-1] == "sound"
    whole = bytearray(journal.read_bytes())
    where = whole.index(b"table_opened")
    whole[where] ^= 1
    journal.write_bytes(whole)
    damaged = felt("verify", journal)
    assert damaged.returncode == 1
    assert "DAMAGED" in damaged.stdout
    stopped = play(tmp_path, OPENING[:1])
    assert (stopped.returncode, stopped.stdout) == (3, "")
    assert "the table is stopped" in stopped.stderr


def test_verify_and_recall_of_what_is_no_journal(tmp_path: Path) -> None:
    (tmp_path / "j.db").write_text("hello")
    for command in ("verify", "recall"):
        for file in ("j.db", "nowhere.db"):
            done = felt(command, tmp_path / file)
            assert done.returncode == 2
            assert done.stderr.startswith(f"felt {command}: ")
            assert "Traceback" not in done.stderr


def test_events_prints_a_schema_of_every_event_and_command() -> None:
    schema = json.loads(felt("events").stdout)
    assert {"$ref": "#/$defs/WagerPlaced"} in schema["event"]["anyOf"]
    assert {"$ref": "#/$defs/Dispense"} in schema["command"]["anyOf"]
    assert schema["$defs"]["WagerPlaced"]["properties"]["kind"] == {"enum": ["wager_placed"]}

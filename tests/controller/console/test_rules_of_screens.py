"""The rules that every page obeys, and which test shows each; what is of no page in particular.

The pages' own files are read here: a colour that is used for something else, or a window that
covers the table, stands in them before anybody sees it.
"""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

HERE = Path(__file__).parent
PAGES = HERE.parents[2] / "controller" / "console" / "pages"
SHEETS = sorted((PAGES / "css").glob("*.css"))
SCRIPTS = sorted((PAGES / "js").glob("*.js"))

#: By the number of the rule: what it asks for, and the tests that show it.
RULES: dict[int, tuple[str, tuple[str, ...]]] = {
    1: ("normal is grey, and colour never stands alone", (
        "test_rules_of_screens.test_what_is_normal_is_grey",
        "test_rules_of_screens.test_an_alarm_has_a_shape_and_words",
        "test_accessible.test_every_page_in_every_state",
    )),
    2: ("one prompt, the verb first, naming the seat", (
        "test_dealer_page.test_a_round_is_dealt_by_touch",
    )),
    3: ("colours of alarms are used for nothing else", (
        "test_rules_of_screens.test_the_colour_of_an_alarm_is_used_for_nothing_else",
    )),
    4: ("an alarm says cause, action and who", (
        "test_floor_page.test_two_tables_on_one_page_a_jam_is_cleared_and_a_credential_unlocked",
    )),
    5: ("the first cause is pinned, the rest is counted", (
        "test_accessible.test_every_page_in_every_state",
    )),
    6: ("it stays until somebody with the right has acknowledged it", (
        "test_floor_page.test_two_tables_on_one_page_a_jam_is_cleared_and_a_credential_unlocked",
    )),
    7: ("cleared is a state of the table", (
        "test_live.test_what_happens_at_the_table_is_seen",
        "test_cut_off.test_two_see_the_same_and_a_press_of_one_is_stale_for_the_other",
    )),
    8: ("repeats never cover the screen", (
        "test_rules_of_screens.test_nothing_but_silence_covers_a_page",
    )),
    9: ("what felt did by itself never looks like a person's act", (
        "test_floor_page.test_an_award_is_refused_then_validated_and_documented",
    )),
    10: ("large buttons that never move", (
        "test_dealer_fingers.test_what_changes_under_a_finger_is_dead_and_silence_is_told",
        "test_accessible.test_every_page_in_every_state",
    )),
    11: ("a lost connection covers the page and swallows touches", (
        "test_cut_off.test_pages_come_back_by_themselves_with_the_whole_truth",
    )),
    12: ("alive is a heartbeat; reload once the server answers", (
        "test_live.test_a_table_that_hangs_is_heard_no_more",
        "test_cut_off.test_pages_come_back_by_themselves_with_the_whole_truth",
        "test_cut_off.test_a_page_loads_itself_anew_when_there_is_another_and_only_then",
    )),
    13: ("after a reconnect the whole picture first", (
        "test_live.test_a_page_is_greeted_and_then_sees_the_whole_table",
        "test_cut_off.test_pages_come_back_by_themselves_with_the_whole_truth",
    )),
    14: ("the playhead: dragged, zoomed to one frame, never out of the view, large, at once", (
        "test_timeline.test_the_line_holds_what_it_promises",
        "test_floor_page.test_an_award_is_refused_then_validated_and_documented",
    )),
    15: ("rules shown come from the rulebook that runs", (
        "test_rules_of_screens.test_no_page_knows_a_game",
    )),
}  # fmt: skip


def declared_in(name: str) -> set[str]:
    tree = ast.parse((HERE / f"{name}.py").read_text(encoding="utf-8"))
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef)
    return {one.name for one in tree.body if isinstance(one, kinds)}


@pytest.mark.parametrize("number", RULES)
def test_each_rule_has_its_tests(number: int) -> None:
    _, tests = RULES[number]
    assert tests
    for test in tests:
        file, _, name = test.partition(".")
        assert name in declared_in(file), test


def test_all_fifteen_are_there() -> None:
    assert list(RULES) == list(range(1, 16))


# --- What the sheets say ------------------------------------------------------------


def rules(sheet: Path) -> list[tuple[str, str]]:
    """Selectors, and what is declared for them; those within a condition too."""
    text = re.sub(r"/\*.*?\*/", "", sheet.read_text(encoding="utf-8"), flags=re.DOTALL)
    found = re.findall(r"([^{}]+)\{([^{}]*)\}", text)
    return [(" ".join(selector.split()), said) for selector, said in found]


#: What is in the colour of an alarm: all of it is what somebody must see to. Whoever adds to it
#: has looked whether that is so, and that a shape and a word are with it.
ALARMS: dict[str, set[str]] = {
    "bench": {
        ".bench .cable.out",
        ".device.ill, .wire.ill",
        '.faults button[aria-pressed="true"] .is',
        ".ill .drawing .flap",
        ".warning-light.on, .warning-light.blink",
    },
    "dealer": {
        ".band.alarm",
        ".receipt.noted",
    },
    "felt": {
        ".alarm",
        ".cover > div",
        ".cover h2",
        ".noted",
    },
    "floor": {
        ".kind.alarm",
        ".receipt.refused, .receipt.unknown",
        ".wrong h3",
        ".wrong li",
    },
    "index": {
        ".index .wrong",
    },
    "school": {
        ".school .mark.refused, .school .mark.wrong, .school .mark.late, .school .mark.left-out",
        ".school .verdict.failed",
        ".school .why",
    },
    "sign": {
        ".notice",
    },
    "terminal": {
        ".terminal .refused.alarm button",
        ".terminal .standing.held",
    },
}


@pytest.mark.parametrize("sheet", SHEETS, ids=lambda one: one.stem)
def test_the_colour_of_an_alarm_is_used_for_nothing_else(sheet: Path) -> None:
    found = {
        selector
        for selector, said in rules(sheet)
        if "var(--alarm" in said or "var(--on-alarm" in said
    }
    assert found <= ALARMS.get(sheet.stem, set())


def colours(theme: str) -> dict[str, str]:
    text = dict(rules(PAGES / "css" / "felt.css"))[theme]
    return dict(re.findall(r"--([a-z-]+): (#[0-9a-f]{6,8});", text))


DARK, LIGHT = ":root", ':root[data-theme="light"]'
SIGNAL = ("alarm", "on-alarm", "alarm-ink", "paper", "spade", "heart", "diamond", "club")
#: Between the largest and the smallest of red, green and blue: grey to the eye.
GREY = 26


@pytest.mark.parametrize("theme", [DARK, LIGHT])
def test_what_is_normal_is_grey(theme: str) -> None:
    found = colours(theme)
    assert len(found) > 15
    for name, colour in found.items():
        parts = [int(colour[n : n + 2], 16) for n in (1, 3, 5)]
        if name not in SIGNAL:
            assert max(parts) - min(parts) <= GREY, (name, colour)
    # A pit is dark, and not black.
    assert colours(DARK)["bg"] not in ("#000000", "#000")


def test_a_heart_is_not_red_as_an_alarm_is() -> None:
    for theme in (DARK, LIGHT):
        found = colours(theme)
        alarms = {found[name] for name in found if "alarm" in name}
        suits = {found[name] for name in ("heart", "diamond", "spade", "club") if name in found}
        assert alarms
        assert not alarms & suits
    named = [
        (sheet.name, selector)
        for sheet in SHEETS
        for selector, said in rules(sheet)
        if "var(--heart)" in said or "var(--diamond)" in said
        if not re.search(r"card|key|suit", selector)
    ]
    assert named == []


def test_numbers_do_not_jump_in_width() -> None:
    (body,) = [said for selector, said in rules(PAGES / "css" / "felt.css") if selector == "body"]
    assert "tabular-nums" in body
    for sheet in SHEETS:
        assert "proportional-nums" not in sheet.read_text(encoding="utf-8")
        for selector, said in rules(sheet):
            if "font-variant-numeric" in said:
                assert "tabular-nums" in said, (sheet.name, selector)


def test_nothing_but_silence_covers_a_page() -> None:
    """No dialog, no window of the browser's, and nothing that is fixed over the table."""
    fixed = [
        (sheet.name, selector)
        for sheet in SHEETS
        for selector, said in rules(sheet)
        if re.search(r"position:\s*fixed", said)
    ]
    assert fixed == [("felt.css", ".cover")]
    for file in (*SCRIPTS, *PAGES.glob("*.html")):
        text = file.read_text(encoding="utf-8")
        found = re.findall(
            r"<dialog|showModal|showPopover|(?<![.\w])(?:alert|confirm|prompt)\(['\"`]", text
        )
        assert not found, file.name


# --- What the scripts say -----------------------------------------------------------


def test_an_alarm_has_a_shape_and_words() -> None:
    """Wherever something is marked as an alarm, a sign is drawn beside its words, or near it."""
    shapeless = []
    for script in SCRIPTS:
        text = script.read_text(encoding="utf-8")
        for found in re.finditer(r'class="[^"]*\b(?:alarm|wrong)\b[^"]*"', text):
            near = text[found.start() : found.start() + 400]
            if "sign(" not in near:
                shapeless.append((script.name, near[:80]))
    assert shapeless == []


#: What is put into an order in a page is put into one that what happens does not change.
SORTED = {
    "asking.js": "what is asked of the second person, after all else",
    "chips.js": "by denomination",
    "offers.js": "by how much of it one press does",
    "recall.js": "rounds, the last one first",
    "spoken.js": "texts, before anything is shown",
    "waiting.js": "by since when it waits, and then by table",
}


def test_the_order_of_a_list_does_not_change_by_itself() -> None:
    found = {
        script.name
        for script in SCRIPTS
        if re.search(r"\.(?:sort|toSorted|reverse|toReversed)\(", script.read_text("utf-8"))
    }
    assert found <= set(SORTED)


def test_no_page_knows_a_game() -> None:
    """No rulebook, no wager and no hand by name: what is shown of rules comes from the table."""
    books = PAGES.parents[2] / "config" / "rulebooks"
    names = {file.stem for file in books.glob("*.toml")}
    names |= {"royal flush", "full house", "straight flush", "four of a kind", "pay_table", "odds["}
    assert len(names) > 10
    for script in SCRIPTS:
        text = re.sub(r"//.*", "", script.read_text(encoding="utf-8")).lower()
        found = [name for name in names if re.search(rf"['\"`]{re.escape(name)}['\"`]", text)]
        assert not found, script.name

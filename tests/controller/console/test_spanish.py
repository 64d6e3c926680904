"""Every text of a page is there in Spanish: the pages' own, and what the table says."""

from __future__ import annotations

import ast
import json
import random
import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any, get_args

import pytest
from playwright.async_api import Page

import controller
from controller.console.assets import PAGES
from controller.console.serving import Options
from controller.daemon import views
from controller.daemon.hints import HINTS
from controller.table import events
from controller.table.machine import new_table, step
from controller.table.offering import offered
from controller.table.state import Table
from controller.table.terms import Terms
from drivers.attachment import EXCHANGED_STEP
from drivers.wire.station import NEWER, OLDER
from simulators import faults
from tests.controller.console.demonstrating import browser, demonstration, until
from tests.controller.console.served import console
from tests.controller.table.filling import Filling
from tests.controller.table.playing import BOOKS, DEALER, METHODS, AtTheTable, terms_of
from tests.controller.table.possible import EVERYTHING, is_trouble, possible
from tests.controller.table.test_round import SIDE
from tests.scenarios.test_play import table as table_of

CODE = Path(controller.__file__).parent
LANG = PAGES / "lang"
FILLED = re.compile(r"\{(\w+)\}")
#: What people type stands as they typed it.
TYPED = ("walk", "as seen", "wwww", "technician at work")
#: Words that are English and nothing else, and stand in most of its sentences.
ENGLISH = frozenset(
    re.findall(
        r"\S+",
        """
        the of and is are was were be been with without from to by at on it its this that these
        which who what where when how not other every each all both same seat seats card cards
        deck decks wager wagers dealer player players shoe shuffler hand hands hold round stack
        stacks chip chips collect return pay place take put turn face down up wait press announce
        clear look count counted rack stub lost void open close closed out has have does will
        can't
        """,
    )
)
#: Names on layouts, words that a clause wants said, names of people: they stay as they are.
KEPT = (
    "dealer at work", "floorperson at work", "supervisor at work",
    "Caribbean Stud Poker Cover All", "Five Card Hand Bonus", "Caribbean Stud Bonus",
    "Six Card Bonus", "Cover All", "Cover all", "5-Card", "4th Street", "5th Street",
    "6th Street", "No more bets", "no more bets", "No hand", "All-Six",
)  # fmt: skip
#: Clauses, commands, files, ids, and what stands in quotes.
AS_IT_IS = re.compile(
    r"[A-Z0-9-]+a?\.\d*[(\[].*|`[^`]*`|'[^']*'|/dev/\S+|\bfelt act \S+|\b\w+_\w+\b|\b[a-z]+-\d+\b"
)


def language(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((LANG / f"{name}.json").read_text(encoding="utf-8"))
    return found


def told() -> dict[str, dict[str, str]]:
    found: dict[str, dict[str, str]] = language("es")["told"]
    return found


# --- The pages' own texts ---------------------------------------------------------


def test_every_kind_of_entry_has_its_words() -> None:
    kinds = {str(one.__struct_config__.tag) for one in get_args(events.Event)}
    for name in ("en", "es"):
        texts = {text.removeprefix("event.") for text in language(name) if "event." in text[:6]}
        assert texts == kinds


def test_both_languages_have_the_same_texts() -> None:
    english, spanish = language("en"), language("es")
    spanish.pop("told")
    assert list(english) == sorted(english)
    assert list(spanish) == sorted(spanish)
    missing = {name: english[name] for name in english if name not in spanish}
    assert not missing, f"without Spanish: {json.dumps(missing, indent=2)}"
    assert not set(spanish) - set(english)
    for name, text in english.items():
        assert set(FILLED.findall(text)) == set(FILLED.findall(spanish[name])), name


def test_every_text_that_pages_ask_for_is_there() -> None:
    english = language("en")
    used = dict(asked_for())
    assert len(used) > 200
    for name, file in used.items():
        if name.endswith("*"):
            assert any(one.startswith(name[:-1]) for one in english), f"{file}: {name}"
        else:
            assert name in english, f"{file}: {name}"


#: Names of events and of their fields stand as the journal has them.
OF_THE_RECORD = ("event", "fact_of")


def asked_for() -> Iterator[tuple[str, str]]:
    """Names of texts in the pages' code; a star where the rest of one is made up there."""
    for file in sorted((PAGES / "js").glob("*.js")):
        code = file.read_text(encoding="utf-8")
        for call in re.findall(r"\bsay\(([^()]*)", code):
            for name in re.findall(r"[\"'`]([a-z_]+(?:[.][a-z_.${}]*)?)", call.partition(", {")[0]):
                yield re.sub(r"\$\{.*", "*", name), file.name
        for kind in re.findall(r"\bword\(\"([a-z.]+)\"", code):
            if kind not in OF_THE_RECORD:
                yield f"{kind}.*", file.name


def test_what_is_filled_in_is_filled_in_on_both_sides() -> None:
    """Nothing that is named is lost on the way, and all of it is of a kind that is known."""
    sentences = told()
    kinds = {*sentences, "n", "money", "cards", "id", "name", "clause", "rest", "words", "said"}
    for kind, some in sentences.items():
        for text, to in some.items():
            names = FILLED.findall(text)
            assert len(set(names)) == len(names), text
            assert {name.rstrip("0123456789") for name in names} <= kinds, text
            assert "}{" not in text, text
            if "not offered now" not in text:  # the offer's id says nothing to people
                assert set(names) == set(FILLED.findall(to)), f"{kind}: {text}"


# --- What the table says ------------------------------------------------------------


class Heard:
    """Everything that a table says to people, each once."""

    def __init__(self) -> None:
        self.texts: dict[str, None] = {}

    def say(self, *texts: str) -> None:
        for text in texts:
            if text and not any(typed in text for typed in TYPED):
                self.texts[text] = None

    def at(self, terms: Terms, table: Table) -> None:
        found = offered(terms, table)
        for prompt, _ in found.prompts:
            self.say(prompt.text, prompt.clause)
        for offer in found.offers:
            self.say(offer.title, offer.clause, offer.follows, *(ask.words for ask in offer.asks))
        for hold in table.holds:
            self.say(hold.cause, hold.where, hold.over, views.STOPS[hold.blocks])
        self.say(*table.withheld.values(), *(seat.hand for seat in table.seats))
        self.say(*(str(due.odds or "") for due in table.due), table.void or "")

    def walk(self, terms: Terms, seed: int, steps: int) -> None:
        """Long random play, in which what seldom happens does."""
        dice, filling, table = random.Random(seed), Filling(seed), new_table(terms)
        for n in range(steps):
            self.at(terms, table)
            if n % 3:
                some = [filling.events(one, table.at)[0] for one in offered(terms, table).offers]
            else:
                some = list(possible(terms, table, EVERYTHING))
                some = [one for one in some if not is_trouble(table, one) or dice.random() < 0.05]
            for event in dice.sample(some, len(some)):
                done = step(terms, table, event)
                if not done.refused:
                    table = done.table
                    break
                self.say(done.refused)


class Watched(AtTheTable):
    """A table whose every word is heard, after each event."""

    def __init__(self, terms: Terms, heard: Heard) -> None:
        super().__init__(terms, 7)
        self.heard = heard

    def send(self, kind: type[Any], **given: Any) -> Any:
        done = super().send(kind, **given)
        self.heard.at(self.terms, self.table)
        return done


def everything(seeds: int, steps: int) -> Heard:
    heard = Heard()
    for book in BOOKS:
        for method in METHODS:
            at = Watched(terms_of(book, method), heard)
            at.opens()
            at.sits(1, 3, at.terms.seats)
            at.plays(1, 3, at.terms.seats, **SIDE[book])
            for seed in range(seeds):
                heard.walk(terms_of(book, method, seats=3), seed, steps)
    for hint in HINTS:
        heard.say(hint.cause, hint.action)
    heard.say(*OF_DEVICES)
    for entry in faults.MENU.values():
        heard.say(entry.name, entry.what, entry.number)
    return heard


#: What is said of a device that is not the one, or not where it should be; and what to do.
OF_DEVICES = (
    "it does not answer at address 3",
    "it does not answer at unit 1",
    "it does not answer at address 3; a device answers at address 1",
    "check its power, its cable and its address",
    "give it the address that it has here: that of its seat, or its place on the wire",
    "it has the key of acceptor 2",
    "it has the key of acceptor 2, and answers at address 3",
    "it is to be acceptor 2: give it that name; or load the key that belongs here",
    "it is acceptor 2: give it the address of that, or plug it in there; or load the key that "
    "belongs here",
    "turned away: its serial number is P-2, not P-1",
    EXCHANGED_STEP,
    "it speaks protocol 2, felt speaks 1",
    NEWER,
    OLDER,
)


async def in_spanish(page: Page, address: str, texts: list[str]) -> list[str | None]:
    """As the pages' own code says it; None for what it does not know."""
    await page.goto(address)
    await page.evaluate("localStorage.setItem('felt.language', 'es')")
    found: list[str | None] = await page.evaluate(
        """async (texts) => {
          const { learn } = await import("/static/js/words.js");
          await learn();
          const { understood } = await import("/static/js/spoken.js");
          return texts.map(understood);
        }""",
        texts,
    )
    return found


def english_in(text: str) -> set[str]:
    for kept in KEPT:
        text = text.replace(kept, "")
    text = AS_IT_IS.sub("", text)
    return set(re.findall(r"[a-z']+", text.lower())) & ENGLISH


async def all_is_said(tmp_path: Path, heard: Heard) -> None:
    texts = list(heard.texts)
    options = Options(sockets=(tmp_path / "nobody" / "control.sock",), port=0)
    async with console(options, []) as address, browser() as context:
        page = await context.new_page()
        said = await in_spanish(page, address, texts)
    unknown = [text for text, to in zip(texts, said, strict=True) if to is None]
    assert not unknown, "no sentence of es.json fits:\n" + "\n".join(unknown)
    pairs = zip(texts, said, strict=True)
    left = {text: to for text, to in pairs if to and english_in(PLAYER.sub("", to))}
    assert not left, f"English is left over: {json.dumps(left, indent=2, ensure_ascii=False)}"


async def test_what_the_table_says_is_said_in_spanish(tmp_path: Path) -> None:
    heard = everything(seeds=1, steps=25)
    assert len(heard.texts) > 700
    await all_is_said(tmp_path, heard)


async def test_what_a_broker_says_of_a_record_is_said_in_spanish(tmp_path: Path) -> None:
    heard, journal, other = Heard(), "felt/pa-639a-1/1770091506000000000", "felt/pa-639a-1/17700"
    for says in (
        "a head of entry 812, and it ends with entry 790",
        "a head of entry 812, which is another one",
        f"a head of {journal} with 812 entries, and this is {other}",
    ):
        heard.say(f"the broker broker.casino.example:8883 has {says}")
    await all_is_said(tmp_path, heard)


async def test_what_is_said_of_guessed_pins_is_said_in_spanish(tmp_path: Path) -> None:
    heard = Heard()
    at = Watched(terms_of("pa-639a", "hand"), heard)
    for person, place, times in (
        ("dealer-1", "page 192.0.2.7", 3), ("dealer-2", "control socket, user pit", 4),
        ("dealer-3", "control socket, user pit", 1), ("floor-1", "control socket, user pit", 1),
        ("dealer-1", "control socket, user pit", 7),
    ):  # fmt: skip
        for _ in range(times):
            at.send(events.CredentialRefused, person=person, device=place, by_place=True)
            for one in ("dealer-1", "dealer-2", "floor-1"):
                given = {"person": one, "device": place, "by_place": True}
                heard.say(at.send(events.CredentialAccepted, **given).refused)
    out = "sign on at another place, or ask a supervisor to unlock the credential"
    heard.say(
        "pin: wrong; 2 more and dealer-1 is locked out at page 192.0.2.7",
        "pin: wrong; 1 more and dealer-1 is locked out at page 192.0.2.7; try again in 2 s",
        f"pin: wrong, and dealer-1 is locked out at page 192.0.2.7; {out}",
        "pin: wrong; 1 more and the credential of dealer-1 is locked; try again in 16 s",
        "pin: wrong; 1 more and the credential of dealer-1 is locked",
        "dealer-1 was given a new PIN; sign on with it",
        "the credential of dealer-1 was withdrawn",
        "the PIN of dealer-1 was tried: 3 wrong PINs, last at page 192.0.2.7",
    )
    assert len(heard.texts) > 40
    await all_is_said(tmp_path, heard)


async def test_what_is_said_of_badges_is_said_in_spanish(tmp_path: Path) -> None:
    heard = Heard()
    at = Watched(terms_of("pa-639a", "hand"), heard)
    for n in range(4):
        badge = {"device": "badge", "badge": f"0badbad{n}", "reason": "it is nobody's badge"}
        at.send(events.BadgeRefused, **badge)
        one = {"device": "badge", "badge": "3fa9c1d2", "who": DEALER, "with_pin": False}
        heard.say(at.send(events.BadgeRead, **one).refused)
    heard.say(
        "badge: it is nobody's badge; sign on by name, or ask the floor",
        "badge: the badge of dealer-1 was withdrawn; sign on by name, or ask the floor",
        "badge: it is the badge of eve, who is not of this table",
        "badge: nobody has one at this table; give them: felt badge",
        "badge: is no number of a badge; 4 to 32 letters, digits and . : -",
        "its driver told 'signed_on', which no badge can see",
        "its driver told 'device_faulted' of another device",
        "its driver told 'lamp_read' of another seat",
        "its driver told 'deal_pressed' in somebody's name who is not on duty",
    )
    await all_is_said(tmp_path, heard)


@pytest.mark.slow
async def test_what_the_table_says_on_long_walks(tmp_path: Path) -> None:
    await all_is_said(tmp_path, everything(seeds=4, steps=250))


# --- What is refused -------------------------------------------------------------------

#: Where what pages show is refused.
REFUSING = (
    *sorted((CODE / "table").glob("*.py")), CODE / "rules" / "wagering.py",
    *(CODE / "daemon" / f"{name}.py" for name in ("taking", "reveals", "acts")),
    *(CODE / "console" / f"{name}.py" for name in ("acts", "acting", "sessions", "house")),
)  # fmt: skip
#: Of these, what stops a table file and never reaches a page.
OF_FILES = ("terms.py",)
WHO_REFUSE = ("Refused", "NotAllowed", "Answered", "held", "must_be", "must_differ")
#: Said only to programs; and what is put together, and heard whole above.
OTHERWISE = ("a page may not ask", "bad request", "not allowed", "inside the ", "shuffler \0\0")


def refusals() -> Iterator[tuple[str, str]]:
    """Every sentence that is written out where something is refused or held; its blanks as NUL."""
    for file in REFUSING:
        if file.name in OF_FILES:
            continue
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and ast.unparse(node.func) in WHO_REFUSE:
                for argument in node.args[1:3]:
                    for text in written(argument):
                        yield file.name, text


def written(node: ast.expr) -> Iterator[str]:
    if isinstance(node, ast.IfExp):
        yield from (*written(node.body), *written(node.orelse))
    elif isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    elif isinstance(node, ast.JoinedStr):
        parts = (one.value if isinstance(one, ast.Constant) else "\0" for one in node.values)
        yield "".join(map(str, parts))


def written_out() -> set[str]:
    """The sentences that are known, their blanks as NUL."""
    return {FILLED.sub("\0", text) for some in told().values() for text in some}


def test_whatever_is_refused_can_be_said_in_spanish() -> None:
    known = written_out()
    found = [
        (file, text) for file, text in refusals() if " " in text and not text.startswith(OTHERWISE)
    ]
    assert len(found) > 200
    left = {(file, text.replace("\0", "{}")) for file, text in found if text not in known}
    assert not left, f"without Spanish: {sorted(left)}"


def test_whatever_is_hinted_at_can_be_said_in_spanish() -> None:
    known = written_out()
    for hint in HINTS:
        symptom = hint.symptom.replace("...", "\0")
        assert any(symptom in one for one in known), hint.symptom


# --- On the pages -----------------------------------------------------------------------

#: All that is seen and all that is read aloud, every tenth of a second. Beside them what is marked
#: as English because no sentence fits; the one button that is not meant is that of the language.
COLLECTS = """() => {
  window.collected = new Set();
  const add = (text) => window.collected.add((text ?? "").trim());
  const named = ["aria-label", "aria-description", "title", "placeholder"];
  setInterval(() => {
    for (const one of document.body.querySelectorAll(":not(noscript)")) {
      for (const name of named) add(one.getAttribute(name));
      for (const part of one.childNodes) if (part.nodeType === 3) add(part.data);
      if (one.matches("[lang=en]:not(button)")) add(`the ${one.textContent}`);
    }
  }, 100);
}"""
#: As the demonstration calls who sits there.
PLAYER = re.compile(r"player \d")


async def test_a_page_in_spanish_says_nothing_in_english(tmp_path: Path) -> None:
    data = table_of("pa-639a")
    data["options"]["seats"] = 3
    async with demonstration(tmp_path, data) as felt, browser() as context:
        bench = await felt.address()
        await context.add_init_script("localStorage.setItem('felt.language', 'es')")
        faces = [bench.replace("/bench/", f"/{face}/") for face in ("dealer", "bench", "sign")]
        pages = []
        for address in (*faces, bench.partition("/bench/")[0]):
            page = await context.new_page()
            await page.goto(address)
            await page.locator("h1").wait_for()
            await page.evaluate(COLLECTS)
            pages.append(page)
        dealer = pages[0]
        assert await dealer.locator("html").get_attribute("lang") == "es"
        await signs_on(dealer)
        first = await round_of(dealer)
        for name, inside in (
            ("Irregularidades", "Volver a la indicación"),
            ("Más", "Salida de dealer-1"),
            ("Abrir el asiento 1", "Asiento 1: lo que se puede hacer"),
        ):
            await dealer.get_by_role("button", name=name, exact=True).click()
            await until(partial(has_collected, dealer, inside))
        # The rest of it is seen from the prompt.
        await dealer.get_by_role("button", name="Abrir el asiento 1", exact=True).click()

        async def is_over() -> bool:
            return await round_of(dealer) > first + 1

        await until(is_over)
        seen = [text for page in pages for text in await page.evaluate("[...collected]")]
    assert len(set(seen)) > 150
    assert any("boca abajo" in text for text in seen)
    left = {text: english_in(PLAYER.sub("", text)) for text in seen}
    assert not {text: words for text, words in left.items() if words}


async def has_collected(page: Page, text: str) -> bool:
    return bool(await page.evaluate("(text) => collected.has(text)", text))


async def signs_on(dealer: Page) -> None:
    await dealer.get_by_role("button", name="dealer-1", exact=True).click()
    for digit in "1111":
        await dealer.get_by_role("button", name=f"PIN {digit}", exact=True).click()
    await dealer.get_by_role("button", name="Entrar", exact=True).last.click()
    await dealer.get_by_role("button", name="Bloquear la pantalla de dealer-1").wait_for()


async def round_of(dealer: Page) -> int:
    found = re.search(r"Ronda (\d+)", await dealer.locator("header").inner_text())
    assert found is not None
    return int(found.group(1))

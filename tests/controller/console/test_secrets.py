"""Every byte that leaves the console over whole rounds: no face before its reveal, and no secret.

The shoe reads, so felt has each hand from the moment it is dealt. What pages, signs and programs
are sent meanwhile is held against what the journal says was turned over by that very entry.
"""

from __future__ import annotations

import asyncio
import base64
import bisect
import contextlib
import json
import re
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from controller.console.assets import PAGES
from controller.console.shown import ON_A_SIGN
from controller.journal.reader import Reader
from controller.library import Library
from controller.recorder import Taken
from controller.replay import Replay
from controller.rules.cards import DECK, name
from controller.school.moments import round_of
from controller.table.events import Event
from tests.controller.console.browser import Answer, Live, asked, cookie_of, live
from tests.controller.console.simulated import Simulated, simulated
from tests.scenarios.test_play import table

CARD = re.compile(r"\b[2-9TJQKA][cdhs]\b")
PACK = {name(one) for one in DECK}
#: Of the people at the table; nothing else that is said has such digits in it.
PINS = {
    "dealer-1": "7351906428",
    "floor-1": "8264017395",
    "supervisor-1": "9473120586",
    "technician-1": "6182940573",
}
SIGNED_ON = {"dealer": ("dealer-1", "dealer"), "floor": ("floor-1", "floorperson")}
QUESTIONS = ("recall", "status", "health", "who", "prompts", "offers")
#: So many cards of a hand, as numbers in one list, are there by no chance; or a whole small one.
MANY, SMALL = 4, 3
PLACES = ("seat", "dealer", "community", "extra")


class Said:
    """One thing that left the console: to whom, in which words, and not after which entry."""

    def __init__(self, to: str, text: str, by: int) -> None:
        self.to = to
        self.text = text
        self.by = by


class Ear:
    """Has pages of every face open, asks all that can be asked, and keeps every byte of it."""

    def __init__(self, at: Simulated) -> None:
        self.at = at
        self.said: list[Said] = []
        self.cookies: dict[str, str] = {}
        self.is_over = False
        #: Hands as they lay before they were turned over.
        self.hidden: set[frozenset[int]] = set()
        at.service.listen(self._cards_lie)

    def _cards_lie(self, event: Event, taken: Taken) -> None:
        top, table = self.at.show.simulated.world.top, taken.step.table
        if table.phase in ("dealing", "deciding"):
            for place, pile in top.piles.items():
                if place.startswith(PLACES) and len(pile) >= SMALL:
                    self.hidden.add(frozenset(card.face for card in pile))

    def keep(self, to: str, text: str) -> None:
        # What was said was said at this entry or before it. A recall is read from the journal,
        # which has an entry before the table has gone on from it.
        self.said.append(Said(to, text, self.at.service.journal.head.seq))

    @contextlib.asynccontextmanager
    async def page(self, face: str, *, who: tuple[str, str] | None = None) -> AsyncIterator[Live]:
        to = face if who is None else f"{face} of {who[0]}"
        answer = await asked(self.at.address, "GET", f"/api/session?{len(self.cookies)}")
        self.cookies[to] = cookie_of(answer)
        async with live(self.at.address, self.cookies[to]) as page:
            await page.says("look", face=face, tables=[self.at.name])
            if who is not None:
                await page.says("sign_on", person=who[0], role=who[1], pin=PINS[who[0]])
            reading = asyncio.create_task(self._reads(to, page))
            asking = asyncio.create_task(self._asks(page))
            try:
                yield page
            finally:
                for task in (reading, asking):
                    task.cancel()
                await asyncio.gather(reading, asking, return_exceptions=True)

    async def _reads(self, to: str, page: Live) -> None:
        async for frame in page.socket:
            assert isinstance(frame, str)
            self.keep(to, frame)

    async def _asks(self, page: Live) -> None:
        number = 0
        while True:
            for action in QUESTIONS:
                number += 1
                more = {"with": {"last": 2}} if action == "recall" else {}
                name_ = self.at.name
                await page.says("ask", table=name_, press=f"q{number}", action=action, **more)
                await asyncio.sleep(0.1)
            # The round that is under way, with how it lay after each of its entries.
            table, number = self.at.service.core.table, number + 1
            one = {"round": round_of(table), "laid": True}
            press = {"press": f"q{number}", "action": "recall", "with": one}
            await page.says("ask", table=self.at.name, **press)
            await asyncio.sleep(0.1)

    async def programs(self) -> None:
        """All that is served over HTTP, again and again, until it is over."""
        paths = [f"/{face}/{self.at.name}" for face in ("dealer", "sign", "bench")]
        paths += ["/", "/floor", "/health", "/api/session", "/api/openapi.json", "/api/tables"]
        paths += ["/static/js/live.js", "/static/lang/en.json", "/nothing", "/../etc/passwd"]
        picture = f"/api/tables/{self.at.name}/picture"
        while not self.is_over:
            for path in paths:
                for one in (path, picture):
                    self.answered(one, await asked(self.at.address, "GET", one))
                    await asyncio.sleep(0.02)

    def answered(self, path: str, answer: Answer) -> None:
        headers = {key: text for key, text in answer.headers.items() if key != "set-cookie"}
        body = answer.body.decode()
        if (file := PAGES / path.removeprefix("/static/")) != PAGES / path:
            # The same for everybody, whatever lies on the table.
            assert answer.body == file.read_bytes()
            body = ""
        self.keep("http", json.dumps(headers) + body)


class Truth:
    """What the journal says was turned over: by each entry, of the round that it belongs to."""

    def __init__(self, journal: Path) -> None:
        #: By round: entries, and all faces that were turned over by then.
        self._rounds: dict[int, tuple[list[int], list[frozenset[str]]]] = {}
        with Reader.look(journal) as reader:
            for played in Replay(reader, Library()).events():
                if played.step.refused:
                    continue
                number = played.step.table.round
                entries, faces = self._rounds.setdefault(number, ([], []))
                shown = frozenset(cards_in(msgspec.to_builtins(played.event)))
                entries.append(played.entry.seq)
                faces.append(shown | (faces[-1] if faces else frozenset()))

    def by(self, entry: int, round_: int) -> frozenset[str]:
        entries, faces = self._rounds.get(round_, ([], []))
        at = bisect.bisect_right(entries, entry)
        return faces[at - 1] if at else frozenset()

    def of_rounds(self, entry: int) -> frozenset[str]:
        return frozenset().union(*(self.by(entry, one) for one in self._rounds))


def texts(value: Any, *, skip: frozenset[str]) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for one in value:
            yield from texts(one, skip=skip)
    elif isinstance(value, dict):
        for key, one in value.items():
            yield str(key)
            if key not in skip:
                yield from texts(one, skip=skip)


def cards_in(value: Any) -> set[str]:
    # Of what may be keyed in, the cards that are missing say something: see ``left_out``.
    some = texts(value, skip=frozenset({"choices", "sealed"}))
    return {card for text in some for card in CARD.findall(text)}


def numbered(value: Any, hidden: set[frozenset[int]]) -> set[str]:
    """Cards of a hand that stand there as numbers, in whatever order."""
    if isinstance(value, dict):
        # Counts that a form takes are no cards.
        some = (one for key, one in value.items() if key != "choices")
        return set().union(*(numbered(one, hidden) for one in some))
    if not isinstance(value, list):
        return set()
    if not value or not all(type(one) is int for one in value):
        return set().union(*(numbered(one, hidden) for one in value))
    faces = set(value)
    hands = [hand for hand in hidden if hand <= faces or len(faces & hand) >= MANY]
    return {name(face) for hand in hands for face in faces & hand}


def left_out(value: Any) -> set[str]:
    """Cards that a form does not take, because they are known to lie elsewhere."""
    if isinstance(value, list):
        return set().union(*map(left_out, value))
    if not isinstance(value, dict):
        return set()
    found = set().union(*map(left_out, value.values()))
    if value.get("shape") == "cards" and value.get("choices"):
        found |= PACK - set(value["choices"])
    return found


class Held:
    """Everything that was said, against what could be known."""

    def __init__(self, truth: Truth, hidden: set[frozenset[int]]) -> None:
        self.truth = truth
        self.hidden = hidden
        self.pictures = 0
        self.laid = 0
        self.faces: set[str] = set()

    def to_be_so(self, said: Said) -> None:
        if said.to == "http":
            head, _, body = said.text.partition("}")
            assert not CARD.findall(head)
            with contextlib.suppress(ValueError):
                self._message(said, json.loads(body))
            return
        message = json.loads(said.text)
        if message["kind"] == "bench":
            # The simulated world itself, for whoever works the simulated hardware.
            assert said.to.startswith("bench"), said.to
            return
        self._message(said, message)

    def _message(self, said: Said, message: Any) -> None:
        picture = message.get("picture")
        if picture is not None:
            self._picture(said, picture)
            return
        result = message.get("result")
        if isinstance(result, dict) and "rounds" in result:
            for one in result["rounds"]:
                self._not_more(said, one, self.truth.by(said.by, one["round"]))
                self._entries(said, one)
            return
        self._not_more(said, message, self.truth.of_rounds(said.by))

    def _entries(self, said: Said, one: dict[str, Any]) -> None:
        """What is said of how it lay after an entry is no more than was known by that one."""
        for told in one.get("events", ()):
            if "lay" in told:
                self.laid += 1
                self._not_more(said, told, self.truth.by(told["seq"], one["round"]))

    def _picture(self, said: Said, picture: dict[str, Any]) -> None:
        self.pictures += 1
        if said.to.startswith("sign"):
            assert set(picture) <= ON_A_SIGN
            assert not CARD.findall(said.text)
            return
        # By its own entry, and not by the one at which it was read.
        self._not_more(said, picture, self.truth.by(picture["seq"], picture["round"]))

    def _not_more(self, said: Said, value: Any, known: frozenset[str]) -> None:
        shown = cards_in(value) | numbered(value, self.hidden)
        assert shown <= known, (said.to, sorted(shown - known), said.text[:3000])
        gone = left_out(value)
        assert gone <= known, (said.to, sorted(gone - known), said.text[:3000])
        self.faces |= shown


async def heard(folder: Path, book: str, method: str | None, rounds: int) -> tuple[Ear, Simulated]:
    data = table(book, method)
    data["options"]["seats"] = 3
    async with simulated(folder, data, rounds=rounds, pins_of=PINS) as at:
        ear = Ear(at)
        async with contextlib.AsyncExitStack() as stack:
            for face in ("dealer", "floor", "sign", "bench"):
                await stack.enter_async_context(ear.page(face))
            for face, who in SIGNED_ON.items():
                await stack.enter_async_context(ear.page(face, who=who))
            programs = asyncio.create_task(ear.programs())
            await at.is_over()
            # What it asks for just now is answered: a connection that is cut off is left open.
            ear.is_over = True
            await programs
    return ear, at


def held(folder: Path, ear: Ear) -> Held:
    assert ear.hidden
    found = Held(Truth(folder / "state" / "journal.db"), ear.hidden)
    for said in ear.said:
        found.to_be_so(said)
    # It would find a face: where they may be seen they are.
    assert len(found.faces) >= 10
    assert found.pictures > 100
    assert found.laid > 100
    return found


def secrets_of(folder: Path, ear: Ear) -> dict[str, list[str]]:
    found = {f"PIN of {person}": [pin] for person, pin in PINS.items()}
    for file in (folder / "secrets").iterdir():
        data = file.read_bytes()
        if file.suffix == ".key":
            key = data.strip() if len(data.strip()) > 32 else data
            raw = bytes.fromhex(key.decode()) if len(key) > 32 else key
            found[file.name] = [
                raw.hex(), raw.hex().upper(), base64.b64encode(raw).decode(),
                base64.urlsafe_b64encode(raw).decode(), str(list(raw))[1:-1],
            ]  # fmt: skip
        else:
            # Salted hashes of PINs.
            found[file.name] = re.findall(r"[A-Za-z0-9+/=_-]{20,}", data.decode())
    for to, cookie in ear.cookies.items():
        found[f"cookie of {to}"] = [cookie.partition("=")[2]]
    return found


@pytest.mark.rule("R12")
async def test_no_byte_tells_a_face_before_its_reveal_or_a_secret(tmp_path: Path) -> None:
    ear, at = await heard(tmp_path, "pa-639a", "automated shoe", rounds=2)
    held(tmp_path, ear)
    assert {one.to for one in ear.said} == {
        "dealer", "floor", "sign", "bench", "dealer of dealer-1", "floor of floor-1", "http",
    }  # fmt: skip
    log = json.dumps([at.said, at.show.said], default=str)
    assert "signed on" in log
    words = [*(one.text for one in ear.said), log]
    secrets = secrets_of(tmp_path, ear)
    assert len(secrets) > len(PINS) + len(ear.cookies)
    for what, forms in secrets.items():
        assert forms, what
        for form in forms:
            assert not [one[:200] for one in words if form in one], what


@pytest.mark.slow
@pytest.mark.rule("R12")
@pytest.mark.parametrize("book", ["ma", "pa-669a", "pa-682a", "pa-683a", "s10"])
async def test_no_byte_tells_a_face_at_any_table(book: str, tmp_path: Path) -> None:
    ear, _ = await heard(tmp_path, book, "automated shoe", rounds=3)
    held(tmp_path, ear)


def test_the_search_would_find_a_face() -> None:
    """What is looked for above is found where it is, however it is said."""
    offer = {"asks": [{"shape": "cards", "choices": sorted(PACK - {"As"})}], "includes": "Kd"}
    assert cards_in(offer) == {"Kd"}
    assert left_out(offer) == {"As"}
    assert cards_in({"seats": [{"cards": "As Td"}], "2c": "ten of clubs"}) == {"As", "Td", "2c"}
    assert numbered({"due": [{"cards": [1, 51, 50, 49, 48]}]}, {frozenset({48, 49, 50, 51})}) == {
        name(one) for one in (51, 50, 49, 48)
    }

"""A tablet as the terminal of a seat, against the real daemon and a real mosquitto."""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from controller.daemon import supervisor
from tests.controller.console.browser import Live
from tests.controller.terminal.seat import AtTheTable, at_a_table
from tests.drivers.wire.mosquitto import Mosquitto
from tests.drivers.wire.plugs import AT_LAST_S

WAGER = "five_card_player"

ACCOUNT = {"tender": "account"}

Picture = dict[str, Any]


def wager(picture: Picture, name: str = WAGER) -> dict[str, Any]:
    nothing = {"down": 0, "stands": "not told yet"}
    found: dict[str, Any]
    found = next((one for one in picture["wagers"] if one["wager"] == name), nothing)
    return found


async def sees(page: Live, fits: Callable[[Picture], Any]) -> Picture:
    """The terminal as it is shown now, or as soon as it fits: also what came before an answer."""
    for frame in reversed(page.frames):
        message = json.loads(frame)
        if message["kind"] == "picture":
            if fits(message["picture"]):
                return dict(message["picture"])
            break
    return dict(await page.picture(fits))


def is_open(picture: Picture) -> bool:
    return not picture["locked"] and wager(picture)["stands"] == "offered"


def last(picture: Picture) -> dict[str, Any]:
    found: dict[str, Any] = next(iter(picture["requests"]), {"became": "", "what": ""})
    return found


async def test_a_round_at_the_tablet(tmp_path: Path, broker: Mosquitto) -> None:
    """Money in, a wager taken back and made again, locked, and the decision; all told in words."""

    async def meanwhile(at: AtTheTable) -> None:
        async with at.tablet() as tablet, tablet.page() as page:
            await page.says("look", face="terminal", tables=["terminal"])
            seen = await sees(page, lambda it: it["player"] and not it["locked"])
            had = at.seat.balance
            assert (seen["seat"], seen["balance"]) == (1, had)
            async with tablet.page() as second:
                lost = await second.hears("lost")
                assert lost["taken"]
                assert "another tablet" in lost["why"]
            assert (await page.asks("buy_in", cents=2500))["ok"]
            await sees(page, lambda it: it["balance"] == had + 2500)
            assert at.seat.balance == had + 2500

            # A cash-out of more than there is: refused by the table, told with its reason.
            assert (await page.asks("cash_out", cents=10**9))["ok"]
            seen = await sees(page, lambda it: last(it)["became"] == "refused")
            assert "is more than there is" in last(seen)["reason"]

            assert wager(seen)["stands"] == "needs another wager"
            await at.antes()
            seen = await sees(page, is_open)
            assert (wager(seen)["least"], wager(seen)["most"]) == (100, 100)
            given = {"wager": WAGER, "round": seen["round"]}
            assert (await page.asks("wager", cents=100, **given))["ok"]
            seen = await sees(page, lambda it: wager(it)["down"] == 100)
            assert at.seat.balance == had + 2400
            assert (await page.asks("take_back", **given))["ok"]
            await sees(page, is_open)
            assert at.seat.balance == had + 2500
            for _ in range(2):  # the same press is one wager
                assert (await page.asks("wager", press="again", cents=100, **given))["ok"]
            await sees(page, lambda it: wager(it)["down"] == 100)
            await at.is_ready()
            seen = await sees(page, lambda it: it["locked"] and it["stage"] == "no more bets")
            late = {"wager": "five_card_dealer", "cents": 100, "round": given["round"]}
            assert (await page.asks("wager", **late))["ok"]
            seen = await sees(page, lambda it: last(it)["became"] == "refused")
            assert (last(seen)["what"], last(seen)["reason"]) == ("late_wager", "no more bets")
            assert at.table.late[-1].wager == "five_card_dealer"
            await folds(page)
            assert at.seat.folded
            # What follows of it lies with the dealer; the wager on the hand lives on.
            await sees(page, lambda it: it["stage"] == "between rounds")

    show = await at_a_table(tmp_path, broker, meanwhile)
    assert show.table is not None
    assert not show.table.holds


async def folds(page: Live) -> None:
    """Its decision, when it is due; what was meant for another one is not taken."""
    seen = await sees(page, lambda it: it["decision"] is not None)
    due = seen["decision"]
    assert (due["amounts"], due["otherwise"]) == ([2000], "fold")
    fold = {"choice": "fold", "round": seen["round"], "street": due["street"]}
    stale = {**fold, "street": due["street"] + 1}
    assert "nothing to decide" in (await page.asks("decide", **stale))["error"]
    before = {**fold, "round": seen["round"] - 1}
    assert "is over" in (await page.asks("decide", **before))["error"]
    assert (await page.asks("decide", **fold))["ok"]
    await sees(page, lambda it: it["decision"] is None)


async def test_a_power_cut_loses_nothing_and_repeats_nothing(
    tmp_path: Path, broker: Mosquitto, monkeypatch: pytest.MonkeyPatch
) -> None:
    # However long it takes to start: a terminal that is missed takes its wagers off the offer.
    monkeypatch.setattr(supervisor, "GRACE_S", AT_LAST_S)

    async def meanwhile(at: AtTheTable) -> None:
        async with at.tablet() as tablet:
            async with tablet.page() as page:
                await at.antes()
                await page.asks("buy_in", cents=2500)
                seen = await sees(page, lambda it: is_open(it) and it["balance"] == 2500)
                had = at.seat.balance
                broker.hang()
                press = {"press": "one", "wager": WAGER, "cents": 100, "round": seen["round"]}
                assert (await page.asks("wager", **press))["ok"]
                await tablet.kill()
            waiting = at.memory.read_bytes()
            assert [one["press"] for one in json.loads(waiting)["waiting"]] == ["one"]
            assert WAGER not in at.seat.wagers
            broker.go_on()
            await tablet.start()
            async with tablet.page() as page:
                seen = await sees(page, lambda it: wager(it)["down"] == 100)
                assert (seen["balance"], at.seat.balance) == (had - 100, had - 100)
                # The same press, by a page that had no answer: it is known.
                assert (await page.asks("wager", **press))["ok"]

                other = {"press": "two", "wager": "five_card_dealer", "cents": 100}
                await page.asks("wager", **other, round=seen["round"])
                await sees(page, lambda it: wager(it, "five_card_dealer")["down"] == 100)

            # felt has taken it, and the power is cut before the terminal has heard so.
            await tablet.kill()
            kept = json.loads(at.memory.read_bytes())
            event = {"message": "wager", "wager": "five_card_dealer", "cents": 100}
            said = {"number": kept["next"] - 1, "press": "two", "event": event | ACCOUNT}
            at.memory.write_text(json.dumps({**kept, "waiting": [said]}))
            await tablet.start()
            async with tablet.page() as page:
                await sees(
                    page, lambda it: last(it)["became"] == "taken" and it["balance"] == had - 200
                )
                assert at.seat.balance == had - 200
                assert at.seat.wagers["five_card_dealer"] == 100

    show = await at_a_table(tmp_path, broker, meanwhile)
    assert show.table is not None
    assert not show.table.holds


async def test_a_wrong_key_is_told_to_whoever_starts_it(tmp_path: Path, broker: Mosquitto) -> None:
    wrong = tmp_path / "wrong.key"
    wrong.write_text(secrets.token_hex(32))

    async def meanwhile(at: AtTheTable) -> None:
        await at.until(lambda: at.table.phase == "betting")
        async with at.tablet(key=str(wrong)) as tablet, tablet.page() as page:
            lost = await page.hears("lost", lambda one: "key" in one["why"])
            assert "felt keys" in lost["next_step"]
            assert not (await page.asks("buy_in", cents=100))["ok"]
            await at.until(lambda: "does not have the key" in tablet.said())
            health = at.show.bench.service.supervisor.health()["terminal 1"]  # type: ignore[union-attr]
            assert health.reason == "it does not have the key"

    await at_a_table(tmp_path, broker, meanwhile)

"""Another site in the browser of a dealer who is signed on: it can do nothing and read nothing.

The site is real, and so is the browser with its rules of origins. Some of what is tried here never
leaves the browser; what does is refused by the console, and is in its log.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

from playwright.async_api import expect

from controller.table import events
from tests.controller.console.chromium import Looked, browser, looked, room, until
from tests.controller.console.served import PINS, TABLE, Served, served
from tests.drivers.wire.plugs import AT_LAST_S

#: What a page of somebody else tries.
TRIES = Path(__file__).with_name("other_site.js").read_text(encoding="utf-8")


@contextlib.asynccontextmanager
async def site(host: str, script: str) -> AsyncIterator[str]:
    """Somebody else's page, at another address of this PC."""
    page = f"<!doctype html><title>not felt</title><script type=module>{script}</script>".encode()
    head = f"HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: {len(page)}\r\n"

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError):
            await reader.readuntil(b"\r\n\r\n")
            writer.write(f"{head}connection: close\r\n\r\n".encode() + page)
            await writer.drain()
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    async with server:
        yield f"http://{host}:{server.sockets[0].getsockname()[1]}/"


async def signed_on(at: Served, page: Looked) -> dict[str, Any]:
    """The dealer at the page, by finger; and what they could press now."""
    await page.page.get_by_role("button", name="dealer-1").click()
    for digit in PINS["dealer-1"]:
        await page.page.get_by_role("button", name=f"PIN {digit}", exact=True).click()
    await page.page.get_by_role("button", name="Enter", exact=True).click()
    lock = page.page.get_by_role("button", name="Lock the screen of dealer-1")
    await expect(lock).to_be_visible()
    seen = await at.at.looks()
    (offer,) = [one for one in seen["offers"] if "Receive a deck" in one["title"]]
    return {"offer": offer["id"], "round": seen["round"], "seq": seen["seq"]}


async def test_another_site_in_the_dealers_browser(tmp_path: Path) -> None:
    expect.set_options(timeout=AT_LAST_S * 1000)
    async with served(tmp_path) as at, browser() as chromium, room(chromium) as context:
        dealer = await looked(context, f"{at.address}dealer/{TABLE}")
        known = await signed_on(at, dealer)
        before = len(at.house.recorded())
        at.said.clear()
        more = {"felt": at.address, "table": TABLE, "pin": PINS["dealer-1"], **known}
        # One that browsers call the same site, as its port alone is another; and one that is not.
        for host in ("127.0.0.1", "localhost"):
            async with site(host, f"const known = {json.dumps(more)};{TRIES}") as address:
                other = await looked(context, address)
                await until(lambda: other.page.evaluate("'found' in window"))  # noqa: B023
                found = await other.page.evaluate("window.found")
                await other.page.close()
            assert len(found) == 17
            for tried, came_to in found.items():
                assert "dealer-1" not in came_to, (tried, came_to)
                assert "ok" not in came_to, (tried, came_to)
            for tried in ("read a picture", "read who is signed on", "press", "live", "script"):
                assert came_to_nothing(found[tried]), (tried, found[tried])
            for tried in ("frame the dealer", "frame a program's"):
                assert found[tried] == 'read ""'
            assert found["open and read"] == "refused"
        # What came to the console was refused there, and it says so.
        assert {event for event, _ in at.said} == {"request refused"}, at.said
        refused = {(facts["path"], facts["why"]) for _, facts in at.said}
        take = f"/api/tables/{TABLE}/take"
        assert {path for path, _ in refused} >= {take, "/live", "/api/sign-on", "/api/sign-off"}
        # And the dealer goes on: nothing was recorded, nobody is signed off.
        assert len(at.house.recorded()) == before
        await dealer.page.reload()
        lock = dealer.page.get_by_role("button", name="Lock the screen of dealer-1")
        await expect(lock).to_be_visible()
        assert not at.house.recorded(events.DeckReceived)
        assert dealer.wrong == []
        # No address, which a history or a log keeps, says who or by which PIN.
        for address in dealer.asked:
            assert PINS["dealer-1"] not in address.partition("//")[2].partition("/")[2]
            assert "?" not in address
            cookies = await context.cookies()
            assert not [one for one in cookies if one.get("value", "-") in address]
        (cookie,) = await context.cookies()
        assert (cookie.get("httpOnly"), cookie.get("sameSite")) == (True, "Strict")


def came_to_nothing(found: str) -> bool:
    return found.startswith("refused")


# --- The policy ---------------------------------------------------------------------

#: What somebody who could slip text into a page would try.
SLIPPED = {
    "a script in the page": """() => {
        const one = document.createElement("script");
        one.textContent = "window.broken = 1";
        document.body.append(one);
    }""",
    "a handler": """() => {
        const one = document.createElement("div");
        one.setAttribute("onclick", "window.broken = 1");
        document.body.append(one);
        one.click();
    }""",
    "text as a page": """() => {
        document.body.innerHTML = "<img src=x onerror='window.broken = 1'>";
    }""",
    "text as a function": "() => { new Function('window.broken = 1')(); }",
    "text evaluated": "() => { (0, eval)('window.broken = 1'); }",
    "text later": "() => { setTimeout('window.broken = 1', 0); }",
    "a policy of its own": """() => {
        trustedTypes.createPolicy("mine", {createHTML: (one) => one});
    }""",
    "style in the page": """() => {
        const one = document.createElement("style");
        one.textContent = "body { display: none }";
        document.body.append(one);
        if (getComputedStyle(document.body).display === "none") window.broken = 1;
    }""",
}
FOREIGN = """async ([address, wanted]) => {
  const some = [];
  document.addEventListener("securitypolicyviolation", (one) => some.push(one.effectiveDirective));
  const image = new Image();
  image.src = `${address}x.png`;
  const script = document.createElement("script");
  try { script.src = `${address}x.js`; document.body.append(script); } catch { some.push("types"); }
  const frame = document.createElement("iframe");
  frame.src = address;
  document.body.append(frame);
  const form = Object.assign(document.createElement("form"), {action: address, method: "post"});
  document.body.append(form);
  HTMLFormElement.prototype.submit.call(form);
  await fetch(address).catch(() => {});
  try { new WebSocket(address.replace("http", "ws")); } catch { some.push("socket"); }
  for (let tries = 0; tries < 100 && !wanted.every((one) => some.includes(one)); tries++) {
    await new Promise((done) => setTimeout(done, 50));
  }
  return some;
}"""


async def test_nothing_runs_that_did_not_come_with_the_page(tmp_path: Path) -> None:
    asked: list[str] = []
    async with served(tmp_path) as at, browser() as chromium, room(chromium) as context:
        for path in (f"dealer/{TABLE}", f"sign/{TABLE}", f"bench/{TABLE}", ""):
            page = await looked(context, f"{at.address}{path}")
            await until(lambda: page.seq > 0)  # noqa: B023
            assert page.wrong == []
            for name, tries in SLIPPED.items():
                # Later, and so not by the test's own hand, which may do more than a page.
                slip = f"setTimeout(() => {{ setTimeout(done, 20); ({tries})(); }})"
                await page.page.evaluate(f"() => new Promise((done) => {slip})")
                assert not await page.page.evaluate("'broken' in window"), (path, name)
            assert len(page.wrong) >= len(SLIPPED) - 1, page.wrong
        async with site("localhost", "") as address:
            context.on("request", lambda request: asked.append(request.url))
            wanted = ["img-src", "frame-src", "form-action", "connect-src"]
            blocked = await page.page.evaluate(FOREIGN, [address, wanted])
            assert set(wanted) <= set(blocked), blocked
            assert "require-trusted-types-for" in blocked

"""What a browser is given: pages and their parts, and nothing else of this PC."""

from __future__ import annotations

import gzip
from pathlib import Path

from controller.console.assets import KINDS, PAGES, Assets
from controller.console.serving import Options
from tests.controller.console.browser import asked, cookie_of
from tests.controller.console.served import TABLE, console, served


async def test_a_page_comes_with_all_that_keeps_others_out(tmp_path: Path) -> None:
    async with served(tmp_path) as at:
        page = await at.asked("GET", f"/dealer/{TABLE}")
        assert page.status == 200
        assert page.body == (PAGES / "dealer.html").read_bytes()
        policy = page.headers["content-security-policy"].split("; ")
        assert {"default-src 'none'", "script-src 'self'", "frame-ancestors 'none'"} <= set(policy)
        assert "require-trusted-types-for 'script'" in policy
        assert "unsafe" not in page.headers["content-security-policy"]
        assert page.headers["x-content-type-options"] == "nosniff"
        assert "server" not in page.headers
        cookie = page.headers["set-cookie"]
        assert "HttpOnly" in cookie
        assert "SameSite=Strict" in cookie


async def test_a_screen_may_be_switched_on_before_its_table(tmp_path: Path) -> None:
    options = Options(sockets=(tmp_path / "nobody" / "control.sock",), port=0)
    async with console(options, []) as address:
        for face in ("dealer", "sign", "bench"):
            page = await asked(address, "GET", f"/{face}/{TABLE}")
            assert (page.status, page.body) == (200, (PAGES / f"{face}.html").read_bytes())


async def test_it_is_ready_when_it_knows_its_tables_by_name(tmp_path: Path) -> None:
    async with served(tmp_path) as at:
        found = (await at.asked("GET", "/api/tables")).json["tables"]
        assert [one["table"] for one in found] == [TABLE]


async def test_what_has_not_changed_is_not_sent_again(tmp_path: Path) -> None:
    async with served(tmp_path) as at:
        first = await at.asked("GET", "/static/css/felt.css")
        assert first.headers["content-type"].startswith("text/css")
        again = await at.asked("GET", "/static/css/felt.css", if_none_match=first.headers["etag"])
        assert (again.status, again.body) == (304, b"")


async def test_a_browser_keeps_its_cookie(tmp_path: Path) -> None:
    async with served(tmp_path) as at:
        first = await at.asked("GET", f"/dealer/{TABLE}")
        again = await at.asked("GET", f"/dealer/{TABLE}", cookie=cookie_of(first))
        assert "set-cookie" not in again.headers
        # One that nobody here has given out is worth nothing.
        other = await at.asked("GET", f"/dealer/{TABLE}", cookie="felt=x.1.y")
        assert "set-cookie" in other.headers


async def test_every_file_of_the_pages_is_served_and_of_a_kind_that_browsers_know(
    tmp_path: Path,
) -> None:
    files = [file for file in PAGES.rglob("*") if file.is_file() and file.suffix in KINDS]
    async with served(tmp_path) as at:
        for file in files:
            found = await at.asked("GET", f"/static/{file.relative_to(PAGES)}")
            assert (found.status, found.body) == (200, file.read_bytes())
            assert found.headers["content-type"] == KINDS[file.suffix]


CLIMBING = [
    "/static/../app.py",
    "/static/..%2fapp.py",
    "/static/%2e%2e/app.py",
    "/static/%252e%252e/app.py",
    "/static/....//app.py",
    "/static/..\\app.py",
    "/static/%5c..%5capp.py",
    "/static//etc/passwd",
    "/static/css/../../app.py",
    "/static/%00",
    "/static/css",
    "/static/",
    "/dealer/..%2f..%2fetc%2fpasswd",
    "/../../etc/passwd",
    "//etc/passwd",
    "/app.py",
    "/pages/dealer.html",
]


async def test_no_name_leads_out_of_the_pages(tmp_path: Path) -> None:
    async with served(tmp_path) as at:
        for path in CLIMBING:
            found = await at.asked("GET", path)
            assert found.status in (400, 404), path
            assert found.json["ok"] is False
            assert b"import" not in found.body
            assert b"root:" not in found.body


async def test_a_link_that_leads_out_is_no_page(tmp_path: Path) -> None:
    outside = tmp_path / "outside.html"
    outside.write_text("<p>not a page")
    pages = tmp_path / "pages"
    pages.mkdir()
    (pages / "in.html").write_text("<p>a page")
    (pages / "out.html").symlink_to(outside)
    (pages / "run.py").write_text("print()")
    found = Assets(pages)
    assert found.get("in.html") is not None
    assert [found.get(name) for name in ("out.html", "run.py", "../outside.html")] == [None] * 3


async def test_other_pages_have_another_digest(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text("one")
    first = Assets(tmp_path).digest
    assert Assets(tmp_path).digest == first
    (tmp_path / "a.html").write_text("two")
    assert Assets(tmp_path).digest != first


async def test_nothing_else_can_be_done_to_a_page(tmp_path: Path) -> None:
    options = Options(sockets=(tmp_path / "control.sock",), port=0)
    async with console(options, []) as address:
        for method in ("PUT", "DELETE", "OPTIONS", "TRACE", "PATCH", "CONNECT"):
            assert (await asked(address, method, "/")).status in (400, 405)


async def test_it_says_whether_it_hears_its_tables(tmp_path: Path) -> None:
    async with served(tmp_path) as at, at.page():
        found = await at.asked("GET", "/health")
        assert found.status == 200
        assert found.json["ok"] is True
        assert found.json["pages"] == 1
        (table,) = (await at.asked("GET", "/api/tables")).json["tables"]
        assert (table["table"], table["bench"]) == (TABLE, False)
    options = Options(sockets=(tmp_path / "nobody" / "control.sock",), port=0)
    async with console(options, []) as address:
        found = await asked(address, "GET", "/health")
        assert (found.status, found.json["ok"], found.json["lost"]) == (503, False, ["nobody"])


async def test_a_picture_is_there_for_programs_too(tmp_path: Path) -> None:
    async with served(tmp_path) as at:
        found = (await at.asked("GET", f"/api/tables/{TABLE}/picture")).json
        assert (found["table"], found["picture"]["table"]) == (TABLE, TABLE)
        async with at.page() as page:
            seen = (await at.asked("GET", f"/api/tables/{TABLE}/picture")).json["picture"]
            assert seen["seq"] >= found["picture"]["seq"]
            assert page.frames
        assert (await at.asked("GET", "/api/tables/other/picture")).status == 404


async def test_what_a_browser_can_unpack_comes_packed(tmp_path: Path) -> None:
    options = Options(sockets=(tmp_path / "control.sock",), port=0)
    async with console(options, []) as address:
        whole = await asked(address, "GET", "/static/lang/es.json")
        packed = await asked(address, "GET", "/static/lang/es.json", accept_encoding="gzip, br")
        assert "content-encoding" not in whole.headers
        assert packed.headers["content-encoding"] == "gzip"
        assert gzip.decompress(packed.body) == whole.body
        assert len(packed.body) * 3 < len(whole.body)
        assert packed.headers["etag"] != whole.headers["etag"]
        again = await asked(
            address, "GET", "/static/lang/es.json",
            if_none_match=packed.headers["etag"], accept_encoding="gzip",
        )  # fmt: skip
        assert again.status == 304

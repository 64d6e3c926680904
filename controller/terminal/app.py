"""What is served where: the one page, its parts, and its live connection."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import PurePosixPath

import msgspec
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route, WebSocketRoute
from starlette.types import ASGIApp
from starlette.websockets import WebSocket

from controller import __version__
from controller.console.assets import Assets
from controller.console.guard import LIVE, Guard, Own
from controller.console.limits import REQUESTS, Limit
from controller.terminal.bridge import Bridge
from controller.terminal.page import Page, Tablets

PAGE = "terminal.html"


class _Asked:
    def __init__(self, said: Callable[..., None]) -> None:
        self.requests = Limit(REQUESTS, asyncio.get_running_loop().time)
        self.said = said


def application(bridge: Bridge, own: Own, assets: Assets, said: Callable[..., None]) -> ASGIApp:
    served = _Terminal(bridge, assets)
    routes = [
        Route("/", served.page),
        Route("/static/{name:path}", served.static),
        Route("/health", served.health),
        WebSocketRoute(LIVE, served.live),
    ]
    return Guard(Starlette(routes=routes), _Asked(said), own)


class _Terminal:
    def __init__(self, bridge: Bridge, assets: Assets) -> None:
        self._bridge = bridge
        self._assets = assets
        self._tablets = Tablets()

    async def page(self, request: Request) -> Response:
        return self._file(request, PAGE)

    async def static(self, request: Request) -> Response:
        name = request.path_params["name"]
        # The pages of a console are no business of a terminal.
        is_page = PurePosixPath(name).suffix == ".html"
        return Response(status_code=404) if is_page else self._file(request, name)

    def _file(self, request: Request, name: str) -> Response:
        asset = self._assets.get(name)
        if asset is None:
            return Response(status_code=404)
        headers = {"etag": asset.etag, "cache-control": "no-cache", "content-type": asset.kind}
        if request.headers.get("if-none-match") == asset.etag:
            return Response(status_code=304, headers=headers)
        return Response(asset.data, headers=headers)

    async def health(self, request: Request) -> Response:
        """Whether the terminal runs, and hears its table."""
        trouble = self._bridge.trouble()
        found = {
            "ok": trouble is None,
            "terminal": self._bridge.name,
            "table": self._bridge.table,
            "why": "" if trouble is None else trouble.why,
            "next_step": "" if trouble is None else trouble.next_step,
            "version": __version__,
        }
        headers = {"content-type": "application/json", "cache-control": "no-store"}
        return Response(msgspec.json.encode(found), 200 if trouble is None else 503, headers)

    async def live(self, socket: WebSocket) -> None:
        await socket.accept()
        abort = socket.scope["state"]["abort"]
        page = Page(socket, self._bridge, self._assets.digest, abort)
        if not self._tablets.come(page):
            await page.refuse()
            return
        try:
            await page.run()
        finally:
            self._tablets.go(page)

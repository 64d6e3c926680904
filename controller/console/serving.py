"""Serves pages: a socket that listens, uvicorn on it, and what works beside it."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import socket
import ssl
from collections.abc import Callable, Coroutine, Generator, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from ipaddress import ip_address
from pathlib import Path

import uvicorn
from cryptography import x509
from starlette.types import ASGIApp

from controller.console.assets import PAGES
from controller.console.doors import Doors
from controller.console.guard import Own
from controller.rules.faults import Refused

Said = Callable[..., None]
Work = Callable[[], Coroutine[object, object, None]]

PORT = 8400
LOOPBACK = ("127.0.0.1", "localhost", "::1")
#: What a page may say in one frame.
MAX_FRAME = 16 * 1024
MAX_HEAD = 16 * 1024
#: What lies between the console and one browser; a page that does not read has no more than this.
SEND_BUFFER = 256 * 1024
#: Bytes that nobody acknowledges for so long end a connection.
UNREAD_MS = 15_000
PING_S = 20.0
#: So long it waits, before it is ready, for what it has to know first.
KNOWN_S = 5.0


async def _at_once() -> None:
    """Nothing has to be known first."""


@dataclass(frozen=True)
class Options:
    sockets: tuple[Path, ...] = ()
    host: str = LOOPBACK[0]
    port: int = PORT
    #: Ports after it that are tried if it is taken.
    spare_ports: int = 0
    certificate: Path | None = None
    key: Path | None = None
    #: Further names under which browsers reach it.
    names: tuple[str, ...] = ()
    idle_s: Mapping[str, float] = field(default_factory=dict)
    pages: Path = PAGES
    #: Where tables that were not named are looked for, if not where tables usually are.
    run: Path | None = None
    #: The socket of a school that is kept beside it.
    school: Path | None = None


class Served:
    """Refused at once where it can't be served; then ``serve`` something there."""

    def __init__(self, options: Options, said: Said) -> None:
        self._options = options
        self._said = said
        self._tls = _tls(options)
        self._listening = _listening(options)
        port: int = self._listening.getsockname()[1]
        host = "localhost" if _is_any(options.host) else options.host
        shown = f"[{host}]" if ":" in host else host
        self.address = f"{'https' if self._tls else 'http'}://{shown}:{port}/"
        self.own = Own.at(_names(options), port, tls=self._tls is not None)

    def close(self) -> None:
        self._listening.close()

    async def serve(
        self,
        app: ASGIApp,
        work: Work,
        stop: asyncio.Event,
        ready: Callable[[], None],
        known: Work = _at_once,
    ) -> None:
        """Until ``stop``, or until ``work`` ends, which goes on beside it.

        ``ready`` is told when it listens and ``known`` is over; it does not wait long for that.
        """
        doors = Doors(self._said)
        http, live = doors.protocols()
        context = self._tls
        config = uvicorn.Config(
            app,
            http=http,
            ws=live,
            lifespan="off",
            log_config=None,
            access_log=False,
            server_header=False,
            proxy_headers=False,
            h11_max_incomplete_event_size=MAX_HEAD,
            ws_max_size=MAX_FRAME,
            ws_ping_interval=PING_S,
            ws_ping_timeout=PING_S,
            # Pages are near, and what is compressed together with a secret tells of it.
            ws_per_message_deflate=False,
            timeout_keep_alive=5,
            timeout_graceful_shutdown=2,
            ssl_context_factory=None if context is None else lambda *_: context,
        )
        server = _Server(config)
        with _told(self._said):
            working = asyncio.create_task(work(), name="console house")
            serving = asyncio.create_task(
                server.serve(sockets=[self._listening]), name="console server"
            )
            stopping = asyncio.create_task(stop.wait(), name="console stop")
            try:
                while not (server.started or serving.done()):  # noqa: ASYNC110 - nobody tells it
                    await asyncio.sleep(0.01)
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(KNOWN_S):
                        await known()
                ready()
                await asyncio.wait(
                    {working, serving, stopping}, return_when=asyncio.FIRST_COMPLETED
                )
            finally:
                server.should_exit = True
                stopping.cancel()
                working.cancel()
                await asyncio.gather(serving, stopping, working, return_exceptions=True)
        for task in (serving, working):
            if not task.cancelled() and (error := task.exception()) is not None:
                raise error


class _Server(uvicorn.Server):
    """Leaves signals to whoever runs it."""

    @contextlib.contextmanager
    def capture_signals(self) -> Generator[None, None, None]:
        yield


# --- Where it listens ---------------------------------------------------------


def _listening(options: Options) -> socket.socket:
    where = f"--listen {options.host}:{options.port}"
    if not _is_loopback(options.host) and options.certificate is None:
        problem = "others on the network could read PINs, and act"
        step = "give --certificate and --key (felt console certificate makes them), or 127.0.0.1"
        raise Refused(where, problem, step)
    try:
        found = socket.getaddrinfo(
            options.host, options.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )
    except OSError as error:
        raise Refused(where, f"is no address of this PC: {error.strerror}") from None
    family = found[0][0]
    last = ""
    for port in range(options.port, min(65535, options.port + options.spare_ports) + 1):
        made = socket.socket(family, socket.SOCK_STREAM)
        try:
            made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            made.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SEND_BUFFER)
            made.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, UNREAD_MS)
            made.bind((found[0][4][0], port))
            made.listen(128)
            made.setblocking(False)
        except OSError as error:
            made.close()
            last = error.strerror or str(error)
        else:
            return made
    raise Refused(where, f"can't be listened on: {last}", "choose another with --listen")


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _is_any(host: str) -> bool:
    try:
        return ip_address(host).is_unspecified
    except ValueError:
        return False


def _names(options: Options) -> Iterable[str]:
    """Under which a browser may ask: another name that points here is somebody's trick."""
    yield from options.names
    if not _is_any(options.host):
        yield options.host
    if _is_loopback(options.host) or _is_any(options.host):
        yield from LOOPBACK
    if options.certificate is not None:
        yield from certified(options.certificate)


# --- TLS ----------------------------------------------------------------------


def certified(file: Path) -> list[str]:
    """The names and addresses that a certificate is for."""
    try:
        read = x509.load_pem_x509_certificate(file.read_bytes())
        names = read.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    except x509.ExtensionNotFound:
        return []
    except OSError as error:
        raise Refused(str(file), f"can't be read: {error.strerror}") from None
    except ValueError as error:
        raise Refused(str(file), f"is no certificate: {error}") from None
    addresses = [str(one) for one in names.get_values_for_type(x509.IPAddress)]
    return [*names.get_values_for_type(x509.DNSName), *addresses]


def _tls(options: Options) -> ssl.SSLContext | None:
    if options.certificate is None and options.key is None:
        return None
    if options.certificate is None or options.key is None:
        raise Refused("--certificate and --key", "belong together", "give both")
    certified(options.certificate)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    try:
        context.load_cert_chain(options.certificate, options.key)
    except ssl.SSLError as error:
        problem = f"does not go with {options.certificate}: {error.reason}"
        raise Refused(str(options.key), problem) from None
    except OSError as error:
        problem = f"can't be read: {error.strerror}"
        raise Refused(f"{options.certificate}, {options.key}", problem) from None
    return context


# --- What uvicorn says --------------------------------------------------------


class _Handler(logging.Handler):
    def __init__(self, said: Said) -> None:
        super().__init__(logging.WARNING)
        self._said = said

    def emit(self, record: logging.LogRecord) -> None:
        facts: dict[str, object] = {}
        if record.exc_info and record.exc_info[1] is not None:
            error = record.exc_info[1]
            trace = error.__traceback__
            while trace is not None and trace.tb_next is not None:
                trace = trace.tb_next
            if trace is not None:
                code = trace.tb_frame.f_code
                facts["at"] = f"{Path(code.co_filename).name}:{trace.tb_lineno} {code.co_name}"
            facts["error"] = repr(error)
        self._said("server", words=record.getMessage().strip(), **facts)


@contextlib.contextmanager
def _told(said: Said) -> Iterator[None]:
    """Into the console's own log, where repeats are counted, and nowhere else."""
    logger = logging.getLogger("uvicorn.error")
    handler, before = _Handler(said), logger.propagate
    logger.addHandler(handler)
    logger.propagate = False
    try:
        yield
    finally:
        logger.removeHandler(handler)
        logger.propagate = before

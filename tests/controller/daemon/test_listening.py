"""Sockets that somebody else has opened, as systemd hands them over."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import socket
import sys
from pathlib import Path

import pytest

from controller.daemon import secrets
from controller.daemon.configuration import read
from controller.daemon.listening import handed_over
from controller.library import Library
from tests.controller.daemon.house import table_file

KNOWN = frozenset({"metrics"})


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port: int = one.getsockname()[1]
        return port


async def activated(folder: Path, port: int, name: str) -> asyncio.subprocess.Process:
    """felt, started by the first who connects."""
    file = table_file(folder)
    configuration = read(file, Library())
    for device in (*configuration.devices, secrets.FACES):
        secrets.make_key(configuration.secrets, device)
    return await asyncio.create_subprocess_exec(
        "systemd-socket-activate", "-l", f"127.0.0.1:{port}", f"--fdname={name}",
        sys.executable, "-m", "controller", "run", "--config", str(file),
        stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip


async def connected(port: int) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    while True:
        with contextlib.suppress(ConnectionRefusedError):
            return await asyncio.open_connection("127.0.0.1", port)
        await asyncio.sleep(0.05)


async def test_who_asks_for_metrics_before_felt_is_there_is_answered(tmp_path: Path) -> None:
    port = free_port()
    process = await activated(tmp_path, port, "metrics")
    try:
        reader, writer = await connected(port)
        writer.write(b"GET /metrics HTTP/1.1\r\n\r\n")
        answer = (await reader.read()).decode()
        writer.close()
        assert answer.startswith("HTTP/1.1 200 OK")
        assert "felt_phase" in answer
    finally:
        process.send_signal(signal.SIGTERM)
        await process.communicate()


async def test_a_socket_that_felt_does_not_serve_is_refused_with_its_name(tmp_path: Path) -> None:
    port = free_port()
    process = await activated(tmp_path, port, "roulette")
    _, writer = await connected(port)
    _, err = await process.communicate()
    writer.close()
    assert process.returncode == 2
    assert "the socket 'roulette' of systemd: is not a socket that felt serves" in err.decode()
    assert "FileDescriptorName=metrics" in err.decode()


@pytest.mark.parametrize(
    "environment",
    [
        {},
        {"LISTEN_FDS": "1", "LISTEN_PID": "1", "LISTEN_FDNAMES": "metrics"},
        {"LISTEN_FDS": "x", "LISTEN_PID": str(os.getpid())},
        {"LISTEN_FDS": "0", "LISTEN_PID": str(os.getpid())},
    ],
)
def test_what_is_for_others_is_not_taken_and_not_handed_on(environment: dict[str, str]) -> None:
    assert handed_over(KNOWN, environment) == {}
    assert environment == {}

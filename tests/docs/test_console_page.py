"""The page on the console: its commands are taken, its addresses served, its bounds are real."""

from __future__ import annotations

import re
import shlex
import tomllib

import pytest

from controller.cli import parser
from controller.commands.addresses import address_of
from controller.commands.console import _idle
from controller.console import guard, limits, page, sessions
from controller.console.app import FACES_OF_A_TABLE, MAX_PAGES
from controller.console.messages import QUESTIONS, Message
from controller.console.serving import MAX_FRAME
from controller.daemon.configuration import Service
from tests.docs.tried import ROOT

TEXT = (ROOT / "docs" / "console.md").read_text(encoding="utf-8")
COMMANDS = [
    line.partition("#")[0].removeprefix("sudo ").replace("%d/", "")
    for line in re.findall(r"^(?:    |sudo |ExecStart=/usr/bin/)(felt console.*)$", TEXT, re.M)
]


@pytest.mark.parametrize("line", COMMANDS)
def test_a_command_is_taken(line: str) -> None:
    given = parser().parse_args(shlex.split(line)[1:])
    assert address_of(given.listen, 8400)
    _idle(given.idle, tuple(sessions.IDLE_S))


def test_there_are_commands() -> None:
    assert len(COMMANDS) >= 6


def test_the_pages_are_those_that_are_served() -> None:
    named = set(re.findall(r"^\| `/(\w+)/TABLE` \|", TEXT, re.M))
    assert named == set(FACES_OF_A_TABLE)


def test_its_settings_are_those_of_a_table_file() -> None:
    (block,) = re.findall(r"```toml\n(.*?)```", TEXT, re.S)
    found = Service.model_validate(tomllib.loads(block)["service"])
    assert list(found.operators) == ["felt-console"]


def test_what_is_refused_is_what_is_said() -> None:
    table = re.sub(r"\s+", " ", TEXT.partition("## What is refused")[2].partition("\n## ")[0])
    asks, signs, presses = limits.REQUESTS, limits.SIGN_ONS, limits.PRESSES
    for words in (
        f"{asks.burst} at once, then {asks.a_second:.0f} a second",
        f"{signs.burst} at once, then one in {1 / signs.a_second:.0f} s",
        f"{presses.burst} at once, then {presses.a_second:.0f} a second; {page.MAX_TOO_MANY} more",
        f"{MAX_FRAME // 1024} KiB; {guard.MAX_BODY // 1024} KiB, within {guard.BODY_S:.0f} s",
        f"{limits.MAX_CONNECTIONS_EACH} of one address, {limits.MAX_CONNECTIONS} in all; "
        f"{MAX_PAGES} pages; {sessions.MAX_SESSIONS} people",
        f"is let go after {page.SEND_S:.0f} s",
    ):
        assert words in table, words
    for code in (page.SPENT, page.TOO_MANY, page.NOT_READ):
        assert str(code) in TEXT


def test_every_message_of_a_page_is_listed() -> None:
    table = TEXT.partition("| a page says | |")[2].partition("| it is told | |")[0]
    named = {name for cell in re.findall(r"^\| (.+?) \|", table, re.M) for name in cell.split(", ")}
    kinds = {str(one.__struct_config__.tag) for one in Message.__args__}
    assert {name.strip("`") for name in named} - {"---"} == kinds
    for question in QUESTIONS:
        assert question in table

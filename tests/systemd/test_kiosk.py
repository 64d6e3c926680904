"""The screen of a table: the page that it opens is the one that is served, and no other is."""

from __future__ import annotations

import json
import re
from typing import Any
from urllib.parse import urlsplit

import pytest

from controller.cli import parser
from controller.commands import install
from controller.console.app import FACES_OF_A_TABLE
from tests.systemd.test_units import KIOSK, SYSTEMD, settings

POLICY = SYSTEMD / "felt-kiosk.policy.json"


def command() -> list[str]:
    """What the unit starts, in words."""
    text = (SYSTEMD / KIOSK).read_text()
    found = re.search(r"^ExecStart=((?:.*\\\n)*.*)$", text, re.M)
    assert found
    return found[1].replace("\\\n", " ").split()


def policy() -> dict[str, Any]:
    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        names = [name for name, _ in pairs]
        assert len(set(names)) == len(names), "a policy is given twice"
        return dict(pairs)

    found: dict[str, Any] = json.loads(POLICY.read_text(), object_pairs_hook=once)
    return found


def test_it_opens_the_dealers_page_where_the_console_serves_it() -> None:
    address = urlsplit(command()[-1])
    assert (address.scheme, address.netloc) == ("http", parser().parse_args(["console"]).listen)
    assert address.path == "/dealer/%i"
    assert "dealer" in FACES_OF_A_TABLE


def test_what_it_starts_is_there_before_it_starts() -> None:
    words = command()
    started = [words[0], words[words.index("--") + 1]]
    assert started == list(install.SHOWS)
    assert settings("AssertPathExists", KIOSK) == [*started, install.POLICY]


def test_nothing_but_that_page_is_opened() -> None:
    found = policy()
    page = command()[-1].replace("%i", "")
    assert found["URLAllowlist"] == [page]
    assert {"*", "chrome://*", "file://*", "view-source:*"} <= set(found["URLBlocklist"])


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("DeveloperToolsAvailability", 2),
        ("DownloadRestrictions", 3),
        ("PrintingEnabled", False),
        ("AllowFileSelectionDialogs", False),
        ("ExtensionInstallBlocklist", ["*"]),
        ("PasswordManagerEnabled", False),
        ("RemoteDebuggingAllowed", False),
        ("DefaultPopupsSetting", 2),
    ],
)
def test_there_is_no_way_out_of_it(name: str, value: Any) -> None:
    assert policy()[name] == value


def test_policies_are_named_and_valued_as_the_browser_reads_them() -> None:
    for name, value in policy().items():
        assert re.fullmatch(r"[A-Z][A-Za-z]+", name)
        # A one in place of a true would be passed over without a word.
        assert (type(value) is bool) == name.endswith(
            ("Enabled", "Allowed", "Disabled", "Dialogs", "Egg")
        ), name


def test_it_is_a_browser_without_a_frame_that_keeps_nothing() -> None:
    words = command()
    assert "--kiosk" in words
    assert "--no-sandbox" not in words
    kept = next(one for one in words if one.startswith("--user-data-dir=")).partition("=")[2]
    assert settings("RuntimeDirectory", KIOSK) == [kept.removeprefix("/run/")]
    assert "-s" not in words[: words.index("--")]  # no key leads to another screen


def test_it_reaches_nothing_but_the_pages() -> None:
    assert settings("IPAddressDeny", KIOSK) == ["any"]
    assert settings("IPAddressAllow", KIOSK) == ["localhost"]
    (hidden,) = settings("InaccessiblePaths", KIOSK)
    assert {"-/etc/felt", "-/var/lib/felt", "-/run/felt"} <= set(hidden.split())
    assert settings("User", KIOSK) != settings("User", "felt-console.service")


def test_it_comes_back_by_itself() -> None:
    assert settings("Restart", KIOSK) == ["always"]
    assert settings("StartLimitIntervalSec", KIOSK) == ["0"]

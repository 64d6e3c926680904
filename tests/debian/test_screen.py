"""The pages and the screen under a real systemd, on a PC whose display nobody sees."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from debian.build import ROOT
from tests.debian import booted
from tests.debian.test_service import TABLE, line

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(bool(why := booted.why_not()), reason=why or "it can be"),
]
#: What the screen of a table needs beside felt: docs/install.md.
SHOWS = ("cage", "chromium", "Xwayland")
#: What the page says of tablets, as it stands there.
TABLETS = re.findall(
    r"<!-- booted -->\n\n```sh\n(.*?)```",
    (ROOT / "docs/console.md").read_text(encoding="utf-8"),
    re.S,
)
#: A display that is only computed, and no seat: for the rest the unit is as it is installed.
HEADLESS = """
[Unit]
ConditionPathExists=
[Service]
PAMName=
TTYPath=
StandardInput=null
TTYReset=no
TTYVHangup=no
TTYVTDisallocate=no
Environment=WLR_BACKENDS=headless WLR_RENDERER=pixman WLR_LIBINPUT_NO_DEVICES=1
Environment=XDG_RUNTIME_DIR=/run/felt-kiosk/one
"""
SCRIPT = """
cat >/out/one.toml <<'TABLE'
{table}
TABLE
systemd-sysusers felt.conf
felt install --root / /out/one.toml
systemctl daemon-reload
systemctl start felt-console && echo "console: $(systemctl show felt-console -p ActiveState,StatusText | tr '\\n' ' ')"
page() {{ python3 - "$@" <<'PYTHON'
import sys, urllib.request, urllib.error
asked = urllib.request.Request("http://127.0.0.1:8400" + sys.argv[1], headers={{"Accept": "text/html"}})
try:
    print(urllib.request.urlopen(asked).status)
except urllib.error.HTTPError as error:
    print(error.code)
PYTHON
}}
echo "before: $(page /dealer/one)"
systemctl start felt@one
for _ in $(seq 100); do [ "$(page /dealer/one)" = 200 ] && break; sleep 0.2; done
echo "after: $(page /dealer/one)"
echo "user: $(ps -o user= -p "$(systemctl show felt-console -p MainPID --value)")"
ip addr add 192.0.2.4/32 dev lo
sudo() {{ "$@"; }}
{tablets}
echo "tablets: $(systemctl show felt-tablets -p ActiveState,StatusText | tr '\n' ' ')"
echo "secure: $(python3 - <<'PYTHON'
import ssl, urllib.request
trusted = ssl.create_default_context(cafile="/etc/felt/console/authority.pem")
print(urllib.request.urlopen("https://192.0.2.4:8443/dealer/one", context=trusted).status)
PYTHON
)"
echo "both: $(page /dealer/one)"
pages() {{ python3 -c 'import urllib.request, json; print(json.load(urllib.request.urlopen("http://127.0.0.1:8400/health"))["pages"])' 2>/dev/null || echo 0; }}
{screen}
"""  # noqa: E501
SCREEN = """
felt install --kiosk --root / /out/one.toml
mkdir -p /etc/systemd/system/felt-kiosk@one.service.d
cat >/etc/systemd/system/felt-kiosk@one.service.d/headless.conf <<'DROP'
{headless}
DROP
systemctl daemon-reload
systemctl start felt-kiosk@one
for _ in $(seq 300); do [ "$(pages)" = 1 ] && break; sleep 0.2; done
echo "pages: $(pages)"
echo "screen: $(systemctl show felt-kiosk@one -p ActiveState,NRestarts | tr '\\n' ' ')"
pkill -KILL -u felt-kiosk chromium || true
for _ in $(seq 300); do
    [ "$(systemctl show felt-kiosk@one -p NRestarts --value)" -ge 1 ] && [ "$(pages)" = 1 ] && break
    sleep 0.2
done
echo "again: $(pages)"
journalctl -u felt-kiosk@one --no-pager 2>/dev/null | tail -5 || true
"""


@pytest.fixture(scope="module")
def said(deb: Path, tmp_path_factory: pytest.TempPathFactory) -> str:
    screen = SCREEN.format(headless=HEADLESS) if all(map(shutil.which, SHOWS)) else ""
    table = TABLE.format(id="one", group="felt")
    script = SCRIPT.format(table=table, tablets="\n".join(TABLETS), screen=screen)
    return booted.said(script, deb, tmp_path_factory.mktemp("booted"), within_s=300)


def test_the_pages_are_served_as_a_user_of_their_own(said: str) -> None:
    assert "ActiveState=active" in line(said, "console")[0]
    assert "http://127.0.0.1:8400/" in line(said, "console")[0]
    assert line(said, "user") == ["felt-console"] or re.search("felt-co", line(said, "user")[0])


def test_tablets_are_served_as_the_page_says(said: str) -> None:
    assert len(TABLETS) == 2
    assert "ActiveState=active" in line(said, "tablets")[0]
    assert "https://192.0.2.4:8443/" in line(said, "tablets")[0]
    assert line(said, "secure") == ["200"]
    assert line(said, "both") == ["200"]  # and this PC's own screen is served as before


def test_a_screen_waits_for_a_table_that_is_not_there_yet(said: str) -> None:
    assert line(said, "before") == ["404"]
    assert line(said, "after") == ["200"]


@pytest.mark.skipif(not all(map(shutil.which, SHOWS)), reason=f"needs {', '.join(SHOWS)}")
def test_the_screen_shows_the_page_and_comes_back_when_its_browser_dies(said: str) -> None:
    assert line(said, "pages") == ["1"]
    assert "ActiveState=active" in line(said, "screen")[0]
    assert line(said, "again") == ["1"]

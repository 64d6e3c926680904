"""The unit under a real systemd: a table that starts, is watched, and comes back."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.debian import booted

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(bool(why := booted.why_not()), reason=why or "it can be"),
]

TABLE = """
id = "{id}"
rulebook = "pa-639a"
method = "automated shoe"
decks = 1
ante = {{ least = 500, most = 50_000 }}

[devices]
shuffler = {{ counts = true }}

[options]
seats = 2
adjacent_boxes = 1
bonus = "B"

[service]
control_group = "{group}"

[wires.rack]
serial = "/dev/felt/none"
devices = ["shuffler", "shoe", "panel"]
"""

#: Of a table that was laid out before there were sealed keys.
AUDITORS = "ab" * 32

SCRIPT = """
cat >/out/one.toml <<'TABLE'
{one}
TABLE
cat >/out/two.toml <<'TABLE'
{two}
TABLE
shown=ActiveState,NRestarts,StatusText,ExecMainStatus
state() {{ systemctl show "felt@$1" -p "$shown" | tr '\\n' ' '; }}
restarts() {{ systemctl show "felt@$1" -p NRestarts --value; }}
owner() {{ stat -c '%a %U' /var/lib/felt/one/journal.db; }}
felt install --root / /out/one.toml
install -d -m 700 /etc/felt/secrets/two
printf '%s\n' {auditors} >/etc/felt/secrets/two/faces.key
felt install --root / /out/two.toml
echo "plain: $(ls /etc/felt/secrets/one /etc/felt/secrets/two | grep -c -e rounds.key -e faces.key)"
echo "kept: $(systemd-creds decrypt --name=faces.key /etc/felt/sealed/two/faces.key -)"
systemctl daemon-reload
systemctl start felt@one && echo "started: $(state one)"
felt status --table /etc/felt/tables/one.toml
felt doctor --table /etc/felt/tables/one.toml | grep ' seals: ' | sed 's/^/doctor: /'
echo "round: $(stat -c '%a %U' /var/lib/felt/one/round.key)"
echo "owner: $(owner)"
echo "socket: $(stat -c '%a %G' /run/felt/one/control.sock)"
systemctl start felt@two && echo "second: $(state two)"
echo "owner: $(owner)"
kill -STOP "$(systemctl show felt@one -p MainPID --value)"
for _ in $(seq 150); do
    [ "$(restarts one)" = 1 ] && systemctl -q is-active felt@one && break
    sleep 0.2
done
echo "watched: $(state one)"
systemctl stop felt@one && echo "stopped: $(state one)"
felt verify /var/lib/felt/one/journal.db
sed -i 's/seats = 2/seats = 99/' /etc/felt/tables/two.toml
systemctl restart felt@two
sleep 3
echo "refused: $(state two)"
"""


@pytest.fixture(scope="module")
def said(deb: Path, tmp_path_factory: pytest.TempPathFactory) -> str:
    tables = {
        name: TABLE.format(id=name, group=group)
        for name, group in (("one", "dialout"), ("two", ""))
    }
    script = SCRIPT.format(**tables, auditors=AUDITORS)
    return booted.said(script, deb, tmp_path_factory.mktemp("booted"), within_s=600)


def line(said: str, name: str) -> list[str]:
    return re.findall(rf"^{name}: (.*?) ?$", said, re.M)


def test_it_is_ready_when_it_says_so(said: str) -> None:
    (started,) = line(said, "started")
    assert "ActiveState=active" in started
    assert "StatusText=round 0, closed" in started
    # Whoever asks is answered, and told what is missing and what to do about it.
    assert re.search(r"^ +shuffler, shoe, panel +absent .*/dev/felt/none is not there$", said, re.M)


def test_its_files_are_its_own_also_when_another_table_starts(said: str) -> None:
    assert "ActiveState=active" in line(said, "second")[0]
    first, after = line(said, "owner")
    assert first == after
    assert re.fullmatch("600 (?!root).+", first)


@pytest.mark.rule("R12")
def test_no_key_of_faces_lies_in_plain_and_the_service_has_it_all_the_same(said: str) -> None:
    assert line(said, "plain") == ["0"]
    assert line(said, "kept") == [AUDITORS]
    assert "lie in plain" not in said
    assert re.fullmatch("600 (?!root).+", line(said, "round")[0])
    # A container has no TPM, and is told so.
    assert "seals: the key of faces is sealed by this PC's own key" in line(said, "doctor")[0]


def test_its_group_may_connect(said: str) -> None:
    assert line(said, "socket") == ["660 dialout"]


def test_one_that_hangs_is_started_again_and_nothing_is_lost(said: str) -> None:
    (watched,) = line(said, "watched")
    assert "ActiveState=active" in watched
    assert "NRestarts=1" in watched
    assert "ActiveState=inactive" in line(said, "stopped")[0]
    assert re.search(r"^sound$", said, re.M)


def test_a_refused_file_is_said_once_and_not_tried_for_ever(said: str) -> None:
    (refused,) = line(said, "refused")
    assert "ActiveState=failed" in refused
    assert "ExecMainStatus=2" in refused
    assert "NRestarts=0" in refused

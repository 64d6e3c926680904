"""Pages for whoever installs felt, followed word for word on a Debian 12 that was made for it.

The blocks are taken from the pages, all of them: what can't be followed here says on the page what
it needs. Nothing stands in for anything: it is the package, systemd, sudo and mosquitto.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from debian.build import ROOT
from tests.debian import booted, fresh
from tests.debian.fresh import Block, Followed, blocks

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(bool(why := fresh.why_not()), reason=why or "it can be"),
]

INSTALL = "docs/install.md"
BROKER = "apt install mosquitto"


def boot(
    steps: list[Block | str], deb: Path, folder: Path, brought: Path | None = None
) -> dict[str, Followed]:
    """``brought`` is what whoever follows the page has with them, in /out."""
    if brought is not None:
        brought.rename(folder / "out")
    script = fresh.PREPARED + "\n".join(map(str, steps))
    said = booted.said(script, deb, folder, within_s=900, system=fresh.SYSTEM)
    found = fresh.followed(said)
    assert len(found) == len([one for one in steps if isinstance(one, Block)]), said
    return found


def text_of(page: str) -> str:
    return (ROOT / page).read_text(encoding="utf-8")


def of(page: str) -> list[Block]:
    return [one for one in blocks(page) if not one.needs]


def one_with(page: str, words: str) -> Block:
    (found,) = (one for one in blocks(page) if words in one.commands)
    return found


def check(found: dict[str, Followed], steps: list[Block]) -> None:
    for one in steps:
        code, said = found[one.name]
        assert code in one.codes, f"{one.commands}\n{said}"
        assert "Traceback" not in said


# --- The page on installing, from its first line to its last ------------------------


@pytest.fixture(scope="module")
def installed(deb: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Followed]:
    steps = [one for one in of(INSTALL) if BROKER not in one.commands]
    at = steps.index(one_with(INSTALL, "systemctl clean"))
    left = Block("left", "sudo find / -xdev -path /proc -prune -o -name '*rehearsal*' -print", "")
    steps.insert(at + 1, left._replace(commands=f"{left.commands}\n"))
    return boot([*steps], deb, tmp_path_factory.mktemp("installed"))


def test_every_block_does_what_the_page_says(installed: dict[str, Followed]) -> None:
    check(installed, [one for one in of(INSTALL) if BROKER not in one.commands])


def test_the_installed_service_comes_to_ready_and_plays_a_round(
    installed: dict[str, Followed],
) -> None:
    said = installed[one_with(INSTALL, "felt rehearse table.toml --out").name].said
    assert "Ready: all 18 devices are there, and all is well" in said
    assert "Round 1 is over, its cards are racked" in said


def test_of_a_rehearsal_nothing_is_left_but_what_lies_in_ones_own_folder(
    installed: dict[str, Followed],
) -> None:
    left = [one for one in installed["left"].said.splitlines() if "/usr/" not in one]
    assert left == ["/home/tech/rehearsal.toml"]


def test_before_the_first_start_the_doctor_misses_ports_and_nothing_else(
    installed: dict[str, Followed],
) -> None:
    said = installed[one_with(INSTALL, "felt doctor").name].said
    failed = [line.split()[1:3] for line in said.splitlines() if line.startswith("fail")]
    assert failed == [["wire", f"{one}:"] for one in ("rack", "panel", "acceptors")]
    assert "/etc/udev/rules.d/71-felt-ports.rules" in said


# --- A broker of one's own, and a terminal at it ------------------------------------

#: What the page has written by hand.
EDITED = """
cd /home/tech
cat >settings <<'SETTINGS'
{settings}SETTINGS
sed -i -e '/^mqtt = "embedded"/{{r settings' -e 'd}}' table.toml
"""


@pytest.fixture(scope="module")
def with_broker(deb: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Followed]:
    every = of(INSTALL)
    at = next(n for n, one in enumerate(every) if BROKER in one.commands)
    (settings,) = re.findall(r"```toml\n(.*?)```", text_of(INSTALL), re.S)
    start = one_with(INSTALL, "systemctl enable --now felt@")
    again = every[at]._replace(name="again")
    half = Block("half", "sudo rm /etc/mosquitto/felt/passwords\n", "")
    steps: list[Block | str] = [
        *every[: at + 1],
        half,
        again,
        EDITED.format(settings=settings),
        every[at + 1],
        start,
    ]
    steps += [Block("waits", until("it does not answer"), "")]
    steps += [Block("status", "sudo felt status --json\n", "finds faults")]
    # The tablet is this PC: what is brought to it has no way to go.
    (unit,) = re.findall(r"```ini\n(.*?)```", text_of("docs/terminal.md"), re.S)
    steps += [Block("terminal", TABLET.format(unit=unit), "")]
    steps += [Block("there", until('"device": "terminal 1", "status": "degraded"'), "")]
    return boot(steps, deb, tmp_path_factory.mktemp("broker"))


#: As the page on the terminal has it: three files, and a unit.
TABLET = """
sudo install -m 400 /etc/felt/secrets/pa-639a-1/terminal-1.key /etc/felt/
sudo install -m 400 /etc/mosquitto/felt/secrets/pa-639a-1/terminal-1.password /etc/felt/
sudo tee /etc/systemd/system/felt-terminal.service >/dev/null <<'UNIT'
{unit}UNIT
sudo systemctl enable --now felt-terminal
"""


def until(words: str) -> str:
    """Wait for what felt says of its devices; it is not there at once."""
    return f"""
for _ in $(seq 300); do
    sudo felt status --json >status.json || true
    tr -s ' \\n' ' ' <status.json | grep -qF '{words}' && exit 0
    sleep 0.2
done
cat status.json
exit 1
"""


def test_the_broker_of_the_page_lets_felt_in(with_broker: dict[str, Followed]) -> None:
    every = of(INSTALL)
    at = next(n for n, one in enumerate(every) if BROKER in one.commands)
    check(with_broker, every[: at + 2])
    assert with_broker["waits"].code == 0, with_broker["waits"].said
    status = json.loads(with_broker["status"].said)
    terminal = next(one for one in status["devices"] if one["device"] == "terminal 1")
    assert terminal["reason"] == "it does not answer", terminal


def test_a_set_up_that_was_interrupted_is_finished_by_the_next(
    with_broker: dict[str, Followed],
) -> None:
    """felt's own account was gone; the second try says so no more, and felt gets in."""
    assert with_broker["again"].code == 0
    assert "pa-639a-1/felt: its password is in" in with_broker["again"].said


def test_a_tablet_is_a_terminal_as_its_page_says(with_broker: dict[str, Followed]) -> None:
    assert with_broker["terminal"].code == 0, with_broker["terminal"].said
    # Nobody has approved what it is: the page says where.
    assert with_broker["there"].code == 0, with_broker["there"].said


# --- The pages, a rulebook of one's own, and a broker to look at --------------------

CONSOLE, MQTT = "docs/console.md", "docs/mqtt.md"
#: What is written into the table file by hand; a page that is served.
SERVED = """
cd /home/tech
cat >>table.toml <<'SETTINGS'
{settings}SETTINGS
"""
ASKS = """
for _ in $(seq 100); do
    python3 - <<'PYTHON' && exit 0
import urllib.request
print(urllib.request.urlopen("http://127.0.0.1:8400/health").read().decode())
PYTHON
    sleep 0.2
done
exit 1
"""
#: A rulebook as an operator would have it: the file of one that felt ships, under a name of theirs.
OF_THE_HOUSE = """
mkdir -p mine
cp "$(find /usr/lib/felt -name pa-639a.toml -path '*rulebooks*')" mine/house.toml
sed -i '0,/^id = .*/s//id = "house"/' mine/house.toml
sed -e 's/^rulebook = .*/rulebook = "house"/' -e '0,/^id = .*/s//id = "two"/' \
    -e 's|/dev/felt/|/dev/felt/two-|' -e 's/"embedded"/"embedded:1885"/' table.toml >two.toml
sudo felt install --rulebooks mine two.toml
sudo systemctl daemon-reload
sudo systemctl start felt@two
systemctl is-active felt@two
felt check /etc/felt/tables/two.toml
sudo systemctl stop felt@two
"""


@pytest.fixture(scope="module")
def served(deb: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Followed]:
    package, table, laid = of(INSTALL)[:3]
    (settings,) = re.findall(r"```toml\n(.*?)```", text_of(CONSOLE), re.S)
    # One that looks on for ever leaves after what is kept there.
    asked = [
        one._replace(commands=one.commands.rstrip() + " -C 1 -W 60\n")
        if "mosquitto_sub" in one.commands
        else one
        for one in of(MQTT)
    ]
    said = Block("said", SAID, "")
    pages = of(CONSOLE)
    house = Block("house", OF_THE_HOUSE, "")
    steps: list[Block | str] = [
        package,
        table,
        laid,
        house,
        SERVED.format(settings=settings),
        *pages,
    ]
    steps += [Block("asks", ASKS, ""), asked[0], said, *asked[1:]]
    return boot(steps, deb, tmp_path_factory.mktemp("served"))


#: What a device of the table on the page says, so that there is something to be seen.
SAID = """
cd /etc/mosquitto
sudo sh -c 'mosquitto_pub -h 127.0.0.1 -p 8883 --cafile felt/ca.pem -u table-12/sign \
    -P "$(cat felt/secrets/table-12/sign.password)" -t felt/table-12/sign/status -m here -r -q 1'
"""


def test_the_pages_are_served_as_their_page_says(served: dict[str, Followed]) -> None:
    check(served, of(CONSOLE))
    assert served["asks"].code == 0, served["asks"].said


def test_a_rulebook_of_the_house_is_where_the_service_finds_it(served: dict[str, Followed]) -> None:
    assert served["house"].code == 0, served["house"].said
    assert "/etc/felt/rulebooks/house.toml" in served["house"].said
    assert "table two: Caribbean Stud Poker" in served["house"].said


def test_the_broker_can_be_looked_at_as_its_page_says(served: dict[str, Followed]) -> None:
    check(served, of(MQTT)[:2])
    assert "felt/table-12/sign/status here" in served[of(MQTT)[1].name].said


# --- The first page of all --------------------------------------------------------


def test_a_fresh_machine_runs_a_table_as_the_readme_says(
    deb: Path, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    brought = tmp_path_factory.mktemp("readme") / "out"
    source, wheels = brought / "felt", brought / "wheels"
    for name in ("controller", "drivers", "simulators", "config", "systemd"):
        shutil.copytree(ROOT / name, source / name)
    for name in ("Makefile", "README.md", "LICENSE", "pyproject.toml", "constraints.txt"):
        shutil.copy(ROOT / name, source)
    pip = [sys.executable, "-m", "pip", "download", "--quiet", "--dest", str(wheels)]
    pip += ["--constraint", str(ROOT / "constraints.txt"), str(source), "hatchling", "editables"]
    subprocess.run(pip, check=True)
    (lines,) = re.findall(
        r"^    sudo apt install .+\n    make run .+\n", text_of("README.md"), re.M
    )
    install, run = (line.strip() for line in lines.splitlines())
    commands = RUN.format(install=install, run=run.partition("#")[0].strip())
    found = boot([Block("readme", commands, "")], deb, tmp_path, brought)
    assert found["readme"].code == 0, found["readme"].said


#: There is no network: what pip would fetch is in a folder. Until the address answers.
RUN = """
cp -r /out/felt felt
cd felt
{install}
export PIP_NO_INDEX=1 PIP_FIND_LINKS=/out/wheels
{run} >run.log 2>&1 &
for _ in $(seq 900); do
    address=$(grep -o 'http://127.0.0.1:[0-9]*/' run.log | head -1 || true)
    if [ -n "$address" ] && python3 -c "import urllib.request as u; u.urlopen('$address')"; then
        exit 0
    fi
    kill -0 $! || break
    sleep 0.2
done
cat run.log
exit 1
"""

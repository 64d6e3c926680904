"""``felt install``: everything in its place, nothing of anybody's overwritten, and what is next."""

from __future__ import annotations

import contextlib
import io
import os
import re
import shutil
import stat
import subprocess
from pathlib import Path
from typing import NamedTuple

import pytest

from controller import library
from controller.cli import main
from controller.commands import install, program
from controller.commands.layout import NOTED, Layout
from controller.daemon import secrets
from controller.daemon.configuration import read
from controller.library import OF_THIS_PC, Library, shipped
from tests.controller.commands.wired import ID, table_file

SYSTEMD = Path(__file__).parents[3] / "systemd"


class Ran(NamedTuple):
    code: int
    out: str
    error: str


def felt(*words: str | Path) -> Ran:
    out, error = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(error):
        code = main(["install", *map(str, words)])
    return Ran(code, out.getvalue(), error.getvalue())


def laid(root: Path, *words: str | Path) -> str:
    done = felt("--root", root, *words)
    assert (done.code, done.error) == (0, "")
    return done.out


def files(root: Path) -> dict[str, tuple[bytes, int]]:
    return {
        f"/{file.relative_to(root)}": (file.read_bytes(), stat.S_IMODE(file.stat().st_mode))
        for file in root.rglob("*")
        if file.is_file()
    }


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "root"


def test_all_that_the_service_needs_is_laid_out(tmp_path: Path, root: Path) -> None:
    table = table_file(tmp_path)
    said = laid(root, table)
    found = files(root)
    assert found[f"/etc/felt/tables/{ID}.toml"] == (table.read_bytes(), 0o644)
    for name, path in (
        ("felt@.service", "/etc/systemd/system/felt@.service"),
        ("felt-console.service", "/etc/systemd/system/felt-console.service"),
        ("felt.sysusers.conf", "/etc/sysusers.d/felt.conf"),
        ("felt.tmpfiles.conf", "/etc/tmpfiles.d/felt.conf"),
        ("70-felt.rules", "/etc/udev/rules.d/70-felt.rules"),
        ("71-felt-ports.rules", "/etc/udev/rules.d/71-felt-ports.rules"),
    ):
        assert found[path] == ((SYSTEMD / name).read_bytes(), 0o644)
    for step in ("systemctl daemon-reload", "udevadm control --reload", f"enable --now felt@{ID}"):
        assert step in said


def test_every_device_that_proves_itself_gets_a_key_of_its_own(tmp_path: Path, root: Path) -> None:
    laid(root, table_file(tmp_path))
    folder = root / "etc/felt/secrets" / ID
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    names = {file.name for file in folder.iterdir()}
    assert len(names) == 2 + 7 + 7 + 2
    assert {"shoe.key", "acceptor-7.key", "faces.key", "heads.key"} <= names
    assert "panel.key" not in names  # off the shelf: it knows no keys
    keys = {secrets.key(folder, name.removesuffix(".key")) for name in names}
    assert len(keys) == len(names)
    assert {stat.S_IMODE(file.stat().st_mode) for file in folder.iterdir()} == {0o400}


def test_a_second_time_nothing_changes(tmp_path: Path, root: Path) -> None:
    table = table_file(tmp_path)
    laid(root, table)
    before = files(root)
    said = laid(root, table)
    assert files(root) == before
    assert not re.search(r"^  (write|make|replace|keep)", said, re.M)
    assert "daemon-reload" not in said


def test_what_somebody_changed_is_kept_and_the_new_one_lies_beside_it(
    tmp_path: Path, root: Path
) -> None:
    table = table_file(tmp_path)
    laid(root, table)
    unit = root / "etc/systemd/system/felt@.service"
    unit.write_text("# mine\n")
    said = laid(root, table)
    assert unit.read_text() == "# mine\n"
    new = unit.with_name("felt@.service.new")
    assert new.read_bytes() == (SYSTEMD / "felt@.service").read_bytes()
    assert "it was changed; the new one is /etc/systemd/system/felt@.service.new" in said
    assert "look at /etc/systemd/system/felt@.service.new" in said


def test_what_nobody_changed_is_replaced_by_a_newer_one(tmp_path: Path, root: Path) -> None:
    table = table_file(tmp_path)
    laid(root, table)
    table.write_text(table.read_text() + "\n# a word more\n")
    said = laid(root, table)
    assert (root / f"etc/felt/tables/{ID}.toml").read_bytes() == table.read_bytes()
    assert not list(root.rglob("*.new"))
    assert f"close the table, then systemctl restart felt@{ID}" in said


def test_names_for_ports_are_written_once_and_then_theirs(tmp_path: Path, root: Path) -> None:
    table = table_file(tmp_path)
    laid(root, table)
    ports = root / install.PORTS.lstrip("/")
    ports.write_text("# my ports\n")
    said = laid(root, table)
    assert ports.read_text() == "# my ports\n"
    assert not list(root.rglob("*.new"))
    assert "look at" not in said


def test_the_note_of_what_was_put_can_be_checked_by_others(tmp_path: Path, root: Path) -> None:
    laid(root, table_file(tmp_path))
    noted = (root / NOTED.lstrip("/")).read_text().replace("  /", f"  {root}/")
    check = ["sha256sum", "--strict", "-c", "-"]
    done = subprocess.run(check, input=noted, text=True, capture_output=True, check=False)
    assert done.returncode == 0
    assert len(done.stdout.splitlines()) == 6


def test_dry_nothing_is_touched_and_the_same_is_said(tmp_path: Path, root: Path) -> None:
    table = table_file(tmp_path)
    dry = laid(root, "--dry-run", table)
    assert not root.exists()
    assert dry.startswith("Would do, below ")
    assert dry.splitlines()[1:] == laid(root, table).splitlines()[1:]


def test_a_package_brings_its_own_files(tmp_path: Path, root: Path) -> None:
    brought = (install.UNIT, install.CONSOLE, install.USERS, install.TMPFILES, install.RULES)
    for _, packaged, _, name in brought:
        (root / packaged.lstrip("/")).mkdir(parents=True, exist_ok=True)
        (root / packaged.lstrip("/") / name).write_text("the package's\n")
    said = laid(root, table_file(tmp_path))
    assert not (root / "etc/systemd/system").exists()
    assert "there     /usr/lib/systemd/system/felt@.service" in said


def test_a_unit_of_before_the_package_is_pointed_out(tmp_path: Path, root: Path) -> None:
    table = table_file(tmp_path)
    laid(root, table)
    (root / "usr/lib/systemd/system").mkdir(parents=True)
    (root / "usr/lib/systemd/system/felt@.service").write_text("the package's\n")
    assert "it stands before /usr/lib/systemd/system/felt@.service" in laid(root, table)


# --- What one table needs -----------------------------------------------------


def drop_in(root: Path) -> Path:
    return root / f"etc/systemd/system/felt@{ID}.service.d/table.conf"


@pytest.mark.parametrize("broker", ["embedded", "localhost:1883", "127.0.0.1"])
def test_a_broker_on_this_pc_needs_nothing(tmp_path: Path, root: Path, broker: str) -> None:
    said = laid(root, table_file(tmp_path, broker=broker))
    assert not drop_in(root).exists()
    assert "IPAddressAllow" not in said


def test_a_broker_elsewhere_and_a_group_are_allowed_for_this_table(
    tmp_path: Path, root: Path
) -> None:
    more = f'user = "{ID}/felt"'
    service = 'control_group = "pit"'
    table = table_file(tmp_path, broker="192.0.2.4:8883", more=more, service=service)
    said = laid(root, table)
    assert f"put the broker's password for this table into /etc/felt/secrets/{ID}/" in said
    text = drop_in(root).read_text()
    assert "\nIPAddressAllow=192.0.2.4\n" in text
    assert "\nSupplementaryGroups=pit\n" in text
    # As systemd reads it, with the unit that it belongs to.
    units = root / "etc/systemd/system"
    unit = units / "felt@.service"
    unit.write_text(unit.read_text().replace("/usr/bin/felt", "/bin/true"))
    shutil.copy(unit, units / f"felt@{ID}.service")
    command = ["systemd-analyze", "verify", "--man=no", str(units / f"felt@{ID}.service")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    # Back on this PC, nothing more is allowed than before.
    laid(root, table_file(tmp_path))
    assert "=" not in drop_in(root).read_text()


def test_where_the_pages_may_connect_they_are_started_too(tmp_path: Path, root: Path) -> None:
    assert "felt-console" not in laid(root, table_file(tmp_path)).partition("Next:")[2]
    service = f'control_group = "{install.CONSOLE_GROUP}"'
    said = laid(root, table_file(tmp_path, service=service))
    assert "systemctl enable --now felt-console" in said


def test_a_screen_is_laid_out_where_there_is_one(tmp_path: Path, root: Path) -> None:
    table = table_file(tmp_path)
    assert "kiosk" not in laid(root, table)
    assert not [name for name in files(root) if "kiosk" in name or "chromium" in name]
    said = laid(root, "--kiosk", table)
    found = files(root)
    unit = (SYSTEMD / "felt-kiosk@.service").read_bytes()
    assert found["/etc/systemd/system/felt-kiosk@.service"] == (unit, 0o644)
    policy = (SYSTEMD / "felt-kiosk.policy.json").read_bytes()
    assert found[install.POLICY] == (policy, 0o644)
    steps = said.partition("Next:")[2]
    assert "apt install cage chromium" in steps
    assert f"systemctl enable --now felt-kiosk@{ID}" in steps
    for shows in install.SHOWS:
        (root / shows.lstrip("/")).parent.mkdir(parents=True, exist_ok=True)
        (root / shows.lstrip("/")).touch()
    assert "apt install" not in laid(root, "--kiosk", table)


def test_a_broker_by_its_name_is_for_a_person_to_allow(tmp_path: Path, root: Path) -> None:
    said = laid(root, table_file(tmp_path, broker="broker.local:8883"))
    assert "allow the addresses of broker.local" in said


# --- What is refused ----------------------------------------------------------


def refused(table: Path, root: Path) -> str:
    done = felt("--root", root, table)
    assert done.code == 2
    assert not root.exists()
    return done.error


@pytest.mark.parametrize("name", ["state", "runtime", "secrets"])
def test_a_folder_that_the_unit_would_not_have_is_refused(
    tmp_path: Path, root: Path, name: str
) -> None:
    said = refused(table_file(tmp_path, service=f'{name} = "/srv/felt"'), root)
    assert f"service.{name}: the service has a folder of its own, and can't use /srv/felt" in said


def test_the_folders_of_the_unit_may_be_said(tmp_path: Path, root: Path) -> None:
    laid(root, table_file(tmp_path, service=f'state = "/var/lib/felt/{ID}"'))


def test_a_name_that_makes_no_user_is_refused(tmp_path: Path, root: Path) -> None:
    table = table_file(tmp_path)
    table.write_text(table.read_text().replace(f'"{ID}"', f'"{"a" * 27}"'))
    assert "is too long for a user's name; at most 26 characters" in refused(table, root)


def test_a_table_without_wires_is_refused(tmp_path: Path, root: Path) -> None:
    table = table_file(tmp_path)
    table.write_text(table.read_text().partition("[wires.")[0])
    assert "acceptor 1 to 7, terminal 1 to 7, and no wire carries them" in refused(table, root)


def test_what_the_system_refuses_names_the_place(tmp_path: Path, root: Path) -> None:
    root.mkdir()
    (root / "etc").write_text("not a folder")
    done = felt("--root", root, table_file(tmp_path))
    assert done.code == 2
    assert "/etc/felt: can't be written: Not a directory; run it as root" in done.error


# --- A rulebook of the operator's own -------------------------------------------


def of_the_house(folder: Path) -> tuple[Path, Path]:
    """A folder with a rulebook that felt does not bring, and a table that plays by it."""
    books = folder / "mine"
    books.mkdir()
    text = (shipped("rulebooks") / "pa-639a.toml").read_text()
    (books / "house.toml").write_text(text.replace('id = "pa-639a"', 'id = "house"', 1))
    table = table_file(folder)
    table.write_text(table.read_text().replace('rulebook = "pa-639a"', 'rulebook = "house"'))
    return books, table


def test_a_rulebook_of_ones_own_goes_where_the_service_finds_it(
    tmp_path: Path, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    books, table = of_the_house(tmp_path)
    said = laid(root, "--rulebooks", books, table)
    assert f"write     {OF_THIS_PC}/house.toml" in said
    put = root / str(OF_THIS_PC).lstrip("/")
    assert (put / "house.toml").read_text() == (books / "house.toml").read_text()
    # From then on nobody has to name the folder: not the service, and not whoever installs again.
    monkeypatch.setattr(library, "OF_THIS_PC", put)
    assert read(table, Library()).terms.ruleset.rulebook.id == "house"
    laid(root, table)


def test_a_new_edition_of_it_asks_for_a_restart(tmp_path: Path, root: Path) -> None:
    books, table = of_the_house(tmp_path)
    laid(root, "--rulebooks", books, table)
    assert "systemctl restart" not in laid(root, "--rulebooks", books, table)
    with (books / "house.toml").open("a") as file:
        file.write("# Another edition.\n")
    said = laid(root, "--rulebooks", books, table)
    assert f"replace  {OF_THIS_PC}/house.toml" in said
    assert f"systemctl restart felt@{ID}" in said


def test_a_rulebook_that_felt_brings_is_not_laid_out(tmp_path: Path, root: Path) -> None:
    laid(root, table_file(tmp_path))
    assert not (root / str(OF_THIS_PC).lstrip("/")).exists()


# --- The program --------------------------------------------------------------


@pytest.mark.parametrize(
    ("place", "by"), [("/home/pit/venv/bin/felt", "ProtectHome"), ("/tmp/x/felt", "PrivateTmp")]
)
def test_a_felt_that_the_service_would_not_see_is_noticed(place: str, by: str) -> None:
    found = program.hidden(program.PACKAGED, place)
    assert found is not None
    assert found[0] == place
    assert by in found[1]


def test_a_felt_of_a_package_is_seen() -> None:
    assert program.hidden(program.PACKAGED, "/usr/bin/python3.11") is None


def test_a_unit_starts_the_felt_that_laid_it_out(root: Path) -> None:
    layout = Layout(root, dry=False)
    install._of_the_system(layout, install.UNIT, "/opt/felt/bin/felt")
    text = (root / "etc/systemd/system/felt@.service").read_text()
    assert "\nExecStart=/opt/felt/bin/felt run --config /etc/felt/tables/%i.toml\n" in text
    install._of_the_system(layout, install.CONSOLE, "/opt/felt/bin/felt")
    text = (root / "etc/systemd/system/felt-console.service").read_text()
    assert "\nExecStart=/opt/felt/bin/felt console\n" in text


def test_without_root_it_only_says_what_it_would_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Whoever runs the tests: as root it would really install it.
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    done = felt(table_file(tmp_path))
    assert done.code == 0
    assert "Would do, as root:" in done.out

"""docs/device-life.md is followed: a firmware approved, a key rotated, a device taken away."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import get_args

from controller.daemon import keyring, secrets
from controller.daemon.configuration import read
from controller.library import Library
from controller.table import events
from tests.controller.commands.wired import ID
from tests.docs.test_pages_tried import DOCS, text_of
from tests.docs.tried import PC, blocks

PAGE = "device-life.md"


def test_the_page_can_be_followed(tmp_path: Path) -> None:
    pc = PC(tmp_path, ID)
    made = blocks("install.md")[0]
    assert pc.run(made[0]).code == 0
    file = pc.home / "table.toml"
    (approved,) = re.findall(r"```toml\n(\[approved\].*?)```", text_of(PAGE), re.S)
    file.write_text(file.read_text() + "\n" + approved)
    (pc.home / "acceptor-1.1.bin").write_bytes(b"a program")
    marked = [commands for commands, _ in blocks(PAGE)]
    assert len(marked) == 4
    folder = pc.root / "etc/felt/secrets" / ID
    for commands in marked:
        before = keyring.kept(folder, "acceptor 3") if folder.exists() else None
        tried = pc.run(commands)
        assert tried.code == 0, tried.said
        assert "Traceback" not in tried.said
        after = keyring.kept(folder, "acceptor 3") if folder.exists() else None
        is_rotated = before is not None and before != after
        assert is_rotated is ("rotate" in commands), commands
        if "keys list" in commands:
            assert after is not None
            assert after.fingerprint in tried.said
            assert secrets.key(folder, "acceptor 3").hex() not in tried.said
    assert len(keyring.retired(folder)) == 1
    laid_out = pc.root / f"etc/felt/tables/{ID}.toml"
    assert len(read(laid_out, Library()).daemon.approved["acceptor"]) == 2
    # A device that the file has no more.
    taken_off = laid_out.read_text().replace(', "acceptor 7"', "")
    laid_out.write_text(taken_off.replace("seats = 7", "seats = 6").replace(', "terminal 7"', ""))
    (retires,) = re.findall(r"^    (sudo felt keys retire.+)$", text_of(PAGE), re.M)
    tried = pc.run(retires)
    assert tried.code == 0, tried.said
    assert not (folder / "acceptor-7.key").exists()


def test_what_it_names_is_there() -> None:
    text = text_of(PAGE)
    kinds = {str(one.__struct_config__.tag) for one in get_args(events.Event)}
    assert set(re.findall(r"`(device_[a-z]+)`", text)) <= kinds
    assert re.search(r"felt act device_accepted .*device=.*serial_number=.*second=.*reason=", text)
    for target, _, place in re.findall(r"\]\(([\w./-]+)(#([\w-]+))?\)", text):
        assert (DOCS / target).exists(), target
        titles = re.findall(r"^#+ (.+)$", text_of(target), re.M)
        slugs = {re.sub(r"[^\w -]", "", one.lower()).replace(" ", "-") for one in titles}
        assert not place or place in slugs, f"{target}#{place}"


def test_the_numbers_on_the_wiring_page_are_a_section_of_a_table_file() -> None:
    (said,) = re.findall(r"```toml\n(\[serial_numbers\].*?)```", text_of("wiring.md"), re.S)
    assert set(tomllib.loads(said)["serial_numbers"]) == {"shoe", "panel", "acceptor 1"}

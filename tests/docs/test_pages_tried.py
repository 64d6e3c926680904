"""The pages for people at the table and the PC: followed as far as a machine without one goes."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path
from typing import get_args

import pytest

from controller.cli import parser
from controller.daemon.configuration import Wire
from controller.table import events
from debian import manual
from tests.controller.commands.wired import ID
from tests.debian import fresh
from tests.docs.tried import PC, ROOT, blocks

PAGES = ("install.md", "operating.md", "wiring.md")
DOCS = ROOT / "docs"


def text_of(page: str) -> str:
    return (DOCS / page).read_text(encoding="utf-8")


def test_the_installation_can_be_followed(tmp_path: Path) -> None:
    pc = PC(tmp_path, ID)
    journal = pc.root / f"var/lib/felt/{ID}/journal.db"
    marked = blocks("install.md")
    assert len(marked) == 8
    for commands, finds_faults in marked:
        if "journal.db" in commands:
            # What the service would have written by now.
            journal.parent.mkdir(parents=True)
            opened = (
                '{"kind": "table_opened", "at": 1, "by": {"id": "floor-1", "role": "floorperson"}}'
            )
            play = f"felt play --table table.toml --journal '{journal}'"
            assert pc.run(f"echo '{opened}' | {play}").code == 0
        tried = pc.run(commands)
        assert tried.code in ((0, 1) if finds_faults else (0,)), tried.said
        assert "Traceback" not in tried.said
    secrets = pc.root / "etc/felt/secrets" / ID
    assert {"shoe.key", "faces.key", "broker.password", "people.pins"} <= {
        file.name for file in secrets.iterdir()
    }
    # Whoever has the record's copy has no key with it.
    assert (pc.home / "keys/secrets" / ID / "shoe.key").exists()
    copied = [file.name for file in (pc.home / "backup").rglob("*") if file.is_file()]
    assert "journal.db" in copied
    assert not [name for name in copied if name.endswith((".key", ".pins", ".password", ".pub"))]


@pytest.mark.parametrize(
    ("page", "needed"),
    [
        ("install.md", {"adapters", "the auditors", "a screen"}),
        ("console.md", set()),
        ("mqtt.md", {"a device's key"}),
    ],
)
def test_what_is_not_followed_on_a_fresh_system_says_what_it_needs(
    page: str, needed: set[str]
) -> None:
    found = fresh.blocks(f"docs/{page}")
    assert len(found) >= 3
    assert {one.needs for one in found if one.needs} == needed


def test_the_table_of_the_page_at_a_broker_of_its_own(tmp_path: Path) -> None:
    """The page's second way: mosquitto in place of the broker inside felt."""
    pc = PC(tmp_path, ID)
    assert pc.run(blocks("install.md")[0][0]).code == 0
    (snippet,) = re.findall(r"```toml\n(.*?)```", text_of("install.md"), re.S)
    table = pc.home / "table.toml"
    old = 'mqtt = "embedded"\n'
    assert old in table.read_text()
    table.write_text(table.read_text().replace(old, snippet))
    said = pc.run("felt install table.toml")
    assert said.code == 0, said.said
    drop_in = pc.root / f"etc/systemd/system/felt@{ID}.service.d/table.conf"
    assert "IPAddressAllow=192.0.2.4\n" in drop_in.read_text()


def test_the_shift_goes_as_the_page_says(tmp_path: Path) -> None:
    pc = PC(tmp_path, ID)
    ((commands, _),) = blocks("operating.md")
    tried = pc.run(commands)
    assert tried.code == 0, tried.said
    lines = [json.loads(line) for line in tried.said.splitlines() if line.startswith("{")]
    refused = [line["refused"] or "" for line in lines]
    shown = re.findall(r"is refused: `(.+?)`", text_of("operating.md"))
    assert refused == ["", "", f"by: {shown[0]}", ""]
    assert [len(line["holds"]) for line in lines] == [0, 1, 1, 0]


def test_every_wire_of_the_wiring_page_is_one() -> None:
    stretches = re.findall(r"(?:^    .+\n)+", text_of("wiring.md"), re.M)
    found = [tomllib.loads(re.sub(r"^    ", "", one, flags=re.M)) for one in stretches]
    wires = [wire for one in found for wire in one["wires"].values()]
    assert len(wires) == 5
    for wire in wires:
        Wire.model_validate(wire)


def test_the_settings_of_the_wiring_page_are_those_of_a_wire() -> None:
    table = text_of("wiring.md").partition("| setting |")[2].partition("\n\n")[0]
    first = [row.split("|")[1] for row in table.splitlines()[2:]]
    assert set(re.findall(r"`(\w+)`", " ".join(first))) == set(Wire.model_fields)


@pytest.mark.parametrize("page", PAGES)
def test_commands_and_acts_that_are_named_are_there(page: str) -> None:
    known = {name for name, _ in manual._commands(parser())}
    named = set(re.findall(r"(?:^|[`(|] ?|sudo |    )felt ([a-z]+)\b", text_of(page), re.M))
    assert named <= known
    kinds = {str(one.__struct_config__.tag) for one in get_args(events.Event)}
    acts = set(re.findall(r"`([a-z]+_[a-z_]+)`", text_of(page))) - {"stop_bits"}
    assert acts <= kinds


@pytest.mark.parametrize("page", [*PAGES, "console.md"])
def test_links_lead_somewhere(page: str) -> None:
    for target, _, place in re.findall(r"\]\(([\w./-]+)(#([\w-]+))?\)", text_of(page)):
        assert (DOCS / target).exists(), target
        if place:
            titles = re.findall(r"^#+ (.+)$", text_of(target), re.M)
            slugs = {re.sub(r"[^\w -]", "", one.lower()).replace(" ", "-") for one in titles}
            assert place in slugs, f"{target}#{place}"

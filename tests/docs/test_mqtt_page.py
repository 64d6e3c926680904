"""The page about the broker: its commands are run, and what it lists is all there is."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path
from typing import get_args

import pytest

from drivers.wire.broker_client import Nature
from drivers.wire.envelope import MAX_JSON
from tests.docs.tried import PC, ROOT, blocks
from tests.drivers.wire.mosquitto import Mosquitto

PAGE = (ROOT / "docs" / "mqtt.md").read_text(encoding="utf-8")


def test_every_trouble_is_on_the_page_and_no_other() -> None:
    table = PAGE.partition("| nature |")[2].partition("\n\n")[0]
    assert set(re.findall(r"^\| ([a-z ]+) \|", table, re.M)) == set(get_args(Nature))


def test_the_longest_packet_is_said() -> None:
    assert f"longer than {MAX_JSON} bytes" in PAGE


def test_the_broker_of_the_page_runs_and_can_be_looked_at(tmp_path: Path) -> None:
    pc = PC(tmp_path, "table-12")
    ((commands, _),) = blocks("mqtt.md")
    tried = pc.run(commands)
    assert tried.code == 0, tried.said
    folder = pc.root / "etc/mosquitto/felt"
    broker = Mosquitto(tmp_path)
    made = (pc.root / "etc/mosquitto/mosquitto.conf").read_text()
    # But for the port, and the user that a test's folder belongs to.
    made = made.replace("listener 8883", f"listener {broker.port} 127.0.0.1")
    made += "user root\n" if os.geteuid() == 0 else ""
    broker._file.write_text(made)
    broker.start()
    try:
        password = (folder / "secrets/table-12/sign.password").read_text().strip()
        said = ["-t", "felt/table-12/sign/status", "-m", "showing the meters", "-r", "-q", "1"]
        subprocess.run(
            [
                *("mosquitto_pub", "-h", "127.0.0.1", "-p", str(broker.port)),
                *("--cafile", folder / "ca.pem", "-u", "table-12/sign", "-P", password),
                *said,
            ],
            check=True,
        )
        (look,) = re.findall(r"<!-- tried with the broker -->\n\n```sh\n(.*?)```", PAGE, re.S)
        # It would look on for ever: here it leaves after what is kept there.
        looked = pc.run(look.replace("8883", str(broker.port)).rstrip() + " -C 1 -W 30")
    finally:
        broker.kill()
    assert looked.code == 0, looked.said
    assert looked.said == "felt/table-12/sign/status showing the meters\n"


@pytest.mark.parametrize("link", re.findall(r"\]\(([\w./-]+\.\w+)(?:#[\w-]+)?\)", PAGE))
def test_its_links_lead_somewhere(link: str) -> None:
    assert (ROOT / "docs" / link).exists()

"""A Debian 12 as its installer leaves it, in a folder: ``make fresh`` makes it, and pages are
followed on it.

On top of it nothing is there but what a page has installed before. What pages install lies in its
cache, because a system that is booted here has no network.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

from debian.build import ROOT
from tests.debian import booted

SYSTEM = ROOT / "build" / "debian-12"
#: What whoever installs Debian has beside what every Debian has.
CHOSEN = "sudo,dbus"
#: What the pages say `apt install` of, with all that those need.
INSTALLED = ("python3", "mosquitto", "mosquitto-clients", "openssl", "make", "python3-venv")
#: Says what the system was made of, once it is whole.
_MADE = "made-of"
USER = "tech"

#: A person with sudo, who says yes when apt asks.
PREPARED = f"""
systemctl start dbus systemd-journald
useradd --create-home --shell /bin/bash {USER}
echo '{USER} ALL=(ALL) NOPASSWD: ALL' >/etc/sudoers.d/{USER}
echo 'APT::Get::Assume-Yes "true";' >/etc/apt/apt.conf.d/99-yes
echo "127.0.1.1 $(hostname)" >>/etc/hosts
ip addr add 192.0.2.4/32 dev lo
cp /out/felt_*.deb /home/{USER}/
"""
_FOLLOWED = """
cat >/out/block <<'THE_BLOCK'
set -euo pipefail
{commands}THE_BLOCK
echo '== {name}'
(cd /home/{user}; runuser -u {user} -- env -i HOME=/home/{user} USER={user} TERM=dumb \
    DEBIAN_FRONTEND=noninteractive PATH=/usr/local/bin:/usr/bin:/bin \
    bash /out/block </dev/null) 2>&1
echo "-- $?"
"""
_BLOCK = re.compile(r"(?:<!-- (.+?) -->\n\n)?```sh\n(.*?)```", re.S)


class Block(NamedTuple):
    """Commands of a page, and what stands before them for whoever follows it."""

    name: str
    commands: str
    mark: str

    @property
    def needs(self) -> str:
        """What is on no machine that nobody has wired."""
        return self.mark.removeprefix("needs ") if self.mark.startswith("needs ") else ""

    @property
    def codes(self) -> tuple[int, ...]:
        return (0, 1) if self.mark.endswith("finds faults") else (0,)

    def __str__(self) -> str:
        return _FOLLOWED.format(commands=self.commands, name=self.name, user=USER)


def blocks(page: str) -> list[Block]:
    """All commands of a page, in their order."""
    text = (ROOT / page).read_text(encoding="utf-8")
    found = _BLOCK.findall(text)
    return [Block(f"{page}#{n}", commands, mark) for n, (mark, commands) in enumerate(found)]


class Followed(NamedTuple):
    code: int
    said: str


def followed(text: str) -> dict[str, Followed]:
    """What came of each block, by its name."""
    found = re.findall(r"^== (.+?)\n(.*?)^-- (\d+)$", text, re.S | re.M)
    return {name: Followed(int(code), said) for name, said, code in found}


def why_not(system: Path = SYSTEM) -> str:
    """Why nothing can be followed here; nothing if it can be."""
    if why := booted.why_not():
        return why
    return "" if _is_made(system) else "there is no fresh Debian here: make fresh makes it"


def _is_made(system: Path) -> bool:
    file = system / _MADE
    return file.is_file() and file.read_text() == _made_of()


def _made_of() -> str:
    return f"{CHOSEN} {' '.join(INSTALLED)}\n"


def make(system: Path = SYSTEM) -> None:
    """Make the system, unless it is there. Half of one is made anew."""
    if _is_made(system):
        return
    if os.geteuid() != 0 or shutil.which("debootstrap") is None:
        sys.exit("make fresh: needs root and debootstrap (apt install debootstrap)")
    shutil.rmtree(system, ignore_errors=True)
    system.mkdir(parents=True)
    print(f"a fresh Debian 12 in {system}: some minutes, the first time")
    subprocess.run(["debootstrap", f"--include={CHOSEN}", "bookworm", system], check=True)
    for words in (["update", "-q"], ["install", "-y", "-q", "--download-only", *INSTALLED]):
        subprocess.run(["chroot", system, "apt-get", *words], check=True)
    (system / _MADE).write_text(_made_of())


if __name__ == "__main__":
    make()

"""What the pages take from others is what was taken, byte for byte, and says whose it is."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

import pytest

PAGES = Path(__file__).resolve().parents[3] / "controller" / "console" / "pages"
OF_OTHERS = ("vendor", "fonts")
OURS = {"vendor/README.md", "vendor/digests.txt"}


def listed() -> dict[str, str]:
    lines = (PAGES / "vendor" / "digests.txt").read_text(encoding="ascii").splitlines()
    return {name: digest for digest, name in (line.split("  ") for line in lines)}


def there() -> list[str]:
    files = (file for folder in OF_OTHERS for file in (PAGES / folder).rglob("*") if file.is_file())
    return sorted({str(file.relative_to(PAGES)) for file in files} - OURS)


def test_every_file_of_others_is_listed() -> None:
    assert sorted(listed()) == there()


@pytest.mark.parametrize("name", there())
def test_a_file_of_others_is_as_it_came(name: str) -> None:
    assert hashlib.sha256((PAGES / name).read_bytes()).hexdigest() == listed()[name]


def test_each_says_its_licence() -> None:
    told = (PAGES / "vendor" / "README.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `(.+?)` \| .+ \| .+ \| .+?, `(.+?)` \|$", told, re.MULTILINE)
    licences = {licence for _, licence in rows}
    assert {name for name, _ in rows} == set(there()) - licences
    for licence in licences:
        assert "opyright" in (PAGES / licence).read_text(encoding="utf-8")


def test_pages_take_nothing_from_elsewhere() -> None:
    """Every address in a page is one of this console."""
    found = [
        (file.name, address)
        for file in PAGES.rglob("*")
        if file.suffix in (".html", ".css", ".js") and file.parent.name != "vendor"
        for address in re.findall(
            r"""(?:src=|href=|url\(|from |import\()["']?([^"')\s>]+)""", file.read_text("utf-8")
        )
        if re.match(r"(?:[a-z]+:)?//|data:|blob:", address)
    ]
    assert not found

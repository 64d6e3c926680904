"""Code that comes in beside the signed files, or that has put others in its place, is seen."""

from __future__ import annotations

import json
import py_compile
import sys
from pathlib import Path

import pytest

from controller.daemon import signature
from tests.controller.installed import Installed, install

HELLO = "import sys; sys.stderr.write('planted\\n')\n"
#: A source that puts the honest one into its place as soon as it is run, as old as it was.
RESTORES = (
    "import os, sys; sys.stderr.write('planted\\n'); "
    "_s = os.stat({at!r}); open({at!r}, 'w').write(open({kept!r}).read()); "
    "os.utime({at!r}, ns=(_s.st_atime_ns, {age}))\n"
)


@pytest.fixture(scope="module")
def felt(tmp_path_factory: pytest.TempPathFactory) -> Installed:
    return install(tmp_path_factory.mktemp("installed"))


#: Files in the folder of packages, a set for each try.
PLANTED: dict[str, dict[str, str]] = {
    "a path file": {"zz.pth": "import sys; sys.planted = True\n"},
    "a module for every start": {"sitecustomize.py": HELLO},
    "a module for a user's starts": {"usercustomize.py": HELLO},
    "another driver": {
        "evil-1.dist-info/entry_points.txt": "[felt.drivers]\nshoe = evil:Shoe\n",
        "evil-1.dist-info/METADATA": "Metadata-Version: 2.1\nName: evil\nVersion: 1\n",
    },
    "a module that is taken if it is there": {"uvloop.py": HELLO},
    "a package that is taken if it is there": {"orjson/__init__.py": HELLO},
}
#: Puts the files of each try there in turn, takes them away again, and says what was signed.
TRIES = """
import json, sys
from pathlib import Path
import controller.cli
from controller.daemon import signature

folder, tries = Path(sys.argv[1]), json.loads(sys.argv[2])
if sys.argv[3]:
    sys.path.insert(0, str(folder))
said = {"": signature.imports().digest}
for name, files in tries.items():
    for inside, text in files.items():
        (folder / inside).parent.mkdir(exist_ok=True)
        (folder / inside).write_text(text)
    said[name] = signature.imports().digest
    for inside in files:
        (folder / inside).unlink()
said["none"] = signature.imports().digest
print(json.dumps(said))
"""


def signed(felt: Installed, folder: Path, tries: dict[str, dict[str, str]], first: str) -> set[str]:
    """Which of them changed nothing."""
    said = felt.said("-c", TRIES, folder, json.dumps(tries), first)
    found = json.loads(said.splitlines()[-1])
    assert found.pop("none") == found[""]
    assert len(found) == 1 + len(tries)
    honest = found.pop("")
    return {name for name, digest in found.items() if digest == honest}


@pytest.mark.rule("R35")
def test_what_python_would_run_beside_the_signed_files_is_signed(felt: Installed) -> None:
    assert signed(felt, felt.packages, PLANTED, "") == set()


@pytest.mark.rule("R35")
def test_a_folder_that_python_looks_into_before_is_signed(felt: Installed, tmp_path: Path) -> None:
    """Whatever it is called: there it takes the place of the one that was meant."""
    names = ("json.py", "pydantic/__init__.py", "drivers/__init__.py", "os.pyc", "felt.abi3.so")
    tries = {name: {name: HELLO} for name in names}
    assert signed(felt, tmp_path, tries, "first") == set()


@pytest.mark.rule("R35")
def test_another_list_of_felts_own_drivers_is_signed(felt: Installed) -> None:
    before = felt.part("imports")["digest"]
    (file,) = felt.packages.glob("felt_table-*.dist-info/entry_points.txt")
    kept = file.read_text()
    try:
        file.write_text(kept.replace("drivers.shoe:Shoe", "drivers.panel:Panel"))
        assert felt.part("imports")["digest"] != before
    finally:
        file.write_text(kept)


@pytest.mark.rule("R35")
@pytest.mark.parametrize("name", ["controller/rules/cards.py", "controller/__init__.py"])
def test_a_source_that_puts_another_in_its_place_is_found(
    felt: Installed, tmp_path: Path, name: str
) -> None:
    file, kept = felt.packages / name, tmp_path / "kept.py"
    honest = file.read_text()
    kept.write_text(honest)
    age = file.stat().st_mtime_ns
    head, future, rest = honest.partition("from __future__ import annotations\n")
    trick = RESTORES.format(at=str(file), kept=str(kept), age=age)
    file.write_text(head + future + trick + rest if future else honest + trick)
    code = (
        "import controller.cli, drivers.shoe, controller.rules.cards, json;"
        "from controller.daemon import signature;"
        "print(json.dumps([signature.imports()._asdict(), signature.program().digest]))"
    )
    said = felt.said("-c", code)
    assert "planted" in said
    assert file.read_text() == honest
    # The disk is as it should be, and what runs is not.
    fresh = felt.part("imports")
    assert fresh["restored"] == []
    assert fresh["digest"] not in said
    assert f'"{signature.program(felt.packages).digest}"' in said
    assert f'"restored": ["{name}"]' in said


@pytest.mark.rule("R35")
def test_a_compiled_file_that_takes_itself_away_is_found(felt: Installed, tmp_path: Path) -> None:
    source = felt.packages / "controller" / "rules" / "faults.py"
    status, at = source.stat(), felt.packages / "controller/rules/__pycache__"
    made = at / f"faults.{sys.implementation.cache_tag}.pyc"
    honest, other = source.read_text(), tmp_path / "faults.py"
    trick = f"import os; os.path.exists({str(made)!r}) and os.unlink({str(made)!r})\n"
    future = "from __future__ import annotations\n"
    other.write_text(honest.replace(future, future + trick))
    py_compile.compile(str(other), str(made), dfile=str(source), doraise=True)
    data = made.read_bytes()
    claims = int(status.st_mtime).to_bytes(4, "little") + status.st_size.to_bytes(4, "little")
    made.write_bytes(data[:8] + claims + data[16:])
    found = felt.part("imports")
    assert not made.exists()
    assert found["restored"] == [made.relative_to(felt.packages).as_posix()]


@pytest.mark.rule("R35")
def test_isolated_it_runs_and_imports_nothing_of_it(felt: Installed) -> None:
    """However it is started: what was planted is run no more once felt itself begins."""
    files = {
        "zz.pth": "import sys; sys.stderr.write('planted\\n')\n",
        "sitecustomize.py": HELLO,
    }
    for name, text in files.items():
        (felt.packages / name).write_text(text)
    try:
        program = felt.packages / "controller" / "__main__.py"
        said = felt.said("-ISB", program, "--version", env={"PYTHONPATH": "/nowhere"})
        assert said.startswith("felt ")
        assert "planted" not in said
        # A person's own command is begun again without them.
        said = felt.said("-m", "controller", "--version")
        once = felt.said("-c", "pass").count("planted")
        assert said.count("planted") == once > 0
        assert said.startswith("felt ")
    finally:
        for name in files:
            (felt.packages / name).unlink()

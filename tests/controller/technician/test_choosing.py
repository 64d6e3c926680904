"""What a technician asks for is found: a device on a bus, at a broker, in a dialect; in pieces."""

from __future__ import annotations

from pathlib import Path

import pytest

from controller.cli import main
from controller.technician import choosing, figures, logs
from controller.technician.choosing import Choice, Chosen
from controller.technician.logs import Run
from drivers.wire.devicelog import Bytes, Quiet, Remark
from tests.controller.technician.test_rebrokered import at_broker, recorded_dialects
from tests.logs.editing import unchecked, unpacked

GOLDEN = Path(__file__).parents[2] / "logs" / "acceptor-1-late-wager" / "cut.zip"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The golden log, unpacked."""
    return unpacked(GOLDEN, tmp_path)


def run_of(path: Path) -> Run:
    (run,) = logs.read([path]).runs
    return run


def chosen(path: Path, *devices: str, kinds: tuple[str, ...] = (), only: str = "") -> list[Chosen]:
    choice = Choice.of(None, devices, kinds, only)
    run = run_of(path)
    choice.check([run])
    return list(choosing.chosen(run, choice))


def said(found: list[Chosen]) -> list[Bytes]:
    return [one.logged.record for one in found if isinstance(one.logged.record, Bytes)]


def test_one_of_several_on_a_bus(folder: Path) -> None:
    found = chosen(folder, "acceptor 2")
    assert {one.logged.wire for one in found} == {"acceptors"}
    words = [one.comment.split()[:2] for one in said(found)]
    assert len(words) > 20
    assert {address for _, address in words} == {"2"}
    assert {kind for kind, _ in words} >= {"hello", "identity", "command", "result"}
    quiet = [one.logged.record for one in found if isinstance(one.logged.record, Quiet)]
    assert quiet
    assert {polled.address for one in quiet for polled in one.devices} == {2}
    devices = [
        one.logged.record.text
        for one in found
        if isinstance(one.logged.record, Remark) and one.logged.record.word == "device"
    ]
    assert devices
    assert all(text.startswith("acceptor 2: ") for text in devices)


def test_every_frame_is_of_one_device(folder: Path) -> None:
    """Nothing is lost and nothing is found twice, over all of them."""
    every = [one for one in said(chosen(folder)) if "garbage" not in one.comment]
    each = [one for name in sorted(_devices(folder)) for one in said(chosen(folder, name))]
    assert len(each) == len(every)
    assert sorted(each) == sorted(every)


def _devices(folder: Path) -> set[str]:
    return {name for wire in run_of(folder).wires.values() for name in wire.given["devices"]}


def test_a_frame_in_pieces_is_found_whole(folder: Path) -> None:
    log = folder / "acceptors.log"
    whole = said(chosen(log, "acceptor 1", kinds=("wager", "lamp_read")))
    assert whole
    lines: list[str] = []
    for line in unchecked(log.read_text()).splitlines(keepends=True):
        words = line.split()
        if len(words) > 2 and words[1] == "in":
            data, comment = words[2], line.partition("  ; ")[2].strip()
            pieces = [data[n : n + 10] for n in range(0, len(data), 10)]
            lines += [f"{words[0]} in {piece}\n" for piece in pieces[:-1]]
            lines.append(f"{words[0]} in {pieces[-1]}  ; {comment}\n")
        else:
            lines.append(line)
    log.write_text("".join(lines))
    pieces_ = said(chosen(log, "acceptor 1", kinds=("wager", "lamp_read")))
    assert len(pieces_) > 3 * len(whole)
    assert b"".join(one.data for one in pieces_) == b"".join(one.data for one in whole)


def test_two_frames_in_one_record_are_both_found(folder: Path) -> None:
    log = folder / "acceptors.log"
    lines = unchecked(log.read_text()).splitlines(keepends=True)
    place = next(n for n, line in enumerate(lines) if " in " in line and "; result 2 " in line)
    other = next(line.split()[2] for line in lines if " in " in line and "; result 1 " in line)
    lines[place] = lines[place].partition("  ;")[0] + other + "\n"
    log.write_text("".join(lines))
    for name in ("acceptor 1", "acceptor 2"):
        found = [one for one in said(chosen(log, name)) if bytes.fromhex(other) in one.data]
        assert any(len(one.data) > len(other) // 2 for one in found)


def test_kinds_of_messages_and_of_records(folder: Path) -> None:
    (port,) = {one.logged.record.word for one in chosen(folder, kinds=("port",))
               if isinstance(one.logged.record, Remark)}  # fmt: skip
    assert port == "port"
    locks = said(chosen(folder, "acceptor 1", kinds=("lock",), only="out"))
    assert locks
    assert all(" lock" in one.comment for one in locks)
    assert said(chosen(folder, "acceptor 1", kinds=("returned",)))


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (["--device", "acceptor 9"], "there is no 'acceptor 9' in these logs; acceptor 1, "),
        (["--wire", "sheo"], "there is no 'sheo' in these logs; acceptors, "),
        (["--message", "dispens"], "there is no 'dispens'"),
    ],
)
def test_what_is_nowhere_is_refused(
    folder: Path, capsys: pytest.CaptureFixture[str], words: list[str], problem: str
) -> None:
    assert main(["log", "show", str(folder), *words]) == 2
    assert problem in capsys.readouterr().err


# --- Elsewhere ------------------------------------------------------------------


@pytest.fixture(scope="module")
def brokered(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return at_broker(tmp_path_factory.mktemp("brokered")) / "logs"


def test_a_device_at_a_broker(brokered: Path) -> None:
    found = chosen(brokered, "terminal 2")
    assert {one.channel.split("/")[2] for one in said(found)} == {"terminal-2"}
    words = [one.words for one in found if isinstance(one.logged.record, Bytes)]
    assert any(word.startswith("command 1 ") for word in words)
    events = chosen(brokered, "terminal 2", kinds=("buy_in",))
    assert [one.words.split()[0] for one in events] == ["event"]
    polled = [one.logged.record for one in found if isinstance(one.logged.record, Quiet)]
    assert all(len(one.devices) == 1 for one in polled)


def test_frames_at_a_broker_are_counted(brokered: Path) -> None:
    (wire,) = (one for one in figures.of_run(run_of(brokered)) if one.wire == "broker")
    assert set(wire.devices) == set(run_of(brokered).wires["broker"].given["devices"])
    heard = said(chosen(brokered, "terminal 1", only="in"))
    assert wire.devices["terminal 1"].frames_in == len(heard)
    assert wire.devices["terminal 1"].times.count > 5
    assert wire.devices["terminal 1"].contacts == 1


async def test_devices_that_speak_otherwise(tmp_path: Path) -> None:
    folder = await recorded_dialects(tmp_path) / "logs"
    for name, address in (("acceptor 1", 2), ("acceptor 2", 3), ("panel", 1)):
        asked = said(chosen(folder, name, only="out"))
        assert len(asked) > 10
        assert {one.data[0] for one in asked} == {address}
    (inputs, *_) = chosen(folder, "panel", kinds=("read_inputs",))
    assert inputs.words == "request 1 read_inputs"
    devices = {
        name: one for wire in figures.of_run(run_of(folder)) for name, one in wire.devices.items()
    }
    for one in devices.values():
        # On a machine that was held up something was asked again, and then answered late or never.
        assert one.frames_in == one.times.count + one.late
        assert one.late <= one.frames_out - one.times.count
        assert one.times.count > 10
        assert not one.garbage


# --- Figures --------------------------------------------------------------------


def test_repeats_garbage_and_reconnects_are_told(capsys: pytest.CaptureFixture[str]) -> None:
    logs_of = GOLDEN.parents[1]
    for case, told in (
        ("wire-acceptors-lost", " repeated"),
        ("wire-acceptors-noise", " bytes of garbage"),
        ("acceptor-1-reset", "came 2 times"),
        ("acceptor-1-mute", "longest silence"),
    ):
        assert main(["log", "stats", "--plots", str(logs_of / case / "cut.zip")]) == 0
        out = capsys.readouterr().out
        assert told in out, case
        assert all(len(line) <= 80 for line in out.splitlines())


def test_a_port_that_was_lost_and_what_is_missing_are_told(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log = folder / "shoe.log"
    more = (
        "99.000000 port   absent, hang-up: gone",
        "99.100000 port   absent, not there: gone",
        "99.200000 port   open /dev/shoe",
        "99.300000 gap    20 records were lost: the disk was too slow",
        "what is this",
    )
    log.write_text(log.read_text() + "".join(f"{line}\n" for line in more))
    assert main(["log", "stats", str(folder), "--wire", "shoe"]) == 0
    out, err = capsys.readouterr()
    assert "lost once, gaps in the log: 1, lines that can't be read: 1" in out
    assert f"{log}:{log.read_text().count(chr(10))}: skipped" in err


def test_a_long_log_fits_into_a_plot() -> None:
    pace = figures.Pace()
    for second in range(0, 7 * 24 * 3600, 10):
        pace.add(second * 1_000_000)
    assert len(pace.columns) <= 2 * figures.COLUMNS
    assert sum(pace.columns) == 7 * 24 * 360

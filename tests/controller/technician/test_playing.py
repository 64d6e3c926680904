"""Recorded devices, played to a felt that runs: it does what was recorded, or that is said."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from controller.cli import main
from controller.library import Library
from controller.technician import cut, scripted
from controller.technician.acting import Act
from controller.technician.cut import Cut
from controller.technician.played import PlayedDevice
from controller.technician.playing import Player
from controller.technician.script import (
    Arrives,
    GivenUp,
    LeftAlone,
    Noise,
    Part,
    Says,
    Script,
    Silent,
    Told,
)
from drivers.wire import handshake, messages
from drivers.wire.devicelog import Bytes
from drivers.wire.frame import Kind, Packet
from drivers.wire.handshake import PROTOCOL, Hello, Identity
from drivers.wire.keys import BENCH_KEY, NONCE_BYTES, SessionKeys
from drivers.wire.line import Line
from drivers.wire.notices import Answered, Heard, Identified, Lost
from drivers.wire.station import Station
from tests.controller.technician.playing_to import played, taken
from tests.controller.technician.test_rebrokered import SEATS, at_broker
from tests.drivers.wire.mosquitto import Mosquitto
from tests.logs.recording import HERE, Case, recorded

LIBRARY = Library()
GOLDEN = HERE / "shoe-jam" / "cut.zip"
SHOE_LOG = "shoe.log"


def golden(name: str) -> Cut:
    """What is in it is read as long as it is held."""
    return cut.read(HERE / name / "cut.zip")


# --- Against a real felt --------------------------------------------------------


def test_a_round_is_played_through_ptys(tmp_path: Path) -> None:
    case = Case("played", "", "pa-639a", "automated shoe", {"shoe": "jam@1"})
    recorded(case, tmp_path / "then", LIBRARY)
    then = tmp_path / "then"
    words = ("--secrets", then / "secrets", "--acts", "--speed", "20")
    done = played(tmp_path / "now", then / "state/logs", *words)
    assert (done.code, done.err) == (0, "")
    # Locks are confirmed by whoever is asked first: in another order, but by the same devices.
    assert taken(tmp_path / "now/state/journal.db") == taken(then / "state/journal.db")


def test_a_cut_without_keys_is_played_without_faces(tmp_path: Path) -> None:
    whole = HERE / "s10-automated-shoe" / "cut.zip"
    done = played(tmp_path / "now", whole, "--acts", "--speed", "20")
    assert "shoe: the record was made with another key" in done.err
    assert "they are left out" in done.err
    found = taken(tmp_path / "now/state/journal.db")
    assert any('"stack_dispensed"' in one for one in found)


def test_devices_at_a_broker_are_played_at_another_one(tmp_path: Path) -> None:
    at_broker(tmp_path / "then")
    broker = Mosquitto(tmp_path)
    broker.start()
    try:
        done = played(
            tmp_path / "now",
            tmp_path / "then/state/logs",
            *("--secrets", tmp_path / "then/secrets", "--acts", "--speed", "5"),
            *("--broker", f"127.0.0.1:{broker.port}"),
        )
    finally:
        broker.stop()
    assert f'mqtt = "127.0.0.1:{broker.port}"' in (tmp_path / "now/table.toml").read_text()
    assert done.code == 0, done.err
    assert done.out.splitlines()[-1] == "felt did all as it had"
    bought = [one for one in taken(tmp_path / "now/state/journal.db") if '"bought_in"' in one]
    assert len(bought) == SEATS
    then, now = (
        sum(n for one, n in taken(tmp_path / f"{when}/state/journal.db").items() if kind in one)
        for when, kind in (("then", '"stack_dispensed"'), ("now", '"stack_dispensed"'))
    )
    assert then == now > 0


def test_a_felt_that_runs_has_its_own_pace(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["replay", str(GOLDEN), "--into", str(tmp_path), "--speed", "max"]) == 2
    assert "a felt that runs has its own pace" in capsys.readouterr().err


# --- The script -----------------------------------------------------------------


def test_faces_are_uncovered_with_the_key_of_the_record(tmp_path: Path) -> None:
    case = Case("faces", "", "s10", "automated shoe")
    found = cut.read(recorded(case, tmp_path, LIBRARY))
    key = bytes.fromhex((tmp_path / "secrets/shoe.key").read_text())
    dispensed = [
        messages.from_bytes(one.message)
        for one in scripted.of_run(found.run, lambda _: key).steps
        if isinstance(one, Says) and one.covers
    ]
    faces = [face for one in dispensed if isinstance(one, messages.Dispensed) for face in one.faces]
    # Cards, each of them once; covered ones would be anything.
    assert faces
    assert len(set(faces)) == len(faces)
    assert all(face < 52 for face in faces)
    covered = scripted.of_run(found.run, lambda _: None)
    assert any("faces can't be uncovered" in one for one in covered.remarks)


def test_what_was_no_frame_stays_as_it_was() -> None:
    found = golden("wire-acceptors-noise")
    made = scripted.of_run(found.run, lambda _: None)
    noise = b"".join(one.data for one in made.steps if isinstance(one, Noise))
    came = b"".join(
        one.record.data
        for one in found.run.wires["acceptors"].records()
        if isinstance(one.record, Bytes) and one.record.direction == "in"
    )
    assert noise
    assert all(piece in came for piece in noise.split(b"\0"))


def test_a_silence_and_a_new_life_are_in_it() -> None:
    mute = golden("panel-mute")
    silent = scripted.of_run(mute.run, lambda _: None)
    assert any(isinstance(one, Silent) and one.device == "panel" for one in silent.steps)
    # On a bus the others are asked and answer meanwhile.
    on_bus = golden("acceptor-1-mute")
    silent = scripted.of_run(on_bus.run, lambda _: None)
    assert [one.device for one in silent.steps if isinstance(one, Silent)] == ["acceptor 1"]
    # felt asks five times before it greets the device instead.
    (given_up,) = [one for one in silent.steps if isinstance(one, GivenUp)]
    (at,) = [one for one in silent.steps if isinstance(one, Silent)]
    assert at.given_up is given_up
    assert given_up.at_us > at.at_us
    restarted = golden("shoe-reset")
    reset = scripted.of_run(restarted.run, lambda _: None)
    lives = [one.identity.boot for one in reset.steps if isinstance(one, Arrives)
             and one.device == "shoe"]  # fmt: skip
    assert len(set(lives)) == 2


# --- The player -----------------------------------------------------------------


class _Cable:
    """felt's end of a line with one device, and the player's stage: in one process."""

    def __init__(self, made: Script, **more: Any) -> None:
        self.said: list[str] = []
        self.written: list[bytes] = []
        self.now = 0.0
        self.station = Station(1, BENCH_KEY, lambda: bytes(NONCE_BYTES))
        self.line = Line([self.station])
        self.happened: list[Any] = []
        nonce = bytes(range(NONCE_BYTES))
        self.player = Player(
            made, lambda _: BENCH_KEY, lambda: nonce, self, self.said.append, **more
        )

    def send(self, part: Part, said: Packet | bytes) -> None:
        assert isinstance(said, Packet)
        self.station.received(said, self.now)

    def noise(self, wire: str, data: bytes, channel: str) -> None:
        self.written.append(data)

    def plug(self, wire: str, device: str, *, is_in: bool) -> None:
        raise AssertionError("nobody pulls this cable")

    def reborn(self, device: str, identity: Identity) -> None:
        raise AssertionError("it lives once")

    def act(self, act: Act) -> None:
        raise AssertionError("nobody acts here")

    def runs(self, seconds: float) -> None:
        until = self.now + seconds
        while self.now < until:
            self.now += 0.005
            for _ in range(4):
                if (packet := self.station.next_packet(self.now)) is not None:
                    self.player.received("panel", packet, self.now)
            self.player.advance(self.now)
            for one in self.station.notices():
                self.happened.append(one)
                if isinstance(one, Identified):
                    self.station.accept(self.now)
                if isinstance(one, Heard):
                    self.station.acknowledge(one.boot, one.seq)

    def tell(self, message: messages.Command) -> None:
        self.station.send(len(self.happened) + 77, message, deadline=self.now + 5)


IDENTITY = Identity(
    protocol=PROTOCOL,
    kind="panel",
    model="P-1",
    serial_number="7",
    firmware=bytes(32),
    boot=3,
    capabilities="",
    nonce=bytes(NONCE_BYTES),
)
PRESSED = messages.to_bytes(messages.Pressed("lock_out"))


def panel_script() -> Script:
    """A panel that is greeted, asked to report, and pressed half a second after it was asked."""
    asked = Told(
        at_us=100_000,
        where="panel.log:20",
        device="panel",
        message=messages.to_bytes(messages.Report()),
        result=handshake.Result(1, "done"),
    )
    made = Script(parts={"panel": Part("panel", "panel", 1, polled=False, first_us=0)})
    made.add(
        [
            Arrives(at_us=0, where="panel.log:12", device="panel", identity=IDENTITY,
                    is_new_life=False),
            asked,
            Noise(at_us=300_000, where="panel.log:22", wire="panel", data=b"\x3f\xa0\0"),
            Says(at_us=600_000, where="panel.log:25", device="panel", seq=41, message=PRESSED),
        ]
    )  # fmt: skip
    return made


def test_an_event_waits_for_what_felt_had_said_before_it() -> None:
    cable = _Cable(panel_script())
    cable.runs(3)
    assert not [one for one in cable.happened if isinstance(one, Heard)]
    cable.tell(messages.Report())
    cable.runs(1)
    (answered,) = [one for one in cable.happened if isinstance(one, Answered)]
    assert answered.outcome == "done"
    (heard,) = [one for one in cable.happened if isinstance(one, Heard)]
    assert (heard.message, heard.seq, heard.boot) == (messages.Pressed("lock_out"), 41, 3)
    assert cable.written == [b"\x3f\xa0\0"]
    cable.runs(1)
    assert cable.player.tally.is_over
    assert cable.said == []


def test_what_felt_does_not_come_to_say_is_named_with_its_record() -> None:
    cable = _Cable(panel_script(), patience=1.0)
    cable.runs(4)
    assert cable.said == ["panel.log:20: panel: felt has not said report, as it had here"]
    assert cable.player.tally.events == 1


def test_what_has_no_answer_in_the_record_is_named_and_refused() -> None:
    cable = _Cable(panel_script())
    cable.runs(0.1)
    cable.tell(messages.SetWatchdog(1234))
    cable.runs(1)
    assert cable.said == [
        "panel.log:20: panel: felt says set_watchdog milliseconds=1234, which is not in the "
        "record; refused"
    ]
    (answered,) = [one for one in cable.happened if isinstance(one, Answered)]
    assert (answered.outcome, answered.detail) == ("refused", "it is not in the record")
    assert not cable.player.tally.is_over


def silent_script() -> Script:
    """A panel that felt gave up a tenth of a second after it had first asked in vain."""
    given_up = GivenUp(at_us=1_100_000, where="panel.log:31", device="panel")
    silent = Silent(
        at_us=1_000_000,
        where="panel.log:30",
        device="panel",
        until_us=1_400_000,
        ends_us=1_350_000,
        given_up=given_up,
    )
    made = Script(parts={"panel": Part("panel", "panel", 1, polled=False, first_us=0)})
    arrives = Arrives(at_us=0, where="panel.log:12", device="panel", identity=IDENTITY)
    again = Arrives(at_us=1_400_000, where="panel.log:40", device="panel", identity=IDENTITY)
    noise = Noise(at_us=1_200_000, where="panel.log:33", wire="panel", data=b"\x3f\0")
    made.add([arrives, silent, given_up, noise, again])
    return made


def test_a_silence_lasts_until_felt_has_given_the_device_up() -> None:
    """How long felt tries hangs on how quickly it was answered before: here it takes longer."""
    cable = _Cable(silent_script(), speed=20.0)
    while not cable.written:
        cable.runs(0.05)
    # What came after that in the record comes after it now.
    assert any(isinstance(one, Lost) for one in cable.happened)
    cable.runs(10)
    kinds = [type(one) for one in cable.happened]
    assert kinds == [Identified, Lost, Identified]
    assert (cable.said, cable.player.tally.is_over) == ([], True)


def test_while_felt_leaves_a_device_alone_the_record_has_its_pace() -> None:
    """felt does so by its own clock, so what came in the middle of that comes there again."""
    made = Script(parts={"panel": Part("panel", "panel", 1, polled=False, first_us=0)})
    arrives = Arrives(at_us=0, where="panel.log:12", device="panel", identity=IDENTITY)
    left = LeftAlone(at_us=1_000_000, where="panel.log:20", device="panel", until_us=6_000_000)
    noise = Noise(at_us=5_000_000, where="panel.log:22", wire="panel", data=b"\x3f\0")
    made.add([arrives, left, noise])
    cable = _Cable(made, speed=20.0)
    cable.runs(3.5)
    assert not cable.written
    cable.runs(2)
    assert cable.written


def test_a_felt_that_does_not_give_a_silent_device_up_does_otherwise() -> None:
    cable = _Cable(silent_script(), patience=1.0)
    cable.runs(0.1)
    station, cable.station = cable.station, Station(2, BENCH_KEY, lambda: bytes(NONCE_BYTES))
    poll = next(p for n in range(9999) if (p := station.next_packet(n / 100)) is not None)
    for n in range(500):
        cable.now += 0.01
        if n % 50 == 0:
            cable.player.received("panel", poll, cable.now)
        cable.player.advance(cable.now)
    assert cable.said[0] == "panel.log:31: panel: felt has not given it up, as it had here"


def test_strictly_it_ends_there() -> None:
    cable = _Cable(panel_script(), strict=True)
    cable.runs(0.1)
    cable.tell(messages.SetWatchdog(1234))
    cable.runs(1)
    assert cable.player.tally.is_over
    assert cable.player.tally.events == 0


def test_it_speaks_under_the_keys_of_the_new_session() -> None:
    cable = _Cable(panel_script())
    hello = handshake.hello_to_bytes(Hello(PROTOCOL, bytes([9]) * NONCE_BYTES))
    device = cable.player.devices["panel"]
    assert isinstance(device, PlayedDevice)
    answer = device.received(Packet(Kind.HELLO, 1, 5, 0, hello), 0.0)
    assert answer is not None
    keys = SessionKeys.agreed(BENCH_KEY, bytes([9]) * NONCE_BYTES, bytes(range(NONCE_BYTES)))
    device.say(Says(at_us=0, where="", device="panel", seq=9, message=PRESSED))
    event = device.next_packet(1.0)
    assert event is not None
    assert keys.signed(event)
    assert (event.session, event.seq) == (5, 9)

"""What a log in a dialect means: a module that refuses what it is told, and is left alone then."""

from __future__ import annotations

import json
from pathlib import Path

from controller.technician import logs, scripted
from controller.technician.script import LeftAlone, Script, Shows
from drivers.contract import Settings
from drivers.dialects import rtu
from drivers.dialects.modbus import panel_line
from drivers.wire.capture import Capture, Heading
from drivers.wire.messages import Lights
from tests.drivers.dialects.bench import TURNAROUND, Bench
from tests.drivers.dialects.module import Module

#: What a module says that can't.
FAILED = 4


class Recorded(Bench):
    def __init__(self, folder: Path, module: Module) -> None:
        super().__init__(panel_line([(1, Settings("panel"))], boot=700), self._answered)
        self._folder = folder
        self.module = module
        given = json.dumps({"serial": "tty", "speaks": "modbus", "devices": ["panel"]})
        heading = Heading("T", "panel", "tty", "0", "pa-639a", "1 after entry 1", given)
        self._capture = Capture(folder, heading, clock=lambda: self.now, utc=lambda: self.now)
        self._capture.port("open tty", self.now)

    def _answered(self, frame: bytes, now: float) -> bytes:
        self._capture.sent(frame, now)
        answer = self.module(frame, now)
        if answer:
            self._capture.received(answer, now + TURNAROUND)
        return answer

    def script(self) -> Script:
        self._capture.close()
        (run,) = logs.read([self._folder]).runs
        return scripted.of_run(run, lambda _: None)


def test_a_module_that_was_turned_away_is_left_alone_and_answers_anew_meanwhile(
    tmp_path: Path,
) -> None:
    played = Recorded(tmp_path, Module())
    played.run(1.0)
    played.module.refuses[rtu.WRITE_COILS] = FAILED
    played.send(Lights("on", "off", "blink"))
    played.run(4.0)
    stages = [played.station.stage]
    played.module.refuses.clear()
    played.run(3.0)
    assert [*stages, played.station.stage] == ["refused", "ready"]
    steps = played.script().steps
    (left,) = [one for one in steps if isinstance(one, LeftAlone)]
    assert left.device == "panel"
    refused, done = [
        one for one in steps if isinstance(one, Shows) and one.is_done and not one.is_first
    ]
    assert rtu.refusal(refused.answer)
    assert not rtu.refusal(done.answer)
    # Nobody knows when: neither a felt that comes early nor one that is late must meet it.
    assert refused.at_us < left.at_us < done.at_us < left.until_us
    assert done.at_us == (left.at_us + left.until_us) // 2


def test_a_module_that_is_asked_all_the_time_is_not_left_alone(tmp_path: Path) -> None:
    played = Recorded(tmp_path, Module())
    played.run(5.0)
    played.module.is_silent = True
    played.run(10.0)
    played.module.is_silent = False
    played.run(10.0)
    assert played.station.stage == "ready"
    assert not [one for one in played.script().steps if isinstance(one, LeftAlone)]

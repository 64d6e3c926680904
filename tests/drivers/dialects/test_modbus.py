"""The panel on an input/output module: presses, lamps, and a module that goes and comes."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from drivers.contract import Settings
from drivers.dialects.modbus import Wiring, panel_line
from drivers.dialects.polled import MAX_EVENTS, PolledLine
from drivers.wire import messages
from drivers.wire.messages import Lights, LightsRead, Pressed
from drivers.wire.notices import Answered, Heard, Identified, Lost, NotSent, Refused, Unclear
from tests.drivers.dialects.bench import Bench
from tests.drivers.dialects.module import Module

LOCK_OUT, DEAL, VOID, FLOOR_KEY = range(4)


def line(**options: str | int | bool) -> PolledLine:
    return panel_line([(1, Settings("panel", options=options))], boot=700)


def panel(module: Module, *, chunk: int = 0, **options: str | int | bool) -> Bench:
    """A panel that was found and accepted."""
    bench = Bench(line(**options), module, chunk=chunk)
    bench.run(1.0)
    assert bench.station.stage == "ready"
    return bench


def press(bench: Bench, module: Module, button: int, seconds: float = 0.15) -> None:
    module.inputs[button] = True
    bench.run(seconds)
    module.inputs[button] = False
    bench.run(0.15)


# --- Who it is ------------------------------------------------------------------


def test_a_module_is_what_the_configuration_says_and_proves_nothing() -> None:
    bench = panel(Module(), model="IO 8CH", serial_number="A17")
    (found,) = bench.all_of(Identified)
    identity = found.identity
    assert (identity.kind, identity.model, identity.serial_number) == ("panel", "IO 8CH", "A17")
    assert (identity.boot, found.restarted) == (700, False)
    assert identity.firmware == bytes(32)
    assert "unproven" in identity.capabilities.split()


def test_the_serial_number_that_is_expected_is_the_one_it_has() -> None:
    wiring = Wiring.of(Settings("panel", serial_number="A17"))
    assert wiring.serial_number == "A17"


def test_a_module_that_does_not_know_who_it_is_keeps_its_configured_name() -> None:
    module = Module()
    bench = panel(module, asks_identity=True)
    assert bench.all_of(Identified)[0].identity.model == "I/O module"
    assert [r.function_code for r in module.requests].count(0x2B) == 1


def test_a_module_that_is_silent_to_that_question_is_found_all_the_same() -> None:
    module = Module()

    def deaf_to_it(frame: bytes, now: float) -> bytes:
        return b"" if frame[1] == 0x2B else module(frame, now)

    bench = Bench(line(asks_identity=True), deaf_to_it)
    bench.run(2.0)
    assert bench.station.stage == "ready"


def test_a_module_that_lets_inputs_switch_its_outputs_is_no_panel() -> None:
    module = Module()

    def linked(frame: bytes, now: float) -> bytes:
        module.coils[5] = True
        return module(frame, now)

    bench = Bench(line(), linked)
    bench.run(1.0)
    (refused,) = bench.all_of(Refused)
    assert refused.why == "its outputs do not stay as they are written"
    assert bench.station.stage == "refused"


# --- Presses --------------------------------------------------------------------


@pytest.mark.parametrize("chunk", [0, 1, 3])
@pytest.mark.parametrize("echo", [False, True])
def test_each_button_is_told_once_in_the_order_of_the_presses(chunk: int, echo: bool) -> None:
    module = Module(echo=echo)
    bench = panel(module, chunk=chunk)
    for button in (LOCK_OUT, DEAL, FLOOR_KEY, VOID):
        press(bench, module, button)
    pressed = [Pressed(button=b) for b in ("lock_out", "deal", "floor_key", "void")]
    assert bench.heard() == pressed
    heard = bench.all_of(Heard)
    assert [(one.boot, one.seq, one.missed) for one in heard] == [(700, n, 0) for n in (1, 2, 3, 4)]


def test_a_button_that_is_held_is_pressed_once() -> None:
    module = Module()
    bench = panel(module)
    press(bench, module, DEAL, seconds=5.0)
    assert bench.heard() == [Pressed(button="deal")]


def test_a_spark_between_two_looks_is_no_press() -> None:
    module = Module()
    bench = panel(module, debounce=3)
    inputs = iter([True, False, True, True, False, True, True, True, False, True, False])

    def sparking(frame: bytes, now: float) -> bytes:
        if frame[1] == 0x02:
            module.inputs[DEAL] = next(inputs, False)
        return module(frame, now)

    bench.peer = sparking
    bench.run(1.0)
    # Three looks in a row agreed once.
    assert bench.heard() == [Pressed(button="deal")]


def test_a_button_that_is_held_while_felt_arrives_was_not_pressed() -> None:
    module = Module()
    module.inputs[DEAL] = True
    bench = panel(module)
    module.inputs[DEAL] = False
    bench.run(0.2)
    assert bench.heard() == []
    press(bench, module, DEAL)
    assert bench.heard() == [Pressed(button="deal")]


def test_contacts_that_open_when_pressed() -> None:
    module = Module()
    module.inputs = [True] * 8
    bench = panel(module, pressed_is_open=True)
    module.inputs[VOID] = False
    bench.run(0.2)
    assert bench.heard() == [Pressed(button="void")]


def test_the_next_press_waits_until_the_one_before_it_is_safe() -> None:
    module = Module()
    bench = panel(module)
    bench.acknowledging = False
    press(bench, module, LOCK_OUT)
    press(bench, module, DEAL)
    assert bench.heard() == [Pressed(button="lock_out")]
    (first,) = bench.all_of(Heard)
    bench.station.acknowledge(first.boot, first.seq + 1)
    bench.run(0.1)
    assert len(bench.heard()) == 1
    bench.station.acknowledge(first.boot, first.seq)
    bench.run(0.1)
    assert bench.heard() == [Pressed(button="lock_out"), Pressed(button="deal")]


def test_presses_that_nobody_takes_are_counted_and_not_kept_for_ever() -> None:
    module = Module()
    bench = panel(module)
    bench.acknowledging = False
    for _ in range(MAX_EVENTS + 6):
        press(bench, module, DEAL)
    bench.acknowledging = True
    (first,) = bench.all_of(Heard)
    bench.station.acknowledge(first.boot, first.seq)
    bench.run(0.5)
    press(bench, module, DEAL)
    # One was out, so many waited, the rest is missing before the last.
    assert [one.missed for one in bench.all_of(Heard)] == [0] * (MAX_EVENTS + 1) + [5]


# --- Lamps ----------------------------------------------------------------------


def test_lamps_are_written_and_read_back() -> None:
    module = Module()
    bench = panel(module)
    lights = Lights(lock_out="on", deal="off", warning="on")
    assert bench.told(lights) == ("done", "")
    assert module.coils == [True, False, True, *[False] * 5]
    assert bench.heard() == [LightsRead(lock_out="on", deal="off", warning="on")]


def test_a_lamp_that_reads_otherwise_is_told_as_it_is() -> None:
    module = Module()
    bench = panel(module)

    def stuck(frame: bytes, now: float) -> bytes:
        module.coils[2] = False
        return module(frame, now)

    bench.peer = stuck
    outcome, detail = bench.told(Lights(lock_out="on", deal="off", warning="on"), seconds=0.2)
    assert (outcome, detail) == ("refused", "its outputs read otherwise than they were written")
    assert bench.heard() == [LightsRead(lock_out="on", deal="off", warning="off")]


def test_a_blinking_lamp_is_switched_by_felt() -> None:
    module = Module()
    bench = panel(module, blink_ms=500)
    assert bench.told(Lights(lock_out="off", deal="blink", warning="off"), seconds=0.2)[0] == "done"
    assert bench.heard() == [LightsRead(lock_out="off", deal="blink", warning="off")]
    seen = []
    for _ in range(6):
        seen.append(module.coils[1])
        bench.run(0.5)
    assert seen in ([True, False] * 3, [False, True] * 3)


def test_a_tone_ends_by_itself() -> None:
    module = Module()
    bench = panel(module)
    assert bench.told(messages.Tone(tone="win"), seconds=0.1) == ("done", "")
    assert module.coils[3]
    bench.run(1.5)
    assert not module.coils[3]


def test_a_panel_without_a_horn_does_not_know_tones() -> None:
    bench = panel(Module(), tone_output=-1)
    assert bench.told(messages.Tone(tone="win")) == ("unknown", "")


def test_letting_go_leaves_the_panel_dark() -> None:
    module = Module()
    bench = panel(module)
    bench.told(Lights(lock_out="on", deal="blink", warning="on"))
    assert bench.told(messages.Quiesce()) == ("done", "")
    assert module.coils == [False] * 8
    bench.run(3.0)
    assert module.coils == [False] * 8


def test_a_report_is_what_the_lamps_read() -> None:
    bench = panel(Module())
    assert bench.told(messages.Report()) == ("done", "")
    assert bench.heard() == [LightsRead(lock_out="off", deal="off", warning="off")]


def test_a_module_has_no_watchdog_and_says_so() -> None:
    outcome, detail = panel(Module()).told(messages.SetWatchdog(milliseconds=3000))
    assert outcome == "unknown"
    assert "watchdog" in detail


def test_a_refusal_says_why() -> None:
    module = Module()
    bench = panel(module)
    module.refuses[0x0F] = 4
    lights = Lights(lock_out="on", deal="off", warning="off")
    number = bench.send(lights)
    bench.run(0.03)
    assert bench.all_of(Answered) == [Answered(number, lights, "refused", "it failed")]


# --- Going and coming -----------------------------------------------------------


def test_a_module_that_falls_silent_is_lost_and_found_again_as_another_boot() -> None:
    module = Module()
    bench = panel(module)
    module.is_silent = True
    bench.run(1.0)
    assert [notice.why for notice in bench.all_of(Lost)] == ["no answer to 5 tries"]
    module.is_silent = False
    bench.run(6.0)
    assert [(one.identity.boot, one.restarted) for one in bench.all_of(Identified)] == [
        (700, False),
        (701, True),
    ]
    press(bench, module, DEAL)
    (heard,) = bench.all_of(Heard)
    assert (heard.boot, heard.seq) == (701, 1)


def test_a_module_that_restarted_between_two_looks_is_noticed_by_its_lamps() -> None:
    module = Module()
    bench = panel(module)
    bench.told(Lights(lock_out="on", deal="off", warning="off"))
    module.restart()
    bench.run(2.0)
    assert len(bench.all_of(Lost)) == 1
    assert bench.all_of(Identified)[-1].restarted


def test_commands_that_nobody_is_there_for_are_not_sent_later() -> None:
    module = Module()
    module.is_silent = True
    bench = Bench(line(), module)
    bench.run(0.1)
    lights = Lights(lock_out="on", deal="off", warning="off")
    number = bench.send(lights, within=0.5)
    bench.run(1.0)
    assert bench.all_of(NotSent) == [NotSent(number, lights, "the device was not there in time")]
    module.is_silent = False
    bench.run(6.0)
    assert module.coils == [False] * 8


def test_a_command_that_was_begun_and_never_answered_is_unclear() -> None:
    module = Module()
    bench = panel(module)
    module.is_silent = True
    lights = Lights(lock_out="on", deal="off", warning="off")
    number = bench.send(lights, within=0.3)
    bench.run(1.0)
    assert bench.all_of(Unclear) == [Unclear(number, lights, "the device did not answer in time")]


def test_a_cut_line_loses_everyone_at_once_and_begins_anew() -> None:
    module = Module()
    bench = panel(module)
    bench.line.cut(bench.now, "unplugged")
    bench.run(1.0)
    assert [notice.why for notice in bench.all_of(Lost)] == ["unplugged"]
    assert bench.station.stage == "ready"


def test_accepting_one_that_is_gone_already_does_nothing() -> None:
    module = Module()
    bench = Bench(line(), module, accepting=False)
    bench.run(0.5)
    bench.line.cut(bench.now, "unplugged")
    bench.station.accept(bench.now)
    assert bench.station.stage == "silent"


def test_an_answer_that_comes_after_it_was_asked_again_answers_nothing_else() -> None:
    """Every reply is one request late: felt must not read old contacts for new ones."""
    module = Module()
    bench = panel(module)
    late: list[bytes] = []

    def slow_once(frame: bytes, now: float) -> bytes:
        late.append(module(frame, now))
        if len(late) == 1:
            return b""
        bench.peer = module
        return late[0] + late[1]

    bench.peer = slow_once
    press(bench, module, DEAL, seconds=0.5)
    assert bench.heard() == [Pressed(button="deal")]
    assert bench.station.retries == 1
    assert bench.line.counts.garbage == len(late[1])


# --- Several, and garbage --------------------------------------------------------


def test_two_panels_on_one_line_and_one_of_them_absent() -> None:
    present = Module(unit=12)
    devices = [(n, Settings(f"panel {n}", options={"first_unit": 11})) for n in (1, 2)]
    bench = Bench(panel_line(devices, boot=1), present)
    bench.run(2.0)
    assert [station.stage for station in bench.line.stations] == ["silent", "ready"]
    press(bench, present, DEAL)
    assert bench.heard(address=2) == [Pressed(button="deal")]


@settings(max_examples=50)
@given(noise=st.lists(st.binary(max_size=300), max_size=8))
def test_noise_never_raises_never_grows_and_is_got_over(noise: list[bytes]) -> None:
    module = Module()
    remaining = iter(noise)

    def noisy(frame: bytes, now: float) -> bytes:
        said = next(remaining, None)
        return module(frame, now) if said is None else said

    bench = Bench(line(poll_ms=1000), noisy)
    bench.run(30.0)
    assert bench.station.stage == "ready"
    assert len(bench.line._heard) < 300


@settings(max_examples=50)
@given(
    prefix=st.binary(max_size=40),
    suffix=st.binary(max_size=40),
    cuts=st.lists(st.integers(1, 9), min_size=1),
)
def test_how_bytes_are_cut_does_not_matter(prefix: bytes, suffix: bytes, cuts: list[int]) -> None:
    answer = bytes.fromhex("01 02 01 00 A1 88")
    results = []
    for sizes in ([1000], cuts):
        one = line()
        one.to_write(0.0)
        stream, at, n = prefix + answer + suffix, 0, 0
        while at < len(stream):
            size = sizes[n % len(sizes)]
            one.received(stream[at : at + size], 0.01)
            at, n = at + size, n + 1
        results.append((one.counts, one.to_write(0.02), one._heard))
    assert results[0] == results[1]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"deal_input": 8}, "there is no input 8"),
        ({"deal_input": 0}, "an input is used twice"),
        ({"warning_lamp": 1}, "an output is used twice"),
        ({"poll_ms": 0}, "poll_ms"),
        ({"deal_input": "one"}, "deal_input"),
    ],
)
def test_wiring_that_can_not_be_is_refused(options: dict[str, str | int], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        line(**options)


def test_two_devices_at_one_place_are_refused() -> None:
    device = (1, Settings("panel"))
    with pytest.raises(ValueError, match="same address"):
        panel_line([device, device], boot=1)
    with pytest.raises(ValueError, match="1 to 7"):
        panel_line([], boot=1)
    with pytest.raises(ValueError, match="1 to 7"):
        panel_line([(8, Settings("panel"))], boot=1)

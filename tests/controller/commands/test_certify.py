"""``felt certify`` on real wires: a port, a broker, somebody at the device, and a report of it."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from controller.certify import report
from controller.cli import main
from simulators.device import firmware_of
from tests.drivers.wire.mosquitto import Mosquitto

#: Only so that a test ends at all.
PATIENCE_S = 900.0
FELT = (sys.executable, "-m", "controller")
#: Some that take no minute and hang on nobody's speed.
QUICK = ("every.identity", "every.answer", "works.unknown", "panel.lights", "panel.pressed",
         "works.boot")  # fmt: skip


def only(*ids: str) -> list[str]:
    return [word for id_ in ids for word in ("--only", id_)]


def certify(*words: str, given: str | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*FELT, "certify", *words],
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
        input=given,
    )


def simulated(kind: str, port: Path, *more: str) -> list[str]:
    words = [*FELT, "simulate", kind, "--port", str(port), *more]
    return ["--port", str(port), "--start", " ".join(words)]


def verdicts(made: dict[str, Any]) -> dict[str, str]:
    return {one["id"]: one["verdict"] for one in made["checks"]}


def test_a_device_that_is_a_process(tmp_path: Path) -> None:
    file, key = tmp_path / "report.json", tmp_path / "maker.key"
    done = certify(
        "panel", *simulated("panel", tmp_path / "panel"), *only(*QUICK),
        "--report", str(file), "--sign-with", str(key),
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert "passed     bronze  panel.pressed" in done.stdout
    assert stat.S_IMODE(key.stat().st_mode) == 0o400
    made = json.loads(file.read_bytes())
    assert verdicts(made) == dict.fromkeys(verdicts(made), "passed")
    assert set(verdicts(made)) == set(QUICK)
    assert made["device"]["firmware"] == firmware_of("panel").hex()
    assert len(made["device"]["boots"]) == 2
    assert made["bench key"] is True
    # Some checks are no run.
    assert made["grade"] == "none"
    assert "a grade takes all of them" in done.stdout
    by = made["signed"]["key"]
    assert by in done.stdout
    assert report.verified(made, by).name == "felt/certify"
    # As whoever gets it checks it, however it is laid out.
    file.write_text(json.dumps(made, sort_keys=True))
    assert certify("--verify", str(file), "--with-key", by).returncode == 0
    made["device"]["serial_number"] = "another"
    file.write_text(json.dumps(made))
    wrong = certify("--verify", str(file), "--with-key", by)
    assert wrong.returncode == 2
    assert "something in it was changed" in wrong.stderr
    # The same key at the next time.
    again = certify(
        "panel", *simulated("panel", tmp_path / "panel"), *only("every.identity"),
        "--report", str(file), "--sign-with", str(key), "--json",
    )  # fmt: skip
    assert json.loads(again.stdout)["signed"]["key"] == by


def test_what_fails_is_named(tmp_path: Path) -> None:
    key = tmp_path / "other.key"
    key.write_text("07" * 32)
    done = certify(
        "panel", *simulated("panel", tmp_path / "panel"), "--key-file", str(key),
        *only("every.identity", "panel.lights"),
    )  # fmt: skip
    assert done.returncode == 1
    assert "FAILED     bronze  every.identity" in done.stdout
    assert "the page: It answers every HELLO with its identity and a proof" in done.stdout
    assert "seen: its proof is not made with this key" in done.stdout
    assert "not tried  bronze  panel.lights" in done.stdout
    assert "Traceback" not in done.stderr


def test_nobody_is_there_to_do_it(tmp_path: Path) -> None:
    port = tmp_path / "panel"
    with subprocess.Popen(
        [*FELT, "simulate", "panel", "--port", str(port)], stdout=subprocess.DEVNULL
    ) as device:
        try:
            _there(port)
            done = certify(
                "panel", "--port", str(port), "--alone", *only("panel.pressed", "panel.tone")
            )
        finally:
            device.terminate()
    assert done.returncode == 1
    assert "not tried  bronze  panel.pressed: nobody was there to do it" in done.stdout
    assert "passed     bronze  panel.tone" in done.stdout


def _there(port: Path) -> None:
    end = time.monotonic() + PATIENCE_S
    while not port.is_symlink():
        assert time.monotonic() < end
        time.sleep(0.02)


def test_a_hook_does_it(tmp_path: Path) -> None:
    """Whatever it is told ends up at the device: here through a pipe that the device reads."""
    port, pipe, script = tmp_path / "panel", tmp_path / "pipe", tmp_path / "hook"
    os.mkfifo(pipe)
    script.write_text(
        f'#!/bin/sh\ncase "$1" in *floor_key*) exit 3;; *void*) echo broken >&2; exit 1;; esac\n'
        f'echo "$1" > {pipe}\n'
    )
    script.chmod(0o755)
    held = os.open(pipe, os.O_RDWR)
    try:
        with subprocess.Popen(
            [*FELT, "simulate", "panel", "--port", str(port)], stdin=held, stdout=subprocess.DEVNULL
        ) as device:
            try:
                _there(port)
                done = certify(
                    "panel", "--port", str(port), "--hook", str(script),
                    *only("panel.pressed", "panel.floor_key", "every.door"),
                )  # fmt: skip
            finally:
                device.terminate()
    finally:
        os.close(held)
    assert "passed     gold    every.door" in done.stdout, done.stdout + done.stderr
    assert "-          gold    panel.floor_key: the hook says that it can't be done" in done.stdout
    assert "not tried  bronze  panel.pressed: the hook ended with 1" in done.stdout
    assert "broken" in done.stdout
    assert done.returncode == 1


def test_at_a_broker(tmp_path: Path) -> None:
    broker = Mosquitto(tmp_path)
    broker.start()
    try:
        at = str(broker.account())
        start = " ".join([*FELT, "simulate", "panel", "--mqtt", at, "--table", "t9"])
        done = certify(
            "panel", "--mqtt", at, "--table", "t9", "--start", start,
            *only("every.identity", "mqtt.state", "mqtt.deadline", "mqtt.schema", "works.unknown",
                  "panel.pressed"),
        )  # fmt: skip
    finally:
        broker.kill()
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.slow
def test_all_of_it_on_a_port(tmp_path: Path) -> None:
    """Real time and a real power cut, so that what is late on a busy machine is no verdict here."""
    program = tmp_path / "program"
    program.write_text("felt simulator of a acceptor")
    file = tmp_path / "report.json"
    done = certify(
        "acceptor", *simulated("acceptor", tmp_path / "acceptor"), "--kill",
        "--firmware", str(program), "--report", str(file), "--want", "bronze",
    )  # fmt: skip
    made = json.loads(file.read_bytes())
    late = {"link.in-time", "link.again", "every.safe", "works.safe", "power.watchdog"}
    failed = {id_ for id_, verdict in verdicts(made).items() if verdict in ("failed", "not tried")}
    assert failed <= late, done.stdout
    assert len(verdicts(made)) > 70


# --- What a person gives ------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ((), "what is to be certified?"),
        (("badge",), "there is no 'badge'"),
        (("panel",), "where is the device?"),
        (("panel", "--port", "/dev/nothing", "--alone"), "/dev/nothing is not there"),
        (("panel", "--port", "/dev/null", "--address", "300"), "300 is no address"),
        (("panel", "--port", "/dev/null", "--baud", "3"), "no line has 3 baud"),
        (("panel", "--port", "/dev/null", "--only", "works.wonders"), "no check 'works.wonders'"),
        (("panel", "--port", "/dev/null", "--kill"), "there is nothing to kill"),
        (("panel", "--mqtt", ":99999"), "is no host and port"),
        (("panel", "--mqtt", "localhost", "--bus"), "nobody is polled at a broker"),
        (("panel", "--mqtt", "localhost", "--table", "//"), "makes no name for a topic"),
        (("panel", "--port", "/dev/null", "--firmware", "/nothing"), "can't be read"),
        (("panel", "--port", "/dev/null", "--sign-with", "/dev/null"), "is not a key"),
        (("panel", "--port", "/dev/null", "--start", "/no/such/program"), "can't be started"),
        (("--verify", "/nothing"), "can't be read"),
        (("--verify", "/dev/null"), "it is no JSON"),
    ],
)
def test_bad_input_is_said(words: Sequence[str], why: str, capsys: Any) -> None:
    assert main(["certify", *words]) == 2
    told = capsys.readouterr()
    assert why in told.err
    assert not told.out


def test_a_port_on_which_nobody_answers(tmp_path: Path, capsys: Any) -> None:
    master, slave = os.openpty()
    try:
        words = ["certify", "panel", "--port", os.ttyname(slave), "--alone"]
        assert main(words) == 2
    finally:
        os.close(master)
        os.close(slave)
    assert "nobody answers a hello at address 1" in capsys.readouterr().err


def test_checks_are_listed(capsys: Any) -> None:
    assert main(["certify", "?"]) == 0
    listed = capsys.readouterr().out
    assert "works.noise" in listed
    assert "it survives random bytes" in listed

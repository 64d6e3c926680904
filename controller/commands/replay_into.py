"""``felt replay --into``: recorded devices, played to a felt that runs."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import os
import signal
import sys
from pathlib import Path

from controller.commands.pace import speed_of
from controller.daemon import secrets
from controller.daemon.client import SOCKET
from controller.rules.faults import Refused
from controller.technician import acting, doing, scripted, staging
from controller.technician.logs import Damages, Run
from controller.technician.past import Past
from controller.technician.playing import LEAST_PATIENCE_S, PATIENCE_S, Player, Tally
from controller.technician.script import Script
from drivers.wire.broker_client import Account
from drivers.wire.keys import NONCE_BYTES

OTHERWISE = 1
#: Until it is said once that nobody has come.
WAITS_S = 5.0
#: Nobody waits longer than this for what felt does not do.
LONGEST_PATIENCE_S = 3600.0


def run(given: argparse.Namespace, found: Run, before: Past, damage: Damages) -> int:
    speed = speed_of(given.speed or "real")
    if not speed:
        raise Refused("--speed", "a felt that runs has its own pace", "real, or a number")
    patience = PATIENCE_S if given.patience is None else float(given.patience)
    if not LEAST_PATIENCE_S <= patience <= LONGEST_PATIENCE_S:
        problem = f"{patience:g} seconds are no time to wait"
        step = f"from {LEAST_PATIENCE_S:g} to {LONGEST_PATIENCE_S:g}"
        raise Refused("--patience", problem, step)
    pins = doing.pins_from(given.pins)
    broker = staging.broker_for(found, given.broker)
    keys = _keys(given, found)
    made = scripted.of_run(found, lambda name: _known(keys, name))
    if not any(part.first_us is not None for part in made.parts.values()):
        raise Refused("logs", "no device in them says who it is", "name logs from felt's start")
    if given.acts:
        made.add(acting.acts_of(found, before, made.remarks))
    for one in (*damage.said(), *made.remarks):
        _warn(one)
    table = _written(given.into, found, before, keys, broker if given.broker else None)
    if before.table.round or before.after > 1:
        _warn(
            f"the record begins at entry {before.after} in round {before.table.round}: "
            "a new table stands elsewhere, so it will be told what it does not expect"
        )
    if not given.json:
        sys.stdout.write(f"felt run --config {table}\n")
        sys.stdout.flush()
    playing = _played(given, found, made, keys, pins, broker=broker, speed=speed, patience=patience)
    tally = asyncio.run(playing)
    _tell(tally, as_json=given.json)
    return OTHERWISE if tally.strange or not tally.is_over else 0


def _keys(given: argparse.Namespace, found: Run) -> Path:
    """The folder of the keys that the felt has which is played to."""
    folder: Path = given.into / "secrets"
    names = [
        name
        for wire in found.wires.values()
        if wire.given.get("speaks", "felt") == "felt"
        for name in wire.given.get("devices", ())
    ]
    try:
        given.into.mkdir(parents=True, exist_ok=True)
        if given.secrets is None or given.secrets.absolute() == folder.absolute():
            staging.keys_for(folder, names)
        else:
            staging.keys_of(folder, given.secrets, names)
    except OSError as error:
        raise Refused("--into", f"{error.filename} can't be made: {error.strerror}") from None
    return folder


def _known(folder: Path, name: str) -> bytes | None:
    with contextlib.suppress(Refused):
        return secrets.key(folder, name)
    return None


def _written(folder: Path, found: Run, before: Past, keys: Path, broker: Account | None) -> Path:
    file = folder / "table.toml"
    terms = json.loads(before.data)
    text = staging.table_file(folder, found, terms, keys, broker)
    try:
        file.write_text(text, encoding="utf-8")
    except OSError as error:
        raise Refused(str(file), f"can't be written: {error.strerror}") from None
    return file


async def _played(
    given: argparse.Namespace,
    found: Run,
    made: Script,
    keys: Path,
    pins: doing.Pins,
    *,
    broker: Account | None,
    speed: float,
    patience: float,
) -> Tally:

    def key(name: str) -> bytes:
        return secrets.key(keys, name)

    theatre = staging.Theatre(
        given.into,
        found,
        made,
        broker=broker,
        key=key,
        people=doing.Doing(given.into / "run" / SOCKET, pins, patience),
    )
    player = Player(
        made,
        key,
        lambda: os.urandom(NONCE_BYTES),
        theatre,
        _warn,
        speed=speed,
        strict=given.strict,
        patience=patience,
    )
    playing = asyncio.ensure_future(theatre.run(player, stays=given.stay))
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, playing.cancel)
    asked = loop.call_later(WAITS_S, _waits, player)
    try:
        await playing
    except asyncio.CancelledError:
        pass  # a person has seen enough
    finally:
        asked.cancel()
    return player.tally


def _waits(player: Player) -> None:
    if not player.has_begun:
        _warn(f"felt has not greeted {', '.join(player.waits_for)} yet: start it, it is waited for")


def _warn(text: str) -> None:
    sys.stderr.write(f"felt replay: {text}\n")
    sys.stderr.flush()


def _tell(tally: Tally, *, as_json: bool) -> None:
    if as_json:
        said = {
            "over": tally.is_over,
            "events": tally.events,
            "answers": tally.answers,
            "acts": tally.acts,
            "otherwise": tally.strange,
        }
        sys.stdout.write(json.dumps(said) + "\n")
        return
    what = "played" if tally.is_over else "stopped"
    acts = f", {tally.acts} acts of people" if tally.acts else ""
    sys.stdout.write(f"{what}: {tally.events} events said, {tally.answers} commands heard{acts}\n")
    if tally.strange:
        places = "place" if len(tally.strange) == 1 else "places"
        sys.stdout.write(f"felt did otherwise in {len(tally.strange)} {places}\n")
    elif tally.is_over:
        sys.stdout.write("felt did all as it had\n")

"""A key for each round, that is gone when the last card of the round is open."""

from __future__ import annotations

import gc
import os
from base64 import b64encode
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305

from controller.daemon import sealing, secrets
from controller.daemon.clock import Clock
from controller.daemon.reveals import SEALS
from controller.daemon.sealing import ROUND, Kept, Sealer, opened_by_auditors, public_of
from controller.rules.faults import Refused
from controller.table import events
from tests.controller.daemon.house import KEY, House, table_file
from tests.drivers.wire.plugs import until

AUDITORS = bytes(range(32, 64))
ROUNDS = bytes(range(64, 96))
FACES = (1, 14, 27, 40, 5)


def sealer(folder: Path) -> Sealer:
    return Sealer(public_of(AUDITORS), kept=Kept(folder / ROUND, ROUNDS))


def can_open(sealer: Sealer, sealed: str) -> bool:
    try:
        return sealer.open(sealed) == FACES
    except Refused:
        return False


@pytest.mark.rule("R12")
def test_the_round_that_is_played_outlives_a_restart_and_no_other_does(tmp_path: Path) -> None:
    one = sealer(tmp_path)
    past = one.seal(bytes(FACES))
    one.forget()
    one.keep()
    now = one.seal(bytes(FACES))
    # Whoever has the disk and all that felt is given opens what felt itself would.
    thief = sealer(tmp_path)
    assert (can_open(thief, past), can_open(thief, now)) == (False, True)
    one.forget()
    one.keep()
    future = one.seal(bytes(FACES))
    assert not can_open(thief, future)
    assert not can_open(sealer(tmp_path), now)


@pytest.mark.rule("R12")
def test_a_copy_of_the_disk_without_the_sealed_key_opens_nothing(tmp_path: Path) -> None:
    sealed = sealer(tmp_path).seal(bytes(FACES))
    kept = (tmp_path / ROUND).read_bytes()
    for key in (os.urandom(32), public_of(AUDITORS), AUDITORS):
        assert Kept(tmp_path / ROUND, key).load() is None
        thief = Sealer(public_of(AUDITORS), kept=Kept(tmp_path / "other", key))
        assert not can_open(thief, sealed)
    assert (tmp_path / ROUND).read_bytes() == kept
    assert (tmp_path / ROUND).stat().st_mode & 0o777 == 0o600


@pytest.mark.rule("R12")
def test_the_key_of_the_last_round_is_overwritten_where_it_was(tmp_path: Path) -> None:
    one = sealer(tmp_path)
    one.seal(bytes(FACES))
    before, key = (tmp_path / ROUND).stat(), bytes(one._key)
    held = one._key
    one.forget()
    one.keep()
    after = (tmp_path / ROUND).stat()
    assert (before.st_ino, before.st_size) == (after.st_ino, after.st_size)
    # Nor does it lie about in memory in any object of Python's.
    assert key not in bytes(held)
    gc.collect()
    assert one._escrow == b""


@pytest.mark.rule("R12")
def test_auditors_open_any_round_and_nobody_with_another_key_does(tmp_path: Path) -> None:
    one = sealer(tmp_path)
    rounds = []
    for _ in range(3):
        rounds.append(one.seal(bytes(FACES)))
        one.forget()
    for sealed in rounds:
        assert opened_by_auditors(AUDITORS, sealed) == FACES
        for key in (ROUNDS, public_of(AUDITORS), os.urandom(32)):
            with pytest.raises(Refused, match="can't be opened with this key"):
                opened_by_auditors(key, sealed)


def test_what_was_sealed_before_rounds_had_keys_is_still_opened() -> None:
    nonce = bytes(range(12))
    old = b64encode(nonce + ChaCha20Poly1305(AUDITORS).encrypt(nonce, bytes(FACES), b"felt"))
    assert opened_by_auditors(AUDITORS, old.decode()) == FACES


@pytest.mark.parametrize("data", [b"", b"x", b"AAAA", b"\0" * 81, b"A" * 80])
def test_a_key_of_a_round_that_is_none_is_made_anew(tmp_path: Path, data: bytes) -> None:
    (tmp_path / ROUND).write_bytes(data)
    one = sealer(tmp_path)
    assert can_open(sealer(tmp_path), one.seal(bytes(FACES)))


def test_the_keys_of_a_folder(tmp_path: Path) -> None:
    """Where the auditors' own lies there, all follows from it; else only its half is there."""
    with pytest.raises(Refused, match=r"faces\.key: is missing"):
        sealing.keys(tmp_path)
    (tmp_path / "faces.key").write_text(AUDITORS.hex())
    assert sealing.keys(tmp_path)[0] == public_of(AUDITORS)
    assert not secrets.is_unsealed(tmp_path)
    (tmp_path / "faces.key").unlink()
    (tmp_path / "secrets_faces.pub").write_text(public_of(AUDITORS).hex())
    with pytest.raises(Refused, match=r"rounds\.key: is missing"):
        sealing.keys(tmp_path)
    (tmp_path / "sealed_rounds.key").write_text(ROUNDS.hex())
    assert sealing.keys(tmp_path) == (public_of(AUDITORS), ROUNDS)
    assert secrets.is_unsealed(tmp_path)


# --- At a table ---------------------------------------------------------------


async def test_a_service_forgets_the_key_where_no_card_can_be_revealed(tmp_path: Path) -> None:
    async with House(table_file(tmp_path)).running() as house:
        sealer = house.service.sealer
        sealed = sealer.seal(bytes(FACES))
        assert can_open(sealer, sealed)
        at = Clock().wall_ms()
        await house.service.core.post(events.DeviceFaulted(at=at, device="panel", nature="door"))
        await until(lambda: not can_open(sealer, sealed))
        kept = Kept(house.configuration.state / ROUND, KEY)
        await until(lambda: kept.load() == sealer._key)


async def test_status_says_whether_the_keys_lie_in_plain(tmp_path: Path) -> None:
    async with House(table_file(tmp_path)).with_desk().running() as house:
        check = await house.asks("self_check")
        (said,) = [one for one in check["checked"] if one["what"] == SEALS]
        assert said["verdict"] == "remark"
        assert "lie in plain" in said["found"]
        folder = house.configuration.secrets
        (folder / "sealed_rounds.key").write_text(ROUNDS.hex())
        (folder / "faces.pub").write_text(public_of(AUDITORS).hex())
        check = await house.asks("self_check")
        (said,) = [one for one in check["checked"] if one["what"] == SEALS]
        assert said["verdict"] == "ok"

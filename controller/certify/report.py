"""What came of a run: for people in words, for machines as JSON, and signed.

The signature is by Ed25519 over the report's JSON with sorted keys and nothing between them, under
a name and a key as ``felt keys`` prints them for the heads of a journal.
"""

from __future__ import annotations

import base64
import binascii
import json
from collections import Counter
from collections.abc import Sequence
from typing import Any

import msgspec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from controller import __version__
from controller.certify.bench import Bench
from controller.certify.running import grade
from controller.certify.timing import BARS_MS, Times
from controller.certify.verdict import GRADES, Result
from controller.journal.notes import BadNote, Key, is_signed, key_of
from drivers.wire.keys import BENCH_KEY

FORMAT = 1
SIGNER = "felt/certify"
#: A report is a few hundred lines; a file that is longer is none.
MAX_REPORT_BYTES = 4 * 1024 * 1024

Report = dict[str, Any]


class BadReport(ValueError):
    """What was given is no report, or not as it was signed; in words."""


# --- What it says -------------------------------------------------------------------


def made(bench: Bench, results: Sequence[Result], at: str, wanted: str) -> Report:
    """``at`` is when, as people write it."""
    talk, identity = bench.talk, bench.talk.identity
    reached = grade(results)
    device: dict[str, Any] = {"kind": bench.kind}
    if identity is not None:
        device |= msgspec.structs.asdict(identity)
        del device["nonce"]
        device["firmware"] = identity.firmware.hex()
        device["capabilities"] = " ".join(
            word for word in identity.capabilities.split() if not word.startswith("kept:")
        )
        device["boots"] = talk.boots
    return {
        "format": FORMAT,
        "felt": __version__,
        "at": at,
        "device": device,
        "wire": {"kind": bench.medium.wire, "where": str(bench.medium)},
        "bench key": talk.key == BENCH_KEY,
        "grade": reached or "none",
        "wanted": wanted,
        "repeated requests": talk.lost,
        "checks": [
            {
                "id": one.check.id,
                "grade": one.check.grade,
                "says": one.check.says,
                "verdict": one.verdict,
                "found": one.found,
                "seconds": round(one.seconds, 3),
            }
            for one in results
        ],
        "timing": [_timing(one) for one in (talk.answers, talk.repeats, bench.watchdogs)],
    }


def _timing(times: Times) -> dict[str, Any]:
    limit = times.limit
    return {
        "what": limit.what,
        "least ms": limit.least_ms,
        "most ms": limit.most_ms,
        "percent": limit.percent,
        "measured": len(times.seconds),
        "up to ms": [*BARS_MS, None],
        "counts": times.bars,
        "half ms": round(times.percentile_ms(50), 2),
        "longest ms": round(times.percentile_ms(100), 2),
    }


# --- For people ---------------------------------------------------------------------

_MARKS = {"passed": "passed", "failed": "FAILED", "not tried": "not tried", "not for it": "-"}
BAR = 40


def line(result: Result) -> str:
    """One check, as it is known."""
    check = result.check
    said = f"{_MARKS[result.verdict]:9}  {check.grade:6}  {check.id}"
    if result.verdict == "failed":
        return f"{said}\n           the page: {check.says}\n           seen: {result.found}"
    return f"{said}: {result.found}" if result.found else said


def words(report: Report) -> str:
    """The end of a run: who it is, how long it takes, and what it has reached."""
    device, checks = report["device"], report["checks"]
    lines = [
        "",
        f"{device['kind']} {device.get('model', '?')} {device.get('serial_number', '?')}, "
        f"firmware {device.get('firmware', '?')}",
        f"on {report['wire']['where']}, by felt {report['felt']}, {report['at']}",
    ]
    if report["bench key"]:
        lines.append("with the bench key, which everybody knows: give it a key of its own to play")
    if report["repeated requests"]:
        lines.append(f"{report['repeated requests']} requests had to be repeated")
    for timing in report["timing"]:
        lines += _histogram(timing)
    lines.append("")
    for name in GRADES:
        counts = Counter(one["verdict"] for one in checks if one["grade"] == name)
        said = ", ".join(f"{counts[verdict]} {verdict}" for verdict in _MARKS if counts[verdict])
        lines.append(f"{name:6}  {said or 'nothing was tried'}")
    lines += ["", f"grade: {report['grade']}", *_next(report)]
    return "\n".join(lines) + "\n"


def _next(report: Report) -> list[str]:
    """What is in the way of the next grade."""
    order = ["none", *GRADES]
    if report["grade"] == GRADES[-1]:
        return []
    above = order[order.index(report["grade"]) + 1]
    missing = [
        one
        for one in report["checks"]
        if one["grade"] == above and one["verdict"] in ("failed", "not tried")
    ]
    return [f"for {above} it lacks:"] + [
        f"  {one['id']} ({one['verdict']}): {one['found']}" for one in missing
    ]


def _histogram(timing: dict[str, Any]) -> list[str]:
    if not timing["measured"]:
        return []
    limit = f"at most {timing['most ms']:g} ms"
    if timing["least ms"]:
        limit = f"{timing['least ms']:g} to {timing['most ms']:g} ms"
    lines = ["", f"{timing['what']}: the page has {limit}, for {timing['percent']} of 100"]
    most = max(timing["counts"])
    for up_to, count in zip(timing["up to ms"], timing["counts"], strict=True):
        if count:
            name = f"to {up_to} ms" if up_to else f"over {BARS_MS[-1]} ms"
            bar = "#" * max(1, count * BAR // most)
            lines.append(f"  {name:12} {count:6}  {bar}")
    lines.append(
        f"  half of them in {timing['half ms']:g} ms, the longest {timing['longest ms']:g}"
    )
    return lines


# --- Signed -------------------------------------------------------------------------


def body(report: Report) -> bytes:
    """The bytes that are signed."""
    said = {name: value for name, value in report.items() if name != "signed"}
    return json.dumps(said, sort_keys=True, separators=(",", ":"), ensure_ascii=True).encode()


def signer(seed: bytes) -> Key:
    private = Ed25519PrivateKey.from_private_bytes(seed)
    return Key(SIGNER, private.public_key().public_bytes_raw())


def signed(report: Report, seed: bytes) -> Report:
    made_ = Ed25519PrivateKey.from_private_bytes(seed).sign(body(report))
    signature = base64.b64encode(made_).decode()
    return {**report, "signed": {"key": str(signer(seed)), "ed25519": signature}}


def read(text: bytes) -> Report:
    if len(text) > MAX_REPORT_BYTES:
        raise BadReport("it is longer than any report")
    try:
        report = json.loads(text)
    except (ValueError, RecursionError):
        raise BadReport("it is no JSON") from None
    if not isinstance(report, dict) or report.get("format") != FORMAT:
        raise BadReport(f"it is no report of felt certify with format {FORMAT}")
    if report.get("grade") not in ("none", *GRADES) or not isinstance(report.get("device"), dict):
        raise BadReport("it names no grade and no device")
    return report


def verified(report: Report, key: str) -> Key:
    """The key that it is signed with, if that is this one. ``BadReport`` says why not."""
    said = report.get("signed")
    if not isinstance(said, dict):
        raise BadReport("it is not signed")
    try:
        wanted, made_by = key_of(key), key_of(str(said.get("key", "")))
        signature = base64.b64decode(str(said.get("ed25519", "")), validate=True)
    except BadNote as why:
        raise BadReport(str(why)) from None
    except (binascii.Error, ValueError):
        raise BadReport("its signature is no base64") from None
    if wanted != made_by:
        raise BadReport(f"it is signed with {made_by}, and not with this key")
    if not is_signed(wanted.public, body(report), signature):
        raise BadReport("it is not as it was signed: something in it was changed")
    return wanted

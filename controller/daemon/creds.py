"""Keys that only this PC's systemd opens, for the service alone: its encrypted credentials.

With a TPM the key that seals them never leaves the chip. Without one it lies on the same disk, for
root only: then whoever copies the whole disk has both.
"""

from __future__ import annotations

import base64
import shutil
import subprocess
from pathlib import Path

from controller.rules.faults import Refused

PROGRAM = "systemd-creds"
PATIENCE_S = 60.0
#: How each begins, by what it was sealed with.
_BEGINS = {
    "5a1c6a86df9d4096b1d5a65e0862f19a": "host",
    "0c7cc07b117645919c4b0bea08bc20fe": "the TPM",
    "faf7eb9341e3412ca1a436f95a29362f": "the TPM",
    "93a894094874449090caf2fc93cab553": "this PC and its TPM",
    "af4950a849134eb1a73846304ff30c05": "this PC and its TPM",
}
_BEGIN_BYTES = 16


def are_there() -> bool:
    return shutil.which(PROGRAM) is not None


def seal(name: str, data: bytes) -> bytes:
    """As the service will be given it under this name, or ``Refused``."""
    return _run("encrypt", name, data)


def unseal(name: str, sealed: bytes) -> bytes:
    return _run("decrypt", name, sealed)


def _run(what: str, name: str, data: bytes) -> bytes:
    command = [PROGRAM, what, f"--name={name}", "-", "-"]
    try:
        done = subprocess.run(
            command, input=data, capture_output=True, timeout=PATIENCE_S, check=False
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise Refused(PROGRAM, f"can't be run: {error}") from None
    if done.returncode:
        said = done.stderr.decode("utf-8", "replace").strip().splitlines()
        raise Refused(PROGRAM, said[-1] if said else f"ended with {done.returncode}")
    return done.stdout


def sealed_by(file: Path) -> str:
    """What is needed to open it: ``host`` is this PC's own key, on its disk."""
    try:
        begin = base64.b64decode(file.read_bytes())[:_BEGIN_BYTES].hex()
    except OSError as error:
        raise Refused(str(file), f"can't be read: {error.strerror}") from None
    except ValueError:
        raise Refused(str(file), "is no sealed key") from None
    if begin not in _BEGINS:
        raise Refused(str(file), "is sealed in a way that felt does not know")
    return _BEGINS[begin]

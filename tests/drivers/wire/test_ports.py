"""Opening a port: it is felt's alone, it is set as asked, and what is in the way is said."""

from __future__ import annotations

import errno
import fcntl
import os
import select
import struct
import subprocess
import sys
import termios
from collections.abc import Iterator
from pathlib import Path

import pytest

from drivers.wire import ports
from drivers.wire.ports import NotOpened, PortSettings, PortTrouble
from tests.drivers.wire.plugs import Plug, plugged_in
from tests.leaks import descriptors

#: Asks whether a terminal is to be opened by one only.
TIOCGEXCL = 0x80045440
ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture
def plug(tmp_path: Path) -> Iterator[Plug]:
    with plugged_in(tmp_path / "shoe") as plug:
        yield plug


def trouble(settings: PortSettings) -> PortTrouble:
    with pytest.raises(NotOpened) as raised:
        ports.close_port(ports.open_port(settings))
    found = raised.value.trouble
    assert settings.path in found.reason
    assert settings.path in found.next_step
    return found


def is_exclusive(descriptor: int) -> bool:
    told = fcntl.ioctl(descriptor, TIOCGEXCL, struct.pack("i", 0))
    return bool(struct.unpack("i", told)[0])


def test_a_port_is_one_descriptor_that_is_ours_alone(plug: Plug) -> None:
    before = descriptors()
    descriptor = ports.open_port(PortSettings(str(plug.path)))
    assert len(descriptors()) == len(before) + 1
    assert not os.get_blocking(descriptor)
    assert not os.get_inheritable(descriptor)
    assert is_exclusive(descriptor)
    with pytest.raises(BlockingIOError):
        os.read(descriptor, 1)
    ports.close_port(descriptor)
    assert len(descriptors()) == len(before)


def test_a_closed_port_can_be_opened_by_anybody(plug: Plug) -> None:
    # Somebody else has it open, so that the port outlives us.
    ports.close_port(ports.open_port(PortSettings(str(plug.path))))
    other = os.open(plug.path, os.O_RDWR | os.O_NOCTTY)
    assert not is_exclusive(other)
    os.close(other)


@pytest.mark.parametrize("baud", [1200, 9600, 115200, 1_000_000, 31_250, 250_000])
def test_any_rate_and_all_bytes_as_they_are(plug: Plug, baud: int) -> None:
    descriptor = ports.open_port(PortSettings(str(plug.path), baud=baud, stop_bits=2))
    assert ports._speed(descriptor) == baud
    assert termios.tcgetattr(descriptor)[2] & termios.CSTOPB
    every = bytes(range(256))
    os.write(plug.master, every)
    got = b""
    while len(got) < len(every):
        select.select([descriptor], [], [], 5)
        got += os.read(descriptor, 1024)
    assert got == every
    os.write(descriptor, every)
    got = b""
    while len(got) < len(every):
        select.select([plug.master], [], [], 5)
        got += os.read(plug.master, 1024)
    assert got == every
    ports.close_port(descriptor, discard=True)


def test_settings_in_words_and_the_time_of_a_byte() -> None:
    settings = PortSettings("/dev/x", 9600, 7, "even", 2, rs485=True)
    assert str(settings) == "/dev/x 9600 7E2 rs485"
    assert settings.byte_s == 11 / 9600
    assert str(PortSettings("/dev/x")) == "/dev/x 115200 8N1"


def test_what_was_received_before_is_not_taken_for_an_answer(plug: Plug) -> None:
    os.write(plug.master, b"old")
    select.select([plug._slave], [], [], 5)
    descriptor = ports.open_port(PortSettings(str(plug.path)))
    with pytest.raises(BlockingIOError):
        os.read(descriptor, 10)
    ports.close_port(descriptor)


# --- In the way ---------------------------------------------------------------


def test_missing(tmp_path: Path) -> None:
    path = str(tmp_path / "shoe")
    found = trouble(PortSettings(path))
    assert found.nature == "missing"
    assert found.reason == f"{path} is not there"


def test_missing_behind_its_name(tmp_path: Path) -> None:
    (tmp_path / "shoe").symlink_to("/dev/pts/99999")
    assert trouble(PortSettings(str(tmp_path / "shoe"))).nature == "missing"


def test_not_a_tty(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    for path in (str(tmp_path), str(tmp_path / "file"), "/dev/null"):
        assert trouble(PortSettings(path)).nature == "not a tty"


def test_the_same_port_for_two_lines(plug: Plug) -> None:
    descriptor = ports.open_port(PortSettings(str(plug.path)))
    found = trouble(PortSettings(str(plug.path)))
    assert (found.nature, found.reason) == ("busy", f"{plug.path} is in use by felt itself")
    ports.close_port(descriptor)


HOLD = """
import fcntl, os, sys
port = os.open(sys.argv[1], os.O_RDWR | os.O_NOCTTY)
if sys.argv[2] == "locked":
    fcntl.flock(port, fcntl.LOCK_EX)
print("held", flush=True)
sys.stdin.read()
"""


@pytest.fixture
def other_program(plug: Plug, request: pytest.FixtureRequest) -> Iterator[int]:
    how = getattr(request, "param", "locked")
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, str(plug.path), how],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as program:
        assert program.stdout is not None
        assert program.stdout.readline() == b"held\n"
        yield program.pid


def test_busy_names_who_holds_it(plug: Plug, other_program: int) -> None:
    found = trouble(PortSettings(str(plug.path)))
    name = Path(f"/proc/{other_program}/comm").read_text().strip()
    who = f"{name} (process {other_program})"
    assert found.nature == "busy"
    assert found.reason == f"{plug.path} is in use by {who}"
    assert found.next_step == f"end {who} to free {plug.path}"


def test_busy_with_nobody_to_be_seen(plug: Plug) -> None:
    gone = PortSettings(str(plug.path.with_name("gone")))
    found = ports.trouble_with(gone, OSError(errno.EBUSY, "busy"))
    assert found.nature == "busy"
    assert "fuser" in found.next_step


@pytest.mark.parametrize("other_program", ["not locked"], indirect=True)
def test_a_program_that_was_there_before_is_seen(plug: Plug, other_program: int) -> None:
    descriptor = ports.open_port(PortSettings(str(plug.path)))
    assert other_program in dict(ports.holders(str(plug.path)))
    assert os.getpid() in dict(ports.holders(str(plug.path)))
    ports.close_port(descriptor)


OPEN_AS_NOBODY = """
import os, sys
from drivers.wire.ports import NotOpened, PortSettings, open_port
os.setgroups([])
os.setgid(65534)
os.setuid(65534)
try:
    open_port(PortSettings(sys.argv[1]))
except NotOpened as error:
    print(error.trouble.nature, error.trouble.next_step, sep="\\n")
"""


@pytest.mark.skipif(os.getuid() != 0, reason="only root can become somebody else")
@pytest.mark.parametrize("mode", [0o660, 0o600])
def test_not_permitted_names_the_group(plug: Plug, mode: int) -> None:
    port = plug.path.resolve()
    os.chown(port, 0, 20)
    port.chmod(mode)
    # By its own name: nobody may not look into the folder of the other.
    run = subprocess.run(
        [sys.executable, "-c", OPEN_AS_NOBODY, port],
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT,
    )
    nature, next_step = run.stdout.splitlines()
    assert nature == "not permitted"
    assert "dialout" in next_step
    assert ("add the service's user to the group dialout" in next_step) == (mode == 0o660)


def test_a_port_that_can_not_switch_a_bus(plug: Plug) -> None:
    found = trouble(PortSettings(str(plug.path), rs485=True))
    assert found.nature == "settings"
    assert "leave rs485 out" in found.next_step


@pytest.mark.parametrize("baud", [-3, 2**40])
def test_a_rate_that_can_not_be(plug: Plug, baud: int) -> None:
    assert trouble(PortSettings(str(plug.path), baud=baud)).nature == "settings"


@pytest.mark.parametrize(
    ("error", "nature"),
    [
        (OSError(errno.EIO, "input/output error"), "hang-up"),
        (OSError(errno.ENXIO, "no such device"), "missing"),
        (OSError(errno.ENODEV, "no such device"), "missing"),
        (OSError(errno.EPERM, "not permitted"), "not permitted"),
        (termios.error(errno.EIO, "input/output error"), "hang-up"),
        (termios.error(errno.EINVAL, "invalid argument"), "settings"),
        (ValueError("Failed to set custom baud rate (12): [Errno 22]"), "settings"),
        (OSError(errno.EMFILE, "too many open files"), "system"),
    ],
)
def test_what_the_system_says_in_words(plug: Plug, error: Exception, nature: str) -> None:
    assert ports.trouble_with(PortSettings(str(plug.path)), error).nature == nature


@pytest.mark.parametrize("path", ["/dev/nope", "/dev/null", "/tmp"])
def test_no_descriptor_is_left_of_a_port_that_was_not_opened(path: str) -> None:
    before = descriptors()
    for _ in range(5):
        trouble(PortSettings(path))
    assert descriptors() == before

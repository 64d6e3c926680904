"""A systemd of its own, as the first process of a container on this machine, for one script.

It sees this machine's files, or those of a system in a folder, and what it writes is gone
afterwards. So a unit can be tried as it is: with its user, its credentials, its filters and its
watchdog.
"""

from __future__ import annotations

import os
import subprocess
import time
from pathlib import Path

SYSTEMD = Path("/lib/systemd/systemd")
THIS = Path("/")
END = "-- the end --"
_APART = [
    "unshare",
    "--mount",
    "--pid",
    "--fork",
    "--cgroup",
    "--uts",
    "--ipc",
    "--net",
    "--mount-proc",
]

_BOOT = """
set -e
echo $$ >{group}/cgroup.procs
exec {apart} --kill-child=KILL bash -e {folder}/inside
"""
_INSIDE = """
mount --make-rprivate /
ip link set lo up
mount -t tmpfs tmpfs {folder}/system
cd {folder}/system
mkdir upper work root
mount -t overlay overlay -o lowerdir={below},upperdir=upper,workdir=work root
cd root
mount -t proc proc proc
mount -t sysfs sysfs sys
mount -t cgroup2 cgroup2 sys/fs/cgroup
mount -t tmpfs tmpfs run
{devices}
mkdir -p out old
mount --bind {folder}/out out
{package}
cp {folder}/out/script.service etc/systemd/system/
# systemd hands credentials over by a mount that must be seen from its own place.
pivot_root . old
umount -l /old
mount --make-rshared /
exec {systemd} --system --unit=script.service --log-target=null --show-status=false
"""
#: The devices of this machine; or none but what every system has, where names of ports are made.
_SHARED = "mount --rbind /dev dev"
_OWN = """
mount -t tmpfs tmpfs dev
mkdir dev/pts dev/shm
mount -t devpts -o newinstance,ptmxmode=0666,mode=620,gid=5 devpts dev/pts
ln -s pts/ptmx dev/ptmx
ln -s /proc/self/fd dev/fd
for one in null zero full random urandom tty; do
    touch dev/$one
    mount --bind /dev/$one dev/$one
done
"""
_UNPACKED = "dpkg-deb --fsys-tarfile {deb} | tar -x --keep-directory-symlink"
_BROUGHT = "cp {deb} out/"
_SERVICE = """
[Unit]
DefaultDependencies=no
[Service]
Type=oneshot
ExecStart=/bin/bash /out/script
StandardOutput=file:/out/said
StandardError=file:/out/said
"""


def why_not() -> str:
    """What is in the way of a container here; nothing if it can be."""
    if os.geteuid() != 0:
        return "a container of its own is for root"
    if not SYSTEMD.exists() or _unified() is None:
        return "there is no systemd, or no control groups"
    tried = subprocess.run([*_APART, "true"], capture_output=True, check=False)
    return "" if tried.returncode == 0 else "this machine lets nobody make a container"


def _unified() -> Path | None:
    lines = Path("/proc/mounts").read_text().splitlines()
    return next((Path(one.split()[1]) for one in lines if one.split()[2] == "cgroup2"), None)


def said(script: str, deb: Path, folder: Path, *, within_s: float, system: Path = THIS) -> str:
    """What a script says on a system that was booted.

    On this machine's the package is unpacked; on another it lies in /out, to be installed.
    """
    group = (_unified() or Path("/")) / f"felt-test-{os.getpid()}"
    (folder / "system").mkdir()
    out = folder / "out"
    out.mkdir(mode=0o755, exist_ok=True)
    (out / "script").write_text(f"{script}\necho '{END}'\n")
    (out / "script.service").write_text(_SERVICE)
    package, devices = (_UNPACKED, _SHARED) if system == THIS else (_BROUGHT, _OWN)
    inside = _INSIDE.format(
        folder=folder,
        systemd=SYSTEMD,
        below=system,
        package=package.format(deb=deb),
        devices=devices,
    )
    (folder / "inside").write_text(inside)
    boot = _BOOT.format(group=group, apart=" ".join(_APART), folder=folder)
    group.mkdir()
    try:
        with (folder / "console").open("wb") as console:
            running = subprocess.Popen(["bash", "-c", boot], stdout=console, stderr=console)
            try:
                return _until_the_end(out / "said", running, within_s)
            finally:
                running.kill()
                running.wait()
    finally:
        _gone(group)


def _until_the_end(file: Path, running: subprocess.Popen[bytes], within_s: float) -> str:
    until = time.monotonic() + within_s
    text = ""
    while time.monotonic() < until and running.poll() is None:
        text = file.read_text(errors="replace") if file.exists() else ""
        if END in text:
            return text
        time.sleep(0.2)
    raise AssertionError(f"the script did not come to its end: {text}")


def _gone(group: Path) -> None:
    """Its processes were killed with the first of them; the system takes a moment over it."""
    for _ in range(50):
        for inner in sorted(group.rglob("*"), reverse=True):
            if inner.is_dir():
                _rmdir(inner)
        if _rmdir(group):
            return
        time.sleep(0.1)


def _rmdir(group: Path) -> bool:
    try:
        group.rmdir()
    except OSError:
        return not group.exists()
    return True

"""``felt install``: a table onto this PC: its unit, its ports' rules, its file and its keys.

Run again, it changes nothing that is as it should be and nothing that a person has changed. It
starts nothing: it says what to do next.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator, Sequence
from ipaddress import ip_address
from pathlib import Path

from controller.commands import sealed_keys
from controller.commands.columns import columns
from controller.commands.layout import Done, Layout
from controller.commands.program import exec_start, hidden, running
from controller.daemon import creds, secrets
from controller.daemon.configuration import Configuration, read
from controller.library import OF_THIS_PC, Library, shipped
from controller.rules.faults import Refused

#: What the system reads: the file as felt ships it, the folder of a package's own files, and the
#: folder of those that are put there by hand, under a name.
UNIT = ("felt@.service", "/usr/lib/systemd/system", "/etc/systemd/system", "felt@.service")
CONSOLE = (
    "felt-console.service", "/usr/lib/systemd/system", "/etc/systemd/system", "felt-console.service"
)  # fmt: skip
KIOSK = (
    "felt-kiosk@.service", "/usr/lib/systemd/system", "/etc/systemd/system", "felt-kiosk@.service"
)  # fmt: skip
#: What the browser of a table's screen may do. It counts for every browser of the PC: so it is put
#: there with the screen, and by no package.
POLICY = "/etc/chromium/policies/managed/felt.json"
SHOWS = ("/usr/bin/cage", "/usr/bin/chromium")
USERS = ("felt.sysusers.conf", "/usr/lib/sysusers.d", "/etc/sysusers.d", "felt.conf")
TMPFILES = ("felt.tmpfiles.conf", "/usr/lib/tmpfiles.d", "/etc/tmpfiles.d", "felt.conf")
RULES = ("70-felt.rules", "/usr/lib/udev/rules.d", "/etc/udev/rules.d", "70-felt.rules")
PORTS = "/etc/udev/rules.d/71-felt-ports.rules"

#: Keys and passwords, a folder for each table.
SECRETS = "/etc/felt/secrets"

#: Where the files are that an installed felt carries with it.
CHECKOUT = Path(__file__).parents[2] / "systemd"

#: The unit runs as a user with the table's name, and a user's name is no longer than this.
USER = "felt-{}"
LONGEST_USER = 31
#: The group in which the console is.
CONSOLE_GROUP = "felt"
ON_THIS_PC = ("embedded", "localhost")


def run(given: argparse.Namespace) -> int:
    configuration = read(given.table, Library(*given.folder))
    _must_fit_the_unit(configuration)
    dry = given.dry_run or (given.root is None and os.geteuid() != 0)
    if given.root is None and (why := hidden(*running())):
        if not dry:
            raise Refused(*why)
        sys.stdout.write(f"Not yet: {Refused(*why)}\n\n")
    root = given.root or Path("/")
    layout = Layout(root, dry=dry)
    steps = list(
        _laid(
            layout,
            configuration,
            given.table,
            given.folder,
            own_program=given.root is None,
            kiosk=given.kiosk,
        )
    )
    where = f", below {root}" if given.root else (", as root" if dry else "")
    said = [f"{'Would do' if dry else 'Done'}{where}:"]
    said += columns((one.what, one.path, one.why) for one in layout.done)
    if dry and layout.is_shut(SECRETS):
        said += [
            "",
            f"What is in {SECRETS} only root sees: with sudo, keys that are missing are named",
        ]
    said += ["", "Next:", *(f"  {step}" for step in steps)]
    sys.stdout.write("\n".join(said) + "\n")
    return 0


def _must_fit_the_unit(configuration: Configuration) -> None:
    """What would be refused, or would not be found, only when the service starts."""
    table, service = configuration.terms.id, configuration.daemon.service
    user = USER.format(table)
    if len(user) > LONGEST_USER:
        most = f"at most {LONGEST_USER - len(USER.format(''))} characters"
        raise Refused(f"{configuration.file}: id", f"{table!r} is too long for a user's name", most)
    fixed = {
        "state": f"/var/lib/felt/{table}",
        "runtime": f"/run/felt/{table}",
        "secrets": "",
    }
    for name, only in fixed.items():
        value = getattr(service, name)
        if value and value != only:
            problem = f"the service has a folder of its own, and can't use {value}"
            where = f"{configuration.file}: service.{name}"
            raise Refused(where, problem, "leave it out, or start felt run without the unit")


def _laid(
    layout: Layout,
    configuration: Configuration,
    file: Path,
    given_folders: Sequence[Path],
    *,
    own_program: bool,
    kiosk: bool,
) -> Iterator[str]:
    """Lay everything out, and give the steps that a person has to do."""
    table = configuration.terms.id
    folder = f"{SECRETS}/{table}"
    layout.folder("/etc/felt")
    layout.folder("/etc/felt/tables")
    layout.folder(SECRETS, 0o700)
    layout.folder(folder, 0o700)
    start = exec_start() if own_program else ""
    changed = _of_the_system(layout, UNIT, start)
    changed |= _of_the_system(layout, CONSOLE, start)
    if kiosk:
        changed |= _of_the_system(layout, KIOSK)
        layout.put(POLICY, _shipped("felt-kiosk.policy.json"))
    users = _of_the_system(layout, USERS)
    seals = root_of_this_pc(layout) and creds.are_there()
    changed |= _drop_in(layout, configuration, seals=seals)
    _of_the_system(layout, TMPFILES)
    rules = _of_the_system(layout, RULES)
    rules |= layout.put(PORTS, _shipped("71-felt-ports.rules"), yours=True) == "write"
    before = layout.has(f"/etc/felt/tables/{table}.toml")
    what = layout.put(f"/etc/felt/tables/{table}.toml", _text(file))
    rulebook = _rulebook(layout, configuration, given_folders)
    keys = _keys(layout, configuration, folder)
    auditors = sealed_keys.lay(layout, table) if seals else sealed_keys.plain(layout, table)
    layout.note()

    for kept in (one for one in layout.done if one.what == "keep" and one.why):
        yield f"look at {kept.path}.new, take over what you want, and delete it"
    if users:
        yield "systemd-sysusers"
    if changed:
        yield "systemctl daemon-reload"
    if rules:
        yield "udevadm control --reload && udevadm trigger --subsystem-match=tty"
    yield from auditors
    if keys:
        yield f"give each device its key: {folder}/DEVICE.key"
    if any(one.user for one in configuration.daemon.wires.values()):
        password = f"{folder}/broker.password"
        if not layout.has(password):
            yield f"put the broker's password for this table into {password}, for root alone"
    yield from _out_of_reach(configuration)
    yield f"systemctl enable --now felt@{table}"
    if configuration.daemon.service.control_group == CONSOLE_GROUP:
        yield "systemctl enable --now felt-console"
    if kiosk:
        if not all(layout.has(program) for program in SHOWS):
            yield "apt install cage chromium xwayland libpam-systemd dbus"
        yield f"systemctl enable --now felt-kiosk@{table}"
    if before and "replace" in (what, rulebook):
        yield f"if it runs: close the table, then systemctl restart felt@{table}"
    yield f"felt status --table /etc/felt/tables/{table}.toml"


def _of_the_system(layout: Layout, what: tuple[str, str, str, str], start: str = "") -> bool:
    """A file that is the same for every table; nothing if a package brought it. True if new."""
    source, packaged, folder, name = what
    data = _shipped(source)
    if layout.has(f"{packaged}/{name}"):
        path = f"{folder}/{name}"
        if layout.has(path):
            why = f"it stands before {packaged}/{name}; delete it unless you changed it"
            layout.done.append(Done("keep", path, why))
        else:
            layout.done.append(Done("there", f"{packaged}/{name}"))
        return False
    if start:
        data = data.replace(b"ExecStart=/usr/bin/felt ", f"ExecStart={start} ".encode())
    return layout.put(f"{folder}/{name}", data) in ("write", "replace")


# --- What one table needs beyond the unit -------------------------------------


def root_of_this_pc(layout: Layout) -> bool:
    """Whether it is laid out for the system that runs: what is sealed here is opened only here."""
    return layout.root.resolve() == Path("/")


def _drop_in(layout: Layout, configuration: Configuration, *, seals: bool) -> bool:
    """Allows what this table alone needs: the unit itself allows the least."""
    table = configuration.terms.id
    path = f"/etc/systemd/system/felt@{table}.service.d/table.conf"
    lines: list[str] = []
    if addresses := sorted({one for one in _brokers(configuration) if _is_address(one)}):
        lines += ["# Its broker.", f"IPAddressAllow={' '.join(addresses)}"]
    if group := configuration.daemon.service.control_group:
        lines += [
            "# Gives its control socket to this group, which it must be in for that.",
            f"SupplementaryGroups={group}",
            "SystemCallFilter=@chown",
        ]
    if seals:
        lines += ["# What seals faces: opened by systemd, for this service alone."]
        lines += [f"LoadCredentialEncrypted={one}" for one in sealed_keys.handed_over(table)]
    if not lines and not layout.has(path):
        return False
    head = "# What this table needs beyond felt@.service. Written by `felt install`.\n[Service]\n"
    text = head + "".join(f"{line}\n" for line in lines)
    return layout.put(path, text.encode()) in ("write", "replace")


def _brokers(configuration: Configuration) -> Iterator[str]:
    """The hosts of brokers that are not on this PC."""
    for wire in configuration.daemon.wires.values():
        host = wire.mqtt.rpartition(":")[0] if ":" in wire.mqtt else wire.mqtt
        here = (
            not host or host in ON_THIS_PC or (_is_address(host) and ip_address(host).is_loopback)
        )
        if not here:
            yield host


def _is_address(host: str) -> bool:
    try:
        ip_address(host)
    except ValueError:
        return False
    return True


def _out_of_reach(configuration: Configuration) -> Iterator[str]:
    """The unit lets addresses through, not names."""
    table = configuration.terms.id
    for host in _brokers(configuration):
        if not _is_address(host):
            yield (
                f"allow the addresses of {host}: systemctl edit felt@{table}, "
                f"[Service], IPAddressAllow=ADDRESS"
            )


def _rulebook(layout: Layout, configuration: Configuration, folders: Sequence[Path]) -> str:
    """A rulebook of the operator's own: where the service, which is told no folder, finds it."""
    name = f"{configuration.terms.ruleset.rulebook.id}.toml"
    file = next((one for folder in folders if (one := folder / name).is_file()), None)
    return layout.put(f"{OF_THIS_PC}/{name}", _text(file)) if file is not None else ""


def _keys(layout: Layout, configuration: Configuration, folder: str) -> bool:
    """A key for each device that can prove itself. True if any is new."""
    made = False
    for name in configuration.proving:
        path = f"{folder}/{secrets.slug(name)}.key"
        if layout.has(path):
            continue
        if not layout.dry:
            secrets.make_key(layout.at(folder), name)
        layout.done.append(Done("make key", path))
        made = True
    return made


# --- Files --------------------------------------------------------------------


def _shipped(name: str) -> bytes:
    folder = shipped("systemd")
    return _text((folder if folder.is_dir() else CHECKOUT) / name)


def _text(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError as error:
        raise Refused(str(file), f"can't be read: {error.strerror}") from None

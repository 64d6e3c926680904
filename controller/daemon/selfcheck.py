"""The self-check that play waits for: program, rulebooks, configuration, journal, every device.

It runs when the service starts, whenever somebody asks, and again each time that the table is to
be opened. What fails at the start holds the table like any other warning, so that a round which a
restart has interrupted does not go on with it either.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Literal, NamedTuple

from controller.daemon import disk, secrets, signature
from controller.daemon.clock import Clock
from controller.daemon.configuration import Configuration, by_kind, needed
from controller.daemon.core import Core
from controller.daemon.heads import NO_KEY, NOT_IT, Heads, against
from controller.daemon.joined import Joined
from controller.daemon.reveals import SEALS
from controller.daemon.signature import Part
from controller.daemon.supervisor import Supervisor
from controller.journal.errors import JournalError
from controller.journal.journal import Journal
from controller.journal.reader import Reader
from controller.library import Library
from controller.rules.faults import Refused, ranged
from controller.table import events
from controller.table.state import Table

#: Under this name it holds the table.
WHERE = "self-check"
#: The end of the journal that is looked at each time; the patrol goes through all of it.
ENTRIES = 256

#: What to do about what was put right at the start.
LOOKED_INTO = "find out who or what wrote to it; felt verify looks at all of it"

Verdict = Literal["ok", "remark", "failed"]


class Checked(NamedTuple):
    what: str
    verdict: Verdict
    found: str = ""
    next_step: str = ""

    def __str__(self) -> str:
        said = f"{self.what}: {self.found}" if self.found else self.what
        return f"{said}; {self.next_step}" if self.next_step else said


class Report(NamedTuple):
    #: By the clock on the wall, in milliseconds.
    at: int
    checked: tuple[Checked, ...]

    @property
    def failed(self) -> tuple[Checked, ...]:
        return tuple(one for one in self.checked if one.verdict == "failed")

    @property
    def passed(self) -> bool:
        return not self.failed


class SelfCheck:
    def __init__(
        self,
        configuration: Configuration,
        library: Library,
        *,
        core: Core,
        journal: Journal,
        heads: Heads,
        supervisor: Supervisor,
        clock: Clock,
        said: Callable[..., None],
    ) -> None:
        self._heads = heads
        self._configuration = configuration
        self._library = library
        self._core = core
        self._journal = journal
        self._supervisor = supervisor
        self._clock = clock
        self._said = said
        #: What was on the disk when the service started.
        self._started: Mapping[str, Part] = {}
        self.last: Report | None = None
        self._look = Joined(lambda: tuple(self._on_disk()))

    async def at_start(self) -> None:
        """Once, as work of the service: what fails holds the table. Devices hold it themselves."""
        report = await self.run()
        for one in report.failed:
            self._said("self-check failed", what=one.what, why=one.found, next_step=one.next_step)
            if one.what in self._configuration.devices:
                continue
            at = self._clock.wall_ms()
            nature = str(one)[:500]
            await self._core.post(events.DeviceFaulted(at=at, device=WHERE, nature=nature))

    async def run(self) -> Report:
        on_disk = await self._look.result()
        checked = (*on_disk, *self._devices(self._core.recorder.table))
        self.last = Report(self._clock.wall_ms(), checked)
        return self.last

    async def must_pass(self) -> None:
        """Refuse, with all that fails, unless it passes now."""
        report = await self.run()
        if not report.passed:
            # One broker that is away is said once, with all its devices.
            together: dict[str, list[str]] = {}
            for one in report.failed:
                together.setdefault(one.found, []).append(one.what)
            why = "; ".join(f"{ranged(by_kind(w))}: {found}" for found, w in together.items())
            steps = "; ".join(
                dict.fromkeys(one.next_step for one in report.failed if one.next_step)
            )
            raise Refused("self-check", why, steps)

    # --- What it looks at -------------------------------------------------------

    def _on_disk(self) -> Iterator[Checked]:
        try:
            found = {
                "program": signature.program(),
                "imports": signature.imports(),
                "rulebooks": signature.rulebooks(self._library),
                "configuration": signature.configuration(self._configuration.file),
            }
            approved = self._approved()
            if "packages" in approved:
                found["packages"] = signature.packages()
            if "python" in approved:
                found["python"] = signature.python()
        except Refused as refused:
            yield Checked(
                "program", "failed", str(refused), "put the file back, or its permissions"
            )
            return
        if not self._started:
            self._started = found
        for name, part in found.items():
            yield self._compared(name, part, approved.get(name, ()))
        yield self._journal_end()
        yield self._room()
        yield self._seals()

    def _approved(self) -> dict[str, tuple[str, ...]]:
        recorded = signature.approved(self._configuration.secrets)
        approved: dict[str, tuple[str, ...]] = {n: (digest,) for n, digest in recorded.items()}
        if listed := self._configuration.daemon.service.approved_program:
            approved["program"] = tuple(listed)
        return approved

    def _compared(self, name: str, part: Part, approved: tuple[str, ...]) -> Checked:
        started = self._started.get(name)
        if part.wrong:
            step = signature.FOREIGN if part.foreign else signature.RESTORED
            return Checked(name, "failed", part.wrong, step)
        if approved and part.digest not in approved:
            short = f"its digest {part.digest[:16]} is not the approved {approved[0][:16]}"
            step = f"put the approved {name} back, or have this one approved: felt signature"
            return Checked(name, "failed", short, step)
        if started is not None and part.digest != started.digest:
            problem = "it was changed on the disk since felt was started"
            return Checked(name, "failed", problem, "put it back, or restart felt to use it")
        if not approved:
            step = "record what was approved: felt signature --record"
            return Checked(
                name, "remark", f"{part.digest[:16]}, and nothing to compare it with", step
            )
        return Checked(name, "ok", part.digest[:16])

    def _seals(self) -> Checked:
        if secrets.is_unsealed(self._configuration.secrets):
            return Checked(SEALS, "ok", "the keys of faces are sealed")
        problem = "the keys of faces lie in plain: with a copy of this disk every hand can be read"
        return Checked(SEALS, "remark", problem, "felt install, as root, seals them")

    def _room(self) -> Checked:
        try:
            free, _ = disk.room(self._configuration.state)
        except OSError as error:
            return Checked("disk", "failed", str(error.strerror), disk.LOOK_AT_IT)
        verdicts: dict[disk.Level, Verdict] = {"ok": "ok", "low": "remark", "least": "failed"}
        verdict = verdicts[disk.level(free, None)]
        step = "" if verdict == "ok" else disk.MAKE_ROOM
        return Checked("disk", verdict, disk.said(free, None), step)

    def _journal_end(self) -> Checked:
        try:
            if self._journal.stopped is not None:
                raise self._journal.stopped
            head = self._journal.head
            # What is kept apart is never ahead of what the file has by then.
            kept = self._heads.kept()
            with Reader.look(self._journal.path, self._journal.header.table) as file:
                for _ in file.entries(max(1, head.seq - ENTRIES), head.seq):
                    pass
                if kept is not None and (problem := against(file, kept, is_written=True)):
                    return Checked("journal", "failed", problem, NOT_IT)
        except JournalError as error:
            return Checked("journal", "failed", error.cause, error.remedy)
        if self._heads.file is None:
            said = f"{head.seq} entries, and nothing beside it knows how many there should be"
            return Checked("journal", "remark", said, NO_KEY)
        if remarks := self._journal.recovery.remarks:
            return Checked("journal", "remark", "; ".join(remarks), LOOKED_INTO)
        return Checked("journal", "ok", f"{head.seq} entries")

    def _devices(self, table: Table) -> Iterator[Checked]:
        health = self._supervisor.health()
        for name in needed(self._configuration.terms):
            if name == "shuffler" and not table.shuffler_in_service:
                continue
            if name == "shoe" and not table.shoe_in_service:
                continue
            one = health.get(name)
            if one is None:
                step = "attach it to a wire in the table file, and restart felt"
                yield Checked(name, "failed", "no wire carries it", step)
                continue
            match one.status:
                case "ready":
                    yield Checked(name, "ok", self._firmware(name))
                case "degraded":
                    yield Checked(name, "remark", one.reason, one.next_step)
                case _:
                    why = one.reason or f"it is {one.status}"
                    yield Checked(name, "failed", why, one.next_step)

    def _firmware(self, name: str) -> str:
        identity = self._supervisor.attachments[name].station.identity
        return f"firmware {identity.firmware.hex()[:16]}" if identity is not None else ""

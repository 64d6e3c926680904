"""``felt run``: the service of one table, until it is told to stop."""

from __future__ import annotations

import argparse
import asyncio
import signal
import socket
import sys
from collections.abc import Callable, Mapping

from controller.daemon import notify
from controller.daemon.assembly import assembled
from controller.daemon.configuration import Configuration, read
from controller.daemon.desk import SERVED, Desk
from controller.daemon.listening import handed_over
from controller.daemon.log import Log, printer
from controller.journal.errors import JournalError
from controller.library import Library
from controller.rules.faults import Refused
from controller.tables import named

STOPPED = 3


def run(given: argparse.Namespace) -> int:
    library = Library(*given.folder)
    configuration = read(given.config, library)
    sockets = handed_over(SERVED)
    # One thing that ends a service is told, the first: the others follow from it.
    refused: list[Refused] = []
    failed: list[JournalError] = []
    begun = False

    def started() -> None:
        nonlocal begun
        begun = True

    try:
        with named(given.config):
            asyncio.run(_served(configuration, library, sockets, started))
    except* Refused as errors:
        refused += [one for one in _leaves(errors) if isinstance(one, Refused)]
    except* JournalError as errors:
        failed += [one for one in _leaves(errors) if isinstance(one, JournalError)]
    if failed:
        # One that never ran is not stopped: above all, another felt may run it at this moment.
        state = "the table is stopped" if begun else "the table is not started"
        sys.stderr.write(f"felt run: {state}: {failed[0]}\n")
        return STOPPED
    if refused:
        raise refused[0]
    return 0


async def _served(
    configuration: Configuration,
    library: Library,
    sockets: Mapping[str, socket.socket],
    started: Callable[[], None],
) -> None:
    log = Log(printer())
    service = assembled(configuration, library, said=log.said)
    Desk(service, library, log.first_causes, sockets)
    service.also("log", log.run)
    service.also("watchdog", lambda: notify.feed(service.core))
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, service.stop)

    def ready() -> None:
        started()
        table = service.recorder.table
        log.said("ready", table=configuration.terms.id, phase=table.phase, round=table.round)
        notify.tell("READY=1", f"STATUS=round {table.round}, {table.phase}")

    log.said(
        "starting",
        table=configuration.terms.id,
        rulebook=configuration.terms.ruleset.rulebook.id,
        journal=str(configuration.journal),
        entries=service.journal.head.seq,
        devices=len(configuration.devices),
    )
    for remark in service.journal.recovery.remarks:
        log.said("journal", remark=remark)
    await service.run(ready)
    notify.tell("STOPPING=1")
    log.said("stopped", table=configuration.terms.id)


def _leaves(group: BaseExceptionGroup[BaseException]) -> list[BaseException]:
    """The errors themselves, however deep they lie."""
    found: list[BaseException] = []
    for one in group.exceptions:
        found += _leaves(one) if isinstance(one, BaseExceptionGroup) else [one]
    return found

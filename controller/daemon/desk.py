"""The desk of a service: everything by which people and programs reach a table that runs."""

from __future__ import annotations

import socket
from collections.abc import Callable, Mapping
from typing import Any

from controller.daemon.access import Access
from controller.daemon.actions import Actions
from controller.daemon.acts import Acts
from controller.daemon.appearing import Appearing
from controller.daemon.changes import Changes
from controller.daemon.clock import Clock
from controller.daemon.control import Control
from controller.daemon.matters import Matters
from controller.daemon.metrics import Metrics
from controller.daemon.questions import Questions
from controller.daemon.readers import Readers
from controller.daemon.scrape import Scrape
from controller.daemon.selfcheck import SelfCheck
from controller.daemon.service import Service
from controller.library import Library

METRICS = "metrics"
#: What may be served on a socket that systemd opens.
SERVED = frozenset({METRICS})


class Desk:
    """Give it a service before it runs; its work then runs with the service."""

    def __init__(
        self,
        service: Service,
        library: Library,
        first_causes: Mapping[str, str] | None = None,
        sockets: Mapping[str, socket.socket] | None = None,
    ) -> None:
        """``sockets`` that were opened for it, by what is served there (``SERVED``)."""
        configuration = service.configuration
        given = configuration.daemon.service
        self.access = Access(service.core, service.clock, configuration.secrets)
        self.readers = Readers(
            service.core,
            service.clock,
            configuration.secrets,
            frozenset(given.badge_alone),
            self.access.attempts,
        )
        service.supervisor.read_badge = self.readers.read
        self.check = SelfCheck(
            configuration,
            library,
            core=service.core,
            journal=service.journal,
            heads=service.heads,
            supervisor=service.supervisor,
            clock=service.clock,
            said=service.said,
        )
        self.changes = Changes(service.recorder.terms, service.recorder.table)
        self.metrics = Metrics(service, service.clock)
        self.matters = Matters(service, library)
        self.actions = Actions(
            service,
            self.access,
            self.changes,
            Acts(service, self.access, self.check),
            Questions(
                service,
                library,
                access=self.access,
                check=self.check,
                metrics=self.metrics,
                first_causes={} if first_causes is None else first_causes,
                matters=self.matters,
                readers=self.readers,
            ),
        )
        self.control = Control(
            configuration.socket,
            self.actions,
            operators=given.operators,
            group=given.control_group,
            console=given.console_user,
            said=service.said,
        )
        appearing = Appearing(service.core, service.clock, service.said)
        service.listen(self.access.proofs.told)
        service.listen(self.changes.told)
        service.said = self._told_to_watchers(service.said, service.clock)
        service.listen(self.metrics.told)
        service.listen(self.matters.told)
        service.core.took = self.metrics.journal.add
        service.also("control socket", self.control.run)
        service.also("self-check", self.check.at_start)
        service.also("loop's lag", self.metrics.watch_the_loop)
        service.also("new devices", appearing.run)
        service.also("what waits", self.matters.look_back)
        handed = (sockets or {}).get(METRICS)
        if given.metrics_port or handed is not None:
            scrape = Scrape(given.metrics_port, self.metrics.text, service.said, handed)
            service.also("metrics over HTTP", scrape.run)

    def _told_to_watchers(self, said: Callable[..., None], clock: Clock) -> Callable[..., None]:
        """What the log is told of how a device stands, whoever watches is told as well."""

        def told(what: str, /, **facts: Any) -> None:
            said(what, **facts)
            if what == "device is":
                self.changes.device_is(clock.wall_ms(), **facts)

        return told

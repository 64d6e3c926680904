"""Puts one table's service together from its configuration, for real and simulated tables alike."""

from __future__ import annotations

import asyncio
import json
import os
import secrets as system_secrets
from collections.abc import Callable
from functools import partial
from random import uniform

from controller import __version__, draws
from controller.daemon import sealing
from controller.daemon.clock import Clock
from controller.daemon.configuration import Configuration
from controller.daemon.service import Service
from controller.daemon.wiring import BrokerWire, Jitter, Nonce, Wiring, broker_of, nonce
from controller.library import Library
from drivers.wire import describe
from drivers.wire.broker import EmbeddedBroker
from drivers.wire.broker_client import BrokerTrouble
from drivers.wire.capture import Capture, Heading
from drivers.wire.logfiles import Limits
from drivers.wire.participant import BrokerState

#: Until a port is tried again that was taken.
BROKER_AGAIN_S = 5.0


def assembled(
    configuration: Configuration,
    library: Library,
    *,
    said: Callable[..., None],
    clock: Clock | None = None,
    below: draws.Below = system_secrets.randbelow,
    random: Callable[[int], bytes] = os.urandom,
    make_nonce: Nonce = nonce,
    jitter: Jitter = uniform,
) -> Service:
    """A service that is ready to run. To be called with the loop running that it will run on."""
    loop = asyncio.get_running_loop()
    clock = clock or Clock(loop.time)
    for folder in (configuration.state, configuration.logs, configuration.runtime):
        folder.mkdir(parents=True, exist_ok=True)
    sealer = sealing.of_table(configuration.secrets, configuration.state, random)
    service = Service(configuration, library, sealer=sealer, clock=clock, said=said, below=below)
    try:
        wiring = Wiring(configuration, sealer, make_nonce, jitter, run=service.run_id)
        for name in configuration.daemon.wires:
            _wire(service, name, wiring)
    except BaseException:
        service.core.close()
        service.journal.close()
        raise
    return service


def _wire(service: Service, name: str, wiring: Wiring) -> None:
    configuration, supervisor = service.configuration, service.supervisor
    given = configuration.daemon.wires[name]
    capture = Capture(
        configuration.logs,
        Heading(
            table=configuration.terms.id,
            line=name,
            port=given.serial or given.mqtt,
            felt=__version__,
            rulebook=configuration.terms.ruleset.rulebook.id,
            run=f"{service.run_id} after entry {service.journal.head.seq}",
            wire=_said_of(configuration, name),
            wires=tuple(sorted(configuration.daemon.wires)),
        ),
        describe=describe.frames if given.serial and given.speaks == "felt" else None,
        limits=Limits(
            file_bytes=configuration.daemon.service.log_megabytes << 20,
            kept_files=configuration.daemon.service.logs_kept,
        ),
        on_warning=lambda text: service.said("device log", wire=name, warning=text),
        clock=service.clock.running,
        utc=lambda: service.clock.wall_ms() / 1000,
        every_poll=configuration.daemon.service.log_every_poll,
    )
    wired = wiring.wire(name, capture, partial(supervisor.turned, name))
    supervisor.attach(name, wired.attachments)
    supervisor.carry(name, wired.wire)
    service.captures[name] = capture
    service.blackbox.wire_of.update({one.name: name for one in wired.attachments})
    service.also(f"log of {name}", capture.run)
    if isinstance(wired.wire, BrokerWire):
        where = str(wired.wire.account)
        wired.wire.recall_announced("head", partial(service.kept_elsewhere, where))
    if wired.accounts is None:
        service.also(f"wire {name}", wired.wire.run)
        return
    assert isinstance(wired.wire, BrokerWire)
    broker = EmbeddedBroker(
        wired.accounts,
        broker_of(given)[1],
        lambda text: service.said("broker", warning=text),
    )
    service.brokers[name] = broker
    service.also(f"wire {name}", partial(_at_own_broker, service, name, broker, wired.wire))


def _said_of(configuration: Configuration, name: str) -> str:
    """What the table file says of a wire, for whoever reads or replays its log elsewhere."""
    given = configuration.daemon.wires[name]
    kinds = {one.kind for one in configuration.devices.values() if one.wire == name}
    approved = configuration.daemon.approved
    said = {
        **given.model_dump(exclude={"user", "tls"}, exclude_defaults=True),
        "approved": {kind: approved[kind] for kind in sorted(kinds) if kind in approved},
    }
    numbers = configuration.daemon.serial_numbers
    if named := {one: numbers[one] for one in given.devices if one in numbers}:
        said["serial_numbers"] = named
    return json.dumps(said, sort_keys=True)


async def _at_own_broker(
    service: Service, name: str, broker: EmbeddedBroker, wire: BrokerWire
) -> None:
    """A broker for a table that has none, and felt's connection to it, as long as it listens.

    A port that somebody else has is tried again: it may be our own last run that is still ending.
    Whoever has it is told nothing of ours: felt does not connect before its own broker is there.
    """
    while True:
        try:
            wire.account = await broker.start()
            break
        except OSError as error:
            trouble = BrokerTrouble(
                "refused",
                f"felt's own broker can't listen on port {broker.port}: {error.strerror}",
                "end what has the port, or name another one in the table file",
            )
        service.said("broker", why=trouble.reason, next_step=trouble.next_step)
        if wire.state.trouble != trouble:
            wire.state = BrokerState("absent", service.clock.running(), trouble)
            service.supervisor.turned(name)
        await asyncio.sleep(BROKER_AGAIN_S)
    try:
        await wire.run()
    finally:
        await broker.stop()

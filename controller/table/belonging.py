"""Which device belongs where, by its serial number: another one is used when two people say so.

The key says that a device may speak for its place; its number says which device that is. One that
answers with the key and another number was put there by somebody, and nobody at the table saw it
happen. So it is turned away and held, until the right one is back, or a technician and a
floorperson have accepted it together.

Expected is what the table file names. Where it names none, the device that stood there when the
table was opened. What two people accepted counts in place of what the file named then, and no
longer: a file that was changed since names the device anew.
"""

from __future__ import annotations

from collections.abc import Mapping

from controller.rules.faults import Refused
from controller.table import events
from controller.table.change import Change, replace
from controller.table.people import must_be, must_differ
from controller.table.state import Exchanged, Hold, SerialNumber, Table
from controller.table.terms import Terms


def expected(table: Table, device: str, named: str) -> str:
    """The number of the device that belongs here; nothing where any may come.

    ``named``: by the table file.
    """
    known = table.serial_numbers.get(device)
    if known is not None and named in ("", known.named):
        return known.number
    return named


def cause_of(number: str, wanted: str) -> str:
    """What is held of it: as ``drivers.attachment`` says it of any device that is turned away."""
    return f"turned away: its serial number is {number}, not {wanted}"


def standing(table: Table, hold: Hold) -> Exchanged | None:
    """The device for which it is held, as long as that answers in place of another."""
    found = table.exchanged.get(hold.where)
    if found is None or hold.cause != cause_of(found.number, found.expected):
        return None
    return found


def opened_with(table: Table, numbers: Mapping[str, str]) -> Table:
    """What stands at the table when it is opened belongs there, where nothing else is known."""
    new = {
        device: SerialNumber(number)
        for device, number in numbers.items()
        if device not in table.serial_numbers
    }
    return replace(table, serial_numbers={**table.serial_numbers, **new}) if new else table


def noted(table: Table, event: events.DeviceExchanged) -> Table:
    """Of one that answered before this one nothing more is waited for."""
    found = Exchanged(event.serial_number, event.expected, event.named)
    table = gone(table, event.device, found)
    return replace(table, exchanged={**table.exchanged, event.device: found})


def gone(table: Table, device: str, now: Exchanged | None = None) -> Table:
    """The other device does not answer any more: its hold waits for who clears it."""
    found = table.exchanged.get(device)
    if found is None or found == now:
        return table
    cause = cause_of(found.number, found.expected)
    there = tuple(
        replace(one, over="it is not there any more")
        if (one.where, one.cause, one.over) == (device, cause, "")
        else one
        for one in table.holds
    )
    rest = {name: one for name, one in table.exchanged.items() if name != device}
    return replace(table, holds=there, exchanged=rest)


def accepted(terms: Terms, table: Table, event: events.DeviceAccepted) -> Change:
    act = f"accepting another device as {event.device}"
    must_be(event.second, "floorperson", act)
    must_differ(event.by.id, event.second.id, act)
    found = table.exchanged.get(event.device)
    if found is None:
        raise Refused("device", f"no other device answers as {event.device}")
    if event.serial_number != found.number:
        raise Refused(
            "serial_number", f"the one that answers is {found.number}", "look at the number on it"
        )
    cause = cause_of(found.number, found.expected)
    table = replace(
        table,
        holds=tuple(one for one in table.holds if (one.where, one.cause) != (event.device, cause)),
        exchanged={name: one for name, one in table.exchanged.items() if name != event.device},
        serial_numbers={
            **table.serial_numbers,
            event.device: SerialNumber(found.number, found.named),
        },
    )
    return table, ()

"""All checks, in the order in which they are tried, each with its sentence.

What is a duty, or a line of "Your device works when", has its sentence from ``drivers.duties``, so
that the page, the tests and the certificate say the same.
"""

from __future__ import annotations

from dataclasses import replace

from controller.certify import (
    asking,
    at_a_broker,
    cards,
    handshake,
    power,
    rough,
    safety,
    seats,
    shown,
    telling,
)
from controller.certify.verdict import Check
from drivers.duties import BY_ID, WORKS

_WORKS = {one.id: one.sentence for one in WORKS}


def _said(check: Check) -> Check:
    if check.says:
        return check
    duty = BY_ID.get(check.id)
    return replace(check, says=duty.sentence if duty is not None else _WORKS[check.id])


#: What needs nobody comes first, and what a person does is together.
CHECKS: tuple[Check, ...] = tuple(
    _said(check)
    for module in (
        handshake,
        asking,
        telling,
        safety,
        at_a_broker,
        rough,
        shown,
        seats,
        cards,
        power,
    )
    for check in module.CHECKS
)

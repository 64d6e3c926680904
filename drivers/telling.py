"""What a driver may tell the table: what its kind of device can see, of itself, and nothing else.

A driver may be somebody else's. It says what happened at its device; who somebody is, whether play
goes on and what is paid is the table's to decide. So an event that is not for its kind of device to
tell never comes to the table: it is told as a fault of the device instead, which names it.
"""

from __future__ import annotations

from typing import Any

from controller.table import events
from controller.table.events import Event
from drivers.contract import Moment, Settings

_Kinds = frozenset[Any]

_ANY: _Kinds = frozenset((events.DeviceFaulted, events.DeviceRecovered))
_AT_A_SEAT: _Kinds = _ANY | {
    events.LockConfirmed,
    events.DeviceWentOffline,
    events.DeviceCameOnline,
    events.WagerPlaced,
    events.WagerTakenBack,
    events.WagerCameLate,
}
_BY_KIND: dict[str, _Kinds] = {
    "shuffler": _ANY
    | {
        events.ShuffleStarted,
        events.ShuffleCompleted,
        events.ShuffleFailed,
        events.ShufflerReported,
        events.ShufflerSet,
        events.HandsCounted,
    },
    "shoe": _ANY
    | {
        events.DeckLoaded,
        events.StackDispensed,
        events.StackTaken,
        events.DispenseRefused,
        events.DispenseUnanswered,
        events.FaceUpCardFound,
        events.ShoeReported,
        events.StubReported,
    },
    "panel": _ANY | {events.LockOutPressed, events.DealPressed, events.RoundVoided},
    "acceptor": _AT_A_SEAT | {events.LampRead},
    "terminal": _AT_A_SEAT
    | {
        events.PlayerSat,
        events.PlayerLeft,
        events.BoughtIn,
        events.CashedOut,
        events.PlayerDecided,
    },
    "sign": _ANY,
}
#: Of a kind that a driver brings: faults, and a press of the dealer's that stops or goes on.
_BROUGHT: _Kinds = _ANY | {events.LockOutPressed, events.DealPressed}


def not_its_own(kind: str, settings: Settings, moment: Moment, event: Event) -> str:
    """Why this is not for the device to tell; nothing if it is."""
    told = str(type(event).__struct_config__.tag)
    if type(event) not in _BY_KIND.get(kind, _BROUGHT):
        return f"its driver told {told!r}, which no {kind} can see"
    if isinstance(event, events.DeviceFaulted | events.DeviceRecovered) and (
        event.device != settings.name
    ):
        return f"its driver told {told!r} of another device"
    if settings.seat is not None and getattr(event, "seat", settings.seat) != settings.seat:
        return f"its driver told {told!r} of another seat"
    by = getattr(event, "by", moment.dealer)
    if by not in (moment.dealer, moment.floorperson):
        return f"its driver told {told!r} in somebody's name who is not on duty"
    return ""

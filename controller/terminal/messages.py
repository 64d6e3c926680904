"""What the tablet's page may say, and nothing else: each checked before it is looked at."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

Name = Annotated[str, Meta(min_length=1, max_length=64)]
#: The page's name for one press; the same is done once.
Press = Annotated[str, Meta(min_length=1, max_length=36, pattern=r"^[A-Za-z0-9._-]+$")]
Cents = Annotated[int, Meta(ge=1, le=10**9)]
Count = Annotated[int, Meta(ge=0, le=2**32)]


class _Kind(msgspec.Struct, forbid_unknown_fields=True, tag_field="kind"):
    pass


class Look(_Kind, tag="look"):
    """The page is there. What it names it would look at anyway: there is nothing else."""

    face: Name = ""
    tables: Annotated[list[Name], Meta(max_length=1)] = []


class Here(_Kind, tag="here"):
    """It is still there."""


class PlaceWager(_Kind, tag="wager"):
    press: Press
    wager: Name
    cents: Cents
    #: As the page had it: a wager that was meant for a round that is over is not made in the next.
    round: Count


class TakeBack(_Kind, tag="take_back"):
    press: Press
    wager: Name
    round: Count


class Decide(_Kind, tag="decide"):
    press: Press
    choice: Literal["wager", "check", "fold"]
    round: Count
    street: Count
    cents: Annotated[int, Meta(ge=0, le=10**9)] = 0


class BuyIn(_Kind, tag="buy_in"):
    press: Press
    cents: Cents


class CashOut(_Kind, tag="cash_out"):
    press: Press
    cents: Cents


class Sit(_Kind, tag="sit"):
    press: Press
    player: Annotated[str, Meta(min_length=1, max_length=40)]


class Leave(_Kind, tag="leave"):
    press: Press


Act = PlaceWager | TakeBack | Decide | BuyIn | CashOut | Sit | Leave
Message = Look | Here | Act

_messages = msgspec.json.Decoder(Message)
encode = msgspec.json.Encoder().encode


def read(text: str | bytes) -> Message:
    """``msgspec.MsgspecError`` says what is wrong with it."""
    found: Message = _messages.decode(text)
    return found


def shown(request: Any) -> dict[str, Any]:
    """A request as the page has it."""
    return {name: getattr(request, name) for name in request.__slots__}

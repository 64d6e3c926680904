"""What a page may say to the console, and nothing else: each checked before it is looked at."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

Name = Annotated[str, Meta(min_length=1, max_length=64)]
#: As the control socket takes them.
Pin = Annotated[str, Meta(max_length=32)]
#: The page's name for one press; the same is taken once. Acts of one press are numbered after it.
Press = Annotated[str, Meta(min_length=1, max_length=36, pattern=r"^[A-Za-z0-9._-]+$")]
OfferId = Annotated[str, Meta(min_length=1, max_length=64)]
Face = Literal["dealer", "floor", "sign", "bench", "school"]
Count = Annotated[int, Meta(ge=0, le=2**53)]
Fields = dict[Annotated[str, Meta(max_length=64)], Any]

MAX_TABLES = 64
#: What a page may ask of a table: questions, that anybody may ask who may look.
QUESTIONS = ("recall", "status", "health", "who", "prompts", "offers")


class _Kind(msgspec.Struct, forbid_unknown_fields=True, tag_field="kind"):
    pass


class Look(_Kind, tag="look"):
    """Which face of the table the page is, and of which tables; none are all."""

    face: Face
    tables: Annotated[list[Name], Meta(max_length=MAX_TABLES)] = []


class SignOn(_Kind, tag="sign_on"):
    person: Name
    role: Name
    pin: Pin | None = None
    press: Press | None = None


class Badge(_Kind, tag="badge"):
    """What a reader that is a keyboard has typed: whose badge it is, the table knows."""

    badge: Annotated[str, Meta(min_length=4, max_length=32)]
    press: Press


class SignOff(_Kind, tag="sign_off"):
    """``lock`` leaves the person on duty at the table: only the screen is locked."""

    lock: bool = False


class Here(_Kind, tag="here"):
    """Somebody touched the screen, without an act."""


class Second(msgspec.Struct, forbid_unknown_fields=True):
    """The second person of an act for two, who proves it each time."""

    id: Name
    role: Name
    pin: Pin | None = None


class Take(_Kind, tag="take"):
    table: Name
    press: Press
    offer: OfferId
    round: Count
    seq: Count
    fields: Fields = {}
    second: Second | None = None


class Partner(msgspec.Struct, forbid_unknown_fields=True):
    """The second person of an act for two, at a screen of their own."""

    id: Name
    role: Name


class Propose(_Kind, tag="propose"):
    """An act for two, to be agreed to at the second person's screen."""

    table: Name
    press: Press
    offer: OfferId
    round: Count
    seq: Count
    second: Partner
    fields: Fields = {}


class Agree(_Kind, tag="agree"):
    proposal: Name
    press: Press
    pin: Pin | None = None


class Withdraw(_Kind, tag="withdraw"):
    proposal: Name
    press: Press


class Ask(_Kind, tag="ask"):
    table: Name
    press: Press
    action: Name
    given: Fields = msgspec.field(default_factory=dict, name="with")


class Bench(_Kind, tag="bench"):
    table: Name
    press: Press
    do: Name
    given: Fields = msgspec.field(default_factory=dict, name="with")


class School(_Kind, tag="school"):
    press: Press
    do: Literal["begin", "end", "leave"]
    given: Fields = msgspec.field(default_factory=dict, name="with")


#: Those that are answered.
Pressed = SignOn | Badge | Take | Propose | Agree | Withdraw | Ask | Bench | School
Message = Look | SignOff | Here | Pressed

_messages = msgspec.json.Decoder(Message)
encode = msgspec.json.Encoder().encode


def read(text: str | bytes) -> Message:
    """``msgspec.MsgspecError`` says what is wrong with it."""
    try:
        found: Message = _messages.decode(text)
    except RecursionError:
        raise msgspec.DecodeError("it is nested too deeply") from None
    return found


# --- Over HTTP ----------------------------------------------------------------


class HttpSignOn(msgspec.Struct, forbid_unknown_fields=True):
    person: Name
    role: Name
    pin: Pin | None = None
    face: Face = "floor"
    tables: Annotated[list[Name], Meta(max_length=MAX_TABLES)] = []


class HttpSignOff(msgspec.Struct, forbid_unknown_fields=True):
    lock: bool = False


class HttpTake(msgspec.Struct, forbid_unknown_fields=True):
    press: Press
    offer: OfferId
    round: Count
    seq: Count
    fields: Fields = {}
    second: Second | None = None

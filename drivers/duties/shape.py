"""What a duty of a device is: data, from which the page, the tests and a conformance run are made.

A duty is one thing that felt relies on, or would like, of one kind of device. It belongs to a
message of the catalogue, or to the link itself. Its id stays the same for ever, whatever becomes
of its words: reports name it.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

#: ``required``: play stops, or felt is misled, where it is left out. ``able``: of a device that can
#: do it, which ``given`` says. ``optional``: play goes on without.
Need = Literal["required", "able", "optional"]


class Duty(NamedTuple):
    #: Device and message, or what else it is about: "shoe.dispensed".
    id: str
    #: Of whom: a kind of device, or "" for every one.
    device: str
    #: The message by its name in the catalogue; "" for what is no message.
    message: str
    #: What the device does, in one plain sentence.
    sentence: str
    #: When it is due.
    due: str
    need: Need
    #: What felt does if it does not come.
    without: str
    #: The cause of the hold that comes of it, word for word: N is a number, WHY what the device
    #: says. More may follow. "" where no hold comes of it.
    hold: str = ""
    #: What the device must still know after a loss of power, for this duty.
    keeps: str = ""
    #: Where it is not for all of that kind: the word in the capabilities, or what it can do.
    given: str = ""


class Sentence(NamedTuple):
    """One sentence of "Your device works when"."""

    id: str
    sentence: str
    #: Only for those: "mqtt", "bus", "serial", or "" for every device.
    on: str = ""
    #: It takes a hand: "power" is switched off and on, "cable" is pulled and plugged in.
    hand: str = ""

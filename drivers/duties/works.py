"""The sentences of "Your device works when": what is tried with a device, whatever its kind is."""

from __future__ import annotations

from drivers.duties.shape import Sentence

WORKS = (
    Sentence(
        "works.identified",
        "it is identified, and with a wrong byte in the key file it is not",
    ),
    Sentence(
        "works.boot",
        "its firmware digest is that of the program, and `boot` goes up by one when it is switched "
        "off and on",
        hand="power",
    ),
    Sentence(
        "works.commands",
        "every command of its kind is answered, and `report` brings its state",
    ),
    Sentence(
        "works.unknown",
        "an unknown command (code 0x3F) is answered with `unknown`",
    ),
    Sentence(
        "works.event-once",
        "an event arrives once, also when the cable is out for a minute while it happens",
        hand="cable",
    ),
    Sentence(
        "works.command-once",
        "a command is done once when the cable is pulled as it is sent and plugged in again",
        hand="cable",
    ),
    Sentence(
        "works.safe",
        "with the cable out it is in its safe state after the watchdog's time, and says "
        "`went_safe` when it is back",
        hand="cable",
    ),
    Sentence(
        "works.noise",
        "it survives random bytes, frames with one bit changed, and frames cut short, and answers "
        "the next good request",
        on="serial",
    ),
    Sentence(
        "works.own-event",
        "over MQTT, an event of your own that is not on this page is acknowledged",
        on="mqtt",
    ),
    Sentence(
        "works.bus",
        "on a bus, it never speaks unless it is asked, and others are heard while it is switched "
        "off",
        on="bus",
        hand="power",
    ),
    Sentence(
        "works.replay",
        "a frame from an earlier session, sent again, does nothing",
    ),
)

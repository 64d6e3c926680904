"""What each key of a table file means, and an example of it.

The path is as the file has it: NAME, KIND, METER and USER stand for names that the file gives, and
``people[]`` for each of a list. ``beside`` is what goes with an example, where it can't stand
alone; "shoe" is the wire that the examples are about.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Meaning:
    says: str
    example: Any
    #: What is so if it is left out, where the model's own value does not say it.
    left_out: str = ""
    #: Values of other keys, by their path, that go with the example.
    beside: Mapping[str, Any] = field(default_factory=dict)


_DIGEST = "5f" * 32
_PEOPLE = [
    {"id": "dealer-1", "name": "Dealer 1", "roles": ["dealer"]},
    {"id": "floor-1", "name": "Floorperson 1", "roles": ["floorperson"]},
]
_TLS = {"ca": "/etc/felt/broker-ca.pem"}

MEANINGS: dict[str, Meaning] = {
    # --- What is played -----------------------------------------------------------
    "id": Meaning(
        "The table's name: of its folders, its unit and its topics.",
        "pa-639a-1",
    ),
    "rulebook": Meaning(
        "What is played, and where: an id that felt rulebooks lists, or of a rulebook in a folder "
        "that --rulebooks names.",
        "pa-639a",
    ),
    "method": Meaning("How the cards are dealt.", "automated shoe"),
    "decks": Meaning(
        "How many decks the table uses in turn: with two, one is shuffled while the other is "
        "dealt.",
        2,
    ),
    "ante": Meaning("The smallest and the largest Ante.", {"least": 500, "most": 50_000}),
    "ante.least": Meaning("The smallest Ante, in cents.", 500),
    "ante.most": Meaning("The largest Ante, in cents.", 50_000),
    "meter_limits": Meaning(
        "Amounts above which progressive meters do not rise, by meter. What a limit keeps out "
        "waits, and goes in after a hit.",
        {"progressive": 50_000_000},
        "no limit",
    ),
    "meter_limits.METER": Meaning("The limit of this meter, in cents.", 50_000_000),
    "wrong_pins": Meaning("So many wrong PINs in a row lock a person out at a place.", 5),
    # --- Devices that change how it is played ---------------------------------------
    "devices": Meaning(
        "The devices that the rules ask about. Which wire each device is on, [wires] says.",
        {"shuffler": {"counts": True}},
        "no shuffler",
    ),
    "devices.shuffler": Meaning(
        "The table has an automated shuffler.", {"counts": True}, "cards are shuffled by hand"
    ),
    "devices.shuffler.counts": Meaning("Whether it counts the cards of every shuffle.", True),
    "devices.shuffler.reshuffle_approval": Meaning(
        "The laboratory's approval of a device that reshuffles and counts by itself.",
        "GLI approval 2031-7",
        "it does not",
    ),
    "devices.shuffler.procedure": Meaning(
        "The approved procedure that people follow when it has failed, as the prompts name it.",
        "internal controls 14.2",
        "the prompts name none",
    ),
    "devices.shoe": Meaning(
        "What there is to say of the automated shoe.",
        {"approval": "205 CMR 146, shoe 12"},
        "nothing",
    ),
    "devices.shoe.approval": Meaning(
        "The approval of the shoe, its place and its procedure, where a rulebook asks for one.",
        "205 CMR 146, shoe 12",
        "none",
    ),
    "devices.shoe.stack_of": Meaning(
        "How many cards it is set to deal at a time.", 5, "as many as a hand has"
    ),
    # --- People ---------------------------------------------------------------------
    "people": Meaning(
        "Who may act at this table. Their PINs are set with felt pin.",
        _PEOPLE,
        "whoever says who they are may act: for a demonstration only",
    ),
    "people[].id": Meaning("How they are named in the journal and at sign-on.", "dealer-1"),
    "people[].name": Meaning("How a page names them.", "Dealer 1"),
    "people[].roles": Meaning("The roles that they may act in.", ["floorperson", "supervisor"]),
    # --- The operator's choices -----------------------------------------------------
    "options": Meaning(
        "The operator's choices, which the rulebook names; they are listed by rulebook below.",
        {"seats": 7, "adjacent_boxes": 1, "bonus": "B"},
    ),
    # --- The service ----------------------------------------------------------------
    "service": Meaning(
        "Where felt keeps its files on this PC, and who may talk to it.",
        {"logs_kept": 60},
        "all as below",
    ),
    "service.state": Meaning(
        "The folder of the journal and the device logs.",
        "/var/lib/felt/pa-639a-1",
        "/var/lib/felt/ID",
    ),
    "service.runtime": Meaning(
        "The folder of the control socket.", "/run/felt/pa-639a-1", "/run/felt/ID"
    ),
    "service.secrets": Meaning(
        "The folder of keys, passwords and PINs.",
        "/etc/felt/secrets/pa-639a-1",
        "systemd's credentials, or /etc/felt/secrets/ID",
    ),
    "service.heads": Meaning(
        "The folder that keeps how far the journal goes, apart from the journal.",
        "/var/lib/felt-heads/pa-639a-1",
        "that of the secrets where one is given, or /var/lib/felt-heads/ID",
    ),
    "service.log_megabytes": Meaning("How large one file of a device log may grow.", 64),
    "service.logs_kept": Meaning("How many such files are kept, for each wire.", 60),
    "service.log_every_poll": Meaning(
        "Write out polls that say nothing, too: for who suspects a cable. The logs grow tenfold.",
        True,
    ),
    "service.operators": Meaning(
        "Users and groups of this PC that may act, each with the roles that they may act in.",
        {"pit": ["dealer", "floorperson"], "workshop": ["technician"]},
        "only root and felt's own user act; others may look",
    ),
    "service.operators.USER": Meaning(
        "The roles of this user or group.", ["dealer", "floorperson"]
    ),
    "service.control_group": Meaning(
        "The group that may connect to the control socket; felt's user must be in it.",
        "felt",
        "felt's own user and root only",
    ),
    "service.badge_alone": Meaning(
        "Roles in which a badge alone signs somebody on; in the others the PIN is asked for, too.",
        ["dealer"],
        "none: a badge and a PIN",
    ),
    "service.console_user": Meaning(
        "The user that the pages run as: it says from which address somebody acts.",
        "felt-console",
    ),
    "service.approved_program": Meaning(
        "Digests of programs that may run this table, as felt signature prints them.",
        [_DIGEST],
        "what felt signature --record has kept, if anything",
    ),
    "service.metrics_port": Meaning(
        "The port on this PC at which figures are served over HTTP.", 9464, "none"
    ),
    # --- Wires ------------------------------------------------------------------------
    "wires": Meaning(
        "The lines and brokers of the table: a section [wires.NAME] for each, under a name of "
        "your own.",
        {"shoe": {"serial": "/dev/felt/shoe", "devices": ["shoe"]}},
        "no devices, which is enough for felt check and felt play",
    ),
    "wires.NAME": Meaning(
        "A line or a broker, and the devices on it.",
        {"serial": "/dev/felt/shoe", "devices": ["shoe"]},
    ),
    "wires.NAME.serial": Meaning(
        "A serial port, by a name that stays. A wire has this or mqtt.", "/dev/felt/shoe", "none"
    ),
    "wires.NAME.baud": Meaning("The speed of the line, as the device has it.", 57_600),
    "wires.NAME.parity": Meaning("The parity of the line.", "even"),
    "wires.NAME.stop_bits": Meaning("The stop bits of the line.", 2),
    "wires.NAME.rs485": Meaning(
        "The devices are polled, and the adapter is told to switch direction.", True
    ),
    "wires.NAME.speaks": Meaning(
        "What is spoken on a serial line: felt's own protocol, or that of a device off the shelf.",
        "modbus",
        beside={"wires.NAME.devices": ["panel"]},
    ),
    "wires.NAME.mqtt": Meaning(
        "Host and port of a broker; embedded, or embedded:PORT, for one inside felt.",
        "broker.pit.example:8883",
        "none",
        {"wires.NAME.serial": None},
    ),
    "wires.NAME.user": Meaning(
        "felt's account at the broker; its password is a file among the secrets.",
        "felt-pa-639a-1",
        "no account",
        {"wires.NAME.serial": None, "wires.NAME.mqtt": "broker:1883"},
    ),
    "wires.NAME.tls": Meaning(
        "Talk to the broker over TLS.",
        _TLS,
        "without TLS",
        {"wires.NAME.serial": None, "wires.NAME.mqtt": "broker:8883"},
    ),
    "wires.NAME.tls.ca": Meaning(
        "The file with the certificate that the broker's is signed by.",
        "/etc/felt/broker-ca.pem",
        beside={"wires.NAME.serial": None, "wires.NAME.mqtt": "broker:8883"},
    ),
    "wires.NAME.tls.certificate": Meaning(
        "The file with felt's own certificate, where the broker asks for one.",
        "/etc/felt/felt.pem",
        "none",
        {"wires.NAME.serial": None, "wires.NAME.mqtt": "broker:8883", "wires.NAME.tls": _TLS},
    ),
    "wires.NAME.tls.key": Meaning(
        "The file with the key of felt's own certificate.",
        "/etc/felt/felt.key",
        "none",
        {"wires.NAME.serial": None, "wires.NAME.mqtt": "broker:8883", "wires.NAME.tls": _TLS},
    ),
    "wires.NAME.devices": Meaning(
        "The devices on it: shuffler, shoe, panel, sign, and acceptor and terminal with their "
        "seat.",
        ["acceptor 1", "acceptor 2", "acceptor 3"],
    ),
    "wires.NAME.driver": Meaning(
        "The driver of its devices, where that is one of a vendor.",
        "shoe",
        "felt's own driver of each kind of device",
    ),
    "wires.NAME.options": Meaning(
        "What only this kind of device has, for its driver. felt's own: hardware.md.",
        {"tells_taken": False},
        "each as its driver has it",
    ),
    "wires.NAME.options.OPTION": Meaning("A value that the driver knows by this name.", False),
    # --- Approved firmware --------------------------------------------------------------
    "approved": Meaning(
        "The firmware that a device may have, by kind of device.",
        {"shoe": [_DIGEST]},
        "any firmware: a device without a list is degraded, and plays",
    ),
    "approved.KIND": Meaning("Digests of the firmware of this kind of device.", [_DIGEST]),
    "serial_numbers": Meaning(
        "The serial number of each device that belongs here.",
        {"shoe": "A-1047"},
        "of each device the number that it had when the table was opened",
    ),
    "serial_numbers.DEVICE": Meaning("The number of this device.", "A-1047"),
}

_FIVE_CARD = {
    "five_card": True,
    "five_card_wager": 100,
    "five_card_reset": 1_000_000,
    "five_card_rate": 13,
}

#: Of each option that a driver of felt's knows, by kind of device: an example.
DRIVERS: dict[tuple[str, str], str | int | bool] = {
    ("shuffler", "game"): "Caribbean Stud",
    ("shoe", "tells_taken"): False,
    ("acceptor", "returns"): False,
}

#: A name of one's own, where a path has a word in its place.
OWN_NAMES = {
    "METER": "progressive",
    "USER": "pit",
    "NAME": "shoe",
    "OPTION": "tells_taken",
    "KIND": "shoe",
    "DEVICE": "shoe",
}

#: Of options that no table file of felt's own has: an example, and other options that go with it.
OPTIONS: dict[tuple[str, str], tuple[Any, Mapping[str, Any]]] = {
    ("pa-639a", "linked"): (True, {}),
    ("ma", "linked"): (True, {"progressive": "D"}),
    ("ma", "five_card"): (True, _FIVE_CARD),
    ("ma", "five_card_wager"): (100, _FIVE_CARD),
    ("ma", "five_card_reset"): (1_000_000, _FIVE_CARD),
    ("ma", "five_card_rate"): (13, _FIVE_CARD),
    ("ma", "magic_card"): (True, {**_FIVE_CARD, "magic_card_every": 50}),
    ("ma", "magic_card_every"): (50, {**_FIVE_CARD, "magic_card": True}),
    ("ma", "lucky"): (True, {**_FIVE_CARD, "lucky_every": 40}),
    ("ma", "lucky_every"): (40, {**_FIVE_CARD, "lucky": True}),
    ("ma", "match_play"): (True, {}),
    ("s10", "linked"): (False, {}),
    ("s10", "progressive_wager"): (100, {}),
    ("s10", "payout_limit"): (5_000_000, {}),
    ("s10", "bet_odds"): ({"royal flush": "150 to 1"}, {}),
    ("s10", "progressive_prizes"): ({"four-of-a-kind": "$600"}, {}),
    ("s10", "turn_over_when_not_qualified"): (True, {}),
    ("s10", "match_play"): (True, {}),
    ("pa-669a", "linked"): (False, {}),
    ("pa-682a", "payout_limit"): (5_000_000, {}),
    ("pa-683a", "payout_limit"): (5_000_000, {}),
}

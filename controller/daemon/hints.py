"""What to do when: from what felt says, to the plain cause and the next action.

One list for the program and for people: ``felt status`` puts the action under what it shows, and
docs/what-to-do-when.md is drawn from it. A text that no row knows gets no hint, rather than a
wrong one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache, lru_cache
from typing import Literal, NamedTuple

Topic = Literal["ports and cables", "devices", "holds", "the service", "people"]


class Hint(NamedTuple):
    topic: Topic
    #: As people see it; three dots stand for what differs.
    symptom: str
    cause: str
    action: str
    who: str = "technician"

    @property
    def pattern(self) -> re.Pattern[str]:
        return re.compile(r".+".join(map(re.escape, self.symptom.split("..."))))


# fmt: off
HINTS: tuple[Hint, ...] = (
    # --- Ports and cables
    Hint("ports and cables", "... is not there",
         "The adapter is unplugged or without power, or the name in the table file is wrong.",
         "Check the cable. `ls -l /dev/serial/by-id` shows what is plugged in. A name below "
         "/dev/felt is given by a line in /etc/udev/rules.d/71-felt-ports.rules."),
    Hint("ports and cables", "... is in use by ...",
         "Another program has the port open: a second felt, a terminal, ModemManager.",
         "End that program; felt takes the port by itself."),
    Hint("ports and cables", "felt may not use ...",
         "The service's user is not in the port's group.",
         "Add the user to the group that is named, and restart the service."),
    Hint("ports and cables", "... is not a serial port",
         "The name in the table file is that of a file or of another device.",
         "Put a name from /dev/serial/by-id into the table file."),
    Hint("ports and cables", "... was unplugged or lost its power",
         "The cable came out while the port was open.",
         "Plug it in again; felt comes back by itself, and the hold stays until it is cleared."),
    Hint("ports and cables", "... has taken no bytes for ...",
         "The adapter hangs.",
         "Unplug the adapter and plug it in again. If it happens again, replace it."),
    Hint("ports and cables", "... can't be set to ... baud",
         "The adapter can't do this speed.",
         "Choose a speed that device and adapter can do, in the table file and at the device."),
    # --- Devices
    Hint("devices", "it floods the table: it tells more than may be, and is not listened to for a "
         "while",
         "The device tells events without end. Its commands and all other devices go on.",
         "Restart the device. If it does not stop, replace it."),
    Hint("devices", "it does not answer at address ...; a device answers at address ...",
         "The device has another address than the one it is spoken to at.",
         "Set its address at the device: the number of its seat, or its place among the devices of "
         "its wire, from 1."),
    Hint("devices", "it does not answer",
         "The device is off, on another cable, at another speed or at another address.",
         "Check its power and its cable, then its speed and address against the table file."),
    Hint("devices", "it is a ..., not a ...",
         "Two cables are swapped.",
         "Plug the right device into this port."),
    Hint("devices", "its serial number is ..., not ...",
         "Another device is in its place, and has its key. It is not used.",
         "Plug in the one that belongs there. If it was exchanged on purpose, a technician and a "
         "floorperson accept it together: `device_accepted`."),
    Hint("devices", "its firmware ... is not on the list",
         "The device runs a firmware that was not approved for this table.",
         "Load the approved firmware, or have this one approved and listed."),
    Hint("devices", "it has the key of ...",
         "Two devices were exchanged, or one has the address of another.",
         "Set its address or swap the cables; or load the key into it that belongs there."),
    Hint("devices", "it does not have the key",
         "Device and felt have different keys, or there is a box in between.",
         "Look along the cable first. Then give the device its key again."),
    Hint("devices", "it speaks protocol ..., felt speaks ...",
         "The device's firmware is of another time than felt: newer where its number is higher.",
         "Load firmware into it that speaks felt's protocol; if it is newer, felt may be updated "
         "instead."),
    Hint("devices", "it can't prove who it is",
         "A device off the shelf that knows no keys.",
         "Keep its cabinet locked and sealed."),
    Hint("devices", "it runs with the bench key",
         "The device never got a key of its own.",
         "Make one with `felt keys`, and load it into the device."),
    Hint("devices", "no firmware is on its list",
         "The table file lists no digest for this kind of device.",
         "List the digest that was approved under [approved]."),
    Hint("devices", "nothing is heard of it",
         "A device that holds cards fell silent.",
         "Check power and cable. Count its cards before the hold is cleared.", "floorperson"),
    Hint("devices", "... of its events never arrived",
         "The device had more to tell than it could keep while the wire was down.",
         "Compare what it shows with the table, then clear the hold.", "floorperson"),
    Hint("devices", "no wire carries it",
         "The table needs this device and the table file has it on no wire.",
         "List it under devices of a wire, and restart the service."),
    # --- Holds
    Hint("holds", "wrong count",
         "The shuffler, or the shoe, counted other than 52 cards. The deck is out of play.",
         "Bring a new deck. Have the old one counted and kept.", "floorperson"),
    Hint("holds", "shuffler in mode ...",
         "The shuffler sorts, or does something else that is no shuffle.",
         "Set it to shuffle; the cards are shuffled again.", "floorperson"),
    Hint("holds", "shuffler jam",
         "A card is stuck. The shuffle counts for nothing.",
         "Free the card, look at it, and clear the hold; it shuffles anew.", "floorperson"),
    Hint("holds", "shuffler stopped",
         "Somebody or something stopped the cycle. The shuffle counts for nothing.",
         "Find out why, and clear the hold; it shuffles anew.", "floorperson"),
    Hint("holds", "shuffler incomplete",
         "The cycle did not come to its end. The shuffle counts for nothing.",
         "Look for cards left inside, and clear the hold; it shuffles anew.", "floorperson"),
    Hint("holds", "jam",
         "A card is stuck in the device.",
         "Free the card, look at it, count, and clear the hold.", "floorperson"),
    Hint("holds", "its door is open",
         "The device was opened. What lies in a shuffler then counts as not shuffled.",
         "See who did and why, close it, and clear the hold; a shuffler shuffles anew when its "
         "cycle has ended, or when its cards are taken out and put in again.", "floorperson"),
    Hint("holds", "what it says of its cards was not taken: ...",
         "The shoe was loaded, or the shuffler filled, with a deck that is not due or that the "
         "table does not know; the rest of the words say which.",
         "Take the cards out and clear the hold. Put in the deck that the table asks for. If it is "
         "that one, the device has a wrong name for it.", "floorperson"),
    Hint("holds", "stack ... was not answered",
         "The shoe did not say whether it dealt the stack, or began with it and did not end. felt "
         "asks; it never orders a stack again on a guess.",
         "Wait for its answer: the hold says it. Look whether it is so, and clear the hold. "
         "Without an answer, void the round.", "floorperson"),
    Hint("holds", "stack ... was refused: ...",
         "The shoe would not begin with the stack. Nothing has moved.",
         "See why: a stack may lie in its exit. Put it right and clear the hold; the stack is "
         "ordered again. If it can't be, void the round.", "floorperson"),
    Hint("holds", "it has ... cards inside where ... should be",
         "Cards have left the shoe in no stack: it stopped in the middle of one, or somebody had a "
         "hand in it.",
         "Find the cards and count the deck. The round is void if its deal had begun.",
         "floorperson"),
    Hint("holds", "it has ... cards left where ... should be",
         "The shoe's count and what was dealt do not make 52.",
         "Have the stub counted face down. If that is right, clear the hold, and have the shoe "
         "looked at.", "floorperson"),
    Hint("holds", "the shuffle of deck ... has not ended",
         "The shuffler has the deck and does not come to an end.",
         "Look at the shuffler; count its cards, and clear the hold: it shuffles anew.",
         "floorperson"),
    Hint("holds", "a card of stack ... lies face up",
         "A card lies the wrong way round in the deck.",
         "Follow the prompt at the table; look at the deck afterwards.", "floorperson"),
    Hint("holds", "read other faces than were shown",
         "The shoe's reader and the cards on the table disagree.",
         "Stop using this deck and this shoe until both were looked at; surveillance has the "
         "cards.", "floorperson"),
    Hint("holds", "what the shoe has read of this round can't be opened any more",
         "felt was restarted in mid-round and the round's key is gone or was changed.",
         "Key in the cards as they are turned. Find out who was at the PC; auditors can still open "
         "what the shoe has read.", "floorperson"),
    Hint("holds", "... cards were found inside",
         "The device was not empty when it was taken out of service.",
         "Account for these cards before the hold is cleared.", "floorperson"),
    Hint("holds", "... progressive chips and coupons counted, ... wagers accepted",
         "Chips and accepted wagers differ.",
         "Count again. If they still differ, settle it with surveillance.", "floorperson"),
    Hint("holds", "it did not give back ... cents",
         "An acceptor was told to give a chip back, and can't.",
         "Give the player the chip by hand, look at the acceptor, and clear the hold.",
         "floorperson"),
    Hint("holds", "it numbers its events anew under the same boot: it restarted, and may have"
         " forgotten what it took; count what is inside against the record",
         "It restarted and did not say so, and may have forgotten what it took.",
         "Count what is inside against the record, then clear the hold. A technician has its"
         " firmware count its starts.", "floorperson"),
    Hint("holds", "it gave back a chip that nobody ordered back",
         "A chip left an acceptor, and it may have been an accepted wager.",
         "Look at the light and for the chip. Take the acceptor out of use if it did.",
         "floorperson"),
    Hint("holds", "nobody knows whether it gave back ... cents",
         "An acceptor did not say whether it gave a chip back.",
         "Look whether the chip lies there or with the dealer; give it to the player.",
         "floorperson"),
    Hint("holds", "it told of ... cents that are no wager",
         "A chip was refused when felt was restarted, and rolled to the dealer.",
         "Give the player the chip by hand, and clear the hold.", "floorperson"),
    Hint("holds", "the lamp shows ... where ... was ordered",
         "The light of an acceptor is not what it must be.",
         "Look at the acceptor. The wager counts as the journal has it.", "floorperson"),
    Hint("holds", "lamps: ...",
         "A lamp of the panel is broken or stuck.",
         "Replace the lamp; the buttons work all the same."),
    Hint("holds", "the cards of the round do not make 52",
         "The shuffler's count and the counts at the table disagree.",
         "Count the deck by hand and replace it.", "floorperson"),
    Hint("holds", "the shuffler counted ... hands where ... were dealt",
         "A hand too many or too few was given out.",
         "Look at the layout; void the round if a hand was misdealt.", "floorperson"),
    Hint("holds", "a contribution from a wager of ... is out of bounds",
         "The meter was given what it can't have been given.",
         "Stop. Have the meter's settings compared with the approval.", "supervisor"),
    Hint("holds", "... valued the hit of seat ... at ..., the link at ...",
         "A hit was paid by hand while the link was down, and the link makes it worth another sum.",
         "Settle the difference with the other tables and the player, and clear the hold.",
         "supervisor"),
    Hint("holds", "its driver told ...",
         "The package of its vendor says what is not for such a device to say.",
         "Take the device out of the table file, and ask its vendor. Nothing of it was taken."),
    Hint("holds", "turned away: ...",
         "A device answered that can't be used here.",
         "See the reason; the device is not used until it is the right one."),
    Hint("holds", "messages came in its name that it did not seal; nothing of them was taken",
         "Somebody else writes on its wire or at its broker, or it has another key than felt.",
         "Look along its cable for a box, and who may write at the broker. `felt status` "
         "counts them; when they have stopped, clear the hold.",
         "floorperson"),
    Hint("holds", "it floods the table with messages, and is muted",
         "The device tells more than anybody could do at it. It is listened to again by itself.",
         "Look at the device and restart it. If it does not stop, replace it; then clear the hold.",
         "floorperson"),
    Hint("holds", "it ends with entry ..., and ...",
         "The journal has less than was recorded at this table.",
         "Keep a copy of this journal and find out who was at the disk. Compare what lies on the "
         "table with what the page shows, put right by hand what differs; then a supervisor and a "
         "floorperson go on together: `record_accepted`.",
         "supervisor"),
    Hint("holds", "... is another one than was recorded",
         "The journal says other than was recorded at this table.",
         "Keep a copy of this journal and find out who was at the disk. Compare what lies on the "
         "table with what the page shows, put right by hand what differs; then a supervisor and a "
         "floorperson go on together: `record_accepted`.",
         "supervisor"),
    Hint("holds", "the broker ... has a head of ...",
         "A broker keeps a head of this table that this journal does not have.",
         "Keep a copy of this journal and find out who was at the disk. Compare what lies on the "
         "table with what the page shows, put right by hand what differs; then a supervisor and a "
         "floorperson go on together: `record_accepted`.",
         "supervisor"),
    Hint("holds", "it is not the journal that was kept, of table ... with ... entries; it has ...",
         "The journal was deleted or replaced by another one.",
         "Keep a copy of this journal and find out who was at the disk. Compare what lies on the "
         "table with what the page shows, put right by hand what differs; then a supervisor and a "
         "floorperson go on together: `record_accepted`.",
         "supervisor"),
    # --- The service
    Hint("the service", "its digest ... is not the approved ...",
         "Files differ from those that were approved.",
         "Put the approved ones back. If the change was approved: `felt signature --record`."),
    Hint("the service", "it was changed on the disk since felt was started",
         "A file was edited or replaced while the table was open.",
         "Put it back, or close the table and restart the service."),
    Hint("the service", "there are ... at ..., and then play stops",
         "Little room is left for the journal and the device logs.",
         "Remove what is not felt's from the disk, or move old device logs away. The journal stays "
         "where it is."),
    Hint("the service", "an entry is not on the disk after ...",
         "The disk does not answer: it is worn, choked by another program, or its cable is loose.",
         "Wait, and look at the disk. Nothing is lost, and nothing goes on before it answers; "
         "if it does not, restart the PC. The round goes on where it was."),
    Hint("the service", "the disk of ... does not answer since ...",
         "The disk does not even say how much room it has.",
         "Look at the disk and its cable; have it replaced."),
    Hint("the service", "another program has written ... of the pages that felt keeps digests of; "
         "all entries are sound",
         "Somebody looked into the journal with a tool of SQLite, or a byte of a page was changed "
         "that belongs to no entry.",
         "Find out who was at the PC. `felt verify` looks at the whole journal."),
    Hint("the service", "the disk is full",
         "The journal has no room. Nothing is lost; the table is stopped.",
         "Make room on the disk, then start the service."),
    Hint("the service", "the disk failed: ...",
         "The disk did not write. The table is stopped.",
         "Check the disk, then start the service; what was acknowledged is kept."),
    Hint("the service", "is in use by ...",
         "A second felt was started for the same table.",
         "Stop the other one first."),
    Hint("the service", "nobody answers at ...",
         "The service is not running.",
         "`systemctl status felt@TABLE` says why."),
    Hint("the service", "the table file is not the one that the journal was begun with",
         "The terms were changed while the table was open.",
         "Go on with the old file, close the table, then change it.", "floorperson"),
    Hint("the service", "felt's own broker can't listen on port ...",
         "Another program has the port: a mosquitto, a second table, or somebody who would be the "
         "broker. felt tells it nothing.",
         "`ss -ltnp` names it. End it, or name another port in the table file."),
    Hint("the service", "the broker on port ... turns away whoever",
         "A program of this PC tries felt's own broker without an account of this table, or opens "
         "connections and says nothing. Play goes on. A device of the table that is turned away "
         "has another key than felt.",
         "`ss -tnp` names the program by the port. End it, and find out who started it."),
    Hint("the service", "the broker on port ... turns away connections that are too many at once",
         "A program of this PC opens connections to felt's own broker as fast as it can. Play goes "
         "on, but a device that has to connect anew may have to wait.",
         "`ss -tnp` names the program by the port. End it, and find out who started it."),
    Hint("the service", "the broker on port ... turns away",
         "A device at felt's own broker, or somebody with its key, says more than it is asked, or "
         "says and asks for what is not its own. The log names the account.",
         "Have the device's program looked at. If it is in order, give the device another key."),
    # --- People
    Hint("people", "the credential of ... is locked",
         "Wrong PINs were given too often in this shift, at one place or at several.",
         "Find out who tried. Another supervisor unlocks it: `felt act credential_unlocked`. If "
         "none is left, a technician gives one of them a new PIN as root on the table PC: "
         "`felt pin PERSON --table TABLE.toml`. Either is on record.",
         "supervisor"),
    Hint("people", "the PIN of ... was tried: ... wrong PINs, last at ...",
         "Somebody guesses a PIN, or its holder has forgotten it.",
         "Ask its holder. Was it somebody else, look who is at that login or screen. Unlocking the "
         "credential (`felt act credential_unlocked`) begins the count anew.",
         "supervisor"),
    Hint("people", "... is locked out at ... after ... wrong PINs",
         "At this place wrong PINs were given in a row for this person, and nowhere else.",
         "Sign on at another place with the right PIN. A supervisor finds out who tried, and "
         "unlocks the credential: `felt act credential_unlocked`.",
         "supervisor"),
    Hint("people", "nobody signs on at ...: the PINs of several people were wrong there",
         "At this place the PINs of several people were wrong, one after the other.",
         "Sign on at another place, or wait: it ends by itself. A supervisor elsewhere finds out "
         "who was there, and ends it: `felt act place_unlocked`.",
         "supervisor"),
    Hint("people", "the credential of ... was withdrawn",
         "The PIN of this person was taken away on the table PC.",
         "If that was wrong, set a new one: `felt pin PERSON --table TABLE.toml`."),
    Hint("people", "... acts ... were refused within ...",
         "A key is stuck, or a program goes on without looking at its answers.",
         "See why the first was refused, and end what repeats it. It may go on after the time that "
         "is said; how much was turned away is in the record.",
         "technician"),
    Hint("people", "nobody acts as ... from ...",
         "This user of the PC may not act in that role.",
         "Use the right account, or put its group under [service.operators]."),
    Hint("people", "... has no PIN",
         "Nobody set a PIN for this person.",
         "`felt pin PERSON --table TABLE.toml`."),
    Hint("people", "nobody is signed on as ...",
         "A button was pressed, and felt does not know whose finger it was.",
         "Sign on first: `felt act sign_on --as PERSON:ROLE`. Then press again.", "that person"),
    Hint("people", "... is not among the people of this table",
         "The table file does not list this person.",
         "List the person in the table file while the table is closed."),
)
# fmt: on


@cache
def _patterns() -> tuple[tuple[re.Pattern[str], Hint], ...]:
    return tuple((one.pattern, one) for one in HINTS)


@lru_cache(256)
def hint(text: str) -> Hint | None:
    """What is known about something that felt says. Pages ask it for every device, all the time."""
    if not text:
        return None
    return next((one for pattern, one in _patterns() if pattern.search(text)), None)


def page() -> Iterator[str]:
    """docs/what-to-do-when.md."""
    yield "# What to do when"
    yield ""
    yield "What felt says, why, and what to do about it. `felt status` shows the same under what it"
    yield "reports; this page is drawn by `felt doctor --page`, and a test keeps it true."
    for topic in dict.fromkeys(one.topic for one in HINTS):
        yield ""
        yield f"## {topic.capitalize()}"
        yield ""
        yield "| you see | cause | do this | who |"
        yield "| --- | --- | --- | --- |"
        for one in HINTS:
            if one.topic == topic:
                yield f"| {one.symptom} | {one.cause} | {one.action} | {one.who} |"

"""One example of every message, and what its docstring does not say to whoever builds a device."""

from __future__ import annotations

import inspect

import msgspec

from drivers.wire import messages
from drivers.wire.frame import Deadline, Kind, Packet
from drivers.wire.messages import Message
from tests.docs.session import ADDRESS, KEYS, SESSION, signed

#: Ids of the example commands begin here; the message's code is added.
FIRST_ID = 0x4D00

#: The five cards of the example stack: two of clubs, three of diamonds, ten, queen and ace.
FACES = bytes((4 * 0 + 0, 4 * 1 + 1, 4 * 8 + 2, 4 * 10 + 3, 4 * 12 + 3))

EXAMPLES: tuple[Message, ...] = (
    messages.Report(),
    messages.SetWatchdog(3000),
    messages.Quiesce(),
    messages.Fault("jam", "card stuck at the exit"),
    messages.FaultCleared("jam"),
    messages.Door(True),
    messages.WentSafe(),
    messages.Shuffle("red"),
    messages.SetGame("Caribbean Stud"),
    messages.ShowPayouts("bad_beat", 5, (500, 100, 40)),
    messages.CycleStarted("red"),
    messages.CycleCompleted("red", 52),
    messages.CycleFailed("red", "jam"),
    messages.Mode("shuffle", "red"),
    messages.Game("Caribbean Stud"),
    messages.Hands(6),
    messages.ShufflerState("complete", "shuffle", "red", 52, "Caribbean Stud"),
    messages.Arm(1207, (5, 5, 5)),
    messages.Dispense(1207, 1, 5),
    messages.Stop(),
    messages.Loaded("red", 52),
    messages.Dispensed(1207, 1, 5, FACES),
    messages.Taken(1),
    messages.FaceUpCard(2),
    messages.Stub(37),
    messages.Empty(),
    messages.ShoeState(1207, 1, 5, 47, 2),
    messages.Lights("off", "blink", "off"),
    messages.Tone("attention"),
    messages.Pressed("lock_out"),
    messages.LightsRead("off", "blink", "off"),
    messages.Lock(),
    messages.Unlock(),
    messages.SetLamp("invite"),
    messages.Return(100),
    messages.GiveBack(7, 105, 100),
    messages.LockState(True),
    messages.Wager("progressive", 100, "chips"),
    messages.LateWager("progressive", 100, "after the lock"),
    messages.WagerRemoved("progressive"),
    messages.LampRead("invite"),
    messages.ChipsReturned(3),
    messages.Returned((105, 106), "dealer"),
    messages.ShowBalance(25_000),
    messages.Prompt("Place your wagers"),
    messages.Credit("t-2201", 10_000, 35_000),
    messages.Offer("progressive", False, "the link is down"),
    messages.Refused("buy_in", 114, "t-2201", "nobody sits at seat 2", 0),
    messages.SeatState(1207, "betting", False, "P. Ångström"),
    messages.WagerState("five_card_player", "Five Card Hand Bonus Wager", 100, 100, 0, "offered"),
    messages.AskDecision(1, "Raise wager", (1_000, 2_000), "check", 0),
    messages.Sat("P. Ångström"),
    messages.Left(),
    messages.BuyIn("t-2201", 10_000),
    messages.CashOut("t-2202", 35_000),
    messages.Decision("wager", 2_000),
    messages.ShowMeter("progressive", "royal flush", 12_345_678),
    messages.ShowWin("table 4", 3, "royal flush", 12_345_678, 5_000_000),
    messages.ShowNotice("link down"),
    messages.Showing("progressive", "royal flush", 12_345_678),
    messages.Show("lamp", "green"),
    messages.Reading("badge", "", b"0004711"),
)

NOTES: dict[str, str] = {
    "report": "Answer `done`, then send the events that say how you stand: a shuffler "
    "`shuffler_state`, a shoe `shoe_state`, a panel `lights_read`, an acceptor `lock_state` and "
    "`lamp_read`, a terminal `lock_state`, a sign `showing` for each meter; and each fault that "
    "lasts as a `fault`, an open door as a `door`.",
    "set_watchdog": "It holds until the next one or until you restart. See [The watchdog](#the-"
    "watchdog).",
    "quiesce": "felt is about to leave.",
    "fault": "Something is wrong; it lasts until `fault_cleared` says the same nature. felt stops "
    "the table until a person has cleared it. The detail is for the technician.",
    "fault_cleared": "The fault of this nature is over.",
    "door": "A door or cover was opened or closed. Closing it is the end of that fault.",
    "shuffle": "Begin a cycle with the deck of this name, as soon as it lies in the machine. "
    "Answer `accepted`; then `cycle_started`, and `cycle_completed` or `cycle_failed`. felt orders "
    "no cycle while anything is held at the table, and holds one that does not end within five "
    "minutes.",
    "set_game": "Answer `done` and send `game`.",
    "show_payouts": "A shuffler without a screen answers `unknown`.",
    "cycle_started": "The deck of this name is being shuffled.",
    "cycle_failed": "Only `cycle_completed` makes a deck fit for play; say this if you are not "
    "sure.",
    "game": "The game that the shuffler is set to, sent whenever it changes.",
    "shuffler_state": "The answer to a report. The count is that of the last complete cycle, 255 "
    "if none; `game` is empty if the shuffler has no such setting.",
    "arm": "Answer `done`. It ends the round before. It may come again for the same round: what is "
    "out stays out.",
    "dispense": "Refuse it unless the round is the armed one, the number follows the last one's "
    "(from 1) and the cards are as many as armed. Answer `accepted` at once and send `dispensed` "
    "when the stack is out. What you refuse you have not begun: nothing has moved. felt holds the "
    "round, and orders it again when a person has put it right. A stack that was accepted and is "
    "not out within 15 s is asked about.",
    "loaded": "A deck was put in, with so many cards; 255 if it does not count. Its name is empty "
    "where the shoe does not know it: felt takes it for the deck that is due.",
    "mode": "Due when it changes, and when cards are put in or are all out again.",
    "hands": "Due when the dealer presses the button for it, at a table with a Cover All wager.",
    "taken": "The stack of this number was taken out of the exit. felt orders the next stack only "
    "then. Of a shoe that can't tell, the table file says `tells_taken = false` among the options "
    "of its wire.",
    "stub": "A shoe that counts tells it after its last stack. Until it has, or the dealer has "
    "counted by hand, the round does not go on.",
    "empty": "The last card has left the shoe. felt does nothing with it.",
    "shoe_state": "`inside` is the cards that are left, 255 if it does not count. felt works out "
    "from this what became of a `dispense` that was never answered: let it be exact, also after a "
    "restart. It orders a stack again that is neither out nor on its way, if `inside` bears that "
    "out: when a person has looked, or at once where only felt was away and `round`, `last` and "
    "`inside` fit. Cards that are neither dealt nor inside make the round void.",
    "lights": "The lamps in the buttons, and the warning lamp. Read them back, also if you refuse: "
    "`lights_read`.",
    "tone": "Sound this once; `none` stops it.",
    "pressed": "A button was pressed or the key was turned; once for each press, at the press.",
    "lock": "A device that needs time for it answers `accepted` and says `lock_state`.",
    "unlock": "Take wagers from now on.",
    "set_lamp": "The player's light. Read it back, also if you refuse: `lamp_read`.",
    "return": "`cents` is what felt knows of it. Answer `refused` if it can't be given back, and "
    "say `returned` if you number your chips. Sent only where nothing that was accepted lies in "
    "it.",
    "give_back": "For a wager that was not taken while an accepted one lies in it: `event` is the "
    "number of the `wager` that told of this chip, and `boot` the boot it was told in. Answer "
    "`done`, also if it is not in it any more, and say `returned`; `refused` if the boot is not "
    "yours, or if it can't be given back: then people do it. Never give back another in its place. "
    "An acceptor that answers `unknown` has people called.",
    "late_wager": "Only for one that was given back: felt orders nothing back for it. What you "
    "hold is a `wager`, whenever it came; felt knows when it locked you, and says what goes back.",
    "wager": "An acceptor that takes one kind of wager may leave its name empty. The number of "
    "this event is the chip's name for `give_back` and `returned`.",
    "chips_returned": "For an acceptor that does not number its chips; others say `returned`.",
    "returned": "To the player, after a `return` or a `give_back`; to the dealer, into the return "
    "device at the inventory, when it is locked. 0 stands for a chip from before your start. At "
    "most 16 in one event. One that goes to the player without an order is a fault: what a player "
    "takes out is `wager_removed`.",
    "lamp_read": "What the lamp really shows, after each `set_lamp` and whenever it changes.",
    "show_balance": "What the player's account holds.",
    "prompt": "For the player to read.",
    "credit": "A transfer that you asked for again is answered with what it was posted as, "
    "`balance` being that of then; a `show_balance` follows if the account holds something else by "
    "now.",
    "refused": "`event` is the number of your event. `name` is the transfer's id or the wager's "
    "name, and empty where there is neither; `reason` is for the player to read; `balance` is what "
    "the account holds. A transfer that is refused is over: give back what was brought for it, pay "
    "nothing out, and ask under another id if it is wanted after all. Only if you had asked for it "
    "twice may a `credit` follow, and then that holds. A terminal that answers `unknown` is sent "
    "the reason as a `prompt` and the balance as a `show_balance`.",
    "seat_state": "Told to a terminal whose [capabilities](#the-handshake) say `offers`, as are "
    "the two after it: when it has come, and then what has changed. `round` is the last that "
    "began; `player` is empty where nobody sits. Show it, and decide nothing by it: whether a "
    "wager may be made the lock says, and the table.",
    "wager_state": "One for each wager that is made at a terminal, `called` so in the rulebook. "
    "Why it is withheld an `offer` says.",
    "ask_decision": "`called` and `amounts` are those of the wager that goes with the decision; "
    "who makes none says `otherwise`. When `chosen` is not 0 the player has said so, and has yet "
    "to put the chips down. A decision that is over is taken back by street 0.",
    "sat": "A player's session began, under this name or number.",
    "left": "The player's session is over.",
    "buy_in": "The player brings so much into the account. The transfer's id is yours, and never "
    "used twice: felt posts it once. Wait for `credit`, or `refused`.",
    "cash_out": "The player wants so much out of the account. Pay when `credit` says so, and never "
    "before; `refused` says that nothing was taken from it.",
    "decision": "What the player chose, with the amount if it is a wager. A check or a fold counts "
    "as it is. A wager of a decision is made with chips on the layout: nothing is debited, and it "
    "counts when the dealer has seen them. Ask the player to put them down.",
    "show_meter": "What this level of the meter holds. Say `showing` with what you really show.",
    "show_win": "`cents` were won on this level; the meter begins again at `base`.",
    "show": "The words are between the device and its driver: felt knows none of them.",
    "reading": "The words are between the device and its driver. `covered` is covered as faces "
    "are, 32 bytes at most; of a badge it is the number, in ASCII.",
    "showing": "What the sign shows for this level; after each `show_meter`, and for a report.",
}


def explained(kind: type[Message]) -> str:
    """The docstring and the note, as one paragraph each."""
    said = [" ".join(part.split()) for part in (inspect.cleandoc(_own_doc(kind)).split("\n\n"))]
    note = NOTES.get(messages.name(kind), "")
    text = "\n\n".join(part for part in (" ".join(said), note) if part)
    if not text:
        raise ValueError(f"{messages.name(kind)} says nothing about itself")
    return text


def _own_doc(kind: type[Message]) -> str:
    return kind.__dict__.get("__doc__") or ""


def travelling(message: Message) -> Message:
    """The message as it is on the line: an event's number is its code."""
    if not isinstance(message, messages.Event) or not message.secret:
        return message
    covered = KEYS.cover(getattr(message, message.secret), message.code)
    return msgspec.structs.replace(message, **{message.secret: covered})


def packet_with(message: Message, deadline: Deadline | None = None) -> Packet:
    """The message in a packet of the example session, numbered with its code."""
    code = message.code
    written = messages.to_bytes(travelling(message))
    if isinstance(message, messages.Command):
        payload = (FIRST_ID + code).to_bytes(4, "big") + written
        return signed(Packet(Kind.COMMAND, ADDRESS, SESSION, code, payload, deadline=deadline))
    return signed(Packet(Kind.EVENT, ADDRESS, SESSION, code, written))

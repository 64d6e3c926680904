"""The duties of an automated shoe."""

from __future__ import annotations

from drivers.duties.shape import Duty

SHOE = (
    Duty(
        "shoe.loaded",
        "shoe",
        "loaded",
        "It tells `loaded` when a deck was put into it, with the deck's name if it knows that and "
        "an empty one if not.",
        "once for each time that it is filled; not for cards that lay in it when it started",
        "required",
        "opens no betting: the table waits for the deck",
        keeps="that the cards in it were told of",
    ),
    Duty(
        "shoe.arm",
        "shoe",
        "arm",
        "It answers `arm` with `done` and gives out no other stacks in that round.",
        "when the wagers are locked; again in the same round where a stack is added or it may have "
        "forgotten",
        "required",
        "holds the table if it is refused; in the deal the round is void",
        hold="it refused 'arm'",
        keeps="round and stacks, or nothing: a shoe that has forgotten says round 0 and is armed "
        "again",
    ),
    Duty(
        "shoe.dispense",
        "shoe",
        "dispense",
        "It answers `dispense` with `accepted` and gives out that one stack, or with `refused` and "
        "moves nothing.",
        "when the stack before it was taken",
        "required",
        "refused, holds the round and orders it again when a person has cleared that; unanswered "
        "for 2 s, holds the round and asks with `report`",
        hold="stack N was refused: WHY",
    ),
    Duty(
        "shoe.dispensed",
        "shoe",
        "dispensed",
        "It tells `dispensed` with the cards that are really out when the stack is out.",
        "within 15 s of the order",
        "required",
        "holds the round, asks with `report`, and goes by `shoe_state`",
        hold="stack N was not answered",
        keeps="round, number and cards of the last stack that is out",
    ),
    Duty(
        "shoe.faces",
        "shoe",
        "dispensed",
        "It sends the faces of the stack, covered, in the order in which they lie.",
        "in `dispensed`",
        "able",
        "has people key the cards in when they are turned over",
        given="reads",
    ),
    Duty(
        "shoe.taken",
        "shoe",
        "taken",
        "It tells `taken` when the stack was taken out of its exit.",
        "then",
        "able",
        "orders no further stack: the round waits, and people can only void it",
        keeps="that a stack lies in the exit: taken while there was no power, it is told at the "
        "start",
        given="a sensor in the exit; without one the table file says `tells_taken = false`",
    ),
    Duty(
        "shoe.face_up_card",
        "shoe",
        "face_up_card",
        "It tells `face_up_card` with the number of the stack that has a card the wrong way round, "
        "or 0 for one still inside.",
        "right after that stack's `dispensed`",
        "able",
        "leaves it to the dealer to see it",
        given="a sensor for it",
    ),
    Duty(
        "shoe.stub",
        "shoe",
        "stub",
        "It tells `stub` with the cards that are left when the last stack of the round is out.",
        "right after the last `dispensed`, within 5 s",
        "able",
        "asks with `report` and takes `inside`; if that does not come either, the dealer counts "
        "by hand",
        given="a count of its cards",
    ),
    Duty(
        "shoe.empty",
        "shoe",
        "empty",
        "It tells `empty` when the last card has left it.",
        "then; it takes the place of a `stub` of 0",
        "optional",
        "does nothing with it",
    ),
    Duty(
        "shoe.shoe_state",
        "shoe",
        "shoe_state",
        "It tells `shoe_state` after each `report`: what is out, what is inside, and what is on "
        "its way.",
        "after `done` to the report",
        "required",
        "orders nothing more while a stack is in doubt; if the report itself is not answered, the "
        "round is void",
        hold="it does not say what it has dispensed",
        keeps="round, last stack and its cards; `inside` counted anew at the start, or kept with "
        "every card, or 255. A stack that the loss of power cut in two is not `last`, and its "
        "cards in the exit are not `inside`",
    ),
    Duty(
        "shoe.stop",
        "shoe",
        "stop",
        "It answers `stop` with `done`, forgets a stack that it has not begun, and is armed for "
        "nothing.",
        "when the round is void",
        "required",
        "holds the table if it is refused",
        hold="it refused 'stop'",
    ),
)

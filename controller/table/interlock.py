"""What a hold stops: nothing moves that it lies on until the right person has cleared it.

What people and devices may still do under a hold is in ``transitions``. Here is what the machine
itself does not order. What happens all the same is taken as it is: a card that came has come.
"""

from __future__ import annotations

from controller.table.commands import ArmShoe, Dispense, EnableDeal, Order, StartShuffle, Unlock
from controller.table.state import Blocks, Table

#: By order, the holds under which it is not given. Whatever else is ordered moves no card, opens
#: nothing and begins nothing.
STOPPED: dict[type[Order], tuple[Blocks, ...]] = {
    StartShuffle: ("deal", "round", "play"),
    EnableDeal: ("deal", "round", "play"),
    ArmShoe: ("deal", "play"),
    Dispense: ("deal", "play"),
    Unlock: ("play",),
}


def may(table: Table, order: type[Order]) -> bool:
    """Whether no hold stands in the way of an order."""
    return not any(hold.blocks in STOPPED[order] for hold in table.holds)

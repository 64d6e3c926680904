"""A device that restarts and says that it did not: its events have old numbers and are new."""

from __future__ import annotations

import pytest

from drivers.wire.messages import GiveBack, LampRead, LockState, Wager
from drivers.wire.notices import Heard, Identified
from drivers.wire.station import is_told_anew
from tests.drivers.wire.conversation import Conversation

CHIP = Wager("progressive", 100)


def restarted(talk: Conversation) -> None:
    """Its power was off, and its count of starts is not kept."""
    device = talk.devices[0]
    device.boot -= 1
    device.restart()


def heard(talk: Conversation) -> list[tuple[int, int]]:
    return [(one.boot, one.seq) for one in talk.said(Heard) if isinstance(one, Heard)]


@pytest.mark.parametrize("polled", [False, True])
@pytest.mark.parametrize("before", [1, 2, 5])
@pytest.mark.parametrize("while_away", [True, False])
def test_a_chip_is_not_taken_for_one_of_before(polled: bool, before: int, while_away: bool) -> None:
    talk = Conversation(polled=polled)
    for _ in range(before):
        talk.devices[0].responder.tell(CHIP)
    talk.run(6)
    assert len(talk.heard()) == before
    restarted(talk)
    if while_away:
        talk.devices[0].responder.tell(CHIP)
        talk.run(6)
    else:
        talk.run(6)
        talk.devices[0].responder.tell(CHIP)
        talk.run(6)
    assert len(talk.heard()) == before + 1
    assert len(set(heard(talk))) == before + 1
    assert talk.devices[0].responder.unacknowledged == 0
    assert talk.strange().count("numbers anew") == 1
    greeted = [one for one in talk.said(Identified) if isinstance(one, Identified)]
    assert greeted[-1].restarted


def test_as_many_as_before_are_not_taken_for_those() -> None:
    talk = Conversation()
    said = [LockState(True), LampRead("off"), CHIP]
    for one in said:
        talk.devices[0].responder.tell(one)
    talk.run(6)
    restarted(talk)
    for one in said:
        talk.devices[0].responder.tell(one)
    talk.run(6)
    assert talk.heard() == said * 2


def test_it_may_happen_again_and_again() -> None:
    talk = Conversation()
    for n in range(1, 5):
        talk.devices[0].responder.tell(CHIP)
        talk.run(6)
        assert len(set(heard(talk))) == n
        restarted(talk)
        talk.run(6)


def test_a_repeat_is_one_still() -> None:
    talk = Conversation()
    talk.devices[0].responder.tell(CHIP)
    talk.until(lambda: len(talk.heard()) == 1)
    # The acknowledgement is lost with the session.
    talk.cut()
    talk.run(6)
    assert talk.devices[0].responder.unacknowledged == 0
    assert len(talk.heard()) == 1
    assert "numbers anew" not in talk.strange()


def test_the_chip_is_named_to_the_device_as_it_numbers_it() -> None:
    talk = Conversation()
    talk.devices[0].responder.tell(CHIP)
    talk.run(6)
    restarted(talk)
    talk.devices[0].responder.tell(CHIP)
    talk.run(6)
    boot, seq = heard(talk)[-1]
    assert boot != 1
    talk.send(GiveBack(boot, seq, 100))
    talk.run(1)
    assert talk.devices[0].done == [GiveBack(1, 1, 100)]


@pytest.mark.parametrize(
    ("seq", "last", "kept", "anew"),
    [
        (1, 5, 0, True),
        (1, 5, 9, True),
        (3, 5, 3, True),
        (3, 5, 0, True),
        # It remembers what it said, and was cut off before it had written that felt has it.
        (4, 5, 5, False),
        (5, 5, 7, False),
    ],
)
def test_what_is_another_event(seq: int, last: int, kept: int, anew: bool) -> None:
    assert is_told_anew(seq, last, kept) is anew

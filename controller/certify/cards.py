"""What a shoe and a shuffler have to do, with cards in them."""

from __future__ import annotations

from collections.abc import Callable

from controller.certify.bench import Bench
from controller.certify.verdict import Broken, Check, NotForIt
from drivers.wire import messages
from drivers.wire.messages import NOT_COUNTED

SHOE, SHUFFLER = ("shoe",), ("shuffler",)
#: A stack is out within so long of its order, and a cycle at its end.
STACK_S = 15.0
CYCLE_S = 300.0
SHORT_S = 5.0
STACKS = (5, 5, 5)
DECK_OF_CARDS = 52
HAND = 400.0


class _Round:
    """The number of a round that the shoe has not heard of yet."""

    def __init__(self) -> None:
        self._last = 1000

    def next(self) -> int:
        self._last += 1
        return self._last


_rounds = _Round()


async def _state(bench: Bench) -> messages.ShoeState:
    for one in await bench.state():
        if isinstance(one, messages.ShoeState):
            return one
    raise Broken("a report does not bring its shoe_state")


async def _filled(bench: Bench) -> None:
    """Enough cards for a round are in it, and nothing lies in its exit."""
    state = await _state(bench)
    if state.inside == NOT_COUNTED or state.inside >= sum(STACKS) + 1:
        return
    await _loads(bench)


async def _loads(bench: Bench) -> None:
    mark = len(bench.talk.told)
    deck = bench.given.deck
    state = await _state(bench)
    if state.inside not in (0, NOT_COUNTED):
        await bench.act({"stub": True}, "take all cards out of it")
        await bench.talk.settle()
        mark = len(bench.talk.told)
    await bench.act({"load": deck}, f"put the whole deck {deck!r} into it")
    loaded = await bench.tells(messages.Loaded, "a deck was put into it", since=mark)
    if loaded.count not in (DECK_OF_CARDS, NOT_COUNTED):
        raise Broken(f"{DECK_OF_CARDS} cards were put into it, and it told {loaded.count}")
    if loaded.deck not in (deck, ""):
        raise Broken(f"the deck {deck!r} was put into it, and it told {loaded.deck!r}")


async def _arms(bench: Bench) -> None:
    """Nothing but what it is armed for."""
    await bench.obeys(messages.Stop())
    round_ = _rounds.next()
    await _refuses(bench, messages.Dispense(round_, 1, 5), "it is not armed")
    await bench.obeys(messages.Arm(round_, STACKS))
    for order, why in (
        (messages.Dispense(round_ + 1, 1, 5), "it is armed for another round"),
        (messages.Dispense(round_, 2, 5), "stack 2 does not follow stack 0"),
        (messages.Dispense(round_, 1, 4), "it is armed for 5 cards"),
    ):
        await _refuses(bench, order, why)
    state = await _state(bench)
    if state.round != round_ or state.last:
        raise Broken(f"it is armed for round {round_}, and its shoe_state says {state.round}, "
                     f"last stack {state.last}")  # fmt: skip
    await bench.obeys(messages.Stop())


async def _refuses(bench: Bench, order: messages.Dispense, why: str) -> None:
    mark = len(bench.talk.told)
    outcome = (await bench.talk.command(order)).outcome
    if outcome != "refused":
        raise Broken(f"{why}, and it answers dispense with {outcome}")
    if any(isinstance(o.message, messages.Dispensed) for o in await bench.follows(mark)):
        raise Broken(f"{why}, it refused, and a stack came out")


async def _stack(bench: Bench, round_: int, number: int) -> messages.Dispensed:
    mark = len(bench.talk.told)
    cards = STACKS[number - 1]
    result = await bench.talk.command(messages.Dispense(round_, number, cards))
    if result.outcome != "accepted":
        raise Broken(f"it answers dispense of stack {number} with {result.outcome} "
                     f"({result.detail})")  # fmt: skip
    told: messages.Dispensed = await bench.tells(
        messages.Dispensed, f"stack {number} was ordered", since=mark, within=STACK_S
    )
    if (told.round, told.number, told.cards) != (round_, number, cards):
        raise Broken(f"stack {number} of round {round_} with {cards} cards was ordered, and it "
                     f"told {told.number} of {told.round} with {told.cards}")  # fmt: skip
    return told


async def _taken(bench: Bench, number: int) -> None:
    mark = len(bench.talk.told)
    await bench.act({"take": 1}, f"take stack {number} out of its exit")
    found = [o for o in await bench.follows(mark) if isinstance(o.message, messages.Taken)]
    if not found:
        raise NotForIt("it does not tell taken: the table file says tells_taken = false")
    if (told := found[0].message) != messages.Taken(number):
        raise Broken(f"stack {number} was taken, and it told {told}")


async def _armed(bench: Bench) -> int:
    await _filled(bench)
    round_ = _rounds.next()
    await bench.obeys(messages.Arm(round_, STACKS))
    return round_


async def _dispenses(bench: Bench) -> None:
    round_ = await _armed(bench)
    before = (await _state(bench)).inside
    await _stack(bench, round_, 1)
    state = await _state(bench)
    if (state.round, state.last, state.last_cards) != (round_, 1, 5):
        raise Broken(f"stack 1 of round {round_} is out, and its shoe_state says stack "
                     f"{state.last} of {state.round} with {state.last_cards}")  # fmt: skip
    if before != NOT_COUNTED and state.inside != before - 5:
        raise Broken(f"{before} cards were inside, 5 are out, and it says {state.inside}")
    await bench.act({"take": 1}, "take the stack out of its exit")
    await bench.obeys(messages.Stop())


async def _once(bench: Bench) -> None:
    """The same order over two sessions: one stack."""
    talk = bench.talk
    round_ = await _armed(bench)
    order, id_ = messages.Dispense(round_, 1, 5), talk.new_id()
    mark = len(talk.told)
    await talk.command(order, id_)
    await bench.tells(messages.Dispensed, "stack 1 was ordered", since=mark, within=STACK_S)
    await talk.greet()
    await talk.command(order, id_)
    await talk.until(lambda: False, 2.0)
    out = [o for o in talk.told[mark:] if isinstance(o.message, messages.Dispensed)]
    if len(out) != 1:
        raise Broken(f"one stack was ordered under one id, and it told {len(out)}")
    await bench.act({"take": 1}, "take the stack out of its exit")
    await bench.obeys(messages.Stop())


async def _faces(bench: Bench) -> None:
    identity = bench.talk.identity
    reads = identity is not None and "reads" in identity.capabilities.split()
    round_ = await _armed(bench)
    told = await _stack(bench, round_, 1)
    faces = list(told.faces)
    if not (faces or reads):
        await bench.act({"take": 1}, "take the stack out of its exit")
        await bench.obeys(messages.Stop())
        raise NotForIt("it reads no faces")
    if len(faces) != told.cards:
        raise Broken(f"it gave out {told.cards} cards, and told {len(faces)} faces")
    if len(set(faces)) != len(faces) or any(face >= DECK_OF_CARDS for face in faces):
        raise Broken("the faces are no five cards of a deck: are they covered as the page says?")
    await bench.act({"take": 1}, "take the stack out of its exit")
    await bench.obeys(messages.Stop())


async def _tells_taken(bench: Bench) -> None:
    round_ = await _armed(bench)
    await _stack(bench, round_, 1)
    await _taken(bench, 1)
    await bench.obeys(messages.Stop())


async def _face_up(bench: Bench) -> None:
    round_ = await _armed(bench)
    await bench.act({"turn_up": 1}, "have the first card in it lie face up")
    mark = len(bench.talk.told)
    await _stack(bench, round_, 1)
    await bench.talk.until(lambda: False, SHORT_S)
    found = [o for o in bench.talk.told[mark:] if isinstance(o.message, messages.FaceUpCard)]
    await bench.act({"take": 1}, "take the stack out of its exit")
    await bench.obeys(messages.Stop())
    if not found:
        raise NotForIt("it does not tell face_up_card")
    if (told := found[0].message) != messages.FaceUpCard(1):
        raise Broken(f"a card of stack 1 lay face up, and it told {told}")


async def _stub(bench: Bench) -> None:
    round_ = await _armed(bench)
    before = (await _state(bench)).inside
    mark = len(bench.talk.told)
    for number in range(1, len(STACKS) + 1):
        await _stack(bench, round_, number)
        if number < len(STACKS):
            await bench.act({"take": number}, f"take stack {number} out of its exit")
    await bench.talk.until(lambda: False, SHORT_S)
    stubs = [o.message for o in bench.talk.told[mark:] if isinstance(o.message, messages.Stub)]
    await bench.act({"take": 3}, "take the last stack out of its exit")
    if before == NOT_COUNTED:
        raise NotForIt("it does not count its cards")
    if not stubs:
        raise Broken(f"its last stack is out, and it told no stub within {SHORT_S:g} s")
    if stubs[0].count != before - sum(STACKS):
        raise Broken(f"{before} cards were inside, {sum(STACKS)} are out, and it told a stub of "
                     f"{stubs[0].count}")  # fmt: skip


async def _empties(bench: Bench) -> None:
    state = await _state(bench)
    if state.inside == NOT_COUNTED:
        raise NotForIt("it does not count its cards")
    await _loads(bench)
    round_ = _rounds.next()
    sizes = (26, 26)
    await bench.obeys(messages.Arm(round_, sizes))
    mark = len(bench.talk.told)
    for number in (1, 2):
        await bench.obeys(messages.Dispense(round_, number, 26), "accepted")
        await bench.tells(
            messages.Dispensed,
            f"stack {number} was ordered",
            since=mark,
            within=STACK_S,
            like=_numbered(number),
        )
        await bench.act({"take": number}, f"take stack {number} out of its exit")
        told = await bench.follows(mark)
        if number == 1 and any(isinstance(one.message, messages.Empty) for one in told):
            raise Broken("26 cards are left in it, and it told empty")
    if not any(isinstance(one.message, messages.Empty) for one in told):
        raise NotForIt("it does not tell empty")


def _numbered(number: int) -> Callable[[messages.Dispensed], bool]:
    return lambda one: one.number == number


async def _stops(bench: Bench) -> None:
    round_ = await _armed(bench)
    await bench.obeys(messages.Stop())
    await _refuses(bench, messages.Dispense(round_, 1, 5), "its round was stopped")
    if (state := await _state(bench)).round:
        raise Broken(f"its round was stopped, and its shoe_state says round {state.round}")


async def _after_a_start(bench: Bench) -> None:
    """`inside` is exact also after a restart; round 0 says that it has forgotten."""
    round_ = await _armed(bench)
    await _stack(bench, round_, 1)
    before = await _state(bench)
    await bench.power("a stack lies in its exit: leave it there, " + _SWITCH)
    await bench.up()
    await bench.talk.greet()
    after = await _state(bench)
    if after.inside not in (before.inside, NOT_COUNTED):
        raise Broken(f"{before.inside} cards were inside as its power went, and {after.inside} "
                     "are after its start")  # fmt: skip
    if after.round and (after.round, after.last, after.last_cards) != (round_, 1, 5):
        raise Broken(f"stack 1 of round {round_} was out as its power went, and after its start it "
                     f"says stack {after.last} of {after.round}")  # fmt: skip
    if after.on_its_way:
        raise Broken(f"after its start it says that stack {after.on_its_way} is on its way")
    await bench.act({"take": 1}, "take the stack out of its exit")


_SWITCH = "switch it off, wait two seconds and switch it on again"


# --- Shufflers --------------------------------------------------------------------


async def _shuffler_state(bench: Bench) -> messages.ShufflerState:
    for one in await bench.state():
        if isinstance(one, messages.ShufflerState):
            return one
    raise Broken("a report does not bring its shuffler_state")


async def _cycle(bench: Bench) -> tuple[messages.CycleStarted, messages.CycleCompleted]:
    """Ordered before the deck lies in it, as felt does."""
    if (await _shuffler_state(bench)).holds:
        await bench.act({"take": True}, "take all cards out of it")
        await bench.talk.settle()
    deck = bench.given.deck
    await bench.obeys(messages.Shuffle(deck), "accepted")
    mark = len(bench.talk.told)
    await bench.act({"put": deck}, f"put the whole deck {deck!r} into it")
    started = await bench.tells(messages.CycleStarted, "the deck was put in", since=mark,
                                about="shuffler.cycle_started")  # fmt: skip
    ended = await bench.tells(
        messages.CycleCompleted, "the cycle began", since=mark, within=CYCLE_S
    )
    return started, ended


async def _shuffles(bench: Bench) -> None:
    started, _ = await _cycle(bench)
    if started.deck != bench.given.deck:
        said = f"{bench.given.deck!r} was ordered, and it told {started.deck!r}"
        raise Broken(said, "shuffler.cycle_started")


async def _completes(bench: Bench) -> None:
    _, ended = await _cycle(bench)
    if ended.deck != bench.given.deck:
        raise Broken(f"{bench.given.deck!r} was ordered, and it told {ended.deck!r}")
    state = await _shuffler_state(bench)
    if state.cycle != "complete":
        raise Broken(f"the cycle was completed, and its shuffler_state says {state.cycle}")


async def _counts(bench: Bench) -> None:
    identity = bench.talk.identity
    if identity is None or "counts" not in identity.capabilities.split():
        raise NotForIt("its capabilities do not say counts")
    _, ended = await _cycle(bench)
    if ended.count != DECK_OF_CARDS:
        raise Broken(f"{DECK_OF_CARDS} cards were put in, and it counted {ended.count}")


async def _fails(bench: Bench) -> None:
    mark = len(bench.talk.told)
    if (await _shuffler_state(bench)).holds:
        await bench.act({"take": True}, "take all cards out of it")
        await bench.talk.settle()
    deck = bench.given.deck
    await bench.act({"fault": "jam"}, "have the next cycle jam (a bent card, a hand in its way)")
    await bench.obeys(messages.Shuffle(deck), "accepted")
    await bench.act({"put": deck}, f"put the whole deck {deck!r} into it")
    await bench.tells(messages.CycleFailed, "a cycle jammed", since=mark, within=CYCLE_S)
    told = bench.talk.told[mark:]
    if any(isinstance(one.message, messages.CycleCompleted) for one in told):
        raise Broken("a cycle jammed, and it told cycle_completed")
    await bench.act({"clear": True}, "put the jam right")
    await bench.talk.settle()


async def _modes(bench: Bench) -> None:
    if (await _shuffler_state(bench)).holds:
        mark = len(bench.talk.told)
        await bench.act({"take": True}, "take all cards out of it")
        await bench.tells(
            messages.Mode, "all cards were taken out", since=mark, like=lambda one: not one.holds
        )
    mark = len(bench.talk.told)
    deck = bench.given.deck
    await bench.act({"put": deck}, f"put the whole deck {deck!r} into it")
    await bench.tells(
        messages.Mode, "cards were put into it", since=mark, like=lambda one: one.holds
    )
    await bench.act({"take": True}, "take all cards out of it")


async def _set_game(bench: Bench) -> None:
    for game in ("Caribbean Stud", "Four Card Poker"):
        mark = len(bench.talk.told)
        result = await bench.talk.command(messages.SetGame(game))
        if result.outcome in ("unknown", "refused"):
            raise NotForIt(f"it answers set_game with {result.outcome}: it has no such games")
        told = await bench.tells(
            messages.Game, f"set_game {game}", since=mark, about="shuffler.game"
        )
        if told.game != game:
            raise Broken(f"it was set to {game}, and told {told.game}", "shuffler.game")
    if (state := await _shuffler_state(bench)).game != "Four Card Poker":
        raise Broken(f"it was set to Four Card Poker, and its state says {state.game!r}",
                     "shuffler.set_game")  # fmt: skip


async def _hands(bench: Bench) -> None:
    mark = len(bench.talk.told)
    await bench.act({"green": True}, "press its button for the dealer's packet")
    await bench.tells(messages.Hands, "the dealer's packet was taken", since=mark)


async def _payouts(bench: Bench) -> None:
    await bench.obeys(messages.ShowPayouts("bad_beat", 5, (500, 100, 40)), "done", "unknown")


async def _shuffler_after_a_start(bench: Bench) -> None:
    await bench.power()
    await bench.up()
    await bench.talk.greet()
    state = await _shuffler_state(bench)
    if state.cycle not in ("idle", "failed"):
        raise Broken(f"after its start its shuffler_state says {state.cycle}")


CHECKS = (
    Check("shoe.loaded", "bronze", "", _loads, SHOE, hand="cards", within=2 * HAND),
    Check("shoe.arm", "bronze", "", _arms, SHOE),
    Check("shoe.dispense", "bronze", "", _dispenses, SHOE, hand="cards", within=2 * HAND),
    Check("shoe.dispensed", "bronze", "", _once, SHOE, hand="cards", within=2 * HAND),
    Check("shoe.stub", "bronze", "", _stub, SHOE, hand="cards", within=4 * HAND),
    Check("shoe.stop", "bronze", "", _stops, SHOE, hand="cards", within=HAND),
    Check("shoe.taken", "bronze", "", _tells_taken, SHOE, hand="cards", within=2 * HAND),
    Check("shoe.faces", "bronze", "", _faces, SHOE, hand="cards", within=2 * HAND),
    Check("shoe.empty", "gold", "", _empties, SHOE, hand="cards", within=4 * HAND),
    Check("shoe.face_up_card", "gold", "", _face_up, SHOE, hand="cards", within=2 * HAND),
    Check("shoe.shoe_state", "gold", "", _after_a_start, SHOE, hand="power", within=4 * HAND),
    Check("shuffler.shuffle", "bronze", "", _shuffles, SHUFFLER, hand="cards", within=3 * HAND),
    Check("shuffler.cycle_started", "bronze", "", _shuffles, SHUFFLER, hand="cards",
          within=3 * HAND),
    Check("shuffler.cycle_completed", "bronze", "", _completes, SHUFFLER, hand="cards",
          within=3 * HAND),
    Check("shuffler.count", "bronze", "", _counts, SHUFFLER, hand="cards", within=3 * HAND),
    Check("shuffler.mode", "bronze", "", _modes, SHUFFLER, hand="cards", within=3 * HAND),
    Check("shuffler.set_game", "bronze", "", _set_game, SHUFFLER),
    Check("shuffler.game", "bronze", "", _set_game, SHUFFLER),
    Check("shuffler.show_payouts", "bronze", "", _payouts, SHUFFLER),
    Check("shuffler.hands", "gold", "", _hands, SHUFFLER, hand="cards", within=HAND),
    Check("shuffler.cycle_failed", "gold", "", _fails, SHUFFLER, hand="cards", within=4 * HAND),
    Check("shuffler.shuffler_state", "gold", "", _shuffler_after_a_start, SHUFFLER, hand="power",
          within=2 * HAND),
)  # fmt: skip

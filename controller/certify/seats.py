"""What acceptors and terminals have to do, with a chip or a finger at them."""

from __future__ import annotations

from controller.certify.bench import Bench
from controller.certify.verdict import Broken, Check, NotForIt
from drivers.wire import messages
from drivers.wire.messages import Lamp

A, T = ("acceptor",), ("terminal",)
CENTS = 100
SHORT_S = 3.0
LAMPS: tuple[Lamp, ...] = ("invite", "placed", "accepted", "off")
WAGER = "five_card_player"
CHIP = f"put a chip of {CENTS} cents into it"
HAND = 400.0


async def _locks(bench: Bench) -> None:
    await bench.obeys(messages.Unlock())
    mark = len(bench.talk.told)
    result = await bench.talk.command(messages.Lock())
    if result.outcome == "accepted":
        await bench.tells(
            messages.LockState, "it accepted lock", since=mark, like=lambda one: one.locked
        )
    elif result.outcome != "done":
        raise Broken(f"it answers lock with {result.outcome}")
    if not await bench.is_locked():
        raise Broken("it was told to lock, and says that it is open")


async def _unlocks(bench: Bench) -> None:
    await bench.obeys(messages.Lock(), "done", "accepted")
    await bench.obeys(messages.Unlock())
    if await bench.is_locked():
        raise Broken("it was told to unlock, and says that it is locked")


async def _lock_state(bench: Bench) -> None:
    for command, locked in ((messages.Lock(), True), (messages.Unlock(), False)):
        await bench.talk.command(command)
        if await bench.is_locked() != locked:
            raise Broken(f"after {messages.name(command)} its lock_state says the opposite")


async def _lamp(bench: Bench) -> None:
    for lamp in LAMPS:
        mark = len(bench.talk.told)
        result = await bench.talk.command(messages.SetLamp(lamp))
        if result.outcome == "unknown":
            raise NotForIt("it has no lamp: it answers set_lamp with unknown")
        if result.outcome != "done":
            said = f"it answers set_lamp {lamp} with {result.outcome}"
            raise Broken(said, "acceptor.set_lamp")
        read = await bench.tells(
            messages.LampRead,
            f"set_lamp {lamp}",
            since=mark,
            within=SHORT_S,
            about="acceptor.lamp_read",
        )
        if read.lamp != lamp:
            said = f"it was told to show {lamp}, and reads back {read.lamp}"
            raise Broken(said, "acceptor.lamp_read")


async def _chip(bench: Bench, *, cents: int = CENTS) -> int:
    """A chip in an open acceptor; the number under which it told of it."""
    await bench.obeys(messages.Unlock())
    mark = len(bench.talk.told)
    await bench.act({"wager": cents}, CHIP)
    wager = await bench.tells(messages.Wager, "a chip was put into it", since=mark)
    if wager.cents != cents:
        raise Broken(f"a chip of {cents} cents was put into it, and it told {wager.cents}")
    if wager.tender not in ("chips", "coupon"):
        raise Broken(f"a chip was put into it, and it told the tender {wager.tender!r}")
    if bench.given.wager and wager.wager not in ("", bench.given.wager):
        raise Broken(f"it takes {wager.wager!r}, and not {bench.given.wager!r}")
    return next(
        one.seq for one in bench.talk.told[mark:] if isinstance(one.message, messages.Wager)
    )


async def _takes(bench: Bench) -> None:
    seen = await _chip(bench)
    if any(isinstance(one.message, messages.Wager) and one.seq > seen for one in bench.talk.told):
        raise Broken("one chip was put into it, and it told two")
    await _empty(bench)


async def _empty(bench: Bench) -> None:
    await bench.talk.command(messages.Return(CENTS))
    await bench.talk.settle()


async def _rolls(bench: Bench) -> None:
    number = await _chip(bench)
    mark = len(bench.talk.told)
    await bench.talk.command(messages.Lock())
    told = [one.message for one in await bench.follows(mark)]
    left = [one for one in told if isinstance(one, messages.Returned)]
    if any(isinstance(one, messages.ChipsReturned) for one in told):
        raise NotForIt("it does not number its chips: it tells chips_returned")
    if not left:
        raise NotForIt("it tells of no chips that leave it")
    if left[0].to != "dealer" or number not in left[0].events:
        raise Broken(
            f"it was locked with chip {number} in it, and told returned {list(left[0].events)} to "
            f"the {left[0].to}"
        )


async def _chips_returned(bench: Bench) -> None:
    await _chip(bench)
    mark = len(bench.talk.told)
    await bench.talk.command(messages.Lock())
    told = [one.message for one in await bench.follows(mark)]
    counts = [one.chips for one in told if isinstance(one, messages.ChipsReturned)]
    if not counts:
        raise NotForIt("it does not tell chips_returned, which is for one that numbers none")
    if counts[-1] != 1:
        raise Broken(f"one chip rolled, and it told chips_returned {counts[-1]}")


async def _late(bench: Bench) -> None:
    await bench.talk.command(messages.Lock())
    await bench.talk.settle()
    mark = len(bench.talk.told)
    await bench.act({"wager": CENTS}, f"it is locked: {CHIP}")
    late = await bench.tells(messages.LateWager, "a chip came when it was locked", since=mark)
    if late.cents != CENTS or late.sensed != "after the lock":
        raise Broken(
            f"a chip of {CENTS} cents came after the lock, and it told {late.cents} {late.sensed}"
        )
    if any(isinstance(one.message, messages.Wager) for one in bench.talk.told[mark:]):
        raise Broken("a chip came when it was locked, and it told a wager")


async def _removed(bench: Bench) -> None:
    await _chip(bench)
    mark = len(bench.talk.told)
    await bench.act({"take_back": True}, "take the chip out of it again, as a player does")
    await bench.tells(messages.WagerRemoved, "the chip was taken out again", since=mark)


async def _returns(bench: Bench) -> None:
    number = await _chip(bench)
    mark = len(bench.talk.told)
    result = await bench.talk.command(messages.Return(CENTS))
    if result.outcome == "refused":
        return
    if result.outcome != "done":
        raise Broken(f"it answers return with {result.outcome}")
    for one in await bench.follows(mark):
        if isinstance(one.message, messages.Returned) and (
            one.message.to != "player" or one.message.events not in ((number,), (0,))
        ):
            raise Broken(f"chip {number} goes back, and it told {list(one.message.events)} to the "
                         f"{one.message.to}")  # fmt: skip


async def _gives_back(bench: Bench) -> None:
    """Two chips: the second goes back, and the first stays."""
    talk = bench.talk
    first = await _chip(bench)
    second = await _chip(bench)
    boot = talk.boots[-1]
    mark = len(talk.told)
    result = await talk.command(messages.GiveBack(boot, second, CENTS))
    if result.outcome in ("unknown", "refused"):
        await _empty(bench)
        raise NotForIt(f"it answers give_back with {result.outcome}: people do it")
    back = await bench.tells(messages.Returned, f"give_back of chip {second}", since=mark)
    if back.to != "player" or back.events != (second,):
        raise Broken(f"chip {second} was to go back, and it told {list(back.events)} to the "
                     f"{back.to}; chip {first} lies in it too")  # fmt: skip
    other = await talk.command(messages.GiveBack(boot ^ 1, first, CENTS))
    if other.outcome == "done":
        raise Broken("it gave back a chip of another boot")
    await _empty(bench)


# --- Terminals ------------------------------------------------------------------


async def _terminal_wager(bench: Bench) -> None:
    await bench.obeys(messages.Unlock())
    mark = len(bench.talk.told)
    wager = bench.given.wager or WAGER
    await bench.act(
        {"wager": {"wager": wager, "cents": CENTS}}, f"wager {CENTS} cents on {wager} at it"
    )
    told = await bench.tells(messages.Wager, "a wager was made at it", since=mark)
    if (told.cents, told.tender) != (CENTS, "account"):
        raise Broken(f"{CENTS} cents were wagered at it, and it told {told.cents} {told.tender}")


async def _terminal_late(bench: Bench) -> None:
    await bench.obeys(messages.Lock(), "done", "accepted")
    await bench.talk.settle()
    mark = len(bench.talk.told)
    wager = bench.given.wager or WAGER
    await bench.act(
        {"wager": {"wager": wager, "cents": CENTS}}, f"it is locked: touch the wager {wager} at it"
    )
    told = await bench.follows(mark)
    if any(isinstance(one.message, messages.Wager) for one in told):
        raise Broken("it is locked, and told a wager")


async def _terminal_removed(bench: Bench) -> None:
    await _terminal_wager(bench)
    mark = len(bench.talk.told)
    wager = bench.given.wager or WAGER
    await bench.act({"take_back": wager}, f"take the wager {wager} back at it")
    await bench.tells(messages.WagerRemoved, "a wager was taken back at it", since=mark)


async def _sits(bench: Bench) -> None:
    mark = len(bench.talk.told)
    await bench.act({"sit": "P. Smith"}, "sign in at it as P. Smith")
    await bench.tells(messages.Sat, "a player signed in", since=mark)


async def _leaves(bench: Bench) -> None:
    mark = len(bench.talk.told)
    await bench.act({"leave": True}, "sign out at it")
    await bench.tells(messages.Left, "a player signed out", since=mark)


async def _buys(bench: Bench) -> None:
    talk = bench.talk
    mark = len(talk.told)
    await bench.act({"buy_in": 10_000}, "bring 100.00 into the account at it")
    asked = await bench.tells(messages.BuyIn, "money was brought", since=mark)
    mark = len(talk.told)
    await bench.tells(
        messages.BuyIn,
        f"transfer {asked.transfer} was not answered: it asks again under the same id",
        since=mark,
        within=60.0,
        like=lambda one: one.transfer == asked.transfer,
    )
    await bench.obeys(messages.Credit(asked.transfer, asked.cents, asked.cents))
    mark = len(talk.told)
    await talk.until(lambda: False, 8.0)
    if any(isinstance(one.message, messages.BuyIn) for one in talk.told[mark:]):
        raise Broken(f"transfer {asked.transfer} was credited, and it asks again")
    mark = len(talk.told)
    await bench.act({"buy_in": 5_000}, "bring 50.00 into the account at it")
    next_one = await bench.tells(messages.BuyIn, "money was brought", since=mark)
    if next_one.transfer == asked.transfer:
        raise Broken(f"the id {asked.transfer} was used for another transfer")
    await bench.obeys(messages.Refused("buy_in", talk.told[-1].seq, next_one.transfer, "no", 0))


async def _cashes(bench: Bench) -> None:
    mark = len(bench.talk.told)
    await bench.act({"cash_out": 5_000}, "ask for 50.00 out of the account at it")
    asked = await bench.tells(messages.CashOut, "money was asked for", since=mark)
    await bench.obeys(messages.Credit(asked.transfer, asked.cents, 0))


async def _refused(bench: Bench) -> None:
    talk = bench.talk
    mark = len(talk.told)
    await bench.act({"buy_in": 7_000}, "bring 70.00 into the account at it")
    asked = await bench.tells(messages.BuyIn, "money was brought", since=mark)
    number = next(o.seq for o in talk.told[mark:] if isinstance(o.message, messages.BuyIn))
    refused = messages.Refused("buy_in", number, asked.transfer, "nobody sits at this seat", 0)
    result = await talk.command(refused)
    if result.outcome == "unknown":
        await bench.obeys(messages.Prompt("nobody sits at this seat"))
        return
    if result.outcome != "done":
        raise Broken(f"it answers refused with {result.outcome}")
    mark = len(talk.told)
    await talk.until(lambda: False, 8.0)
    if any(isinstance(one.message, messages.BuyIn) for one in talk.told[mark:]):
        raise Broken(f"transfer {asked.transfer} was refused, and it asks again")


async def _balance(bench: Bench) -> None:
    await bench.obeys(messages.ShowBalance(25_000))


async def _credit(bench: Bench) -> None:
    """One that it did not ask for, too: it may have forgotten."""
    await bench.obeys(messages.Credit("certify-1", 100, 25_100))


async def _prompt(bench: Bench) -> None:
    await bench.obeys(messages.Prompt("Place your wagers"), "done", "unknown")


async def _offer(bench: Bench) -> None:
    await bench.obeys(messages.Offer(WAGER, False, "the link is down"), "done", "unknown")
    await bench.obeys(messages.Offer(WAGER, True, ""), "done", "unknown")


def _offers(bench: Bench) -> None:
    identity = bench.talk.identity
    if identity is None or "offers" not in identity.capabilities.split():
        raise NotForIt("its capabilities do not say offers")


async def _seat_state(bench: Bench) -> None:
    _offers(bench)
    await bench.obeys(messages.SeatState(1207, "betting", False, "P. Ångström"))


async def _wager_state(bench: Bench) -> None:
    _offers(bench)
    await bench.obeys(
        messages.WagerState(WAGER, "Five Card Hand Bonus Wager", 100, 100, 0, "offered")
    )


async def _ask_decision(bench: Bench) -> None:
    _offers(bench)
    await bench.obeys(messages.AskDecision(1, "Raise wager", (1000, 2000), "check", 0))
    await bench.obeys(messages.AskDecision(0, "", (), "check", 0))


async def _decides(bench: Bench) -> None:
    _offers(bench)
    await bench.obeys(messages.AskDecision(1, "Raise wager", (1000, 2000), "check", 0))
    mark = len(bench.talk.told)
    await bench.act({"decide": {"choice": "check"}}, "choose to check at it")
    told = await bench.tells(messages.Decision, "a player chose", since=mark)
    if told.choice != "check":
        raise Broken(f"the player chose to check, and it told {told.choice}")


CHECKS = (
    Check("acceptor.lock", "bronze", "", _locks, A),
    Check("acceptor.unlock", "bronze", "", _unlocks, A),
    Check("acceptor.lock_state", "bronze", "", _lock_state, A),
    Check("acceptor.set_lamp", "bronze", "", _lamp, A),
    Check("acceptor.lamp_read", "bronze", "", _lamp, A),
    Check("acceptor.wager", "bronze", "", _takes, A, hand="chip", within=HAND),
    Check("acceptor.late_wager", "bronze", "", _late, A, hand="chip", within=HAND),
    Check("acceptor.return", "bronze", "", _returns, A, hand="chip", within=HAND),
    Check("acceptor.wager_removed", "gold", "", _removed, A, hand="chip", within=2 * HAND),
    Check("acceptor.give_back", "gold", "", _gives_back, A, hand="chip", within=2 * HAND),
    Check("acceptor.returned", "gold", "", _rolls, A, hand="chip", within=HAND),
    Check("acceptor.chips_returned", "gold", "", _chips_returned, A, hand="chip", within=HAND),
    Check("terminal.lock", "bronze", "", _locks, T),
    Check("terminal.unlock", "bronze", "", _unlocks, T),
    Check("terminal.lock_state", "bronze", "", _lock_state, T),
    Check("terminal.show_balance", "bronze", "", _balance, T),
    Check("terminal.credit", "bronze", "", _credit, T),
    Check("terminal.prompt", "bronze", "", _prompt, T),
    Check("terminal.offer", "bronze", "", _offer, T),
    Check("terminal.seat_state", "bronze", "", _seat_state, T),
    Check("terminal.wager_state", "bronze", "", _wager_state, T),
    Check("terminal.ask_decision", "bronze", "", _ask_decision, T),
    Check("terminal.wager", "bronze", "", _terminal_wager, T, hand="touch", within=HAND),
    Check("terminal.late_wager", "bronze", "", _terminal_late, T, hand="touch", within=HAND),
    Check("terminal.refused", "bronze", "", _refused, T, hand="touch", within=HAND),
    Check("terminal.wager_removed", "gold", "", _terminal_removed, T, hand="touch", within=HAND),
    Check("terminal.sat", "gold", "", _sits, T, hand="touch", within=HAND),
    Check("terminal.left", "gold", "", _leaves, T, hand="touch", within=HAND),
    Check("terminal.buy_in", "gold", "", _buys, T, hand="touch", within=2 * HAND),
    Check("terminal.cash_out", "gold", "", _cashes, T, hand="touch", within=HAND),
    Check("terminal.decision", "gold", "", _decides, T, hand="touch", within=HAND),
)

"""What a panel and a sign have to do, and what any device says when something is wrong with it."""

from __future__ import annotations

from typing import get_args

from controller.certify.bench import Bench
from controller.certify.talk import STILL_S
from controller.certify.verdict import Broken, Check
from drivers.wire import messages
from drivers.wire.messages import Button, Light, Lights

PANEL, SIGN = ("panel",), ("sign",)
SHORT_S = 3.0
HAND = 400.0
LIGHTS: tuple[Lights, ...] = (
    Lights("on", "off", "off"),
    Lights("off", "on", "blink"),
    Lights("off", "blink", "off"),
    Lights("blink", "off", "on"),
    Lights("off", "off", "off"),
)
#: A panel may have no floor key.
MUST: tuple[Button, ...] = ("lock_out", "deal", "void")


async def _lights(bench: Bench) -> None:
    for lights in LIGHTS:
        mark = len(bench.talk.told)
        await bench.obeys(lights)
        read = await bench.tells(
            messages.LightsRead,
            "lights was sent",
            since=mark,
            within=SHORT_S,
            about="panel.lights_read",
        )
        wanted: tuple[Light, Light, Light] = (lights.lock_out, lights.deal, lights.warning)
        if (read.lock_out, read.deal, read.warning) != wanted:
            raise Broken(
                f"its lamps were to be {', '.join(wanted)}, and it reads back "
                f"{read.lock_out}, {read.deal}, {read.warning}",
                "panel.lights_read",
            )


async def _tone(bench: Bench) -> None:
    for tone in get_args(messages.Tone.__annotations__["tone"]) or ("attention", "none"):
        await bench.obeys(messages.Tone(tone), "done", "unknown")


async def _presses(bench: Bench) -> None:
    for button in MUST:
        await _press(bench, button, f"press the button {button} once")


async def _floor_key(bench: Bench) -> None:
    await _press(bench, "floor_key", "turn the floor key once")


async def _press(bench: Bench, button: Button, words: str) -> None:
    mark = len(bench.talk.told)
    await bench.act({"press": button}, words)
    await bench.tells(messages.Pressed, words, since=mark, like=lambda one: one.button == button)
    pressed = [o for o in await bench.follows(mark) if isinstance(o.message, messages.Pressed)]
    if len(pressed) != 1:
        raise Broken(f"{words}: it told {len(pressed)} presses")


# --- Signs ------------------------------------------------------------------------


async def _meter(bench: Bench) -> None:
    for cents in (12_345_678, 12_345_779, 0):
        mark = len(bench.talk.told)
        await bench.obeys(messages.ShowMeter("progressive", "royal flush", cents))
        shown = await bench.tells(
            messages.Showing, f"show_meter {cents}", since=mark, within=SHORT_S
        )
        if (shown.level, shown.cents) != ("royal flush", cents):
            raise Broken(f"it was to show {cents} cents of royal flush, and says that it shows "
                         f"{shown.cents} of {shown.level}")  # fmt: skip


async def _showing(bench: Bench) -> None:
    levels = {"royal flush": 12_345_678, "straight flush": 543_210}
    for level, cents in levels.items():
        await bench.obeys(messages.ShowMeter("progressive", level, cents))
    await bench.talk.settle()
    state = {o.level: o.cents for o in await bench.state() if isinstance(o, messages.Showing)}
    for level, cents in levels.items():
        if state.get(level) != cents:
            raise Broken(f"it shows {cents} of {level}, and a report brings {state.get(level)}")


async def _win(bench: Bench) -> None:
    await bench.obeys(messages.ShowWin("table 4", 3, "royal flush", 12_345_678, 5_000_000))


async def _notice(bench: Bench) -> None:
    for notice in ("link down", "out of order", "none"):
        await bench.obeys(messages.ShowNotice(notice))


# --- Any of them --------------------------------------------------------------------


async def _faults(bench: Bench) -> None:
    talk = bench.talk
    mark = len(talk.told)
    await bench.act({"fail": "sensor"}, "make something go wrong with it (pull out a sensor)")
    fault = await bench.tells(messages.Fault, "something is wrong with it", since=mark,
                              about="every.fault")  # fmt: skip
    again = [one for one in await bench.state() if isinstance(one, messages.Fault)]
    if fault.nature not in [one.nature for one in again]:
        said = f"the fault {fault.nature} lasts, and a report does not bring it"
        raise Broken(said, "every.fault")
    mark = len(talk.told)
    await bench.act({"clear": True}, "put it right again")
    await bench.tells(
        messages.FaultCleared,
        f"the fault {fault.nature} was put right",
        since=mark,
        like=lambda one: one.nature == fault.nature,
        about="every.fault_cleared",
    )
    if any(isinstance(one, messages.Fault) for one in await bench.state()):
        said = "what was wrong was put right, and a report brings the fault again"
        raise Broken(said, "every.fault_cleared")


async def _door(bench: Bench) -> None:
    mark = len(bench.talk.told)
    await bench.act({"door": "open"}, "open its door or cover")
    await bench.tells(messages.Door, "its door was opened", since=mark, like=lambda one: one.open)
    if not any(isinstance(one, messages.Door) and one.open for one in await bench.state()):
        raise Broken("its door is open, and a report does not bring it")
    mark = len(bench.talk.told)
    await bench.act({"door": "closed"}, "close its door or cover")
    await bench.tells(
        messages.Door, "its door was closed", since=mark, like=lambda one: not one.open
    )
    await bench.talk.listen(STILL_S)


CHECKS = (
    Check("panel.lights", "bronze", "", _lights, PANEL),
    Check("panel.lights_read", "bronze", "", _lights, PANEL),
    Check("panel.tone", "bronze", "", _tone, PANEL),
    Check("panel.pressed", "bronze", "", _presses, PANEL, hand="press", within=3 * HAND),
    Check("panel.floor_key", "gold", "", _floor_key, PANEL, hand="press", within=HAND),
    Check("sign.show_meter", "bronze", "", _meter, SIGN),
    Check("sign.showing", "bronze", "", _showing, SIGN),
    Check("sign.show_win", "bronze", "", _win, SIGN),
    Check("sign.show_notice", "bronze", "", _notice, SIGN),
    Check("every.fault", "gold", "", _faults, hand="fault", within=2 * HAND),
    Check("every.fault_cleared", "gold", "", _faults, hand="fault", within=2 * HAND),
    Check("every.door", "gold", "", _door, hand="door", within=2 * HAND),
)

"""The dealer's panel on an input/output module that speaks Modbus RTU.

Buttons are on its inputs, lamps and the tone on its outputs. The module knows nothing of this: it
shows what its contacts do at the moment that it is asked. So the panel is made here: contacts are
polled and settled into presses, lamps are written and read back, and blinking is felt's doing.

A module has no identity that it could prove, counts no starts, and goes to no safe state when felt
falls silent. Its identity is what the configuration says, and its capabilities say "unproven".
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, ClassVar, Literal, get_args

import msgspec
from msgspec import Meta

from drivers.contract import Settings
from drivers.dialects import rtu
from drivers.dialects.options import own_options
from drivers.dialects.polled import VERIFY, Ask, Fate, Job, Pace, PolledLine, PolledStation
from drivers.wire import messages
from drivers.wire.handshake import PROTOCOL, Identity
from drivers.wire.messages import Button, Light
from drivers.wire.notices import Refused

#: How such modules come from the factory.
BAUD = 9600
UNIT = 1

#: A tone in seconds, sounding and silent by turns.
TONES: dict[str, tuple[float, ...]] = {
    "none": (),
    "attention": (0.5,),
    "refused": (0.1, 0.1, 0.1, 0.1, 0.1),
    "win": (1.0,),
}
BUTTONS: tuple[Button, ...] = get_args(Button)
PanelLamp = Literal["lock_out", "deal", "warning"]
LAMPS: tuple[PanelLamp, ...] = get_args(PanelLamp)

#: One of the module's inputs or outputs, counted from 0; -1 for none.
Place = Annotated[int, Meta(ge=-1, le=63)]
Address = Annotated[int, Meta(ge=0, le=0xFFFF)]
Milliseconds = Annotated[int, Meta(ge=1, le=10_000)]


class Wiring(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What is connected where, and how it is looked at. The defaults suit modules with 8 inputs and
    8 outputs that count both from 0."""

    model: Annotated[str, Meta(min_length=1, max_length=24)] = "I/O module"
    serial_number: Annotated[str, Meta(max_length=24)] = ""
    #: Ask who it is, by device identification. Most modules don't know that question.
    asks_identity: bool = False
    #: The unit of the first device on the line; the others follow.
    first_unit: Annotated[int, Meta(ge=1, le=241)] = UNIT
    first_input: Address = 0
    inputs: Annotated[int, Meta(ge=1, le=64)] = 8
    first_output: Address = 0
    outputs: Annotated[int, Meta(ge=1, le=64)] = 8
    lock_out_input: Place = 0
    deal_input: Place = 1
    void_input: Place = 2
    floor_key_input: Place = 3
    lock_out_lamp: Place = 0
    deal_lamp: Place = 1
    warning_lamp: Place = 2
    tone_output: Place = 3
    #: The contacts are closed at rest, and a press opens them.
    pressed_is_open: bool = False
    poll_ms: Milliseconds = 20
    #: So many looks in a row must agree before a contact counts as changed.
    debounce: Annotated[int, Meta(ge=1, le=10)] = 2
    blink_ms: Milliseconds = 500
    answer_ms: Milliseconds = 100
    gap_ms: Milliseconds = 4

    def input_of(self, button: Button) -> int:
        place: int = getattr(self, f"{button}_input")
        return place

    def lamp_of(self, lamp: PanelLamp) -> int:
        place: int = getattr(self, f"{lamp}_lamp")
        return place

    @property
    def pace(self) -> Pace:
        return Pace(answer=self.answer_ms / 1000, poll=self.poll_ms / 1000, gap=self.gap_ms / 1000)

    @classmethod
    def of(cls, settings: Settings) -> Wiring:
        """From a device's options; ValueError if something in them can't be."""
        try:
            wiring = msgspec.convert(own_options(settings, cls), cls)
        except msgspec.ValidationError as error:
            raise ValueError(f"{settings.name}: {error}") from None
        used = {
            "input": [wiring.input_of(button) for button in BUTTONS],
            "output": [*(wiring.lamp_of(lamp) for lamp in LAMPS), wiring.tone_output],
        }
        for what, there in (("input", wiring.inputs), ("output", wiring.outputs)):
            places = [place for place in used[what] if place >= 0]
            if len(set(places)) < len(places):
                raise ValueError(f"{settings.name}: an {what} is used twice")
            if places and max(places) >= there:
                raise ValueError(f"{settings.name}: there is no {what} {max(places)}")
        if wiring.serial_number:
            return wiring
        return msgspec.structs.replace(wiring, serial_number=settings.serial_number)


class Contact:
    """One contact, settled: it changes when so many looks in a row agree that it has.

    How it is found is no change: a button that is held down while felt arrives has not been pressed
    for felt.
    """

    def __init__(self, looks: int, closed: bool) -> None:
        self._looks = looks
        self._settled = closed
        self._otherwise = 0

    def memory(self) -> tuple[bool, int]:
        return self._settled, self._otherwise

    def recall(self, settled: bool, otherwise: int) -> None:
        self._settled, self._otherwise = settled, otherwise

    def pressed(self, closed: bool) -> bool:
        """After another look: is this the moment at which it was pressed?"""
        self._otherwise = self._otherwise + 1 if closed != self._settled else 0
        if self._otherwise < self._looks:
            return False
        self._settled = closed
        self._otherwise = 0
        return closed


class Panel(PolledStation):
    remembers: ClassVar[tuple[str, ...]] = (
        "_met",
        "_lights",
        "_lights_at",
        "_tone",
        "_tone_at",
        "_written",
    )

    def __init__(self, address: int, wiring: Wiring, boot: int) -> None:
        super().__init__(address, boot, wiring.pace)
        self.unit = wiring.first_unit + address - 1
        self.wiring = wiring
        self._contacts: dict[Button, Contact] = {}
        self._met = False
        self._lights = messages.Lights(lock_out="off", deal="off", warning="off")
        self._lights_at = 0.0
        self._tone: tuple[float, ...] = ()
        self._tone_at = 0.0
        self._written: tuple[bool, ...] = ()

    # --- What the base asks for -----------------------------------------------

    @property
    def place(self) -> str:
        return f"unit {self.unit}"

    def identify(self, now: float) -> Job[tuple[Identity, bool] | Refused]:
        reply = yield self._read_inputs()
        if why := rtu.refusal(reply):
            return Refused(f"its inputs can't be read: {why}", "check its kind, and first_input")
        found = rtu.bits(reply, self.wiring.inputs)
        self._go_dark()
        if why := (yield from self._write(now)):
            return Refused(f"its outputs can't be written: {why}", "check its kind, and outputs")
        if not (yield from self._is_as_written()):
            why = "its outputs do not stay as they are written"
            return Refused(why, "set its outputs to be switched by commands alone")
        model = self.wiring.model
        if self.wiring.asks_identity:
            reply = yield rtu.read_identification(self.unit)
            if reply and not rtu.refusal(reply):
                model = " ".join(rtu.identification(reply)[:2])[:24].strip() or model
        restarted = self._met
        if restarted:
            # Whether it kept its power can't be known, so the worse is taken for true.
            self.new_boot()
        self._met = True
        self._contacts = {
            button: Contact(self.wiring.debounce, self._is_pressed(button, found))
            for button in BUTTONS
            if self.wiring.input_of(button) >= 0
        }
        self._verify_at = now + VERIFY
        return self._identity(model), restarted

    def look_after(self, now: float) -> Job[None]:
        reply = yield self._read_inputs()
        if why := rtu.refusal(reply):
            self.lose(now, f"its inputs can't be read: {why}")
            return
        self._look_at(rtu.bits(reply, self.wiring.inputs))
        if self._outputs(now) != self._written and (why := (yield from self._write(now))):
            self.lose(now, f"its outputs can't be written: {why}")

    def verify(self, now: float) -> Job[None]:
        if not (yield from self._is_as_written()):
            self.lose(now, "its outputs changed by themselves: it may have restarted")

    def carry_out(self, message: messages.Command, now: float) -> Job[Fate]:
        match message:
            case messages.Lights():
                self._lights, self._lights_at = message, now
                return (yield from self._show(now))
            case messages.Tone() if self.wiring.tone_output >= 0:
                self._tone, self._tone_at = TONES[message.tone], now
                why = yield from self._write(now)
                return ("refused", why) if why else ("done", "")
            case messages.Quiesce():
                self._go_dark()
                # How felt leaves it is nothing that the table ordered: nobody judges that.
                return (yield from self._show(now, tells=False))
            case messages.Report():
                return (yield from self._show(now))
            case messages.SetWatchdog():
                return "unknown", "a module without a watchdog: it stays as it is"
        return "unknown", ""

    def own_memory(self) -> dict[str, Any]:
        contacts = {button: contact.memory() for button, contact in self._contacts.items()}
        return {**super().own_memory(), "contacts": contacts}

    def recall_own(self, own: dict[str, Any]) -> None:
        super().recall_own(own)
        self._contacts = {}
        for button in BUTTONS:
            if button in own["contacts"]:
                settled, otherwise = own["contacts"][button]
                self._contacts[button] = Contact(self.wiring.debounce, closed=False)
                self._contacts[button].recall(bool(settled), int(otherwise))

    # --- Lamps ----------------------------------------------------------------

    def _show(self, now: float, *, tells: bool = True) -> Job[Fate]:
        """Lamps as they should be, read back and told."""
        if why := (yield from self._write(now)):
            return "refused", why
        reply = yield self._read_outputs()
        if why := rtu.refusal(reply):
            return "refused", why
        shown = rtu.bits(reply, self.wiring.outputs)
        if tells:
            self.tell_when_answered(
                messages.LightsRead(
                    lock_out=self._read_back("lock_out", shown),
                    deal=self._read_back("deal", shown),
                    warning=self._read_back("warning", shown),
                )
            )
        if shown != self._written:
            return "refused", "its outputs read otherwise than they were written"
        return "done", ""

    def _read_back(self, lamp: PanelLamp, shown: Sequence[bool]) -> Light:
        place = self.wiring.lamp_of(lamp)
        if place < 0:
            return "off"
        wanted: Light = getattr(self._lights, lamp)
        if wanted == "blink" and shown[place] == self._written[place]:
            return "blink"
        return "on" if shown[place] else "off"

    def _outputs(self, now: float) -> tuple[bool, ...]:
        """How every output should be at this time."""
        outputs = [False] * self.wiring.outputs
        lit_half = int((now - self._lights_at) * 1000 // self.wiring.blink_ms) % 2 == 0
        for lamp in LAMPS:
            light: Light = getattr(self._lights, lamp)
            if (place := self.wiring.lamp_of(lamp)) >= 0:
                outputs[place] = light == "on" or (light == "blink" and lit_half)
        if self.wiring.tone_output >= 0:
            outputs[self.wiring.tone_output] = self._sounds(now - self._tone_at)
        return tuple(outputs)

    def _sounds(self, elapsed: float) -> bool:
        for n, seconds in enumerate(self._tone):
            if elapsed < seconds:
                return n % 2 == 0
            elapsed -= seconds
        return False

    def _go_dark(self) -> None:
        self._lights = messages.Lights(lock_out="off", deal="off", warning="off")
        self._tone = ()

    # --- The module -----------------------------------------------------------

    def _write(self, now: float) -> Job[str]:
        """Why the outputs could not be written; nothing if they were."""
        outputs = self._outputs(now)
        reply = yield rtu.write_coils(self.unit, self.wiring.first_output, outputs)
        self._written = outputs
        return rtu.refusal(reply)

    def _is_as_written(self) -> Job[bool]:
        reply = yield self._read_outputs()
        return not rtu.refusal(reply) and rtu.bits(reply, self.wiring.outputs) == self._written

    def _read_inputs(self) -> Ask:
        return rtu.read_inputs(self.unit, self.wiring.first_input, self.wiring.inputs)

    def _read_outputs(self) -> Ask:
        return rtu.read_coils(self.unit, self.wiring.first_output, self.wiring.outputs)

    def _look_at(self, closed: Sequence[bool]) -> None:
        for button, contact in self._contacts.items():
            if contact.pressed(self._is_pressed(button, closed)):
                self.tell(messages.Pressed(button=button))

    def _is_pressed(self, button: Button, closed: Sequence[bool]) -> bool:
        return closed[self.wiring.input_of(button)] != self.wiring.pressed_is_open

    def _identity(self, model: str) -> Identity:
        return Identity(
            protocol=PROTOCOL,
            kind="panel",
            model=model,
            serial_number=self.wiring.serial_number or f"unit {self.unit}",
            firmware=bytes(32),
            boot=self.boot,
            capabilities="unproven",
            nonce=bytes(16),
        )


def panel_line(devices: Sequence[tuple[int, Settings]], boot: int) -> PolledLine:
    """A line with panels, by their places on it from 1."""
    return PolledLine(Panel(address, Wiring.of(settings), boot) for address, settings in devices)

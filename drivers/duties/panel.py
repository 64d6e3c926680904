"""The duties of the dealer's panel."""

from __future__ import annotations

from drivers.duties.shape import Duty

PANEL = (
    Duty(
        "panel.pressed",
        "panel",
        "pressed",
        "It tells `pressed` once for each press, at the press.",
        "at once: what felt hears more than 5 s later is refused, and pressed again",
        "required",
        "does nothing: no lock-out, no deal",
        keeps="nothing: a press means now",
    ),
    Duty(
        "panel.floor_key",
        "panel",
        "pressed",
        "It tells `pressed` with `floor_key` when the floor key is turned.",
        "before `void`: it counts for the next press, for 10 s",
        "able",
        "takes a void for the dealer's, and refuses it",
        given="a floor key",
    ),
    Duty(
        "panel.lights",
        "panel",
        "lights",
        "It answers `lights` with `done` and lights its lamps so.",
        "after the handshake, and when one of them changes",
        "required",
        "holds the table",
        hold="it refused 'lights'",
        keeps="nothing: felt says it again",
    ),
    Duty(
        "panel.lights_read",
        "panel",
        "lights_read",
        "It tells `lights_read` with what its lamps really show.",
        "after each `lights`, also one that it refused, and after each `report`",
        "required",
        "goes on, and never learns that a lamp is dark",
    ),
    Duty(
        "panel.tone",
        "panel",
        "tone",
        "It sounds the tone once, or answers `unknown`.",
        "when a share of a meter is won, and to call attention",
        "optional",
        "goes on",
    ),
)

"""The duties of a jackpot sign."""

from __future__ import annotations

from drivers.duties.shape import Duty

SIGN = (
    Duty(
        "sign.show_meter",
        "sign",
        "show_meter",
        "It answers `show_meter` with `done` and shows the level.",
        "after the handshake, and when a level changes",
        "required",
        "holds the table if it is refused",
        hold="it refused 'show_meter'",
        keeps="nothing: felt says it again",
    ),
    Duty(
        "sign.showing",
        "sign",
        "showing",
        "It tells `showing` with what it really shows for that level.",
        "after each `show_meter`, and for each level after a `report`",
        "required",
        "goes on, and never learns that players are shown something else",
    ),
    Duty(
        "sign.show_win",
        "sign",
        "show_win",
        "It answers `show_win` with `done` and shows the win; the level begins again at its base.",
        "when a share was won, within 30 s",
        "required",
        "holds the table",
        hold="it did not show a win in time",
    ),
    Duty(
        "sign.show_notice",
        "sign",
        "show_notice",
        "It answers `show_notice` with `done` and shows that in place of the meters.",
        "after the handshake, and when the wager leaves the offer or comes back",
        "required",
        "holds the table if it is refused",
        hold="it refused 'show_notice'",
    ),
)

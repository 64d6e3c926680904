"""Which of a device's options are for the dialect; the driver gets the others, and checks them."""

from __future__ import annotations

from dataclasses import replace

import msgspec

from drivers.contract import Settings


def own_options(settings: Settings, known: type[msgspec.Struct]) -> dict[str, str | int | bool]:
    names = known.__struct_fields__
    return {name: value for name, value in settings.options.items() if name in names}


def without_own(settings: Settings, known: type[msgspec.Struct]) -> Settings:
    own = own_options(settings, known)
    rest = {name: value for name, value in settings.options.items() if name not in own}
    return replace(settings, options=rest)

"""What a driver remembers is put back into another one as it was; anything else is refused."""

from __future__ import annotations

import json
from collections import deque

import pytest

from drivers import memory
from drivers.contract import Settings
from drivers.memory import Unmemorable
from drivers.panel import Panel
from drivers.readback import ReadBack
from drivers.wire.messages import Lights


def panel() -> Panel:
    return Panel(Settings(name="panel"), lambda faces: "sealed")


def test_a_driver_goes_on_where_another_was() -> None:
    one, other = panel(), panel()
    shown = Lights("on", "off", "on")
    read_back: ReadBack[Lights] = ReadBack()
    read_back.told(shown)
    vars(one).update(
        _lights=shown,
        _read_back=read_back,
        _key_until=1234,
    )
    written = json.loads(json.dumps(memory.of(one)))
    memory.give(other, written)
    assert memory.of(other) == memory.of(one)
    assert vars(other)["_lights"] == shown
    assert vars(vars(other)["_read_back"]) == vars(read_back)


@pytest.mark.parametrize(
    "value",
    [None, 1, "word", 0.25, b"\x00\xff", (1, "a"), [1, [2]], deque([1]), {1, 2}, {(1, "a"): [2]}],
)
def test_values_come_back_as_they_were(value: object) -> None:
    one, other = panel(), panel()
    vars(one)["_key_until"] = value
    memory.give(other, json.loads(json.dumps(memory.of(one))))
    found = vars(other)["_key_until"]
    assert found == value
    assert type(found) is type(value)


def test_what_is_no_memory_is_refused() -> None:
    one = panel()
    vars(one)["_lights"] = object()
    with pytest.raises(Unmemorable, match="object"):
        memory.of(one)
    for wrong in (
        {"settings": 1},
        {"_never_heard_of": 1},
        {"_lights": {"pickle": "x"}},
        {"_lights": {"bytes": "zz"}},
        {"_lights": [1]},
    ):
        with pytest.raises(Unmemorable):
            memory.give(panel(), wrong)

"""The catalogue in docs/wireshark/felt.lua: what messages there are, as tables of Lua."""

from __future__ import annotations

from collections.abc import Iterator

from drivers.wire import fields, handshake, messages
from drivers.wire.fields import Field

BEGIN = "-- generated: catalogue\n"
END = "-- end of catalogue\n"


def filled(program: str) -> str:
    """The program with the catalogue of today."""
    before, begins, rest = program.partition(BEGIN)
    _, ends, after = rest.partition(END)
    if not begins or not ends:
        raise ValueError("the catalogue has no place in the program")
    return f"{before}{BEGIN}{_catalogue()}\n{END}{after}"


def _catalogue() -> str:
    shapes = (
        ("hello", handshake.Hello),
        ("identity", handshake.Identity),
        ("result", handshake.Result),
    )
    lines = ["local MESSAGES = {"]
    for code, kind in sorted(messages.CATALOGUE.items()):
        lines += _shape(f"[0x{code:02x}]", kind.fields, messages.name(kind))
    lines += ["}", "local PAYLOADS = {"]
    for name, shape in shapes:
        lines += _shape(name, fields.fields_of(shape))
    return "\n".join((*lines, "}"))


def _shape(key: str, fields_: tuple[Field, ...], name: str = "") -> Iterator[str]:
    named = f'name = "{name}", ' if name else ""
    if not fields_:
        yield f"    {key} = {{ {named}fields = {{}} }},"
        return
    yield f"    {key} = {{ {named}fields = {{"
    for field in fields_:
        words = ", ".join(f'"{word}"' for word in field.words)
        more = f", words = {{ {words} }}" if words else ""
        yield f'        {{ name = "{field.name}", type = "{field.type}"{more} }},'
    yield "    } },"

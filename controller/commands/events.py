"""``felt events``: the JSON schema of what can happen at a table and what devices are told."""

from __future__ import annotations

import argparse
import json
import sys

import msgspec

from controller.table.commands import Command
from controller.table.diagram import page
from controller.table.events import Event


def run(given: argparse.Namespace) -> int:
    if given.diagram:
        sys.stdout.write("\n".join(page()) + "\n")
        return 0
    both, parts = msgspec.json.schema_components([Event, Command], ref_template="#/$defs/{name}")
    schema = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "felt: events and commands",
        "event": both[0],
        "command": both[1],
        "$defs": parts,
    }
    sys.stdout.write(json.dumps(schema, indent=2) + "\n")
    return 0

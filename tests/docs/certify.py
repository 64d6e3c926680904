"""What each grade takes, as docs/certify.md says it."""

from __future__ import annotations

from controller.certify.everything import CHECKS
from controller.certify.verdict import GRADES

WIRES = {"line": "own line", "bus": "bus", "mqtt": "MQTT"}


def blocks() -> dict[str, str]:
    parts = []
    for grade in GRADES:
        rows = [f"### {grade.capitalize()}", "", "| id | says | of | hand |",
                "| --- | --- | --- | --- |"]  # fmt: skip
        for check in CHECKS:
            if check.grade != grade:
                continue
            whose = ", ".join(check.kinds) or "every device"
            if check.wires:
                whose += f" ({', '.join(WIRES[wire] for wire in check.wires)})"
            rows.append(f"| `{check.id}` | {check.says} | {whose} | {check.hand} |")
        parts.append("\n".join(rows))
    return {"checks": "\n\n".join(parts)}

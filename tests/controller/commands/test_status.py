"""How a table stands, on one screen: each trouble once, however many devices it concerns."""

from __future__ import annotations

from typing import Any

from controller.commands.status import lines


def device(name: str, status: str = "ready", reason: str = "", **more: Any) -> dict[str, Any]:
    common = {"for_s": 7.0, "heard_s": None, "next_step": "", "first_cause": ""}
    return {"device": name, "status": status, "reason": reason, **common, **more}


def status(devices: list[dict[str, Any]], wrong: list[str], failed: list[str]) -> dict[str, Any]:
    checked = [
        {"verdict": "failed", "what": one, "found": "why", "next_step": ""} for one in failed
    ]
    return {
        "table": "table-1",
        "rulebook": "pa-639a",
        "phase": "closed",
        "round": 0,
        "healthy": not wrong,
        "wrong": wrong,
        "holds": [],
        "prompts": [],
        "offers": [],
        "devices": devices,
        "meters": {},
        "on_duty": {},
        "self_check": {"at": 0, "passed": not failed, "checked": checked},
        "journal": {"entries": 1, "waiting": 0},
    }


def test_a_broker_that_is_away_is_said_once() -> None:
    names = [f"{kind} {seat}" for kind in ("acceptor", "terminal") for seat in (1, 2, 3, 5)]
    why = "nothing listens at broker:1883"
    away = [device(name, "absent", why, next_step="start it") for name in names]
    wrong = [f"{name} is absent: {why}" for name in names]
    said = list(
        lines(status([device("shoe"), *away], [*wrong, "journal: full"], [*names, "program"]))
    )
    (one,) = [line for line in said if why in line]
    assert one.strip().startswith(
        "acceptor 1 to 3, acceptor 5, terminal 1 to 3, terminal 5  absent"
    )
    assert said.count("    start it") == 1
    # What stands nowhere else is not left out.
    assert "  -  journal: full" in said
    below = said[said.index("self-check FAILED") :]
    assert [line.split()[:2] for line in below[1:]] == [
        ["failed", "program"],
        ["failed", "acceptor"],
    ]


def test_devices_in_order_each_have_a_line_with_their_age() -> None:
    devices = [device(f"acceptor {seat}", heard_s=float(seat)) for seat in (1, 2)]
    said = list(lines(status(devices, [], [])))
    assert [line.split()[:2] for line in said if "heard" in line] == [
        ["acceptor", "1"],
        ["acceptor", "2"],
    ]


def test_one_of_many_that_is_different_is_seen() -> None:
    away = [device(f"acceptor {seat}", "absent", "no answer", heard_s=3.0) for seat in (1, 2)]
    away.append(device("acceptor 3", "absent", "no answer", first_cause="its door was opened"))
    said = list(lines(status(away, ["x"], [])))
    assert len([line for line in said if "no answer" in line]) == 2
    assert "    first: its door was opened" in said


def test_a_hold_says_who_has_seen_it() -> None:
    hold = {
        "number": 2, "where": "shuffler", "cause": "jam", "age_s": 5, "stops": "no card is dealt",
        "clears": "floorperson", "seen_by": "", "next_step": "free the card",
    }  # fmt: skip
    stands = {**status([], ["hold 2"], []), "holds": [hold]}
    assert not [line for line in lines(stands) if "seen it" in line]
    seen = {**stands, "holds": [{**hold, "seen_by": "floor-1"}]}
    assert "  floor-1 has seen it" in list(lines(seen))

"""One registry: every human act is an action, with its fields, its roles and its help."""

from __future__ import annotations

from pathlib import Path
from typing import Any, get_args

import msgspec
import pytest

from controller.commands import columns
from controller.commands.act import in_groups, in_whole
from controller.commands.status import lines
from controller.daemon.act_words import DOES
from controller.daemon.acts import BY_OTHER_NAMES, FILLED_IN, KEYED, tag
from controller.daemon.client import Answered
from controller.table import events
from controller.table.people import Person
from tests.controller.daemon.house import House, table_file

ROOT = Path(__file__).parents[3]
ACTS = [
    kind
    for kind in get_args(events.Event)
    if issubclass(kind, events.Act) and kind not in BY_OTHER_NAMES
]


async def test_every_human_act_is_an_action_with_its_fields(tmp_path: Path) -> None:
    async with House(table_file(tmp_path)).with_desk().running() as house:
        said = {one["action"]: one for one in (await house.asks("actions"))["actions"]}
        for kind in (*ACTS, *KEYED):
            fields = {one.name for one in msgspec.structs.fields(kind)} - {*FILLED_IN} | {
                "id",
                "round",
                "seq",
            }
            one = said[tag(kind)]
            name = one["takes"]["$ref"].rpartition("/")[2]
            assert set(one["takes"]["$defs"][name]["properties"]) == fields, kind
            assert one["roles"], kind
            # What it does, and not what has happened: no words of the event's own name.
            assert one["does"] == DOES[kind]
            assert one["does"].rstrip(".") != tag(kind).replace("_", " ").capitalize()
    assert set(DOES) == {*ACTS, *KEYED}


async def test_what_is_listed_fits_a_terminal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(columns, "width", lambda: 80)
    async with House(table_file(tmp_path)).with_desk().running() as house:
        known = (await house.asks("actions"))["actions"]
    said = list(in_groups(known))
    assert max(map(len, said)) <= 80
    assert "  decided seat choice [amount] [tender]" in said
    one = next(one for one in known if one["action"] == "decided")
    whole = list(in_whole(one))
    assert any(
        line.split() == ["choice=...", "check", "or", "fold", "or", "wager"] for line in whole
    )
    assert any("amount=..." in line and "in cents" in line for line in whole)


async def test_what_only_a_device_tells_is_nobodys_action(tmp_path: Path) -> None:
    async with House(table_file(tmp_path)).with_desk().running() as house:
        assert house.desk is not None
        known = set(house.desk.actions.known)
        for kind in get_args(events.Event):
            assert (tag(kind) in known) is (kind in ACTS or kind in KEYED)


@pytest.mark.rule("R40")
async def test_roles_are_those_of_the_machine(tmp_path: Path) -> None:
    async with House(table_file(tmp_path)).with_desk().running() as house:
        assert house.desk is not None
        known = house.desk.actions.known
        assert known["lock_out_pressed"].roles == ("dealer",)
        assert known["round_voided"].roles == ("floorperson", "supervisor")
        assert known["meter_reset"].roles == ("technician",)
        assert known["recut_ordered"].roles
        assert known["status"].roles == ()
        assert "dealer" not in known["stop"].roles


async def test_what_a_person_keys_in_says_who_in_its_id(tmp_path: Path) -> None:
    async with House(table_file(tmp_path)).with_desk().running() as house:
        given = {"seat": 1, "wager": "ante", "amount": 500}
        with pytest.raises(Answered, match="not for the phase closed"):
            await house.asks("wager_placed", given, as_="dealer-1")
        (placed,) = house.recorded(events.WagerPlaced)
        assert placed.id.startswith("key/dealer-1/")
        with pytest.raises(Answered, match="is not for a floorperson"):
            await house.asks("wager_placed", given, as_="floor-1")
        with pytest.raises(Answered, match="the shoe tells"):
            await house.asks("deck_loaded", {"deck": "A"}, as_="dealer-1")


def with_seat_devices(folder: Path) -> Path:
    """A table at which two wagers are made at terminals and one at acceptors: the example's."""
    acceptors, terminals = (
        ", ".join(f'"{kind} {n}"' for n in range(1, 8)) for kind in ("acceptor", "terminal")
    )
    more = f"""
[wires.acceptors]
serial = "{folder}/no-such-bus"
devices = [{acceptors}]

[wires.terminals]
serial = "{folder}/no-such-other-bus"
devices = [{terminals}]

[wires.sign]
serial = "{folder}/no-such-sign"
devices = ["sign"]
"""
    file = table_file(folder, more=more)
    example = (ROOT / "config/tables/pa-639a.toml").read_text()
    mine = file.read_text()
    file.write_text(mine.replace(_part(mine, "[options]"), _part(example, "[options]")))
    return file


def _part(text: str, title: str) -> str:
    """A part of a table file, from its title to the next one."""
    begin = text.index(title)
    return text[begin : text.index("\n[", begin) + 1]


@pytest.mark.rule("PA-639a.7(d)(2)", "PA-639a.7(d)(4)")
async def test_nobody_wagers_from_the_dealers_side_what_a_player_makes_at_a_device(
    tmp_path: Path,
) -> None:
    async with House(with_seat_devices(tmp_path)).with_desk().running() as house:
        terms = house.service.recorder.terms
        wagers = {n: one.on for n, one in terms.ruleset.rulebook.wagers.items()}
        made_there = [name for name, on in wagers.items() if on != "layout"]
        assert set(made_there) == {"progressive", "five_card_player", "five_card_dealer"}
        for wager in made_there:
            for action, given in (
                ("wager_placed", {"seat": 1, "wager": wager, "amount": 100}),
                ("wager_taken_back", {"seat": 1, "wager": wager}),
            ):
                with pytest.raises(Answered, match="is told by the device at the seat"):
                    await house.asks(action, given, as_="dealer-1")
        # Nor does anybody move what is on an account.
        for action in ("bought_in", "cashed_out", "player_decided"):
            with pytest.raises(Answered, match="there is no"):
                await house.asks(action, {"seat": 1}, as_="dealer-1")
    assert not house.recorded(events.WagerPlaced)
    # Somebody tried, and that is on record.
    assert len(house.recorded(events.AttemptRefused)) == 2 * len(made_there)


async def test_people_sign_on_and_off(tmp_path: Path) -> None:
    async with House(table_file(tmp_path)).with_desk().running() as house:
        await house.asks("sign_on", as_="dealer-1")
        await house.asks("sign_on", as_="floor-1")
        assert await house.asks("who") == {
            "on_duty": {"dealer": "dealer-1", "floorperson": "floor-1"}
        }
        assert house.service.duty.acting("dealer") == Person("dealer-1", "dealer")
        with pytest.raises(Answered, match="a floorperson signs others off"):
            await house.asks("sign_off", {"role": "floorperson"}, as_="dealer-1")
        said = list(lines(await house.asks("status")))
        assert [line.split() for line in said if "dealer-1" in line] == [
            ["dealer", "dealer-1,", "for", "0", "s"]
        ]
        await house.asks("sign_off", {"role": "dealer"}, as_="floor-1")
        assert await house.asks("who") == {"on_duty": {"floorperson": "floor-1"}}
        await house.asks("sign_off", as_="floor-1")
        said = list(lines(await house.asks("status")))
        assert any("refused until somebody signs on" in line for line in said)
    signed = house.recorded(events.SignedOn)
    assert [one.by.id for one in signed] == ["dealer-1", "floor-1"]
    assert [one.role for one in house.recorded(events.SignedOff)] == ["dealer", "floorperson"]


@pytest.mark.rule("R31", "R40")
async def test_who_is_on_duty_is_so_after_a_restart(tmp_path: Path) -> None:
    file = table_file(tmp_path)
    async with House(file).with_desk().running() as house:
        await house.asks("sign_on", as_="dealer-1")
    async with House(file).with_desk().running() as house:
        assert await house.asks("who") == {"on_duty": {"dealer": "dealer-1"}}


async def test_the_table_is_told_without_what_nobody_has_seen(tmp_path: Path) -> None:
    async with House(table_file(tmp_path)).with_desk().running() as house:
        table = (await house.asks("table"))["table"]
        assert table["phase"] == "closed"
        assert "sealed" not in table["deal"]


async def test_recall_over_the_socket(tmp_path: Path) -> None:
    async with House(table_file(tmp_path)).with_desk().running() as house:
        assert await house.asks("recall") == {"rounds": []}
        with pytest.raises(Answered, match="there is no round 7"):
            await house.asks("recall", {"round": 7})


@pytest.mark.rule("R35")
async def test_a_signature_is_given_while_the_table_runs(tmp_path: Path) -> None:
    file = table_file(tmp_path)
    async with House(file).with_desk().running() as house:
        one, same = await house.asks("signature"), await house.asks("signature")
        assert one == same
        signed = await house.asks("signature", {"key": "ab" * 32})
        assert signed["digest"] == one["digest"]
        assert len(signed["hmac"]) == 64
        file.write_text(file.read_text() + "\n")
        other = await house.asks("signature")
        assert other["digest"] != one["digest"]
        assert other["parts"]["program"] == one["parts"]["program"]
        assert house.service.recorder.table.round == 0


async def test_metrics_come_over_the_socket(tmp_path: Path) -> None:
    async with House(table_file(tmp_path)).with_desk().running() as house:
        assert "felt_journal_entries" in (await house.asks("metrics"))["text"]


async def test_a_note_is_for_a_device_of_this_table(tmp_path: Path) -> None:
    async with House(table_file(tmp_path)).with_desk().running() as house:
        with pytest.raises(Answered, match="not at this table"):
            await house.asks("note", {"text": "x", "device": "acceptor 9"}, as_="technician-1")
        done = await house.asks("note", {"text": "new cable", "device": "shoe"}, as_="technician-1")
        assert done == {"wires": ["rack"]}


@pytest.mark.rule("R34")
async def test_a_hold_of_the_self_check_is_cleared_only_when_it_passes(tmp_path: Path) -> None:
    async with House(table_file(tmp_path)).with_desk().running() as house:
        await house.takes(events.DeviceFaulted(at=1, device="self-check", nature="program: x"))
        (hold,) = [h for h in house.service.recorder.table.holds if h.where == "self-check"]
        with pytest.raises(Answered, match="self-check: "):
            await house.asks("hold_cleared", {"hold": hold.number, "reason": "ok"}, as_="floor-1")
        assert hold in house.service.recorder.table.holds


async def test_stop_ends_the_service_in_good_order(tmp_path: Path) -> None:
    async with House(table_file(tmp_path)).with_desk().running() as house:
        assert await house.asks("stop", as_="floor-1") == {"stopping": True}


async def test_an_id_is_for_one_act_of_one_person(tmp_path: Path) -> None:
    async with House(table_file(tmp_path)).with_desk().running() as house:
        at = house.service.clock.wall_ms()
        await house.takes(events.TableOpened(at=at, by=Person("floor-1", "floorperson")))

        async def acts(action: str, who: str, **given: Any) -> Any:
            return await house.asks(action, {**given, "id": "one"}, as_=who)

        faced = {"deck": "A", "colour": "red", "design": "plain"}
        assert not (await acts("deck_received", "dealer-1", **faced))["repeated"]
        assert (await acts("deck_received", "dealer-1", **faced))["repeated"]
        for who, action, given in (
            ("dealer-1", "deck_received", {**faced, "colour": "blue"}),
            ("dealer-2", "deck_received", faced),
            ("floor-1:floorperson", "table_closed", {}),
            ("dealer-1", "deck_inspected", {"deck": "A"}),
        ):
            with pytest.raises(Answered, match="act/one was taken for another act") as told:
                await acts(action, who, **given)
            assert "deck_received by dealer-1" in str(told.value)
        assert house.service.core.table.phase == "opening"


async def test_an_act_for_another_round_is_stale_and_on_record(tmp_path: Path) -> None:
    async with House(table_file(tmp_path)).with_desk().running() as house:
        at = house.service.clock.wall_ms()
        await house.takes(events.TableOpened(at=at, by=Person("floor-1", "floorperson")))
        faced = {"deck": "A", "colour": "red", "design": "plain"}
        end = house.service.journal.head.seq
        for seen, why in (
            ({"round": 1}, "round 1 was seen, and this is round 0"),
            ({"seq": end + 50}, "this is not the record that was seen"),
        ):
            with pytest.raises(Answered, match=why) as told:
                await house.asks("deck_received", {**faced, **seen}, as_="dealer-1")
            assert told.value.code == "stale"
        assert len(house.recorded(events.AttemptRefused)) == 2
        seen = {"round": 0, "seq": house.service.journal.head.seq}
        await house.asks("deck_received", {**faced, **seen}, as_="dealer-1")

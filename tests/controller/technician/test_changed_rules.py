"""Software that plays by another rule: the replay shows it at the first round that it touches."""

from __future__ import annotations

import io
import re
from dataclasses import replace

import pytest

from controller.demo.show import Show
from controller.demo.table import Options
from controller.demo.view import View
from controller.journal.reader import Reader
from controller.library import Library, shipped
from controller.tables import read_file
from controller.technician import cut, logs, past
from controller.technician.cut import Cut
from controller.technician.replaying import Replayer
from controller.technician.span import Span
from simulators import virtual_time

LIBRARY = Library()


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Cut:
    """Four rounds. With this seed nobody is paid by the rules below in the first one."""
    folder = tmp_path_factory.mktemp("played")
    data = read_file(shipped("tables") / "pa-639a.toml")
    data["options"]["seats"] = 2
    options = Options(seed=1, pause=0.1, broker=False, starts_at=1_767_225_600.0)
    show = Show(data, folder, LIBRARY, options, rounds=4, view=View(io.StringIO()))
    virtual_time.run(show.run)
    made = folder / "cut.zip"
    (run,) = logs.read([folder / "state" / "logs"]).runs
    with Reader.look(folder / "state" / "journal.db") as reader:
        cut.write(made, run, past.of_journal(reader, LIBRARY, run.after_entry), Span())
    return cut.read(made)


@pytest.mark.parametrize(
    ("paid", "rule", "other"),
    [
        (rb'"wager":"ante",[^}]*"rack"', '["any hand", "1 to 1"]', '["any hand", "3 to 2"]'),
        (rb'"wager":"bet",[^}]*"rack"', '["pair or less", "1 to 1"]', '["pair or less", "2 to 1"]'),
    ],
)
def test_another_rule_is_a_difference_at_the_first_round_it_touches(
    played: Cut, paid: bytes, rule: str, other: str
) -> None:
    """Who was paid by it first, the journal says by itself."""
    decisions = [one for one in played.past.entries if one.kind == "decision"]
    touched = next(one for one in decisions if re.search(rb'"kind":"pay",[^}]*' + paid, one.body))
    assert touched.round is not None
    assert touched.round > 1, "in the first round it would be no proof"
    data = played.past.data.decode()
    escaped, changed = (text.replace('"', '\\"') for text in (rule, other))
    assert data.count(escaped) == 1
    by_another = replace(played.past, data=data.replace(escaped, changed).encode())
    assert Replayer(played.run, played.past, LIBRARY, late_s=0).run().identical
    difference = Replayer(played.run, by_another, LIBRARY, late_s=0).run().difference
    assert difference is not None
    assert difference.what.startswith(f"entry {touched.seq - 1}, ")
    assert "decided otherwise" in difference.what
    assert difference.recorded == touched.body.decode()
    assert difference.replayed != difference.recorded

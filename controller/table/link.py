"""A progressive over several tables: joined on equal terms, heard of in time, counted once.

Every contribution has a number and waits until the link says that it has it, however often the
line is lost. What the meter shows here is what the link said, and what waits on top. A share of
the meter is paid only when the link has said which hit it is: two tables can't win the same money.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from controller.rules.faults import Refused, listed
from controller.rules.paytables import dollars
from controller.table import events
from controller.table.change import Change, held, replace
from controller.table.commands import (
    ClaimHit,
    Command,
    LinkStatus,
    SendShare,
    SetTimer,
    ShowLink,
    ShowMeter,
    ShowWin,
)
from controller.table.offers import followed
from controller.table.state import (
    HITS_KEPT,
    PER_CENT,
    ByHand,
    Contribution,
    Due,
    Hit,
    Level,
    Link,
    Share,
    Table,
)
from controller.table.terms import Terms

#: The one meter that tables share.
METER = "progressive"
STALE, DOWN = "link stale", "link down"
#: Milliseconds without an update, and without an acknowledgement.
STALE_AFTER = 5_000
DOWN_AFTER = 30_000


def of(terms: Terms, table: Table) -> Link | None:
    """When the table opens: its link, if it has one; what waits for the link is not given up."""
    if terms.linked:
        return table.link or Link()
    if table.link is not None and table.link.waiting:
        waits = f"{len(table.link.waiting)} contributions wait for the link"
        raise Refused("linked", waits, "join it once more before the table leaves it")
    if table.link is not None and table.link.by_hand:
        waits = f"{len(table.link.by_hand)} hits were valued by hand, and the link has not said so"
        raise Refused("linked", waits, "join it once more before the table leaves it")
    return None


def _link(table: Table) -> Link:
    if table.link is None:
        raise Refused("", "the progressive of this table is not linked")
    return table.link


def _heard(table: Table) -> Link:
    link = _link(table)
    if link.status in ("not joined", "down"):
        raise Refused("", f"the link is {link.status}", "it must join first")
    return link


# --- Joining ----------------------------------------------------------------


def joined(terms: Terms, table: Table, event: events.LinkJoined) -> Change:
    """On the same paytable, wager and decks as every table of the jackpot, or not at all."""
    link = _link(table)
    _plays_alike(terms, event)
    table = _shows(table, link, event.levels, event.applied, event.at)
    assert table.link is not None
    # What the link does not have yet is sent again, under the numbers that it had.
    waiting = tuple(replace(share, at=event.at) for share in table.link.waiting)
    last = max(event.last_hit, link.last_hit)
    table = replace(table, link=replace(table.link, waiting=waiting, last_hit=last))
    commands: list[Command] = [ShowLink(status="up"), *_meter_shown(table)]
    commands += [_sent(share) for share in waiting]
    commands += [ClaimHit(claim=one.claim, seat=one.seat, share=one.share) for one in link.by_hand]
    commands += [
        _claim(due) for due in table.due if due.claim and not due.order and not due.ordered_by
    ]
    commands += timers(table)
    table, more = followed(terms, table)
    return table, [*commands, *more]


def _plays_alike(terms: Terms, event: events.LinkJoined) -> None:
    rule = terms.ruleset.rulebook.procedures.linked_tables_alike
    pays = terms.ruleset.wagers[METER].table
    own = {
        "paytable": pays.name if pays is not None else "",
        "wager": terms.wager_on(METER),
        "decks": terms.decks,
    }
    for field, mine in own.items():
        if (theirs := getattr(event, field)) != mine:
            problem = f"the link has {theirs}, this table {mine}"
            allowed = "all tables of a jackpot have the same"
            raise Refused(field, problem, allowed, rule.clause if rule is not None else "")


# --- Updates ----------------------------------------------------------------


def updated(terms: Terms, table: Table, event: events.LinkUpdated) -> Change:
    link = _heard(table)
    before = table
    table = _shows(table, link, event.levels, event.applied, event.at)
    commands: list[Command] = _meter_shown(table, before)
    if link.status == "stale":
        commands += [ShowLink(status="up"), SetTimer(timer=STALE, at=event.at + STALE_AFTER)]
    return table, commands


def _shows(table: Table, link: Link, levels: dict[str, int], applied: int, at: int) -> Table:
    """What the link said, and on top what it does not have yet."""
    meter = table.meters[METER]
    if set(levels) != set(meter.levels):
        raise Refused("levels", f"{listed(levels)} are not those of this table's meter")
    first = link.waiting[0].number if link.waiting else link.sent + 1
    if not first - 1 <= applied <= link.sent:
        problem = f"{applied} is no contribution that this table waits for"
        raise Refused("applied", problem, f"{first - 1} to {link.sent}")
    waiting = tuple(share for share in link.waiting if share.number > applied)
    shown = {
        name: Level(holds + _on_top(waiting, name), meter.levels[name].overflow)
        for name, holds in levels.items()
    }
    table = replace(table, meters={**table.meters, METER: replace(meter, levels=shown)})
    return replace(table, link=replace(link, status="up", heard=at, waiting=waiting))


def _on_top(waiting: Iterable[Share], level: str) -> int:
    return sum(share.amounts.get(level, 0) for share in waiting)


def _meter_shown(table: Table, before: Table | None = None) -> list[Command]:
    was = before.meters[METER].shows() if before is not None else {}
    return [
        ShowMeter(meter=METER, level=level, cents=cents)
        for level, cents in table.meters[METER].shows().items()
        if was.get(level) != cents
    ]


# --- Contributions ----------------------------------------------------------


def queued(table: Table, some: Iterable[Contribution], at: int, sign: int) -> Table:
    """What wagers added, or what their return took back, waits for the link under a number."""
    if table.link is None:
        return table
    amounts: Counter[str] = Counter()
    for one in some:
        if one.meter == METER:
            amounts[one.level] += sign * one.amount
    if not amounts:
        return table
    number = table.link.sent + 1
    share = Share(number, at, table.round, dict(amounts))
    link = replace(table.link, sent=number, waiting=(*table.link.waiting, share))
    return replace(table, link=link)


def sends(before: Table, after: Table) -> list[Command]:
    """The contributions that were queued since; a link that is down gets them when it joins."""
    if before.link is None or after.link is None or after.link.status in ("not joined", "down"):
        return []
    return [_sent(share) for share in after.link.waiting if share.number > before.link.sent]


def _sent(share: Share) -> SendShare:
    return SendShare(number=share.number, round=share.round, amounts=share.amounts)


# --- Hits -------------------------------------------------------------------


def claimed(terms: Terms, table: Table) -> Change:
    """At settlement: every share of the linked meter is claimed, in the order of payment."""
    if table.link is None:
        return table, ()
    link, due, commands = table.link, list(table.due), list[Command]()
    for n, one in enumerate(due):
        wager = terms.ruleset.wagers.get(one.wager)
        shares = wager is not None and wager.meter == METER and one.paid_by == "hand"
        if shares and not one.claim:
            link = replace(link, claims=link.claims + 1)
            due[n] = replace(one, claim=link.claims)
            commands.append(_claim(due[n]))
    table = replace(table, due=tuple(due), link=link)
    return table, commands if link.status in ("up", "stale") else ()


def _claim(due: Due) -> ClaimHit:
    return ClaimHit(claim=due.claim, seat=due.seat, share=due.odds or "")


def must_be_ordered(due: Due) -> None:
    """Refuse to pay, or to validate, a share of which the link has not said which hit it is."""
    if due.claim and not due.order and not due.ordered_by:
        problem = f"the link has not said which hit the {due.wager} of seat {due.seat} is"
        step = "wait for the link; while it is down a supervisor may say it: hit_ordered_by_hand"
        raise Refused("seat", problem, step)


def ordered_by_hand(terms: Terms, table: Table, event: events.HitOrderedByHand) -> Change:
    """The way out while the link is down: people agree what a hit is worth, and sign for it."""
    link = _link(table)
    if link.status in ("up", "stale"):
        raise Refused("seat", f"the link is {link.status}", "wait for its word")
    for n, due in enumerate(table.due):
        if (due.seat, due.wager) != (event.seat, event.wager) or not due.claim or due.order:
            continue
        if due.ordered_by:
            raise Refused("seat", f"{due.ordered_by} has said already what it is worth")
        lines = list(table.due)
        lines[n] = replace(due, returns=event.cents, ordered_by=event.by.id)
        one = ByHand(due.claim, due.seat, due.odds or "", event.cents, event.by.id)
        link = replace(link, by_hand=(*link.by_hand, one))
        return replace(table, due=tuple(lines), link=link), ()
    raise Refused("seat", f"no {event.wager} of seat {event.seat} waits for the link")


def hit(terms: Terms, table: Table, event: events.LinkHit) -> Change:
    """A hit here or elsewhere, with its place in the one order that all tables have."""
    link = _heard(table)
    if event.order <= link.last_hit:
        raise Refused("order", f"hit {event.order} is known", f"the last was {link.last_hit}")
    meter = table.meters[METER]
    if event.level not in meter.levels:
        raise Refused("level", f"{event.level!r} is no level of this table's meter")
    here = event.table == terms.id
    if here:
        table = _granted(table, event)
        link = _link(table)
    left = event.left * PER_CENT + _on_top(link.waiting, event.level)
    meter = replace(meter, levels={**meter.levels, event.level: Level(left)})
    commands: list[Command] = [
        ShowMeter(meter=METER, level=event.level, cents=left // PER_CENT),
    ]
    if not here:
        one = Hit(event.at, 0, event.seat, event.level, event.cents, event.order, event.table)
        meter = replace(meter, last_hits=(one, *meter.last_hits)[:HITS_KEPT])
        win = ShowWin(
            table=event.table,
            seat=event.seat,
            meter=METER,
            level=event.level,
            cents=event.cents,
            base=event.left,
        )
        commands.append(win)
    link = replace(link, last_hit=event.order)
    return replace(table, meters={**table.meters, METER: meter}, link=link), commands


def _granted(table: Table, event: events.LinkHit) -> Table:
    """The link's word decides what this hit is paid: another may have come before it."""
    link = _link(table)
    by_hand = next((one for one in link.by_hand if event.claim and one.claim == event.claim), None)
    if by_hand is not None:
        left = tuple(one for one in link.by_hand if one is not by_hand)
        table = replace(table, link=replace(link, by_hand=left))
    for n, due in enumerate(table.due):
        if event.claim and due.claim == event.claim and not due.order:
            lines = list(table.due)
            lines[n] = replace(due, order=event.order)
            if due.paid and by_hand is not None:
                return _compared(replace(table, due=tuple(lines)), by_hand, event)
            lines[n] = replace(lines[n], returns=event.cents)
            after = {**table.after, METER: {**table.after[METER], event.level: event.left}}
            return replace(table, due=tuple(lines), after=after)
    if by_hand is not None:
        return _compared(table, by_hand, event)
    raise Refused("claim", f"claim {event.claim} is not waited for")


def _compared(table: Table, by_hand: ByHand, event: events.LinkHit) -> Table:
    """What was paid without the link, against what the link makes of it."""
    if by_hand.cents == event.cents:
        return table
    paid, worth = dollars(by_hand.cents), dollars(event.cents)
    cause = f"{by_hand.by} valued the hit of seat {by_hand.seat} at {paid}, the link at {worth}"
    return held(table, cause, "link", event.at, blocks="round", clears="supervisor")


# --- Silence ----------------------------------------------------------------


def down_at(link: Link) -> int:
    """When the link counts as lost: by its last update, or the oldest of what it has not taken."""
    since = min([link.heard, *(share.at for share in link.waiting[:1])])
    return since + DOWN_AFTER


def timers(table: Table) -> list[Command]:
    """What must be looked at again, for a link that is heard of."""
    link = table.link
    if link is None or link.status in ("not joined", "down"):
        return []
    stale = [SetTimer(timer=STALE, at=link.heard + STALE_AFTER)] if link.status == "up" else []
    return [*stale, SetTimer(timer=DOWN, at=down_at(link))]


def timer_fired(terms: Terms, table: Table, event: events.TimerFired) -> Change:
    """Silence is the time since the last word; a timer that came too early is set again."""
    link = table.link
    if link is None or link.status in ("not joined", "down"):
        return table, ()
    due = link.heard + STALE_AFTER if event.timer == STALE else down_at(link)
    if event.at < due:
        return table, (SetTimer(timer=event.timer, at=due),)
    status: LinkStatus = "stale" if event.timer == STALE else "down"
    table = replace(table, link=replace(link, status=status))
    table, commands = followed(terms, table)
    return table, [ShowLink(status=status), *commands]


def shifted(link: Link | None, milliseconds: int) -> Link | None:
    """The clock was set: silence lasts as long as it lasted."""
    if link is None:
        return None
    waiting = tuple(replace(share, at=share.at + milliseconds) for share in link.waiting)
    return replace(link, heard=link.heard + milliseconds, waiting=waiting)

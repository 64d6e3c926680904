"""Wrong PINs, counted where they were given and for whom: locking must not be a weapon either.

Three counts, and a wait that grows. In a row at one place, for one person: that place is shut for
that person, who signs on elsewhere. Of several people at one place: it rests for everybody, for a
while that doubles. In a shift for one person, wherever they were given and whatever was right in
between: the credential is locked everywhere, and only a supervisor, or a new PIN, unlocks it.

A place is a login of the table PC, or the address of a page; never what somebody says of
themselves.
"""

from __future__ import annotations

from controller.rules.faults import Refused
from controller.table import duty, events
from controller.table.change import replace
from controller.table.state import Credential, Resting, Table, TriedAt
from controller.table.terms import Terms

#: Milliseconds for which a wrong PIN counts: nobody's shift is longer.
COUNTS_FOR = duty.SHIFT
#: A place rests once the PINs of so many people were wrong there and none was right since.
PEOPLE_A_PLACE = 3
FIRST_REST, LONGEST_REST = 60_000, 3_600_000
#: After the first wrong PIN nobody waits: fingers slip. Then it doubles with each.
FIRST_WAIT, LONGEST_WAIT = 2_000, 60_000
#: Places that rest; addresses of a network may be many.
KEPT = 32
_ELSEWHERE = "sign on at another place, or ask a supervisor to unlock the credential"


def counted(terms: Terms, before: Credential | None, event: events.CredentialRefused) -> Credential:
    """One more wrong PIN."""
    if before is None or not _counts(before, event.at):
        before = Credential(event.person, 0, False, event.device, event.at, since=event.at)
    at_place = tried_at(before, event.device) or TriedAt(event.device, 0, 0, event.at)
    here = TriedAt(event.device, at_place.in_a_row + 1, at_place.wrong + 1, event.at)
    others = tuple(one for one in before.places if one.place != event.device)
    wrong = before.wrong + 1
    return Credential(
        event.person,
        wrong,
        before.locked or wrong >= terms.wrong_pins_in_all,
        event.device,
        event.at,
        since=before.since or before.at,
        # Not more than there are wrong PINs before it is locked; then the last ones will do.
        places=(*others, here)[-terms.wrong_pins_in_all :],
        withdrawn=before.withdrawn,
    )


def right(found: Credential, event: events.CredentialAccepted) -> Credential | None:
    """What is still counted after a right PIN: all but those in a row, at its place."""
    if not _counts(found, event.at):
        return None
    places = (
        replace(one, in_a_row=0) if one.place == event.device else one for one in found.places
    )
    return replace(found, places=tuple(places))


def shut_if_several(table: Table, event: events.CredentialRefused) -> Table:
    """Somebody goes through the people: their place rests, whoever is there."""
    guessed = [one for one in table.credentials if _in_a_row(one, event.device, event.at)]
    if len(guessed) < PEOPLE_A_PLACE:
        return table
    times = 1
    for one in table.resting:
        if one.place == event.device and event.at - one.at < COUNTS_FOR:
            times = one.times + 1
    # No figure grows without end: after a few times it is the longest.
    rest = min(LONGEST_REST, FIRST_REST << min(times - 1, 10))
    resting = Resting(event.device, event.at + rest, times, event.at)
    others = tuple(one for one in table.resting if one.place != event.device)
    return replace(table, resting=(*others, resting)[-KEPT:])


def place_forgotten(table: Table, place: str) -> Table:
    """Nothing was in a row there; what it adds to anybody's total stays."""
    credentials = tuple(
        replace(
            one,
            places=tuple(replace(at, in_a_row=0) if at.place == place else at for at in one.places),
        )
        for one in table.credentials
    )
    resting = tuple(one for one in table.resting if one.place != place)
    return replace(table, credentials=credentials, resting=resting)


def must_be_open(
    terms: Terms, table: Table, found: Credential | None, place: str, now: int
) -> None:
    """Refuse a PIN that is not looked at now, at this place: neither right nor wrong."""
    for one in table.resting:
        if one.place == place and now < one.until:
            problem = f"nobody signs on at {place}: the PINs of several people were wrong there"
            left = in_words(one.until - now)
            raise Refused("pin", problem, f"go on in {left}, or ask a supervisor elsewhere")
    if found is None:
        return
    if locked_out_at(terms, found, place, now):
        times = _in_a_row(found, place, now)
        problem = f"{found.person} is locked out at {place} after {times} wrong PINs"
        raise Refused("pin", problem, _ELSEWHERE)
    if (left_ms := wait(found, place, now)) > 0:
        problem = f"a wrong PIN was given for {found.person} just now"
        raise Refused("pin", problem, f"try again in {in_words(left_ms)}")


def wait(found: Credential, place: str, now: int) -> int:
    """Milliseconds for which no PIN of this person is looked at, at this place."""
    here = tried_at(found, place)
    if here is None or here.wrong < 2 or not _counts(found, now):
        return 0
    whole = min(LONGEST_WAIT, FIRST_WAIT << min(here.wrong - 2, 10))
    return max(0, here.at + whole - now)


def locked_out_at(terms: Terms, one: Credential, place: str, now: int) -> bool:
    return _in_a_row(one, place, now) >= terms.wrong_pins


def locked_out(terms: Terms, one: Credential, now: int) -> tuple[str, ...]:
    """The places where this person is locked out."""
    places = (tried.place for tried in one.places)
    return tuple(place for place in places if locked_out_at(terms, one, place, now))


def is_the_floors(terms: Terms, one: Credential, now: int) -> bool:
    """Whether a supervisor should know of it, though it is not locked: several were wrong."""
    if one.locked or not one.places or not _counts(one, now):
        return False
    return one.wrong >= terms.wrong_pins


def tried_at(one: Credential, place: str) -> TriedAt | None:
    return next((tried for tried in one.places if tried.place == place), None)


def shifted(table: Table, milliseconds: int) -> Table:
    """The clock was set: a shift lasts as long as it lasts, and so does a wait."""
    credentials = tuple(
        replace(
            one,
            at=one.at + milliseconds,
            since=one.since + milliseconds,
            places=tuple(replace(at, at=at.at + milliseconds) for at in one.places),
        )
        # As an earlier felt counted them, nothing is reckoned from their stamps.
        if one.places
        else one
        for one in table.credentials
    )
    resting = tuple(
        replace(one, until=one.until + milliseconds, at=one.at + milliseconds)
        for one in table.resting
    )
    return replace(table, credentials=credentials, resting=resting)


def in_words(milliseconds: int) -> str:
    seconds = -(-milliseconds // 1000)
    return f"{seconds} s" if seconds < 120 else f"{-(-seconds // 60)} min"


def _in_a_row(one: Credential, place: str, now: int) -> int:
    tried = tried_at(one, place)
    return tried.in_a_row if tried is not None and _counts(one, now) else 0


def _counts(one: Credential, now: int) -> bool:
    """What is locked stays so; all else is forgotten with its shift."""
    return one.locked or now - (one.since or one.at) < COUNTS_FOR

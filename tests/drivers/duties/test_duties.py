"""The duties cover the catalogue, and every one of them can be named and read."""

from __future__ import annotations

import re

from drivers.duties import BY_ID, DUTIES, WORKS, of
from drivers.wire import messages

KINDS = ("shuffler", "shoe", "panel", "acceptor", "terminal", "sign")


def test_each_has_an_id_of_its_own() -> None:
    assert len(BY_ID) == len(DUTIES)
    assert len({one.id for one in WORKS}) == len(WORKS)
    for duty in DUTIES:
        assert re.fullmatch(rf"{duty.device or 'every'}\.[a-z_]+", duty.id), duty.id
    for one in WORKS:
        assert re.fullmatch(r"works\.[a-z-]+", one.id), one.id


def test_every_message_of_a_device_is_a_duty_of_it() -> None:
    for name, kind in messages.BY_NAME.items():
        for device in kind.devices or ("",):
            if device not in ("", *KINDS):
                continue  # what a package brings, has its duties there
            found = [duty for duty in DUTIES if (duty.device, duty.message) == (device, name)]
            assert found, f"{name} of {device or 'every device'}"


def test_a_duty_is_about_a_message_that_its_device_has() -> None:
    for duty in DUTIES:
        if duty.message:
            devices = messages.BY_NAME[duty.message].devices
            assert (duty.device in devices) if devices else not duty.device, duty.id


def test_a_duty_is_one_sentence_and_says_all_that_is_asked_for() -> None:
    for duty in DUTIES:
        assert duty.sentence[0].isupper(), duty.id
        assert duty.sentence.endswith("."), duty.id
        assert not re.search(r"\. [A-Z]", duty.sentence), f"{duty.id} is more than one sentence"
        assert duty.due, duty.id
        assert duty.without, duty.id
        assert bool(duty.given) == (duty.need == "able"), duty.id


def test_a_device_has_what_every_device_has_and_its_own() -> None:
    for kind in KINDS:
        assert {duty.device for duty in of(kind)} == {"", kind}

"""Finds drivers by entry point, so that a vendor's driver is a package of its own.

A package names its drivers in the group ``felt.drivers``. What it brings is loaded only when it is
asked for: a package that is broken must not keep the devices of others from their table.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from functools import cache
from importlib.metadata import EntryPoint, entry_points

from drivers.contract import Driver

GROUP = "felt.drivers"


class NoDriver(LookupError):
    """There is no driver of this name, or none that can be used. Says what there is instead."""


@dataclass(frozen=True, slots=True)
class Found:
    drivers: dict[str, type[Driver]]
    #: Why a driver that is installed can't be used, by its name and package.
    broken: dict[str, str]


def driver(name: str) -> type[Driver]:
    """The driver with this name: for felt's own, the kind of device that it drives."""
    given = [one for one in _installed(tuple(sys.path)) if one.name == name]
    if not given:
        raise NoDriver(f"no driver is called {name!r}; there are: {', '.join(names())}")
    if len(given) > 1:
        both = " and ".join(sorted(_package(one) for one in given))
        raise NoDriver(f"{both} both bring a driver called {name!r}: uninstall one of them")
    return _loaded(given[0])


def package(name: str) -> str:
    """The package that brings the driver of this name."""
    return next(_package(one) for one in _installed(tuple(sys.path)) if one.name == name)


def names() -> list[str]:
    """The drivers that are installed, working or not."""
    return sorted({one.name for one in _installed(tuple(sys.path))})


def find() -> Found:
    """Every driver that is installed; for those who want to know what there is."""
    drivers, broken = {}, {}
    for name in names():
        try:
            drivers[name] = driver(name)
        except NoDriver as why:
            broken[name] = str(why)
    return Found(drivers, broken)


@cache
def _installed(path: tuple[str, ...]) -> tuple[EntryPoint, ...]:
    """Looked up once for a path: every package on it has to be asked, and a table has many devices.

    What is installed while felt runs is found when it starts again.
    """
    return tuple(entry_points(group=GROUP))


def _loaded(given: EntryPoint) -> type[Driver]:
    try:
        found = given.load()
    except Exception as error:
        # Other people's code: whatever it raises, it is theirs, and felt says whose.
        problem = f"can't be loaded: {type(error).__name__}: {error}"
        raise NoDriver(f"{_whose(given)} {problem}") from error
    if not isinstance(found, type) or not issubclass(found, Driver):
        problem = f"is no driver: {given.value} is not a subclass of Driver"
        raise NoDriver(f"{_whose(given)} {problem}")
    missing = sorted(getattr(found, "__abstractmethods__", ()))
    if missing:
        raise NoDriver(f"{_whose(given)} is not finished: it lacks {', '.join(missing)}")
    if not getattr(found, "kind", ""):
        raise NoDriver(f"{_whose(given)} does not say what kind of device it drives")
    return found


def _whose(given: EntryPoint) -> str:
    return f"the driver {given.name!r} of the package {_package(given)}"


def _package(given: EntryPoint) -> str:
    return given.dist.name if given.dist is not None else given.module

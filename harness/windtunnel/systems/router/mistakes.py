"""The mistakes: what is well formed, and cannot be in the cluster that is given.

A name of nobody there, a path that nobody serves, two hosts with nothing between them: such a
fault would be on for the whole run and meet nothing. Imports the models of faults, submissions and
`given`, and the addresses.
"""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterator, Mapping
from types import MappingProxyType
from typing import Final

from pydantic import BaseModel

from windtunnel.services.wire import addresses
from windtunnel.services.wire.addresses import BACKEND, DISPATCHER, EXTERNAL
from windtunnel.systems.router import faults
from windtunnel.systems.router.given import Given
from windtunnel.systems.router.host_names import BRIDGE_HEAD, INSTANCE_HEAD, bridge_name
from windtunnel.systems.router.submits import TaskArgs

Where = tuple[str | int, ...]
Found = Iterator[tuple[Where, str]]

PATHS: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        BACKEND: (addresses.path_of(addresses.CALLBACK_URL),),
        DISPATCHER: (
            addresses.TASK_PATH,
            addresses.HEALTH_PATH,
            addresses.OVERVIEW_PATH,
            addresses.LOGIN_PATH,
            addresses.CHANNEL_PATH,
            addresses.BRIDGE_PATH,
        ),
        EXTERNAL: (addresses.CREATE_PATH, addresses.OUTPUTS_PATH),
    }
)
"""Host → the paths that it serves; a bridge serves none."""


def mistakes(given: Given, said: BaseModel) -> Found:
    """Iterate over (where, what is wrong) of a fault's fields or the arguments of a task."""
    match said:
        case TaskArgs(preferred=str(name)):
            yield from _named(given, ("preferred",), name)
        case faults.BetweenHosts():
            yield from _between(given, said)
        case faults.AtServer():
            yield from _served(given, said)
        case (
            faults.Crash()
            | faults.OfInstances()
            | faults.Partition()
            | faults.FailWork()
            | faults.SlowWork()
        ):
            for index, name in enumerate(said.target):
                yield from _named(given, ("target", index), name)


def _named(given: Given, where: Where, name: str) -> Found:
    """Refuse an instance or a bridge of a number that there is not."""
    for head, there in ((INSTANCE_HEAD, given.fleet.internal), (BRIDGE_HEAD, given.fleet.bridges)):
        number = name.removeprefix(head)
        if number != name and int(number) >= there:
            last = f": the last is {head}{there - 1}" if there else ""
            yield where, f"there is no `{name}` among {there} {_KIND[head]}{last}"


_KIND: Final = MappingProxyType({INSTANCE_HEAD: "instances", BRIDGE_HEAD: "bridges"})


def _between(given: Given, said: faults.BetweenHosts) -> Found:
    found = [
        wrong
        for index, name in enumerate(said.between)
        for wrong in _named(given, ("between", index), name)
    ]
    if found:
        yield from found
        return
    one, other = said.between
    linked = _linked(one, other)
    if not linked:
        yield ("between",), f"nothing ever goes between {one} and {other}; {_LINKS}"
    elif linked == "requests" and isinstance(said, faults.Silent):
        yield (
            ("between",),
            f"there is no channel between {one} and {other} to be silent, only requests",
        )


_LINKS: Final = (
    f"{BACKEND} talks with {DISPATCHER} and {EXTERNAL}, {DISPATCHER} with {bridge_name(0)} "
    "and the other bridges"
)


def _linked(one: str, other: str) -> str:
    """Return what goes between two hosts, or `""`: channels, or requests alone."""
    pair = {one, other}
    if pair == {BACKEND, EXTERNAL}:
        return "requests"
    if DISPATCHER not in pair:
        return ""
    (peer,) = pair - {DISPATCHER}
    return "channels" if peer == BACKEND or peer.startswith(BRIDGE_HEAD) else ""


def _served(given: Given, said: faults.AtServer) -> Found:
    wrong = tuple(_named(given, ("target",), said.target))
    paths = PATHS.get(said.target, ())
    if wrong or not paths:
        yield from wrong or [
            (("target",), f"{said.target} serves no requests, so none is answered")
        ]
    elif said.path not in paths:
        yield (
            ("path",),
            f"{said.target} does not serve `{said.path[:60]}`{_hint(said.path, paths)}",
        )


def _hint(path: str, paths: Collection[str]) -> str:
    near = difflib.get_close_matches(path[:60], paths, n=1, cutoff=0.7)
    return f"; did you mean `{near[0]}`?" if near else f" (it serves: {', '.join(paths)})"

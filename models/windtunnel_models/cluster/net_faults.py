"""The kinds of fault of hosts and of the network between them: a row of `KINDS` each.

Imports hosts, the network and its obstacles.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType
from typing import Any, Final, Literal

from windtunnel.errors import FaultError
from windtunnel.faults import FaultKind, Felt, Switch
from windtunnel.ports.network import Response
from windtunnel.streams import stream
from windtunnel.world import Fault
from windtunnel_models.cluster.hosts import SimHosts
from windtunnel_models.cluster.network import SimNetwork
from windtunnel_models.cluster.obstacles import Answer, Cut, Gap, Mishap, Obstacle


@dataclass(frozen=True, slots=True)
class Scene:
    """Where these faults are brought about."""

    network: SimNetwork
    hosts: SimHosts


def _crash(scene: Scene, fault: Fault, _felt: Felt) -> Switch:
    names = _targets(scene, fault)
    hosts = scene.hosts

    def on() -> None:
        for name in names:
            hosts.crash(name)

    def off() -> None:
        for name in names:
            hosts.restart(name)

    # One that has been stopped for good in the meantime is no longer among the hosts.
    return Switch(
        on,
        lambda: not any(map(hosts.is_up, names)),
        off,
        lambda: all(hosts.is_up(name) for name in names if name in hosts.names),
    )


def _obstacle(scene: Scene, obstacle: Obstacle) -> Switch:
    obstacles = scene.network.obstacles
    return Switch(
        partial(obstacles.put, obstacle),
        lambda: obstacle in obstacles,
        partial(obstacles.take, obstacle),
        lambda: obstacle not in obstacles,
        lies_in_wait=True,
    )


def _partition(scene: Scene, fault: Fault, felt: Felt) -> Switch:
    return _obstacle(scene, Cut(frozenset(_targets(scene, fault)), felt))


def _silent(scene: Scene, fault: Fault, felt: Felt) -> Switch:
    return _obstacle(scene, Gap(_between(scene, fault), "silent", felt))


def _flap(scene: Scene, fault: Fault, felt: Felt) -> Switch:
    between = _between(scene, fault)
    gap = Gap(between, "shut", felt)
    obstacles = scene.network.obstacles

    def on() -> None:
        obstacles.put(gap)
        scene.network.break_all(between)

    return Switch(
        on, lambda: gap in obstacles, lambda: obstacles.take(gap), lambda: gap not in obstacles
    )


def _mishap(
    scene: Scene, fault: Fault, felt: Felt, *, kind: Literal["lose", "duplicate", "delay"]
) -> Switch:
    args = fault.args
    share = args.get("share")
    if share is not None and not 0 <= share <= 1:
        raise FaultError(f"the `share` of `{fault.id}` is a part of 1: from 0 to 1, not {share!r}")
    mishap = Mishap(
        _between(scene, fault),
        kind,
        felt,
        stream(scene.network.seed, f"fault.{fault.id}"),
        share,
        _times(fault),
        _duration(fault, "by") if kind == "delay" else 0,
    )
    return _obstacle(scene, mishap)


def _reject(scene: Scene, fault: Fault, felt: Felt) -> Switch:
    response = Response(fault.args["status"], fault.args.get("body"))
    return _answer(scene, fault, felt, response=response)


def _unanswered(scene: Scene, fault: Fault, felt: Felt) -> Switch:
    return _answer(scene, fault, felt, muted=True, unseen=not fault.args.get("after", False))


def _accept_late(scene: Scene, fault: Fault, felt: Felt) -> Switch:
    return _answer(scene, fault, felt, later=_duration(fault, "by"))


def _answer(scene: Scene, fault: Fault, felt: Felt, **how: Any) -> Switch:  # noqa: ANN401 - fields
    (host, *others) = _targets(scene, fault)
    if others:
        raise FaultError(f"the `target` of `{fault.id}` is one host")
    path = fault.args.get("path")
    return _obstacle(scene, Answer(host, path, felt, left=_times(fault), **how))


def _store_down(scene: Scene, fault: Fault, felt: Felt) -> Switch:
    stores = [scene.hosts.store(name) for name in _targets(scene, fault)]

    def on() -> None:
        for store in stores:
            store.outages[fault.id] = felt

    def off() -> None:
        for store in stores:
            store.outages.pop(fault.id, None)

    return Switch(
        on,
        lambda: all(fault.id in store.outages for store in stores),
        off,
        lambda: not any(fault.id in store.outages for store in stores),
        lies_in_wait=True,
    )


# ---------------------------------------------------------------- what the fields say


def _targets(scene: Scene, fault: Fault) -> tuple[str, ...]:
    """Return the hosts that are aimed at, each once."""
    target = fault.args["target"]
    names = (target,) if isinstance(target, str) else tuple(dict.fromkeys(target))
    if not names:
        raise FaultError(f"the `target` of `{fault.id}` names no host")
    for name in names:
        _check_host(scene, fault, name)
    return names


def _between(scene: Scene, fault: Fault) -> frozenset[str]:
    between = fault.args["between"]
    if len(set(between)) != 2:  # noqa: PLR2004 - a pair
        raise FaultError(f"`between` of `{fault.id}` is two hosts, such as [backend, dispatcher]")
    for name in between:
        _check_host(scene, fault, name)
    return frozenset(between)


def _check_host(scene: Scene, fault: Fault, name: str) -> None:
    if name not in scene.hosts.names:
        known = ", ".join(scene.hosts.names) or "none"
        raise FaultError(f"`{fault.id}`: there is no host `{name}` (there are: {known})")


def _times(fault: Fault) -> int | None:
    times: int | None = fault.args.get("times")
    if times is not None and times < 1:
        raise FaultError(f"the `times` of `{fault.id}` is at least 1, not {times}")
    return times


def _duration(fault: Fault, name: str) -> int:
    duration: int = fault.args[name]
    if duration < 0:
        raise FaultError(f"the `{name}` of `{fault.id}` is no negative duration")
    return duration


Kind = Callable[[Scene, Fault, Felt], Switch]

KINDS: Final[Mapping[str, Kind]] = MappingProxyType(
    {
        "crash": _crash,
        "partition": _partition,
        "silent": _silent,
        "flap": _flap,
        "lose": partial(_mishap, kind="lose"),
        "duplicate": partial(_mishap, kind="duplicate"),
        "delay": partial(_mishap, kind="delay"),
        "reject": _reject,
        "unanswered": _unanswered,
        "accept_late": _accept_late,
        "store_down": _store_down,
    }
)
"""`do` → what makes its switch."""


def fault_kinds(network: SimNetwork, hosts: SimHosts) -> dict[str, FaultKind]:
    """Return the kinds of these hosts and the network between them, by `do`."""
    scene = Scene(network, hosts)
    return {do: partial(kind, scene) for do, kind in KINDS.items()}

"""The faults of the fleet: what may befall instances, and the work at each place.

`crash` and `partition` take hosts too, bridges among them: those go on to the faults of hosts.
Imports the fleet and the faults' words.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType
from typing import Final

from windtunnel.errors import FaultError
from windtunnel.faults import FaultKind, Felt, Switch, always, nothing
from windtunnel.world import Fault
from windtunnel_models.cluster.conditions import Sabotage, Slowness
from windtunnel_models.cluster.fleet import Fleet
from windtunnel_models.cluster.instance import Down, Instance

ERROR: Final = "the work failed"
"""With which work fails where the fault does not say it."""


@dataclass(frozen=True, slots=True)
class Scope:
    """What faults may be aimed at: the fleet, and the hosts with the faults that hosts know."""

    fleet: Fleet
    hosts: Callable[[], Collection[str]]
    """The names of the hosts that there are."""
    of_hosts: Mapping[str, FaultKind]


# ---------------------------------------------------------------- instances


def _down(scope: Scope, fault: Fault, state: Down, instances: list[Instance]) -> Switch:
    """Take instances down; those that are up, and at least one is."""
    taken: list[Instance] = []

    def on() -> None:
        taken.extend(instance for instance in instances if instance.is_up)
        if not taken:
            raise FaultError(f"{_listed(instances)} cannot go down: none of them is up then")
        for instance in taken:
            instance.go_down(state, fault.id)

    def off() -> None:
        for instance in taken:
            instance.come_up(fault.id)

    return Switch(
        on,
        lambda: all(instance.is_down_by(fault.id) for instance in taken),
        off,
        lambda: (
            not any(instance.is_down_by(fault.id) for instance in scope.fleet.instances.values())
        ),
    )


def _cut(_scope: Scope, fault: Fault, felt: Felt, instances: list[Instance]) -> Switch:
    def on() -> None:
        for instance in instances:
            instance.cut(fault.id, felt)

    def off() -> None:
        for instance in instances:
            instance.mend(fault.id)

    return Switch(
        on,
        lambda: all(instance.is_cut_by(fault.id) for instance in instances),
        off,
        lambda: not any(instance.is_cut_by(fault.id) for instance in instances),
        lies_in_wait=True,
    )


def _crash(scope: Scope, fault: Fault, felt: Felt) -> Switch:
    instances, hosts = _split(scope, fault)
    return _together(
        _down(scope, fault, "crashed", instances) if instances else None,
        _on_hosts(scope, fault, felt, hosts),
    )


def _partition(scope: Scope, fault: Fault, felt: Felt) -> Switch:
    instances, hosts = _split(scope, fault)
    return _together(
        _cut(scope, fault, felt, instances) if instances else None,
        _on_hosts(scope, fault, felt, hosts),
    )


def _off(scope: Scope, fault: Fault, _felt: Felt) -> Switch:
    return _down(scope, fault, "off", _instances(scope, fault))


def _on(scope: Scope, fault: Fault, _felt: Felt) -> Switch:
    instances = _instances(scope, fault)

    def on() -> None:
        for instance in instances:
            if instance.state != "off":
                raise FaultError(f"{instance.name} is not off at that instant ({instance.state})")
        for instance in instances:
            instance.come_up()

    return Switch(on, lambda: all(each.is_up for each in instances), nothing, always)


# ---------------------------------------------------------------- work


def _slow_work(scope: Scope, fault: Fault, felt: Felt) -> Switch:
    places = _places(scope, fault)
    by = fault.args["by"]
    if not by > 0:
        raise FaultError(f"work cannot take {by!r} times as long: `by` is over 0")
    slowness = Slowness(frozenset(places), by, felt)
    slownesses = scope.fleet.conditions.slownesses

    def on() -> None:
        slownesses.append(slowness)
        scope.fleet.repace(places)

    def off() -> None:
        slownesses.remove(slowness)
        scope.fleet.repace(places)

    return Switch(
        on,
        lambda: slowness in slownesses,
        off,
        lambda: slowness not in slownesses,
        lies_in_wait=True,
    )


def _fail_work(scope: Scope, fault: Fault, felt: Felt) -> Switch:
    places = frozenset(_places(scope, fault))
    times = _at_least_one(fault, "times", fault.args.get("times"))
    sabotage = Sabotage(places, fault.args.get("error") or ERROR, felt, times)
    sabotages = scope.fleet.conditions.sabotages

    def off() -> None:
        if sabotage in sabotages:  # else it has failed as often as it should
            sabotages.remove(sabotage)

    return Switch(
        lambda: sabotages.append(sabotage),
        lambda: sabotage in sabotages,
        off,
        lambda: sabotage not in sabotages,
        lies_in_wait=True,
    )


def _occupy(scope: Scope, fault: Fault, _felt: Felt) -> Switch:
    slots = _at_least_one(fault, "slots", fault.args["slots"])
    external = scope.fleet.external
    return Switch(
        lambda: external.occupy(slots or 0, fault.id),
        lambda: external.is_occupied_by(fault.id),
        lambda: external.vacate(fault.id),
        lambda: not external.is_occupied_by(fault.id),
    )


# ---------------------------------------------------------------- whom they are aimed at


def _targets(fault: Fault) -> list[str]:
    target = fault.args["target"]
    targets = [target] if isinstance(target, str) else list(dict.fromkeys(target))
    if not targets:
        raise FaultError(f"`{fault.do}` is aimed at nobody: `target` is empty")
    return targets


def _refuse(name: str, known: Iterable[str]) -> FaultError:
    there = ", ".join(known) or "nothing"
    return FaultError(f"there is no `{name}` to aim at in this cluster (there is: {there})")


def _instances(scope: Scope, fault: Fault) -> list[Instance]:
    known = scope.fleet.instances
    for name in _targets(fault):
        if name not in known:
            raise _refuse(name, known)
    return [known[name] for name in _targets(fault)]


def _places(scope: Scope, fault: Fault) -> list[str]:
    for name in _targets(fault):
        if name not in scope.fleet.places:
            raise _refuse(name, scope.fleet.places)
    return _targets(fault)


def _split(scope: Scope, fault: Fault) -> tuple[list[Instance], list[str]]:
    """Return the targets that are instances, and those that are hosts."""
    instances = scope.fleet.instances
    hosts = [name for name in _targets(fault) if name not in instances]
    for name in hosts:
        if name not in scope.hosts():
            raise _refuse(name, (*scope.hosts(), *instances))
    return [instances[name] for name in _targets(fault) if name in instances], hosts


def _on_hosts(scope: Scope, fault: Fault, felt: Felt, hosts: list[str]) -> Switch | None:
    if not hosts:
        return None
    of_hosts = Fault(fault.id, fault.do, {**fault.args, "target": hosts})
    return scope.of_hosts[fault.do](of_hosts, felt)


def _together(one: Switch | None, other: Switch | None) -> Switch:
    """Return a switch of both, where there are both; neither is on unless both are."""
    if one is None or other is None:
        only = one or other
        assert only is not None  # a fault is aimed at somebody
        return only
    first, second = one, other

    def on() -> None:
        first.on()
        try:
            second.on()
        except FaultError:
            first.off()
            raise

    def off() -> None:
        first.off()
        second.off()

    return Switch(
        on,
        lambda: first.is_on() and second.is_on(),
        off,
        lambda: first.is_off() and second.is_off(),
        lies_in_wait=first.lies_in_wait or second.lies_in_wait,
    )


def _at_least_one(fault: Fault, name: str, number: int | None) -> int | None:
    if number is not None and number < 1:
        raise FaultError(f"`{fault.do}`: `{name}` is at least 1, not {number}")
    return number


def _listed(instances: Iterable[Instance]) -> str:
    return ", ".join(instance.name for instance in instances)


Kind = Callable[[Scope, Fault, Felt], Switch]

KINDS: Final[Mapping[str, Kind]] = MappingProxyType(
    {
        "crash": _crash,
        "partition": _partition,
        "off": _off,
        "on": _on,
        "slow_work": _slow_work,
        "fail_work": _fail_work,
        "occupy": _occupy,
    }
)
"""`do` → what makes its switch."""


def fault_kinds(scope: Scope) -> dict[str, FaultKind]:
    """Return the kinds of this fleet and of its hosts, by `do`."""
    return {**scope.of_hosts, **{do: partial(kind, scope) for do, kind in KINDS.items()}}

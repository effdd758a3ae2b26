"""The observables: what can be read of a router is what it tells."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from windtunnel.services.backend.backend_metrics import BackendMetrics
from windtunnel.services.dispatcher.dispatcher_metrics import SHOWN, DispatcherMetrics
from windtunnel.systems.prometheus_samples import samples
from windtunnel.systems.router.observables import OBSERVABLES, SAMPLES

CHECKS = frozenset({"equals"})


@pytest.mark.spec("RT-P3")
def test_the_samples_are_what_is_exposed() -> None:
    exposed = {
        *(metric.name for metric in BackendMetrics().collect()),
        *(metric.name for metric in DispatcherMetrics(lambda: dict.fromkeys(SHOWN, 0)).collect()),
    }
    assert {name.removesuffix("_total") for name in SAMPLES} == exposed
    assert samples(BackendMetrics().collect()).keys() <= set(SAMPLES)


@pytest.mark.spec("RT-P3", "RT-R3")
def test_all_of_a_router_that_works(kit: Any) -> None:
    seen: dict[str, Any] = {}

    async def main(system: Any) -> None:
        closed = [system.submit(kit.submit(f"t.{n}", work="3s")) for n in range(8)]
        await asyncio.sleep(1)
        seen.update(system.observe())
        await asyncio.gather(*closed)
        seen.update(after=system.observe())

    kit.bench({"fleet": {"external": 3}}, checks=CHECKS).play(main)
    after = seen.pop("after")
    assert seen.keys() == after.keys() == OBSERVABLES
    assert (seen["to_internal"], seen["to_external"], seen["waiting"]) == (4, 3, 1)
    assert (seen["inside"], seen["outside"], seen["processing"], seen["pending"]) == (4, 3, 4, 0)
    assert (seen["online"], seen["busy"], seen["available"]) == (4, 4, 0)
    assert (seen["capacity_internal"], seen["capacity_external"]) == (0, 0)
    assert seen["degraded"] is False
    assert set(seen["alerts"].values()) == {False}
    assert seen["md_router_sent_total"] == {"internal": 4, "external": 3}
    assert seen["md_tasks_assigned_total"] == 4
    assert (after["done"], after["inside"], after["outside"]) == (8, 0, 0)
    assert after["to_internal"] + after["to_external"] == 8


def test_what_a_program_knows_is_null_while_it_is_down(kit: Any) -> None:
    seen: dict[str, Any] = {}
    bench = kit.bench(checks=CHECKS)

    async def main(system: Any) -> None:
        bench.fault("crash", target=["backend", "dispatcher"])
        seen.update(system.observe())

    bench.play(main)
    assert seen.keys() == OBSERVABLES
    nulls = {name for name, value in seen.items() if value is None}
    assert nulls == {
        *("degraded", "capacity_internal", "capacity_external"),
        *("online", "busy", "available"),
        *SAMPLES,
    }


def test_samples_are_taken_where_a_check_reads_them(kit: Any) -> None:
    seen: dict[str, Any] = {}

    async def main(system: Any) -> None:
        seen.update(system.observe())

    kit.bench().play(main)
    assert seen.keys() == OBSERVABLES - set(SAMPLES)

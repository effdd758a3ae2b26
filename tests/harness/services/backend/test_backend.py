"""The backend as a whole: it crashes and goes on, and whatever goes wrong no task is lost."""

from __future__ import annotations

import asyncio
from collections import Counter
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fleet_kit import cluster_of
from path_kit import OVER, Stage, on_stage, right
from windtunnel.services.backend.backend import Backend
from windtunnel.services.backend.settings import SettingsError
from windtunnel.services.note import ignore
from windtunnel.services.wire.addresses import (
    CALLBACK_URL,
    CREATE_PATH,
    HEALTH_PATH,
    TASK_PATH,
    path_of,
)


@pytest.mark.spec("RT-B4", "RT-R3")
@pytest.mark.parametrize("after", [0.0, 0.0005, 0.001, 0.002, 0.0035, 0.5, 1.001, 1.0025])
@pytest.mark.parametrize("online", [4, 0])
def test_a_crash_at_any_moment_loses_nothing(after: float, online: int) -> None:
    async def script(stage: Stage) -> None:
        for i in range(6):
            await stage.submit(f"t.{i}", 1.0)
        await asyncio.sleep(after)
        undo = await stage.fault("crash", target="backend")
        await asyncio.sleep(2)
        await undo()
        await stage.settle(6)
        await asyncio.sleep(1)
        assert stage.lives == 2
        assert all(set(stage.outcome(f"t.{i}")) == {("done", None)} for i in range(6))

    on_stage(script, online=online)


@pytest.mark.spec("RT-B4")
def test_what_it_was_sending_is_sent_again_to_the_same_side() -> None:
    async def script(stage: Stage) -> None:
        await stage.fault("unanswered", target="dispatcher", path=TASK_PATH, times=1)
        await stage.fault("unanswered", target="external", path=CREATE_PATH, times=1)
        await stage.submit("in", 1.0)
        await stage.submit("out", 1.0, platform="elsewhere")
        await asyncio.sleep(1)
        undo = await stage.fault("crash", target="backend")
        await undo()
        await stage.settle(2)
        assert stage.now < 3
        assert stage.watch.path("in") == "waiting sending inside done"
        assert stage.watch.path("out") == "waiting sending outside done"

    on_stage(script)


@pytest.mark.spec("RT-B4", "RT-S4")
def test_what_is_sent_again_counts_at_once() -> None:
    async def script(stage: Stage) -> None:
        await stage.fault("unanswered", target="dispatcher", path=TASK_PATH)
        await stage.fault("unanswered", target="external", path=CREATE_PATH)
        for i in range(3):
            await stage.submit(f"t.{i}", 1.0)
        undo = await stage.fault("crash", target="backend")
        await undo()
        await asyncio.sleep(0.1)
        assert (stage.figure("reserved"), stage.figure("capacity_internal")) == (2, 0)
        assert (stage.figure("outside_slots"), stage.figure("capacity_external")) == (1, 3)

    on_stage(script, online=2, external=4)


@pytest.mark.spec("RT-B4", "F-R10")
def test_what_runs_outside_counts_after_a_restart() -> None:
    async def script(stage: Stage) -> None:
        for i in range(4):
            await stage.submit(f"t.{i}", 10.0)
        await asyncio.sleep(1)
        undo = await stage.fault("crash", target="backend")
        await undo()
        await asyncio.sleep(1)
        assert (stage.figure("outside"), stage.figure("outside_slots")) == (3, 3)
        assert (stage.figure("waiting"), stage.figure("capacity_external")) == (1, 0)
        await stage.settle(4)
        assert stage.of("task.refused") == []

    on_stage(script, online=0, external=3)


@pytest.mark.spec("RT-X2")
def test_a_store_that_cannot_be_read_at_the_start_is_waited_for() -> None:
    async def script(stage: Stage) -> None:
        await stage.submit("t", 20.0)
        await asyncio.sleep(1)
        crashed = await stage.fault("crash", target="backend")
        down = await stage.fault("store_down", target="backend")
        await crashed()
        await asyncio.sleep(5)
        await down()
        await stage.settle(1)
        assert stage.outcome("t") == [("done", None)]

    on_stage(script)


@pytest.mark.spec("RT-X2")
def test_while_the_store_is_down_tasks_that_are_there_go_on() -> None:
    async def script(stage: Stage) -> None:
        for i in range(6):
            await stage.submit(f"t.{i}", 2.0)
        await asyncio.sleep(1)
        undo = await stage.fault("store_down", target="backend")
        await asyncio.sleep(8)
        assert stage.figure("store_down")
        assert stage.figure("done") == 6
        await undo()
        await stage.settle(6)
        assert all(stage.outcome(f"t.{i}") == [("done", None)] for i in range(6))
        assert [d["reason"] for _, d in stage.of("router.degraded")] == ["store"]

    on_stage(script, online=4, external=1)


@pytest.mark.spec("RT-B3")
def test_a_network_flap() -> None:
    async def script(stage: Stage) -> None:
        for i in range(8):
            await stage.submit(f"t.{i}", 1.0)
        undo = await stage.fault("flap", between=["backend", "dispatcher"])
        await asyncio.sleep(3)
        await undo()
        await stage.settle(8)
        assert all(stage.outcome(f"t.{i}") == [("done", None)] for i in range(8))
        assert "connected" in stage.backend.state._link  # type: ignore[union-attr]

    on_stage(script)


@pytest.mark.spec("RT-H3")
def test_when_the_link_is_lost_the_outside_is_used_at_once() -> None:
    async def script(stage: Stage) -> None:
        await stage.fault("crash", target="dispatcher")
        await asyncio.sleep(0.5)
        await stage.submit("t", 1.0)
        await stage.settle(1)
        assert stage.of("task.refused") == [], "it was not even tried inside"
        assert stage.watch.path("t") == "waiting sending outside done"

    on_stage(script)


def test_stopped_it_ends_at_once_and_says_so() -> None:
    async def script(stage: Stage) -> None:
        await stage.submit("t", 10.0)
        hosts = cluster_of(stage.world).hosts
        await hosts.stop("backend")
        assert stage.now < 0.1
        assert '"running": false' in str(hosts.store("backend").first("lives", 1))

    on_stage(script)


@pytest.mark.spec("RT-G1", "RT-J1")
def test_wrong_settings_are_told_by_their_key() -> None:
    async def script(stage: Stage) -> None:
        assert stage.ports is not None
        ports = replace(stage.ports, environment={"INTERNAL_CAPACITY_MAX": "many"})
        with pytest.raises(SettingsError, match="INTERNAL_CAPACITY_MAX"):
            Backend(ports, stage.settings.model_copy(), stage.options, ignore, None)  # type: ignore[arg-type]

    on_stage(script)


@pytest.mark.spec("RT-P3")
def test_metrics_count_what_happened() -> None:
    async def script(stage: Stage) -> None:
        for i in range(6):
            await stage.submit(f"t.{i}", 10.0)
        await asyncio.sleep(1)
        assert stage.backend is not None
        stage.backend.observe()
        shown = {
            (sample.name, *sample.labels.values()): sample.value
            for metric in stage.backend.metrics.collect()
            for sample in metric.samples
        }
        assert shown["md_router_decisions_total", "internal"] == 4
        assert shown["md_router_sent_total", "external"] == 1
        assert (shown["md_router_inside",], shown["md_router_waiting",]) == (4, 1)

    on_stage(script, external=1)


@pytest.mark.spec("RT-J1")
def test_no_secret_is_noted_or_stored() -> None:
    async def script(stage: Stage) -> None:
        await stage.submit("t", 1.0)
        await stage.settle(1)
        assert stage.ports is not None
        password = stage.ports.environment["MD_PASSWORD"]
        store = cluster_of(stage.world).hosts.store("backend")
        stored = "".join(text for table in store._tables.values() for _, text in table)
        for secret in (password, "token-1"):
            assert secret not in repr(stage.notes)
            assert secret not in stored
            assert secret not in repr(vars(stage.backend))

    on_stage(script)


FAULTS: list[dict[str, Any]] = [
    {"do": "crash", "target": "backend"},
    {"do": "crash", "target": "dispatcher"},
    {"do": "crash", "target": "external"},
    {"do": "flap", "between": ["backend", "dispatcher"]},
    {"do": "silent", "between": ["backend", "dispatcher"]},
    {"do": "partition", "target": ["external"]},
    {"do": "partition", "target": ["dispatcher"]},
    {"do": "store_down", "target": "backend"},
    {"do": "lose", "between": ["backend", "dispatcher"], "share": 0.5},
    {"do": "lose", "between": ["backend", "external"], "share": 0.5},
    {"do": "duplicate", "between": ["backend", "dispatcher"], "share": 0.5},
    {"do": "reject", "target": "dispatcher", "path": TASK_PATH, "status": 503, "times": 3},
    {"do": "reject", "target": "external", "path": CREATE_PATH, "status": 502, "times": 2},
    {"do": "reject", "target": "backend", "path": path_of(CALLBACK_URL), "status": 500, "times": 2},
    {"do": "unanswered", "target": "dispatcher", "path": TASK_PATH, "after": True, "times": 2},
    {"do": "unanswered", "target": "external", "path": CREATE_PATH, "after": True, "times": 1},
    {"do": "occupy", "slots": 2},
]


@pytest.mark.spec("RT-R3", "RT-B3", "RT-B4", "RT-C3", "F-R9")
@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    troubles=st.lists(
        st.tuples(
            st.sampled_from(range(len(FAULTS))),
            st.floats(0, 4).map(lambda seconds: round(seconds, 3)),
            st.floats(0.001, 20).map(lambda seconds: round(seconds, 3)),
        ),
        max_size=4,
        unique_by=lambda trouble: trouble[0],
    ),
    tasks=st.integers(1, 12),
    online=st.integers(0, 4),
    seed=st.integers(0, 1000),
)
def test_whatever_goes_wrong_each_task_ends_once(
    troubles: list[tuple[int, float, float]], tasks: int, online: int, seed: int
) -> None:
    async def trouble(stage: Stage, number: int, at: float, length: float) -> None:
        await asyncio.sleep(at)
        fault = dict(FAULTS[number])
        undo = await stage.fault(fault.pop("do"), **fault)
        await asyncio.sleep(length)
        await undo()

    async def hand_over(stage: Stage, id_: str) -> None:
        """Submit until a life has stored it, as an owner does."""
        while stage.watch.path(id_) == "":
            life = asyncio.ensure_future(stage.submit(id_, 1.0))
            await asyncio.wait({life}, timeout=1.0)
            life.cancel()

    async def script(stage: Stage) -> None:
        going = [asyncio.ensure_future(trouble(stage, *one)) for one in troubles]
        for i in range(tasks):
            await asyncio.sleep(0.2)
            going.append(asyncio.ensure_future(hand_over(stage, f"t.{i}")))
        await asyncio.gather(*going)
        wanted = {f"t.{i}" for i in range(tasks)}
        async with asyncio.timeout(900):
            while not wanted <= {answer.id for _, answer in stage.told}:  # noqa: ASYNC110 - a test has time
                await asyncio.sleep(1)
        await asyncio.sleep(100)
        over = Counter(stage.watch.places.values())
        assert sum(over[place] for place in OVER) == tasks, "in one place each, and over"
        for _, answer in stage.told:  # told again after a crash, and never otherwise
            assert answer.status == stage.watch.places[answer.id]
            assert answer.status != "done" or answer.result == right(answer.id, 1.0)
        assert stage.lives > 1 or len(stage.told) == tasks
        for figure in ("sending", "inside", "outside", "untold", "in_flight", "outside_slots"):
            assert stage.figure(figure) == 0, figure
        assert stage.figure("reserved") == 0

    on_stage(script, online=online, external=4, seed=seed)


@pytest.mark.spec("RT-X2")
@pytest.mark.parametrize(
    "service", ["tokens", "_link", "monitor", "_poller", "_owners", "_queries"]
)
def test_a_service_that_fails_ends_neither_the_others_nor_itself(service: str) -> None:
    async def script(stage: Stage) -> None:
        undo = await stage.fault("crash", target="backend")
        asked: list[float] = []
        fails_once(stage.mends, service, asked)
        await undo()
        await asyncio.sleep(0.1)
        await stage.submit("t", 1.0)
        await stage.settle(1)
        assert len(asked) >= 2
        assert stage.outcome("t") == [("done", None)]
        assert [met["reaction"] for _, met in stage.of("error.met")] == ["degrade"]

    on_stage(script)


def fails_once(mends: list[Any], service: str, asked: list[float]) -> None:
    """Have a service of the next backend raise when it is run first."""

    def mend(backend: Backend) -> None:
        part = getattr(backend, service)
        run = part.run

        async def failing(*args: Any) -> None:
            asked.append(asyncio.get_running_loop().time())
            if len(asked) == 1:
                raise ZeroDivisionError
            await run(*args)

        part.run = failing

    mends.append(mend)


@pytest.mark.spec("RT-X2", "RT-X3")
def test_one_that_raises_all_the_same_has_crashed_and_the_next_life_knows() -> None:
    async def script(stage: Stage) -> None:
        assert stage.backend is not None
        undo = await stage.fault("crash", target="backend")
        await undo()
        await asyncio.sleep(1)
        hosts = cluster_of(stage.world).hosts
        assert stage.backend._lives.crashes(2 * 10**9) == 1
        stage.mends.append(no_errors_are_met)
        undo = await stage.fault("crash", target="backend")
        await undo()
        await asyncio.sleep(1)
        assert not hosts.is_up("backend")
        assert '"running": true' in str(hosts.store("backend").first("lives", 1))

    on_stage(script)


def no_errors_are_met(backend: Backend) -> None:
    async def survive(*_: object) -> None:
        raise ZeroDivisionError

    backend._errors.survive = survive  # type: ignore[assignment, method-assign]


@pytest.mark.spec("RT-S6")
def test_switched_off_it_asks_nothing_of_the_dispatcher_and_has_no_alert() -> None:
    async def script(stage: Stage) -> None:
        await stage.fault("crash", target="dispatcher")
        undo = await stage.fault("store_down", target="backend")
        submitting = asyncio.ensure_future(stage.submit("t", 1.0))
        await asyncio.sleep(3)
        await undo()
        await submitting
        await asyncio.sleep(700)
        await stage.settle(1)
        assert stage.inside.logins == 0
        kinds = {kind for _, kind, _, _ in stage.notes}
        assert kinds <= {"task.sent", "route.decided", "error.met"}
        assert not stage.figure("degraded")

    on_stage(script, enabled=False)


@pytest.mark.spec("RT-H6")
@pytest.mark.parametrize(("status", "probes"), [(500, 1), (503, 1), (401, 1), (429, 0), (400, 0)])
def test_a_failed_submission_inside_has_health_looked_at(status: int, probes: int) -> None:
    async def script(stage: Stage) -> None:
        await asyncio.sleep(1)
        before = len(stage.of("health.probed"))
        await stage.fault("reject", target="dispatcher", path=TASK_PATH, status=status)
        await stage.submit("t", 1.0)
        await asyncio.sleep(0.5)
        assert len(stage.of("health.probed")) - before == probes

    on_stage(script)


@pytest.mark.spec("RT-K1")
def test_another_version_of_the_interface_keeps_tasks_outside_as_long_as_it_lasts() -> None:
    async def script(stage: Stage) -> None:
        body = {"status": "ok", "bridges": 1, "onlineInstances": 4, "version": "2"}
        undo = await stage.fault(
            "reject", target="dispatcher", path=HEALTH_PATH, status=200, body=body
        )
        await asyncio.sleep(60)
        assert [d["reason"] for _, d in stage.of("router.degraded")] == ["unknown"]
        assert stage.of("router.recovered") == []
        await stage.submit("t", 1.0)
        await stage.settle(1)
        assert stage.watch.path("t") == "waiting sending outside done"
        await undo()
        await asyncio.sleep(45)
        assert len(stage.of("router.recovered")) == 1

    on_stage(script)

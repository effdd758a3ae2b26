"""SimWorld: how a run ends, whatever the code in it does."""

from __future__ import annotations

import asyncio
import itertools
import signal
import threading
from collections.abc import Callable, Coroutine
from typing import Any

import pytest

from desktop_kit import machine_of
from windtunnel.ports import Desktop, Processes, Records
from windtunnel.scenario.reading.models import FEATURES
from windtunnel.units import MS, SECOND
from windtunnel.world import Fault, Limits, RunEnd, Ties, World, WorldSpec
from windtunnel_models.profile import default
from windtunnel_models.world import SimWorld

Main = Callable[[], Coroutine[Any, Any, None]]


def run(main: Main, **limits: int) -> tuple[RunEnd, SimWorld]:
    world = SimWorld(WorldSpec(limits=Limits(**limits)))
    return world.run(main), world


def test_has_a_desktop_processes_and_records_in_its_own_time() -> None:
    world = SimWorld(WorldSpec(seed=7))
    assert world.name == "sim"
    assert isinstance(world.ports.desktop, Desktop)
    assert isinstance(world.ports.processes, Processes)
    assert isinstance(world.ports.records, Records)
    assert world.features == set(FEATURES)
    assert world.loop.seed == 7

    async def main() -> None:
        await asyncio.sleep(3600)
        world.trace.record("window.closed")

    limits = WorldSpec(limits=Limits(sim=7200 * SECOND))
    world = SimWorld(limits)
    assert world.run(main).reason == "finished"
    assert world.trace[0].time == 3600 * SECOND


def test_is_a_world_to_the_type_checker() -> None:
    world: World = SimWorld(WorldSpec())
    assert world.choices == ()


def test_what_is_given_reaches_the_desktop() -> None:
    wechat = {"state": "qr", "session": "bob"}
    world = SimWorld(WorldSpec(given={"wechat": wechat, "latencies": {"hold": 0}}))
    assert machine_of(world).screen.login == "qr"
    assert machine_of(world).screen.session is None


def test_a_profile_says_how_long_everything_takes() -> None:
    async def main() -> None:
        assert world.ports.desktop is not None
        await world.ports.desktop.click("search")
        assert world.loop.time() == 2

    figures = {**default().latencies, "click": default().latencies["click"].model_copy(
        update={"min": 2 * SECOND, "max": 2 * SECOND}
    )}  # fmt: skip
    world = SimWorld(WorldSpec(), default().model_copy(update={"latencies": figures}))
    assert world.run(main) == RunEnd("finished")


def test_ties_are_the_loops() -> None:
    order: list[str] = []

    async def lane(name: str) -> None:
        for _ in range(2):
            await asyncio.sleep(1)
            order.append(name)

    async def main() -> None:
        await asyncio.gather(*(lane(name) for name in "ab"))

    for ties in (Ties(), Ties("lifo")):
        order.clear()
        world = SimWorld(WorldSpec(ties=ties))
        assert world.run(main) == RunEnd("finished")
        assert (order == list("abab")) == (not ties.asked)
        assert bool(world.choices) == ties.asked


def test_a_fault_is_undone_when_the_run_is_cut_short() -> None:
    async def main() -> None:
        await world.inject(Fault("f", "popup"))
        await asyncio.sleep(10**6)

    world = SimWorld(WorldSpec(limits=Limits(sim=SECOND)))
    assert world.run(main).reason == "limit"
    assert not machine_of(world).screen.popup


def test_a_fault_that_stays_on_is_an_error_of_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    async def main() -> None:
        await world.inject(Fault("f", "popup"))

    world = SimWorld(WorldSpec())
    monkeypatch.setattr(type(machine_of(world).screen), "close_popup", lambda _self: None)
    end = world.run(main)
    assert (end.reason, "could not be undone" in end.message) == ("error", True)


def test_a_deadlock_names_who_waits() -> None:
    async def main() -> None:
        async def stuck() -> None:
            await asyncio.Event().wait()

        await asyncio.create_task(stuck(), name="stuck")

    end, _ = run(main)
    assert end.reason == "deadlock"
    assert "stuck" in end.message


def test_cancelled_timers_beyond_the_limit_do_not_hide_a_deadlock() -> None:
    async def main() -> None:
        asyncio.get_running_loop().call_later(10**6, print).cancel()
        asyncio.create_task(asyncio.sleep(10**6)).cancel()
        await asyncio.get_running_loop().create_future()

    assert run(main)[0].reason == "deadlock"


def test_who_waits_for_longer_than_the_limit_is_not_deadlocked() -> None:
    async def main() -> None:
        await asyncio.sleep(10**6)

    assert run(main)[0].reason == "limit"


def test_a_busy_spin_is_an_error() -> None:
    async def main() -> None:
        while True:  # noqa: ASYNC110 - the mistake that is to be caught
            await asyncio.sleep(0)

    end, _ = run(main)
    assert end.reason == "error"
    assert "BusySpin" in end.message


def test_a_lost_background_exception_is_an_error() -> None:
    async def main() -> None:
        async def fail() -> None:
            raise LookupError("nobody looks")

        task = asyncio.create_task(fail())
        await asyncio.sleep(1)
        del task

    end, _ = run(main)
    assert end.reason == "error"
    assert "nobody looks" in end.message


@pytest.mark.parametrize("limit", [{"sim": 2 * SECOND}, {"events": 2}])
def test_a_limit_does_not_hide_what_failed_in_the_background(limit: dict[str, int]) -> None:
    async def main() -> None:
        asyncio.get_running_loop().call_later(1, fail)
        for _ in range(60):
            world.trace.record("window.closed")
            await asyncio.sleep(1)

    def fail() -> None:
        raise LookupError("nobody looks")

    world = SimWorld(WorldSpec(limits=Limits(**limit)))
    end = world.run(main)
    assert end.reason == "error"
    assert "nobody looks" in end.message


def test_a_deadlock_does_not_hide_what_failed_in_the_background() -> None:
    async def main() -> None:
        asyncio.get_running_loop().call_soon(fail)
        await asyncio.get_running_loop().create_future()

    def fail() -> None:
        raise LookupError("nobody looks")

    end, _ = run(main)
    assert end.reason == "error"
    assert "nobody looks" in end.message


def test_threads_are_an_error_at_once() -> None:
    async def main() -> None:
        await asyncio.to_thread(print)

    end, _ = run(main)
    assert end.reason == "error"
    assert "Unsupported" in end.message


def test_the_limit_of_simulated_time() -> None:
    async def main() -> None:
        await asyncio.sleep(60)

    end, world = run(main, sim=2 * SECOND)
    assert end == RunEnd("limit", "the limit of 2s of simulated time was reached")
    assert world.loop.time() == 2.0


def test_code_that_swallows_its_cancellation_does_not_escape_the_limit() -> None:
    async def main() -> None:
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            return

    assert run(main, sim=2 * SECOND)[0].reason == "limit"


def test_the_limit_of_events() -> None:
    async def main() -> None:
        for _ in range(10):
            world.trace.record("window.closed")
            await asyncio.sleep(1)

    world = SimWorld(WorldSpec(limits=Limits(events=3)))
    assert world.run(main) == RunEnd("limit", "the limit of 3 trace events was reached")
    assert len(world.trace) == 3


def test_the_limit_of_real_time() -> None:
    async def main() -> None:
        while True:
            pass

    end, _ = run(main, wall=50 * MS)
    assert end.reason == "limit"


def test_what_the_limit_of_real_time_broke_off_is_not_in_the_trace() -> None:
    async def main() -> None:
        world.trace.record("window.closed")
        try:
            while True:
                pass
        finally:
            world.trace.record("window.closed")

    world = SimWorld(WorldSpec(limits=Limits(wall=50 * MS)))
    assert world.run(main).reason == "limit"
    assert len(world.trace) == 1


def test_a_task_lost_to_the_limit_of_real_time_is_no_deadlock() -> None:
    async def spin() -> None:
        for _ in itertools.count():
            await asyncio.sleep(0)

    async def main() -> None:
        spinning = asyncio.create_task(spin())
        asyncio.get_running_loop().call_soon(strike)
        await spinning

    def strike() -> None:
        world.loop.ready.clear()  # as between the loop's taking a task and the task's going on
        signal.raise_signal(signal.SIGALRM)

    world = SimWorld(WorldSpec())
    end = world.run(main)
    assert end.reason == "limit"
    assert "in test_a_task_lost_to_the_limit" in end.message
    left = asyncio.all_tasks(world.loop)  # pending, of which asyncio says so when they go
    assert left
    assert not any(task._log_destroy_pending for task in left)  # type: ignore[attr-defined]


def test_cancelling_the_run_from_inside_is_an_error() -> None:
    async def main() -> None:
        task = asyncio.current_task()
        assert task is not None
        task.cancel()
        await asyncio.sleep(1)

    assert run(main)[0] == RunEnd("error", "the run was cancelled by the code under test")


def test_what_is_still_on_is_cancelled_in_the_order_of_creation() -> None:
    ended: list[str] = []

    async def forever(name: str) -> None:
        try:
            await asyncio.sleep(10**6)
        finally:
            ended.append(name)

    async def main() -> None:
        tasks.extend(asyncio.create_task(forever(name)) for name in "abc")
        await asyncio.sleep(1)

    tasks: list[asyncio.Task[None]] = []
    assert run(main)[0] == RunEnd("finished")
    assert ended == ["a", "b", "c"]


def test_a_world_can_run_beside_the_main_thread() -> None:
    ends: list[RunEnd] = []

    async def main() -> None:
        await asyncio.sleep(1)

    thread = threading.Thread(target=lambda: ends.append(run(main)[0]))
    thread.start()
    thread.join()
    assert ends == [RunEnd("finished")]


def test_an_exception_of_the_run_itself_is_a_fault_of_the_tool_and_comes_through() -> None:
    async def main() -> None:
        raise LookupError("the player's own")

    with pytest.raises(LookupError, match="the player's own"):
        run(main)

"""The real world: how a run ends, whatever happens to it, and that nothing is left of it."""

from __future__ import annotations

import asyncio
import os
import signal
import threading
from collections.abc import Iterator
from typing import Any

import pytest

from run_kit import desktop_of, own_place, run, world_of
from windtunnel.errors import FaultError, PluginError
from windtunnel.faults import Switch, nothing
from windtunnel.ports import ProcessSpec
from windtunnel.units import SECOND
from windtunnel.world import Fault, Limits, RunEnd, WorldOptions, WorldSpec
from windtunnel_real.world import RealWorld


@pytest.fixture(autouse=True)
def _its_own_place() -> Iterator[None]:
    with own_place():
        yield


async def sleep(_world: RealWorld) -> None:
    await asyncio.sleep(600)


# ---------------------------------------------------------------- what is asked for


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (WorldOptions(driver="hand"), "no driver 'hand': it is one of xtest, xdotool-pipe"),
        (WorldOptions(window_manager="twm"), "no window manager 'twm' here: it is one of openbox"),
        (WorldOptions(window_manager="openbox", display=":1"), "display of the run's own only"),
    ],
)
def test_options_that_mean_nothing_are_refused(options: WorldOptions, says: str) -> None:
    problem = RealWorld.options_problem(options)
    assert problem is not None
    assert says in problem
    with pytest.raises(PluginError, match=says.replace("'", ".")):
        RealWorld(WorldSpec(options=options))


def test_a_part_that_is_not_here_is_refused() -> None:
    with pytest.raises(PluginError, match="no part `cluster`"):
        RealWorld(WorldSpec(parts=("desktop", "cluster")))


def test_it_makes_no_choices_and_knows_faults_only_while_it_runs() -> None:
    world = world_of()
    assert world.choices == ()
    with pytest.raises(FaultError, match="knows no fault `kill`"):
        asyncio.run(world.inject(Fault("a", "kill")))
    assert world.keep("name", failed=True) == ""


# ---------------------------------------------------------------- ends of all kinds


def test_a_run_ends_with_its_main_and_its_trace_is_closed() -> None:
    async def body(world: RealWorld) -> None:
        await desktop_of(world).click("search")

    world = world_of()
    assert run(world, body) == RunEnd("finished")
    ended = len(world.trace)
    world.trace.record("process.started", resource="late", details={"pid": 1})
    assert len(world.trace) == ended


@pytest.mark.parametrize(
    ("limits", "says"),
    [
        (Limits(sim=SECOND // 5), "200ms of real time"),
        (Limits(wall=SECOND // 5), "200ms of real time"),
        (Limits(events=3), "3 trace events"),
    ],
)
def test_a_limit_cuts_it_short(limits: Limits, says: str) -> None:
    async def body(world: RealWorld) -> None:
        while True:
            await desktop_of(world).login_state()

    end = run(world_of(limits=limits), body)
    assert (end.reason, end.message) == ("limit", f"the limit of {says} was reached")


def test_a_limit_holds_for_a_main_that_does_not_want_to_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def body(_world: RealWorld) -> None:
        for _ in range(2):
            try:
                await asyncio.sleep(600)
            except asyncio.CancelledError:
                continue

    monkeypatch.setattr("windtunnel_real.world.TAKE_DOWN_S", 0.1)
    assert run(world_of(limits=Limits(wall=SECOND // 10)), body).reason == "limit"


async def raising(_world: RealWorld) -> None:
    raise ValueError("of its own")


async def exiting(_world: RealWorld) -> None:
    raise SystemExit(3)


async def cancelling_itself(_world: RealWorld) -> None:
    task = asyncio.current_task()
    assert task is not None
    task.cancel()
    await asyncio.sleep(0)


async def cancelled_inside(_world: RealWorld) -> None:
    task = asyncio.create_task(asyncio.sleep(600))
    task.cancel()
    await task


async def losing_an_error(_world: RealWorld) -> None:
    async def fail() -> None:
        raise ValueError("lost")

    task = asyncio.create_task(fail())
    await asyncio.wait({task})


def test_what_main_raises_is_raised() -> None:
    world = world_of()
    with pytest.raises(ValueError, match="of its own"):
        run(world, raising)


@pytest.mark.parametrize(
    ("body", "says"),
    [
        (exiting, "the code under test raised SystemExit(3)"),
        (cancelling_itself, "the run was cancelled by the code under test"),
        (cancelled_inside, "the run was cancelled by the code under test"),
        (losing_an_error, "Task exception was never retrieved: ValueError: lost"),
    ],
)
def test_what_the_code_under_test_does_to_itself_is_an_error(body: Any, says: str) -> None:
    assert run(world_of(), body) == RunEnd("error", says)


def test_a_program_that_is_not_there_ends_the_run_as_its_error() -> None:
    async def body(world: RealWorld) -> None:
        assert world.ports.processes is not None
        await world.ports.processes.start(ProcessSpec("none", ("no-such-program",)))

    end = run(world_of(), body)
    assert end.reason == "error"
    assert "no program no-such-program on the PATH" in end.message


def test_an_interrupt_takes_everything_down() -> None:
    """As ctrl+C does to a process that runs a world in its main thread."""
    taken: list[str] = []

    async def body(_world: RealWorld) -> None:
        asyncio.get_running_loop().call_soon(os.kill, os.getpid(), signal.SIGINT)
        try:
            await asyncio.sleep(600)
        except asyncio.CancelledError:
            await asyncio.sleep(0)
            taken.append("down")
            raise

    world = world_of()
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # it may be ignored here
    try:
        with pytest.raises(KeyboardInterrupt):
            run(world, body)
    finally:
        signal.signal(signal.SIGINT, before)
    assert taken == ["down"]


# ---------------------------------------------------------------- faults at the end


def test_what_is_on_at_the_end_is_taken_back() -> None:
    async def body(world: RealWorld) -> None:
        await world.inject(Fault("p", "popup"))
        await world.inject(Fault("w", "lose_window"))

    world = world_of()
    assert run(world, body) == RunEnd("finished")
    assert [event.op for event in world.trace.of("fault.undone")] == ["w", "p"]


def test_one_that_stays_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def stays(*_: object) -> Switch:
        return Switch(nothing, lambda: True, nothing, lambda: False)

    async def body(world: RealWorld) -> None:
        await world.inject(Fault("f", "sticky"))

    monkeypatch.setattr("windtunnel_real.world.fault_kinds", lambda _: {"sticky": stays})
    end = run(world_of(), body)
    assert end == RunEnd("error", "FaultError: the fault `f` (sticky) could not be undone")


def test_one_that_takes_for_ever_to_take_back_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    async def for_ever() -> None:
        await asyncio.sleep(600)

    async def body(world: RealWorld) -> None:
        await world.inject(Fault("f", "sticky"))

    monkeypatch.setattr("windtunnel_real.world.TAKE_DOWN_S", 0.1)
    monkeypatch.setattr(
        "windtunnel_real.world.fault_kinds",
        lambda _: {"sticky": lambda *_: Switch(nothing, lambda: True, for_ever, lambda: True)},
    )
    end = run(world_of(), body)
    assert (end.reason, end.message.partition(":")[0]) == ("error", "FaultError")


# ---------------------------------------------------------------- several at once


def test_two_worlds_run_side_by_side_in_one_process() -> None:
    ends: list[RunEnd] = []
    texts: list[str] = []

    def play(text: str) -> None:
        async def body(world: RealWorld) -> None:
            desktop = desktop_of(world)
            await desktop.click("session:张三")
            await desktop.click("input")
            await desktop.paste_text(text)
            await desktop.click("send")

        world = world_of()
        ends.append(run(world, body))
        texts.extend(event.details["text"] for event in world.trace.of("message.delivered"))

    threads = [threading.Thread(target=play, args=(text,)) for text in ("one", "two")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
    assert ends == [RunEnd("finished")] * 2
    assert sorted(texts) == ["one", "two"]

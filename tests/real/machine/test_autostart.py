"""Autostart: the simulation's own, move by move; and on a real loop."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from children_kit import SLEEP, Site, play, until
from windtunnel.machine.autostart_times import Hold
from windtunnel.ports import ProcessSpec
from windtunnel.spans import Span
from windtunnel.units import SECOND
from windtunnel.world import WorldSpec
from windtunnel_models.machine.autostart import Autostart as SimAutostart
from windtunnel_models.world import SimWorld
from windtunnel_real.machine.autostart import Autostart

WECHAT = ProcessSpec("wechat", ("wechat",))
SOON = Span.model_construct(min=SECOND // 50, max=SECOND // 20)
HOURS = Span.model_construct(min=3600 * SECOND, max=3600 * SECOND)
DEEDS = ("end", "start", "let go", "never", 1, 3, 9)
Make = Callable[[SimWorld, Callable[[], None]], Any]
Deeds = list[tuple[int, str | int]]


def lived(make: Make, deeds: Deeds) -> list[tuple[int, str]]:
    """Play the same deeds, (seconds after the last, what), and return what came of them."""
    told: list[tuple[int, str]] = []
    world = SimWorld(WorldSpec())

    def tell(what: str) -> None:
        told.append((round(world.loop.time() * SECOND), what))

    def back() -> None:
        tell("back")
        running.append(True)
        autostart.started()

    async def main() -> None:
        for number, (seconds, what) in enumerate(deeds):
            await asyncio.sleep(seconds + 0.25)  # never at the instant of a start
            if what == "end" and running:
                running.clear()
                autostart.ended()
            elif what == "start" and not running:
                running.append(True)
                autostart.started()
            elif what not in {"end", "start"}:
                autostart.hold(hold(what, lambda number=number: tell(f"felt {number}")))  # type: ignore[misc]
        await asyncio.sleep(100)

    def hold(what: str | int, felt: Callable[[], None]) -> Hold | None:
        if what == "let go":
            return None
        return Hold(None if what == "never" else int(what) * SECOND, felt)

    running = [True]
    autostart = make(world, back)
    assert world.run(main).reason == "finished"
    return told


@pytest.mark.spec("UI-F2")
@settings(max_examples=60)
@given(
    st.lists(st.tuples(st.integers(0, 6), st.sampled_from(DEEDS)), max_size=12),
    st.integers(0, 6),
    st.integers(0, 6),
    st.integers(0, 3),
    st.integers(0, 2**32),
)
def test_it_does_what_the_simulations_does(
    deeds: Deeds, low: int, more: int, start_up: int, seed: int
) -> None:
    after, up = Span.model_construct(min=low * SECOND, max=(low + more) * SECOND), start_up * SECOND

    def simulated(world: SimWorld, start: Callable[[], None]) -> SimAutostart:
        return SimAutostart(world.loop.env, after, up, Random(seed), start)

    def real(world: SimWorld, start: Callable[[], None]) -> Autostart:
        return Autostart(after, up, Random(seed), start)

    assert lived(real, deeds) == lived(simulated, deeds)


def wired(site: Site, after: Span | None) -> Autostart:
    """Return an autostart of a site's WeChat, told of its starts and ends."""

    async def back() -> None:
        await site.processes.launch(WECHAT)

    autostart = Autostart(after, 0, Random(1), back)
    site.children._on_start = lambda name, pid: autostart.started()
    site.children._on_end = lambda name, pid: autostart.ended()
    return autostart


def waits(autostart: Autostart) -> bool:
    return autostart._timer is not None


def came(site: Site, number: int) -> bool:
    return starts(site) == number


def starts(site: Site) -> int:
    return sum(kind == "started" for kind, _, _ in site.told)


@pytest.mark.spec("UI-F2")
def test_one_that_is_killed_comes_back_each_time_and_once() -> None:
    async def body(site: Site) -> None:
        autostart = wired(site, SOON)
        pid = await site.processes.start(WECHAT)
        for number in range(3):
            await site.processes.kill(pid)
            await until(partial(came, site, number + 2))
            (pid,) = await site.processes.find("wechat")
        assert (starts(site), waits(autostart)) == (4, False)
        autostart.close()

    ends = [event.time for event in play(body).trace.of("process.killed", "process.started")]
    gaps = [after - before for before, after in zip(ends[1::2], ends[2::2], strict=True)]
    assert all(gap >= SOON.min for gap in gaps)


def test_who_starts_it_first_starts_it_alone() -> None:
    async def body(site: Site) -> None:
        autostart = wired(site, HOURS)
        await site.processes.kill(await site.processes.start(WECHAT))
        assert waits(autostart)
        await site.processes.start(WECHAT)
        assert (starts(site), site.shown, waits(autostart)) == (2, [], False)
        autostart.close()

    play(body)


def test_without_a_span_nothing_comes_back_but_by_a_hold() -> None:
    async def body(site: Site) -> None:
        autostart = wired(site, None)
        await site.processes.kill(await site.processes.start(WECHAT))
        assert (starts(site), waits(autostart)) == (1, False)
        felt: list[int] = []
        autostart.hold(Hold(0, lambda: felt.append(1)))
        await until(lambda: starts(site) == 2)
        assert felt == [1]
        autostart.close()

    play(body)


def test_a_hold_that_is_let_go_counts_while_it_waits() -> None:
    async def body(site: Site) -> None:
        autostart = wired(site, SOON)
        hold = Hold(None, lambda: None)
        autostart.hold(hold)
        assert autostart.held is hold
        await site.processes.kill(await site.processes.start(WECHAT))
        assert (starts(site), waits(autostart)) == (1, False)
        autostart.hold(None)
        await until(lambda: starts(site) == 2)
        autostart.close()

    play(body)


def test_one_that_is_closed_brings_nothing_back() -> None:
    async def body(site: Site) -> None:
        autostart = wired(site, HOURS)
        await site.processes.kill(await site.processes.start(WECHAT))
        assert waits(autostart)
        autostart.close()
        autostart.close()
        assert (starts(site), waits(autostart)) == (1, False)

    play(body)


def test_a_start_under_way_is_broken_off_at_the_end() -> None:
    async def main() -> None:
        begun, told = asyncio.Event(), []

        async def start() -> None:
            begun.set()
            try:
                await asyncio.get_running_loop().create_future()
            finally:
                told.append("over")

        autostart = Autostart(SOON, 0, Random(1), start)
        autostart.ended()
        await begun.wait()
        autostart.close()
        await until(lambda: told)

    asyncio.run(main())


def test_what_changes_once_a_start_is_under_way_comes_too_late() -> None:
    async def main() -> None:
        begun: list[int] = []

        async def start() -> None:
            begun.append(1)
            await asyncio.get_running_loop().create_future()

        autostart = Autostart(SOON, 0, Random(1), start)
        autostart.ended()
        await until(lambda: begun)
        autostart.hold(Hold(0, lambda: begun.append(2)))
        assert not waits(autostart)
        assert begun == [1]
        autostart.close()

    asyncio.run(main())


def test_what_fails_is_told_to_the_loop() -> None:
    async def main() -> None:
        told: list[Any] = []
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(lambda loop, context: told.append(context))

        async def start() -> None:
            raise OSError("no luck")

        autostart = Autostart(SOON, 0, Random(1), start)
        autostart.ended()
        await until(lambda: told)
        assert [(each["message"], str(each["exception"])) for each in told] == [
            ("the autostart failed", "no luck")
        ]
        autostart.close()

    asyncio.run(main())


def test_nothing_is_waited_for_at_the_end_of_a_run() -> None:
    """It is a timer and no task: a run that is over is not kept from its end."""

    async def body(site: Site) -> None:
        wired(site, HOURS)
        site.children.start("wechat", SLEEP).signal(9)
        await until(lambda: len(site.told) == 2)
        assert asyncio.all_tasks() == {asyncio.current_task()}

    play(body)

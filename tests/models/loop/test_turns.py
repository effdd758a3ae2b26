"""Turns: every tie rule keeps what holds in FIFO, and reorders what nothing orders."""

# ruff: noqa: RUF006 - tasks that nobody holds are what these tests are about

from __future__ import annotations

import asyncio
import functools
import itertools
from collections.abc import Callable, Generator
from typing import Any

import pytest
import simpy
from hypothesis import given
from hypothesis import strategies as st

from windtunnel.world import Ties
from windtunnel_models import SimLoop
from windtunnel_models.errors import BusySpin, Deadlock

Process = Generator[simpy.Event, Any, Any]
Log = list[Any]
Steps = list[tuple[str, int]]
SECOND = 1_000_000_000

STEP = st.tuples(
    st.sampled_from(["sleep", "yield", "event", "soon", "later", "spawn", "process", "cancel"]),
    st.integers(0, 2),
)
JOB = st.tuples(st.sampled_from(["task", "process"]), st.lists(STEP, max_size=6))
PROGRAM = st.lists(JOB, min_size=1, max_size=6)


class World:
    """Runs a program of jobs that share a log; `ties` decide who goes first."""

    def __init__(self, ties: Ties) -> None:
        self.loop = SimLoop()
        self.loop.set_ties(ties)
        self.log: Log = []
        self._names = itertools.count()
        self._tasks: list[asyncio.Task[None]] = []
        self._gate: asyncio.Future[None] = self.loop.create_future()

    def run(self, program: list[tuple[str, Steps]]) -> Log:
        self.loop.run_until_complete(self._main(program))
        self.loop.run_until_complete(asyncio.sleep(10))
        self.loop.close()
        return self.log

    async def _main(self, program: list[tuple[str, Steps]]) -> None:
        for kind, steps in program:
            if kind == "task":
                self._tasks.append(asyncio.create_task(self._task(steps)))
            else:
                self.loop.env.process(self._process(steps))
        await asyncio.sleep(2)

    def note(self, *what: Any) -> None:
        self.log.append((self.loop.time_ns(), *what))

    async def _task(self, steps: Steps) -> None:
        name = next(self._names)
        try:
            for number, (do, delay) in enumerate(steps):
                self.note(name, number)
                if do == "sleep":
                    await asyncio.sleep(delay)
                elif do == "yield":
                    await asyncio.sleep(0)
                elif do == "event":
                    await self.loop.env.timeout(delay * SECOND)
                else:
                    self._side(do, delay, f"{name}.{number}")
        except asyncio.CancelledError:
            self.note(name, "cancelled")

    def _process(self, steps: Steps) -> Process:
        name = next(self._names)
        for number, (do, delay) in enumerate(steps):
            self.note(name, number)
            if do in ("sleep", "yield", "event"):
                yield self.loop.env.timeout(delay * SECOND)
            else:
                self._side(do, delay, f"{name}.{number}")

    def _side(self, do: str, delay: int, name: str) -> None:
        match do:
            case "soon":
                self.loop.call_soon(self.note, name)
            case "later":
                self.loop.call_later(delay, lambda: self.note(name))
            case "spawn":
                self._tasks.append(self.loop.create_task(self._task([("sleep", delay)])))
            case "process":
                self.loop.env.process(self._process([("sleep", delay), ("yield", 0)]))
            case "cancel" if self._tasks:
                self._tasks[delay % len(self._tasks)].cancel()


@given(PROGRAM, st.integers(0, 3))
def test_without_a_choice_the_order_is_that_of_the_fast_path(
    program: list[tuple[str, Steps]], zeros: int
) -> None:
    expected = World(Ties()).run(program)
    assert World(Ties("fifo", 0, (0,) * zeros or (0,))).run(program) == expected


@given(PROGRAM, st.sampled_from(["lifo", "seeded"]), st.integers(0, 99))
def test_what_was_chosen_replays_the_run(
    program: list[tuple[str, Steps]], order: Any, seed: int
) -> None:
    first = World(Ties(order, seed))
    log = first.run(program)
    again = World(Ties("fifo", 0, first.loop.choices))
    assert again.run(program) == log
    assert again.loop.choices[: len(first.loop.choices)] == first.loop.choices


@given(PROGRAM, st.integers(0, 99))
def test_under_every_rule_each_job_takes_its_own_steps_in_order(
    program: list[tuple[str, Steps]], seed: int
) -> None:
    log = World(Ties("seeded", seed)).run(program)
    for _, group in itertools.groupby(sorted(log, key=_job), key=_job):
        numbers = [entry[2] for entry in group if isinstance(entry[-1], int) and len(entry) == 3]
        assert numbers == sorted(numbers)
    assert [entry[0] for entry in log] == sorted(entry[0] for entry in log)


def _job(entry: Any) -> Any:
    return str(entry[1]).partition(".")[0] if len(entry) > 2 else f"side {entry[1]}"


def outcomes(program: Callable[[SimLoop, Log], Any], seeds: int = 60) -> set[tuple[Any, ...]]:
    """Run a program under so many seeds; return what the logs were."""
    found = set()
    for seed in range(seeds):
        loop = SimLoop()
        log: Log = []
        loop.set_ties(Ties("seeded", seed))
        loop.run_until_complete(program(loop, log))
        loop.close()
        found.add(tuple(log))
    return found


def test_every_order_of_sleepers_is_found() -> None:
    async def program(_: SimLoop, log: Log) -> None:
        async def sleeper(name: str) -> None:
            await asyncio.sleep(1)
            log.append(name)

        await asyncio.gather(*map(sleeper, "abc"))

    assert outcomes(program) == set(itertools.permutations("abc"))


def test_a_lane_may_get_steps_ahead_of_another() -> None:
    """Batches keep all in step; a check and its act some steps later part only without them."""

    async def program(_: SimLoop, log: Log) -> None:
        shared = {"value": 0}

        async def add() -> None:
            value = shared["value"]
            for _ in range(2):
                await asyncio.sleep(0)
            shared["value"] = value + 1

        await asyncio.gather(add(), add())
        log.append(shared["value"])

    assert outcomes(program) == {(1,), (2,)}


def test_a_time_out_and_what_it_waits_for_tie() -> None:
    async def program(loop: SimLoop, log: Log) -> None:
        async def work() -> str:
            await asyncio.sleep(1)
            return "done"

        try:
            async with asyncio.timeout(1):
                log.append(await asyncio.create_task(work()))
        except TimeoutError:
            log.append("timed out")

    assert outcomes(program) == {("done",), ("timed out",)}


def test_callbacks_of_one_object_keep_their_order_and_those_of_two_do_not() -> None:
    class Player:
        def __init__(self, log: Log) -> None:
            self.log = log

        def play(self, name: str) -> None:
            self.log.append(name)

    async def program(loop: SimLoop, log: Log) -> None:
        one, other = Player(log), Player(log)
        loop.call_later(1, one.play, "a1")
        loop.call_later(1, other.play, "b1")
        loop.call_later(1, one.play, "a2")

        def last(_: object) -> None:
            loop.call_soon(one.play, "a3")

        loop.env.timeout(SECOND).callbacks.append(last)
        await asyncio.sleep(2)

    orders = {tuple(name for name in order if name[0] == "a") for order in outcomes(program)}
    assert orders == {("a1", "a2", "a3")}
    places = {order.index("b1") for order in outcomes(program)}
    assert places == {0, 1, 2, 3}


def test_lifo_turns_each_batch_around() -> None:
    loop = SimLoop()
    log: Log = []
    loop.set_ties(Ties("lifo"))

    async def sleeper(name: str) -> None:
        await asyncio.sleep(1)
        log.append(name)

    async def main() -> None:
        for name in "abc":
            asyncio.create_task(sleeper(name))
        loop.call_later(1, lambda: log.append("timer"))
        await asyncio.sleep(2)

    loop.run_until_complete(main())
    loop.close()
    assert log == ["a", "b", "c", "timer"]  # the tasks began in the order c, b, a, after the timer


@pytest.mark.parametrize("order", ["fifo", "lifo", "seeded"])
def test_a_task_that_polls_starves_nobody(order: Any) -> None:
    loop = SimLoop()
    loop.busy_limit = 10_000
    loop.set_ties(Ties(order, 3, (1, 0)))

    async def main() -> int:
        flag: list[int] = []
        turns = 0

        async def set_flag() -> None:
            await asyncio.sleep(0)
            flag.append(1)

        asyncio.create_task(set_flag())
        while not flag:
            await asyncio.sleep(0)
            turns += 1
        return turns

    assert loop.run_until_complete(main()) < 100
    loop.close()


def test_nothing_is_asked_while_one_lane_is_ready() -> None:
    loop = SimLoop()
    loop.set_ties(Ties("seeded", 1))

    async def main() -> None:
        for _ in range(50):
            await asyncio.sleep(1)
            await asyncio.sleep(0)
            await loop.env.timeout(1)

    loop.run_until_complete(main())
    loop.close()
    assert loop.choices == ()


def test_without_a_rule_nothing_is_attached() -> None:
    loop = SimLoop()
    loop.set_ties(Ties("lifo"))
    loop.set_ties(Ties("fifo", 5))
    assert loop.turns is None
    assert loop.choices == ()
    loop.close()


def test_a_rule_cannot_be_changed_while_the_loop_runs() -> None:
    loop = SimLoop()

    async def main() -> None:
        with pytest.raises(RuntimeError, match="already running"):
            loop.set_ties(Ties("lifo"))

    loop.run_until_complete(main())
    loop.close()


def test_a_deadlock_is_found() -> None:
    loop = SimLoop()
    loop.set_ties(Ties("lifo"))
    with pytest.raises(Deadlock, match=r"at 0\.0 s"):
        loop.run_until_complete(asyncio.wait_for(loop.create_future(), None))
    loop.cancel_leftovers()
    loop.close()


def test_a_spin_is_found_and_named() -> None:
    loop = SimLoop()
    loop.set_ties(Ties("seeded", 1))
    loop.busy_limit = 1000

    async def spin() -> None:
        while True:  # noqa: ASYNC110 - a spin is what is tested
            await asyncio.sleep(0)

    async def main() -> None:
        asyncio.create_task(spin(), name="spinner")

        def turnstile() -> Process:
            while True:
                yield loop.env.timeout(0)

        loop.env.process(turnstile())
        await asyncio.sleep(1)

    with pytest.raises(BusySpin, match=r"(?s)(?=.*task 'spinner')(?=.*SimPy process 'turnstile')"):
        loop.run_until_complete(main())
    loop.cancel_leftovers()


def test_what_is_left_when_the_loop_stops_is_done_when_it_runs_again() -> None:
    loop = SimLoop()
    log: Log = []
    loop.set_ties(Ties("lifo"))

    def begin(name: str) -> None:
        log.append(name)
        loop.call_soon(log.append, name * 2)

    for name in "abc":
        loop.call_soon(functools.partial(begin, name))
    loop.env.timeout(0).callbacks.append(lambda _: loop.env.timeout(0).callbacks.append(note))

    def note(_: object) -> None:
        log.append("event")

    loop.call_soon(loop.stop)
    loop.run_forever()
    assert log == ["c", "b", "a"]
    assert len(loop.ready) == 3
    loop.run_forever()
    loop.close()
    assert sorted(log[3:]) == ["aa", "bb", "cc", "event"]


def test_a_loop_is_exhausted_only_without_what_was_taken_in() -> None:
    loop = SimLoop()
    loop.set_ties(Ties("lifo"))
    seen = []

    def look() -> None:
        seen.append(loop.is_exhausted())

    for _ in range(2):
        loop.call_later(1, functools.partial(look))
    loop.run_forever()
    loop.close()
    assert seen == [False, True]

"""Simulation: a coroutine's result and errors are its caller's; what never ends is told."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windtunnel.errors import UnitError
from windtunnel.pytest_plugin.simulation import SimulationError, simulate, spec_of
from windtunnel.world import World, WorldSpec


def spec(**fields: Any) -> WorldSpec:
    plain = {"seed": 0, "deadline": "1h", "wall": "60s", "given": None, "system": "ui"}
    return spec_of(**{**plain, **fields})


@given(st.integers(0, 3_000_000))
def test_time_is_simulated_and_the_result_is_returned(milliseconds: int) -> None:
    async def main() -> float:
        await asyncio.sleep(milliseconds / 1000)
        return asyncio.get_running_loop().time()

    assert simulate(main(), spec()) == milliseconds / 1000


def test_what_it_raises_is_raised_with_its_place() -> None:
    async def main() -> None:
        await asyncio.sleep(1)
        raise ZeroDivisionError("mine")

    with pytest.raises(ZeroDivisionError, match="mine") as caught:
        simulate(main(), spec())
    assert caught.traceback[-1].name == "main"


@pytest.mark.parametrize("outcome", [pytest.fail, pytest.skip])
def test_a_test_may_fail_or_skip_in_it(outcome: Any) -> None:
    async def main() -> None:
        outcome("so it is")

    with pytest.raises(outcome.Exception, match="so it is"):
        simulate(main(), spec())


def test_a_deadline_of_simulated_time() -> None:
    async def main(seconds: float) -> str:
        await asyncio.sleep(seconds)
        return "there"

    assert simulate(main(9.9), spec(deadline="10s")) == "there"
    with pytest.raises(
        SimulationError, match="limit: the limit of 10s of simulated time"
    ) as caught:
        simulate(main(10.1), spec(deadline="10s"))
    assert caught.value.reason == "limit"


def test_its_own_time_out_is_no_deadline() -> None:
    async def main() -> None:
        async with asyncio.timeout(1):
            await asyncio.sleep(2)

    with pytest.raises(TimeoutError):
        simulate(main(), spec(deadline="10s"))


def test_a_deadlock_says_who_waits() -> None:
    async def waits_for_ever() -> None:
        await asyncio.Event().wait()

    with pytest.raises(SimulationError, match="waits_for_ever") as caught:
        simulate(waits_for_ever(), spec())
    assert caught.value.reason == "deadlock"


def test_real_time_is_bounded_too() -> None:
    async def spins() -> None:
        while True:
            pass

    with pytest.raises(SimulationError, match=r"in test_real_time_is_bounded_too\.<locals>\.spins"):
        simulate(spins(), spec(wall="200ms"))


def test_a_failure_in_the_background_is_not_lost() -> None:
    async def fails() -> None:
        raise ZeroDivisionError("behind the scenes")

    async def main() -> None:
        task = asyncio.create_task(fails())
        await asyncio.sleep(1)
        del task

    with pytest.raises(SimulationError, match="behind the scenes") as caught:
        simulate(main(), spec())
    assert caught.value.reason == "error"


def test_a_function_gets_the_world_and_equal_seeds_give_equal_ones() -> None:
    async def main(world: World) -> tuple[int, Any]:
        world.trace.record("process.killed", resource="wechat")
        return len(world.trace), asyncio.get_running_loop()

    length, loop = simulate(main, spec(seed=4))
    assert (length, loop.seed) == (1, 4)


def test_what_is_no_coroutine_is_refused() -> None:
    with pytest.raises(TypeError, match="a coroutine, or a function of the world"):
        simulate(lambda _world: 3, spec())  # type: ignore[arg-type,return-value]


@pytest.mark.parametrize("field", ["deadline", "wall"])
def test_a_limit_needs_a_unit(field: str) -> None:
    with pytest.raises(UnitError, match="'10' is not a duration"):
        spec(**{field: "10"})


def test_given_is_read_as_a_scenario_says_it() -> None:
    from pydantic import ValidationError

    assert spec(given={"actions": {"send_text": {"duration": "1s"}}}).given
    with pytest.raises(ValidationError, match="no_such_thing"):
        spec(given={"no_such_thing": 1})

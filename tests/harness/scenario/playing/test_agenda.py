"""The agenda: what comes first at one instant, whatever the order in which it was planned."""

from __future__ import annotations

import asyncio
import functools
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from windtunnel.scenario.playing.agenda import Agenda, Rank
from windtunnel.world import Ties
from windtunnel_models.loop.sim_loop import SimLoop

SECOND = 1_000_000_000
PLAN = st.tuples(st.integers(0, 3), st.sampled_from(Rank), st.integers(0, 3), st.integers(0, 2))
TIES = st.builds(Ties, st.sampled_from(["fifo", "lifo", "seeded"]), st.integers(0, 99), st.just(()))


def run(main: Any, ties: Ties = Ties()) -> Any:  # noqa: B008 - frozen
    loop = SimLoop()
    loop.set_ties(ties)
    try:
        return loop.run_until_complete(main())
    finally:
        loop.close()


@given(st.lists(PLAN, max_size=12), TIES)
def test_the_order_is_by_instant_rank_and_place_under_every_tie_rule(
    plans: list[Any], ties: Ties
) -> None:
    async def main() -> list[Any]:
        agenda = Agenda()
        played: list[Any] = []
        others = [asyncio.create_task(asyncio.sleep(second)) for second in range(4)]
        for plan in plans:
            instant, rank, place, number = plan
            play = functools.partial(played.append, plan)
            agenda.add(instant * SECOND, rank, place, number, play)
        await asyncio.gather(*others)
        await asyncio.sleep(1)
        return played

    assert run(main, ties) == sorted(plans)


def test_what_is_planned_for_now_is_not_done_in_this_step() -> None:
    async def main() -> list[str]:
        agenda, log = Agenda(), []
        agenda.add(0, Rank.SUBMIT, 0, 0, lambda: log.append("planned"))
        agenda.add(-5, Rank.SUBMIT, 0, 0, lambda: log.append("late"))
        log.append("this step")
        await asyncio.sleep(1)
        return log

    assert run(main) == ["this step", "late", "planned"]


def test_what_is_added_to_an_instant_stands_in_its_place() -> None:
    async def main() -> list[str]:
        agenda, log = Agenda(), []
        agenda.add(2 * SECOND, Rank.SUBMIT, 0, 0, lambda: log.append("submission"))

        def add_fault() -> None:
            agenda.add(2 * SECOND, Rank.INJECT, 9, 0, lambda: log.append("fault"))

        agenda.add(SECOND, Rank.SUBMIT, 1, 0, add_fault)
        await asyncio.sleep(3)
        return log

    assert run(main) == ["fault", "submission"]


def test_a_block_holds_back_the_rest_until_it_is_done() -> None:
    async def main() -> list[Any]:
        loop = asyncio.get_running_loop()
        agenda, log = Agenda(), []
        slow: asyncio.Future[None] = loop.create_future()
        done: asyncio.Future[None] = loop.create_future()
        done.set_result(None)
        agenda.add(0, Rank.INJECT, 0, 0, lambda: agenda.block(done))
        agenda.add(0, Rank.INJECT, 1, 0, lambda: agenda.block(slow))
        agenda.add(0, Rank.SUBMIT, 0, 0, lambda: log.append(("now", loop.time())))
        agenda.add(SECOND, Rank.SUBMIT, 0, 0, lambda: log.append(("next", loop.time())))
        agenda.add(3 * SECOND, Rank.SUBMIT, 0, 0, lambda: log.append(("last", loop.time())))
        loop.call_later(2, slow.set_result, None)
        await asyncio.sleep(4)
        return log

    assert run(main) == [("now", 2.0), ("next", 2.0), ("last", 3.0)]


def test_an_end_comes_after_what_is_due_and_is_not_held_up() -> None:
    async def main() -> list[str]:
        loop = asyncio.get_running_loop()
        agenda, log = Agenda(), []
        agenda.add_end(SECOND, lambda: log.append("end"))
        agenda.add(SECOND, Rank.SUBMIT, 0, 0, lambda: log.append("due"))
        never = loop.create_future()
        agenda.add(SECOND, Rank.SUBMIT, 1, 0, lambda: agenda.block(never))
        agenda.add(SECOND, Rank.SUBMIT, 2, 0, lambda: log.append("held up"))
        await asyncio.sleep(2)
        never.cancel()
        agenda.close()
        await asyncio.sleep(1)
        return log

    assert run(main) == ["due", "end"]


def test_nothing_is_played_after_the_close() -> None:
    async def main() -> list[str]:
        agenda, log = Agenda(), []
        agenda.add(0, Rank.SUBMIT, 0, 0, lambda: log.append("now"))
        agenda.add(SECOND, Rank.SUBMIT, 0, 0, lambda: log.append("later"))
        agenda.add_end(SECOND, lambda: log.append("end"))
        agenda.close()
        agenda.add(0, Rank.SUBMIT, 0, 0, lambda: log.append("added since"))
        await asyncio.sleep(2)
        return log

    assert run(main) == []


def test_instants_count_from_when_it_was_made() -> None:
    async def main() -> Any:
        loop = asyncio.get_running_loop()
        await asyncio.sleep(5)
        agenda, log = Agenda(), []
        agenda.add(SECOND, Rank.SUBMIT, 0, 0, lambda: log.append((agenda.now(), loop.time())))
        await asyncio.sleep(2)
        return log

    assert run(main) == [(SECOND, 6.0)]

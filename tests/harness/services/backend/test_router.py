"""Router: what may go where, by all that has a say in it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from path_kit import Healthy
from windtunnel.policies.router.breaker import Breaker
from windtunnel.policies.router.reservation import CapacityBook
from windtunnel.policies.router.router_options import RouterOptions
from windtunnel.services.backend.accounts import Accounts
from windtunnel.services.backend.entry import new_entry
from windtunnel.services.backend.inside_breaker import InsideBreaker
from windtunnel.services.backend.outside_slots import OutsideSlots
from windtunnel.services.backend.router import Capacity, Decision, Router
from windtunnel.services.backend.settings import BackendSettings
from windtunnel.services.backend.waiting_queue import WaitingQueue
from windtunnel.services.clock import now_ns
from windtunnel.services.note import ignore
from windtunnel.services.wire.task import Task
from windtunnel_models import run as run_simulated

Run = Callable[[Coroutine[Any, Any, None]], None]


class Desk:
    """A router with its accounts, and a queue."""

    def __init__(self, online: int = 4, external: int = 2, **settings: Any) -> None:
        self.options = RouterOptions(**settings.pop("options", {}))
        self.settings = BackendSettings(external_capacity=external, **settings)
        book = CapacityBook(self.options, self.settings.internal_capacity, external)
        book.report(online, 0, 1)
        self.breaker = InsideBreaker(Breaker(self.options, 1), ignore)
        self.degradation = Healthy()
        self.accounts = Accounts(book, OutsideSlots(book), self.breaker, self.degradation)
        self.router = Router(self.settings, self.options, self.accounts)
        self.waiting = WaitingQueue(routing=self.settings.enabled)
        self._number = 0

    def wait(self, count: int, platform: str = "runninghub", *, external: bool = False) -> None:
        for _ in range(count):
            self._number += 1
            entry = new_entry(self._number, Task(f"t.{self._number}", {}, platform))
            entry.external = external
            self.waiting.add(entry)

    def decide(self, probing: int = 0) -> Decision:
        return self.router.decide(self.waiting, probing)


def numbers(entries: Any) -> list[int]:
    return [entry.number for entry in entries]


@pytest.mark.spec("RT-S1", "RT-S5")
def test_the_split_of_a_batch(run: Run) -> None:
    async def main() -> None:
        desk = Desk()
        desk.wait(8)
        made = desk.decide()
        assert (numbers(made.inside), numbers(made.outside)) == ([1, 2, 3, 4], [5, 6])
        assert (made.routed, made.capacity, made.moves) == (8, Capacity(4, 2), True)
        assert len(desk.waiting) == 8, "to decide is not to take"

    run(main())


@pytest.mark.spec("RT-S5")
def test_one_task_is_a_batch(run: Run) -> None:
    async def main() -> None:
        desk = Desk()
        assert not desk.decide().moves
        desk.wait(1)
        assert numbers(desk.decide().inside) == [1]

    run(main())


@pytest.mark.spec("RT-H6")
def test_what_fell_back_goes_outside_first_and_never_inside(run: Run) -> None:
    async def main() -> None:
        desk = Desk(online=2)
        desk.wait(3)
        desk.wait(1, external=True)
        made = desk.decide()
        assert (numbers(made.fallen_back), numbers(made.inside)) == ([4], [1, 2])
        assert numbers(made.outside) == [3]
        assert (made.routed, made.capacity) == (3, Capacity(2, 1)), "of what is routed"

    run(main())


@pytest.mark.spec("RT-S6")
def test_other_platforms_go_at_once_whatever_ours_have(run: Run) -> None:
    async def main() -> None:
        desk = Desk(online=0, external=0)
        desk.wait(2)
        desk.wait(5, "elsewhere")
        made = desk.decide()
        assert numbers(made.direct) == [3, 4, 5, 6, 7]
        assert not made.inside
        assert not made.outside
        desk.accounts.outside.refused(now_ns())
        assert numbers(desk.decide().direct) == [3, 4, 5, 6, 7]
        desk.accounts.direct.refused(now_ns())
        assert not desk.decide().direct

    run(main())


@pytest.mark.spec("RT-S6")
def test_while_the_feature_is_off_all_go_outside(run: Run) -> None:
    async def main() -> None:
        desk = Desk(enabled=False)
        desk.wait(5)
        made = desk.decide()
        assert numbers(made.fallen_back) == [1, 2]
        assert (made.inside, made.outside, made.routed) == ([], [], 0)

    run(main())


@pytest.mark.spec("RT-H3", "RT-B1")
def test_while_degraded_the_inside_has_no_room(run: Run) -> None:
    async def main() -> None:
        desk = Desk()
        desk.wait(3)
        desk.degradation.degraded = True
        made = desk.decide()
        assert (numbers(made.inside), numbers(made.outside)) == ([], [1, 2])
        assert made.capacity == Capacity(0, 2)
        assert desk.router.degraded

    run(main())


@pytest.mark.spec("RT-X1")
def test_the_breaker_closes_the_inside(run: Run) -> None:
    async def main() -> None:
        desk = Desk()
        desk.wait(9)
        ticket = desk.breaker.allow()
        assert ticket is not None
        desk.breaker.failure(ticket)
        assert desk.router.capacity(0).inside == 0
        await asyncio.sleep(31)
        assert numbers(desk.decide().inside) == [1], "one probe"
        assert numbers(desk.decide(probing=1).inside) == []

    run(main())


@pytest.mark.spec("F-R14")
def test_as_listed_a_half_open_breaker_lets_all_through(run: Run) -> None:
    async def main() -> None:
        desk = Desk(options={"half_open": "all"})
        desk.wait(9)
        ticket = desk.breaker.allow()
        assert ticket is not None
        desk.breaker.failure(ticket)
        await asyncio.sleep(31)
        assert numbers(desk.decide(probing=3).inside) == [1, 2, 3, 4]

    run(main())


def test_a_side_that_is_paused_has_no_room(run: Run) -> None:
    async def main() -> None:
        desk = Desk()
        desk.accounts.outside.refused(now_ns())
        assert desk.router.capacity(0) == Capacity(4, 0)
        desk.accounts.inside.refused(now_ns())
        assert desk.router.capacity(0) == Capacity(0, 0)
        await asyncio.sleep(1)
        assert desk.router.capacity(0) == Capacity(4, 2)

    run(main())


@pytest.mark.spec("RT-G1")
def test_the_outside_may_come_first(run: Run) -> None:
    async def main() -> None:
        desk = Desk(priority=False)
        desk.wait(4)
        made = desk.decide()
        assert (numbers(made.outside), numbers(made.inside)) == ([1, 2], [3, 4])

    run(main())


@pytest.mark.spec("RT-S3", "RT-S5")
@given(
    online=st.integers(0, 6),
    external=st.integers(0, 6),
    routed=st.integers(0, 12),
    fallen=st.integers(0, 6),
    batch=st.integers(1, 12),
)
def test_nothing_waits_while_there_is_room(
    online: int, external: int, routed: int, fallen: int, batch: int
) -> None:
    async def main() -> None:
        desk = Desk(online, external, batch=batch)
        desk.wait(routed)
        desk.wait(fallen, external=True)
        made = desk.decide()
        inside, outside = len(made.inside), len(made.outside)
        assert numbers(made.inside) + numbers(made.outside) == list(range(1, inside + outside + 1))
        assert len(made.fallen_back) == min(fallen, external, batch)
        assert inside == min(routed, online, batch)
        room = external - len(made.fallen_back)
        assert outside == min(min(routed, batch) - inside, room)
        assert made.routed == min(routed, batch)

    run_simulated(main())

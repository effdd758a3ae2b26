"""Results: of any number of results of a task, from wherever and whenever, the first counts."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from path_kit import Healthy, Shelf
from windtunnel.policies.router.breaker import Breaker
from windtunnel.policies.router.reservation import CapacityBook
from windtunnel.policies.router.router_options import RouterOptions
from windtunnel.services.backend.accounts import Accounts
from windtunnel.services.backend.answer import Answer
from windtunnel.services.backend.inside_breaker import InsideBreaker
from windtunnel.services.backend.ledger import Ledger
from windtunnel.services.backend.outside_slots import OutsideSlots
from windtunnel.services.backend.results import ENDS, Results
from windtunnel.services.clock import now_ns
from windtunnel.services.note import ignore
from windtunnel.services.wire.task import Task
from windtunnel_models import run as run_simulated


class Desk:
    """Results over a ledger; `notes` and `changes` count."""

    def __init__(self) -> None:
        book = CapacityBook(RouterOptions())
        breaker = InsideBreaker(Breaker(RouterOptions()), ignore)
        self.accounts = Accounts(book, OutsideSlots(book), breaker, Healthy())
        self.ledger = Ledger(Shelf().handle, lambda error: None, routing=True)
        self.notes: list[Any] = []
        self.changes = 0
        self.results = Results(
            self.ledger, self.accounts, lambda *note: self.notes.append(note), self._change
        )

    def _change(self) -> None:
        self.changes += 1


@pytest.mark.spec("RT-C3", "F-R17", "F-R6")
@given(st.lists(st.tuples(st.sampled_from("ab"), st.sampled_from(sorted(map(str, ENDS))))))
def test_one_result_for_each_task(said: list[tuple[str, str]]) -> None:
    async def main() -> None:
        desk = Desk()
        for id_ in "ab":
            desk.ledger.add(Task(id_))
        first: dict[str, str] = {}
        for id_, status in said:
            taken = desk.results.take(id_, f"md-{id_}", status, status, None)
            assert taken == (id_ not in first)
            first.setdefault(id_, status)
        told = {id_: answer.result for id_, answer in desk.ledger.untold.items()}
        assert told == first
        assert len(desk.notes) == len(said) - len(first)

    run_simulated(main())


@pytest.mark.spec("F-R10")
def test_only_the_platforms_own_result_ends_its_slot() -> None:
    async def main() -> None:
        desk = Desk()
        desk.ledger.add(Task("t"))
        desk.accounts.slots.begin("t")
        desk.accounts.outside.refused(now_ns())
        desk.results.take("t", "md-t", "SUCCESS", 1, None)
        assert len(desk.accounts.slots) == 1, "not known outside yet, and yet not that"
        desk.accounts.slots.known("t", "external-9")
        desk.results.take("t", "external-8", "SUCCESS", 1, None)
        assert len(desk.accounts.slots) == 1
        assert desk.accounts.outside.on(now_ns())
        desk.results.take("t", "external-9", "SUCCESS", 1, None)
        assert len(desk.accounts.slots) == 0
        assert not desk.accounts.outside.on(now_ns()), "there is room"

    run_simulated(main())


def test_a_change_is_told_once_it_is_stored() -> None:
    async def main() -> None:
        desk = Desk()
        desk.ledger.add(Task("t"))
        assert desk.results.end(Answer("t", "done"))
        assert not desk.results.end(Answer("t", "done"))
        assert desk.changes == 0
        kept = asyncio.ensure_future(desk.results.keep())
        await asyncio.sleep(0)
        assert desk.changes == 0
        assert await kept
        assert desk.changes == 1

    run_simulated(main())


def test_why_a_result_is_ignored() -> None:
    async def main() -> None:
        desk = Desk()
        desk.ledger.add(Task("t"))
        for id_ in ("t", "t", "u"):
            desk.results.take(id_, "", "FAILED", None, "no luck")
        assert desk.notes == [
            ("result.ignored", "t", {"party": "backend", "why": "repeated"}),
            ("result.ignored", "u", {"party": "backend", "why": "late"}),
        ]
        assert desk.ledger.untold["t"].error == "no luck"

    run_simulated(main())

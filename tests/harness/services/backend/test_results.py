"""Results: of any number of results of a task, from wherever and whenever, the first counts."""

from __future__ import annotations

import asyncio
import math
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
from windtunnel.services.backend.results import BAD_RESULT, ENDS, Results
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


@pytest.mark.spec("RT-X2")
@pytest.mark.parametrize("result", [math.nan, [math.inf], {1, 2}, object()])
def test_a_result_that_is_no_json_is_a_failure_and_holds_up_nothing(result: Any) -> None:
    async def main() -> None:
        desk = Desk()
        desk.ledger.add(Task("t"))
        desk.ledger.add(Task("u"))
        assert desk.results.take("t", "md-t", "SUCCESS", result, None)
        assert desk.ledger.untold["t"] == Answer("t", "failed", error=BAD_RESULT)
        assert desk.results.take("u", "md-u", "FAILED", result, "no luck")
        assert desk.ledger.untold["u"] == Answer("u", "failed", error="no luck")
        assert await desk.results.keep()

    run_simulated(main())


AT_SIDES = st.sampled_from(["waiting", "sending", "taken", "in doubt"])


@pytest.mark.spec("RT-C3", "RT-H6")
@given(
    AT_SIDES,
    st.sampled_from(["internal", "external"]),
    st.sampled_from(["md-t", "e-1", "e-2"]),
    st.sampled_from(sorted(map(str, ENDS))),
)
def test_a_failure_counts_of_the_platform_that_has_the_task_alone(
    where: str, side: Any, request: str, status: str
) -> None:
    async def main() -> None:
        desk = Desk()
        entry = desk.ledger.add(Task("t"))
        assert entry is not None
        own = {"internal": "md-t", "external": "e-1"}[side]
        if where != "waiting":
            entry.side = side
            desk.ledger.move(entry, "waiting", "sending")
        if where in ("taken", "in doubt"):
            entry.request = own if where == "taken" or side == "internal" else ""
            desk.ledger.move(entry, "sending", "inside" if side == "internal" else "outside")
        of_side = "internal" if request == "md-t" else "external"
        counts = {
            "waiting": True,
            "sending": of_side == side,
            "taken": request == own,
            "in doubt": of_side == side,
        }[where]
        assert desk.results.take("t", request, status, 1, None) == (counts or status == "SUCCESS")
        assert len(desk.notes) == (not counts and status != "SUCCESS")

    run_simulated(main())

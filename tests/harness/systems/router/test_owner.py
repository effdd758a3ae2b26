"""The owner: hands tasks over until they are stored, is told once, and looks at the result."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from windtunnel.canonical import check_event
from windtunnel.ports.store import StoreError
from windtunnel.services.backend.answer import Answer
from windtunnel.services.wire.task import OWN_ID, Task, result_of
from windtunnel.systems.router.owner import AGAIN_S, STORED_S, Owner
from windtunnel.systems.router.submits import task_of
from windtunnel.trace import Trace
from windtunnel_models.loop.sim_loop import SimLoop


class Backend:
    """A backend that stores what it is given, unless told to do otherwise."""

    def __init__(self, *answers: str) -> None:
        self.answers = list(answers)
        self.stored: list[str] = []
        self.times: list[float] = []

    async def submit(self, task: Task) -> None:
        self.times.append(asyncio.get_running_loop().time())
        match self.answers.pop(0) if self.answers else "":
            case "down":
                raise StoreError("down")
            case "hangs":
                await asyncio.get_running_loop().create_future()
            case _:
                self.stored.append(task.id)


def right(id_: str) -> str:
    return result_of({**task_of(id_, None).body, OWN_ID: id_})


def told(trace: Trace, *kinds: str) -> list[tuple[str, str, str, Any]]:
    for event in trace:
        check_event(event)
    return [
        (event.kind, event.op, event.outcome, event.details.get("code"))
        for event in trace
        if event.kind in kinds
    ]


def play(main: Any) -> Trace:
    loop = SimLoop()
    trace = Trace(loop.time_ns)
    with asyncio.Runner(loop_factory=lambda: loop) as runner:
        runner.run(main(Owner(trace)))
    return trace


async def handing(owner: Owner, backend: Backend, seconds: float) -> None:
    """Let one life of a backend take what there is, for so long."""
    task = asyncio.create_task(owner.hand_over(backend))
    await asyncio.sleep(seconds)
    task.cancel()


def test_tasks_are_handed_over_in_order_those_of_later_too() -> None:
    backend = Backend()

    async def main(owner: Owner) -> None:
        for id_ in "ab":
            owner.submit(task_of(id_, None))
        handed = asyncio.create_task(handing(owner, backend, 10))
        await asyncio.sleep(2)
        owner.submit(task_of("c", None))
        await handed

    trace = play(main)
    assert (backend.stored, backend.times) == (["a", "b", "c"], [0, 0, 2])
    assert [event[1] for event in told(trace, "action.submitted")] == ["a", "b", "c"]


def test_what_could_not_be_stored_is_handed_over_again_and_keeps_its_place() -> None:
    backend = Backend("down", "hangs")

    async def main(owner: Owner) -> None:
        for id_ in "ab":
            owner.submit(task_of(id_, None))
        await handing(owner, backend, 200)

    play(main)
    assert backend.stored == ["a", "b"]
    again = AGAIN_S + STORED_S + AGAIN_S
    assert backend.times == [0, AGAIN_S, again, again]


def test_a_new_life_is_given_what_the_old_one_did_not_store() -> None:
    old, new = Backend("", "hangs"), Backend()

    async def main(owner: Owner) -> None:
        for id_ in "abc":
            owner.submit(task_of(id_, None))
        await handing(owner, old, 5)
        await handing(owner, new, 5)

    play(main)
    assert (old.stored, new.stored) == (["a"], ["b", "c"])


def test_an_operation_is_over_when_it_has_settled_and_they_were_told() -> None:
    async def main(owner: Owner) -> None:
        first, second = (owner.submit(task_of(id_, None)) for id_ in "ab")
        owner.settle("a", "done")
        owner.tell(Answer("b", "done", right("b")))
        assert (first.done(), second.done()) == (False, False)
        owner.tell(Answer("a", "done", right("a")))
        owner.settle("b", "done")
        assert (first.done(), second.done()) == (True, True)

    trace = play(main)
    assert told(trace, "action.settled", "caller.settled") == [
        ("action.settled", "a", "done", None),
        ("caller.settled", "b", "done", None),
        ("caller.settled", "a", "done", None),
        ("action.settled", "b", "done", None),
    ]


@pytest.mark.spec("RT-P4")
@pytest.mark.parametrize("result", [None, "", "image of b by w", right("b") + " "])
def test_a_wrong_result_is_a_failure(result: str | None) -> None:
    async def main(owner: Owner) -> None:
        owner.submit(task_of("a", None))
        owner.tell(Answer("a", "done", result))

    trace = play(main)
    assert told(trace, "caller.settled") == [("caller.settled", "a", "failed", "WRONG_RESULT")]


@pytest.mark.parametrize(
    ("answer", "outcome", "code"),
    [
        (Answer("a", "failed", error="WRONG_FORM"), "failed", "WRONG_FORM"),
        (Answer("a", "failed"), "failed", None),
        (Answer("a", "expired", error="EXPIRED"), "expired", "EXPIRED"),
    ],
)
def test_what_did_not_work_is_told_with_its_code(
    answer: Answer, outcome: str, code: str | None
) -> None:
    async def main(owner: Owner) -> None:
        owner.submit(task_of("a", None))
        owner.tell(answer)

    assert told(play(main), "caller.settled") == [("caller.settled", "a", outcome, code)]


def test_they_are_told_once_and_know_what_they_are_told_again() -> None:
    async def main(owner: Owner) -> None:
        owner.submit(task_of("a", None))
        for _ in range(3):
            owner.tell(Answer("a", "done", right("a")))
        owner.tell(Answer("nobody", "done"))

    trace = play(main)
    assert told(trace, "caller.settled", "owner.told_again") == [
        ("caller.settled", "a", "done", None),
        *[("owner.told_again", "a", "", None)] * 2,
    ]


def test_a_second_settling_is_recorded_and_ends_nothing_again() -> None:
    async def main(owner: Owner) -> None:
        closed = owner.submit(task_of("a", None))
        owner.tell(Answer("a", "done", right("a")))
        owner.settle("a", "done")
        owner.settle("a", "done")
        assert closed.done()

    assert len(told(play(main), "action.settled")) == 2


def test_each_start_of_work_is_a_start_of_the_operation() -> None:
    async def main(owner: Owner) -> None:
        owner.submit(task_of("a", None))
        for id_, place, side in (("a", "inst-1", "internal"), ("b", "external", "external")):
            trace.record("work.started", id_, resource=place, details={"side": side})

    loop = SimLoop()
    trace = Trace(loop.time_ns)
    with asyncio.Runner(loop_factory=lambda: loop) as runner:
        runner.run(main(Owner(trace)))
    starts = [(e.op, e.actor, e.class_, e.resource) for e in trace.of("action.started")]
    assert starts == [("a", "internal", "task", "inst-1")]

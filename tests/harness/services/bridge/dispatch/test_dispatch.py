"""Dispatch: every row of the table in every wiring, and the delay it asks for."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windtunnel.policies.ui.priority import Priority
from windtunnel.services.bridge.dispatch.call_sites import WIRINGS
from windtunnel.services.bridge.dispatch.dispatch import Dispatch, run_at_once
from windtunnel.services.bridge.dispatch.endpoints import ENDPOINTS, Wiring
from windtunnel.services.bridge.flows.action import UIAction

Run = Callable[[Coroutine[Any, Any, None]], None]
CRITICAL, HIGH, NORMAL, LOW = Priority


class OldQueue:
    """Writes down what is enqueued."""

    def __init__(self) -> None:
        self.log: list[tuple[Any, ...]] = []

    async def start(self) -> None: ...

    async def stop(self) -> None: ...

    def pending_count(self) -> int:
        return 0

    def enqueue(self, factory: Any, delay_ms: Any = None, wait_timeout_ms: Any = None) -> Any:
        self.log.append(("enqueue", factory.name, delay_ms, wait_timeout_ms))
        return "answer"

    def direct(self, action: UIAction) -> Any:
        self.log.append(("direct", action.name))
        return "direct answer"


class NewQueue(OldQueue):
    """Takes priorities too."""

    def execute(
        self,
        action: Any,
        priority: Any = None,
        delay_ms: Any = None,
        wait_timeout_ms: Any = None,
        trace_id: Any = None,
    ) -> Any:
        self.log.append(("execute", action.name, priority, delay_ms, wait_timeout_ms, trace_id))
        return "answer"


async def _flow() -> str:
    return "done"


def action(name: str, to: str = "") -> UIAction:
    return UIAction(name, _flow, to=to)


def dispatch(queue: OldQueue, wiring: Wiring, **delays: float) -> Dispatch:
    return Dispatch(queue, wiring, queue.direct, delays)


@pytest.mark.spec("UI-E1", "UI-E2", "UI-C1", "UI-C5", "UI-C6")
@pytest.mark.parametrize("wiring", WIRINGS)
@pytest.mark.parametrize("name", ENDPOINTS)
def test_every_row_in_every_wiring(name: str, wiring: Wiring) -> None:
    queue = NewQueue()
    row = ENDPOINTS[name]
    answer: Any = dispatch(queue, wiring).submit(action(name), wait_ms=row.wait_ms)
    if wiring == "after":
        expected: tuple[Any, ...] = (
            *("execute", name, row.priority, None, row.wait_ms, row.trace_id),
        )
    elif row.today == "queued":
        expected = ("enqueue", name, None, row.wait_ms)
    else:
        expected = ("direct", name)
    assert queue.log == [expected]
    assert answer == ("direct answer" if expected[0] == "direct" else "answer")


@pytest.mark.spec("UI-Q14")
def test_a_scheduler_without_execute_has_everything_enqueued() -> None:
    queue = OldQueue()
    made = dispatch(queue, "after")
    assert made.way("restart") == "enqueue"
    made.submit(action("restart"))
    assert queue.log == [("enqueue", "restart", None, None)]


@pytest.mark.spec("UI-C7")
@pytest.mark.parametrize("wiring", WIRINGS)
def test_at_once_goes_past_the_queue_in_every_wiring(wiring: Wiring) -> None:
    queue = NewQueue()
    dispatch(queue, wiring).submit(action("accept_friend"), at_once=True)
    assert queue.log == [("direct", "accept_friend")]


def test_what_the_caller_gives_goes_before_table_and_settings() -> None:
    queue = NewQueue()
    made = dispatch(queue, "after", send_text=700)
    made.submit(action("send_text", "a"))
    made.submit(action("send_text", "a"), priority=LOW, delay_ms=5, wait_ms=9, trace_id="t")
    assert queue.log == [
        ("execute", "send_text", NORMAL, 700, None, ""),
        ("execute", "send_text", LOW, 5, 9, "t"),
    ]


@pytest.mark.spec("UI-Q4")
@given(
    st.lists(
        st.tuples(
            st.sampled_from(["send_text", "send_file", "like", "revoke"]), st.sampled_from("abc")
        )
    ),
    st.sampled_from(WIRINGS),
)
def test_for_all_submissions_only_a_text_to_the_contact_of_the_send_before_is_spaced(
    submissions: list[tuple[str, str]], wiring: Wiring
) -> None:
    queue = NewQueue()
    made = dispatch(queue, wiring)
    last = ""
    for name, contact in submissions:
        made.submit(action(name, contact))
        delay = queue.log[-1][3 if wiring == "after" else 2]
        assert delay == (1000 if name == "send_text" and contact == last else None)
        if name in ("send_text", "send_file"):
            last = contact


def test_a_text_to_nobody_in_particular_is_not_spaced() -> None:
    queue = NewQueue()
    made = dispatch(queue, "after")
    made.submit(action("send_text"))
    made.submit(action("send_text"))
    assert [line[3] for line in queue.log] == [None, None]


def test_at_once_means_at_the_call(run: Run) -> None:
    async def main() -> None:
        begun: list[float] = []

        async def flow() -> str:
            begun.append(asyncio.get_running_loop().time())
            return "done"

        answer = run_at_once(UIAction("screenshot", flow))
        await asyncio.sleep(1)
        assert begun == [0]
        assert await answer == "done"

    run(main())

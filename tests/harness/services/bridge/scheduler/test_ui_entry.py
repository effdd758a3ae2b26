"""Entry and Answer: settled once, whatever comes after."""

from __future__ import annotations

import asyncio
import gc
import weakref
from collections.abc import Callable, Coroutine
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windtunnel.policies.ui.priority import Priority
from windtunnel.services.bridge.scheduler.ui_entry import Answer, Entry, Phase
from windtunnel_models import run as run_simulated

Run = Callable[[Coroutine[Any, Any, None]], None]

STEPS: dict[str, Callable[[Entry], object]] = {
    "result": lambda entry: entry.give_result(1),
    "error": lambda entry: entry.give_error(ValueError("2")),
    "cancelled": lambda entry: entry.give_error(asyncio.CancelledError()),
    "hangs up": lambda entry: entry.answer.cancel(),
}


def make_entry() -> Entry:
    loop = asyncio.get_running_loop()
    return Entry(lambda: None, Priority.NORMAL, None, "id", 0, Answer(0, loop))


def told(answer: Answer) -> object:
    if answer.cancelled():
        return "cancelled"
    return repr(answer.exception()) if answer.exception() else answer.result()


@pytest.mark.spec("UI-Q10")
@given(st.lists(st.sampled_from(sorted(STEPS)), min_size=1, max_size=6))
def test_the_first_to_settle_it_wins(steps: list[str]) -> None:
    async def main() -> None:
        entry = make_entry()
        STEPS[steps[0]](entry)
        assert entry.answer.done()
        first = told(entry.answer)
        for step in steps[1:]:
            STEPS[step](entry)
        assert told(entry.answer) == first

    run_simulated(main())


@pytest.mark.parametrize("step", ["result", "error", "cancelled"])
def test_settling_forgets_the_timer(run: Run, step: str) -> None:
    async def main() -> None:
        entry = make_entry()
        timer = asyncio.get_running_loop().call_later(60, print)
        entry.timer = timer
        STEPS[step](entry)
        assert timer.cancelled()
        assert entry.timer is None

    run(main())


@pytest.mark.spec("UI-Q2")
def test_on_cancel_is_called_inside_cancel_and_only_for_the_callers_own(run: Run) -> None:
    async def main() -> None:
        calls: list[str] = []
        entry = make_entry()
        entry.answer.on_cancel = lambda: calls.append("caller")
        assert entry.answer.cancel()
        assert calls == ["caller"]
        assert not entry.answer.cancel()
        assert calls == ["caller"]
        other = make_entry()
        other.answer.on_cancel = lambda: calls.append("the action's own")
        other.give_error(asyncio.CancelledError())
        assert other.answer.cancelled()
        assert calls == ["caller"]

    run(main())


def test_is_wanted_while_it_is_queued(run: Run) -> None:
    async def main() -> None:
        entry = make_entry()
        seen = []
        for phase in Phase:
            entry.phase = phase
            seen.append((phase.value, entry.wanted))
        assert seen == [("queued", True), ("running", False), ("over", False)]

    run(main())


def test_a_stop_iteration_is_wrapped_with_its_cause(run: Run) -> None:
    async def main() -> None:
        entry = make_entry()
        original = StopIteration("value")
        entry.give_error(original)
        error = entry.answer.exception()
        assert isinstance(error, RuntimeError)
        assert error.__cause__ is original

    run(main())


def test_a_set_of_answers_iterates_in_the_order_of_submission(run: Run) -> None:
    async def main() -> None:
        loop = asyncio.get_running_loop()
        waste = [object() for _ in range(1000)]
        answers = [Answer(number, loop) for number in range(100)]
        del waste
        backwards = answers[::-1]
        assert list(set(backwards)) == answers
        for answer in answers:
            answer.cancel()

    run(main())


@pytest.mark.parametrize("step", sorted(STEPS))
def test_a_settled_answer_holds_its_entry_no_longer(run: Run, step: str) -> None:
    """Else each would be garbage that only the collector takes away."""

    async def main() -> None:
        entry = make_entry()
        answer, held = entry.answer, weakref.ref(entry.factory)
        answer.on_cancel = lambda entry=entry: None
        STEPS[step](entry)
        gc.disable()
        try:
            del entry
            assert held() is None
        finally:
            gc.enable()
        assert answer.done()

    run(main())

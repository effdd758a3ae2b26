"""The run of a task and its result."""

from __future__ import annotations

from windtunnel.services.dispatcher.run import Result, Run


def test_two_attempts_at_a_task_are_two_runs() -> None:
    assert Run("t.1", 1) != Run("t.1", 2)
    assert Run("t.1", 1) == Run("t.1", 1)


def test_a_result_says_whose_it_is() -> None:
    result = Result(Run("t.1", 1), "inst-0", "bridge-0", ok=False, error="out of colour")
    assert (result.run.task, result.ok, result.error) == ("t.1", False, "out of colour")

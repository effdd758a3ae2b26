"""The local journal: one result for each task, until it is merged."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any

import pytest

from windtunnel.ports.store import StoreError
from windtunnel.services.dispatcher.local_journal import LocalJournal
from windtunnel.services.dispatcher.run import Result, Run

pytestmark = pytest.mark.spec("RT-X2")
Runner = Callable[[Coroutine[Any, Any, None]], None]


def result(task: str, *, ok: bool = True, attempt: int = 1) -> Result:
    return Result(Run(task, attempt), "i", "b", ok)


def test_the_first_is_kept_but_a_success_is_worth_more_than_a_failure() -> None:
    journal = LocalJournal()
    first, other = result("a", ok=False), result("a", attempt=2)
    for each in (first, result("a", ok=False, attempt=2), other, result("a", attempt=3)):
        journal.keep(each)
    assert len(journal) == 1
    assert journal._results["a"] is other


def test_what_could_not_be_merged_is_kept(run: Runner) -> None:
    async def main() -> None:
        journal = LocalJournal()
        for task in "abc":
            journal.keep(result(task))
        merged: list[str] = []

        async def apply(one: Result) -> None:
            if one.run.task == "b" and len(merged) == 1:
                merged.append("error")
                raise StoreError
            merged.append(one.run.task)

        with pytest.raises(StoreError):
            await journal.merge(apply)
        assert len(journal) == 2
        await journal.merge(apply)
        assert merged == ["a", "error", "b", "c"]
        assert not len(journal)

    run(main())


def test_a_better_result_that_comes_during_the_merge_is_merged_too(run: Runner) -> None:
    async def main() -> None:
        journal = LocalJournal()
        journal.keep(result("a", ok=False))
        merged: list[bool] = []

        async def apply(one: Result) -> None:
            merged.append(one.ok)
            journal.keep(result("a"))

        await journal.merge(apply)
        assert merged == [False, True]

    run(main())

"""What a cell needs of a scheduler, and what this one lacks of it.

A foreign class may lack priorities, delays, a drain or metrics: the cells that need them are
skipped with that reason, never judged against a behaviour that was not promised.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Final

from pydantic import BaseModel

from windtunnel.policies.ui.priority import Priority
from windtunnel.systems.base import Setup
from windtunnel.systems.ui.given import Given
from windtunnel.systems.ui.plug import SUBMIT_ARGUMENTS, PluggedScheduler
from windtunnel.systems.ui.submission import Submission, accepting, submissions

CALL_NEEDS: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        "scheduler.start": ("start",),
        "scheduler.stop": ("stop",),
        "scheduler.drain": ("drain",),
        "scheduler.mark_wechat_dead": ("mark_wechat_dead",),
        "scheduler.mark_wechat_ready": ("mark_wechat_ready",),
        "watchdog.act": ("drain", "mark_wechat_dead"),
    }
)
"""Call of the timeline → methods that it reaches."""

TIMELESS: Final = frozenset({"mutual_exclusion", "no_interleave", "conservation", "fifo", "rate"})
"""Checks that hold whatever goes first and however long the pauses are.

Priorities and delays only decide order and time, so a cell with no other check needs neither.
"""
OBSERVING: Final = frozenset({"equals", "invariant"})
"""Checks that read the scheduler's metrics. Our own that has none (`before`) tells its status."""


def lacking(scheduler: PluggedScheduler, setup: Setup) -> list[str]:
    """Return what the cell needs and the scheduler has not, each once, in order of first need."""
    given: Given = setup.given
    found: dict[str, None] = {}
    timed = not setup.checks <= TIMELESS
    for submission in _planned(setup):
        found |= dict.fromkeys(_of_submission(scheduler, submission, given, timed=timed))
    for name in _reached(setup):
        found |= dict.fromkeys(
            method for method in _methods(name, given) if not scheduler.has(method)
        )
    found |= dict.fromkeys(
        name
        for name in ("max_calls_per_sec", "max_queue_size")
        if name in given.scheduler.model_fields_set and name not in scheduler.settings
    )
    if setup.scheduler is not None:
        if setup.checks & OBSERVING and not scheduler.has("get_metrics"):
            found["get_metrics"] = None
        found |= dict.fromkeys(_of_policy(setup.policy))
    return list(found)


def _planned(setup: Setup) -> Iterator[Submission]:
    """Yield what the timeline submits, then what the loops that run by themselves do."""
    for operation in setup.planned:
        yield from submissions(operation, setup.given)
    if setup.given.background.friend_watcher:
        yield accepting(setup.given)


def _reached(setup: Setup) -> Iterator[str]:
    """Yield the calls of the timeline, then those of the loops."""
    yield from (operation.name for operation in setup.planned if operation.mode == "call")
    if setup.given.background.watchdog:
        yield "watchdog.act"


def _of_policy(policy: BaseModel) -> Iterator[str]:
    """Yield the options of our own scheduler that the cell sets: a foreign class has none."""
    for name, field in type(policy).model_fields.items():
        if (value := getattr(policy, name)) != field.default:
            yield f"policy option {name}: {value}"


def _methods(name: str, given: Given) -> tuple[str, ...]:
    if name == "watchdog.act" and given.wiring != "after":
        return ()  # there the watchdog knows no scheduler (UI-W4)
    return CALL_NEEDS.get(name, ())


def _of_submission(
    scheduler: PluggedScheduler, submission: Submission, given: Given, *, timed: bool
) -> Iterator[str]:
    if submission.via == "direct":
        return
    takes = {name for name in SUBMIT_ARGUMENTS if scheduler.takes(name, submission.via)}
    if timed and submission.priority is not Priority.NORMAL and "priority" not in takes:
        yield "priority"
    if submission.wait_ms is not None and "wait_timeout_ms" not in takes:
        yield "wait_timeout_ms"
    fixed = given.scheduler.send_delay if "send_delay_ms" in scheduler.settings else 0
    wanted = submission.delay_wanted(given.scheduler.send_delay)
    if timed and wanted != fixed and "delay_ms" not in takes:
        yield "delay_ms"
    if submission.window and not scheduler.has("mark_wechat_dead"):
        yield "mark_wechat_dead"

"""The requests: calls of the bridge's routes, recorded from the request to its answer.

Imports the routes, the boundary and who acts.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from windtunnel.acting import Acting, acting
from windtunnel.services.bridge.routes.reply import Reply
from windtunnel.services.bridge.routes.routes import Routes
from windtunnel.systems.base import Operation
from windtunnel.systems.ui.boundary import REFUSALS, BoundaryOperation
from windtunnel.systems.ui.recorded import submitting
from windtunnel.trace import Outcome, Trace


class Requests:
    """Makes requests; each is an operation, whose id its probe and its action have too."""

    def __init__(self, trace: Trace, routes: Routes) -> None:
        self._trace = trace
        self._routes = routes
        self._open: dict[str, asyncio.Task[Reply]] = {}

    async def make(self, operation: Operation) -> None:
        """Make a request; it is over when it is answered and what it submitted has settled.

        Raises the `WorldError` or `PluginError` for which no verdict can rest on its answer.
        """
        inside: list[BoundaryOperation] = []
        self._trace.record("request.received", operation.id, class_=operation.name)
        task = self._begin(operation, inside)
        self._open[operation.id] = task
        try:
            await asyncio.wait({task})
        finally:
            del self._open[operation.id]
            task.cancel()  # nothing happens where it has ended
        outcome, details = _told(task, inside)
        self._trace.record(
            "request.answered",
            operation.id,
            class_=operation.name,
            outcome=outcome,
            details=details,
        )
        for crossing in inside:
            await crossing.closed

    def _begin(self, operation: Operation, inside: list[BoundaryOperation]) -> asyncio.Task[Reply]:
        """Start the request in a task of its own: its caller may hang up."""
        args = {} if operation.args is None else operation.args.__dict__
        name = operation.name.removeprefix("route.")
        before = acting.set(Acting(operation.id, operation.name))
        listed = submitting.set(inside)
        try:
            return asyncio.ensure_future(self._routes.call(name, args))
        finally:
            submitting.reset(listed)
            acting.reset(before)

    def hang_up(self, op: str) -> bool | None:
        """Have the caller of a request hang up; None where there is no such request open."""
        task = self._open.get(op)
        return None if task is None else task.cancel()


def _told(
    task: asyncio.Task[Reply], inside: list[BoundaryOperation]
) -> tuple[str, Mapping[str, Any]]:
    """Return outcome and details of the answer; the outcome of an action is its caller's."""
    if task.cancelled():
        return Outcome.ABORTED, {"status": 499}
    reply = task.result()
    details: dict[str, Any] = {"status": reply.status}
    if reply.code is None:
        return Outcome.DONE, details
    details["code"] = reply.code
    if reply.retry_after is not None:
        details["retry_after"] = reply.retry_after
    last = inside[-1].told if inside else None
    if last is not None and last.outcome != Outcome.DONE:
        return last.outcome, details
    return (Outcome.REJECTED if reply.code in REFUSALS else Outcome.FAILED), details

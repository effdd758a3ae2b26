"""A submission: what an operation of the timeline will ask of the scheduler.

A submission's own options, else `given.actions`, else the endpoint table (UI-E1); the wiring
decides whether the action is queued at all (UI-C1, UI-C6). The bridge decides the same as it
runs; here it is known before. Imports `given` and the endpoint table.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from windtunnel import units
from windtunnel.policies.ui.priority import Priority
from windtunnel.services.bridge.dispatch.endpoints import ENDPOINTS
from windtunnel.systems.base import Operation
from windtunnel.systems.ui.commands import UNCHANGED
from windtunnel.systems.ui.given import Given, SubmitOptions

PLAIN = SubmitOptions()


@dataclass(frozen=True, slots=True)
class Submission:
    """What goes to a scheduler beside the action itself."""

    via: str
    """`execute`, `enqueue` or `direct`."""
    priority: Priority
    delay_ms: float | None
    """None: the scheduler's own default."""
    wait_ms: float | None
    window: int
    """Nanoseconds of the dead window that the action opens as it starts."""

    def delay_wanted(self, default: int) -> int:
        """Return the pause after the action in nanoseconds, given the scheduler's default."""
        if self.delay_ms is not None:
            return units.from_ms(self.delay_ms)
        return 0 if self.priority is Priority.CRITICAL else default


def submissions(operation: Operation, given: Given) -> Iterator[Submission]:
    """Yield what an operation submits: a route's action, each send of a batch."""
    caller, _, name = operation.name.rpartition(".")
    if operation.mode == "submit":
        yield plan(name, given, operation.options)
    elif caller in ("route", "orchestrator") and name in ENDPOINTS:
        yield plan(name, given, wait_ms=ENDPOINTS[name].wait_ms)
    elif operation.name == "batch.run":
        files = {send.file is not None for send in operation.args.sends}
        sent = [("send_file" if file else "send_text") for file in sorted(files)]
        yield from (plan(one, given, wait_ms=ENDPOINTS[one].wait_ms) for one in sent)
    elif operation.name == "friend_watcher.poll":
        yield accepting(given)


def accepting(given: Given) -> Submission:
    """Return how the friend watcher submits an acceptance (UI-C7)."""
    planned = plan("accept_friend", given, wait_ms=ENDPOINTS["accept_friend"].wait_ms)
    return replace(planned, via="direct") if given.friend_watcher == "direct" else planned


def plan(
    name: str, given: Given, options: SubmitOptions = PLAIN, *, wait_ms: float | None = None
) -> Submission:
    """Return how an action of that class is submitted."""
    endpoint = ENDPOINTS[name]
    action = given.actions.get(name, UNCHANGED)
    after = given.wiring == "after"
    named = endpoint.priority if options.priority is None else Priority[options.priority]
    window = units.from_ms(endpoint.window_ms) if action.window is None else action.window
    delay = action.delay_after if options.delay_after is None else options.delay_after
    return Submission(
        via=endpoint.way(given.wiring),
        priority=named if after else Priority.NORMAL,
        delay_ms=None if delay is None else units.to_ms(delay),
        wait_ms=wait_ms if options.wait is None else units.to_ms(options.wait),
        window=window if after else 0,
    )

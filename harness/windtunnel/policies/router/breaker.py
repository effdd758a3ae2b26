"""The circuit breaker (RT-X1). Imports the router's options and the units.

Closed, it opens after 5 failures running. Open, it is half-open after 30 s. Half-open, a success
closes it and a failure opens it.
"""

from __future__ import annotations

from typing import Final, Literal

from windtunnel.policies.router.router_options import RouterOptions
from windtunnel.units import SECOND

BreakerState = Literal["closed", "open", "half_open"]

FAILURES: Final = 5
RESET_AFTER: Final = 30 * SECOND


class Breaker:
    """Lets calls through or refuses them, by the results of those before (RT-X1, F-R14).

    A call asks `allow` and brings its ticket back with its result, or to `forget` when it ends
    without one. A ticket is the epoch it was given in; opening and closing begin a new epoch.
    `half_open="one"`: half-open lets a single probe through until its result is known; `"all"`:
    every call. `late_results="ignored"`: results of an earlier epoch have no effect; `"counted"`:
    they have the effect of any other, so that a late success closes the breaker and a late failure
    opens it or begins its 30 s anew. `now` is a monotonic time in nanoseconds.
    """

    __slots__ = ("_epoch", "_failures", "_limit", "_opened", "_options", "_probing", "_reset_after")

    def __init__(
        self, options: RouterOptions, failures: int = FAILURES, reset_after: int = RESET_AFTER
    ) -> None:
        if failures < 1:
            raise ValueError(f"failures must be at least 1, not {failures}")
        self._options = options
        self._limit = failures
        self._reset_after = reset_after
        self._epoch = 1
        self._opened: int | None = None
        self._failures = 0
        self._probing = False

    def state(self, now: int) -> BreakerState:
        """Return the state at `now`."""
        if self._opened is None:
            return "closed"
        return "open" if now - self._opened < self._reset_after else "half_open"

    def closed(self, now: int) -> bool:
        """Tell whether it is closed at `now`: calls pass, and none of them is a probe."""
        return self.state(now) == "closed"

    def allow(self, now: int) -> int | None:
        """Return a ticket (1 or more) for a call that begins at `now`, or None: refused."""
        state = self.state(now)
        if state == "open" or (state == "half_open" and self._probing):
            return None
        self._probing = state == "half_open" and self._options.half_open == "one"
        return self._epoch

    def success(self, ticket: int, now: int) -> None:  # noqa: ARG002 - results are told alike
        """Take the success of the call with that ticket."""
        if not self._counts(ticket):
            return
        self._failures = 0
        if self._opened is not None:
            self._turn(None)

    def failure(self, ticket: int, now: int) -> None:
        """Take the failure, at `now`, of the call with that ticket."""
        if not self._counts(ticket):
            return
        self._failures += 1
        if self._opened is not None or self._failures >= self._limit:
            self._turn(now)

    def forget(self, ticket: int) -> None:
        """Take the end of a call without a result (cancelled): another may probe in its place."""
        if ticket == self._epoch:
            self._probing = False

    def _counts(self, ticket: int) -> bool:
        return ticket == self._epoch or self._options.late_results == "counted"

    def _turn(self, opened: int | None) -> None:
        self._opened = opened
        self._epoch += 1
        self._probing = False

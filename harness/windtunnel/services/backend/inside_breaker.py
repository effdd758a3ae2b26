"""The inside's breaker: that of submissions to the dispatcher, with its notes (RT-X1).

Imports the breaker's policy.
"""

from __future__ import annotations

from windtunnel.policies.router.breaker import Breaker, BreakerState
from windtunnel.services.clock import now_ns
from windtunnel.services.note import Note


class InsideBreaker:
    """The policy on the loop's clock; notes `breaker.changed`.

    That it is half-open is noted when it is next looked at: time alone brings that about.
    """

    def __init__(self, breaker: Breaker, note: Note) -> None:
        self._breaker = breaker
        self._note = note
        self._noted: BreakerState = "closed"

    def state(self) -> BreakerState:
        """Return the state as it is now."""
        return self._state(now_ns())

    def _state(self, at: int) -> BreakerState:
        state = self._breaker.state(at)
        if state != self._noted:
            self._noted = state
            self._note("breaker.changed", "", {"state": state})
        return state

    def allow(self) -> int | None:
        """Return a ticket for a call that begins now, or None: refused."""
        at = now_ns()
        self._state(at)
        return self._breaker.allow(at)

    def success(self, ticket: int) -> None:
        """Take the success of the call with that ticket."""
        at = now_ns()
        self._breaker.success(ticket, at)
        self._state(at)

    def failure(self, ticket: int) -> None:
        """Take the failure of the call with that ticket."""
        at = now_ns()
        self._breaker.failure(ticket, at)
        self._state(at)

    def forget(self, ticket: int) -> None:
        """Take the end of a call that says nothing of the other side."""
        self._breaker.forget(ticket)

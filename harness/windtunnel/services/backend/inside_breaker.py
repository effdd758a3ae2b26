"""The inside's breaker: that of submissions to the dispatcher, with its notes (RT-X1).

Imports the breaker's policy.
"""

from __future__ import annotations

from windtunnel.policies.router.breaker import Breaker, BreakerState
from windtunnel.services.backend.clock import now
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
        state = self._breaker.state(now())
        if state != self._noted:
            self._noted = state
            self._note("breaker.changed", "", {"state": state})
        return state

    def allow(self) -> int | None:
        """Return a ticket for a call that begins now, or None: refused."""
        self.state()
        return self._breaker.allow(now())

    def success(self, ticket: int) -> None:
        """Take the success of the call with that ticket."""
        self._breaker.success(ticket, now())
        self.state()

    def failure(self, ticket: int) -> None:
        """Take the failure of the call with that ticket."""
        self._breaker.failure(ticket, now())
        self.state()

    def forget(self, ticket: int) -> None:
        """Take the end of a call that says nothing of the other side."""
        self._breaker.forget(ticket)

"""The log-in guard: looks at the log-in state under L1 and keeps it (UI-C3, UI-C4).

Imports the backend, periodic loops and notes.
"""

from __future__ import annotations

import asyncio
import logging

from windtunnel.ports import LoginState
from windtunnel.services.bridge.flows.backend import Backend
from windtunnel.services.note import Note, ignore
from windtunnel.services.periodic import Periodic
from windtunnel.units import format_duration, from_seconds

logger = logging.getLogger("windtunnel.login_guard")


class LoginGuard:
    """Looks every `period_s` seconds; warns when it waited over `warns_s` seconds for the lock."""

    def __init__(
        self, backend: Backend, *, period_s: float = 5.0, warns_s: float = 2.0, note: Note = ignore
    ) -> None:
        self._backend = backend
        self._warns_ns = from_seconds(warns_s)
        self._note = note
        self.loop = Periodic("login_guard", self.look, period_s)
        self._fresh_s = 2 * period_s
        self._seen_at = 0.0
        self._state: LoginState = "unknown"

    def state(self) -> LoginState:
        """Return what the last look saw, for two periods; `unknown` then, and after a failure."""
        fresh = asyncio.get_running_loop().time() - self._seen_at <= self._fresh_s
        return self._state if fresh else "unknown"

    async def look(self) -> LoginState:
        """Look now and keep what is seen; raises what the port raises."""
        try:
            state = await self._backend.login_state(self._warn_of)
        except BaseException:
            self._state = "unknown"
            raise
        self._state = state
        self._seen_at = asyncio.get_running_loop().time()
        return state

    def _warn_of(self, waited: int) -> None:
        if waited > self._warns_ns:
            logger.warning("waited %s for the UI lock", format_duration(waited))
            self._note("guard.warned", "", {"waited": waited})

"""The log-in probe: how a caller finds the log-in state before it submits (UI-C2, UI-C3).

Never queued. Imports ports, who acts, the backend and the guard.
"""

from __future__ import annotations

from windtunnel.acting import acting, on_behalf
from windtunnel.errors import BridgeError, Code
from windtunnel.ports import LoginState, Processes
from windtunnel.services.bridge.flows.backend import Backend
from windtunnel.services.bridge.settings import Probe
from windtunnel.services.bridge.watchers.login_guard import LoginGuard

REFUSED: frozenset[LoginState] = frozenset({"logged_out", "qr"})
"""States in which nothing is submitted; without a window the scheduler's own rules decide."""


class LoginProbe:
    """Looks under the lock; or looks up process and window without it; or asks the guard."""

    def __init__(
        self, how: Probe, backend: Backend, processes: Processes, guard: LoginGuard, process: str
    ) -> None:
        self._how = how
        self._backend = backend
        self._processes = processes
        self._guard = guard
        self._process = process

    async def require_login(self) -> None:
        """Return when an action may be submitted; raises NOT_LOGGED_IN or what the port raises."""
        state = await self.state()
        if state in REFUSED:
            raise BridgeError(Code.NOT_LOGGED_IN, f"nobody is logged in (WeChat shows {state})")

    async def state(self) -> LoginState:
        """Return the log-in state as far as this way of looking tells it.

        The look-up knows only whether there is a window, and takes it for a log-in. The cached
        state may be as old as the guard's period; before the guard has one, the probe looks.
        """
        if self._how == "lookup":
            return "logged_in" if await self.alive() else "unknown"
        kept = self._guard.state() if self._how == "cached" else "unknown"
        return await self.look() if kept == "unknown" else kept

    async def look(self) -> LoginState:
        """Return the log-in state as a screenshot under the lock shows it."""
        who = acting.get()
        with on_behalf("" if who is None else who.op, "probe", "" if who is None else who.actor):
            return await self._backend.login_state()

    async def alive(self) -> bool:
        """Look up, without the lock, whether WeChat's process and its window are there."""
        who = acting.get()
        with on_behalf("" if who is None else who.op, "probe", "" if who is None else who.actor):
            if not await self._processes.find(self._process):
                return False
        window = await self._backend.window()
        return window is not None and window.mapped

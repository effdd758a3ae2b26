"""The health monitor: looks at link and capacity, and has the outcome stored (RT-H1 to H4).

Imports the health policy, the link state, the degradation and the error reactions.
"""

from __future__ import annotations

import asyncio
import logging

from windtunnel.policies.router import health
from windtunnel.policies.router.router_options import RouterOptions
from windtunnel.ports.store import StoreError
from windtunnel.services.backend.degradation import Degradation
from windtunnel.services.backend.error_reactions import ErrorReactions
from windtunnel.services.backend.link_state import LinkState
from windtunnel.services.clock import now_ns
from windtunnel.services.note import Note
from windtunnel.services.unreadable import ERRORS

logger = logging.getLogger("windtunnel.backend")


class HealthMonitor:
    """Checks every `interval_s`, and in between when the link is lost or first reports.

    A check is good when no trigger holds and its outcome can be stored. Before the first report it
    waits, for one interval at most: until then nothing is known that could be healthy or not.
    Notes `health.checked`.
    """

    def __init__(
        self,
        state: LinkState,
        degradation: Degradation,
        errors: ErrorReactions,
        note: Note,
        options: RouterOptions,
        *,
        interval_s: float = 10.0,
    ) -> None:
        self._state = state
        self._degradation = degradation
        self._errors = errors
        self._note = note
        self._options = options
        self._interval_s = interval_s
        self._losses = 0
        self._connected = False
        self._running = False
        self._turned = asyncio.Event()
        degradation.listen(lambda _degraded: self._turned.set())

    async def run(self) -> None:
        """Go on from what is stored, then check until it is cancelled."""
        loop = asyncio.get_running_loop()
        due = loop.time() + self._interval_s
        await self._restore()
        self._running = True
        self.changed()
        while True:
            if await self._turn_before(due):
                await self._save()
            else:
                await self.check()
                due = max(due + self._interval_s, loop.time())

    def changed(self) -> None:
        """Take a change of the link: a loss degrades at once (RT-H2), a first report is checked."""
        if not self._running:
            return
        if self._state.connected is not self._connected:
            self._connected = self._state.connected
            self._turned.set()
        if self._state.losses > self._losses:
            self._losses = self._state.losses
            self._degradation.immediate("channel_closed")
        elif not self._degradation.known and self._is_good():
            self._look()

    async def check(self) -> None:
        """Store what is known, then check it; what comes of that is stored next."""
        if await self._save():
            self._look()
        else:
            self._noted(healthy=False, reason="store")

    def _is_good(self) -> bool:
        """Tell whether the first reports show an inside to rely on.

        One that does not may come of a dispatcher whose bridges have not joined it yet: it has the
        rest of the interval before that is a degradation.
        """
        at = now_ns()
        return health.trigger(self._state.seen(at), at, self._options) is None

    def _look(self) -> None:
        at = now_ns()
        reason = health.trigger(self._state.seen(at), at, self._options)
        self._noted(healthy=reason is None, reason=reason)
        self._degradation.check()

    def _noted(self, *, healthy: bool, reason: str | None) -> None:
        at = now_ns()
        score = health.score(self._state.seen(at), at, self._options)
        details = {"healthy": healthy, "score": score}
        self._note(
            "health.checked", "", details if reason is None else details | {"reason": reason}
        )

    async def _turn_before(self, due: float) -> bool:
        """Wait for the next check, or for a change of health; tell whether it was that."""
        try:
            async with asyncio.timeout_at(due):
                await self._turned.wait()
        except TimeoutError:
            return False
        self._turned.clear()
        return True

    async def _restore(self) -> None:
        try:
            await self._degradation.restore()
        except StoreError as error:
            self._errors.met(error)
        except ERRORS as error:  # what is stored says nothing
            logger.error("the health that is stored cannot be read: %r", error)  # noqa: TRY400 - no traceback: the reason says it

    async def _save(self) -> bool:
        try:
            await self._degradation.save()
        except StoreError as error:
            self._errors.met(error)
            return False
        return True

"""The friend watcher: accepts the requests to be friends that come in (UI-C1, UI-C7).

Imports ports, actions, the dispatch and periodic loops.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import replace
from functools import partial
from typing import Any, Final

from windtunnel.errors import WorldError
from windtunnel.ports import Records
from windtunnel.services.bridge.dispatch.dispatch import Dispatch
from windtunnel.services.bridge.dispatch.endpoints import ENDPOINTS
from windtunnel.services.bridge.flows.action import UIAction
from windtunnel.services.periodic import Periodic

logger = logging.getLogger("windtunnel.friend_watcher")

ACTION: Final = "accept_friend"
LONGEST_PAUSE_S: Final = 300.0
"""How long a request that cannot be accepted is left alone at most."""
STOP_S: Final = 5.0


class FriendRequestWatcher:
    """Polls every `period_s` seconds; `accept(contact)` makes the action.

    One acceptance per request at a time: until the last one is over, for its caller and for the
    display, no other is submitted. A request that is still open then is tried again, after a pause
    that doubles with each failure in a row: acceptances are HIGH, and one that fails every time
    would keep all sends waiting for good.
    """

    def __init__(
        self,
        records: Records,
        dispatch: Dispatch,
        accept: Callable[[str], UIAction],
        *,
        at_once: bool = False,
        period_s: float = 3.0,
    ) -> None:
        self._records = records
        self._dispatch = dispatch
        self._accept = accept
        self._at_once = at_once
        self._waits: dict[str, asyncio.Future[Any]] = {}
        self._running: set[str] = set()
        self._period_s = period_s
        self._failures: dict[str, int] = {}
        self._not_before: dict[str, float] = {}
        self.loop = Periodic("friend_watcher", self.poll, period_s)

    async def poll(self) -> int:
        """Look at the open requests and submit what is new; return how many were submitted."""
        submitted = 0
        now = asyncio.get_running_loop().time()
        for contact in await self._records.friend_requests():
            busy = contact in self._waits or contact in self._running
            if not busy and now >= self._not_before.get(contact, now):
                self._submit(contact)
                submitted += 1
        return submitted

    def _submit(self, contact: str) -> None:
        action = self._accept(contact)
        tracked = replace(action, run=partial(self._tracked, contact, action.run))
        try:
            answer = self._dispatch.submit(
                tracked, wait_ms=ENDPOINTS[ACTION].wait_ms, at_once=self._at_once
            )
        except WorldError:
            raise
        except Exception as error:  # noqa: BLE001 - anybody's scheduler may refuse by raising
            self._failed(contact, error)
            return
        wait = asyncio.ensure_future(answer)
        self._waits[contact] = wait
        wait.add_done_callback(partial(self._told, contact))

    async def _tracked(self, contact: str, run: Callable[[], Awaitable[Any]]) -> Any:  # noqa: ANN401 - whatever the flow returns
        """Run the acceptance; the caller's wait may end before it does (UI-Q7)."""
        self._running.add(contact)
        try:
            return await run()
        finally:
            self._running.discard(contact)

    def _told(self, contact: str, wait: asyncio.Future[Any]) -> None:
        self._waits.pop(contact, None)
        if wait.cancelled():
            return
        if (error := wait.exception()) is not None:
            self._failed(contact, error)
        else:
            self._failures.pop(contact, None)
            self._not_before.pop(contact, None)

    def _failed(self, contact: str, error: BaseException) -> None:
        number = self._failures.get(contact, 0)
        self._failures[contact] = number + 1
        pause = min(LONGEST_PAUSE_S, self._period_s * 2.0**number)
        self._not_before[contact] = asyncio.get_running_loop().time() + pause
        logger.warning("accepting %s failed, again in %g s: %r", contact, pause, error)

    async def stop(self) -> None:
        """End the loop and withdraw the acceptances that are not over."""
        await self.loop.stop()
        waits = list(self._waits.values())
        for wait in waits:
            wait.cancel()
        if waits:
            await asyncio.wait(waits, timeout=STOP_S)

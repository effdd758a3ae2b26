"""The reports of the capacity: CAPACITY_UPDATE, on each change and every so often (RT-W4).

Imports the bridges, the instances, the scheduling and the wire's messages.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final

from windtunnel.ports.network import Message
from windtunnel.services.clock import iso
from windtunnel.services.dispatcher.bridges import Bridges
from windtunnel.services.dispatcher.scheduling import Scheduling
from windtunnel.services.dispatcher.shared import Shared
from windtunnel.services.wire import messages

GAP_S: Final = 0.001
"""The least between two reports: the changes of one instant are one report."""


class Reports:
    """Makes reports and hands them to `send`. Each is numbered: `sequence` grows by one."""

    def __init__(
        self,
        shared: Shared,
        bridges: Bridges,
        scheduling: Scheduling,
        send: Callable[[Message], Awaitable[None]],
    ) -> None:
        self.sequence = 0
        self._instances = shared.instances
        self._bridges = bridges
        self._scheduling = scheduling
        self._send = send
        self._period_s = shared.settings.report_s
        self._change = shared.change

    def counts_from(self) -> int:
        """Return the number of the first report in which all counts that is accepted by now.

        A task counts once it was given to an instance, or could not be: a report waits for the
        pass that decides it (RT-S4, F-R11).
        """
        to_come = self._change.is_set() or self._scheduling.busy
        return self.sequence + 1 if to_come else self.sequence

    async def run(self) -> None:
        """Report for ever: after each change, and at the latest `report_s` after the last."""
        while True:
            try:
                async with asyncio.timeout(self._period_s):
                    await self._change.wait()
            except TimeoutError:
                pass
            await self._scheduling.settled()
            await self._send(self._next())
            await asyncio.sleep(GAP_S)

    def _next(self) -> Message:
        self._change.clear()
        self.sequence += 1
        return {"type": messages.CAPACITY_UPDATE, "data": self.overview()}

    def overview(self) -> Mapping[str, Any]:
        """Return what the newest report shows, as it is now (RT-A4)."""
        instances = self._instances
        since = self._bridges.since()
        views = instances.views()
        online, busy = instances.online, instances.busy
        return {
            "bridges": [
                {
                    "bridgeId": bridge,
                    "connectedAt": iso(since[bridge]) if bridge in since else None,
                    "instances": shown,
                }
                for bridge, shown in views.items()
            ],
            "summary": {
                "totalBridges": len(views),
                "totalInstances": instances.total,
                "onlineInstances": online,
                "busyInstances": busy,
                "availableCapacity": online - busy,
            },
            "sequence": self.sequence,
        }

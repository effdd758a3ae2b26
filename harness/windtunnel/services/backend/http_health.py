"""The HTTP health check: whether the dispatcher can be reached, and its verdict kept (RT-H5).

Imports the tree of errors, the network port, the count of failures, the wire's addresses and
periodic loops.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from windtunnel.errors import WindtunnelError
from windtunnel.policies.router.health import FAILURE_THRESHOLD, FailureCount
from windtunnel.ports.network import Network, NetworkError, Request
from windtunnel.services.clock import now_ns
from windtunnel.services.note import Note
from windtunnel.services.periodic import Periodic
from windtunnel.services.wire.addresses import HEALTH_PATH

logger = logging.getLogger("windtunnel.backend")

OK: Final = 200
VERSION: Final = "1"
"""The version of the dispatcher's interface that this backend speaks (RT-K1)."""


class OtherVersionError(WindtunnelError):
    """The dispatcher's interface has another version than this backend speaks (RT-K1)."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the checks so far say; the figures are those of the last that was answered."""

    healthy: bool
    reason: str
    """Why the last check failed; empty when it did not."""
    at: int | None
    """The instant of the last check, ns; None before the first."""
    bridges: int = 0
    online: int = 0


class HttpHealth:
    """Asks `/api/health` every `interval_s`; each time `timeout_s` at most.

    Healthy until `failures` checks running have failed, or one was answered in another version:
    `met` is told of that each time, and while it is so nothing is to go inside. Notes
    `health.probed`. A turn of `loop` is one check; `run` makes those that are asked for.
    """

    def __init__(
        self,
        network: Network,
        url: str,
        note: Note,
        *,
        interval_s: float = 10.0,
        timeout_s: float = 5.0,
        failures: int = FAILURE_THRESHOLD,
        met: Callable[[BaseException], object] = lambda _: None,
    ) -> None:
        self._network = network
        self._request = Request("GET", url + HEALTH_PATH)
        self._note = note
        self._timeout_s = timeout_s
        self._met = met
        self._asked = asyncio.Event()
        self._count = FailureCount(failures)
        self._verdict = Verdict(healthy=True, reason="not checked yet", at=None)
        self.loop = Periodic("http_health", self.probe, interval_s)

    def verdict(self) -> Verdict:
        """Return the verdict of the checks so far, without a request (RT-P1)."""
        return self._verdict

    def check_soon(self) -> None:
        """Ask for a check now, beside those of the loop: a submission has failed (RT-H6).

        However often this is called while a check that was asked for is under way, it is one more.
        """
        self._asked.set()

    async def run(self) -> None:
        """Make the checks that are asked for, one at a time, until cancelled."""
        while True:
            await self._asked.wait()
            self._asked.clear()
            await self.probe()

    async def probe(self) -> Verdict:
        """Check once and return the verdict; whatever the answer is, it raises nothing."""
        try:
            async with asyncio.timeout(self._timeout_s):
                response = await self._network.request(self._request)
        except TimeoutError:
            return self._judge(f"no answer within {self._timeout_s:g} s")
        except NetworkError as error:
            return self._judge(str(error))
        body = response.body if isinstance(response.body, Mapping) else {}
        if response.status != OK:
            return self._judge(f"answered with {response.status}")
        if body.get("version") != VERSION:
            reason = _other_version(body.get("version"))
            self._met(OtherVersionError(reason))
            return self._judge(reason, fatal=True)
        bridges, online = body.get("bridges"), body.get("onlineInstances")
        if not (isinstance(bridges, int) and isinstance(online, int)):
            return self._judge("the answer names no `bridges` and `onlineInstances`")
        reason = "" if body.get("status") == "ok" else f"the dispatcher is {body.get('status')}"
        return self._judge(reason, bridges=bridges, online=online)

    def _judge(
        self, reason: str, *, fatal: bool = False, bridges: int | None = None, online: int = 0
    ) -> Verdict:
        """Take a check's outcome: one in another version is no slip that the next may mend."""
        healthy = self._count.note(not reason) and not fatal
        if bridges is None:
            bridges, online = self._verdict.bridges, self._verdict.online
        if reason and reason != self._verdict.reason:
            logger.warning("the dispatcher's health: %s", reason)
        self._verdict = Verdict(healthy, reason, now_ns(), bridges, online)
        verdict = "healthy" if healthy else "unhealthy"
        self._note("health.probed", "", {"ok": not reason, "verdict": verdict})
        return self._verdict


def _other_version(version: object) -> str:
    return f"the dispatcher's interface has version {version!r}, this backend speaks {VERSION!r}"

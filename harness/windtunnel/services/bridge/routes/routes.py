"""The routes: what the bridge's HTTP endpoints do, from the request to the reply.

The log-in probe first, then the submission, by the endpoint table; refusals are replies. Imports
errors, actions, the dispatch, the probe and verification.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from types import MappingProxyType
from typing import Any, Final

from windtunnel.errors import BridgeError, WindtunnelError
from windtunnel.ports import Frame
from windtunnel.services import cancellation
from windtunnel.services.bridge.dispatch.dispatch import Dispatch
from windtunnel.services.bridge.dispatch.endpoints import ENDPOINTS
from windtunnel.services.bridge.flows.flows import missing_arguments
from windtunnel.services.bridge.routes import reply
from windtunnel.services.bridge.routes.login_probe import LoginProbe
from windtunnel.services.bridge.routes.orchestrator import MakeAction, OnSubmit
from windtunnel.services.bridge.routes.reply import Reply
from windtunnel.services.bridge.watchers.verification import VERIFIED, Baseline, Verification

logger = logging.getLogger("windtunnel.routes")

READ_ONLY: Final[Mapping[str, str]] = MappingProxyType(
    {
        "qr_wait": "GET /api/login/qr/wait",
        "status": "GET /api/status",
        "diagnostic": "GET /api/diagnostic/run/*",
    }
)
"""The routes that are never queued (UI-C2)."""


class Routes:
    """Every row of the endpoint table, and the read-only routes.

    `status()` is the bridge's; `replaced` are the actions whose flow is another's, which need no
    arguments.
    """

    def __init__(
        self,
        probe: LoginProbe,
        dispatch: Dispatch,
        action: MakeAction,
        verification: Verification,
        status: Callable[[], Mapping[str, Any]],
        replaced: frozenset[str] = frozenset(),
    ) -> None:
        self._probe = probe
        self._dispatch = dispatch
        self._action = action
        self._verification = verification
        self._status = status
        self._replaced = replaced
        self._read_only: Mapping[str, Callable[[], Awaitable[Mapping[str, Any]]]] = {
            "qr_wait": self._qr_wait,
            "status": self._full_status,
            "diagnostic": self._diagnostic,
        }

    async def call(
        self, name: str, args: Mapping[str, Any], on_submit: OnSubmit | None = None
    ) -> Reply:
        """Answer a request to a route: a key of `ENDPOINTS` or of `READ_ONLY`.

        `on_submit` gets what the caller waits for as soon as the action is submitted. Raises
        nothing but its own cancellation and the refusals of a world.
        """
        if name not in ENDPOINTS and name not in self._read_only:
            return reply.refused(404, reply.NOT_FOUND, f"no route {name!r}")
        try:
            if name in self._read_only:
                return reply.good(await self._read_only[name]())
            return await self._act(name, args, on_submit)
        except BridgeError as error:
            return reply.of_error(error)
        except asyncio.CancelledError:
            if cancellation.is_own():
                raise  # the caller hung up; else the action was cancelled by somebody
            return reply.refused(500, reply.CANCELLED, "the action was cancelled")
        except WindtunnelError:
            raise
        except Exception as error:
            logger.exception("route %s failed", name)
            return reply.of_error(error)

    async def _act(self, name: str, args: Mapping[str, Any], on_submit: OnSubmit | None) -> Reply:
        if name not in self._replaced and (missing := missing_arguments(name, args)):
            message = f"{name} needs {', '.join(missing)}"
            return reply.refused(400, reply.BAD_REQUEST, message)
        endpoint = ENDPOINTS[name]
        if endpoint.probe:
            await self._probe.require_login()
        before = await self._baseline(name, args)
        answer = self._dispatch.submit(self._action(name, args), wait_ms=endpoint.wait_ms)
        if on_submit is not None:
            on_submit(answer)
        result = await answer
        if before is not None and self._verification.is_open:
            self._verification.begin(name, before)
        return reply.good(_body(result))

    async def _baseline(self, name: str, args: Mapping[str, Any]) -> Baseline | None:
        """Return what the verification compares with; None for what is not verified."""
        if name not in VERIFIED or name in self._replaced:
            return None
        return await self._verification.baseline(str(args["to"]))

    async def _qr_wait(self) -> Mapping[str, Any]:
        state = await self._probe.look()
        return {"state": state, "logged_in": state == "logged_in"}

    async def _full_status(self) -> Mapping[str, Any]:
        return {**self._status(), "wechat": await self._probe.alive()}

    async def _diagnostic(self) -> Mapping[str, Any]:
        alive = await self._probe.alive()
        return {"wechat": alive, "state": await self._probe.look()}


def _body(result: object) -> Mapping[str, Any]:
    """Return what a flow's result is called in a reply: a pid, a picture, or nothing."""
    if isinstance(result, bool | str) or result is None:
        return {"ok": True}
    if isinstance(result, int):
        return {"ok": True, "pid": result}
    return {"ok": True, "image": result} if isinstance(result, Frame) else {"ok": True}

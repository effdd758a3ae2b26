"""The calling: what each call of the timeline reaches, and how its end is recorded.

Imports the programs, the owner, the wire and the trace.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import asdict
from types import MappingProxyType
from typing import Any, Final

from windtunnel.errors import PluginError, WindtunnelError, WorldError
from windtunnel.ports.hosts import HostPorts
from windtunnel.ports.network import Request
from windtunnel.services import cancellation
from windtunnel.services.backend.backend import Backend
from windtunnel.services.wire.addresses import (
    DISPATCHER_URL,
    HEALTH_PATH,
    OVERVIEW_PATH,
    TASK_PATH,
)
from windtunnel.services.wire.task import Task
from windtunnel.systems.base import Operation
from windtunnel.systems.router.owner import Owner
from windtunnel.systems.router.programs import Programs
from windtunnel.trace import Outcome, Trace

logger = logging.getLogger(__name__)

BOUND_S: Final = 60.0
"""Of a call: one of a program that is down, or cut off, has failed then."""
OK: Final = 200
Call = Callable[[Any], Awaitable[Any]]


class CallError(WindtunnelError):
    """A call was answered, and not as it should be."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


class Calling:
    """Makes the calls of the timeline."""

    def __init__(self, trace: Trace, programs: Programs, owner: Owner) -> None:
        self._trace = trace
        self._programs = programs
        self._owner = owner
        self._calls: Mapping[str, Call] = MappingProxyType(
            {
                "backend.health": self._health,
                "backend.refresh_token": self._refresh_token,
                "backend.submit_again": self._submit_again,
                "backend.query": self._query,
                "dispatcher.health": lambda _: self._get(HEALTH_PATH),
                "dispatcher.overview": self._overview,
            }
        )

    async def make(self, operation: Operation) -> None:
        """Make a call; what it returns or raises is recorded as `call.ended`.

        Raises the `WorldError` or `PluginError` for which no verdict can rest on what was seen.
        """
        name = operation.name
        self._trace.record("call.started", operation.id, class_=name)
        outcome, details = await self._ending(operation)
        self._trace.record(
            "call.ended", operation.id, class_=name, outcome=outcome, details=details
        )

    async def _ending(self, operation: Operation) -> tuple[str, dict[str, Any]]:
        """Make a call; return its outcome, and what its end keeps of what it returned or raised."""
        try:
            async with asyncio.timeout(BOUND_S):
                result = await self._calls[operation.name](operation.args)
        except (WorldError, PluginError):
            raise
        except asyncio.CancelledError:
            if cancellation.is_own():
                raise
            return Outcome.ABORTED, {"error": "CancelledError"}
        except Exception as error:
            details: dict[str, Any] = {"error": type(error).__name__}
            if isinstance(code := getattr(error, "code", None), str):
                details["code"] = code
            elif not isinstance(error, WindtunnelError | TimeoutError):
                logger.exception("the call %s (%s) raised", operation.id, operation.name)
            return Outcome.FAILED, details
        return Outcome.DONE, {"result": result}

    # ------------------------------------------------------------------ in the backend's process

    async def _health(self, _: Any) -> Mapping[str, Any]:  # noqa: ANN401 - no arguments
        """Return the cached verdict of the HTTP health checks (RT-H5), without a request."""
        return asdict(self._backend().http_health.verdict())

    async def _refresh_token(self, _: Any) -> bool:  # noqa: ANN401 - no arguments
        """Obtain a new token (RT-J1); what it is stays where it is."""
        await self._backend().tokens.refresh()
        return True

    async def _submit_again(self, args: Any) -> bool:  # noqa: ANN401 - calls.OfTask
        """Hand a task over once more, as an owner who is not sure does (RT-R3)."""
        await self._backend().submit(self._task(args.task))
        return True

    # ------------------------------------------------------------------ requests to the dispatcher

    async def _query(self, args: Any) -> Any:  # noqa: ANN401 - calls.OfTask; a JSON value
        """Return what the dispatcher says of a task."""
        request = f"md-{self._task(args.task).id}"
        answer = await self._get(f"{TASK_PATH}?requestId={request}", token=True)
        return answer["data"]

    async def _overview(self, _: Any) -> Any:  # noqa: ANN401 - no arguments; a JSON value
        """Return the summary of the dispatcher's capacity."""
        answer = await self._get(OVERVIEW_PATH, token=True)
        return answer["data"]["summary"]

    async def _get(self, path: str, *, token: bool = False) -> Any:  # noqa: ANN401 - a JSON value
        """Ask the dispatcher from the backend's host; raises `CallError` unless it says yes."""
        headers = {"apikey": self._backend().tokens.token()} if token else {}
        request = Request("GET", DISPATCHER_URL + path, headers=headers)
        response = await self._host().network.request(request)
        if response.status != OK:
            raise CallError(str(response.status))
        return response.body

    def _backend(self) -> Backend:
        return self._life()[0]

    def _host(self) -> HostPorts:
        return self._life()[1]

    def _life(self) -> tuple[Backend, HostPorts]:
        life = self._programs.backend
        if life is None or not life[1].alive():
            raise CallError("DOWN")
        return life

    def _task(self, id_: str) -> Task:
        task = self._owner.task(id_)
        if task is None:
            raise PluginError(f"{id_} has not been submitted")
        return task

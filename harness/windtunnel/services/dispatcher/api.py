"""The API: the dispatcher's endpoints (RT-A4).

Imports the access tokens, the cache queue, the scheduling, the reports and the wire.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final
from urllib.parse import parse_qs, urlsplit

from windtunnel.ports.network import Request, Response
from windtunnel.ports.store import StoreError
from windtunnel.services.clock import now_ns
from windtunnel.services.dispatcher.access_tokens import AccessTokens
from windtunnel.services.dispatcher.bridges import Bridges
from windtunnel.services.dispatcher.entry import new_entry
from windtunnel.services.dispatcher.letter import request_id
from windtunnel.services.dispatcher.reports import Reports
from windtunnel.services.dispatcher.scheduling import Scheduling
from windtunnel.services.dispatcher.shared import Shared
from windtunnel.services.wire.addresses import (
    HEALTH_PATH,
    LOGIN_PATH,
    OVERVIEW_PATH,
    TASK_PATH,
    path_of,
)
from windtunnel.services.wire.task import OWN_ID, WEBHOOK, wrong_form

VERSION: Final = "1"
"""Of this interface (RT-K1)."""

OK: Final = 200
WRONG_FORM: Final = 400
STRANGER: Final = 401
NOT_THERE: Final = 404
FULL: Final = 429
FAULT: Final = 500
UNABLE: Final = 503

STATUSES: Final[Mapping[str | None, str]] = {
    "pending": "PENDING",
    "processing": "RUNNING",
    "offered": "OFFERED",
    None: "UNKNOWN",
}
"""Where a task is → what a query is told."""


class Api:
    """Answers requests; each answer is `{success, data}` or `{success, code, error}`."""

    def __init__(
        self,
        shared: Shared,
        tokens: AccessTokens,
        bridges: Bridges,
        scheduling: Scheduling,
        reports: Reports,
    ) -> None:
        self._tokens = tokens
        self._queue = shared.queue
        self._instances = shared.instances
        self._bridges = bridges
        self._scheduling = scheduling
        self._reports = reports
        self._watch_pending = shared.watch_pending
        self._troubles = shared.troubles
        self._note = shared.note
        self._change = shared.change
        self._routes: Mapping[tuple[str, str], Callable[[Request], Awaitable[Response]]] = {
            ("POST", TASK_PATH): self._submit,
            ("GET", TASK_PATH): self._query,
            ("GET", HEALTH_PATH): self._health,
            ("GET", OVERVIEW_PATH): self._overview,
            ("POST", LOGIN_PATH): self._log_in,
        }

    async def handle(self, request: Request) -> Response:
        """Answer a request; never raises but for its own cancellation (RT-X2)."""
        route = self._routes.get((request.method, path_of(request.url)))
        if route is None:
            return _refusal(NOT_THERE, "there is no such endpoint")
        try:
            return await route(request)
        except (StoreError, MemoryError) as error:
            self._troubles.met(error)
            return _refusal(UNABLE, self._troubles.refuse() or str(error))
        except Exception as error:  # noqa: BLE001 - one request may not end the service
            self._troubles.met(error)
            return _refusal(FAULT, type(error).__name__)

    async def _log_in(self, request: Request) -> Response:
        body = request.body if isinstance(request.body, Mapping) else {}
        issued = self._tokens.log_in(body.get("username"), body.get("password"), now_ns())
        if issued is None:
            return _refusal(STRANGER, "name or password are wrong")
        token, lifetime = issued
        return _success({"access_token": token, "expires_in": lifetime})

    async def _submit(self, request: Request) -> Response:
        if not self._is_known(request):
            return _refusal(STRANGER, "the token is missing, expired or not ours")
        body = request.body
        wrong = _wrong_submission(body)
        if wrong is not None:
            return _refusal(WRONG_FORM, wrong)
        why = self._troubles.refuse()
        if why is not None:
            return _refusal(UNABLE, why)
        assert body is not None
        return await self._accept(body[OWN_ID], body)

    async def _accept(self, id_: str, body: Mapping[str, Any]) -> Response:
        try:
            entry = new_entry(id_, body, now_ns())
        except (TypeError, ValueError) as error:
            return _refusal(WRONG_FORM, f"the body is no JSON: {error}")
        accepted = await self._queue.accept(entry)
        if accepted == "full":
            return _refusal(FULL, "the queue is full")
        if accepted == "repeated":
            self._note("task.repeated", id_, {})
        else:
            pending = len(self._queue.tables.pending)
            self._note("task.accepted", id_, {"pending": pending})
            self._watch_pending(entry)
            self._scheduling.ask()
            self._change.set()
        name = request_id(id_)
        return _success({"requestId": name, "taskId": id_, "report": self._reports.counts_from()})

    async def _query(self, request: Request) -> Response:
        if not self._is_known(request):
            return _refusal(STRANGER, "the token is missing, expired or not ours")
        asked = parse_qs(urlsplit(request.url).query).get("requestId", [""])[0]
        prefix = request_id("")
        id_ = asked.removeprefix(prefix)
        if not asked.startswith(prefix) or not id_:
            return _refusal(WRONG_FORM, "`requestId` is missing or not one of ours")
        await self._queue.load()  # before it has been read nothing is known of any task
        return _success({"requestId": asked, OWN_ID: id_, **self._state_of(id_)})

    def _state_of(self, id_: str) -> Mapping[str, Any]:
        place = self._queue.place_of(id_)
        text = None if place is not None else self._queue.tables.completed.get(id_)
        if text is None:
            return {"status": STATUSES[place]}
        ended = json.loads(text)
        return {name: ended[name] for name in ("status", "result", "error") if name in ended}

    async def _health(self, request: Request) -> Response:  # noqa: ARG002 - a route's shape
        degraded = self._troubles.refuse() is not None
        health = {
            "status": "degraded" if degraded else "ok",
            "bridges": len(self._bridges),
            "onlineInstances": self._instances.online,
            "version": VERSION,
        }
        return Response(OK, health)

    async def _overview(self, request: Request) -> Response:
        if not self._is_known(request):
            return _refusal(STRANGER, "the token is missing, expired or not ours")
        return _success(self._reports.overview())

    def _is_known(self, request: Request) -> bool:
        return self._tokens.is_valid(request.headers.get("apikey"), now_ns())


def _wrong_submission(body: Mapping[str, Any] | None) -> str | None:
    """Tell what is wrong with a submission, or None (RT-K1)."""
    wrong = wrong_form(body)
    if wrong is not None or body is None:
        return wrong
    if not isinstance(body.get(OWN_ID), str) or not body[OWN_ID]:
        return f"`{OWN_ID}` must be a text that is not empty"
    if not isinstance(body.get(WEBHOOK, ""), str):
        return f"`{WEBHOOK}` must be a text"
    return None


def _success(data: Any) -> Response:  # noqa: ANN401 - a JSON value
    return Response(OK, {"success": True, "data": data})


def _refusal(status: int, error: str) -> Response:
    return Response(status, {"success": False, "code": status, "error": error})

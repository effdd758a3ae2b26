"""The dispatcher's adapter: its answers in the external platform's form (RT-A1 to A4, A6).

Imports the form of an adapter and the addresses.
"""

from __future__ import annotations

from typing import Any, Final
from urllib.parse import quote

from windtunnel.ports.network import Request, Response
from windtunnel.services.backend.adapters.adapter import (
    KEY_HEADER,
    TaskResult,
    TaskStatus,
    fields_of,
    refusal,
    status_of,
    task_body,
    text_of,
)
from windtunnel.services.wire.addresses import TASK_PATH
from windtunnel.services.wire.task import Task

OK: Final = 200
REQUEST_PREFIX: Final = "md-"
"""How the dispatcher names a task: by this and our own id."""
STATUSES: Final[dict[str, TaskStatus]] = {
    "PENDING": "RUNNING",
    "RUNNING": "RUNNING",
    "SUCCESS": "SUCCESS",
    "FAILED": "FAILED",
    "EXPIRED": "EXPIRED",
    "OFFERED": "OFFERED",
    "UNKNOWN": "UNKNOWN",
}


class InternalAdapter:
    """The dispatcher at `url`."""

    def __init__(self, url: str) -> None:
        self._url = url

    def generate_url(self) -> str:
        """Return the URL to which a task is submitted."""
        return self._url + TASK_PATH

    def header(self, apikey: str) -> dict[str, str]:
        """Return the headers of every request."""
        return {KEY_HEADER: apikey}

    def body(self, task: Task, apikey: str, webhook_url: str) -> dict[str, Any]:
        """Return the body of a submission."""
        return task_body(task, apikey, webhook_url)

    def success_tasks(self, response: Response) -> dict[str, Any]:
        """Turn `{success: true, data: {requestId}}` into `{msg, code: 0, data: {taskId}}`."""
        said = fields_of(response.body)
        if response.status != OK or said.get("success") is not True:
            return refusal(said.get("code") or response.status, said.get("error", "refused"))
        request = fields_of(said.get("data")).get("requestId")
        if not isinstance(request, str) or not request:
            return refusal(None, "the answer has no `requestId`")
        return {"msg": "success", "code": 0, "data": {"taskId": request}}

    def task_result(self, response: Response) -> TaskResult | None:
        """Return what an answer says of a task."""
        said = fields_of(response.body)
        if response.status != OK or said.get("success") is not True:
            return None
        data = fields_of(said.get("data"))
        status = status_of(data.get("status"), STATUSES)
        if status is None:
            return None
        return TaskResult(status, data.get("result"), text_of(data.get("error")))

    def query_url(self, request_id: str) -> str:
        """Return the URL at which a task is asked for."""
        return f"{self._url}{TASK_PATH}?requestId={quote(request_id, safe='')}"

    def query(self, request_id: str, apikey: str) -> Request:
        """Return the request that asks for a task."""
        return Request("GET", self.query_url(request_id), None, self.header(apikey))


def counted_from(response: Response) -> int | None:
    """Return the report from which on an accepted task counts as busy; None where none is said."""
    report = fields_of(fields_of(response.body).get("data")).get("report")
    return report if isinstance(report, int) and not isinstance(report, bool) else None

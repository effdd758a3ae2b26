"""The external platform's adapter; it knows of no other platform (RT-A5).

Says no with status 200 and a code in the body (F-R25). Imports the form of an adapter.
"""

from __future__ import annotations

from typing import Any, Final

from windtunnel.ports.network import Request, Response
from windtunnel.services.backend.adapters.adapter import (
    KEY_FIELD,
    KEY_HEADER,
    TaskResult,
    TaskStatus,
    fields_of,
    refusal,
    status_of,
    task_body,
    text_of,
)
from windtunnel.services.wire.addresses import CREATE_PATH, OUTPUTS_PATH
from windtunnel.services.wire.task import Task

OK: Final = 200
CAPACITY_CODES: Final = frozenset({415, 421})
"""The codes of "no instance is free" and "the queue is full": no fault of the task's."""
WRONG_FORM_CODE: Final = 301
STATUSES: Final[dict[str, TaskStatus]] = {
    "SUCCESS": "SUCCESS",
    "FAILED": "FAILED",
    "RUNNING": "RUNNING",
    "QUEUED": "RUNNING",
}


class ExternalAdapter:
    """The external platform at `url`."""

    def __init__(self, url: str) -> None:
        self._url = url

    def generate_url(self) -> str:
        """Return the URL to which a task is submitted."""
        return self._url + CREATE_PATH

    def header(self, apikey: str) -> dict[str, str]:
        """Return the headers of every request."""
        return {KEY_HEADER: apikey}

    def body(self, task: Task, apikey: str, webhook_url: str) -> dict[str, Any]:
        """Return the body of a submission."""
        return task_body(task, apikey, webhook_url)

    def success_tasks(self, response: Response) -> dict[str, Any]:
        """Return the answer to a submission as it is, or as a refusal where it is none."""
        said = fields_of(response.body)
        if response.status != OK:
            return refusal(response.status, said.get("msg", "the platform failed"))
        request = fields_of(said.get("data")).get("taskId")
        if said.get("code") != 0:
            return refusal(said.get("code"), said.get("msg", "refused without a reason"))
        if not isinstance(request, str) or not request:
            return refusal(None, "the answer has no `taskId`")
        return {"msg": str(said.get("msg", "success")), "code": 0, "data": {"taskId": request}}

    def task_result(self, response: Response) -> TaskResult | None:
        """Return what an answer says of a task; a code that is not 0: it has no such task."""
        said = fields_of(response.body)
        if response.status != OK or "code" not in said:
            return None
        if said["code"] != 0:
            return TaskResult("UNKNOWN", error=text_of(said.get("msg")))
        data = fields_of(said.get("data"))
        status = status_of(data.get("status"), STATUSES)
        if status is None:
            return None
        return TaskResult(status, data.get("result"), text_of(data.get("error")))

    def query_url(self, request_id: str) -> str:  # noqa: ARG002 - the body names the task
        """Return the URL at which a task is asked for."""
        return self._url + OUTPUTS_PATH

    def query(self, request_id: str, apikey: str) -> Request:
        """Return the request that asks for a task."""
        body = {KEY_FIELD: apikey, "taskId": request_id}
        return Request("POST", self.query_url(request_id), body, self.header(apikey))

"""The adapter: what the backend needs to know of a platform to speak with it (RT-A1, A6).

Imports the network port and the wire form of a task.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, Protocol

from windtunnel.ports.network import Request, Response
from windtunnel.services.wire.task import OWN_ID, WEBHOOK, Task

TaskStatus = Literal["RUNNING", "SUCCESS", "FAILED", "EXPIRED", "OFFERED", "UNKNOWN"]

KEY_HEADER: Final = "apikey"
KEY_FIELD: Final = "apiKey"
"""The one field in which the bodies for the two platforms differ (RT-A2)."""
BAD_ANSWER: Final = -1
"""The code of an answer that is none."""


@dataclass(frozen=True, slots=True)
class TaskResult:
    """What a platform says of a task when it is asked."""

    status: TaskStatus
    """RUNNING: it is there and not over; UNKNOWN: the platform has no such task."""
    result: Any = None
    error: str | None = None


class PlatformAdapter(Protocol):
    """One platform; `apikey` is its key, or the token in the place of one."""

    def generate_url(self) -> str:
        """Return the URL to which a task is submitted."""

    def header(self, apikey: str) -> dict[str, str]:
        """Return the headers of every request."""

    def body(self, task: Task, apikey: str, webhook_url: str) -> dict[str, Any]:
        """Return the body of a submission: the task's own fields, unchanged, and ours (RT-A2)."""

    def success_tasks(self, response: Response) -> dict[str, Any]:
        """Return the answer to a submission as `{msg, code, data: {taskId}}` (RT-A3).

        `code` is 0 where the platform has taken the task, and only then is there a `taskId`.
        """

    def task_result(self, response: Response) -> TaskResult | None:
        """Return what an answer to `query` says; None where it says nothing of the task."""

    def query_url(self, request_id: str) -> str:
        """Return the URL at which a task is asked for."""

    def query(self, request_id: str, apikey: str) -> Request:
        """Return the request that asks for a task."""


def submission(adapter: PlatformAdapter, task: Task, apikey: str, webhook_url: str) -> Request:
    """Return the request that submits a task to a platform."""
    body = adapter.body(task, apikey, webhook_url)
    return Request("POST", adapter.generate_url(), body, adapter.header(apikey))


def task_body(task: Task, apikey: str, webhook_url: str) -> dict[str, Any]:
    """Return a task's own fields with ours, which go over any of the same name."""
    return {**task.body, KEY_FIELD: apikey, WEBHOOK: webhook_url, OWN_ID: task.id}


def refusal(code: object, why: object) -> dict[str, Any]:
    """Return the form of an answer that has not taken a task; its code is not 0."""
    known = isinstance(code, int) and not isinstance(code, bool) and code != 0
    return {"msg": str(why), "code": code if known else BAD_ANSWER, "data": {}}


def fields_of(value: object) -> Mapping[str, Any]:
    """Return a JSON object, or an empty one in the place of anything else."""
    return value if isinstance(value, Mapping) else {}


def status_of(value: object, known: Mapping[str, TaskStatus]) -> TaskStatus | None:
    """Return what a platform's own word for a status means; None where it is none of its words."""
    return known.get(value) if isinstance(value, str) else None


def text_of(value: object) -> str | None:
    """Return a text as it is, None for none, and the text of anything else."""
    return value if value is None or isinstance(value, str) else str(value)

"""The external platform: an HTTP service of somebody else's that works on tasks for a price.

It answers each request with status 200 and a code in the body (F-R25), knows no task a second time,
and calls the webhook of each once. Imports the ports of a host, the wire, the work and the log of
accesses.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final
from urllib.parse import urlsplit

from windtunnel.ports.hosts import HostPorts
from windtunnel.ports.network import Request, Response, UnreachableError
from windtunnel.services.wire import task as wire
from windtunnel.services.wire.addresses import CREATE_PATH, EXTERNAL, EXTERNAL_PORT, OUTPUTS_PATH
from windtunnel_models.access import AccessLog
from windtunnel_models.cluster.work import Work, Workshop, wrong_work

SLOTS: Final = "external.slots"
"""What its accesses are reported as."""
KEPT: Final = 10_000
"""So many tasks that are over can still be asked for."""
WEBHOOK_S: Final = 30.0
"""How long it waits for the answer of a webhook, which makes no difference to it."""
LOST: Final = "lost by the platform"
"""The error of what it worked on when it went down."""

OK: Final = 0
WRONG_FORM: Final = 301
FULL: Final = 421
NO_SUCH_TASK: Final = 807

RUNNING: Final = "RUNNING"


@dataclass(slots=True, eq=False)
class Job:
    """A task that the platform has taken."""

    id: str
    body: Mapping[str, Any]
    status: str = RUNNING
    """RUNNING, SUCCESS or FAILED."""
    said: Mapping[str, str] = field(default_factory=dict)
    """`result` or `error`, once it is over."""
    work: Work | None = None


class ExternalPlatform:
    """The platform, with so many slots; somebody else may occupy some of them.

    When its host crashes what it works on is lost: nobody is called, and whoever asks is told.
    """

    def __init__(self, shop: Workshop, log: AccessLog, slots: int) -> None:
        self._shop = shop
        self._log = log
        self._slots = slots
        self._occupied: dict[str, int] = {}
        self._running: dict[str, Job] = {}
        self._over: dict[str, Job] = {}
        self._to_call: deque[Job] = deque()
        self._wake = asyncio.Event()
        self._taken = 0
        answers: dict[str, Callable[[Mapping[str, Any]], dict[str, Any]]] = {
            CREATE_PATH: self._create,
            OUTPUTS_PATH: self._outputs,
        }
        self._answers = answers

    # ------------------------------------------------------------------ its program

    async def run(self, ports: HostPorts) -> None:
        """Be the program of a host until it is cancelled."""
        ports.network.serve(EXTERNAL_PORT, self.answer)
        try:
            async with asyncio.TaskGroup() as group:
                while True:
                    while self._to_call:
                        group.create_task(_call(ports, self._to_call.popleft()))
                    self._wake.clear()
                    await self._wake.wait()
        finally:
            if not ports.alive():
                self._lose_all()

    async def answer(self, request: Request) -> Response:
        """Answer a request; 404 and 405 where there is nothing to post to."""
        found = self._answers.get(urlsplit(request.url).path)
        if found is None:
            return Response(404)
        if request.method != "POST":
            return Response(405)
        return Response(200, found(request.body or {}))

    def _create(self, body: Mapping[str, Any]) -> dict[str, Any]:
        if (wrong := wire.wrong_form(body) or wrong_work(body)) is not None:
            return {"code": WRONG_FORM, "msg": wrong}
        self._log.report(SLOTS, "read")
        if self.free <= 0:
            return {"code": FULL, "msg": "queue full"}
        self._log.report(SLOTS, "write")
        self._taken += 1
        job = Job(f"{EXTERNAL}-{self._taken}", body)
        self._running[job.id] = job
        job.work = Work(self._shop, "external", EXTERNAL, body, partial(self._end, job))
        return {"code": OK, "msg": "success", "data": {"taskId": job.id}}

    def _outputs(self, body: Mapping[str, Any]) -> dict[str, Any]:
        self._log.report(SLOTS, "read")
        id_ = str(body.get("taskId"))
        job = self._running.get(id_) or self._over.get(id_)
        if job is None:
            return {"code": NO_SUCH_TASK, "msg": f"no task {id_}"}
        return {"code": OK, "msg": "success", "data": {"status": job.status, **job.said}}

    # ------------------------------------------------------------------ its slots

    @property
    def free(self) -> int:
        """How many slots are free; below 0 when more are occupied than there are."""
        return self._slots - self.occupied - len(self._running)

    @property
    def occupied(self) -> int:
        """How many slots somebody else uses."""
        return sum(self._occupied.values())

    def occupy(self, slots: int, by: str) -> None:
        """Let somebody use so many slots; what runs already is let be."""
        self._log.report(SLOTS, "write")
        self._occupied[by] = slots

    def vacate(self, by: str) -> None:
        """Let go of somebody's slots; nothing happens if they have none."""
        self._log.report(SLOTS, "write")
        self._occupied.pop(by, None)

    def is_occupied_by(self, by: str) -> bool:
        """Tell whether somebody uses slots."""
        return by in self._occupied

    # ------------------------------------------------------------------ its tasks

    @property
    def ops(self) -> tuple[str, ...]:
        """Whose tasks it works on, in the order in which it took them."""
        return tuple(job.work.op for job in self._running.values() if job.work is not None)

    def repace(self) -> None:
        """Look at the pace of what it works on again."""
        for job in self._running.values():
            if job.work is not None:
                job.work.repace()

    def _end(self, job: Job, error: str | None) -> None:
        self._settle(job, error)
        self._to_call.append(job)
        self._wake.set()

    def _lose_all(self) -> None:
        self._to_call.clear()
        for job in tuple(self._running.values()):
            if job.work is not None:
                job.work.stop()
            self._settle(job, LOST)

    def _settle(self, job: Job, error: str | None) -> None:
        self._log.report(SLOTS, "write")
        del self._running[job.id]
        job.work = None
        job.status = wire.SUCCESS if error is None else wire.FAILED
        job.said = {"result": wire.result_of(job.body)} if error is None else {"error": error}
        self._over[job.id] = job
        if len(self._over) > KEPT:
            del self._over[next(iter(self._over))]


async def _call(ports: HostPorts, job: Job) -> None:
    """Call the webhook of a task that is over, once: what comes of it is the caller's business."""
    url = job.body.get(wire.WEBHOOK)
    if not isinstance(url, str):
        return
    body = {
        "taskId": job.id,
        wire.OWN_ID: job.body.get(wire.OWN_ID),
        "status": job.status,
        **job.said,
    }
    try:
        async with asyncio.timeout(WEBHOOK_S):
            await ports.network.request(Request("POST", url, body))
    except (UnreachableError, TimeoutError):
        pass

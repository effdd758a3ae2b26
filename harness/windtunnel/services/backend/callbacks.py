"""The callbacks: the webhook that both platforms call when a task is over (RT-D3, RT-D5).

Imports the ledger, the results, the fallback and the wire.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from windtunnel.ports.network import Request, Response
from windtunnel.services.backend.adapters.adapter import text_of
from windtunnel.services.backend.entry import OVER
from windtunnel.services.backend.fallback import Fallback
from windtunnel.services.backend.ledger import Ledger
from windtunnel.services.backend.results import ENDS, Results
from windtunnel.services.note import Note
from windtunnel.services.wire.addresses import BACKEND, path_of
from windtunnel.services.wire.task import OFFERED, OWN_ID

OK: Final = Response(200, {"ok": True})
BAD_REQUEST: Final = Response(400, {"ok": False, "error": "no webhook of a task"})
NOT_FOUND: Final = Response(404, {"ok": False, "error": "there is the webhook alone"})
NOT_STORED: Final = Response(503, {"ok": False, "error": "the store is down: say it again"})


class Callbacks:
    """Answers POST at the path of `url`; 200 only once the store has what was said."""

    def __init__(
        self, ledger: Ledger, results: Results, fallback: Fallback, note: Note, url: str
    ) -> None:
        self._ledger = ledger
        self._results = results
        self._fallback = fallback
        self._note = note
        self._path = path_of(url)

    async def handle(self, request: Request) -> Response:
        """Answer one request."""
        if request.method != "POST" or path_of(request.url) != self._path:
            return NOT_FOUND
        body = request.body
        if not isinstance(body, Mapping):
            return self._broken()
        id_, status = body.get(OWN_ID), body.get("status")
        if not isinstance(id_, str) or not isinstance(status, str):
            return self._broken()
        if status == OFFERED:
            return await self._offered(id_)
        if status not in ENDS:
            return self._broken()
        error = text_of(body.get("error"))
        self._results.take(id_, str(body.get("taskId", "")), status, body.get("result"), error)
        # Also for a repetition: the first may not be stored yet.
        return OK if await self._results.keep() else NOT_STORED

    async def _offered(self, id_: str) -> Response:
        """Take an offered task over, or not; the same answer to the same offer said again."""
        entry = self._ledger.entry(id_)
        taken = (
            # A task that is over needs nobody to do it again.
            self._ledger.place(id_) in OVER
            or self._ledger.taken_over(id_)
            or (entry is not None and self._fallback.offered(entry))
        )
        if not await self._results.keep():
            return NOT_STORED
        return Response(200, {"ok": True, "taken": taken})

    def _broken(self) -> Response:
        details: dict[str, Any] = {"party": BACKEND, "why": "broken"}
        self._note("message.ignored", "", details)
        return BAD_REQUEST

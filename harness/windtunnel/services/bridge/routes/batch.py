"""The batch worker: a list of sends, one after another, through the orchestrator.

Imports errors, who acts and the orchestrator.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count

from windtunnel.acting import acting, on_behalf
from windtunnel.errors import BridgeError, WorldError
from windtunnel.services import cancellation
from windtunnel.services.bridge.routes.orchestrator import FlowOrchestrator

logger = logging.getLogger("windtunnel.batch")


@dataclass(frozen=True, slots=True)
class Send:
    """One item of a batch: a text to a contact, or a file where `file` is given."""

    to: str
    text: str = ""
    file: str = ""


@dataclass(frozen=True, slots=True)
class SendResult:
    """What became of one item."""

    index: int
    to: str
    ok: bool
    code: str | None = None
    """The code of a `BridgeError`, else the error's type; None where it went well."""
    retry_after: int | None = None
    """Seconds."""


class BatchWorker:
    """Runs batches. An item that fails is in the results; the others are sent all the same."""

    def __init__(self, orchestrator: FlowOrchestrator) -> None:
        self._orchestrator = orchestrator
        self._batches = count()

    async def run(self, sends: Sequence[Send], gap_s: float = 0.0) -> list[SendResult]:
        """Send item after item with `gap_s` seconds between the end of one and the next.

        Each acts as an operation of its own: `OP.N` of the batch's. Returns a result per item, in
        their order.
        """
        outer = acting.get()
        number = next(self._batches)
        op = f"batch-{number}" if outer is None else outer.op
        actor = "batch" if outer is None else outer.actor
        results: list[SendResult] = []
        for index, send in enumerate(sends):
            if index and gap_s > 0:
                await asyncio.sleep(gap_s)
            with on_behalf(f"{op}.{index}", "send_file" if send.file else "send_text", actor):
                results.append(await self._one(index, send))
        return results

    async def _one(self, index: int, send: Send) -> SendResult:
        try:
            if send.file:
                await self._orchestrator.send_file(send.to, send.file)
            else:
                await self._orchestrator.send_text(send.to, send.text)
        except WorldError:
            raise
        except BridgeError as error:
            return SendResult(
                index, send.to, ok=False, code=error.code, retry_after=error.retry_after
            )
        except (Exception, asyncio.CancelledError) as error:
            if cancellation.is_own():
                raise
            logger.exception("item %d of a batch failed", index)
            return SendResult(index, send.to, ok=False, code=type(error).__name__)
        return SendResult(index, send.to, ok=True)

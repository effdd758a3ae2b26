"""The background of a real loop: what failed there and nobody looked at fails the run.

Imports asyncio.
"""

from __future__ import annotations

import asyncio
import gc
import logging
from typing import Any, Final

_log: Final = logging.getLogger("asyncio")


class Background:
    """What failed in the background of one loop, in the order in which it was found."""

    def __init__(self) -> None:
        self._found: list[str] = []

    def watch(self, loop: asyncio.AbstractEventLoop) -> None:
        """Be told what the loop would only log."""
        loop.set_exception_handler(self._take)

    def _take(self, _loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        error = context.get("exception")
        if isinstance(error, BaseException):
            self._found.append(f"{context['message']}: {type(error).__name__}: {error}")
            _log.error("%s", context["message"], exc_info=error)
        else:
            _log.error("%s", context["message"])

    def failures(self) -> str:
        """Return what failed, one per line; a task in a cycle is told of once it is collected."""
        gc.collect()
        return "\n".join(self._found)

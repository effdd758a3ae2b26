"""Background failures: exceptions that nobody looked at, and what becomes of them.

Imports asyncio. In production such an exception is a line in a log; in a simulation it fails the
run. A handler that the user sets (`loop.set_exception_handler`) takes the failures instead.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterable
from typing import Any

from windtunnel_models.errors import BackgroundError
from windtunnel_models.loop.naming import name_of, without_addresses

Context = dict[str, Any]
Handler = Callable[[asyncio.AbstractEventLoop, Context], object]

_log = logging.getLogger("asyncio")


class BackgroundFailures:
    """What failed in the background of one loop, in the order in which it was found."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self.handler: Handler | None = None
        self._loop = loop
        self._found: list[tuple[str, BaseException]] = []

    def report(self, context: Context) -> None:
        """Take an exception context as `loop.call_exception_handler` does."""
        if self.handler is None:
            self.keep(context)
            return
        try:
            _run_in_context_of(context, self.handler, self._loop)
        except (SystemExit, KeyboardInterrupt):
            raise
        except BaseException as error:  # noqa: BLE001 - as asyncio: a handler may not end the loop
            message = "Unhandled error in exception handler"
            self.keep({"message": message, "exception": error, "context": context})

    def keep(self, context: Context) -> None:
        """Keep an exception so that it fails the run; log what is no exception.

        After the loop was closed nothing can fail any more: then everything is logged.
        """
        error = context.get("exception")
        if isinstance(error, BaseException) and not self._loop.is_closed():
            self._found.append((_describe(context), error))
        else:
            info = error if isinstance(error, BaseException) else None
            _log.error("%s", _describe(context), exc_info=info)

    def look_at(self, tasks: Iterable[asyncio.Task[Any]]) -> None:
        """Report the failures of tasks that nobody retrieved.

        Tasks hidden in reference cycles are among them, without a garbage collection.
        """
        for task in tasks:
            if task.done() and task._log_traceback:  # noqa: SLF001 - the flag that asyncio itself goes by
                message = "Task exception was never retrieved"
                self.report({"message": message, "exception": task.exception(), "task": task})

    def settle(self, main: BaseException | None) -> None:
        """Raise BackgroundError for what was found, or note it on the error of the main task."""
        found, self._found = self._found, []
        if not found:
            return
        lines = [f"{message}: {error!r}" for message, error in found]
        if main is not None:
            for line in lines:
                main.add_note(f"in the background: {line}")
            return
        raise _background_error(lines) from found[0][1]


def _background_error(lines: list[str]) -> BackgroundError:
    error = BackgroundError(
        f"{lines[0]}\nAwait what may fail, or set an exception handler on the loop."
    )
    for line in lines[1:]:
        error.add_note(f"also: {line}")
    return error


def _describe(context: Context) -> str:
    """Return the context's message with the name of whom it concerns."""
    message = without_addresses(str(context.get("message") or "Unhandled exception in event loop"))
    subject = context.get("task") or context.get("event") or context.get("future")
    return message if subject is None else f"{message} ({name_of(subject)})"


def _run_in_context_of(context: Context, handler: Handler, loop: asyncio.AbstractEventLoop) -> None:
    """Call the handler in the contextvars context of the task or handle concerned."""
    concerned = context.get("task") or context.get("future") or context.get("handle")
    get_context = getattr(concerned, "get_context", None)
    run = get_context().run if get_context is not None else None
    if run is None:
        handler(loop, context)
    else:
        run(handler, loop, context)

"""Threads: refused where code in a simulated loop starts one or waits for one.

Imports asyncio. Virtual time does not wait for a real thread: the time-outs that its answer was to
prevent would have fired long before it calls in. So, while a simulated loop runs, its code can
neither start a thread (an executor's among them) nor turn the future of one into its own
(`asyncio.wrap_future`). Other threads and other loops notice nothing.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import threading
from asyncio import events, futures
from typing import Any

from windtunnel_models.errors import Unsupported
from windtunnel_models.loop.patches import Patch
from windtunnel_models.loop.refusals import THREAD, RefusingLoop

_start_thread = threading.Thread.start
_chain_futures = futures._chain_future  # type: ignore[attr-defined] # noqa: SLF001 - what wrap_future calls


def start(thread: threading.Thread) -> None:
    """Start a thread as always, but for code of a simulated loop: there, raise Unsupported."""
    if isinstance(events._get_running_loop(), RefusingLoop):  # noqa: SLF001 - the public name raises
        raise Unsupported(f"thread {thread.name!r} cannot be started in virtual time: {THREAD}")
    _start_thread(thread)


def chain_futures(source: Any, destination: Any) -> None:  # noqa: ANN401 - asyncio's futures or threads'
    """Chain futures as always, but a pending one of a thread to a simulated loop's: Unsupported."""
    if (
        isinstance(source, concurrent.futures.Future)
        and not source.done()
        and isinstance(destination, asyncio.Future)
        and isinstance(destination.get_loop(), RefusingLoop)
    ):
        raise Unsupported(f"the future of a thread cannot be had in virtual time: {THREAD}")
    _chain_futures(source, destination)


def _put() -> None:
    threading.Thread.start = start  # type: ignore[method-assign, assignment]
    vars(futures)["_chain_future"] = chain_futures


def _undo() -> None:
    threading.Thread.start = _start_thread  # type: ignore[method-assign]
    vars(futures)["_chain_future"] = _chain_futures


threads_refused = Patch(_put, _undo).applied
"""Let `start` and `chain_futures` stand for the real ones in the block; blocks may overlap."""

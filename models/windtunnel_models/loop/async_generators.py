"""Asynchronous generators of a loop: known from their first step, closed at the loop's end.

Imports asyncio. They are kept in the order of their first steps, so that closing them is the same
in every run.
"""

from __future__ import annotations

import asyncio
import itertools
import sys
import warnings
import weakref
from collections.abc import AsyncGenerator, Iterator
from contextlib import contextmanager
from typing import Any

AnyAsyncGenerator = AsyncGenerator[Any, Any]


class AsyncGenerators:
    """The generators alive in one loop."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._numbers = itertools.count()
        self._alive: weakref.WeakValueDictionary[int, AnyAsyncGenerator] = (
            weakref.WeakValueDictionary()
        )
        self._closed = False

    @contextmanager
    def hooked(self) -> Iterator[None]:
        """Let the interpreter report asynchronous generators here while the block runs."""
        before = sys.get_asyncgen_hooks()
        sys.set_asyncgen_hooks(firstiter=self._first_step, finalizer=self._finalize)
        try:
            yield
        finally:
            sys.set_asyncgen_hooks(*before)

    def _first_step(self, generator: AnyAsyncGenerator) -> None:
        if self._closed:
            warnings.warn(
                f"asynchronous generator {generator!r} was started after "
                "loop.shutdown_asyncgens() had been called",
                ResourceWarning,
                source=self._loop,
                stacklevel=2,
            )
        self._alive[next(self._numbers)] = generator

    def _finalize(self, generator: AnyAsyncGenerator) -> None:
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._loop.create_task, generator.aclose())

    async def shutdown(self) -> None:
        """Close all, the oldest first; failures go to the loop's exception handler."""
        self._closed = True
        closing = list(self._alive.values())
        self._alive.clear()
        results = await asyncio.gather(
            *[generator.aclose() for generator in closing], return_exceptions=True
        )
        for generator, result in zip(closing, results, strict=True):
            if isinstance(result, Exception):
                self._loop.call_exception_handler(
                    {
                        "message": "an error occurred during closing of asynchronous "
                        f"generator {generator!r}",
                        "exception": result,
                        "asyncgen": generator,
                    }
                )

"""The runner: `run`, to the simulated loop what `asyncio.run` is to asyncio's.

Imports asyncio.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

from windtunnel_models.errors import LoopError
from windtunnel_models.loop.sim_loop import SimLoop

T = TypeVar("T")


def run(main: Coroutine[Any, Any, T], *, seed: int = 0, debug: bool | None = None) -> T:
    """Run a coroutine in a new simulated loop and return its result.

    When it ends, the tasks left over are cancelled in the order of their creation and asynchronous
    generators are closed. `seed` becomes `loop.seed`. Raises what `main` raises; Deadlock, BusySpin
    or ForeignThread when the loop cannot go on; BackgroundError when something else failed and
    nobody looked (when `main` raises, such failures are notes on its error); RuntimeError inside a
    running loop; ValueError when `main` is no coroutine.
    """
    if asyncio._get_running_loop() is not None:  # noqa: SLF001 - the public name raises
        raise RuntimeError("windtunnel_models.run() cannot be called from a running event loop")

    def make_loop() -> SimLoop:
        loop = SimLoop()
        loop.seed = seed
        return loop

    first: BaseException | None = None
    try:
        with asyncio.Runner(debug=debug, loop_factory=make_loop) as runner:
            try:
                result = runner.run(main)
            except BaseException as error:
                first = error
                raise
            finally:
                _loop_of(runner).cancel_leftovers()
    except LoopError as error:
        if first is None or error is first:
            raise
        first.add_note(f"while the run was ended: {error}")
        raise first from first.__cause__
    return result


def _loop_of(runner: asyncio.Runner) -> SimLoop:
    loop = runner.get_loop()
    assert isinstance(loop, SimLoop)
    return loop

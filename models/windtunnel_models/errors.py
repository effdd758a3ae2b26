"""The errors of the simulated loop, one tree under `LoopError`.

Imports `windtunnel.errors` only.
"""

from __future__ import annotations

from windtunnel.errors import WorldError


class LoopError(WorldError):
    """The root of what the simulated loop raises on purpose."""


class Deadlock(LoopError):
    """Something is awaited and nothing is left to do; the message lists who waits for what."""


class BusySpin(LoopError):
    """Batch after batch ran at one instant and time did not advance."""


class ForeignThread(LoopError):
    """Another thread called into the loop; virtual time cannot wait for real threads."""


class Unsupported(LoopError, NotImplementedError):
    """Threads, sockets, processes and signals are real and cannot be had in virtual time."""


class BackgroundError(LoopError):
    """A task, callback or process failed and nobody looked; the first one is `__cause__`."""


class NotInteger(LoopError, TypeError):
    """A delay given to the SimPy environment is not an `int` of nanoseconds."""


class TaskCancelled(LoopError):
    """What a SimPy process sees when the asyncio task it waits for was cancelled."""


class WallLimit(LoopError):
    """Code ran longer, in real seconds, than `wall_limit` allows."""

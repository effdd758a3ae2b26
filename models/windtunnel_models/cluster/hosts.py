"""The hosts of the simulated world: each runs a program, which may crash and be started again.

Imports the network, stores, lives, the trace and the port.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from windtunnel.errors import FaultError, world_error_in
from windtunnel.ports.hosts import HostPorts, Moved, Program
from windtunnel.services import cancellation
from windtunnel.trace import Trace
from windtunnel_models.access import AccessLog
from windtunnel_models.cluster.host_store import HostStore
from windtunnel_models.cluster.lives import Life
from windtunnel_models.cluster.network import SimNetwork
from windtunnel_models.cluster.store import SimStore
from windtunnel_models.loop.environment import SimEnvironment

logger = logging.getLogger("windtunnel.hosts")

STOP_S: Final = 5.0
"""How long a program that is stopped may take; then it is killed."""
NO_ENVIRONMENT: Final[Mapping[str, Mapping[str, str]]] = MappingProxyType({})


@dataclass(slots=True)
class _Host:
    """A host that has, or had, something to run."""

    program: Program
    life: Life | None = None
    """The present life of its program; None while it is down."""
    task: asyncio.Task[None] | None = None
    stopping: bool = False
    """Whether it was asked to end for good."""


class SimHosts:
    """Implements `windtunnel.ports.hosts.Hosts`.

    A program that raises has crashed, which ends nothing else: its host stays down until `restart`
    or `start`. What raises `WorldError` ends the run. One that returns has ended, as if stopped.
    `environment`: host → its environment variables.
    """

    def __init__(
        self,
        env: SimEnvironment,
        trace: Trace,
        log: AccessLog,
        network: SimNetwork,
        environment: Mapping[str, Mapping[str, str]] = NO_ENVIRONMENT,
    ) -> None:
        self._env = env
        self._trace = trace
        self._log = log
        self._network = network
        self._environment = environment
        self._hosts: dict[str, _Host] = {}
        self._stores: dict[str, SimStore] = {}

    # ------------------------------------------------------------------ the port

    def start(self, name: str, program: Program) -> None:
        """See the port. Raises `ValueError` while the host has a program that runs."""
        if self.is_up(name):
            raise ValueError(f"the host `{name}` runs a program already")
        self._hosts[name] = _Host(program)
        self._begin(name)

    async def stop(self, name: str) -> None:
        """See the port; a program that takes longer is killed."""
        host = self._hosts.get(name)
        if host is None:
            return
        host.stopping = True
        if host.task is not None:
            host.task.cancel()
            await asyncio.wait({host.task}, timeout=STOP_S)
        self._forget(name, host)

    def watch(
        self, host: str, keys: Collection[str], told: Callable[[Sequence[Moved]], None]
    ) -> None:
        """See the port."""
        self.store(host).watch(keys, told)

    # ------------------------------------------------------------------ the world's side

    def crash(self, name: str) -> None:
        """Kill a host's program at this call; it stays down until it is started again.

        Raises `FaultError` where none runs.
        """
        host = self._hosts.get(name)
        if host is None or host.life is None:
            raise FaultError(f"the host `{name}` is not up at that instant; {self._tell_names()}")
        self._end(name, host)
        self._trace.record("host.crashed", resource=name, details={"why": "killed"})

    def restart(self, name: str) -> None:
        """Start a program that has crashed again; nothing happens if it runs or was stopped."""
        if name in self._hosts and not self.is_up(name):
            self._begin(name)

    def is_up(self, name: str) -> bool:
        """Tell whether a program runs on a host."""
        host = self._hosts.get(name)
        return host is not None and host.life is not None

    @property
    def names(self) -> tuple[str, ...]:
        """The hosts that have a program, running or crashed, in the order of their starts."""
        return tuple(self._hosts)

    def store(self, name: str) -> SimStore:
        """Return a host's store; it is there before the first program, and after the last."""
        if name not in self._stores:
            self._stores[name] = SimStore(self._env, self._log, name)
        return self._stores[name]

    # ------------------------------------------------------------------ lives

    def _begin(self, name: str) -> None:
        host = self._hosts[name]
        loop = self._env.loop
        life = host.life = Life(loop, name)
        ports = HostPorts(
            name,
            self._network.host(name, life),
            HostStore(self.store(name), life),
            self._environment.get(name, MappingProxyType({})),
            lambda: life.alive,
        )
        self._trace.record("host.started", resource=name)
        host.task = life.create_task(self._run(name, host, life, ports), name)
        loop.mark_daemon(host.task)  # it serves for ever: no news in a deadlock

    async def _run(self, name: str, host: _Host, life: Life, ports: HostPorts) -> None:
        try:
            await host.program(ports)
        except (Exception, asyncio.CancelledError) as error:
            if (broken := world_error_in(error)) is not None:
                raise broken from None  # the world cannot go on
            if not life.alive or host.stopping or _is_torn_down(error):
                raise
            logger.exception("the program of %s raised", name)
            self._end(name, host)
            why = {"why": "raised", "error": type(_first(error)).__name__}
            self._trace.record("host.crashed", resource=name, details=why)
        finally:
            if life.alive:
                self._forget(name, host)

    def _forget(self, name: str, host: _Host) -> None:
        """End a host's program for good; nothing happens if the host runs another."""
        if self._hosts.get(name) is host:
            self._end(name, host)
            del self._hosts[name]

    def _end(self, name: str, host: _Host) -> None:
        host.life = host.task = None
        self._network.kill(name)

    def _tell_names(self) -> str:
        return f"up are {', '.join(each for each in self._hosts if self.is_up(each)) or 'none'}"


def _is_torn_down(error: BaseException) -> bool:
    """Tell whether the loop ends a program, at the end of a run.

    No failure is ever that: a task counts as cancelled, on 3.11 and 3.12, after a group in it has
    failed (`TaskGroup` cancels the task that waits for it and forgets to take that back).
    """
    return isinstance(error, asyncio.CancelledError) and cancellation.is_own()


def _first(error: BaseException) -> BaseException:
    """Return the first single failure in a group, or the error itself."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error

"""The UI system under test, alive in a world: a whole bridge with its scheduler in the boundary.

Imports the bridge and its services, the boundary, `given`. What the timeline calls of it stands
in `calling`, requests to its routes in `requests`.
"""

from __future__ import annotations

from collections.abc import Awaitable, Coroutine, Mapping
from typing import Any, Final

from windtunnel import units
from windtunnel.acting import Acting, acting, on_behalf
from windtunnel.errors import PluginError, RequirementError
from windtunnel.policies.ui.priority import Priority
from windtunnel.ports import Ports
from windtunnel.services.bridge.bridge import Bridge
from windtunnel.systems.base import Operation, Setup
from windtunnel.systems.prometheus_samples import samples
from windtunnel.systems.ui.bridge_settings import bridge_settings
from windtunnel.systems.ui.calling import Calling
from windtunnel.systems.ui.calls import ROUTES
from windtunnel.systems.ui.given_flows import given_flows
from windtunnel.systems.ui.needs import OBSERVING, lacking
from windtunnel.systems.ui.plug import PluggedScheduler
from windtunnel.systems.ui.recorded import RecordedScheduler
from windtunnel.systems.ui.requests import Requests
from windtunnel.systems.ui.staging import stages
from windtunnel.trace import Trace

NO_ARGS: Final[Mapping[str, Any]] = {}
BRIDGE: Final = "bridge"
"""The operation and the actor of what the bridge does at its own start and end."""


class BridgeUnderTest:
    """A bridge between the ports of a world and the timeline.

    Raises `RequirementError` when the scheduler lacks what the cell needs, `PluginError` when the
    world lacks a port.
    """

    def __init__(self, setup: Setup, plugged: PluggedScheduler) -> None:
        _require_ports(setup.world.ports, setup.world.name)
        if missing := lacking(plugged, setup):
            raise RequirementError(f"{plugged.name} lacks {', '.join(missing)}")
        given, trace = setup.given, setup.world.trace
        self._name = plugged.name
        self._observed = bool(setup.checks & OBSERVING)
        self.scheduler = RecordedScheduler(
            plugged,
            trace,
            gate=setup.gate,
            stages=stages(given),
            started_by_bridge=given.scheduler.started,
        )
        self.bridge = Bridge(
            setup.world.ports,
            self.scheduler,
            bridge_settings(given),
            flows=given_flows(given),
            direct=self.scheduler.direct,
            note=_noting(trace),
        )
        self._requests = Requests(trace, self.bridge.routes)
        self._calling = Calling(trace, self.bridge, self.scheduler, plugged, self._requests)

    async def start(self) -> None:
        """Start the bridge; its scheduler too, unless the scenario starts it itself.

        Raises `PluginError` when the scheduler's own start fails.
        """
        with on_behalf(BRIDGE, "bridge.start", BRIDGE):
            await self.bridge.start()

    async def stop(self) -> None:
        """Stop the bridge; raises `PluginError` when its scheduler's own stop fails or hangs."""
        try:
            with on_behalf(BRIDGE, "bridge.stop", BRIDGE):
                await self.bridge.stop()
        except TimeoutError as error:
            raise PluginError(f"{self._name}: {error}") from error

    def submit(self, operation: Operation) -> Awaitable[None]:
        """Submit an operation now; the result is done when it and its caller have settled."""
        given, options = operation.args, operation.options
        args = NO_ARGS if given is None else given.__dict__
        asked, delay, wait = options.priority, options.delay_after, options.wait
        before = acting.set(Acting(operation.id, operation.name))
        try:
            self.bridge.dispatch.submit(
                self.bridge.action(operation.name, args),
                priority=None if asked is None else Priority[asked],
                delay_ms=None if delay is None else units.to_ms(delay),
                wait_ms=None if wait is None else units.to_ms(wait),
            )
        finally:
            acting.reset(before)
        crossing = self.scheduler.latest
        assert crossing is not None, "it has just been submitted"
        return crossing.closed

    def call(self, operation: Operation) -> Coroutine[Any, Any, None]:
        """Call a route or a service; over when what it submitted has settled too."""
        if operation.name in ROUTES:
            return self._requests.make(operation)
        return self._calling.make(operation)

    def observe(self) -> Mapping[str, Any]:
        """Return the observable values by name (`observables`).

        Status and Prometheus samples only where a check reads them.
        """
        metrics: Mapping[str, Any] = getattr(self.scheduler, "get_metrics", dict)()
        if not self._observed:
            return metrics
        exposed = samples(self.bridge.prometheus.collect())  # first: status sets the gauge (UI-M3)
        return {**metrics, "status": self.bridge.status(), **exposed}


def _noting(trace: Trace) -> Any:  # noqa: ANN401 - a Note
    def note(kind: str, op: str, details: Mapping[str, Any]) -> None:
        trace.record(kind, op, details=details)

    return note


def _require_ports(ports: Ports, world: str) -> None:
    for name in ("desktop", "processes", "records"):
        if getattr(ports, name) is None:
            raise PluginError(f"the {world} world has no port `{name}`, which the ui system needs")

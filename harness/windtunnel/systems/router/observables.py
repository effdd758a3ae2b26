"""The observables: what a scenario may read of backend and dispatcher, by name.

Where tasks are, by the stores (RT-R3); what the programs know; and every Prometheus sample by the
name that it is exposed under (RT-P3). What a program that is down knows is null. Imports the
programs, the places and the metrics' tables.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any, Final, Protocol, get_args

from prometheus_client.parser import text_string_to_metric_families

from windtunnel.policies.router.alerts import RULES
from windtunnel.services.backend import backend_metrics
from windtunnel.services.backend.entry import Side
from windtunnel.services.dispatcher import dispatcher_metrics
from windtunnel.systems.prometheus_samples import samples
from windtunnel.systems.router.places import CACHE, LEDGER, Places
from windtunnel.systems.router.programs import Programs

SENT: Final = ("to_internal", "to_external")
"""Tasks that a side has taken so far."""
PLACES: Final = (*LEDGER.values(), *CACHE.values())
"""Tasks that are there now; `done`, `failed`, `expired`, `completed`: that have come there."""
OF_BACKEND: Final = ("degraded", "capacity_internal", "capacity_external")
OF_DISPATCHER: Final = ("online", "busy", "available")
ALERTS: Final = "alerts"
"""Name of each alert → whether it is on (RT-X3)."""


class Observed(Protocol):
    """A program that tells figures."""

    def observe(self) -> Mapping[str, Any]:
        """Return its figures by name."""


def _exposed() -> tuple[str, ...]:
    """Return the names of the samples of both programs."""
    prefix = backend_metrics.PREFIX
    return (
        *(f"{prefix}{name}_total" for name in backend_metrics.COUNTERS),
        *(prefix + name for name in backend_metrics.GAUGES),
        *(name for name, _, _ in dispatcher_metrics.COUNTED.values()),
        *(name for name, _ in dispatcher_metrics.SHOWN.values()),
    )


SAMPLES: Final = _exposed()
OBSERVABLES: Final = frozenset({*SENT, *PLACES, *OF_BACKEND, *OF_DISPATCHER, ALERTS, *SAMPLES})


_WORDS: Final[Mapping[str, frozenset[str]]] = MappingProxyType(
    {
        "side": frozenset(get_args(Side)),
        "to": frozenset({*get_args(Side), "waiting"}),
        "alert": frozenset(name for name, _, _ in RULES),
        "ok": frozenset({"true", "false"}),
    }
)
"""Label → its values, where there are no others."""


def _parts() -> dict[str, tuple[frozenset[str] | None, ...]]:
    """Return observable → what each further part of its name may be; None: any label's value."""
    labels = {
        **{
            f"{backend_metrics.PREFIX}{name}_total": of
            for name, (_, of) in backend_metrics.COUNTERS.items()
        },
        **{name: of for name, _, of in dispatcher_metrics.COUNTED.values()},
    }
    return {
        **dict.fromkeys(OBSERVABLES, ()),
        **{name: tuple(map(_WORDS.get, sorted(of))) for name, of in labels.items()},
        ALERTS: (_WORDS["alert"],),
    }


PARTS: Final[Mapping[str, tuple[frozenset[str] | None, ...]]] = MappingProxyType(_parts())


def observed(places: Places, programs: Programs, *, with_samples: bool) -> Mapping[str, Any]:
    """Return the observable values by name; the samples only where they are asked for."""
    values: dict[str, Any] = {name: programs.sent[name.removeprefix("to_")] for name in SENT}
    values |= {place: places.counts[place] for place in PLACES}
    backend, dispatcher = programs.living_backend(), programs.living_dispatcher()
    values |= _figures(OF_BACKEND, backend)
    values |= _figures(OF_DISPATCHER, dispatcher)
    on = backend.alerting.on if backend is not None else frozenset()
    values[ALERTS] = {name: name in on for name, _, _ in RULES}
    if with_samples:
        values |= dict.fromkeys(SAMPLES)
        if backend is not None:
            values |= _read(backend.metrics.exposition())
        if dispatcher is not None:
            values |= _read(dispatcher.exposition())
    return values


def _read(exposition: str) -> dict[str, Any]:
    """Return the samples of an exposition, as whoever scrapes it reads them."""
    return samples(text_string_to_metric_families(exposition))


def _figures(names: Iterable[str], program: Observed | None) -> dict[str, Any]:
    """Return a program's figures of these names; null where it is down."""
    figures = {} if program is None else program.observe()
    return {name: figures.get(name) for name in names}

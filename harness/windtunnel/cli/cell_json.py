"""A cell as JSON, for `windtunnel expand --json`: what would be played, times as files write them.

Imports the cells and the units.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from windtunnel.event_names import EventName
from windtunnel.scenario.cells import Cell, Entry, FaultEntry, Threshold
from windtunnel.units import format_duration


def cell_json(cell: Cell) -> dict[str, Any]:
    """Return the cell as JSON values, format 1 of the line."""
    return {
        "v": 1,
        "scenario": cell.scenario,
        "file": cell.file,
        "line": cell.line,
        "name": cell.name,
        "cell": dict(cell.axes),
        "world": cell.world,
        "system": cell.system,
        "policy": cell.policy,
        "scheduler": cell.scheduler,
        "seed": cell.seed,
        "status": cell.status,
        "requires": list(cell.requires),
        "repeat": cell.repeats.repeat,
        "pass_at_least": cell.repeats.pass_at_least,
        "covers": list(cell.covers),
        "tags": list(cell.tags),
        "timeline": [_entry(entry) for entry in cell.timeline],
        "faults": [_fault(entry) for entry in cell.faults],
        "order": [[held.first.text, held.then.text] for held in cell.order],
        "ties": _ties(cell),
        "checks": [expectation.check for expectation in cell.expect],
        "thresholds": [_threshold(threshold) for threshold in cell.thresholds],
    }


def _entry(entry: Entry) -> dict[str, Any]:
    arrivals = None if entry.offsets is None else [format_duration(at) for at in entry.offsets]
    return {
        "line": entry.line,
        "id": entry.template.id,
        entry.template.mode: entry.template.name,
        **_moment(entry.at, entry.after, entry.plus),
        "repeat": entry.repeat,
        **({"every": format_duration(entry.every)} if arrivals is None else {"arrivals": arrivals}),
    }


def _fault(entry: FaultEntry) -> dict[str, Any]:
    lasts = None if entry.lasts is None else format_duration(entry.lasts)
    return {
        "line": entry.line,
        "id": entry.fault.id,
        "do": entry.fault.do,
        **_moment(entry.at, entry.after, entry.plus),
        "for": lasts,
        "args": dict(entry.fault.args),
    }


def _moment(at: int | None, after: EventName | None, plus: int) -> Mapping[str, str]:
    if after is None:
        return {"at": format_duration(at or 0)}
    return {"after": after.text, "plus": format_duration(plus)}


def _ties(cell: Cell) -> dict[str, Any]:
    ties = cell.ties
    return {
        "order": ties.order,
        "seed": ties.seed,
        "explore": cell.explore,
        "choices": list(ties.choices),
    }


def _threshold(threshold: Threshold) -> dict[str, Any]:
    return {
        "line": threshold.line,
        "metric": threshold.metric,
        "of": list(threshold.of),
        "where": dict(threshold.where),
        "stat": threshold.stat,
        "min": threshold.min,
        "max": threshold.max,
        "min_samples": threshold.min_samples,
    }

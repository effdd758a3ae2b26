"""A cell as JSON: all that tells how it is played, times as a file writes them."""

from __future__ import annotations

import json
from collections.abc import Callable

from windtunnel.cli.cell_json import cell_json
from windtunnel.event_names import parse_event_name
from windtunnel.scenario.cells import Cell, Entry, FaultEntry, Held, Repeats, Template, Threshold
from windtunnel.units import MS, SECOND
from windtunnel.world import Fault, Ties

MakeCell = Callable[..., Cell]


def entry(**fields: object) -> Entry:
    template = Template("submit", "send_text", "a", repeated=True, make_args=str, options=None)
    usual = {"line": 3, "template": template, "at": SECOND, "after": None, "plus": 0}
    return Entry(**{**usual, "repeat": 2, "every": 5 * MS, **fields})  # type: ignore[arg-type]


def test_what_happens(make_cell: MakeCell) -> None:
    after = parse_event_name("a.0.settled")
    cell = make_cell(
        timeline=(entry(), entry(at=None, after=after, plus=MS), entry(offsets=(0, SECOND))),
        faults=(FaultEntry(9, Fault("f", "kill", {"target": ("x",)}), 0, None, 0, 2 * SECOND),),
        order=(Held(4, after, parse_event_name("a.1.submitted")),),
    )
    said = json.loads(json.dumps(cell_json(cell)))
    common = {"line": 3, "id": "a", "submit": "send_text", "repeat": 2}
    assert said["timeline"] == [
        {**common, "at": "1s", "every": "5ms"},
        {**common, "after": "a.0.settled", "plus": "1ms", "every": "5ms"},
        {**common, "at": "1s", "arrivals": ["0s", "1s"]},
    ]
    assert said["faults"] == [
        {"line": 9, "id": "f", "do": "kill", "at": "0s", "for": "2s", "args": {"target": ["x"]}}
    ]
    assert said["order"] == [["a.0.settled", "a.1.submitted"]]


def test_how_it_is_played(make_cell: MakeCell) -> None:
    cell = make_cell(
        ties=Ties("seeded", 7, (0, 1)),
        explore=5,
        repeats=Repeats(3, 2),
        requires=("ties",),
        status="open",
        thresholds=(Threshold(8, "wait", ("a",), {"outcome": "done"}, "max", None, 3e9, 2),),
    )
    said = json.loads(json.dumps(cell_json(cell)))
    assert said["ties"] == {"order": "seeded", "seed": 7, "explore": 5, "choices": [0, 1]}
    assert (said["repeat"], said["pass_at_least"]) == (3, 2)
    assert (said["requires"], said["status"]) == (["ties"], "open")
    assert said["thresholds"] == [
        {
            "line": 8,
            "metric": "wait",
            "of": ["a"],
            "where": {"outcome": "done"},
            "stat": "max",
            "min": None,
            "max": 3e9,
            "min_samples": 2,
        }
    ]

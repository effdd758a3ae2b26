"""The JSON Schema: valid itself, and in agreement with the models that read files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from windtunnel.checks import CHECKS
from windtunnel.scenario.reading.loading import FIELDS
from windtunnel.scenario.schema import json_schema
from windtunnel.scenario.source.source_text import read_text
from windtunnel.scenario.source.yaml_nodes import compose

SCENARIOS = Path(__file__).parents[3] / "scenarios"
BUNDLED = sorted(SCENARIOS.rglob("*.yaml"))

GOOD: dict[str, Any] = {
    "format": 1,
    "name": "probe",
    "system": "ui",
    "timeline": [{"at": "0s", "submit": "logout", "id": "a", "repeat": 2}],
    "expect": [{"conservation": {}}],
}


@pytest.fixture(scope="module")
def schema() -> dict[str, Any]:
    return json_schema()


@pytest.fixture(scope="module")
def validator(schema: dict[str, Any]) -> Any:
    return jsonschema.Draft202012Validator(schema)


def test_it_is_a_schema_and_json(schema: dict[str, Any]) -> None:
    jsonschema.Draft202012Validator.check_schema(schema)
    assert json.loads(json.dumps(schema)) == schema


def test_it_is_the_same_each_time(schema: dict[str, Any]) -> None:
    assert json.dumps(json_schema()) == json.dumps(schema)


def test_it_has_every_field_and_every_check(schema: dict[str, Any]) -> None:
    assert set(schema["properties"]) == set(FIELDS)
    expectation = schema["properties"]["expect"]["items"]["properties"]
    assert set(CHECKS) <= set(expectation)


@pytest.mark.parametrize("path", BUNDLED, ids=lambda path: path.stem)
def test_bundled_scenarios_are_valid(path: Path, validator: Any) -> None:
    root, _ = compose(read_text(path))
    assert [error.message for error in validator.iter_errors(root.value)] == []


def test_there_are_bundled_scenarios() -> None:
    assert BUNDLED


@pytest.mark.parametrize(
    "change",
    [
        {},
        {"settle": "$s", "until": "1.5s", "seed": "$n"},
        {"world": "real"},
        {"world": ["sim", "real"]},
        {"policy": "specified"},
        {"policy": {"base": "specified"}},
        {"policy": "$p"},
        {"given": {"wiring": "$w", "scheduler": {"send_delay": "$d", "max_queue_size": 3}}},
        {"given": None},
        {"let": {"a": [1, {"b": None}]}, "matrix": {"x": [1, True, None], "exclude": [{"x": 1}]}},
        {"cases": {"inputs": ["a"], "rows": [[1], {"id": 3, "in": [1]}]}},
        {"timeline": [{"at": "$t", "submit": "$class", "args": {"anything": 1}}]},
        {
            "timeline": [
                {"after": "a.0.settled", "plus": "1s", "call": "scheduler.drain", "args": None}
            ]
        },
        {"expect": [{"invariant": "a == b"}, {"equals": {"pending_count": "$n"}}]},
        {"status": "open", "requires": ["desktop"], "include": "a.yaml"},
        {"include": ["a.yaml", "b.yaml"], "requires": "ties"},
        {"per_world": {"real": {"let": {"x": 1}, "repeat": 3, "pass_at_least": 2}}},
        {"per_world": {"real": {"tolerance": "100ms"}}},
        {"cases": {"inputs": ["a"], "rows_from": "a.csv"}},
        {"ties": "seeded"},
        {"ties": "$t"},
        {"ties": {"order": "seeded", "seed": 4, "explore": "$n"}},
        {"ties": {"choices": [0, 1]}},
        {"order": [["a.settled", "b.submitted"], ["$x", "b.0.activate.begin"]]},
        {"timeline": [{"at": "0s", "submit": "logout", "poisson": {"rate": "2/s", "count": 3}}]},
        {"timeline": [{"at": "0s", "submit": "logout", "poisson": {"rate": "$r", "until": "$u"}}]},
        {"timeline": [{"at": "0s", "submit": "logout", "burst": {"size": 3}}]},
        {"timeline": [{"at": "0s", "submit": "logout", "from_csv": {"file": "a.csv"}}]},
        {"faults": [{"at": "1s", "do": "kill", "for": "2s", "id": "k"}, {"at": "1s", "do": "$d"}]},
        {"faults": [{"after": "a.settled", "plus": "1s", "do": "popup"}]},
        {"thresholds": [{"metric": "wait", "stat": "p95", "max": "3s", "of": "logout"}]},
        {"thresholds": [{"metric": "wait", "stat": "count", "min": 3, "of": ["a", "$b"]}]},
        {
            "thresholds": [
                {
                    "metric": "$m",
                    "stat": "$s",
                    "max": "$x",
                    "where": {"outcome": "done"},
                    "when": {"policy": "listed"},
                    "world": "sim",
                    "because": "so",
                    "min_samples": 4,
                }
            ]
        },
        {"expect": [{"conservation": None, "when": {"policy": ["a", "b"]}, "fails": {}}]},
    ],
)
def test_what_is_valid(change: dict[str, Any], validator: Any) -> None:
    assert [error.message for error in validator.iter_errors({**GOOD, **change})] == []


@pytest.mark.parametrize(
    "change",
    [
        {"format": "1"},
        {"faults": {}},
        {"faults": [{"at": "1s", "do": "no_such_fault"}]},
        {"faults": [{"at": "1s", "do": "popup", "no_such_field": 1}]},
        {"faults": [{"at": "1s"}]},
        {"faults": [{"at": 1, "do": "popup"}]},
        {"order": [["a.settled"]]},
        {"order": [["a.settled", 3]]},
        {"ties": "random"},
        {"ties": {"order": "seeded", "explore": 0}},
        {"ties": {"no_such_field": 1}},
        {"status": "closed"},
        {"requires": ["moon"]},
        {"include": [3]},
        {"per_world": {"moon": {}}},
        {"per_world": {"real": {"repeat": 0}}},
        {"per_world": {"real": {"tolerance": 5}}},
        {"timeline": [{"at": "0s", "submit": "logout", "poisson": {"rate": 2, "count": 3}}]},
        {"timeline": [{"at": "0s", "submit": "logout", "poisson": {"count": 3}}]},
        {"timeline": [{"at": "0s", "submit": "logout", "burst": {}}]},
        {"thresholds": [{"metric": "wait", "stat": "p95"}]},
        {"thresholds": [{"metric": "no_such_metric", "stat": "p95", "max": 1}]},
        {"thresholds": [{"metric": "wait", "stat": "p96", "max": 1}]},
        {"thresholds": [{"metric": "wait", "stat": "max", "max": 1, "min_samples": 0}]},
        {"tgas": []},
        {"settle": 5},
        {"settle": "soon"},
        {"seed": -1},
        {"world": "moon"},
        {"matrix": {"x": []}},
        {"matrix": {"x": [[1]]}},
        {"policy": "no-such-policy"},
        {"policy": {"base": "specified", "no_such_option": 1}},
        {"given": {"wiring": "sideways"}},
        {"given": {"wirring": "after"}},
        {"timeline": [{"at": "0s", "submit": "no_such_class"}]},
        {"timeline": [{"at": "0s", "submit": "logout", "wiat": "1s"}]},
        {"timeline": [{"at": "0s", "submit": "logout", "repeat": 0}]},
        {"timeline": [{"at": "0s", "submit": "send_text", "args": {"no_such_arg": 1}}]},
        {"expect": []},
        {"expect": [{}]},
        {"expect": [{"no_such_check": {}}]},
        {"expect": [{"conservation": {}, "fifo": {"within": "all"}}]},
        {"expect": [{"conservation": {"no_such_arg": 1}}]},
        {"expect": [{"conservation": {}, "severity": "dire"}]},
    ],
)
def test_what_is_not(change: dict[str, Any], validator: Any) -> None:
    assert not validator.is_valid({**GOOD, **change})


@pytest.mark.parametrize("field", ["format", "name", "system", "expect"])
def test_what_is_required(field: str, validator: Any) -> None:
    assert not validator.is_valid({key: GOOD[key] for key in GOOD if key != field})


def test_defaults_are_as_a_file_writes_them(schema: dict[str, Any]) -> None:
    assert schema["properties"]["settle"]["default"] == "0s"
    assert schema["$defs"]["RunLimits"]["properties"]["wall"]["default"] == "1min"

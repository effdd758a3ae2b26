"""The JSON Schema of scenario files, for editors: generated from the models that read them.

It describes format 1 with the built-in systems and every check; where a value may stand, a text
with a `$name` may stand too. Imports the format's models, the systems and the table of checks.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from windtunnel.builtin import BUILTIN
from windtunnel.checks import CHECKS
from windtunnel.checks.metrics import METRICS
from windtunnel.fields import DURATION_PATTERN
from windtunnel.scenario.expanding.cell_setup import BASE
from windtunnel.scenario.reading import entries, models
from windtunnel.scenario.systems import load_system
from windtunnel.systems.base import System
from windtunnel.units import format_duration

Schema = dict[str, Any]

DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"
_REFERENCE: Final[Schema] = {"$ref": "#/$defs/reference"}
_PAIR: Final[Schema] = {
    "type": "array",
    "minItems": 2,
    "maxItems": 2,
    "items": {"type": "string"},
    "description": "The second (a submission, a command's begin) is held until the first.",
}
_VALUE_KEYWORDS: Final = ("items", "additionalProperties")
_NOTES: Final = ("description", "default")
_ALTERNATIVES: Final = ("anyOf", "oneOf", "allOf")


def json_schema() -> Schema:
    """Return the schema (draft 2020-12) that every file which loads is valid under."""
    systems = {name: load_system(name) for name in sorted(BUILTIN["systems"])}
    writer = _Writer([*_own_models(), *_check_models(), *_system_models(systems.values())])
    return {
        "$schema": DIALECT,
        "title": "Windtunnel scenario, format 1",
        "type": "object",
        "required": ["format", "name", "system", "expect"],
        "additionalProperties": False,
        "properties": _properties(writer),
        "allOf": [
            {"if": _says("system", name), "then": {"properties": _of_system(writer, system)}}
            for name, system in systems.items()
        ],
        "$defs": writer.definitions,
    }


def _own_models() -> tuple[type[BaseModel], ...]:
    return (
        models.Identity,
        models.Sharing,
        models.Variation,
        models.Run,
        models.ExpectOptions,
        models.DeclaredFailure,
        models.Row,
        entries.TimelineEntry,
        entries.FaultMoment,
        entries.ThresholdEntry,
        entries.ThresholdOptions,
    )


_LITERAL: Final = (
    models.Identity,
    models.Sharing,
    models.Variation,
    models.ExpectOptions,
    entries.ThresholdOptions,
)
"""Models whose values are read as they stand, without references."""
_LITERAL_INSIDE: Final = ("Matrix", "Cases", "OfWorld")


def _check_models() -> Iterable[type[BaseModel]]:
    return (spec.args for spec in CHECKS.values())


def _system_models(systems: Iterable[System]) -> Iterable[type[BaseModel]]:
    for system in systems:
        yield from (system.given, system.submit_options, system.policy_options)
        yield from (*system.submits.values(), *system.calls.values(), *system.faults.values())


class _Writer:
    """The schemas of all models under one set of names, with references let in."""

    def __init__(self, wanted: Iterable[type[BaseModel]]) -> None:
        own = list(dict.fromkeys(wanted))
        names, made = models_json_schema([(model, "validation") for model in own])
        self._names = {model: name["$ref"] for (model, _), name in names.items()}
        raw = made.get("$defs", {})
        as_written = {_last(self._names[model]) for model in _LITERAL}
        as_written |= {name for name in raw if name.rpartition("__")[2] in _LITERAL_INSIDE}
        self.definitions: dict[str, Schema] = {
            name: _tidy(schema) if name in as_written else _with_references(_tidy(schema))
            for name, schema in sorted(raw.items())
        }
        self.definitions["reference"] = {
            "type": "string",
            "pattern": r"\$",
            "description": "A text with `$name` in it; alone, it takes the variable's value.",
        }

    def of(self, model: type[BaseModel]) -> Schema:
        """Return a reference to a model's schema."""
        return {"$ref": self._names[model]}

    def properties(self, model: type[BaseModel]) -> dict[str, Schema]:
        """Return the schemas of a model's fields."""
        found: dict[str, Schema] = self.definitions[_last(self._names[model])].get("properties", {})
        return found

    def required(self, model: type[BaseModel]) -> list[str]:
        """Return the fields that a model cannot do without."""
        found: list[str] = self.definitions[_last(self._names[model])].get("required", [])
        return found


def _last(reference: str) -> str:
    return reference.rpartition("/")[2]


def _properties(writer: _Writer) -> dict[str, Schema]:
    options = writer.properties(models.ExpectOptions)
    fails = {"fails": _or_reference(writer.of(models.DeclaredFailure))}
    checks = {name: _check(writer, spec.args) for name, spec in CHECKS.items()}
    expectation = {
        "type": "object",
        "additionalProperties": False,
        "oneOf": [{"required": [name]} for name in checks],
        "properties": {**options, **fails, **checks},
    }
    return {
        **writer.properties(models.Identity),
        **writer.properties(models.Sharing),
        **writer.properties(models.Variation),
        **writer.properties(models.Run),
        "policy": {"description": "A named set of options, or options laid over one."},
        "given": {"description": "The world and the system at the start."},
        "timeline": {"type": "array", "items": {"type": "object"}},
        "faults": {"type": "array", "items": {"type": "object"}},
        "order": {"type": "array", "items": _PAIR},
        "expect": {"type": "array", "minItems": 1, "items": expectation},
        "thresholds": {"type": "array", "items": _threshold(writer)},
    }


def _threshold(writer: _Writer) -> Schema:
    own = writer.properties(entries.ThresholdEntry)
    return {
        "type": "object",
        "additionalProperties": False,
        "required": ["metric", "stat"],
        "anyOf": [{"required": ["min"]}, {"required": ["max"]}],
        "properties": {
            **own,
            **writer.properties(entries.ThresholdOptions),
            "metric": _or_reference({"enum": list(METRICS)}),
        },
    }


def _check(writer: _Writer, model: type[BaseModel]) -> Schema:
    before = model.__pydantic_decorators__.model_validators.values()
    short = [{"type": "string"}] if any(one.info.mode == "before" for one in before) else []
    return {"anyOf": [writer.of(model), {"type": "null"}, *short, _REFERENCE]}


def _of_system(writer: _Writer, system: System) -> dict[str, Schema]:
    return {
        "given": {"anyOf": [writer.of(system.given), {"type": "null"}, _REFERENCE]},
        "policy": _policy(writer, system),
        "timeline": {"type": "array", "items": _entry(writer, system)},
        "faults": {"type": "array", "items": _fault(writer, system)},
    }


def _policy(writer: _Writer, system: System) -> Schema:
    names: Schema = _or_reference({"enum": list(system.policies)})
    laid_over = {
        "type": "object",
        "additionalProperties": False,
        "properties": {BASE: names, **writer.properties(system.policy_options)},
    }
    return {"anyOf": [names, laid_over, {"type": "null"}]}


def _entry(writer: _Writer, system: System) -> Schema:
    own = writer.properties(entries.TimelineEntry)
    options = writer.properties(system.submit_options)
    table = {"submit": system.submits, "call": system.calls}
    return {
        "type": "object",
        "additionalProperties": False,
        "properties": {
            **own,
            **options,
            "submit": _or_reference({"enum": sorted(system.submits)}),
            "call": _or_reference({"enum": sorted(system.calls)}),
            "args": {"type": ["object", "null", "string"]},
        },
        "allOf": [
            {
                "if": _says(verb, name),
                "then": {
                    "properties": {
                        "args": {"anyOf": [writer.of(model), {"type": "null"}, _REFERENCE]}
                    }
                },
            }
            for verb, named in table.items()
            for name, model in sorted(named.items())
        ],
    }


def _fault(writer: _Writer, system: System) -> Schema:
    own = writer.properties(entries.FaultMoment)
    return {
        "type": "object",
        "required": ["do"],
        "properties": {**own, "do": _or_reference({"enum": sorted(system.faults)})},
        "allOf": [
            {
                "if": _says("do", name),
                "then": {
                    "properties": dict.fromkeys(own, True) | writer.properties(model),
                    "required": writer.required(model),
                    "additionalProperties": False,
                },
            }
            for name, model in sorted(system.faults.items())
        ],
    }


def _says(field: str, value: str) -> Schema:
    return {"properties": {field: {"const": value}}, "required": [field]}


def _or_reference(schema: Schema) -> Schema:
    return {"anyOf": [schema, _REFERENCE]}


def _with_references(schema: Any) -> Any:  # noqa: ANN401 - any JSON value
    """Return the schema with a reference let in for every property, item and extra value."""
    if not isinstance(schema, Mapping):
        return schema
    found = {key: value for key, value in schema.items() if key not in ("properties", "required")}
    for key in _ALTERNATIVES:
        if key in found:
            found[key] = [_with_references(option) for option in found[key]]
    for key in _VALUE_KEYWORDS:
        if isinstance(found.get(key), Mapping):
            found[key] = _or_reference(_with_references(found[key]))
    if "properties" in schema:
        found["properties"] = {
            name: _outside(_with_references(value)) for name, value in schema["properties"].items()
        }
    if "required" in schema:
        found["required"] = schema["required"]
    return found


def _outside(schema: Schema) -> Schema:
    """Let a reference in beside a property's schema, with its notes left on the outside."""
    notes: Schema = {key: schema.pop(key) for key in _NOTES if key in schema}
    return {**notes, **_or_reference(schema)}


def _tidy(schema: Any) -> Any:  # noqa: ANN401 - any JSON value
    """Return the schema without generated titles and with defaults as a file writes them."""
    if isinstance(schema, list):
        return [_tidy(item) for item in schema]
    if not isinstance(schema, Mapping):
        return schema
    found = {
        key: {name: _tidy(inner) for name, inner in value.items()}
        if key == "properties"
        else _tidy(value)
        for key, value in schema.items()
        if key not in ("title", "default")
    }
    default = schema.get("default")
    if isinstance(default, int) and not isinstance(default, bool) and _is_duration(schema):
        found["default"] = format_duration(default)
    elif default is not None and not isinstance(default, Mapping | list | tuple):
        found["default"] = default
    return found


def _is_duration(schema: Mapping[str, Any]) -> bool:
    options = (schema, *schema.get("anyOf", ()))
    return any(option.get("pattern") == DURATION_PATTERN for option in options)

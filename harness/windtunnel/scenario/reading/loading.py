"""Loading: a scenario file → a `Scenario`, or every mistake in the file at once.

Imports the readers of the parts and `builtin` for the system that the file names; a file never
makes code run that is not a registered plug-in.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final, TypeVar

from pydantic import ValidationError

from windtunnel import builtin
from windtunnel.errors import PluginError
from windtunnel.scenario.expanding.expansion import check_document
from windtunnel.scenario.reading.document import Document, Part, Scenario, part_of
from windtunnel.scenario.reading.expect_reading import Known, read_expect
from windtunnel.scenario.reading.models import FORMAT, LATER, Identity, Run, Variation, later
from windtunnel.scenario.reading.models import Part as Model
from windtunnel.scenario.reading.static_names import undefined
from windtunnel.scenario.reading.timeline_reading import PartReader, read_timeline
from windtunnel.scenario.reading.variation_reading import axis_values, read_variations
from windtunnel.scenario.reading.variations import Variations
from windtunnel.scenario.source.problems import Problems, faults_of
from windtunnel.scenario.source.source_text import read_text
from windtunnel.scenario.source.suggestions import did_you_mean
from windtunnel.scenario.source.yaml_nodes import Fault, Node, YamlError, compose
from windtunnel.systems.base import System

_BODY: Final = ("policy", "given", "timeline", "expect")
FIELDS: Final = tuple(
    dict.fromkeys((*Identity.model_fields, *Variation.model_fields, *Run.model_fields, *_BODY))
)
"""Every field of a file that this version supports."""

M = TypeVar("M", bound=Model)


def load_scenario(path: Path, *, display_name: str | None = None) -> Scenario:
    """Return the scenario of a file; `display_name` is the path as errors show it.

    Raises `ScenarioError` with every mistake in the file. Mistakes that only the values of a cell
    show are found by `expand`; where the file has others too, both are told here.
    """
    file = display_name if display_name is not None else str(path)
    problems = Problems(file)
    try:
        text = read_text(path)
    except YamlError as error:
        problems.add(error.fault)
        problems.raise_any()
        raise
    return parse_scenario(text, file)


def parse_scenario(text: str, file: str) -> Scenario:
    """Return the scenario of a text; raises `ScenarioError` as `load_scenario` does."""
    problems = Problems(file)
    root = _compose(text, problems)
    identity = _read(Identity, root, problems)
    _check_fields(root, problems)
    document, variation = _read_document(root, problems)
    if problems and document is not None:
        check_document(document, problems)
    problems.raise_any()
    if identity is None or document is None or variation is None:  # pragma: no cover - told above
        raise AssertionError("a part is missing and no problem says so")
    return Scenario(
        name=identity.name,
        summary=identity.summary,
        file=file,
        line=root.line,
        system=variation.system,
        worlds=tuple(variation.world),
        tags=tuple(identity.tags),
        covers=tuple(identity.covers),
        document=document,
    )


def _compose(text: str, problems: Problems) -> Node:
    try:
        root, faults = compose(text)
    except YamlError as error:
        problems.add(error.fault)
        problems.raise_any()
        raise
    problems.add_unreadable(*faults)
    if not isinstance(root.children, dict):
        problems.at(root, f"a scenario is a mapping that begins with `format: {FORMAT}`")
        problems.raise_any()
    _check_format(root, problems)
    return root


def _check_format(root: Node, problems: Problems) -> None:
    """End the reading of a file in another format: its other fields mean something else."""
    node = root.child("format")
    if node is not None and isinstance(node.value, int) and node.value != FORMAT:
        problems.at(node, f"this version of windtunnel reads format {FORMAT}, not {node.value!r}")
        problems.raise_any()


def _check_fields(root: Node, problems: Problems) -> None:
    for key, place in root.keys.items():
        if key in LATER[""]:
            problems.add(later(key, *place))
        elif key not in FIELDS:
            problems.add(
                Fault(*place, f"unknown field `{key[:40]}`{did_you_mean(key, FIELDS, most=0)}")
            )


def _read(model: type[M], root: Node, problems: Problems) -> M | None:
    node = root.only(model.model_fields)
    if cases := node.child("cases"):
        not_yet = [key for key in cases.keys if key in LATER["cases"]]
        problems.add(*(later(key, *cases.keys[key]) for key in not_yet))
        if not_yet:
            return None  # what the table lacks without them is beside the point
    try:
        return model.model_validate(node.value)
    except ValidationError as error:
        problems.add(*faults_of(error, model, node))
        return None


def _read_document(root: Node, problems: Problems) -> tuple[Document | None, Variation | None]:
    variation = _read(Variation, root, problems)
    system = _read_system(root, problems)
    variations = None if variation is None else read_variations(root, variation, problems)
    known = _known(variations, system)
    expect = read_expect(root, known, problems)
    read = _part_reader(variations, problems)
    timeline = read_timeline(root, read, problems)
    run = read(root.only(Run.model_fields))
    policy = read(root.child("policy") or Node(None, *root.place()))
    given = read(root.child("given") or Node({}, *root.place(), {}))
    if system is None or variations is None:
        return None, variation
    return Document(root, system, variations, run, policy, given, timeline, expect), variation


def _known(variations: Variations | None, system: System | None) -> Known | None:
    if variations is None:
        return None
    policies = () if system is None else tuple(system.policies)
    names_ = variations.names | frozenset(variations.outputs)
    return Known(names_, axis_values(variations, policies))


def _read_system(root: Node, problems: Problems) -> System | None:
    node = root.child("system")
    if node is None or not isinstance(node.value, str):
        return None
    if node.value not in builtin.BUILTIN["systems"] and node.value not in builtin.names("systems"):
        hint = did_you_mean(node.value, builtin.names("systems"))
        problems.at(node, f"there is no system `{node.value[:40]}`{hint}")
        return None
    try:
        plugin: Any = builtin.load_plugin("systems", node.value)
        system: System = plugin() if isinstance(plugin, type) else plugin
    except PluginError as error:
        problems.at(node, str(error))
        return None
    return system


def _part_reader(variations: Variations | None, problems: Problems) -> PartReader:
    """Return the reader of a part that knows the variables (the cases' outputs apart).

    Without variations (they are wrong) references are not looked at.
    """

    def read(node: Node, *also: str) -> Part:
        if variations is None:
            return part_of(node)
        elsewhere = dict.fromkeys(
            variations.outputs, "is an output of the cases: it stands only in `expect`"
        )
        faults = tuple(undefined(node, variations.names.union(also), elsewhere=elsewhere))
        problems.add(*faults)
        return part_of(node, sound=not faults)

    return read

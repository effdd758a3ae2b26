"""Loading: a scenario file → a `Scenario`, or every mistake in the file at once.

Imports the readers of the parts, and the expansion for the mistakes that only a cell shows; a
file never makes code run that is not a registered plug-in.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final, TypeVar

from windtunnel import builtin
from windtunnel.errors import PluginError
from windtunnel.scenario.expanding.cell_setup import Overrides
from windtunnel.scenario.expanding.expansion import type_cells
from windtunnel.scenario.reading.expect_reading import read_expect
from windtunnel.scenario.reading.inclusion import SHARED, with_included
from windtunnel.scenario.reading.models import (
    FORMAT,
    FormatModel,
    Identity,
    Run,
    Sharing,
    Variation,
)
from windtunnel.scenario.reading.scenario import Part, PartReader, Scenario
from windtunnel.scenario.reading.sources import Sources
from windtunnel.scenario.reading.threshold_reading import read_thresholds
from windtunnel.scenario.reading.timeline_reading import read_faults, read_order, read_timeline
from windtunnel.scenario.reading.variation_reading import read_variations, selectable
from windtunnel.scenario.reading.variations import Variations
from windtunnel.scenario.source.nearby import Origin
from windtunnel.scenario.source.problems import Problems
from windtunnel.scenario.source.source_text import read_text
from windtunnel.scenario.source.suggestions import did_you_mean
from windtunnel.scenario.source.validation import validated
from windtunnel.scenario.source.yaml_nodes import Node, YamlError, compose
from windtunnel.scenario.systems import load_system
from windtunnel.systems.base import System

_BODY: Final = ("policy", "given", "timeline", "faults", "order", "expect", "thresholds")
FIELDS: Final = tuple(
    dict.fromkeys(
        (
            *Identity.model_fields,
            *Sharing.model_fields,
            *Variation.model_fields,
            *Run.model_fields,
            *_BODY,
        )
    )
)
"""Every field of a file that this version supports."""

_NAMELESS: Final = Identity(format=FORMAT, name="nameless")
"""Stands for an identity that is wrong, so that the cells' mistakes are told as well."""

M = TypeVar("M", bound=FormatModel)


def load_scenario(
    path: Path, *, display_name: str | None = None, root: Path | None = None
) -> Scenario:
    """Return the scenario of a file; `display_name` is the path as errors show it.

    What the file includes or takes its rows from lies below `root`; without one, below the file's
    own folder. Raises `ScenarioError` with every mistake in the file. Mistakes that only the
    values of a cell show are found by `expand`; where the file has others too, both are told here.
    """
    file = display_name if display_name is not None else str(path)
    try:
        text = read_text(path)
    except YamlError as error:
        Problems(file).end(error.fault)
    return parse_scenario(text, file, Origin(path, file, path.parent if root is None else root))


def parse_scenario(text: str, file: str, origin: Origin | None = None) -> Scenario:
    """Return the scenario of a text; raises `ScenarioError` as `load_scenario` does.

    `origin` is where the text lies; without it the text can name no other files.
    """
    problems = Problems(file)
    sources = Sources(origin)
    root = _compose(text, problems)
    _check_fields(root, problems)
    scenario = _read_scenario(with_included(root, sources, problems), sources, problems)
    if problems and scenario is not None:
        type_cells(scenario, problems, Overrides(allow_code=True))
    problems.raise_any()
    assert scenario is not None, "a part is missing and no problem says so"
    return scenario


def _compose(text: str, problems: Problems) -> Node:
    try:
        root, faults = compose(text)
    except YamlError as error:
        problems.end(error.fault)
    problems.add_unreadable(*faults)
    if not isinstance(root.children, dict):
        problems.end(root.fault(f"a scenario is a mapping that begins with `format: {FORMAT}`"))
    if root.keys and root.keys.keys() <= {*SHARED, "include"}:
        said = "this is shared data, for others to include: begin its name with `_`"
        problems.end(root.fault(f"{said}, and it is passed over"))
    _check_format(root, problems)
    return root


def _check_format(root: Node, problems: Problems) -> None:
    """End the reading of a file in another format: its other fields mean something else."""
    node = root.child("format")
    if node is not None and isinstance(node.value, int) and node.value != FORMAT:
        said = f"this version of windtunnel reads format {FORMAT}, not {node.value!r}"
        problems.end(node.fault(said))


def _check_fields(root: Node, problems: Problems) -> None:
    for key in root.keys:
        if key not in FIELDS:
            hint = did_you_mean(key, FIELDS, most=0)
            problems.add(root.key_fault(key, f"unknown field `{key[:40]}`{hint}"))


def _read(model: type[M], root: Node, problems: Problems) -> M | None:
    node = root.only(model.model_fields)
    typed = validated(model, node.value, node)
    problems.add(*typed.faults)
    return typed.value


def _read_scenario(root: Node, sources: Sources, problems: Problems) -> Scenario | None:
    identity = _read(Identity, root, problems) or _NAMELESS
    variation = _read(Variation, root, problems)
    system = _read_system(root, problems)
    variations = None if variation is None else read_variations(root, variation, problems, sources)
    reader, expect_reader = _readers(variations, problems)
    axes = None if variations is None else selectable(variations, system)
    expect = read_expect(root, expect_reader, axes, problems)
    thresholds = read_thresholds(root, expect_reader, axes, problems)
    timeline = read_timeline(root, reader, problems, sources)
    faults = read_faults(root, reader, problems)
    order = read_order(root, reader, problems)
    run = reader.read(root.only(Run.model_fields))
    policy = reader.read(root.child("policy") or Node(None, *root.place()))
    given = reader.read(root.child("given") or Node({}, *root.place(), {}))
    if system is None or variations is None:
        return None
    return Scenario(
        name=identity.name,
        summary=identity.summary,
        file=problems.file,
        tags=tuple(identity.tags),
        covers=tuple(identity.covers),
        root=root,
        system=system,
        variations=variations,
        run=run,
        policy=policy,
        given=given,
        timeline=timeline,
        expect=expect,
        faults=faults,
        order=order,
        thresholds=thresholds,
        status=identity.status,
        requires=tuple(identity.requires),
        row_faults=_row_faults(variations, reader, problems),
        sources=sources.files,
    )


def _row_faults(
    variations: Variations, reader: PartReader, problems: Problems
) -> dict[str, tuple[Part, ...]]:
    found = {row.id: read_faults(row.node, reader, problems) for row in variations.rows or ()}
    return {id_: parts for id_, parts in found.items() if parts}


def _readers(variations: Variations | None, problems: Problems) -> tuple[PartReader, PartReader]:
    """Return the reader of parts, and that of `expect`, which knows the cases' outputs as well."""
    if variations is None:
        return PartReader(problems), PartReader(problems)
    elsewhere = dict.fromkeys(
        variations.outputs, "is an output of the cases: it stands only in `expect`"
    )
    in_expect = variations.names.union(variations.outputs)
    return PartReader(problems, variations.names, elsewhere), PartReader(problems, in_expect)


def _read_system(root: Node, problems: Problems) -> System | None:
    node = root.child("system")
    if node is None or not isinstance(node.value, str):
        return None
    if node.value not in builtin.BUILTIN["systems"] and node.value not in builtin.names("systems"):
        hint = did_you_mean(node.value, builtin.names("systems"))
        problems.at(node, f"there is no system `{node.value[:40]}`{hint}")
        return None
    try:
        return load_system(node.value)
    except PluginError as error:
        problems.at(node, str(error))
        return None

"""Reading of `thresholds`: each entry's metric still to be typed, and when it applies.

Imports the models of entries, the scenario's parts and the reading of selections.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from windtunnel.scenario.reading.entries import ThresholdOptions
from windtunnel.scenario.reading.scenario import PartReader, ThresholdPart
from windtunnel.scenario.reading.variation_reading import selection_faults
from windtunnel.scenario.source.problems import Problems
from windtunnel.scenario.source.validation import validated
from windtunnel.scenario.source.yaml_nodes import Node
from windtunnel.scenario.source.yaml_scalars import Scalar

Axes = Mapping[str, Sequence[Scalar]]

_OPTIONS = frozenset(ThresholdOptions.model_fields)
_SUCH = "{metric: wait, of: send_text, stat: p95, max: 10s}"


def read_thresholds(
    root: Node, reader: PartReader, axes: Axes | None, problems: Problems
) -> tuple[ThresholdPart, ...]:
    """Return the entries of `thresholds`; adds what is wrong with what does not hang on a cell.

    `axes` are what `when` may select by, as for `expect`.
    """
    node = root.child("thresholds")
    if node is None:
        return ()
    if not isinstance(node.children, list):
        problems.at(node, f"`thresholds` is a list, such as `- {_SUCH}`")
        return ()
    found = (_read_entry(entry, reader, axes, problems) for entry in node.children)
    return tuple(part for part in found if part is not None)


def _read_entry(
    entry: Node, reader: PartReader, axes: Axes | None, problems: Problems
) -> ThresholdPart | None:
    if not isinstance(entry.children, dict):
        problems.at(entry, f"a threshold is a mapping, such as `{_SUCH}`")
        return None
    said = {key: value for key, value in entry.value.items() if key in _OPTIONS}
    typed = validated(ThresholdOptions, said, entry)
    problems.add(*typed.faults)
    part = reader.read(entry.only(key for key in entry.keys if key not in _OPTIONS))
    if typed.value is None:
        return None
    options = typed.value
    wrong = (
        tuple(selection_faults(entry, ("when",), options.when, axes)) if axes is not None else ()
    )
    problems.add(*wrong)
    return ThresholdPart(
        args=part,
        line=entry.line,
        because=options.because,
        worlds=None if options.world is None else tuple(options.world),
        when={} if wrong else {axis: tuple(of) for axis, of in options.when.items()},
    )

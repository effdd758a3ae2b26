"""Reading of `expect`: which check each entry asks for and when it applies.

Imports the table of checks, the format's models and the scenario's parts.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from windtunnel.checks import CHECKS
from windtunnel.scenario.reading.models import ExpectOptions
from windtunnel.scenario.reading.scenario import ExpectPart, PartReader
from windtunnel.scenario.reading.variation_reading import selection_faults
from windtunnel.scenario.source.problems import Problems
from windtunnel.scenario.source.suggestions import closest, did_you_mean
from windtunnel.scenario.source.validation import validated
from windtunnel.scenario.source.yaml_nodes import Fault, Node
from windtunnel.scenario.source.yaml_scalars import Scalar

Axes = Mapping[str, Sequence[Scalar]]

_OPTIONS = frozenset(ExpectOptions.model_fields)


def read_expect(
    root: Node, reader: PartReader, axes: Axes | None, problems: Problems
) -> tuple[ExpectPart, ...]:
    """Return the entries whose check is known; adds what is wrong.

    `axes` are what `when` may select by, with their values; without them (the variations are
    wrong) `when` is not looked at.
    """
    node = root.child("expect")
    if node is None:
        problems.at(root, "`expect` is required here: a scenario says what must hold")
        return ()
    if not isinstance(node.children, list):
        problems.at(node, "`expect` is a list of checks, such as `- conservation: {}`")
        return ()
    if not node.children:
        problems.at(node, "`expect` is empty; a scenario says what must hold")
    found = (_read_entry(entry, reader, axes, problems) for entry in node.children)
    return tuple(part for part in found if part is not None)


def _read_entry(
    entry: Node, reader: PartReader, axes: Axes | None, problems: Problems
) -> ExpectPart | None:
    if not isinstance(entry.children, dict):
        problems.at(entry, "an expectation is a mapping, such as `- conservation: {}`")
        return None
    options = _options(entry, problems)
    checks = [key for key in entry.keys if key in CHECKS]
    problems.add(*_key_faults(entry))
    wrong: tuple[Fault, ...] = ()
    if options is not None and axes is not None:
        wrong = tuple(selection_faults(entry, ("when",), options.when, axes))
        problems.add(*wrong)
    if not checks or options is None:
        return None
    args, fails = entry.children[checks[0]], entry.child("fails")
    return ExpectPart(
        check=checks[0],
        line=entry.keys[checks[0]][0],
        args=reader.read(args),
        fails=None if fails is None else reader.read(fails),
        because=options.because,
        severity=options.severity,
        worlds=None if options.world is None else tuple(options.world),
        when={} if wrong else {axis: tuple(of) for axis, of in options.when.items()},
    )


def _options(entry: Node, problems: Problems) -> ExpectOptions | None:
    said = {key: value for key, value in entry.value.items() if key in _OPTIONS}
    typed = validated(ExpectOptions, said, entry)
    problems.add(*typed.faults)
    return typed.value


def _key_faults(entry: Node) -> Iterator[Fault]:
    checks = [key for key in entry.keys if key in CHECKS]
    strange = [key for key in entry.keys if key not in CHECKS and key not in _OPTIONS]
    for key in checks[1:]:
        yield entry.key_fault(key, f"one check for each entry; `{checks[0]}` is already here")
    for key in strange:
        yield entry.key_fault(key, _strange(key, has_check=bool(checks)))
    if not checks and not strange:
        yield entry.fault("this entry names no check")


def _strange(key: str, *, has_check: bool) -> str:
    if has_check or closest(key, (*_OPTIONS, *CHECKS)) in _OPTIONS:
        return f"unknown field `{key[:40]}`{did_you_mean(key, _OPTIONS)}"
    return f"unknown check `{key[:40]}`{did_you_mean(key, CHECKS, most=40)}"

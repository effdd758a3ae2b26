"""Reading of `expect`: which check each entry asks for and when it applies.

Imports the table of checks, the format's models and `document`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from pydantic import ValidationError

from windtunnel.checks import CHECKS
from windtunnel.scenario.reading.document import ExpectPart, Part, part_of
from windtunnel.scenario.reading.models import ExpectOptions
from windtunnel.scenario.reading.static_names import undefined
from windtunnel.scenario.reading.variation_reading import selection_faults
from windtunnel.scenario.source.problems import Problems, faults_of
from windtunnel.scenario.source.suggestions import closest, did_you_mean
from windtunnel.scenario.source.yaml_nodes import Fault, Node
from windtunnel.scenario.source.yaml_scalars import Scalar

_OPTIONS = frozenset(ExpectOptions.model_fields)


@dataclass(frozen=True, slots=True)
class Known:
    """What an expectation may refer to: variables, and what `when` may select."""

    names: frozenset[str]
    axes: Mapping[str, Sequence[Scalar]]


def read_expect(root: Node, known: Known | None, problems: Problems) -> tuple[ExpectPart, ...]:
    """Return the entries whose check is known; adds what is wrong.

    Without `known` (the variations are wrong) references and `when` are not looked at.
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
    found = (_read_entry(entry, known, problems) for entry in node.children)
    return tuple(part for part in found if part is not None)


def _read_entry(entry: Node, known: Known | None, problems: Problems) -> ExpectPart | None:
    if not isinstance(entry.children, dict):
        problems.at(entry, "an expectation is a mapping, such as `- conservation: {}`")
        return None
    options = _options(entry, problems)
    checks = [key for key in entry.keys if key in CHECKS]
    problems.add(*_key_faults(entry))
    wrong: tuple[Fault, ...] = ()
    if options is not None and known is not None:
        wrong = tuple(selection_faults(entry, ("when",), options.when, known.axes))
        problems.add(*wrong)
    if not checks or options is None:
        return None
    args, fails = entry.children[checks[0]], entry.child("fails")
    return ExpectPart(
        check=checks[0],
        line=entry.keys[checks[0]][0],
        place=entry,
        args=_part(args, known, problems),
        fails=None if fails is None else _part(fails, known, problems),
        because=options.because,
        severity=options.severity,
        worlds=None if options.world is None else tuple(options.world),
        when={} if wrong else {axis: tuple(of) for axis, of in options.when.items()},
    )


def _part(node: Node, known: Known | None, problems: Problems) -> Part:
    faults = () if known is None else tuple(undefined(node, known.names))
    problems.add(*faults)
    return part_of(node, sound=not faults)


def _options(entry: Node, problems: Problems) -> ExpectOptions | None:
    said = {key: value for key, value in entry.value.items() if key in _OPTIONS}
    try:
        return ExpectOptions.model_validate(said)
    except ValidationError as error:
        problems.add(*faults_of(error, ExpectOptions, entry))
        return None


def _key_faults(entry: Node) -> Iterator[Fault]:
    checks = [key for key in entry.keys if key in CHECKS]
    strange = [key for key in entry.keys if key not in CHECKS and key not in _OPTIONS]
    for key in checks[1:]:
        yield Fault(*entry.keys[key], f"one check for each entry; `{checks[0]}` is already here")
    for key in strange:
        yield Fault(*entry.keys[key], _strange(key, has_check=bool(checks)))
    if not checks and not strange:
        yield Fault(*entry.place(), "this entry names no check")


def _strange(key: str, *, has_check: bool) -> str:
    if has_check or closest(key, (*_OPTIONS, *CHECKS)) in _OPTIONS:
        return f"unknown field `{key[:40]}`{did_you_mean(key, _OPTIONS)}"
    return f"unknown check `{key[:40]}`{did_you_mean(key, CHECKS, most=40)}"

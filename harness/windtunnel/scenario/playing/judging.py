"""Judging: a cell's verdict out of its trace, its expectations and the checks that always run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from windtunnel.checks import CHECKS
from windtunnel.checks.base import CheckResult, Context, Verdict
from windtunnel.checks.excerpt import excerpt
from windtunnel.checks.judging import judge
from windtunnel.checks.metrics import bound_unit, judge_threshold
from windtunnel.scenario.cells import Cell, Expectation
from windtunnel.scenario.reading.models import DeclaredFailure
from windtunnel.scenario.results import CheckLine
from windtunnel.systems.base import System
from windtunnel.trace import Trace
from windtunnel.world import RunEnd

_WORST_FIRST: Final = (
    Verdict.ERROR,
    Verdict.FAIL,
    Verdict.UNKNOWN,
    Verdict.VACUOUS,
    Verdict.SKIPPED,
)
_FATAL_ENDS: Final = ("deadlock", "error")
"""Ends of a run that are a failure of the code under test, whatever the checks say."""
_EXPLAINING: Final = ("conservation", "calls")
"""Checks whose failure says why nothing is left to do, where the deadlock names nobody."""
_LINES: Final = 3
"""Lines of a message that a reason has room for, beside the first."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """A cell's verdict, the reason in one line, and each check's part."""

    verdict: Verdict
    reason: str = ""
    checks: tuple[CheckLine, ...] = ()


def judge_cell(
    cell: Cell, system: System, trace: Trace, end: RunEnd, idle: tuple[str, ...]
) -> Judgement:
    """Return the verdict over a finished trace.

    `idle` says what of the scenario came to nothing: an `after` that never happened, a fault that
    affected nothing. A declared failure (`fails:`) turns its own check's failure into a pass and
    everything else into a failure.
    """
    context = Context(end, cell.variables)
    loose = cell.tolerance
    asked = [
        (_judge_expectation(line, trace, context, loose), line.severity) for line in cell.expect
    ]
    told = {(line.name, line.witness) for line, _ in asked if line.verdict is Verdict.FAIL}
    unasked = tuple(
        line
        for line in _unasked(cell, system, trace, context)
        if line.verdict is not Verdict.FAIL or (line.name, line.witness) not in told
    )
    gating = [line for line, severity in asked if severity == "error"]
    bounds = tuple(_judge_thresholds(cell, trace, context))
    verdict, reason = _worst((*gating, *bounds, *unasked), end, idle)
    return Judgement(verdict, reason, (*(line for line, _ in asked), *bounds, *unasked))


def _judge_expectation(
    expected: Expectation, trace: Trace, context: Context, tolerance: int
) -> CheckLine:
    args = expected.args.loosened(tolerance) if tolerance else expected.args
    result = judge(CHECKS[expected.check], trace, args, context)
    if expected.fails is not None:
        result = _as_declared(result, expected.fails)
    return _line(expected.check, expected.line, result, trace, expected.because)


def _judge_thresholds(cell: Cell, trace: Trace, context: Context) -> Iterator[CheckLine]:
    tolerance = cell.tolerance
    for one in cell.thresholds:
        bounds = one if bound_unit(one.metric, one.stat) != "duration" else one.loosened(tolerance)
        result = judge_threshold(bounds, trace, context)
        yield _line("threshold", one.line, result, trace, one.because)


def _as_declared(result: CheckResult, fails: DeclaredFailure) -> CheckResult:
    """Turn a check that is declared to fail into a pass when it fails as declared."""
    if result.verdict is Verdict.PASS:
        return CheckResult(Verdict.FAIL, "declared to fail, but it holds", measured=result.measured)
    if result.verdict is not Verdict.FAIL:
        return result
    wanted = fails.measured
    if wanted is None:
        return replace(result, verdict=Verdict.PASS)
    found = result.measured
    if found is not None and abs(found - wanted) <= fails.tolerance:
        return replace(result, verdict=Verdict.PASS)
    message = f"declared to fail with {wanted:g}, measured {found}: {result.message}"
    return replace(result, message=message)


def _unasked(cell: Cell, system: System, trace: Trace, context: Context) -> Iterator[CheckLine]:
    """Run the checks that nobody has to ask for, but for those that the cell names itself."""
    named = {line.check for line in cell.expect}
    unasked = {name: spec.args() for name, spec in CHECKS.items() if spec.always}
    for name, args in system.default_checks.items():
        unasked[name] = CHECKS[name].args.model_validate(args)
    for name, checked in unasked.items():
        if name in named and name in system.default_checks:
            continue
        result = judge(CHECKS[name], trace, checked, context)
        if result.verdict not in (Verdict.VACUOUS, Verdict.SKIPPED):
            yield _line(name, 0, result, trace)


def _line(name: str, line: int, result: CheckResult, trace: Trace, because: str = "") -> CheckLine:
    passed = result.verdict is Verdict.PASS
    message = result.message if passed or not because else f"{result.message} ({because})"
    shown = () if passed else excerpt(trace, result.witness)
    return CheckLine(name, result.verdict, line, message, result.witness, result.measured, shown)


def _worst(lines: Sequence[CheckLine], end: RunEnd, idle: tuple[str, ...]) -> tuple[Verdict, str]:
    found: dict[Verdict, str] = {}
    for line in lines:
        found.setdefault(line.verdict, f"{line.name}: {line.message}")
    if end.reason in _FATAL_ENDS:
        found[Verdict.FAIL] = _explained(lines, end) or f"{end.reason}: {end.message}"
    if end.reason == "limit":
        found[Verdict.UNKNOWN] = end.message
    if idle:
        found.setdefault(Verdict.VACUOUS, idle[0])
    for verdict in _WORST_FIRST:
        if verdict in found:
            return verdict, _in_one_line(found[verdict])
    return Verdict.PASS, ""


def _explained(lines: Sequence[CheckLine], end: RunEnd) -> str:
    """Return what explains a deadlock in which nobody waits; empty where it tells enough itself."""
    if end.reason != "deadlock" or "\n" in end.message:  # each who waits has a line of his own
        return ""
    failed = (line for line in lines if line.verdict is Verdict.FAIL)
    return next((f"{one.name}: {one.message}" for one in failed if one.name in _EXPLAINING), "")


def _in_one_line(message: str) -> str:
    """Return the first line and, after it, the next few: those of a deadlock say who waits."""
    first, *others = (line.strip() for line in message.strip().splitlines())
    more = f"; and {len(others) - _LINES} more" if len(others) > _LINES else ""
    return f"{first} {'; '.join(others[:_LINES])}{more}".rstrip()

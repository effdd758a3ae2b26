"""The check `invariant`: an expression over observed values and the cell's variables holds."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from contextlib import suppress
from typing import Annotated, Any

from pydantic import AfterValidator, model_validator

from windtunnel.checks.base import CheckArgs, CheckResult, Context, Verdict, register
from windtunnel.checks.evaluation import EvaluationError, LookUp, evaluate
from windtunnel.checks.expression import Expression, parse_expression
from windtunnel.checks.observation import look_up, observation, unknown
from windtunnel.trace import Trace


def _parses(text: str) -> str:
    parse_expression(text)
    return text


class InvariantArgs(CheckArgs):
    """What must hold, such as `to_internal + waiting == tasks`; the text alone will do."""

    expr: Annotated[str, AfterValidator(_parses)]

    @model_validator(mode="before")
    @classmethod
    def _text_alone(cls, value: Any) -> Any:  # noqa: ANN401 - whatever stands in the file
        return {"expr": value} if isinstance(value, str) else value


@register("invariant", InvariantArgs)
def invariant(trace: Trace, args: InvariantArgs, context: Context) -> CheckResult:
    """An expression over the observed values and the cell's variables is true (RT-S2).

    An observed value hides a variable of the same name; the last observation counts. A name that
    is neither, a wrong type or a division by zero is a failure. Measured: of a single comparison
    the left side, where it is a number. Vacuous where nothing was observed.
    """
    seen = observation(trace)
    if seen is None:
        return CheckResult(Verdict.VACUOUS, "nothing was observed")
    parsed = parse_expression(args.expr)
    named = _names({**context.variables, **seen.values})
    try:
        value = evaluate(parsed, named)
        measured = _measured(parsed, named)
    except EvaluationError as error:
        told = f"{args.expr} has no value: {error}"
        return CheckResult(Verdict.FAIL, told, (seen.event.seq,))
    verdict = Verdict.PASS if value else Verdict.FAIL
    told = f"{args.expr} is {value!r}{_with(parsed, named)}"
    return CheckResult(verdict, told, (seen.event.seq,), measured)


def _with(parsed: Expression, named: LookUp) -> str:
    """Return the values that were read; a name that decided nothing may be unknown."""
    said: list[str] = []
    for name in parsed.names:
        with suppress(EvaluationError):
            said.append(f"{name} = {named(name)!r}")
    return f" with {', '.join(said)}" if said else ""


def _names(values: Mapping[str, Any]) -> LookUp:
    def named(name: str) -> Any:  # noqa: ANN401 - any JSON value
        try:
            return look_up(values, name)
        except KeyError:
            raise EvaluationError(unknown(values, name)) from None

    return named


def _measured(parsed: Expression, named: LookUp) -> float | int | None:
    """Return the figure that a failure may be declared with."""
    tree = parsed.tree
    if not isinstance(tree, ast.Compare) or len(tree.ops) > 1:
        return None
    value = evaluate(tree.left, named)
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None

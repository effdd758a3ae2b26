"""The evaluation of an expression: by us, node by node; nothing of it is ever executed.

Nothing is called but the few functions below, nothing is looked up on an object. Imports the
language of expressions.
"""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from types import MappingProxyType
from typing import Any, Final

from windtunnel.checks.expression import MAX_NUMBER, OF_MANY, Expression, dotted_name
from windtunnel.errors import WindtunnelError

Number = int | float
Value = Any
LookUp = Callable[[str], Value]


class EvaluationError(WindtunnelError, ValueError):
    """An expression has no value: an unknown name, a wrong type, a division by zero."""


def _sum(values: Sequence[Number]) -> Number:
    return reduce(operator.add, values, 0)  # `sum` rounds differently from 3.12 on


def _abs(values: Sequence[Number]) -> Number:
    return abs(values[0])


_ARITHMETIC: Final[Mapping[type[ast.operator], Callable[[Any, Any], Any]]] = MappingProxyType(
    {
        ast.Add: operator.add,
        ast.Sub: operator.sub,
        ast.Mult: operator.mul,
        ast.Div: operator.truediv,
        ast.FloorDiv: operator.floordiv,
        ast.Mod: operator.mod,
    }
)
_SIGNS: Final[Mapping[type[ast.unaryop], Callable[[Any], Any]]] = MappingProxyType(
    {ast.UAdd: operator.pos, ast.USub: operator.neg, ast.Not: operator.not_}
)
_COMPARISONS: Final[Mapping[type[ast.cmpop], Callable[[Any, Any], Any]]] = MappingProxyType(
    {
        ast.Eq: operator.eq,
        ast.NotEq: operator.ne,
        ast.Lt: operator.lt,
        ast.LtE: operator.le,
        ast.Gt: operator.gt,
        ast.GtE: operator.ge,
    }
)
_FUNCTIONS: Final[Mapping[str, Callable[[Sequence[Number]], Number]]] = MappingProxyType(
    {"min": min, "max": max, "sum": _sum, "abs": _abs, "len": len}
)


def evaluate(  # noqa: PLR0911 - a kind of node, a return
    expression: Expression | ast.expr, look_up: LookUp
) -> Value:
    """Return the value of an expression; `look_up(name)` gives the value of a dotted name.

    Raises `EvaluationError` for a type that does not fit, a division by zero and a number that
    grows over bounds; `look_up` raises it for a name it does not know.
    """
    node = expression.tree if isinstance(expression, Expression) else expression
    match node:
        case ast.Constant(value=value):
            return value
        case ast.BinOp(left=left, op=op, right=right):
            numbers = [
                _number(evaluate(side, look_up), "calculated with") for side in (left, right)
            ]
            return _bounded(_ARITHMETIC[type(op)], *numbers)
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return not evaluate(operand, look_up)
        case ast.UnaryOp(op=op, operand=operand):
            return _bounded(_SIGNS[type(op)], _number(evaluate(operand, look_up), "given a sign"))
        case ast.BoolOp(op=op, values=values):
            return _any_or_all(isinstance(op, ast.Or), values, look_up)
        case ast.Compare():
            return _compared(node, look_up)
        case ast.Call(func=ast.Name(id=name), args=args):
            return _called(name, [evaluate(arg, look_up) for arg in args])
    return look_up(dotted_name(node))


def _any_or_all(any_: bool, values: list[ast.expr], look_up: LookUp) -> Value:  # noqa: FBT001 - which
    """Return what Python does: the value at which it is decided, else the last."""
    for node in values[:-1]:
        value = evaluate(node, look_up)
        if bool(value) is any_:
            return value
    return evaluate(values[-1], look_up)


def _compared(node: ast.Compare, look_up: LookUp) -> Value:
    left = evaluate(node.left, look_up)
    for op, comparator in zip(node.ops, node.comparators, strict=True):
        right = evaluate(comparator, look_up)
        try:
            holds = _COMPARISONS[type(op)](left, right)
        except TypeError as error:
            raise EvaluationError(f"{left!r} and {right!r} cannot be compared") from error
        if not holds:
            return False
        left = right
    return True


def _called(name: str, values: list[Value]) -> Value:
    if name == "len":
        if not isinstance(values[0], str | Sequence | Mapping):
            raise EvaluationError(f"{values[0]!r} has no length")
        return len(values[0])
    if name in OF_MANY and len(values) == 1:
        values = _members(values[0])
    numbers = [_number(value, f"given to {name}") for value in values]
    if not numbers and name != "sum":
        raise EvaluationError(f"{name} of nothing")
    return _bounded(_FUNCTIONS[name], numbers)


def _members(value: Value) -> list[Value]:
    """Return the members of a list or the values of a mapping; a lone number is its own member."""
    if isinstance(value, Mapping):
        return list(value.values())
    return list(value) if isinstance(value, list | tuple) else [value]


def _number(value: Value, use: str) -> Number:
    """Return a number; True and False count as 1 and 0, as in Python."""
    if isinstance(value, int | float):
        return value
    raise EvaluationError(f"{value!r} is no number and cannot be {use}")


def _bounded(function: Callable[..., Any], *arguments: Any) -> Number:  # noqa: ANN401 - its own
    try:
        result: Number = function(*arguments)
    except ArithmeticError as error:
        raise EvaluationError(str(error)) from error
    if not math.isfinite(result) or (isinstance(result, int) and abs(result) > MAX_NUMBER):
        raise EvaluationError("a number grows over 1e30")
    return result

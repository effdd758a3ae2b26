"""A safe expression over named values: its language and how it is parsed.

Numbers, texts, names (dotted ones too), `+ - * / // %`, comparisons, `and or not`, and a few
functions, in Python's grammar. What is not named here is refused; length, depth and numbers are
bounded, so that no expression can run long. Imports only `windtunnel.errors`.
"""

from __future__ import annotations

import ast
import math
import re
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from windtunnel.errors import WindtunnelError

MAX_LENGTH: Final = 500
MAX_DEPTH: Final = 100
MAX_NUMBER: Final = 10**30
"""The largest whole number that may come about; a float may be anything finite."""


class ExpressionError(WindtunnelError, ValueError):
    """A text is no safe expression. `column` counts from 1."""

    def __init__(self, message: str, column: int) -> None:
        super().__init__(f"{message} (column {column})")
        self.column = column


@dataclass(frozen=True, slots=True)
class Expression:
    """A parsed expression."""

    text: str
    tree: ast.expr
    names: tuple[str, ...]
    """The names it reads, dotted, in the order in which they first appear."""


_ARITHMETIC: Final = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod)
_SIGNS: Final = (ast.UAdd, ast.USub, ast.Not)
_COMPARISONS: Final = (ast.Eq, ast.NotEq, ast.Lt, ast.LtE, ast.Gt, ast.GtE)
_FUNCTIONS: Final = ("min", "max", "sum", "abs", "len")
OF_MANY: Final = ("min", "max", "sum")
"""Functions of numbers, given one by one or as one list."""
_QUOTED: Final = 40
"""How many characters of an expression an error quotes."""


@lru_cache(maxsize=512)
def parse_expression(text: str) -> Expression:
    """Return the parsed expression.

    Raises `ExpressionError`, a `ValueError` with a column, for whatever is not in the language:
    other syntax, an unknown function, a text over 500 characters, nesting over 100 levels, a number
    over 1e30.
    """
    if len(text) > MAX_LENGTH:
        raise ExpressionError(f"longer than {MAX_LENGTH} characters", MAX_LENGTH + 1)
    line = re.sub(r"[\r\n]", " ", text)  # YAML may fold it
    source = line.lstrip()
    shift = len(line) - len(source)
    tree = _parse(source, shift)
    names: dict[str, None] = {}
    _Grammar(source, shift, names).accept(tree, MAX_DEPTH)
    return Expression(text, tree, tuple(names))


def _parse(source: str, shift: int) -> ast.expr:
    if not source:
        raise ExpressionError("empty", 1)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a doubtful escape in a text is the author's affair
            return ast.parse(source, mode="eval").body
    except SyntaxError as error:
        column = min(max(error.offset or 1, 1), len(source) + 1)
        raise ExpressionError(f"not an expression: {error.msg}", column + shift) from error
    except (ValueError, RecursionError, MemoryError) as error:
        raise ExpressionError("not an expression that can be read", 1 + shift) from error


@dataclass(frozen=True, slots=True)
class _Grammar:
    """What may stand in an expression; everything that is not named here is refused."""

    source: str
    shift: int
    names: dict[str, None]

    def accept(self, node: ast.expr, depth: int) -> None:
        if depth == 0:
            raise self.error(node, f"nested more than {MAX_DEPTH} levels deep")
        for part in self.parts(node):
            self.accept(part, depth - 1)

    def parts(self, node: ast.expr) -> Sequence[ast.expr]:  # noqa: PLR0911 - a node, a return
        """Return what a node is made of, once the node itself is known to be allowed."""
        match node:
            case ast.Constant(value=value):
                self.constant(node, value)
                return ()
            case ast.Name() | ast.Attribute():
                self.names[self.dotted(node)] = None
                return ()
            case ast.BinOp(left=left, op=op, right=right) if isinstance(op, _ARITHMETIC):
                return left, right
            case ast.UnaryOp(op=op, operand=operand) if isinstance(op, _SIGNS):
                return (operand,)
            case ast.BoolOp(values=values):
                return values
            case ast.Compare(left=left, ops=ops, comparators=rest) if all(
                isinstance(op, _COMPARISONS) for op in ops
            ):
                return left, *rest
            case ast.Call(func=ast.Name(id=name), args=args, keywords=[]) if name in _FUNCTIONS:
                return self.arguments(node, name, args)
            case ast.Call():
                functions = ", ".join(_FUNCTIONS)
                raise self.error(node, f"only these can be called, by position: {functions}")
        raise self.error(node, f"{self.quoted(node)} is not part of the language of expressions")

    def constant(self, node: ast.expr, value: object) -> None:
        if isinstance(value, bool | str):
            return
        if not isinstance(value, int | float):
            raise self.error(node, f"{self.quoted(node)} is no number, text, True or False")
        if not math.isfinite(value) or abs(value) > MAX_NUMBER:
            raise self.error(node, "a number over 1e30")

    def arguments(self, node: ast.expr, name: str, args: list[ast.expr]) -> Sequence[ast.expr]:
        if not args or (name not in OF_MANY and len(args) > 1):
            wanted = "one or more values" if name in OF_MANY else "one value"
            raise self.error(node, f"{name} takes {wanted}")
        return args

    def dotted(self, node: ast.expr) -> str:
        try:
            return dotted_name(node)
        except TypeError as error:
            raise self.error(node, "a dot stands only between names") from error

    def quoted(self, node: ast.expr) -> str:
        segment = self.source.encode()[node.col_offset : node.end_col_offset]
        text = segment.decode(errors="replace")
        return f"`{text}`" if len(text) <= _QUOTED else f"`{text[:_QUOTED]}…`"

    def error(self, node: ast.expr, message: str) -> ExpressionError:
        before = self.source.encode()[: node.col_offset].decode(errors="replace")
        return ExpressionError(message, len(before) + 1 + self.shift)


def dotted_name(node: ast.expr) -> str:
    """Return `a.b.c`; raises `TypeError` where something else than a name bears a dot."""
    tail: list[str] = []
    while isinstance(node, ast.Attribute):
        tail.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        raise TypeError
    return ".".join([node.id, *reversed(tail)])

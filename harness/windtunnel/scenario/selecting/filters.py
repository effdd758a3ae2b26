"""The `-k` expression: words joined by and, or, not and parentheses, matched against a text.

A word matches when it occurs in the text, in any case. Nothing is evaluated as code. Imports
`windtunnel.errors` alone.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final, Literal

from windtunnel.errors import WindtunnelError

Filter = Callable[[str], bool]
Sort = Literal["word", "(", ")", "and", "or", "not", "end"]

_TOKEN: Final = re.compile(
    r'\s*(?:(?P<paren>[()])|"(?P<quoted>(?:[^"\\]|\\.)*)"|(?P<bare>[^\s()"]+))'
)
_OPERATORS: Final = ("and", "or", "not")
_MOST_NESTED: Final = 100


class FilterError(WindtunnelError, ValueError):
    """A `-k` expression is malformed; `column` counts from 1."""

    def __init__(self, expression: str, column: int, message: str) -> None:
        super().__init__(expression, column, message)
        self.expression = expression
        self.column = column
        self.message = message

    def __str__(self) -> str:
        """Return the message, the expression, and a mark under the place."""
        return f"column {self.column}: {self.message}\n  {self.expression}\n  {'^':>{self.column}}"


@dataclass(frozen=True, slots=True)
class _Token:
    sort: Sort
    text: str
    column: int


def parse_filter(expression: str) -> Filter:
    """Return the predicate an expression stands for.

    `not` binds more tightly than `and`, `and` more tightly than `or`. A word that holds spaces,
    parentheses or an operator's name is written in double quotes. Raises `FilterError`.
    """
    parser = _Parser(expression)
    found = parser.alternatives(0)
    parser.expect_end()
    return found


def quote_word(word: str) -> str:
    """Return the word as an expression that matches just it: in quotes where it needs them."""
    token = _TOKEN.fullmatch(word)
    if token and token["bare"] and word.lower() not in _OPERATORS:
        return word
    return '"' + word.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _tokens(expression: str) -> Iterator[_Token]:
    place = 0
    end = len(expression.rstrip())
    while place < end:
        match = _TOKEN.match(expression, place)
        if match is None:
            column = place + len(expression[place:]) - len(expression[place:].lstrip()) + 1
            raise FilterError(expression, column, "this quotation mark is never closed")
        yield _token(match)
        place = match.end()
    yield _Token("end", "", end + 1)


def _token(match: re.Match[str]) -> _Token:
    column = match.start(match.lastgroup or 0) + 1
    if match["paren"]:
        return _Token("(" if match["paren"] == "(" else ")", match["paren"], column)
    if match["quoted"] is not None:
        return _Token("word", re.sub(r"\\(.)", r"\1", match["quoted"]), column - 1)
    for operator in ("and", "or", "not"):
        if match["bare"].lower() == operator:
            return _Token(operator, match["bare"], column)
    return _Token("word", match["bare"], column)


class _Parser:
    """Recursive descent over the tokens; each method takes how deep it stands."""

    def __init__(self, expression: str) -> None:
        self._expression = expression
        self._tokens = list(_tokens(expression))
        self._next = 0

    def alternatives(self, depth: int) -> Filter:
        parts = [self._conjunction(depth)]
        while self._take("or"):
            parts.append(self._conjunction(depth))
        return parts[0] if len(parts) == 1 else lambda text: any(part(text) for part in parts)

    def expect_end(self) -> None:
        token = self._tokens[self._next]
        if token.sort == ")":
            raise self._error(token, "this parenthesis was never opened")
        if token.sort != "end":
            raise self._error(token, f"expected `and` or `or` before {token.text!r}")

    def _conjunction(self, depth: int) -> Filter:
        parts = [self._operand(depth)]
        while self._take("and"):
            parts.append(self._operand(depth))
        return parts[0] if len(parts) == 1 else lambda text: all(part(text) for part in parts)

    def _operand(self, depth: int) -> Filter:
        token = self._tokens[self._next]
        if depth > _MOST_NESTED:
            raise self._error(token, f"nested more than {_MOST_NESTED} deep")
        if self._take("not"):
            inner = self._operand(depth + 1)
            return lambda text: not inner(text)
        if self._take("("):
            inner = self.alternatives(depth + 1)
            if not self._take(")"):
                raise self._error(token, "this parenthesis is never closed")
            return inner
        if self._take("word"):
            word = token.text.lower()
            return lambda text: word in text.lower()
        where = f"before {token.text!r}" if token.text else "at the end"
        raise self._error(token, f"expected a word {where}")

    def _take(self, sort: Sort) -> bool:
        if self._tokens[self._next].sort != sort:
            return False
        self._next += 1
        return True

    def _error(self, token: _Token, message: str) -> FilterError:
        return FilterError(self._expression, token.column, message)

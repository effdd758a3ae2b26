"""The language of expressions: what is read, and what is refused where."""

from __future__ import annotations

import re
import subprocess
import sys
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windtunnel.checks.expression import (
    MAX_DEPTH,
    MAX_LENGTH,
    ExpressionError,
    parse_expression,
)


def test_names_are_collected_once_in_order() -> None:
    parsed = parse_expression("b + a.x.y == b and not c or max(a, d) < 'text'")
    assert parsed.names == ("b", "a.x.y", "c", "a", "d")


@pytest.mark.parametrize(
    ("text", "column", "message"),
    [
        ("", 1, "empty"),
        ("   ", 1, "empty"),
        ("a +", 4, "not an expression"),
        ("a b", 1, "not an expression"),
        ("(a", 1, "not an expression"),
        ("a = 1", 1, "not an expression"),
        ("x\0y", 1, "not an expression"),
        ("1 + a ** 2", 5, "`a ** 2` is not part"),
        ("a << 2", 1, "is not part"),
        ("~a", 1, "is not part"),
        ("a is b", 1, "is not part"),
        ("a in b", 1, "is not part"),
        ("a[0] == 1", 1, "`a[0]` is not part"),
        ("[a]", 1, "is not part"),
        ("{1: 2}", 1, "is not part"),
        ("(x := 3)", 2, "is not part"),
        ("lambda: 0", 1, "is not part"),
        ("a if b else c", 1, "is not part"),
        ("f'{a}'", 1, "is not part"),
        ("[x for x in y]", 1, "is not part"),
        ("await_ and yield_ + (yield)", 22, "is not part"),
        ("None", 1, "no number, text"),
        ("b'x'", 1, "no number, text"),
        ("1j", 1, "no number, text"),
        ("...", 1, "no number, text"),
        ("1e999", 1, "over 1e30"),
        ("9" * 40, 1, "over 1e30"),
        ("(1).real", 1, "a dot stands only between names"),
        ("'x'.join", 1, "a dot stands only between names"),
        ("a + abs(b).c", 5, "a dot stands only between names"),
        ("open('x')", 1, "only these can be called"),
        ("a.b()", 1, "only these can be called"),
        ("max(1, key=a)", 1, "only these can be called"),
        ("(max)(max)(1)", 1, "only these can be called"),
        ("__import__('os').system('x')", 1, "only these can be called"),
        ("min()", 1, "min takes one or more values"),
        ("abs(1, 2)", 1, "abs takes one value"),
        ("len()", 1, "len takes one value"),
        ("max(*a)", 5, "is not part"),
        ("  \n a ** 2", 5, "is not part"),
        ("'é' == a ** 2", 8, "is not part"),
        ("a" * (MAX_LENGTH + 1), MAX_LENGTH + 1, "longer than 500"),
    ],
)
def test_what_is_refused_and_where(text: str, column: int, message: str) -> None:
    with pytest.raises(ExpressionError, match=re.escape(message)) as raised:
        parse_expression(text)
    if "not an expression" not in message:  # how far Python reads differs between versions
        assert raised.value.column == column
    assert 1 <= raised.value.column <= len(text) + 1
    assert str(raised.value).endswith(f"(column {raised.value.column})")


@pytest.mark.parametrize("sign", ["-", "+", "~", "not "])
def test_deep_nesting_is_refused_and_not_a_crash(sign: str) -> None:
    with pytest.raises(ExpressionError):
        parse_expression(sign * ((MAX_LENGTH - 1) // len(sign)) + "1")
    assert parse_expression("-" * (MAX_DEPTH - 1) + "1").names == ()


@pytest.mark.parametrize("bracket", ["(", "[", "{", "f(", "a.b(", "-("])
def test_a_pile_of_brackets_is_refused(bracket: str) -> None:
    with pytest.raises(ExpressionError):
        parse_expression(bracket * (MAX_LENGTH // len(bracket)))


@given(st.text(max_size=60) | st.text("ab1.+-*/%()<>=! ,'\"\n\\notrminaxsu", max_size=60))
def test_any_text_is_read_or_refused_with_a_column(text: str) -> None:
    with suppress(ExpressionError):
        parse_expression(text)
        return
    with pytest.raises(ExpressionError) as raised:
        parse_expression(text)
    assert 1 <= raised.value.column <= len(text) + 1


def test_warnings_do_not_get_through() -> None:
    code = (
        "from windtunnel.checks.expression import parse_expression\n"
        "parse_expression(r\"'\\d' == a\"); parse_expression('1or 2')"
    )
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        env={"PYTHONPATH": ":".join(sys.path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")

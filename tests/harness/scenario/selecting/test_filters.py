"""The `-k` expression: what it selects, and what is wrong with a bad one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windtunnel.scenario.selecting.filters import FilterError, parse_filter, quote_word

TEXT = "scenarios/ui/send.yaml\nlog-out[wiring=after,n=3]\nslow\nUI-Q3"


@pytest.mark.parametrize(
    ("expression", "matches"),
    [
        ("send", True),
        ("SEND", True),
        ("ui-q3", True),
        ("UI-Q30", False),
        ("send and slow", True),
        ("send and fast", False),
        ("fast or slow", True),
        ("not fast", True),
        ("not slow", False),
        ("not not slow", True),
        ("not fast and slow", True),
        ("not (fast or slow)", False),
        ("slow or fast and fast", True),  # `and` binds more tightly
        ("(slow or fast) and fast", False),
        ("not fast or slow and fast", True),  # `not` most tightly
        ("log-out[wiring=after,n=3]", True),
        ("log-out[wiring=before]", False),
        ('"log-out[wiring=after,n=3]"', True),
        ('"and"', False),
        ("AND", None),
        ("send NOT slow", None),
    ],
)
def test_what_it_selects(expression: str, matches: bool | None) -> None:
    if matches is None:
        with pytest.raises(FilterError):
            parse_filter(expression)
    else:
        assert parse_filter(expression)(TEXT) is matches


@pytest.mark.parametrize(
    ("expression", "column", "message"),
    [
        ("", 1, "expected a word at the end"),
        ("   ", 1, "expected a word at the end"),
        ("send and", 9, "expected a word at the end"),
        ("send or or slow", 9, "expected a word before 'or'"),
        ("and send", 1, "expected a word before 'and'"),
        ("send slow", 6, "expected `and` or `or` before 'slow'"),
        ("(send", 1, "this parenthesis is never closed"),
        ("a and (b or (c)", 7, "this parenthesis is never closed"),
        ("send)", 5, "this parenthesis was never opened"),
        ("()", 2, "expected a word before ')'"),
        ('a and "b', 7, "this quotation mark is never closed"),
        ("(" * 200 + "a" + ")" * 200, 102, "nested more than 100 deep"),
        ("not " * 200 + "a", 405, "nested more than 100 deep"),
    ],
)
def test_a_bad_expression_is_told_with_its_column(
    expression: str, column: int, message: str
) -> None:
    with pytest.raises(FilterError) as caught:
        parse_filter(expression)
    assert (caught.value.column, caught.value.message) == (column, message)
    mark = str(caught.value).splitlines()[-1]
    assert mark.index("^") == column - 1 + 2


words = st.text(st.characters(codec="utf-8", exclude_characters="\n"), min_size=1)


@given(words)
def test_a_quoted_word_matches_itself(word: str) -> None:
    only = parse_filter(quote_word(word))
    assert only(f"before {word} after")
    assert not only("")


@given(st.lists(st.booleans(), min_size=1, max_size=6), st.data())
def test_it_is_boolean_algebra(values: list[bool], data: st.DataObject) -> None:
    """An expression over words that are there or not means what Python's operators mean."""
    text = " ".join(f"w{n}w" for n, value in enumerate(values) if value)
    leaves = st.sampled_from([(f"w{n}w", str(value)) for n, value in enumerate(values)])
    ours, pythons = data.draw(
        st.recursive(
            leaves,
            lambda inner: st.one_of(
                inner.map(lambda one: (f"not {one[0]}", f"not {one[1]}")),
                inner.map(lambda one: (f"({one[0]})", f"({one[1]})")),
                st.tuples(inner, st.sampled_from(["and", "or"]), inner).map(
                    lambda both: (
                        f"{both[0][0]} {both[1]} {both[2][0]}",
                        f"{both[0][1]} {both[1]} {both[2][1]}",
                    )
                ),
            ),
            max_leaves=12,
        )
    )
    assert parse_filter(ours)(text) is eval(pythons)  # noqa: S307 - made of True, False, operators


@given(st.text(st.sampled_from('ab()"\\ andornot'), max_size=30))
def test_any_text_is_an_expression_or_a_clear_error(text: str) -> None:
    columns = []
    try:
        parse_filter(text)("a")
    except FilterError as error:
        columns.append(error.column)
    assert all(1 <= column <= len(text) + 1 for column in columns)

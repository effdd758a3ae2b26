"""The evaluation of expressions: as Python has it, and nothing else."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windtunnel.checks.evaluation import EvaluationError, evaluate
from windtunnel.checks.expression import parse_expression

NAMES: dict[str, Any] = {
    "waiting": 5,
    "ratio": 0.25,
    "ready": True,
    "state": "idle",
    "list": [3, 1, 2],
    "nothing": None,
    "empty": [],
    "counts.NORMAL": 4,
    "counts": {"NORMAL": 4, "LOW": 1},
}


def named(name: str) -> Any:
    if name not in NAMES:
        raise EvaluationError(f"{name} is not known")
    return NAMES[name]


def value_of(text: str) -> Any:
    return evaluate(parse_expression(text), named)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("waiting + 2 * 3 - 1", 10),
        ("waiting // 2 + waiting % 2 - -1", 4),
        ("waiting / 2", 2.5),
        ("0 < waiting <= 5 != 6", True),
        ("0 < waiting < 5 < 1 / 0", False),
        ("not ready or state == 'idle'", True),
        ("ready and waiting", 5),
        ("nothing == 0", False),
        ("state != 5", True),
        ("counts.NORMAL + 1", 5),
        ("min(list) + max(3, waiting) + sum(list) + abs(-2)", 14),
        ("sum(counts) == sum(4, 1)", True),
        ("sum(empty)", 0),
        ("len(list) + len(state) + len(counts)", 9),
        ("(waiting > 1) + (waiting > 9)", 1),
        ("state < 'z'", True),
    ],
)
def test_values(text: str, value: object) -> None:
    assert value_of(text) == value


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("nobody == 1", "nobody is not known"),
        ("waiting / 0", "division by zero"),
        ("waiting % 0", "zero"),
        ("waiting // 0.0", "zero"),
        ("state + 'x'", "'idle' is no number and cannot be calculated with"),
        ("state * 9999999", "no number"),
        ("'%s' % state", "no number"),
        ("list + list", "no number"),
        ("-state", "'idle' is no number and cannot be given a sign"),
        ("state < 1", "'idle' and 1 cannot be compared"),
        ("nothing < 1", "cannot be compared"),
        ("abs(state)", "no number"),
        ("min(state, 1)", "no number"),
        ("min(empty)", "min of nothing"),
        ("len(waiting)", "5 has no length"),
        (" * ".join(["1e29"] * 12), "grows over"),
        ("9" * 30 + " * 9", "grows over 1e30"),
    ],
)
def test_what_has_no_value(text: str, message: str) -> None:
    with pytest.raises(EvaluationError, match=message):
        value_of(text)


def test_a_chain_of_multiplications_stays_small() -> None:
    with pytest.raises(EvaluationError, match="grows over"):
        value_of("*".join(["9" * 18] * 20))


def joined(left: str, op: str, right: str) -> str:
    return f"({left} {op} {right})"


NUMBERS = st.recursive(
    st.integers(0, 20).map(str)
    | st.floats(0, 20, allow_subnormal=False).map(str)
    | st.sampled_from(["waiting", "ratio", "ready", "True"]),
    lambda inner: st.one_of(
        st.builds(joined, inner, st.sampled_from(["+", "-", "*", "/", "//", "%"]), inner),
        st.builds("-{}".format, inner),
        st.builds("abs({})".format, inner),
        st.builds("{}({}, {})".format, st.sampled_from(["min", "max"]), inner, inner),
    ),
    max_leaves=12,
)
COMPARISONS = st.sampled_from(["<", "<=", ">", ">=", "==", "!="])
CONDITIONS = st.recursive(
    st.builds("({} {} {} {} {})".format, NUMBERS, COMPARISONS, NUMBERS, COMPARISONS, NUMBERS),
    lambda inner: st.one_of(
        st.builds(joined, inner | NUMBERS, st.sampled_from(["and", "or"]), inner | NUMBERS),
        st.builds("(not {})".format, inner | NUMBERS),
    ),
    max_leaves=6,
)


def outcome(compute: Callable[[], Any]) -> tuple[str, Any]:
    try:
        value = compute()
    except (ArithmeticError, EvaluationError):
        return "error", None
    if isinstance(value, float) and not math.isfinite(value):
        return "error", None
    return type(value).__name__, value


@given(NUMBERS | CONDITIONS)
def test_it_agrees_with_python(text: str) -> None:
    if len(text) > 500:
        return
    scope = {"waiting": 5, "ratio": 0.25, "ready": True, "__builtins__": {}}
    functions = {"abs": abs, "min": min, "max": max}
    expected = outcome(lambda: eval(text, {**scope, **functions}))  # noqa: S307 - the oracle
    assert outcome(lambda: value_of(text)) == expected


class Trap:
    """A value that tells when anything is done with it."""

    touched = False

    def __getattr__(self, name: str) -> Any:
        Trap.touched = True
        raise AssertionError(name)

    def __call__(self, *args: object) -> None:
        Trap.touched = True


@pytest.mark.parametrize("text", ["x.y", "x.__class__", "x.__init__.__globals__", "x + 1", "-x"])
def test_nothing_is_looked_up_on_a_value_or_called(text: str) -> None:
    def one(name: str) -> Trap:
        if name != "x":
            raise EvaluationError(f"{name} is not known")
        return Trap()

    with pytest.raises(EvaluationError):
        evaluate(parse_expression(text), one)
    assert not Trap.touched

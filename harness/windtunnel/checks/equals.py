"""The check `equals`: observed values are what they should be."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Self

from pydantic import ConfigDict, model_validator

from windtunnel.checks.base import CheckArgs, CheckResult, Context, Verdict, register
from windtunnel.checks.observation import Observation, look_up, observation, unknown
from windtunnel.trace import Trace


class EqualsArgs(CheckArgs):
    """Name → value, one or more; names may be dotted (`executed_by_priority.NORMAL`)."""

    model_config = ConfigDict(extra="allow", frozen=True)

    @model_validator(mode="after")
    def _names_something(self) -> Self:
        if not self.values:
            raise ValueError("name at least one observed value, such as `pending_count: 0`")
        return self

    @property
    def values(self) -> Mapping[str, Any]:
        """Return the values that are expected."""
        return self.model_extra or {}


@register("equals", EqualsArgs)
def equals(trace: Trace, args: EqualsArgs, context: Context) -> CheckResult:
    """Each observed value equals the one given (UI-Q11, UI-AC6, UI-U1 to U8).

    Numbers are compared as numbers, and true is no number. The last observation counts. Measured:
    the observed value where exactly one is asked for and it is a number, else nothing. Vacuous
    where nothing was observed.
    """
    del context
    seen = observation(trace)
    if seen is None:
        return CheckResult(Verdict.VACUOUS, "nothing was observed")
    measured = _measured(seen, args)
    wrong = "; ".join(_misses(seen, args))
    if wrong:
        return CheckResult(Verdict.FAIL, wrong, (seen.event.seq,), measured)
    said = ", ".join(f"{name} = {value!r}" for name, value in args.values.items())
    return CheckResult(Verdict.PASS, said, (seen.event.seq,), measured)


def _misses(seen: Observation, args: EqualsArgs) -> Iterator[str]:
    for name, wanted in args.values.items():
        try:
            value = look_up(seen.values, name)
        except KeyError:
            yield unknown(seen.values, name)
            continue
        if isinstance(value, bool) is not isinstance(wanted, bool) or value != wanted:
            yield f"{name} is {value!r}, expected {wanted!r}"


def _measured(seen: Observation, args: EqualsArgs) -> float | int | None:
    if len(args.values) != 1:
        return None
    try:
        value = look_up(seen.values, next(iter(args.values)))
    except KeyError:
        return None
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None

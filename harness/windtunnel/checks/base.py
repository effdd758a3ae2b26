"""A check: a verdict over a trace. Its arguments, its result, and the table of all checks.

Checks are pure functions of a finished trace, linear in its length. Imports `windtunnel.trace`,
`windtunnel.event_names`, `windtunnel.world` (how a run ended) and pydantic.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType
from typing import Any, Final, Protocol, Self

from pydantic import BaseModel, ConfigDict

from windtunnel.trace import Trace
from windtunnel.world import RunEnd


class Verdict(StrEnum):
    """What a check or a cell came to; only `PASS` is success (DESIGN §6)."""

    PASS = "pass"  # noqa: S105 - a verdict, no password
    FAIL = "fail"
    UNKNOWN = "unknown"
    VACUOUS = "vacuous"
    SKIPPED = "skipped"
    ERROR = "error"


class CheckArgs(BaseModel):
    """Base of every check's arguments: unknown fields are refused."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=False)

    def loosened(self, tolerance: int) -> Self:  # noqa: ARG002 - for those that speak of times
        """Return these arguments with every time that they speak of missed by so much, ns.

        No two runs in real time are alike (`per_world`, `tolerance`).
        """
        return self


@dataclass(frozen=True, slots=True)
class CheckResult:
    """What a check found."""

    verdict: Verdict
    message: str = ""
    witness: tuple[int, ...] = ()
    """Sequence numbers of the events that show it; the ones that clash first."""
    measured: float | int | None = None
    """The figure that `fails: {measured: …}` is compared with; the check's docstring names it."""


@dataclass(frozen=True, slots=True)
class Context:
    """What a check may know beside the trace."""

    end: RunEnd = field(default_factory=lambda: RunEnd("finished"))
    variables: Mapping[str, Any] = field(default_factory=dict)
    """The cell's variables (`let`, matrix, case), for `invariant`."""


class Check(Protocol):
    """A check: reads a trace, judges it."""

    def __call__(self, trace: Trace, args: Any, context: Context) -> CheckResult:  # noqa: ANN401 - each check has its own model
        """Return the verdict; `args` is an instance of the check's own model."""


@dataclass(frozen=True, slots=True)
class CheckSpec:
    """A row of the table of checks."""

    name: str
    args: type[CheckArgs]
    check: Check
    optional_kinds: frozenset[str] = frozenset()
    """Kinds from inside a scheduler without which the check is skipped (DESIGN §3)."""
    always: bool = False
    """Runs over every cell, asked for or not."""


_CHECKS: dict[str, CheckSpec] = {}
CHECKS: Final[Mapping[str, CheckSpec]] = MappingProxyType(_CHECKS)
"""Name → check; filled by `register` when `windtunnel.checks` is imported."""


def register(
    name: str,
    args: type[CheckArgs],
    *,
    optional_kinds: frozenset[str] = frozenset(),
    always: bool = False,
) -> Callable[[Check], Check]:
    """Add a function to the table of checks under a name.

    Raises `ValueError` where the name is taken.
    """

    def add(check: Check) -> Check:
        if name in _CHECKS:
            raise ValueError(f"there is a check named {name!r} already")
        _CHECKS[name] = CheckSpec(name, args, check, optional_kinds, always)
        return check

    return add

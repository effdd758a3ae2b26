"""The result of one cell: its checks, its verdict, its line in the `--json` stream.

Reports read these lines and nothing else. Imports the checks' verdicts, no world.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from windtunnel.checks.base import Verdict
from windtunnel.scenario.cells import Cell
from windtunnel.scenario.source.yaml_scalars import Scalar

FINE: Final = frozenset({Verdict.PASS, Verdict.SKIPPED})
"""Verdicts that nobody has to look into."""


@dataclass(frozen=True, slots=True)
class CheckLine:
    """One check's part of a result."""

    name: str
    verdict: Verdict
    line: int
    """Line of the expectation in the scenario file; 0 for an always-on check."""
    message: str = ""
    witness: tuple[int, ...] = ()
    measured: float | int | None = None
    excerpt: tuple[str, ...] = ()
    """At most 12 events around the violation, one text line each."""


@dataclass(frozen=True, slots=True)
class CellResult:
    """What came of one cell."""

    scenario: str
    file: str
    line: int
    name: str
    cell: Mapping[str, Scalar]
    world: str
    policy: str
    scheduler: str | None
    seed: int
    verdict: Verdict
    reason: str = ""
    """One line: why it is not a pass."""
    mistake: bool = False
    """Whether an error is the user's to mend (a class or a plug-in that does not fit)."""
    checks: tuple[CheckLine, ...] = ()
    metrics: Mapping[str, Any] = field(default_factory=dict)
    digest: str = ""
    events: int = 0
    seconds: float = 0.0
    """Real time the cell took."""
    replay: str = ""
    """The one command that plays this cell again."""
    trace: tuple[str, ...] = ()
    """The canonical trace lines, kept only when they were asked for."""

    @classmethod
    def of(cls, cell: Cell, verdict: Verdict, reason: str = "", **rest: Any) -> CellResult:  # noqa: ANN401 - the further fields
        """Return the result of a cell, told by what identifies the cell; `rest` are more fields."""
        return cls(
            scenario=cell.scenario,
            file=cell.file,
            line=cell.line,
            name=cell.name,
            cell=cell.axes,
            world=cell.world,
            policy=cell.policy,
            scheduler=cell.scheduler,
            seed=cell.seed,
            verdict=verdict,
            reason=reason,
            **rest,
        )

    def as_json(self) -> dict[str, Any]:
        """Return the result line: version 1, JSON values only, without the trace."""
        return {
            "v": 1,
            "scenario": self.scenario,
            "file": self.file,
            "line": self.line,
            "name": self.name,
            "cell": dict(self.cell),
            "world": self.world,
            "policy": self.policy,
            "scheduler": self.scheduler,
            "seed": self.seed,
            "verdict": str(self.verdict),
            "reason": self.reason,
            "checks": [
                {
                    "name": check.name,
                    "verdict": str(check.verdict),
                    "line": check.line,
                    "message": check.message,
                    "witness": list(check.witness),
                    "measured": check.measured,
                    "excerpt": list(check.excerpt),
                }
                for check in self.checks
            ],
            "metrics": dict(self.metrics),
            "digest": self.digest,
            "events": self.events,
            "seconds": round(self.seconds, 6),
            "replay": self.replay,
        }
